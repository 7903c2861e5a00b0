"""Design spaces: scored designs, what-if, learning curves, applications compared by their models.

`design_points` (of trials, in texts, measured, and all of them scored); `whatif` (one design), `decision`, `learning`
(how many are enough, and the course of a search) and `diversity` (of applications).
"""
