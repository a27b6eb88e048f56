"""A browser for the tests of this folder, where `make browser` has installed one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.chromium import Chromium, missing


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    lacking = missing()
    if lacking:
        reason = f"no {', '.join(lacking)}: `make browser` installs what this needs"
        if os.environ.get("KINSPAN_BROWSER") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    browser = Chromium(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def screenshots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pictures of the page go: the folder KINSPAN_SCREENSHOTS, if somebody wants to look."""
    wanted = os.environ.get("KINSPAN_SCREENSHOTS")
    folder = Path(wanted) if wanted else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
