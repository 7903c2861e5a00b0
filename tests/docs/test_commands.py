"""Every verb has help, and every command that stands in README, docs and examples runs as it stands."""

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cli import VERBS, main
from core.store import Store
from tests.docs.scene import SCENES

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "examples").glob("**/*.md"))]
PARTS = (
    "scale validate",
    "scale race",
    "scale fit",
    "scale predict",
    "report model",
    "report race",
    "report space",
    "report scale",
)
NOT_RUN = {
    "ridgeline serve": "goes on until it is stopped; tests/serve starts it",
    "ridgeline import s3://": "needs a network",
    "ridgeline experiment study.toml": "needs a cluster; tests/experiment has one",
    "ridgeline experiment data/experiments/eiger_dimensions.toml --workers": "takes minutes; its plan is run",
    "ridgeline predict model.json FILE.csv|": "names the forms that there are, and is no command",
    "ridgeline fit …": "is a part of a command",
    "ridgeline reproduce eiger": "takes a minute; tests/reproduce has it on fewer trials",
    "ridgeline reproduce halwpe": "takes two minutes; tests/reproduce has it on fewer trials",
    "ridgeline reproduce amd": "as stargazer, which is run; tests/reproduce has it on fewer trials",
}
"""Beginnings of commands that are only parsed or left out, and why."""
TOOLS = ("llvm-mca", "valgrind")
SAID = {"[PREDICTOR]": "", "[": "", "]": "", "/data/runs": "runs"}
"""Words that stand for something, and what they are here."""


SHORTER = {
    "ridgeline race": " --entries ridge,ols",
    "ridgeline report race": " --entries ridge,ols",
    "ridgeline report scale": " --predictors ridge,mean_surface",
    "ridgeline scale race": " --predictors ridge,mean_surface",
    "ridgeline validate halwpe": " --set model=ols_forward_bic",
    "ridgeline auto trials.csv": " --folds kfold:2 --metrics instructions,bytes",
    "ridgeline fit stargazer --dataset design_space --response cycles --folds": " --where application=butterfly_f64",
    "ridgeline fit stepwise --dataset generations": " --metrics instructions,loads,dispatch_width,path_latency",
}
"""What is added to commands that take minutes, by their beginnings."""
POINTS = 8
"""Of a plan so many points are measured."""


def commands(text: str) -> Iterator[str]:
    """Yield the commands of fenced and indented blocks: lines put together, remarks taken off."""
    for line in text.replace("\\\n", " ").splitlines():
        if line.lstrip().startswith("ridgeline "):
            yield re.split(r"\s{2,}(?!\s|-)|\s+#", line.strip())[0].strip()


def by_document() -> dict[str, list[str]]:
    found = {str(path.relative_to(ROOT)): list(commands(path.read_text())) for path in DOCUMENTS}
    return {name: own for name, own in found.items() if own}


def helped(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as end:
        main([*words, "--help"])
    said = capsys.readouterr()
    assert end.value.code == 0
    return said.out


@pytest.mark.parametrize("verb", [*VERBS, *PARTS])
def test_every_verb_has_help(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = helped(verb.split(), capsys)
    assert said.startswith(f"usage: ridgeline {verb.split()[0]}") or f" {verb} " in said
    assert "Traceback" not in said


def test_flags_in_running_text_exist(capsys: pytest.CaptureFixture[str]) -> None:
    for path in DOCUMENTS:
        for span in re.findall(r"`ridgeline ([^`]+)`", path.read_text()):
            words = span.split()
            assert words[0] in VERBS, f"{path.name}: {span}"
            known = helped(words[: 2 if " ".join(words[:2]) in PARTS else 1], capsys)
            for flag in re.findall(r"--[a-z][a-z-]*", span.split("'")[0]):
                assert f"{flag}" in known or flag == "--db", f"{path.name}: {span}"


def test_what_is_not_run_stands_somewhere() -> None:
    every = [command for own in by_document().values() for command in own]
    for beginning in NOT_RUN:
        assert any(command.startswith(beginning) for command in every), beginning


@pytest.mark.usefixtures("few_entries")
@pytest.mark.parametrize("document", by_document())
def test_commands_run_as_they_stand(
    document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RIDGELINE_DB", str(tmp_path / "test.duckdb"))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    if not document.startswith("docs/tutorial_"):  # those go without a checkout
        (tmp_path / "data").symlink_to(ROOT / "data")
    for name, text in re.findall(r"```toml\n# (\S+)\n(.*?)```", (ROOT / document).read_text(), re.DOTALL):
        Path(name).write_text(text)
    SCENES.get(document, lambda: None)()
    for command in by_document()[document]:
        if left_out(command):
            continue
        capsys.readouterr()
        code = ended(shlex.split(literal(command))[1:])
        if command.startswith("ridgeline plan"):
            plan = Path(shlex.split(command)[-1])
            plan.write_text("".join(plan.read_text().splitlines(keepends=True)[: POINTS + 1]))
        assert code == 0, f"{document}: {command}\n{capsys.readouterr().err}"


def ended(words: list[str]) -> int | str | None:
    """Return what a command ends with, whether it returns or exits."""
    try:
        return main(words)
    except SystemExit as end:
        return end.code


def left_out(command: str) -> bool:
    """Return whether a command is not run, for a reason that is listed or a tool that is not here."""
    missing = [tool for tool in TOOLS if tool in command and not shutil.which(tool)]
    return bool(missing) or any(command.startswith(beginning) for beginning in NOT_RUN)


def literal(command: str) -> str:
    """Return a command with what stands for something put in."""
    for word, here in SAID.items():
        command = command.replace(word, here)
    if " ID" in command:
        dataset = re.search(r"--dataset (\S+)", command)
        with Store.open(Path(os.environ["RIDGELINE_DB"])) as store:
            ids = store.measured(dataset[1] if dataset else "").ids
        command = command.replace("ID,ID", ",".join(ids[:2])).replace("ID ", f"{ids[0]} ")
    return command + next((more for beginning, more in SHORTER.items() if command.startswith(beginning)), "")
