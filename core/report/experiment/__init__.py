"""Experiments: presets, results, the best setting.

`presets` proposes grids, `results` computes each setting's error on held-out trials, `best` chooses.
"""
