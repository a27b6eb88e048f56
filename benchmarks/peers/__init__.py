"""The methods that kinspan is compared with: how they are fitted, tuned, timed and judged.

`benchmarks.accuracy`, its part `few` and `benchmarks.comparison` say which rows they get.
"""
