"""Is the forecast of the error right? One row per regime: `make forecast`.

Simulated regimes are compared with their population, real data (in the folder KINSPAN_DATA) with
held-out rows. Limits: bias at most .01 (.03 where the whole fit has fewer than 50 labels), 90 %
intervals that cover 85 to 95 %, a mean gap per task of at most that of announcing the mean of all
tasks, and of .060, .040 and .026 on Amazon reviews with 10, 20 and 50 labels per class.
"""
