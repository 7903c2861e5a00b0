"""Imports of one form as one: a folder of a thousand files takes the statements of one."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby

import numpy as np

from core.mapped import is_mapped
from core.store.cards import Delivery
from core.trial import Facts, Import, Trials

_MOST = 10_000
"""Trials of an import that is stored with others."""


def in_lots(deliveries: Sequence[Delivery]) -> Iterator[tuple[Delivery, ...]]:
    """Yield deliveries in their order, in lots whose imports are of one form; one alone where it is large or grows."""
    for form, several in groupby(deliveries, _form):
        lot = tuple(several)
        yield from [lot] if form else zip(lot, strict=True)


def _form(delivery: Delivery) -> tuple[object, ...]:
    imported = delivery.imported
    trials, facts = imported.trials, (imported.machines, imported.inputs)
    if delivery.grows or any(trials.ids) or len(trials) > _MOST or is_mapped(trials.values):
        return ()
    units = tuple(imported.original_units.items())
    described = tuple(own and (own.metrics, tuple(own.labels)) for own in facts)
    return delivery.dataset, imported.format, trials.metrics, tuple(trials.labels), trials.parameters, units, described


def as_one(imports: Sequence[Import]) -> Import:
    """Return imports of one form as one, with the trials of each after those of the one before."""
    first = imports[0]
    if len(imports) == 1:
        return first
    whole = replace(first, trials=_trials([one.trials for one in imports]))
    machines = [one.machines for one in imports if one.machines is not None]
    inputs = [one.inputs for one in imports if one.inputs is not None]
    return replace(whole, machines=_facts(machines), inputs=_facts(inputs))


def _trials(every: Sequence[Trials]) -> Trials:
    roles = {role: _texts([getattr(one, role) for one in every]) for role in ("application", "input", "machine")}
    labels = {name: _texts([one.labels[name] for one in every]) for name in every[0].labels}
    values = np.concatenate([one.values for one in every])
    return Trials(**roles, metrics=every[0].metrics, values=values, labels=labels, parameters=every[0].parameters)


def _facts(every: Sequence[Facts]) -> Facts | None:
    if not every:
        return None
    keys = tuple(chain.from_iterable(one.keys for one in every))
    labels = {name: _texts([one.labels[name] for one in every]) for name in every[0].labels}
    return Facts(keys, every[0].metrics, np.concatenate([one.values for one in every]), labels)


def _texts(every: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(chain.from_iterable(every))
