"""Progress of long work."""
