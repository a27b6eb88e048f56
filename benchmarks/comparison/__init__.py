"""kinspan beside what one would use instead: `python -m benchmarks.comparison`."""
