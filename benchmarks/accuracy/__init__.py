"""Accuracy on real data, compared with other methods that users could run: `make accuracy`."""
