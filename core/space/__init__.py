"""Design spaces: what could be built, which points to measure, what a model says of all of them.

It offers `DesignSpace`, plans by name, sweeps, what matters (`sensitivity`), and `designs` that decide. It never
writes a space out, and never takes a design that breaks a constraint.
"""
