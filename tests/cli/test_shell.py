"""What a shell meets: help by group, options of recipes, names that were meant, folds, progress, codes, completion."""

import re
import shutil
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from core.cli import _FILES, GROUPS, VERBS, base, main
from core.cli.base import EXIT_CODES
from core.curate import RULES
from core.errors import OptionError
from core.option import specs
from core.recipes import RECIPES
from core.report.shared.naming import short_number
from core.scaling.predictors import PREDICTORS
from core.space.plans import METHODS
from core.validate.folds import FoldPlan, parse_folds
from tests.docs.test_commands import by_document, helped

ROOT = Path(__file__).resolve().parents[2]
NOT_ENDING = {"ridgeline app", "ridgeline serve model.json"}


@pytest.mark.parametrize("name", VERBS)
def test_every_example_stands_in_a_document_where_it_is_run(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    documented = {" ".join(command.split()) for own in by_document().values() for command in own}
    verb = _FILES[VERBS[name]]()
    assert verb.group in GROUPS
    assert set(verb.examples) <= documented | NOT_ENDING
    assert 1 <= len(verb.examples) <= 3
    assert f"examples:\n  {verb.examples[0]}" in helped([name], capsys)


def test_help_lists_each_verb_once_in_its_group(capsys: pytest.CaptureFixture[str]) -> None:
    said = helped([], capsys)
    assert [line[:-1] for line in said.splitlines() if line[:-1] in GROUPS] == list(GROUPS)
    assert sorted(re.findall(r"^    (\w+) ", said, re.MULTILINE)) == sorted(VERBS)


@pytest.mark.parametrize(
    ("verb", "says"),
    [
        ("fit", "every random draw (0)"),
        ("fit", "(the hardest that the trials can answer)"),
        ("learn", "unseen configurations to predict (200)"),
        ("serve", "port to listen on; 0 takes a free one (8765)"),
        ("sweep", "how many of the best designs to list (20)"),
        ("race", "as many as pay if not given; results do not depend on it\n"),
    ],
)
def test_help_tells_defaults(verb: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert " ".join(says.split()) in " ".join(helped([verb], capsys).split())


@pytest.mark.parametrize("verb", ["fit", "validate", "learn", "diversity"])
def test_help_of_a_recipe_lists_its_options(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = helped([verb, "eiger"], capsys)
    for spec in specs(RECIPES["eiger"]):
        assert f"\n  {spec.name}  ({spec.text(spec.default)} if not given" in said


@pytest.mark.parametrize(
    ("words", "known"),
    [
        ("curate --rule mad", RULES["mad"]),
        ("plan --method lhs", METHODS["latin_hypercube"]),
        ("scale fit shared_leaves", PREDICTORS["shared_leaves"]),
    ],
)
def test_help_of_what_has_options_lists_them(words: str, known: type, capsys: pytest.CaptureFixture[str]) -> None:
    said = helped(words.split(), capsys)
    assert all(f"\n  {spec.name}  ({spec.text(spec.default)} if not given" in said for spec in specs(known))
    without = words.split()[0]
    assert f"ridgeline {without} " in helped([without], capsys)
    assert "lists the options that --set takes." in helped([without], capsys)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("fit eiger --dataset d --response t --set componets=4", "components"),
        ("fit eiger --dataset d --response t --set variant=papr", "paper"),
        ("fit eigr --dataset d --response t", "eiger"),
        ("datasets --jsn", "--json"),
        ("dataset", "datasets"),
    ],
)
def test_a_near_name_is_suggested(words: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(words.split())
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    assert f"Did you mean '{meant}'?" in capsys.readouterr().err


def test_the_database_is_named_before_or_after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIDGELINE_DB", str(tmp_path / "other.duckdb"))
    for i, words in enumerate((["--db", "{}", "datasets"], ["datasets", "--db", "{}"], ["datasets", "--db={}"])):
        path = tmp_path / f"{i}.duckdb"
        assert main([word.format(path) for word in words]) == 0
        assert path.exists()
    assert not (tmp_path / "other.duckdb").exists()


@pytest.mark.parametrize(
    "text", ["kfold:10", "kfold:10:application", "loo", "holdout:200", "holdout:20%", "by:machine"]
)
def test_folds_are_written_as_they_were_read(text: str) -> None:
    assert str(parse_folds(text)) == text


def test_short_and_wrong_folds() -> None:
    assert parse_folds("10") == FoldPlan("kfold", 10)
    assert parse_folds("holdout:20%").held_out(55) == 11
    for wrong in ("1", "0", "holdout:0%", "holdout:100%", "holdout:0", "ten"):
        with pytest.raises(OptionError, match="not known"):
            parse_folds(wrong)


def test_off_a_terminal_a_line_comes_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr(base.time, "monotonic", lambda: now[0])
    monkeypatch.setattr("core.progress.monotonic", lambda: now[0])
    monkeypatch.setattr(base, "EVERY_S", 15.0)  # other tests have none
    monkeypatch.setenv("NO_COLOR", "1")
    for how, lines in (({}, 3), ({"verbose": True}, 59), ({"quiet": True}, 0)):
        tell = base.progress(Namespace(**how))
        for _ in range(60):
            now[0] += 1.0
            tell((now[0] % 60) / 60 or 1.0, "fold 3")
        said = capsys.readouterr().err.splitlines()
        assert len(said) == lines
        assert not any("\x1b" in line or "\r" in line for line in said)
        told = [line.endswith(" left") for line in said]
        assert told == [i > 2 or lines == 3 for i in range(lines)]  # three sixtieths tell nothing of the rest


@pytest.mark.slow
def test_no_escape_sequence_off_a_terminal(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "core.cli", "--db", str(tmp_path / "x.duckdb"), "sample", "generations"]
    said = subprocess.run(words, cwd=ROOT, capture_output=True, check=True)
    assert b"\x1b" not in said.stdout + said.stderr


@pytest.mark.parametrize(("value", "text"), [(811967318791858944.0, "8.12·10¹⁷"), (1e-5, "10⁻⁵"), (0.98765, "0.9877")])
def test_figures_have_significant_digits(value: float, text: str) -> None:
    assert short_number(value, 4) == text


def test_the_table_of_exit_codes_is_the_programs() -> None:
    table = re.findall(r"^\| (\d+) \| (.+) \|$", (ROOT / "docs/shell.md").read_text(), re.MULTILINE)
    assert {int(code): said for code, said in table} == EXIT_CODES


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes(shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not here")
    assert main(["completion", shell]) == 0
    (tmp_path / "script").write_text(capsys.readouterr().out)
    asked = 'source ./script; COMP_WORDS=(ridgeline fit {0}); COMP_CWORD=2; _ridgeline; echo "${{COMPREPLY[@]}}"'
    ask = {
        "bash": [asked.format("eige"), asked.format("--respon")],
        "zsh": [
            "autoload -U compinit && compinit -u -d dump; source ./script && echo ${_comps[ridgeline]} eiger --response"
        ],
        "fish": ['source ./script; complete -C "ridgeline fit eige"; complete -C "ridgeline fit --respon"'],
    }[shell]
    quick = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    said = [
        subprocess.run([shell, *quick, "-c", one], cwd=tmp_path, capture_output=True, text=True).stdout for one in ask
    ]
    words = " ".join(said).split()
    assert "eiger" in words
    assert "--response" in words
    assert shell != "zsh" or any("bash" in word or "_ridgeline" in word for word in words)


def test_the_manual_has_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["man"]) == 0
    said = capsys.readouterr().out
    assert re.findall(r"^\.SS (\w+)$", said, re.MULTILINE).__len__() == len(VERBS)
    assert not re.search(r"^\.(?!TH |SH |SS |TP$|PP$|B |nf$|fi$)", said, re.MULTILINE)


def test_names_with_line_breaks_stay_on_their_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RIDGELINE_DB", str(tmp_path / "breaks.duckdb"))
    layouts = {"row\nmajor": 1.0, "column\nmajor": 3.0}
    rows = [
        f'{n},"{name}",{x * (8 / n + 0.1 * k):g}' for n in (1, 2, 4, 8) for name, x in layouts.items() for k in (0, 1)
    ]
    (tmp_path / "breaks.csv").write_text("\n".join(["threads,layout,time_s", *rows]) + "\n")
    told = ["--parameter", "threads,layout", "--response", "time_s"]
    assert main(["import", str(tmp_path / "breaks.csv"), "--dataset", "breaks", *told]) == 0
    capsys.readouterr()
    assert main(["fit", "stepwise", "--dataset", "breaks", "--out", str(tmp_path / "model.json")]) == 0
    said = capsys.readouterr().out
    assert "layout=column\\nmajor" in said
    assert "\nmajor" not in said
    assert main(["why", str(tmp_path / "model.json"), str(tmp_path / "breaks.csv")]) == 0
    assert "\nmajor" not in capsys.readouterr().out
    assert main(["fit", "ols", "--dataset", "no\nthing"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
