"""Names of a table that a stranger made are shown, and move no cursor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from tests.cli.running import succeed

RED, CLEAR = "\x1b[31mnorth", "yes\x1b[2J"


def test_control_characters_of_names_are_written_out(tmp_path: Path) -> None:
    """In cells, in titles, and in the heads of columns, which name the classes."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 60)
    frame = pd.DataFrame(rng.normal(size=(120, 3)) + y[:, None], columns=["a", "b", "c"])
    frame["shop"] = np.repeat([RED, "south"], 60)
    frame["left"] = np.where(y == 1, CLEAR, "no")
    data, model = tmp_path / "a.csv", tmp_path / "m"
    frame.to_csv(data, index=False)
    for command in (
        ("fit", data, "--task", "shop", "--label", "left", "--score", "f1", "--out", model),
        ("explain", model, "--task", RED),
        ("plan", model, "--error", "0.1"),
        ("plan", model, "--task", RED, "--error", "0.1"),
        ("plan", model, "--score", "roc_auc", "--reach", "0.9"),
        ("evaluate", model, data, "--metrics", "roc_auc"),
        ("audit", model, data),
    ):
        ran = succeed(*command)
        assert "\x1b" not in ran.out + ran.err, command
        assert r"\x1b[31mnorth" in ran.out, command
