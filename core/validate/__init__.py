"""Honest answers to "how well does it predict what it has not seen": folds, scores, intervals, domain.

It offers `folds`, `crossval`, `scores`, `intervals`, `domain`. It trains through the function that it is given, and
never lets a fold's trials into what that fold is judged by.
"""
