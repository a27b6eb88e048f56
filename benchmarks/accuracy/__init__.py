"""Accuracy on real data beside what users would run instead: `make accuracy`."""
