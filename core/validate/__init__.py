"""Honest answers to "how well does it predict what it has not seen": folds, scores, intervals, domain."""
