"""What was computed is logged, and nothing is printed unless somebody listens."""

from __future__ import annotations

import logging
import re

import pytest

from kinspan import MultiTaskSPCA
from tests.worlds import random_world

SAID = r"rules of 4 tasks, 3 classes and 7 features from 300 rows in \d+\.\d\d s"


def test_a_fit_is_logged_once(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    X, y, task = random_world(0)
    with caplog.at_level(logging.INFO, logger="kinspan"):
        clf = MultiTaskSPCA().fit(X, y, task=task)
        clf.predict(X, task=task)
    assert len(caplog.messages) == 1
    assert re.fullmatch(SAID, caplog.messages[0])
    assert capsys.readouterr() == ("", "")


def test_a_stream_is_logged_at_every_question_that_computes(
    caplog: pytest.LogCaptureFixture,
) -> None:
    X, y, task = random_world(0)
    with caplog.at_level(logging.INFO, logger="kinspan"):
        clf = MultiTaskSPCA().partial_fit(X[:200], y[:200], task=task[:200])
        clf.partial_fit(X[200:], y[200:], task=task[200:])
        assert caplog.messages == []
        clf.predict(X, task=task)
    assert [bool(re.fullmatch(SAID, message)) for message in caplog.messages] == [True]
