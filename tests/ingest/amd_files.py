"""What the tests of AMD's and Intel's readers share: files made of text, values looked up, files damaged."""

import random
from collections.abc import Iterator

import numpy as np

from core.errors import ReadError
from core.ingest import READERS, SourceFile
from core.ingest.base import Reader
from core.ingest.opening import open_head
from core.ingest.readers._rocm.table import OF_THE_MACHINE
from core.trial import Import


def source(text: str | bytes, name: str = "run.csv") -> SourceFile:
    return SourceFile(name, text if isinstance(text, bytes) else text.encode())


def read(reader: Reader, text: str | bytes, name: str = "run.csv") -> Import:
    return reader.read(source(text, name))


def refused(reader: Reader, text: str | bytes) -> str:
    """Return the sentence of the refusal."""
    try:
        reader.read(source(text))
    except ReadError as error:
        return str(error)
    raise AssertionError("it was read")


def takers(text: str | bytes) -> list[str]:
    """Return the readers, but for plain tables, that say a file is theirs."""
    head = open_head(source(text))
    return [name for name, cls in READERS.items() if name != "csv" and cls().sniff(head)]


def column(imported: Import, name: str) -> list[float]:
    names = [m.name for m in imported.trials.metrics]
    return [float(v) for v in imported.trials.values[:, names.index(name)]]


def unit(imported: Import, name: str) -> str:
    return next(m.unit for m in imported.trials.metrics if m.name == name)


def metrics(imported: Import) -> list[str]:
    """Return the names of the trials' metrics, without the registers that most files have."""
    return [m.name for m in imported.trials.metrics if m.name not in OF_THE_MACHINE]


def input_facts(imported: Import) -> dict[tuple[str, ...], dict[str, float]]:
    """Return by (application, input) what is known of it, with the registers of its first trial."""
    assert imported.inputs is not None
    facts, trials = imported.inputs, imported.trials
    registers: dict[tuple[str, ...], dict[str, float]] = {}
    for application, input, row in zip(trials.application, trials.input, trials.values.tolist(), strict=True):
        named = {m.name: v for m, v in zip(trials.metrics, row, strict=True) if m.name in OF_THE_MACHINE and v == v}
        registers.setdefault((application, input), named)
    return {
        key: {m.name: float(v) for m, v in zip(facts.metrics, row, strict=True) if not np.isnan(v)}
        | registers.get(key, {})
        for key, row in zip(facts.keys, facts.values, strict=True)
    }


def machine_facts(imported: Import, machine: str) -> dict[str, tuple[float, str]]:
    assert imported.machines is not None
    facts = imported.machines
    row = facts.values[facts.keys.index((machine,))]
    return {m.name: (float(v), m.unit) for m, v in zip(facts.metrics, row, strict=True) if not np.isnan(v)}


def skipped(imported: Import) -> dict[str, str]:
    return {s.where: s.why for s in imported.skipped}


def damaged(text: str, n: int, seed: int) -> Iterator[bytes]:
    """Yield a file cut off, with bytes changed, and with pieces moved."""
    rng = random.Random(seed)
    raw = text.encode()
    for _ in range(n):
        kind = rng.randrange(4)
        if kind == 0:
            yield raw[: rng.randrange(1, len(raw))]
            continue
        broken = bytearray(raw)
        if kind == 3:
            at, size = rng.randrange(len(raw)), rng.randrange(1, 60)
            broken[at : at + size] = raw[: rng.randrange(1, 60)]
        for _ in range(rng.randrange(1, 6)):
            broken[rng.randrange(len(broken))] = rng.choice(
                b'0123456789,,,"\n\n\r;\t. eE+-xabZ[](){}=:\x00\xff\xc3\xa9'
            )
        yield bytes(broken)


def survives(reader: Reader, text: str, n: int = 250) -> int:
    """Read damaged files; return how many were taken. Only ReadError may refuse one."""
    taken = 0
    for raw in damaged(text, n, seed=len(text)):
        reader.sniff(open_head(source(raw)))
        try:
            found = reader.read(source(raw))
        except ReadError:
            continue
        assert np.isfinite(found.trials.values[~np.isnan(found.trials.values)]).all()
        assert found.trials.values.shape == (len(found.trials), len(found.trials.metrics))
        taken += 1
    return taken
