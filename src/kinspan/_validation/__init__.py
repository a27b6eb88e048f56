"""Checks of input. Public methods call them first; the code below them trusts its input."""
