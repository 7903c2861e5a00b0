"""Samples: a folder with a `sample.toml`."""

import gzip
from pathlib import Path

import pytest

from core.errors import ReadError
from core.ingest import load_sample, samples
from core.trial import Kind
from tests.ingest.nvidia_files import KERNEL, value, wide_file

TOML = """
title = "Two machines"
description = "Small."
measured = "2026-11-21"
command = "python collect.py"
tools = "none"
response = "cycles"

[import]
files = ["trials.csv.gz", "more.csv"]
machines = "machines.csv"
inputs = "inputs.csv"
application = ["kernel"]
input = ["variant"]
machine = "cpu"
response_columns = ["cycles:cycles", "energy"]
parameter = ["width"]
ignore = ["note"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    own = tmp_path / "small"
    own.mkdir()
    (own / "sample.toml").write_text(TOML)
    head = "kernel,variant,cpu,width,cycles,energy (nJ),uops,note\n"
    (own / "trials.csv.gz").write_bytes(gzip.compress((head + "a,o2,x,1,10,5,7,n\na,o3,x,2,9,5,8,n\n").encode()))
    (own / "more.csv").write_text(head + "a,o2,y,1,20,6,9,n\n")
    (own / "machines.csv").write_text("cpu,clock (MHz)\nx,700\ny,900\n")
    (own / "inputs.csv").write_text("kernel,variant,loads\na,o2,3\na,o3,4\n")
    return own


def test_a_sample_is_read_as_its_file_says(folder: Path) -> None:
    found = load_sample(folder)
    assert [(m.name, m.kind, m.unit) for m in found.trials.metrics] == [
        ("width", Kind.PARAMETER, ""),
        ("cycles", Kind.RESPONSE, "cycles"),
        ("energy", Kind.RESPONSE, "nJ"),
        ("uops", Kind.COUNTER, ""),
    ]
    assert found.trials.where == ("trials.csv.gz line 2", "trials.csv.gz line 3", "more.csv line 2")
    assert found.source == "small/trials.csv.gz"
    assert found.machines is not None
    assert found.inputs is not None
    assert found.machines.values.tolist() == [[700], [900]]
    assert found.inputs.values.tolist() == [[3], [4]]
    assert load_sample(folder).sha256 == found.sha256
    assert len(found.sha256) == 64


def test_a_sample_of_a_tools_own_files(tmp_path: Path) -> None:
    columns = [("device__attribute_display_name", ""), ("gpu__time_duration.sum", "ns"), ("dram__bytes.sum", "byte")]
    for name, time in (("A", "10"), ("B", "7")):
        page = wide_file(columns, (f"GPU {name}", time, "64"))
        (tmp_path / f"{name}.csv.gz").write_bytes(gzip.compress(f"==PROF== Connected\n{page}".encode()))
    (tmp_path / "sample.toml").write_text('[import]\nfiles = ["A.csv.gz", "B.csv.gz"]\nformat = "ncu_raw"\n')
    found = load_sample(tmp_path)
    assert found.trials.machine == ("GPU A", "GPU B")
    assert value(found, "time_s", 1) == pytest.approx(7e-9)
    assert found.trials.application == (KERNEL, KERNEL)
    assert (found.skipped, found.warnings) == ((), ())
    with_more = wide_file([*columns, ("lts__hits.sum", "")], ("GPU B", "7", "64", "3"))
    (tmp_path / "B.csv.gz").write_bytes(gzip.compress(with_more.encode()))
    with pytest.raises(ReadError, match="have different metrics"):
        load_sample(tmp_path)


def test_cards(folder: Path) -> None:
    (folder.parent / "_kernels").mkdir()
    (folder.parent / "_kernels" / "sample.toml").write_text(TOML)
    (folder.parent / "empty").mkdir()
    cards = samples(folder.parent)
    assert [c.name for c in cards] == ["small"]
    assert (cards[0].title, cards[0].response, cards[0].folder) == ("Two machines", "cycles", folder)
    assert samples(folder / "nowhere") == ()


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('"more.csv"', '"../more.csv"', "only files in its own folder"),
        ('"more.csv"', '"absent.csv"', "small/absent.csv cannot be read: No such file"),
        ("files = [", "file = [", "names no files"),
        ('["kernel"]', '"kernel"', "'application' must be a list of texts"),
        ("[import]", "[import", "is no TOML"),
    ],
)
def test_damaged_samples_are_refused(folder: Path, old: str, new: str, sentence: str) -> None:
    (folder / "sample.toml").write_text(TOML.replace(old, new))
    with pytest.raises(ReadError, match=sentence):
        load_sample(folder)


@pytest.mark.slow
def test_the_shipped_samples_load() -> None:
    """Each sample of the project has the response it names, and metrics to predict it from."""
    for card in samples(Path(__file__).resolve().parents[2] / "data" / "samples"):
        found = load_sample(card.folder)
        assert card.response in {m.name for m in found.trials.metrics if m.kind is Kind.RESPONSE}
        facts = [f for f in (found.machines, found.inputs) if f is not None]
        parameters = [m for m in found.trials.metrics if m.kind is Kind.PARAMETER]
        assert parameters or facts
        assert not found.skipped
        assert not found.warnings
        assert card.title
        assert card.command
        assert card.measured
