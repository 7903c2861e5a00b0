"""Design spaces: scored designs, what-if, learning curves, applications compared by their models.

`trial_space` (from trials), `design_points`, `measured_designs`; `surrogate` and `whatif` (one design), `scored_space`
(all of them); `learning` and `learning_sizes` (how many are enough); `applications` and `diversity`.
"""
