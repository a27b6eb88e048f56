"""Rare classes: forecasts of scores, thresholds, and probabilities. `make decisions`.

Limits: the forecast of AUC has a bias of at most .015, that of average precision of .03, and 90 %
intervals that cover 85 to 95 % with twenty positives and more; thresholds cost at most 3 % more
than the best ones, which are known only afterwards; probabilities with `priors="empirical"` are
within .03.
"""
