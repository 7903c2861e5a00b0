"""Tables too large for memory, read by their path."""
