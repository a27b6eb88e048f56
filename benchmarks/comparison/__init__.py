"""kinspan compared with other libraries: `python -m benchmarks.comparison`."""
