"""Which columns say on which problem it ran."""

import numpy as np

from core.ingest.recognition import words as lexicon
from core.ingest.recognition.evidence import SAME, Known, Verdict, Verdicts
from core.ingest.recognition.labels import comes_again, named_by_id, repeats, tells_of_input
from core.ingest.recognition.settings import is_fact_table

_MOST_INPUTS = 0.6
"""Texts of inputs are fewer than so many for each row: one may have been measured once."""


def inputs(known: Known) -> Verdicts:
    """Return the columns that say on which problem; numbers that hardly repeat are parameters."""
    if known.named("input"):
        return {}
    if is_fact_table(known):
        return {}
    called = [n for n in known.free if lexicon.is_input(n.removesuffix("_id" if named_by_id(known, n) else ""))]
    named = [n for n in called if not lexicon.is_outcome(n, known.column(n).unit)]
    named += [n for n in known.free if n not in named and lexicon.is_identifier(n) and comes_again(known, n)]
    named = [n for n in named if not (_goes_with_application(known, n) or tells_of_input(known, n))]
    told = [n for n in named if lexicon.key(n) != "variant"]
    named = named if all(known.column(n).numeric for n in told) else told
    named = [n for n in named if "total" not in lexicon.tokens(n)] or named  # what all requests had is no size of one
    counted = [n for n in known.free_numbers if n not in named]
    found: Verdicts = {}
    for name in named:
        if (known.levels(name) > 1 and known.of_machine(name)) or {*known.texts(name)} == {"0"}:
            continue
        if not known.column(name).numeric:
            if not known.switched(name) and known.levels(name) < max(2, _MOST_INPUTS * len(known)):
                found[name] = Verdict("input", "named like an input", 0.9)
        elif (known.whole(name) and not (known.integers(name) or known.leveled(name))) or _came_out(known, name):
            continue
        elif known.machines or any(known.different(ran) > 1 for ran in known.named("application")):
            role = "input" if repeats(known, name) and counted else "parameter"
            found[name] = Verdict(role, "the size of the problem", 0.85)
        else:
            found[name] = Verdict("parameter", "the size of the problem", 0.8)
    return found


def _goes_with_application(known: Known, name: str) -> bool:
    """Whether several applications settle a number, which then tells no two inputs of one of them apart."""
    ran = known.named("application")
    several = int(known.groups(ran).max(initial=-1)) > 0 if ran else False
    return several and known.column(name).numeric and known.levels(name) > 1 and known.settled(name, ran)


def _came_out(known: Known, name: str) -> bool:
    """Whether bytes hardly repeat, and others say on which problem: what was moved, or came out.

    So did sizes that nearly meet, each the same times a rate: what went over in a time that is fixed.
    """
    told = "bytes" in lexicon.tokens(name) and any(lexicon.is_input(n) and known.leveled(n) for n in known.numeric)
    if told or not known.nearly_met(name):
        return told and not known.leveled(name)
    rates = (known.values(n) for n in known.named("response") if known.dimension(n) == "throughput")
    lasted = (known.values(name) / rate for rate in rates if rate.all())
    return not known.leveled(name) and any(np.ptp(own) <= SAME * np.abs(own).max() for own in lasted)
