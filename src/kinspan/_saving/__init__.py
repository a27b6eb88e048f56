"""Models, statistics and moments in files."""
