"""Plain tables that were dropped together: which rows stand below others, which columns beside them, and why."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain, permutations

import numpy as np

from core.codec import IntArray
from core.frozen import Frozen
from core.ingest._units import dimension
from core.ingest.joining.again import without_twins
from core.ingest.joining.file_names import are_devices, are_parted_alike, as_columns, is_round, settings_of_names
from core.ingest.joining.links import Link, averaged, beside, find_link, outcomes, widened, with_column
from core.ingest.joining.said import with_said
from core.ingest.names import listed, stem
from core.ingest.recognition.recognition import Join
from core.ingest.recognition.words import (
    APPLICATION,
    MACHINE,
    is_identifier,
    is_input,
    is_machine_fact,
    is_setting,
    key,
    machine_word,
)
from core.ingest.table.columns import Column, study
from core.ingest.table.table import Table, stacked

_MOST_MET = 200_000
"""Rows of all files; of more nothing is said of their names."""
_NEARLY_ALL = 0.75
"""Of whole numbers that were counted, the share that is different: few are the same by chance."""
_SIZED = re.compile(r"([nN]|np|nt|[tbs])\d+")
"""What was set, as `n512` and `t4` are, though machines may be called alike."""
_PARTS = re.compile(r"[^_.\s]+")


class Belonging(Frozen):
    """Tables that are one: what their columns are is asked of all rows, and each file's are stored apart.

    Attributes
    ----------
    table : all rows
    files : the rows of each file, with the same columns
    added : per join that is not of trials, in their order, the columns that it brought
    """

    table: Table
    files: tuple[Table, ...]
    joins: tuple[Join, ...] = ()
    added: tuple[tuple[str, ...], ...] = ()


def belongs(tables: Sequence[Table]) -> tuple[Belonging, ...]:
    """Return which of the tables are one, whatever their order.

    The same runs in two forms count once. Tables with the same columns and units are rows below each other, and so are
    those of the same programs on other machines, whose counters differ; where files' names alone say the machine, it
    becomes a column. A table whose rows another's find by a key that tells them apart gives that other its columns; so
    does one without an outcome, averaged over its rows of a key. Keys are machines, applications, inputs, or whatever
    columns both have.
    """
    alike: list[list[Table]] = []
    for table in sorted(without_twins(tables), key=lambda table: (table.source, table.sha256)):
        if (group := next((own for own in alike if _are_alike(own, table)), None)) is None:
            alike.append([table])
        else:
            group.append(table)
    folders = [tuple(table.source.rpartition("/")[0] for table in own) for own in alike]
    several = {own for own, n in Counter(folders).items() if n > 1 < len({*own}) == len(own)}  # a folder for each run
    groups = _apart([_below(own, told=places in several) for own, places in zip(alike, folders, strict=True)])
    links = _links([group.table for group in groups])
    added = {j for _, j in links}
    return tuple(_joined(i, groups, links, set()) for i in range(len(groups)) if i not in added)


def _apart(groups: Sequence[Belonging]) -> list[Belonging]:
    """Return the groups with the application that files' names say, where several measured ones have no such column."""
    measured = [i for i, own in enumerate(groups) if outcomes(own.table)]
    nameless = [i for i in measured if not any(key(name) in APPLICATION for name in groups[i].table.names)]
    parts = [[_PARTS.findall(stem(file.source)) for file in groups[i].files] for i in nameless]
    names = ["_".join(part for part in own[0] if all(part in other for other in own)) for own in parts]
    if len(nameless) < 2 or "" in names or len(set(names)) < len(names):
        return list(groups)
    found = list(groups)
    for i, name in zip(nameless, names, strict=True):
        table, *files = (with_column(t, "application", name) for t in (found[i].table, *found[i].files))
        found[i] = replace(found[i], table=table, files=tuple(files))
    return found


def _are_alike(group: Sequence[Table], table: Table) -> bool:
    """Whether a table has the columns of others, or their outcomes and programs on machines of its own."""
    first = group[0]
    if (first.names, first.units) == (table.names, table.units):
        return True
    both = set(first.names) & set(table.names)
    units = [dict(zip(t.names, t.units, strict=True)) for t in (first, table)]
    if 3 * len(both) < len({*first.names, *table.names}) or any(units[0][name] != units[1][name] for name in both):
        return False
    machines = [_texts([*group, table], words) for words in (frozenset(MACHINE), APPLICATION)]
    own, programs = ((found[:-1], found[-1]) for found in machines)
    apart = bool(own[1]) and all(before and not before & own[1] for before in own[0])
    same = bool(programs[1]) and all(before & programs[1] for before in programs[0])
    return apart and same and _measures(first) == _measures(table) != []


def _measures(table: Table) -> list[str]:
    """Return a table's outcomes but throughputs, which profilers count by the dozen."""
    units = dict(zip(table.names, table.units, strict=True))
    return [name for name in outcomes(table) if dimension(units[name], name) != "throughput"] or outcomes(table)


def _texts(tables: Sequence[Table], words: Set[str]) -> list[set[str]]:
    """Return the different texts of each table's first column that one of some words names."""
    places = [next((i for i, name in enumerate(t.names) if key(name) in words), -1) for t in tables]
    return [set(t.columns[i].encoded()[1]) if i >= 0 else set() for t, i in zip(tables, places, strict=True)]


def _below(tables: Sequence[Table], *, told: bool = False) -> Belonging:
    """Return tables as rows below each other.

    Parameters
    ----------
    told : whether their folders have other tables too, so that they tell runs apart
    """
    files = with_said(tables)
    first = files[0]
    called = _called(files, told=told)
    for name, texts in called.items():
        files = [with_column(t, name, text) if text else t for t, text in zip(files, texts, strict=True)]
    if called and "machine" not in called:
        which = f"{first.source} and others of its form: {listed([*called])} is what the files' names say."
        files[0] = replace(files[0], warnings=(*files[0].warnings, which))
    joins = tuple(Join((first.source, other.source), "trials", (), len(other)) for other in tables[1:])
    whole = stacked(widened(files), " + ".join(t.source for t in tables), first.sha256) if len(files) > 1 else files[0]
    return Belonging(whole, tuple(files), joins)


def _called(tables: Sequence[Table], *, told: bool) -> dict[str, list[str]]:
    """Return by name what files' names say, where the same settings come in several files, a text for each file."""
    if any(hosts := _machines(tables)):
        return {"machine": hosts}
    if len(tables) < 2 or not (told or _meet(tables)):
        return {}
    single = ({n for n, own in zip(t.names, t.columns, strict=True) if len(own.encoded()[1]) == 1} for t in tables)
    both = set.intersection(*single)
    said = {name: [t.columns[t.find(name)][0] for t in tables] for name in both}
    named = as_columns(settings_of_names([t.source for t in tables], said, chain(*(t.names for t in tables))))
    machines = [own for name, own in said.items() if machine_word(name) in MACHINE]
    return {n: t for n, t in named.items() if is_setting(n) or not any(are_parted_alike(t, own) for own in machines)}


def _meet(tables: Sequence[Table]) -> bool:
    """Whether most files hold rows, of texts and whole numbers that were set, that another file holds as well."""
    if sum(map(len, tables)) > _MOST_MET:
        return False
    measured = {name for table in tables for name in outcomes(table)}
    known = [c for c in study(tables[0]).columns if c.name not in measured and not _is_fraction(c)]
    known = [c for c in known if c.numeric or not (is_identifier(c.name) and _all_differ(c.name, tables))]
    whole = [c for c in known if machine_word(c.name) not in MACHINE]  # settings may come again on another
    called = [_rows(t, [c.name for c in whole if not c.numeric]) for t in tables]
    apart = all(len({*own}) == len(own) == len(t) for own, t in zip(called, tables, strict=True))
    counted = {c.name for c in whole if c.numeric and _is_counted(c.name, tables, apart=apart)}
    set_before = [c.name for c in whole if c.name not in counted] or [c.name for c in whole]
    rows = [{*_rows(t, set_before)} for t in tables]
    times = Counter(chain(*rows))
    shared = [2 * sum(times[row] > 1 for row in own) >= len(own) for own in rows]
    return 2 * sum(shared) > len(tables)


def _all_differ(name: str, tables: Sequence[Table]) -> bool:
    """Whether no text of a column comes twice in all tables, as of what names each request."""
    texts = [row for table in tables for row in _rows(table, [name])]
    return len({*texts}) == len(texts)


def _rows(table: Table, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return a table's rows of some columns, those that it has; none without a column."""
    return [*zip(*(table.columns[table.find(n)].texts() for n in names if n in table.names), strict=True)]


def _is_counted(name: str, tables: Sequence[Table], *, apart: bool) -> bool:
    """Whether whole numbers came out, though their name may not tell: a grid would have the same in several rows.

    Parameters
    ----------
    apart : whether texts tell the rows of each file apart, so that numbers beside them are of what these name
    """
    if is_setting(name) or is_input(name) or is_identifier(name):
        return False
    texts = [text for (text,) in chain(*(_rows(t, [name]) for t in tables)) if text]
    chosen = all(map(is_round, {*texts}))
    return not chosen and (apart or len({*texts}) >= _NEARLY_ALL * len(texts))


def _is_fraction(column: Column) -> bool:
    values = column.numbers.values
    return column.numeric and bool((values != np.round(values)).any())


def _machines(tables: Sequence[Table]) -> list[str]:
    """Return the machines that files' names say where no column does; empty texts if they say none."""
    names = [_PARTS.findall(stem(t.source)) for t in tables]
    nothing = [""] * len(tables)
    if len(tables) < 2 or len({len(own) for own in names}) > 1 or any(key(c) in MACHINE for c in tables[0].names):
        return nothing
    differing = [own for own in zip(*names, strict=True) if len(set(own)) > 1]
    found = differing[0] if len(differing) == 1 else ()
    devices = are_devices(found) and not all(map(_SIZED.fullmatch, found))
    return list(found) if len(set(found)) == len(tables) and devices else nothing


def _links(tables: Sequence[Table]) -> dict[tuple[int, int], Link]:
    """Return the keys by which tables (i) find the rows of those whose columns they get (j)."""
    pairs = permutations(enumerate(tables), 2)
    found = {(i, j): link for (i, table), (j, other) in pairs if (link := find_link(table, other)) is not None}
    kept = {pair: link for pair, link in found.items() if _gets(tables, *pair, found)}
    return {(i, j): link for (i, j), link in kept.items() if (j, i) not in kept}


def _gets(tables: Sequence[Table], i: int, j: int, links: dict[tuple[int, int], Link]) -> bool:
    """Whether table i gets the columns of table j: it is the one with more rows of a key, or with the outcome."""
    back = links.get((j, i))
    measured, other = bool(outcomes(tables[i])), bool(outcomes(tables[j]))
    if not links[i, j].unique:
        return measured and not other
    return True if back is None or not back.unique else measured > other or (measured == other and i < j)


def _joined(i: int, groups: Sequence[Belonging], links: Mapping[tuple[int, int], Link], had: set[int]) -> Belonging:
    """Return a table with those that it finds, these with those that they alone find."""
    found = groups[i]
    own = {j for start, j in links if start == i} - had
    for j in sorted(own):
        found = _with(found, _joined(j, groups, links, had | own | {i}), links[i, j])
    return found


def _with(base: Belonging, other: Belonging, link: Link) -> Belonging:
    """Return the base with the other's columns; a link holds for the rows of the whole tables."""
    adds = _adds(link)
    right, keys = other.table, link.other
    if not link.unique:
        right, keys = averaged(right, keys)
    again = outcomes(base.table) and not link.one_to_one
    measured = {right.find(name) for name in outcomes(right) if again and not is_machine_fact(name)}
    left = {j for _, j in link.pairs} | measured
    rows = _rows_of(link.own, keys)
    places = [place for place in range(len(right.names)) if place not in left]
    table = beside(base.table, right, places, rows, facts=adds != "counters")
    starts = np.cumsum([0, *(len(t) for t in base.files)])
    files = tuple(
        beside(own, right, places, rows[a:b], facts=adds != "counters")
        for own, a, b in zip(base.files, starts, starts[1:], strict=False)
    )
    names = tuple(right.names[place] for place in places)
    join = Join((base.files[0].source, other.files[0].source), adds, link.by, *link.counts)
    return replace(
        base,
        table=table,
        files=files,
        joins=(*base.joins, join, *(j for j in other.joins if j.adds != "trials")),
        added=(*base.added, names, *other.added),
    )


def _adds(link: Link) -> str:
    """Return what a key is about: machines, what ran on them, or single runs."""
    words, machines = {key(name) for name in link.by}, set(MACHINE)
    if words <= machines:
        return "machine"
    return "counters" if link.one_to_one or words & machines else "input"


def _rows_of(own: IntArray, other: IntArray) -> IntArray:
    """Return the other table's row of each key; -1 if it has none."""
    places = np.full(1 + int(max(own.max(initial=-1), other.max(initial=-1))) + 1, -1, dtype=np.int64)
    known = other >= 0
    places[other[known]] = np.flatnonzero(known)
    return np.where(own >= 0, places[own], -1)
