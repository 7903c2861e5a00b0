"""Studies: the same question asked of many settings, folds and seeds, run anywhere and stored once."""
