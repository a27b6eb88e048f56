from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import fitted


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fitted(tmp_path_factory.mktemp("model"))
