"""Studies: the same question asked of many settings, folds and seeds, run anywhere and stored once.

It offers experiments read from TOML, their tasks (`grid`), and their results as values. It never draws, and stores
nothing itself: what a task gave is handed to whoever keeps it.
"""
