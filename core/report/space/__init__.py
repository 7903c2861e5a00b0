"""Design spaces: scored designs, what-if, learning curves, applications compared by their models.

`design_points` (of trials, in texts, measured); `whatif` (one design), `scored_space` (all of them), `decision`,
`history` (of a search); `learning` (how many are enough) and `diversity` (of applications).
"""
