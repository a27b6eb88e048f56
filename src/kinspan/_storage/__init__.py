"""The format in which everything is stored, and files that are written whole or not at all."""
