"""Every curation rule, one file each, and the aggregation of repeats; see `base.py` for the contract."""

from core.curate._host_target import HostTarget, Unjoined, join
from core.curate._repeats import AGGREGATES, Spread, aggregate, choose_response, run_to_run, usual_repeats, variation
from core.curate.base import Derived, Exclusion, Flag, Hidden, Judgement, Rule, counted
from core.registry import discover

RULES = discover("core.curate", Rule, "rule")
BY_HAND = "by hand"
"""The rule that stands in the audit trail for what a person excluded."""

__all__ = [
    "AGGREGATES",
    "BY_HAND",
    "RULES",
    "Derived",
    "Exclusion",
    "Flag",
    "Hidden",
    "HostTarget",
    "Judgement",
    "Rule",
    "Spread",
    "Unjoined",
    "aggregate",
    "choose_response",
    "counted",
    "join",
    "run_to_run",
    "usual_repeats",
    "variation",
]
