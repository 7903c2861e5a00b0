"""One model: its terms, what matters to it, how it was selected, what it predicts.

Story: `selection` (stepwise), `rounds` (splines), `contributions` (R² by factor), `summary`, `card`.
Contents: `formula`, `effects`, `why` (one prediction), `shares` (of metrics in it).
Checks: `check`, `check_rows`, `checked`. Groups: `miss` (why one is wrong), `miss_parts`, `untrained`, `miss_words`.
Predictions: `predictions` (a file's rows; `check_rows` of any number), `why` (one by hand).
"""
