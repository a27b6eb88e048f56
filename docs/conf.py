"""The documentation site: `make docs` builds it with every warning an error.

Tutorials are executed at every build, so they cannot promise what the code does not do.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import metadata
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "extensions"))

import kinspan  # noqa: E402

DATA = Path(os.environ.get("KINSPAN_DATA", HERE.parents[1] / "shared" / "data")).resolve()
if DATA.is_dir():
    os.environ["KINSPAN_DATA"] = str(DATA)
os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # a debugger nobody asked for warns without it
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

project = "kinspan"
author = "The kinspan developers"
project_copyright = "The kinspan developers, BSD 3-Clause licence"
version = release = kinspan.__version__

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "mathml",
    "whole_attributes",
]
exclude_patterns = ["_build", "**.ipynb_checkpoints"]
templates_path = ["_templates"]
suppress_warnings = ["myst.header"]  # the first heading of an included part is not the page's own

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
myst_dmath_double_inline = True
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings name types in words
numpydoc_show_class_members = False
default_role = "literal"  # `name` in a docstring is code
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = "kinspan"
html_math_renderer = "mathml"
html_favicon = "_static/favicon.svg"
html_static_path = ["_static", "images"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_theme_options = {"sidebar_hide_name": False, "navigation_with_keys": True}
addresses = dict(line.split(", ") for line in metadata("kinspan").get_all("Project-URL") or [])
if "Repository" in addresses:
    html_theme_options |= {
        "source_repository": addresses["Repository"],
        "source_branch": "main",
        "source_directory": "docs/",
    }
