"""Checks of input: public methods call them on their first lines; no other code doubts input."""
