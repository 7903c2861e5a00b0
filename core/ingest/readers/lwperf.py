"""lwperf's CSV files, one a site: `LWPERF_USE_CSV` makes a program write `<site>.csv`, one row per call.

The header lists what the program declared (invariants, then the site's parameters), then PAPI's events, then
`time`, in seconds. The site, which the file's name says, becomes the application; what was declared are
parameters, the time is the response `time_s`, RAPL energy (in nJ) a response too, other events are counters.
Names stand in no quotes, and each run adds to the file, mostly with another header. Nothing but a PAPI event
tells such a file from any other CSV; without one, choose the format `lwperf` by name.
"""

import re

from core.ingest.names import clean_name, shown, stem
from core.ingest.readers._builder import Builder
from core.ingest.readers._declared import Role, roles_of
from core.ingest.readers._text import TextReader

_TIME = "time"
_ROLE = roles_of("lwperf")
_SNIFFED = re.compile(
    rb'\A(?:[^,"\n]+,)*[a-z][a-z0-9_]*:::[^,"\s]+,time\r?\n(?=(?:-?[0-9.]+(?:e[-+][0-9]+)?|-?nan|-?inf)[,\r\n])'
)
_NUMBER = re.compile(r"-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]+)?|-?nan|-?inf", re.IGNORECASE)


class Lwperf(TextReader):
    """Reads the calls of one site."""

    label = "lwperf CSV"
    signs = (_SNIFFED,)
    tells = (b":::",)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down the calls of a file as trials."""
        site = stem(builder.source)
        columns: tuple[Role, ...] = ()
        for number, line in enumerate(raw.decode().splitlines(), start=1):
            cells = [cell.strip() for cell in line.split(",")]
            if not line.strip():
                continue
            if not any(_NUMBER.fullmatch(cell) for cell in cells):
                columns = _columns(builder, number, cells)
            elif not columns:
                raise builder.refused(f"line {number}: values without a header; lwperf writes one first.")
            else:
                _put(builder, site, columns, number, cells)
        if not len(builder):
            told = "a header" if columns else "nothing"
            raise builder.refused(f"holds {told} and no calls. Run the program again.")


def _columns(builder: Builder, number: int, cells: list[str]) -> tuple[Role, ...]:
    """Return the columns that a header names.

    Raises
    ------
    ReadError
        If the last is not the time, or one is there twice.
    """
    names = [clean_name(cell) for cell in cells]
    if names[-1] != _TIME:
        raise builder.refused(
            f"line {number}: the last column is '{shown(names[-1])}', expected 'time', which lwperf "
            "writes last. Choose another format, or none."
        )
    for name in names:
        if not name or names.count(name) > 1:
            raise builder.refused(f"line {number}: column '{shown(name)}' is there twice or has no name.")
    return tuple(map(_ROLE, names))


def _put(builder: Builder, site: str, columns: tuple[Role, ...], number: int, cells: list[str]) -> None:
    """Add one call; a row that does not fit its header is skipped."""
    where = f"line {number}"
    if len(cells) != len(columns):
        why = f"{len(cells)} values for {len(columns)} columns; the program declared parameters after its first call"
        builder.skip(where, why if len(cells) > len(columns) else f"{len(cells)} values for {len(columns)} columns")
        return
    strange = next((i for i, cell in enumerate(cells) if not _NUMBER.fullmatch(cell)), None)
    if strange is not None:
        builder.skip(where, f"'{shown(columns[strange][0])}' is '{shown(cells[strange])}', expected a number")
        return
    trial = builder.trial(site, where=where)
    for (name, unit, kind), cell in zip(columns, cells, strict=True):
        builder.put(trial, name, float(cell), unit, kind)
