"""The race: every family on the same honest folds, with treatments and winner chosen inside the training parts."""

from core.race.chosen import Stability, alike, chosen_features, stability
from core.race.entries import entries_for, entry_of, scales_for
from core.race.entry import Entry, Nested
from core.race.look import Disagreement, Failures, disagreement, failures
from core.race.race import race, race_id
from core.race.result import COMMITTEE, EVERYTHING, STACK, Key, Race, Run, Stack, Standing, run_from_plain, run_to_plain
from core.race.standings import race_of

__all__ = [
    "COMMITTEE",
    "EVERYTHING",
    "STACK",
    "Disagreement",
    "Entry",
    "Failures",
    "Key",
    "Nested",
    "Race",
    "Run",
    "Stability",
    "Stack",
    "Standing",
    "alike",
    "chosen_features",
    "disagreement",
    "entries_for",
    "entry_of",
    "failures",
    "race",
    "race_id",
    "race_of",
    "run_from_plain",
    "run_to_plain",
    "scales_for",
    "stability",
]
