"""What docs/inbox.md tells people to write is what the inbox takes."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.store import Store
from core.store._letter import read_letters
from core.store.inbox import Inbox
from core.trial import Kind, Metric

DOCS = (Path(__file__).resolve().parents[2] / "docs" / "inbox.md").read_text()


def block(language: str, holding: str) -> str:
    found = re.findall(rf"```{language}\n(.*?)```", DOCS, re.DOTALL)
    return next(text for text in found if holding in text)


@pytest.fixture
def inbox(tmp_path: Path) -> Inbox:
    inbox = Inbox(tmp_path / "x.duckdb")
    inbox.make()
    return inbox


def drained(inbox: Inbox, tmp_path: Path) -> tuple[str, ...]:
    with Store.open(tmp_path / "x.duckdb") as store:
        assert inbox.drain(store).bad == ()
        return store.measured("nightly").application


def test_the_object() -> None:
    (letter,) = read_letters("x.json", block("json", "dataset").encode())
    assert (letter.dataset, letter.parameters, letter.labels["commit"]) == ("nightly", ("order",), "3f2a1c")
    assert letter.metrics[Metric("energy", Kind.RESPONSE, "J")] == 3.1
    assert [m.name for m in letter.metrics] == ["tile", "time_s", "l2_misses", "energy"]


@pytest.mark.skipif(not shutil.which("sh") or not shutil.which("hostname"), reason="no shell")
def test_the_shell_script(inbox: Inbox, tmp_path: Path) -> None:
    script = "set -e\n" + block("sh", "printf")
    for _ in range(2):
        subprocess.run(
            ["sh", "-c", script],
            check=True,
            env={"inbox": str(inbox.path), "app": "gemm", "seconds": "0.5", "PATH": "/bin:/usr/bin"},
        )
    assert drained(inbox, tmp_path) == ("gemm", "gemm")


def test_the_python_script(inbox: Inbox, tmp_path: Path) -> None:
    script = (
        block("python", "def deliver")
        + "\nimport sys\ndeliver(sys.argv[1], {'dataset': 'nightly', 'application': 'fft', 'metrics': {'m': 1}})"
    )
    subprocess.run([sys.executable, "-c", script, str(inbox.path)], check=True)
    assert drained(inbox, tmp_path) == ("fft",)


def test_every_field_is_described() -> None:
    from core.store._letter import _FIELDS

    for field in (*_FIELDS, "value", "unit", "kind"):
        assert f"`{field}`" in DOCS, field
