"""Kernels over configurations: curves and maps, groups, bases, predictors, fronts.

Measured: `choices`, `kernels`, `slices`, `clusters`, `bases`, `roofline`. Modelled: `predicted`, `front`, `next`,
`race`, `application` (segments), `kept` (what stands beside a model's file).
"""
