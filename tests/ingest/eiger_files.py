"""One experiment in each of the forms that Eiger's trials come in: database, dumps, offline log, CSV."""

import csv
import io
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field

SCHEMA = """
CREATE TABLE metric_types(type TEXT PRIMARY KEY, seq INTEGER);
INSERT INTO metric_types(type, seq) VALUES ('deterministic', 1), ('nondeterministic', 2), ('machine', 3);
CREATE TABLE metrics(ID INTEGER PRIMARY KEY, type TEXT REFERENCES metric_types(type), name TEXT UNIQUE, description TEXT);
CREATE TABLE datacollections(ID INTEGER PRIMARY KEY, name TEXT UNIQUE, description TEXT, created TEXT);
CREATE TABLE applications(ID INTEGER PRIMARY KEY, name TEXT UNIQUE, description TEXT);
CREATE TABLE datasets(ID INTEGER PRIMARY KEY, applicationID INTEGER REFERENCES applications(ID) ON DELETE CASCADE ON UPDATE CASCADE,
    name TEXT UNIQUE, description TEXT, created TEXT, url TEXT);
CREATE TABLE machines(ID INTEGER PRIMARY KEY, name TEXT UNIQUE, description TEXT);
CREATE TABLE trials(ID INTEGER PRIMARY KEY, dataCollectionID INTEGER REFERENCES datacollections(ID), machineID INTEGER
    REFERENCES machines(ID), applicationID INTEGER REFERENCES applications(ID), datasetID INTEGER REFERENCES datasets(ID));
CREATE INDEX trial_dset_idx ON trials(datasetID);
CREATE TABLE machine_metrics(machineID INTEGER REFERENCES machines(ID), metricID INTEGER REFERENCES metrics(ID), metric REAL);
CREATE TABLE nondeterministic_metrics(trialID INTEGER REFERENCES trials(ID) ON DELETE CASCADE ON UPDATE CASCADE,
    metricID INTEGER REFERENCES metrics(ID) ON DELETE CASCADE ON UPDATE CASCADE, metric REAL);
CREATE TABLE deterministic_metrics(datasetID INTEGER REFERENCES datasets(ID), metricID INTEGER REFERENCES metrics(ID), metric REAL);
CREATE INDEX det_metrics_dset_idx ON deterministic_metrics(datasetID);
CREATE TABLE model_sources(ID INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE models(ID INTEGER PRIMARY KEY, description TEXT, created TEXT, source_id INTEGER REFERENCES model_sources(ID), data BLOB);
"""
"""Eiger's tables, version 4."""

Row = tuple[int | float | str | None, ...]


@dataclass
class Experiment:
    """Rows as the tables have them, with all of their columns."""

    rows: dict[str, list[Row]] = field(default_factory=dict)

    def named(self, table: str, name: str, *cells: int | float | str | None) -> int:
        """Add a row with a new id, its name and further cells; return the id."""
        rows = self.rows.setdefault(table, [])
        own = (cells[0], name, *cells[1:]) if table in ("datasets", "metrics") else (name, *cells)
        rows.append((len(rows) + 1, *own))
        return len(rows)

    def add(self, table: str, *cells: int | float | str | None) -> None:
        """Add a row."""
        self.rows.setdefault(table, []).append(cells)


def experiment() -> Experiment:
    """Two applications with two datasets each, on three machines, measured twice."""
    made = Experiment()
    home = made.named("datacollections", "first look", "made up", "2013-01-02")
    apps = [made.named("applications", name, "an app") for name in ("fft", 'it\'s "gemm"\\n<float>')]
    sets = [made.named("datasets", f"n={n}, app {a}", a, "", None, "") for a in apps for n in (64, 512)]
    machines = [made.named("machines", name, "") for name in ("K20", "Größe 9", "C2050")]
    names = (
        ("flops", "deterministic"),
        ("time", "nondeterministic"),
        ("l2 misses", "nondeterministic"),
        ("cores", "machine"),
        ("bytes read (kB)", "deterministic"),
        ("clock_mhz", "machine"),
        ("energy (mJ)", "nondeterministic"),
    )
    metrics = {name: made.named("metrics", name, kind, "from a test") for name, kind in names}
    for k, dataset in enumerate(sets):
        made.add("deterministic_metrics", dataset, metrics["flops"], 1e9 / 3 * 7.0**k)
        made.add("deterministic_metrics", dataset, metrics["bytes read (kB)"], 1024.5 * (k + 1))
    for k, machine in enumerate(machines):
        made.add("machine_metrics", machine, metrics["cores"], 13 + 3 * k)
        made.add("machine_metrics", machine, metrics["clock_mhz"], 706.25 + 31.1 * k)
    for repeat in range(2):
        for d, dataset in enumerate(sets):
            for m, machine in enumerate(machines):
                trial = len(made.rows.get("trials", ())) + 1
                made.add("trials", trial, home, machine, apps[d // 2], dataset)
                value = 1.0 / 3.0 * (d + 1) / (m + 2) + repeat * 1e-7
                made.add("nondeterministic_metrics", trial, metrics["time"], value * 1e-3)
                made.add("nondeterministic_metrics", trial, metrics["l2 misses"], 1e6 * value**2 * (1 + trial % 3 / 4))
                made.add("nondeterministic_metrics", trial, metrics["energy (mJ)"], 1e-9 / value)
    return made


def filled(made: Experiment) -> sqlite3.Connection:
    """A database in memory by Eiger's schema."""
    database = sqlite3.connect(":memory:")
    database.executescript(SCHEMA)
    for table, rows in made.rows.items():
        for row in rows:
            database.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
    database.commit()
    return database


def database(made: Experiment) -> bytes:
    """The bytes of the database's file."""
    with filled(made) as opened:
        return opened.serialize()


def sqlite_dump(made: Experiment) -> str:
    """What `.dump` prints."""
    return "\n".join(filled(made).iterdump()) + "\n"


def mysql_dump(made: Experiment) -> str:
    """What mysqldump prints of version 2: tables in the order of their names, executions, type `result`."""
    columns = {
        "applications": ("ID", "name", "description"),
        "datacollections": ("ID", "name", "description", "created"),
        "datasets": ("ID", "applicationID", "name", "description", "created", "url"),
        "deterministic_metrics": ("datasetID", "metricID", "metric"),
        "executions": ("ID", "machineID", "trialID"),
        "machine_metrics": ("machineID", "metricID", "metric"),
        "machines": ("ID", "name", "description"),
        "metrics": ("ID", "type", "name", "description"),
        "nondeterministic_metrics": ("executionID", "metricID", "metric"),
        "trials": ("ID", "dataCollectionID", "machineID", "applicationID", "datasetID", "propertiesID"),
    }
    tables = {name: list(rows) for name, rows in made.rows.items()}
    tables["trials"] = [(*row, 0) for row in tables["trials"]]
    tables["executions"] = [(row[0], row[2], row[0]) for row in tables["trials"]]
    tables["metrics"] = [(i, "result" if n == "time" else k, n, d) for i, k, n, d in tables["metrics"]]
    lines = ["-- MySQL dump 10.13  Distrib 5.5.99, for none", "", "/*!40101 SET NAMES utf8 */;", ""]
    for table, names in columns.items():
        lines += [f"DROP TABLE IF EXISTS `{table}`;", f"CREATE TABLE `{table}` ("]
        lines += [f"  `{name}` {_MYSQL_TYPES.get(name, 'int(11)')} DEFAULT NULL," for name in names]
        lines += [f"  KEY `{names[0]}` (`{names[0]}`)", ") ENGINE=InnoDB AUTO_INCREMENT=51 DEFAULT CHARSET=latin1;"]
        lines += [f"LOCK TABLES `{table}` WRITE;", f"/*!40000 ALTER TABLE `{table}` DISABLE KEYS */;"]
        rows = ",".join(f"({','.join(map(quoted, row))})" for row in tables.get(table, ()))
        lines += [f"INSERT INTO `{table}` VALUES {rows};"] if rows else []
        lines += ["UNLOCK TABLES;", ""]
    return "\n".join([*lines, "-- Dump completed on 2013-01-02 03:04:05", ""])


_MYSQL_TYPES = {
    "name": "varchar(256)",
    "description": "text",
    "url": "text",
    "created": "datetime",
    "metric": "double",
    "type": "enum('result','deterministic','nondeterministic','machine','other')",
}


def quoted(cell: int | float | str | None) -> str:
    """A value as mysqldump writes it."""
    if isinstance(cell, str):
        escaped = cell.replace("\\", "\\\\").replace("'", "\\'").replace('"', '\\"').replace("\n", "\\n")
        return f"'{escaped}'"
    return "NULL" if cell is None else repr(cell)


def log(made: Experiment) -> str:
    """What the fake backend of version 4 leaves; ids count from 0."""
    lines = ["VERSION;2", "FORMAT;character", "CONNECT;trials.db"]
    lines += [f"C;{name};{text};{i - 1}" for i, name, text, _ in made.rows["datacollections"]]
    lines += [f"A;{name};{text};{i - 1}" for i, name, text in made.rows["applications"]]
    lines += [f"S;{int(a) - 1};{name};{t};{url};{i - 1}" for i, a, name, t, _, url in made.rows["datasets"]]
    lines += [f"H;{name};{text};{i - 1}" for i, name, text in made.rows["machines"]]
    lines += [";".join(["T", *(str(int(c) - 1) for c in row[1:]), str(row[0] - 1)]) for row in made.rows["trials"]]
    lines += [f"v;{kind};{name};{text};{i - 1}" for i, kind, name, text in made.rows["metrics"]]
    for word, table in (("N", "nondeterministic_metrics"), ("D", "deterministic_metrics"), ("R", "machine_metrics")):
        lines += [f"{word};{o - 1};{m - 1};{v:.18g}" for o, m, v in made.rows[table]]
    return "\n".join([*lines, "DISCONNECT", ""])


def table(made: Experiment) -> str:
    """The same trials as a CSV: names, then the metrics in the order of their ids."""
    text = io.StringIO()
    csv.writer(text).writerows(_table_rows(made))
    return text.getvalue()


def _table_rows(made: Experiment) -> Iterator[list[str]]:
    metrics = [(int(row[0]), str(row[2])) for row in made.rows["metrics"]]
    names = {t: {row[0]: row[1] for row in made.rows[t]} for t in ("applications", "machines", "datacollections")}
    datasets = {row[0]: row[2] for row in made.rows["datasets"]}
    values = {
        (table, row[0], row[1]): row[2]
        for table in ("nondeterministic_metrics", "deterministic_metrics", "machine_metrics")
        for row in made.rows.get(table, ())
    }
    yield ["application", "dataset", "machine", *(name for _, name in metrics)]
    for trial, _, machine, application, dataset in made.rows["trials"]:
        row = [str(names["applications"][application]), str(datasets[dataset]), str(names["machines"][machine])]
        owners = ("nondeterministic_metrics", trial), ("deterministic_metrics", dataset), ("machine_metrics", machine)
        for metric, _ in metrics:
            found = [values[(table, owner, metric)] for table, owner in owners if (table, owner, metric) in values]
            row.append(repr(found[0]) if found else "")
        yield row
