from __future__ import annotations

from tests.cli.conftest import model

__all__ = ["model"]
