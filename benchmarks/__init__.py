"""Time, memory and accuracy, each measured by one command; the library never imports this."""
