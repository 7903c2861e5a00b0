"""Which rules short enough to read hold of every measured combination of levels, and how sure that makes them."""
