"""Which row of the database a metric of an import is: by name, kept apart where the units differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.store._connection import Cursor, every
from core.store._rows import insert, next_id
from core.trial import Metric


@dataclass
class _Row:
    id: int
    unit: str
    original: str = ""
    rule: str = ""


class MetricIds:
    """The metrics of a dataset while something is added to it.

    Attributes
    ----------
    warnings : what was kept apart, and why
    """

    def __init__(self, cursor: Cursor, home: int, collector: str, originals: Mapping[str, str]) -> None:
        self._cursor, self._home, self._collector, self._originals = cursor, home, collector, originals
        rows = every(cursor, "SELECT name, id, unit, original, rule FROM metric WHERE dataset = ?", [home])
        self._known = {str(name): _Row(int(id), *map(str, rest)) for name, id, *rest in rows}
        self._ids: dict[Metric, int] = {}
        self.warnings: list[str] = []

    def ids(self, metrics: Sequence[Metric]) -> list[int]:
        """Return the metrics' ids, making those that are new in one statement."""
        fresh: dict[str, Metric] = {}
        start = next_id(self._cursor, "metric")
        for metric in dict.fromkeys(metrics):
            if metric in self._ids:
                continue
            name = self._name(metric)
            if name not in self._known:
                self._known[name] = _Row(start + len(fresh), metric.unit, self._originals.get(metric.name, ""))
                fresh[name] = metric
            else:
                self._note_original(self._known[name], self._originals.get(metric.name, ""))
            self._ids[metric] = self._known[name].id
        self._write(fresh)
        return [self._ids[m] for m in metrics]

    def _name(self, metric: Metric) -> str:
        """Return the name under which a metric is kept."""
        known = self._known.get(metric.name)
        if known is None:
            return metric.name
        if known.rule:
            self.warnings.append(
                f"metric '{metric.name}' was made by the rule '{known.rule}' in the dataset: "
                f"the measured one is kept apart as '{metric.name} [measured]'"
            )
            return f"{metric.name} [measured]"
        if metric.unit in ("", known.unit):
            return metric.name
        self.warnings.append(
            f"metric '{metric.name}' is in {metric.unit} here and in {known.unit or 'no unit'} in the dataset: "
            f"it is kept apart as '{metric.name} [{metric.unit}]'"
        )
        return f"{metric.name} [{metric.unit}]"

    def _note_original(self, row: _Row, original: str) -> None:
        """Remember one more unit that files wrote this metric in."""
        known = row.original.split(", ") if row.original else []
        if original and original not in known:
            row.original = ", ".join([*known, original])
            self._cursor.execute("UPDATE metric SET original = ? WHERE id = ?", [row.original, row.id])

    def _write(self, fresh: Mapping[str, Metric]) -> None:
        columns = {
            "id": [self._known[name].id for name in fresh],
            "name": list(fresh),
            "kind": [str(m.kind) for m in fresh.values()],
            "unit": [m.unit for m in fresh.values()],
            "original": [self._known[name].original for name in fresh],
        }
        insert(self._cursor, "metric", columns, dataset=self._home, collector=self._collector)
