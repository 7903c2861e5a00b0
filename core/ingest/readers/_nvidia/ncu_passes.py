"""Several tables of Nsight Compute in one file: passes over the same launches, or captures of their own."""

from collections.abc import Iterator, Sequence

from core.ingest.readers._builder import Builder
from core.ingest.readers._nvidia.ncu_header import KERNEL
from core.ingest.readers._nvidia.ncu_tables import Found, Launch


def joined(builder: Builder, found: Found) -> Iterator[Launch]:
    """Yield the launches; a later table of the same launches with other metrics is a further pass over them."""
    tables: dict[int, list[Launch]] = {}
    for launch in found.launches:
        tables.setdefault(launch.table, []).append(launch)
    kept: list[list[Launch]] = []
    for place, launches in tables.items():
        before = next((group for group in kept if _same_launches(group, launches)), None)
        if before is None:
            kept.append(launches)
            continue
        builder.warn(
            f"{builder.source} line {found.tables[place].line}: a second table of the same {len(launches)} launches "
            "with other metrics: taken as a further pass over them."
        )
        for old, new in zip(before, launches, strict=True):
            old.keys, old.texts = [*old.keys, *new.keys], [*old.texts, *new.texts]
    if len(kept) > 1:
        lines = ", ".join(str(found.tables[group[0].table].line) for group in kept)
        builder.warn(f"{builder.source} holds {len(kept)} captures (from lines {lines}): each gives trials of its own.")
    for group in kept:
        yield from group


def _same_launches(first: Sequence[Launch], second: Sequence[Launch]) -> bool:
    if len(first) != len(second) or not all(launch.identity.get("ID") for launch in first):
        return False
    for old, new in zip(first, second, strict=True):
        names = {key[0] for key in old.keys}
        if _who(old) != _who(new) or any(key[0] in names for key in new.keys):
            return False
    return True


def _who(launch: Launch) -> tuple[str, ...]:
    return tuple(launch.identity.get(name, "") for name in ("ID", *KERNEL, "Grid Size", "Block Size"))
