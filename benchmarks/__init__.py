"""Time, memory and accuracy, each by one command; users of the library, never imported by it."""
