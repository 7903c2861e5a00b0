"""Trials before a model: columns as recognised, curation, repeats, distributions, correlations, groups.

Import: `recognised`. Curation: `curation` (a model with and without the excluded, too), `repeats`.
Metrics: `metrics` (of trials, machines and folders), `components` and clusters. Kernels: `bottleneck`.
"""
