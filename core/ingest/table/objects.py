"""JSON as rows of text: which of its objects are rows, and what stands once for all of them."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import compress, pairwise, permutations
from typing import Any

import numpy as np

from core.ingest._units import unit_of_name
from core.ingest._vocabulary import in_order
from core.ingest.base import Form, SourceFile
from core.ingest.names import listed
from core.ingest.opening import open_text
from core.ingest.recognition.words import HARDWARE, HASH, MACHINE, STATISTIC, is_outcome, key, machine_word
from core.ingest.table.as_text import Converted, as_text, one_line
from core.ingest.table.decoded import decoder, dictionary
from core.ingest.table.dialect import is_number
from core.ingest.table.repeats import repeats, run_by_run

BEGINS = re.compile(
    rb"(?=\s*[\[{])|\s*(?:(?:var|let|const) )?[A-Za-z_][\w.]*\s*=\s*(?=[\[{]\s*[\[{\"])"
    rb"|(?:[^\n\[\]{}=]*\n){1,4}(?=\{\s*\n\s*\"|\[\s*\n\s*\{)"
)
"""With what JSON begins, maybe in a script, as `window.BENCHMARK_DATA = {`, or below what a program said first."""
_STAMPED = re.compile(rb"\d{4}-\d\d-\d\d[^{}\[\]\"]*(?=\{)")
"""When a program wrote a line, before the object in it."""
_UNIT_OF = re.compile(r"([A-Za-z]{3,}?)(?:_unit|Unit)s?")
_LISTS = in_order("benchmarks results runs data rows records trials measurements samples jobs entries")
"""Under which an object may have the list of its rows."""
_SUMMARIES = in_order("end summary")
"""Objects that say of a run what its intervals say of each part of it."""
_ALIKE = 4
"""Objects with the same measurements, at least, that are rows beside others."""
_OF_PYPERF = in_order(
    "name cpu_model_name hostname cpu_count platform python_implementation python_version loops inner_loops"
)
"""What pyperf says of a benchmark that may differ from file to file, but for what its clock and the system did."""
_HOSTS = in_order("host_name hostname node_name machine_name computer_name")
_OF_NODES = in_order("processor machine cpu")
"""What Python's `platform` says beside the node."""
_MOST_REPEATS = 20
"""Numbers in a list of lists that may be repeats of one thing."""


def of_json(file: SourceFile, form: Form) -> Converted | None:
    """Return objects, one a line or in a list, as rows; None if the text is something else."""
    raw = open_text(file).raw
    raw = raw[begins.end() if (begins := BEGINS.match(raw)) else 0 :].rstrip().removesuffix(b";")
    try:
        lines, items, noun, others = _items(raw)
    except (ValueError, RecursionError):
        return None
    if not items:
        return None
    what = f"the {'longest list of objects was' if noun else 'objects that are alike were'} read"
    told = (
        (f"{file.name}: {what}; {listed(others, 4)} beside {'it was' if noun else 'them were'} not.",) if others else ()
    )
    lines, items = _unfolded(lines, items)
    lines, rows = run_by_run(lines, [*map(_flat, items)])
    names = list(dict.fromkeys(name for row in rows for name in row))
    table = [[*map(one_line, names)], *([row.get(name, "") for name in names] for row in rows)]
    return as_text(file, table, form, noun or "item", np.array(lines, dtype=np.int64), told)


def _unfolded(lines: list[int], items: list[dict[str, Any]]) -> tuple[list[int], list[dict[str, Any]]]:
    """Return objects with a list of objects each as a row for each of these, beside what holds for all of them.

    A name that both have is `outer.inner`.
    """
    inside = [name for name, value in items[0].items() if isinstance(value, dict)]
    objects = [own for item in items for name, own in item.items() if isinstance(own, dict) and [name] == inside]
    named = [*map(_named_rows, objects)] if len(objects) == len(items) else [[]]
    if all(rows and not {*rows[0]} <= STATISTIC | {"name"} for rows in named):
        items = [item | {inside[0]: rows} for item, rows in zip(items, named, strict=True)]
    nested = [name for name, value in items[0].items() if _is_rows(value)]
    if len(nested) != 1 or not all(_is_rows(item.get(nested[0])) for item in items):
        return lines, items
    copies = zip(lines, map(dict, items), strict=True)
    rows = [(i, item, own) for i, item in copies for own in item.pop(nested[0])]
    apart = [item | {f"{nested[0]}.{n}" if n in item else n: v for n, v in own.items()} for _, item, own in rows]
    return _unfolded([i for i, _, _ in rows], apart)


def object_of(raw: bytes) -> dict[str, str]:
    """Return the values of an object of JSON as texts by name, lists left out; none of anything else."""
    try:
        whole = decoder().decode(raw.decode()) if raw.lstrip().startswith(b"{") else {}
    except (ValueError, RecursionError):
        return {}
    return {name: text for name, text in _flat(whole).items() if not text.startswith("[")}


def _items(raw: bytes) -> tuple[list[int], list[dict[str, Any]], str, list[str]]:
    """Return (where each stands, the objects, what that counts, lists left out); no objects if JSON is no table."""
    if lines := _objects_by_line(raw):
        return [i for i, _ in lines], [dictionary(line.decode()) for _, line in lines], "line", []
    whole = decoder().decode(raw.decode())
    found, left = _list_in(whole) if isinstance(whole, dict) else (whole, [])
    if not found and isinstance(whole, dict):
        rows, noun = _with_repeats(whole), "item"
        if not rows:
            rows, left, noun = *_leaves(whole), ""
        return [*range(1, len(rows) + 1)], rows, noun, left
    if not _is_rows(found):
        return [], [], "", []
    first, *others = found
    if len(others) > 1 and not first.keys() & others[0].keys() and others[0].keys() & others[1].keys():
        # trtexec's runs, then its layers
        return [*range(2, len(found) + 1)], [first | own for own in others], "item", []
    where = {n: x for n, x in _where(whole).items() if not any(n in row for row in found)}
    return [*range(1, len(found) + 1)], [row | where for row in found], "item", left


def _objects_by_line(raw: bytes) -> list[tuple[int, bytes]]:
    """Return (number, text) of lines that are an object each; none where that is not so."""
    lines = [(i, _STAMPED.sub(b"", line).strip()) for i, line in enumerate(raw.splitlines(), 1) if line.strip()]
    each = all(line.startswith(b"{") and line.endswith(b"}") for _, line in lines)
    return lines if each and len(lines) > 1 and raw.lstrip().startswith(b"{") else []


def _list_in(whole: dict[str, Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the list of rows that an object has, none if it has no such, and the names of those left out."""
    jobs = whole.get("jobs") if "fio version" in whole else None
    if isinstance(jobs, list) and _is_rows(jobs) and "jobname" in jobs[0]:
        whole["jobs"] = [*map(_of_fio, jobs)]
    lists = [whole[name] for name in _LISTS if _is_rows(whole.get(name))]
    if len(lists) == 1:
        return _of_pyperf(whole, lists[0]) or lists[0], []
    named = [whole[name] for name in _LISTS if isinstance(whole.get(name), dict)]
    if several := _by_columns(whole) or _repeated(whole) or _named_rows(*named if len(named) == 1 else [whole]):
        return several, []
    others = {n: x for n, x in whole.items() if _are_runs(x)} or ({} if _is_summed(whole) else _inside(whole))
    *_, longest = "", *sorted(others, key=lambda name: len(others[name]))
    alone = [len(own) for own in others.values()].count(len(others.get(longest, ()))) == 1
    return others[longest] if alone else [], [name for name in others if name != longest]


def _object(plain: Any) -> dict[str, Any]:
    """Return an object as it is, and an empty one for all else."""
    return plain if isinstance(plain, dict) else {}


def _of_fio(job: dict[str, Any]) -> dict[str, Any]:
    """Return a job of fio with its options, and what was reached each way that it went: reads, writes, trims."""
    reached = {}
    for way in ("read", "write", "trim"):
        own = _object(job.get(way))
        if {"iops", "bw"} <= own.keys() and own.get("total_ios", "0") != "0":
            means = ((n, _object(x)) for n, x in own.items() if n in ("lat_ns", "clat_ns"))
            times = {n: {"mean": x["mean"]} for n, x in means if "mean" in x}
            reached[way] = {"iops": own["iops"], "bw (KiB/s)": own["bw"], **times}
    return {"jobname": job.get("jobname", ""), **_object(job.get("job options")), **reached}


def _of_pyperf(whole: dict[str, Any], benchmarks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what pyperf measured, all values of each benchmark, with what it says of it and of all; else nothing."""
    runs = [own.get("runs") for own in benchmarks]
    told, kept = _object(whole.get("metadata")), list[dict[str, Any]]()
    if not all(isinstance(own, list) and _is_rows(own) and any("values" in run for run in own) for own in runs):
        return []
    for own, each in zip(benchmarks, runs, strict=True):
        said = {"unit": "second"} | told | _object(own.get("metadata"))
        called = "time_s" if said["unit"] == "second" else f"value ({said['unit']})"
        lists = (run.get("values") for run in each or ())
        values = [value for own in lists if isinstance(own, list) for value in own]
        kept.append({n: said[n] for n in _OF_PYPERF if n in said} | {called: values})
    return kept


def _inside(whole: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the lists of runs that objects hold, by where they stand, each run with what stands once beside its list.

    Sentences say nothing of a run.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for outer, own in whole.items():
        inner = own if isinstance(own, dict) else {}
        once = {n: x for n, x in inner.items() if not isinstance(x, list | dict) and " " not in str(x)}
        found |= {f"{outer}.{n}": [once | row for row in x] for n, x in inner.items() if _are_runs(x)}
    return found


def _where(whole: Any) -> dict[str, str]:
    """Return what an object, or one in it, says once of the hardware beside its rows: `{"cpu": "AMD Ryzen 9"}`."""
    own = whole if isinstance(whole, dict) else {}
    inside = [one for one in (own, *own.values()) if isinstance(one, dict)]
    beside = [pair for one in inside for pair in one.items()]
    told = {n: x for n, x in beside if isinstance(x, str) and machine_word(n) in MACHINE and HARDWARE.search(x)}
    told |= {n: x for one in inside for n, x in one.items() if _names_a_host(n, x, one)}
    return {n: x for n, x in told.items() if [name for name, _ in beside].count(n) == 1}


def _names_a_host(name: str, value: Any, beside: Mapping[str, Any]) -> bool:
    """Whether a name is a host's, which may be called anything but a container's hash.

    A node is one beside its processor: else it may be a version of Node.js.
    """
    known = key(name) in _HOSTS or (key(name) == "node" and not beside.keys().isdisjoint(_OF_NODES))
    return known and isinstance(value, str) and bool(value.strip()) and not HASH.fullmatch(value)


def _are_runs(value: Any) -> bool:
    """Whether a value is several objects of which none begins where the one before it ended, as intervals do."""
    items = value if _is_rows(value) else ()
    rows = [{name: text.removesuffix(".0") for name, text in _flat(row).items() if is_number(text)} for row in items]
    names = permutations(rows[0], 2) if len(rows) > 1 else ()
    slices = (a for a, b in names if all(x.get(a) != y[a] == x[b] for x, y in pairwise(rows) if a in y and b in x))
    return len(rows) > 1 and next(slices, None) is None


def _is_summed(whole: dict[str, Any]) -> bool:
    """Whether an object is one run, whose end says most of what each of its intervals does, as iperf3's is."""
    intervals = (x[0] for x in whole.values() if _is_rows(x) and len(x) > 1 and not _are_runs(x))
    ends = [_object(whole.get(name)) for name in _SUMMARIES]
    said = {name.rpartition(".")[2] for own in ends for name in _flat(own)}
    each = ({name.rpartition(".")[2] for name, text in _flat(own).items() if is_number(text)} for own in intervals)
    return any(2 * len(own & said) > len(own) for own in each)


def _by_columns(whole: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of lists under the names of columns, or of what pandas writes: `{"n": {"0": 8, "1": 16}}`, split.

    What stands once beside the lists, or in an object there, holds for all rows. There are none of what is no such
    table.
    """
    names, data = whole.get("columns"), whole.get("data")
    if isinstance(names, list) and isinstance(data, list) and all(isinstance(row, list) for row in data):
        whole_rows = {len({*map(str, names)}), *map(len, data)} == {len(names)}
        return [dict(zip(map(str, names), row, strict=True)) for row in data] if whole_rows else []
    numbers = [*map(str, range(max((len(own) for own in whole.values() if isinstance(own, dict)), default=0)))]
    columns: dict[str, Any] = {}
    for name, own in whole.items():
        if isinstance(own, dict) and [*own] != numbers and not any(isinstance(x, list | dict) for x in own.values()):
            columns |= {f"{name}.{inner}": value for inner, value in own.items()}
        else:
            columns[name] = [*own.values()] if isinstance(own, dict) and [*own] == numbers else own
    lists = [own for own in columns.values() if isinstance(own, list)]
    cells = (cell for own in columns.values() for cell in (own if isinstance(own, list) else [own]))
    if any(isinstance(cell, list | dict) for cell in cells):
        return []
    n = len(lists[0]) if lists else 0
    if len(lists) < 2 or n < 2 or any(len(own) != n for own in lists):
        return []
    return [{name: own[i] if isinstance(own, list) else own for name, own in columns.items()} for i in range(n)]


def _repeated(whole: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of the only list of lists of as many numbers, repeats of each thing that was run; none of others.

    As in ClickBench's `"result": [[2.3, 1.3, 2.1], [null, null, null], …]`, a list for each query.
    """
    lists = {name: own for name, own in whole.items() if isinstance(own, list)}
    nested = [name for name, own in lists.items() if all(isinstance(row, list) for row in own)]
    flat = [cell for name, own in lists.items() if name not in nested for cell in own]
    rows = lists[nested[0]] if len(nested) == 1 and not any(is_number(one_line(cell)) for cell in flat) else []
    if len(rows) < 3 or len({*map(len, rows)}) > 1 or not 1 < len(rows[0]) <= _MOST_REPEATS:
        return []
    texts = [one_line(cell) for row in rows for cell in row]
    if not all(is_number(text or "0") for text in texts) or not any("." in text for text in texts):
        return []
    name, once = nested[0], {own: value for own, value in whole.items() if own not in nested}
    runs = [{f"run {k}": cell for k, cell in enumerate(row, 1)} for row in rows]
    return [{"name": f"{name} {i}", **once, **row} for i, row in enumerate(runs, 1)]


def _named_rows(whole: dict[str, Any]) -> list[dict[str, Any]]:
    """Return objects, or lists of them, that stand under names, maybe several deep, as rows with these.

    There are none if they are not alike.
    """
    rows: list[tuple[tuple[str, ...], dict[str, Any]]] = [((), whole)]
    while all(item and all(isinstance(own, dict) or _is_rows(own) for own in item.values()) for _, item in rows):
        if all([*map(_is_rows, item.values())].count(True) == 1 < len(item) for _, item in rows):
            break  # each with what holds for its list
        under = (((*names, name), own) for names, item in rows for name, own in item.items())
        rows = [(names, own) for names, some in under for own in (some if isinstance(some, list) else [some])]
    said = [len({*level}) > 1 or is_number(level[0]) for level in zip(*(names for names, _ in rows), strict=True)]
    rows = [(tuple(compress(names, said)) or names[-1:], item) for names, item in rows]
    keys = [[name for name, own in item.items() if not isinstance(own, dict)] for _, item in rows]
    boards = len(rows) > 1 and all(names and HARDWARE.search(names[-1]) for names, _ in rows)
    few = len(rows) < 3 and not (boards or (rows[0][0] and any(map(_is_rows, rows[0][1].values()))))
    times = Counter(name for own in keys for name in own)
    measured = len(rows) == len(whole) and any(is_outcome(name, unit_of_name(name)) for name in times)
    usual = [name for name, n in times.items() if n == len(rows) or (measured and 2 * n > len(rows))]
    if few or not usual or 2 * len(usual) < len(times):
        return []
    rows.sort(key=lambda row: row[0][-1].lower() == "total")  # what sums the others up stands last
    called = "hash" if all(HASH.fullmatch(names[-1]) for names, _ in rows) else "name"
    return [_beneath(names, item, called) for names, item in rows]


def _beneath(names: Sequence[str], item: dict[str, Any], called: str = "name") -> dict[str, Any]:
    """Return an object with the names that it stands under, the last of which it may say itself."""
    *outer, last = (f"name {i}" for i, _ in enumerate(names, 1))
    return {**dict(zip((*outer, last if called in item else called), names, strict=True)), **item}


def _leaves(whole: dict[str, Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the objects with the same measurements that stand equally deep, as rows, and where the others stand.

    There are none unless they hold most of the file's numbers and say themselves that these are outcomes.
    """
    leaves, inside = list[tuple[tuple[str, ...], dict[str, Any]]](), [(tuple[str, ...](), whole)]
    while inside:
        inner = [((*names, name), x) for names, own in inside for name, x in own.items() if isinstance(x, dict) and x]
        inside = [(names, x) for names, x in inner if any(isinstance(own, dict) for own in x.values())]
        leaves += [(names, x) for names, x in inner if not any(isinstance(own, dict | list) for own in x.values())]
    deep = Counter(len(names) for names, _ in leaves)
    level = [(names, x) for names, x in leaves if len(names) == max(deep, key=deep.__getitem__)]
    usual = Counter(frozenset(x) for _, x in level).most_common(1)[0][0] if level else frozenset[str]()
    rows = {names: x for names, x in level if 2 * len(usual & x.keys()) >= len(x)}
    told = sum(is_number(text) for x in rows.values() for text in _flat(x).values())
    most = 2 * told > sum(map(is_number, _flat(whole).values()))
    if len(rows) < _ALIKE or not most or not any(is_outcome(name, unit_of_name(name)) for name in usual):
        return [], []
    others = [".".join(names) for names, _ in leaves if names not in rows]
    return [_beneath(names, x) for names, x in rows.items()], others


def _with_repeats(whole: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the objects of one that have lists of repeats, or itself; none if nothing has."""
    outer = {name: x for name, x in whole.items() if not isinstance(x, list | dict)}
    inside = {name: x for name, x in whole.items() if isinstance(x, dict)}
    rows = [_beneath((name,), outer | x) for name, x in inside.items() if _n_repeats(x) > 1]
    return rows or [whole] * (_n_repeats(whole) > 2)


def _n_repeats(item: dict[str, Any]) -> int:
    """Return how many repeats an object has."""
    (lists,), ((name, *_),) = repeats([_flat(item)])
    return len(lists.get(name, ()))


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) and item for item in value)


def _flat(item: dict[str, Any], before: str = "") -> dict[str, str]:
    """Return an object's values as texts; those of an object inside are called `outer.inner`.

    What begins as the unit beside it is in that: `score` and `scorePercentiles` beside `scoreUnit`. What stands under
    `values` needs no word for it, and a histogram is left out.
    """
    found: dict[str, str] = {}
    units = {said[1]: str(unit) for name, unit in item.items() if unit and (said := _UNIT_OF.fullmatch(name))}
    for name, value in item.items():
        told = next((unit for begins, unit in units.items() if name.startswith(begins)), "")
        if isinstance(value, dict) and _are_bounds(value):
            continue
        if isinstance(value, dict):
            inside = before if name == "values" and not value.keys() & item.keys() else f"{before}{name}."
            unit = f" ({own})" if (own := told or unit_of_name(name)) else ""
            found |= {f"{inner}{unit}": text for inner, text in _flat(value, inside).items()}
        else:
            text = one_line(value)
            found[f"{before}{name}" + f" ({told})" * bool(told and is_number(text))] = text
    return found


def _are_bounds(value: Mapping[str, Any]) -> bool:
    """Whether an object's names are the bounds of a histogram: numbers, three at least, with a fraction among them."""
    return len(value) >= _ALIKE - 1 and all(map(is_number, value)) and any("." in name for name in value)
