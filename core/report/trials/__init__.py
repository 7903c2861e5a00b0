"""Trials before a model: columns as recognised, curation, repeats, distributions, correlations, groups.

Import: `recognised`, `askable`. Curation: `curation`, `repeats`, `difference` (with and without the excluded).
Metrics: `metrics` (of trials, machines and folders), `components`, `clusters`. Kernels: `bottleneck`.
"""
