"""Views of SQL that DuckDB and PostgreSQL read alike: a table of rows in, predictions out."""

from pathlib import Path
from typing import ClassVar

import numpy as np

from core import __version__
from core.codec import FloatArray
from core.errors import StoreError
from core.export._lower import lower
from core.export._lowered import Lowered
from core.export._names import comment, filled, identifier, sql_name, with_unit
from core.export._program import Program
from core.export._sql_frame import answers_query
from core.export._sql_text import number
from core.export.base import Answers, CannotRunError, Vector, vectors
from core.pipeline import FittedPipeline
from core.store.scratch import DUCKDB, tried_out


def script(program: Program, vectors: list[Vector], name: str) -> str:
    """Return the whole script; names of metrics stand in it as quoted identifiers."""
    n = range(program.n)
    own = ", ".join(f"g{j}" for j in n)
    theirs = ", ".join(f"CAST({sql_name(m.name)} AS double precision)" for m in program.metrics)
    given = f"SELECT id, {own} FROM {name}_vectors UNION ALL SELECT id, {theirs} FROM {name}_rows"
    columns = ["id", *(f"g{j}" for j in n), "prediction", "flags"]
    kinds = ["bigint", *["double precision"] * (program.n + 1), "int"]
    return filled(
        "views.sql",
        title=comment(program.title),
        version=__version__,
        name=name,
        response=comment(str(program.response)),
        metrics="\n".join(f"--     {with_unit(m)}" for m in program.metrics),
        columns=",\n".join(f"  {sql_name(m.name)} double precision" for m in program.metrics),
        casts=", ".join(f"CAST({c} AS {k}) AS {c}" for c, k in zip(columns, kinds, strict=True)),
        names=", ".join(columns),
        vectors=_vectors(vectors),
        answers=answers_query(program, given),
    )


def _vectors(vectors: list[Vector]) -> str:
    rows = ((*x, value, flags) for x, value, _, _, flags in vectors)
    cells = ([str(-1 - i), *map(number, values), str(flags)] for i, (*values, flags) in enumerate(rows))
    return ",\n".join(f"  ({', '.join(row)})" for row in cells)


MOST_BYTES = 8 * 1024 * 1024
"""Of a script that databases still read in a sensible time."""


class Sql(Lowered):
    """`NAME_prediction` over the rows of `NAME_rows`; trees and points are tables that are joined."""

    label: ClassVar[str] = "SQL views (DuckDB, PostgreSQL)"
    suffix: ClassVar[str] = ".sql"
    says: ClassVar[str] = "every family of up to 8 MiB of text, with intervals and domain flags"

    def can_express(self, model: FittedPipeline) -> str | None:
        """Return what has no plain operations, or that the script would be too long."""
        if reason := super().can_express(model):
            return reason
        if len({m.name.lower() for m in model.metrics} | {"id"}) <= len(model.metrics):
            return "two of its metrics differ in capitals alone, or one is called id, and columns of a table may not"
        size = len(self.write(model))
        return None if size <= MOST_BYTES else f"the script would have {size / 2**20:.0f} MiB, more than 8 MiB"

    def write(self, model: FittedPipeline) -> bytes:
        """Return the script; its names begin with the response's."""
        return script(lower(model), vectors(model), identifier(model.response.name)).encode()

    def run(self, model: FittedPipeline, raw: bytes, X: FloatArray, folder: Path) -> Answers:
        """Run it in an empty DuckDB."""
        name = identifier(model.response.name)
        try:
            test, query = f"SELECT n, wrong FROM {name}_self_test", f"SELECT * FROM {name}_prediction ORDER BY id"
            tested, found = tried_out(raw.decode(), test, f"{name}_rows", X, query)
        except StoreError as error:
            raise CannotRunError(str(error)) from None
        if tested["wrong"][0]:
            raise CannotRunError(f"{tested['wrong'][0]:.0f} of {tested['n'][0]:.0f} test vectors are wrong")
        columns = (found["prediction"], found["low"], found["high"], found["flags"].astype(np.int64))
        return Answers(*columns, runner=DUCKDB)
