"""The script of an exported model of SQL: a table for rows, test vectors, and views of predictions."""

from core import __version__
from core.export._names import comment, sql_name
from core.export._program import Program
from core.export._sql_frame import answers_query
from core.export._sql_text import number
from core.export._vectors import Vectors

_SCRIPT = """\
-- {title}
--
-- Made by Ridgeline {version}. For DuckDB and PostgreSQL; run the script once.
--     {name}_rows         holds the rows to predict: an id from 0 on, and the metrics below. Fill the table,
--                         or leave its statement out and CREATE VIEW {name}_rows over a table of yours.
--     {name}_prediction   id, prediction, low, high, in_domain, flags, cluster
--     {name}_self_test    the model's own test vectors: n, largest_relative_difference, wrong
-- The prediction is {response}; NULL where there is none.
-- flags: 0, or the sum of 1 a metric is outside its trained range, 2 the row is too far from the training trials,
-- 4 there is no prediction.
-- Metrics:
{metrics}

CREATE TABLE {name}_rows (
  id bigint PRIMARY KEY,
{columns}
);

CREATE VIEW {name}_vectors AS
SELECT {casts} FROM (VALUES
{vectors}) AS v({names});

CREATE VIEW {name}_answers AS
{answers};

CREATE VIEW {name}_prediction AS
SELECT id, prediction, low, high, flags = 0 AS in_domain, flags, cluster FROM {name}_answers WHERE id >= 0;

CREATE VIEW {name}_self_test AS
SELECT count(*) AS n,
  max(abs(p.prediction - v.prediction) / abs(NULLIF(v.prediction, 0))) AS largest_relative_difference,
  sum(CASE WHEN p.flags <> v.flags OR (p.prediction IS NULL) <> (v.prediction IS NULL) THEN 1 ELSE 0 END) AS wrong
FROM {name}_vectors v JOIN {name}_answers p ON p.id = v.id;
"""


def script(program: Program, vectors: Vectors, name: str) -> str:
    """Return the whole script; names of metrics stand in it as quoted identifiers."""
    n = range(program.n)
    own = ", ".join(f"g{j}" for j in n)
    theirs = ", ".join(f"CAST({sql_name(m.name)} AS double precision)" for m in program.metrics)
    given = f"SELECT id, {own} FROM {name}_vectors UNION ALL SELECT id, {theirs} FROM {name}_rows"
    columns = ["id", *(f"g{j}" for j in n), "prediction", "flags"]
    kinds = ["bigint", *["double precision"] * (program.n + 1), "int"]
    units = (f" [{comment(m.unit)}]" if m.unit else "" for m in program.metrics)
    return _SCRIPT.format(
        title=comment(program.title),
        version=__version__,
        name=name,
        response=comment(str(program.response)),
        metrics="\n".join(f"--     {comment(m.name)}{u}" for m, u in zip(program.metrics, units, strict=True)),
        columns=",\n".join(f"  {sql_name(m.name)} double precision" for m in program.metrics),
        casts=", ".join(f"CAST({c} AS {k}) AS {c}" for c, k in zip(columns, kinds, strict=True)),
        names=", ".join(columns),
        vectors=_vectors(vectors),
        answers=answers_query(program, given),
    )


def _vectors(vectors: Vectors) -> str:
    rows = []
    a = vectors.answers
    for i, (x, value, flags) in enumerate(zip(vectors.X.tolist(), a.value.tolist(), a.flags.tolist(), strict=True)):
        rows.append(f"  ({', '.join([str(-1 - i), *map(number, [*x, value]), str(flags)])})")
    return ",\n".join(rows)
