"""The differences between array libraries and between devices; no other package knows of them."""
