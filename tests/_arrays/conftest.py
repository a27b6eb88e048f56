"""Ways to take arrays to other libraries."""

from __future__ import annotations

import pytest

from tests.array_libraries import CONVERTS, Convert, strict


@pytest.fixture(params=CONVERTS)
def convert(request: pytest.FixtureRequest) -> Convert:
    found: Convert = CONVERTS[request.param]()
    return found


@pytest.fixture
def there() -> Convert:
    """To a device whose memory NumPy cannot see."""
    return strict("device1")
