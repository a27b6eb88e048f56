"""How many random cases: a fixed few in every run of the tests, others all the time in `fuzz`."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Fits take tens of milliseconds, and worlds are larger than what hypothesis calls small.
_SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)

settings.register_profile(
    "ci",
    max_examples=4,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=_SLOW,
)
settings.register_profile(
    "fuzz",
    max_examples=int(os.environ.get("KINSPAN_FUZZ_CASES", "100")),
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=_SLOW,
)
settings.load_profile(os.environ.get("KINSPAN_FUZZ_PROFILE", "ci"))
