"""The race: every family on the same honest folds, with treatments and winner chosen inside the training parts.

It offers `race`, `auto`, `versus`, reuse and the ranking of machines. It never picks anything on the folds that it
reports.
"""
