"""Kernels over configurations: curves and maps, groups, bases, predictors, fronts.

Measured: `kernels` and their curves, `bases` and groups. Modelled: `predicted`, `race` (predictors, next runs, time
against power, what stands beside a model's file), `application` (segments).
"""
