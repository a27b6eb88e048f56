"""Fit and predict with rows on a CUDA device: first the correctness, then the speed."""
