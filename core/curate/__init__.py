"""Every curation rule, alike ones in one file, and the aggregation of repeats; see `base.py` for the contract.

It offers rules by name, repeats made one row, and two sides joined. A rule sees trials as values and answers with a
`Judgement`; it never reads or writes the database, and nothing is deleted.
"""

from core.curate._host_target import HostTarget as HostTarget
from core.curate._host_target import Unjoined as Unjoined
from core.curate._host_target import join as join
from core.curate._repeats import AGGREGATES as AGGREGATES
from core.curate._repeats import Spread as Spread
from core.curate._repeats import aggregate as aggregate
from core.curate._repeats import choose_response as choose_response
from core.curate._repeats import run_to_run as run_to_run
from core.curate._repeats import usual_repeats as usual_repeats
from core.curate._repeats import variation as variation
from core.curate.base import Judgement as Judgement
from core.curate.base import Rule as Rule
from core.curate.base import counted as counted
from core.registry import discover

SEVERAL = {
    "hidden": ("constant", "duplicates"),
    "outliers": ("iqr", "mad"),
    "single": ("multiplexed", "warmup", "zero"),
}
RULES = discover("core.curate", Rule, "rule", SEVERAL)
BY_HAND = "by hand"
"""The rule that stands in the audit trail for what a person excluded."""
