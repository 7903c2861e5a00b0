"""What PAPI's high-level interface writes for each rank: counts of the regions that a program marked, by thread."""

import re
from math import fsum
from typing import Any

from core.ingest._lookup import by_key
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._declared import roles_of
from core.ingest.readers._text import OBJECT, TextReader, entries, finite, load_json, number, plain
from core.trial import Kind

_VERSION = re.compile(rb'"papi_version"\s*:')
_THREADS = re.compile(rb'"(?:event_definitions|threads)"\s*:')
_CLOCK = "max_cpu_rate_mhz"
_ABOUT = ("name", "parent_region_id")
_COUNT, _TIME, _CYCLES = "region_count", "real_time_nsec", "cycles"
_ROLE = roles_of("papi")


class Papi(TextReader):
    """Reads the file of a rank: each region is a trial, whose counts are sums over threads.

    The time of the slowest thread is the response.
    """

    label = "PAPI, high-level interface"
    signs = (OBJECT, _VERSION, _THREADS)
    tells = (b'"papi_version"',)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down one trial per region; what several entries into it had is their total."""
        report = entries(load_json(builder.source, raw))
        if machine := plain(report.get("cpu_info")):
            builder.of_machine(machine, "CPU clock, highest", number(report.get(_CLOCK)), "MHz")
        regions = [entries(own) for thread in _listed(report.get("threads")) for own in _listed(thread.get("regions"))]
        for name, threads in by_key((plain(own.get("name")), own) for own in regions).items():
            trial = builder.trial(name, machine=machine, where=f"region {name}")
            counted = by_key((event, said) for own in threads for event, said in own.items() if event not in _ABOUT)
            known = {event: [v for v in map(_total, said) if v is not None] for event, said in counted.items()}
            builder.put(trial, "threads", float(len(threads)), kind=Kind.PARAMETER)
            builder.put(trial, TIME, max(known.pop(_TIME, []), default=None), "ns", Kind.RESPONSE)
            builder.put(trial, "calls", max(known.pop(_COUNT, []), default=None))
            builder.put(trial, _CYCLES, max(known.pop(_CYCLES, []), default=None), kind=Kind.DERIVED)  # of the clock
            for event, values in known.items():
                role = _ROLE(event)  # each thread counts the energy of the whole package
                builder.put(trial, event, (max if role.unit == "nJ" else fsum)(values) if values else None, *role[1:])
        if not len(builder):
            raise builder.refused("holds no region of PAPI. Mark one in the program, and run it again.")


def _listed(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list, or of an object that numbers them, as versions before 7 and since have them."""
    return [*map(entries, value if isinstance(value, list) else entries(value).values())]


def _total(said: Any) -> float | None:
    """Return a count, or the total where there are several."""
    return finite(said.get("total") if isinstance(said, dict) else said)
