"""How kernels scale over cores, clocks and bandwidth: learnt from many kernels, told from one run of a new one.

It offers studies gathered from trials (`gather`), predictors by name, folds over whole kernels, and `ScalingModel`
with its file. A kernel's surface is only ever told from its counters and one configuration; it never sees the
database.
"""
