"""What is remembered of rows: statistics that add, fade and are removed."""
