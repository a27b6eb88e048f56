"""Fit and predict with rows that live on a CUDA device: right first, then how fast."""
