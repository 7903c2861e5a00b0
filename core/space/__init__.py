"""Design spaces: what could be built, which points to measure, what a model says of all of them."""
