"""The race: every family on the same honest folds, with treatments and winner chosen inside the training parts."""

from core.race.chosen import (
    Disagreement,
    Failures,
    Stability,
    alike,
    chosen_features,
    disagreement,
    failures,
    stability,
)
from core.race.entry import Entry, entries_for, entry_of, quick_first, scales_for
from core.race.keep import fitted_winner, on_its_scale
from core.race.race import race, race_id
from core.race.result import (
    BLEND,
    EVERYTHING,
    STACK,
    STOCK,
    Key,
    Race,
    Run,
    Standing,
    Together,
    run_from_plain,
    run_to_plain,
)
from core.race.standings import race_of

__all__ = [
    "BLEND",
    "EVERYTHING",
    "STACK",
    "STOCK",
    "Disagreement",
    "Entry",
    "Failures",
    "Key",
    "Race",
    "Run",
    "Stability",
    "Standing",
    "Together",
    "alike",
    "chosen_features",
    "disagreement",
    "entries_for",
    "entry_of",
    "failures",
    "fitted_winner",
    "on_its_scale",
    "quick_first",
    "race",
    "race_id",
    "race_of",
    "run_from_plain",
    "run_to_plain",
    "scales_for",
    "stability",
]
