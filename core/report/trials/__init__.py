"""Trials before a model: columns as recognised, curation, repeats, distributions, correlations, groups.

Import: `recognised`, `folding`, `askable`, `machines`, `whole_folder`. Curation: `curation`, `reasons`, `made`,
`furthest`, `repeats`, `difference` (with and without the excluded). Metrics: `distribution`, `correlation`,
`components`, `clusters`, `profiles`.
"""
