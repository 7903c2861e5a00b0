"""One model: its terms, what matters to it, how it was selected, what it predicts.

Story: `selection` and `along` (stepwise), `rounds` (splines), `contributions` (R² by factor), `summary`, `card`.
Contents: `formula`, `ranked` (terms), `knots`, `effects`, `importance`, `permutation`, `on_scale`, `options_text`.
Groups: `miss` (why one is wrong), `miss_parts`, `untrained`, `further_run`, `miss_words`.
Predictions: `predictions` (a file's rows), `prediction_stream` (of any size), `predicted_rows` (beside measurements),
`one_row` (by hand), `nearest` (training trials).
"""
