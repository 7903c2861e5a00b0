"""Experiments: presets, how much is left, results, the best setting, panels per group.

`presets` proposes grids, `size` says how much is left, `results` computes each setting's honest error, `best` chooses,
`panels` shows held-out predictions.
"""
