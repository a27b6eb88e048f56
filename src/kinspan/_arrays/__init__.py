"""Where array libraries differ, and where their arrays live: no other place knows."""
