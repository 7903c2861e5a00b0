"""What recipes and the race choose by: inner folds, and mixtures of what was fitted on them."""
