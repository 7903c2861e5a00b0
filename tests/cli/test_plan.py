"""`ridgeline plan` and `ridgeline sweep`: points chosen, a space scored, files written."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.cli import designs, main
from core.export import write_model
from core.workspace import ROOT
from tests.space.made import every, grid, pipeline, spline_model

pytestmark = pytest.mark.usefixtures("few_trees")  # tests/space sees to what designs are believed to be
TABLE2 = Path(ROOT) / "data" / "spaces" / "stargazer_table2.toml"
SPACE = 'name = "made"\n' + "".join(
    f"[parameters.{n}]\nrange = [1, {2 ** (k - 1)}]\nfactor = 2\n" for n, k in zip("abc", (5, 4, 3), strict=True)
)


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Run a verb in a folder of this test; returns code, standard output, standard error."""
    monkeypatch.setenv("RIDGELINE_DB", str(tmp_path / "test.duckdb"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "space.toml").write_text(SPACE)
    space = grid(5, 4, 3)
    for name, seed in (("one", 1), ("two", 2)):
        Path(f"{name}.json").write_bytes(
            write_model(pipeline(space, spline_model(space, [(0,), (1,), (0, 1), (2,)], seed)))
        )

    def call(*words: object) -> tuple[int, str, str]:
        code = main([str(w) for w in words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


@pytest.mark.parametrize("method", ["uniform", "random", "latin_hypercube", "lhs", "sobol"])
def test_a_plan_of_the_papers_space(run, method: str) -> None:
    code, out, err = run("plan", TABLE2, "-n", 300, "--method", method, "--seed", 1)
    rows = out.splitlines()
    assert (code, err, len(rows)) == (0, "", 301)
    assert rows[0] == "run,#blk,c$,t$,smp,ccp,simd,mshr,dramq,intra,inter"
    assert len({row.partition(",")[2] for row in rows}) == 301


def test_how_many_points(run) -> None:
    for words, n in ((("--fraction", 0.0003), 280), (("--per-dimension", 0.5), 3 * 3 * 3 * 2 * 2 * 2 * 2 * 2 * 2 * 2)):
        code, out, _ = run("plan", TABLE2, *words, "--out", "plan.csv", "--json")
        found = json.loads(out)
        assert (code, found["n_points"]) == (0, n)
        assert len(pd.read_csv("plan.csv")) == n


def test_wrong_wishes_are_one_sentence(run) -> None:
    for words, says in (
        (("plan", "space.toml", "-n", 61), "61 points were asked for; the design space has 60"),
        (("plan", "space.toml", "-n", 3, "--method", "magic"), "no plan method 'magic'"),
        (("plan", "space.toml", "-n", 3, "--response", "time"), "Give the --dataset of which"),
        (("plan", "space.toml", "-n", 3, "--dataset", "d"), "There is no dataset 'd'"),
        (("plan", "none.toml", "-n", 3), "cannot be read"),
        (("sweep", "one.json", "space.toml", "--out", "all.xls"), "ending in .parquet or .csv"),
        (("sweep", "one.json", TABLE2), "predicts from 'a', which is no parameter"),
        (("sweep", "one.json", "space.toml", "--limit", "two.json"), "--limit takes OTHER.json:LOW:HIGH"),
        (("sweep", "one.json", "space.toml", "--limit", "two.json:5:1"), "--limit takes OTHER.json:LOW:HIGH"),
        (("designs", "space.toml", "--model", "one.json", "--minimise", "a"), "has a response in it; there is time"),
        (("designs", "space.toml", "--model", "one.json", "--run-cost", "nan"), "--run-cost what a run costs"),
        (
            ("designs", "space.toml", "--model", "one.json", "--minimise", "time", "--maximise", "time"),
            "one cannot be both small and large",
        ),
        (("plan", "space.toml", "-n", 3, "--out", "space.toml"), "space.toml is what is read, and would be lost"),
        (("export", "one.json", "--to", "c", "--out", "./one.json"), "one.json is what is read, and would be lost"),
    ):
        code, out, err = run(*words)
        assert (code, out) == (2, "")
        assert says in err
        assert err.count("\n") == 1


def test_links_pipes_and_devices_stay_what_they_are(run) -> None:
    os.symlink("two.json", "link.json")
    assert run("export", "one.json", "--to", "c", "--out", "link.json")[0] == 0
    assert Path("link.json").is_symlink()
    assert b"double" in Path("two.json").read_bytes()
    os.mkfifo("pipe")
    with ThreadPoolExecutor() as pool:
        read = pool.submit(Path("pipe").read_bytes)
        assert run("export", "one.json", "--to", "c", "--out", "pipe")[0] == 0
        assert read.result() == Path("two.json").read_bytes()
    assert Path("pipe").is_fifo()


def test_a_limit_that_nothing_meets_leaves_none(run) -> None:
    code, out, _ = run("sweep", "one.json", "space.toml", "--limit", "two.json:1e30:")
    assert code == 0
    assert out.startswith("0 designs within the limits; there is none to choose")


def test_a_sweep(run) -> None:
    code, out, _ = run(
        "sweep", "one.json", "space.toml", "--top", 3, "--pareto", "two.json", "--out", "all.parquet", "--json"
    )
    found = json.loads(out)
    points = pd.read_parquet("all.parquet")
    assert code == 0
    assert (found["n_points"], found["n_inside"], found["n_refused"], len(points)) == (60, 60, 0, 60)
    assert list(points.columns) == ["a", "b", "c", "prediction", "low", "high", "in_domain"]
    assert not points.duplicated(["a", "b", "c"]).any()
    best = points.nsmallest(3, "prediction")
    np.testing.assert_allclose([d["prediction"] for d in found["best"]], best["prediction"], rtol=1e-12)
    assert found["best"][0]["point"] == best.iloc[0][["a", "b", "c"]].to_dict()
    assert found["best"][0]["low"] == pytest.approx(best.iloc[0]["low"])
    assert found["pareto"][0]["prediction"] == pytest.approx(best.iloc[0]["prediction"])
    assert sum(found["histogram"]["counts"]) == 60
    code, out, _ = run("sweep", "one.json", "space.toml", "--top", 2, "--best", "high", "--out", "all.csv")
    assert code == 0
    assert out.splitlines()[0].startswith("60 designs, 60 in the trained range; time (s) from ")
    assert pd.read_csv("all.csv")["prediction"].max() == pytest.approx(points["prediction"].max())


def test_limits(run) -> None:
    run("sweep", "two.json", "space.toml", "--out", "two.csv")
    middle = float(pd.read_csv("two.csv")["prediction"].median())
    found = json.loads(run("sweep", "one.json", "space.toml", "--limit", f"two.json::{middle}", "--json")[1])
    assert found["n_points"] == 30


def test_of_rates_the_highest_is_best_where_nobody_says(run) -> None:
    model = json.loads(Path("one.json").read_text())
    model["response"] |= {"name": "rate", "unit": "frames/s"}
    Path("rate.json").write_text(json.dumps(model))
    for name, sense, wanted in (("one", (), "low"), ("rate", (), "high"), ("rate", ("--best", "low"), "low")):
        out = run("sweep", f"{name}.json", "space.toml", "--top", 1, *sense)[1]
        assert f"the best ({wanted}):" in out
    for name, wanted in (("one", "low"), ("rate", "high")):
        found = json.loads(run("designs", "space.toml", "--model", f"{name}.json", "--json")[1])
        assert found["goals"][0]["good"] == wanted


def test_a_space_too_large_to_score_still_has_its_best(run) -> None:
    space = grid(*[8] * 12)
    Path("large.json").write_bytes(write_model(pipeline(space, spline_model(space, [(i,) for i in range(12)]))))
    Path("large.toml").write_text("".join(f"[parameters.{n}]\nrange = [1, 128]\nfactor = 2\n" for n in space.names))
    code, out, _ = run("sweep", "large.json", "large.toml", "--json")
    assert code == 0
    assert len(json.loads(out)["best"]) == 1


@pytest.mark.slow
def test_next_points_from_a_dataset_and_a_model(run) -> None:
    rng = np.random.default_rng(0)
    run("plan", "space.toml", "-n", 25, "--method", "sobol", "--out", "first.csv")
    rows = pd.read_csv("first.csv", dtype={"run": str})
    rows["time"] = np.exp(0.3 * np.log2(rows.a) * np.log2(rows.b) - 0.2 * rows.c + 0.05 * rng.standard_normal(25))
    rows.drop(columns="run").to_csv("results.csv", index=False)
    assert run("import", "results.csv", "--dataset", "d", "--parameter", "a,b,c", "--response", "time:s")[0] == 0
    assert (
        run("fit", "stepwise", "--dataset", "d", "--response", "time", "--out", "stepwise.json", "--folds", "kfold:5")[
            0
        ]
        == 0
    )
    for more in ((), ("--model", "stepwise.json", "--set", "members=4"), ("--set", "goal=minimise")):
        code, out, err = run(
            "plan",
            "space.toml",
            "-n",
            6,
            "--method",
            "next",
            "--dataset",
            "d",
            "--response",
            "time",
            "--first",
            26,
            *more,
        )
        found = [line.split(",") for line in out.splitlines()]
        assert (code, err, len(found)) == (0, "", 7)
        assert found[1][0] == "026"
        measured = {tuple(map(float, row)) for row in rows[["a", "b", "c"]].to_numpy()}
        assert not measured & {tuple(map(float, row[1:])) for row in found[1:]}


def test_designs_under_limits(run) -> None:
    words = ("designs", "space.toml", "--model", "one.json", "--model", "power=two.json")
    code, out, _ = run(
        *words, "--minimise", "time", "--limit", "area = 3*a + b <= 30", "--limit", "power < 2", "--top", 3, "--json"
    )
    found = json.loads(out)
    assert code == 0
    assert found["goals"] == [{"goal": "time", "good": "low"}]
    assert len(found["alternatives"]) == 3
    for one in found["alternatives"]:
        assert 3 * one["design"]["a"] + one["design"]["b"] <= 30
        assert one["predicted"]["power"] < 2
    assert found["sentence"].endswith(".")
    code, out, _ = run(*words, "--maximise", "time*power", "--minimise", "a")
    assert code == 0
    assert "designs that no other beats in every goal" in out
    assert "has the highest time*power" in out
    assert "No probabilities: they follow from trials, and none are given." in out
    for more, says in (((), "there is no parameter 'speed'"), (("--top", 0), "--top takes a number from 1 on")):
        assert says in run(*words, "--minimise", "speed", *more)[2]
    assert (
        "Two models are called 'time'" in run("designs", "space.toml", "--model", "one.json", "--model", "two.json")[2]
    )


@pytest.mark.slow
def test_designs_with_the_trials_behind_the_model(run) -> None:
    rng = np.random.default_rng(0)
    run("plan", "space.toml", "-n", 40, "--method", "sobol", "--out", "first.csv")
    rows = pd.read_csv("first.csv", dtype={"run": str})
    rows["time"] = np.exp(0.3 * np.log2(rows.a) * np.log2(rows.b) - 0.2 * rows.c + 0.05 * rng.standard_normal(40))
    rows.drop(columns="run").to_csv("results.csv", index=False)
    assert run("import", "results.csv", "--dataset", "d", "--parameter", "a,b,c", "--response", "time:s")[0] == 0
    assert (
        run("fit", "stepwise", "--dataset", "d", "--response", "time", "--out", "stepwise.json", "--folds", "kfold:5")[
            0
        ]
        == 0
    )
    words = ("designs", "space.toml", "--model", "stepwise.json", "--dataset", "d")
    found = json.loads(run(*words, "--history", "--json")[1])
    assert all(0 <= one["best"] <= 1 for one in found["alternatives"])
    assert found["gains"]["10"] >= found["gains"]["1"] >= 0
    history = found["history"]
    assert [(one["from"], one["runs"]) for one in history] == [("results.csv", 40)]
    assert history[0]["best"] == pytest.approx(rows.time.min())
    assert "Stop: the next ten runs would change nothing" in run(*words, "--least-gain", 1)[1]
    said = run(*words, "--history", "--least-gain", -1, "--run-cost", 0.5)[1]
    assert "One round of 40 runs: the best so far is" in said
    assert "a run costs" in said
    assert "--history tells of one goal" in run(*words, "--history", "--minimise", "time*a")[2]


def fitted(run, out: str) -> None:
    """Import results.csv and fit a model of its parameters."""
    data = ("--dataset", "d", "--response")
    assert run("import", "results.csv", *data, "time:s", "--parameter", "a,b,c")[0] == 0
    assert run("fit", "stepwise", *data, "time", "--out", out, "--folds", "kfold:5", "--metrics", "a,b,c")[0] == 0


@pytest.mark.slow
def test_four_designs_are_told_without_probabilities(run) -> None:
    Path("few.csv").write_text(
        "threads,time_s\n" + "".join(f"{n},{8 / n + 0.1 * k}\n" for n in (1, 2, 4, 8) for k in (0, 1))
    )
    assert run("import", "few.csv", "--dataset", "few")[0] == 0
    assert run("fit", "anova", "--dataset", "few", "--folds", "kfold:4", "--out", "few.json")[0] == 0
    code, out, _ = run("designs", "--model", "few.json", "--dataset", "few")
    assert code == 0
    assert "threads 8 is the best" in out
    assert "No probabilities: they take 5 measured designs, and there are 4." in out


@pytest.mark.slow
@pytest.mark.usefixtures("few_entries")
def test_designs_learn_the_models_that_formulas_name_where_none_is_given(run, monkeypatch) -> None:
    rows = pd.DataFrame([(b, u) for b in (8, 16, 32, 64) for u in (1, 2, 4, 8)], columns=["block", "unroll"])
    rows["time_s"] = (1 + (np.log2(rows.block) - 5) ** 2) / rows.unroll
    rows["energy_J"] = 3 * rows.time_s * (1 + rows.unroll**2) * np.random.default_rng(0).lognormal(0, 0.03, 16)
    rows.to_csv("runs.csv", index=False)
    assert run("import", "runs.csv", "--dataset", "runs")[0] == 0
    code, out, err = run("designs")
    assert code == 0, err
    assert "block 32 · unroll 8 is the best" in out.splitlines()[0]
    assert "time_s is told by the automatic model. " in out
    assert "energy_J is told" not in out
    found = json.loads(run("designs", "--minimise", "energy_J", "--limit", "time_s < 0.3", "--json")[1])
    assert [said.split()[0] for said in found["models"]] == ["time_s", "energy_J"]
    assert found["alternatives"][0]["design"] == {"block": 32, "unroll": 4}
    monkeypatch.setattr(designs, "automatic", None)
    assert "there is no parameter 'speed'" in run("designs", "--minimise", "speed")[2], "before anything is learnt"


def test_designs_that_leave_a_fold_too_few_for_the_model_are_told_without_probabilities(run) -> None:
    """Of six designs a fifth is two, and the other four are one too few for this family."""
    Path("six.csv").write_text("threads,time_s\n" + "".join(f"{n},{8 / n + 0.1:g}\n" for n in (1, 2, 4, 8, 16, 32)))
    assert run("import", "six.csv", "--dataset", "six")[0] == 0
    assert run("fit", "anova", "--dataset", "six", "--out", "six.json")[0] == 0
    code, out, err = run("designs", "--model", "six.json", "--dataset", "six")
    assert (code, err) == (0, "")
    assert "threads 32 is the best" in out
    said = "No probabilities: without a fifth of the designs: A model needs at least 5 trials, got 4."
    assert said in out
    assert said in json.loads(run("designs", "--model", "six.json", "--dataset", "six", "--json")[1])["notes"][0]


def test_trials_of_all_designs_stand_in_place_of_a_space(run) -> None:
    run("plan", "space.toml", "--fraction", 1, "--out", "first.csv")
    rows = pd.read_csv("first.csv", dtype={"run": str}).drop(columns="run")
    rows.assign(time=np.exp(0.3 * np.log2(rows.a) - 0.2 * rows.c)).to_csv("results.csv", index=False)
    fitted(run, "model.json")
    asked = ("--model", "model.json", "--dataset", "d", "--json")
    by_file, by_trials = (json.loads(run("designs", *space, *asked)[1]) for space in (("space.toml",), ()))
    assert by_trials["n_designs"] == len(rows)
    assert by_trials["alternatives"][0]["design"] == by_file["alternatives"][0]["design"]
    assert run("report", "space", "--model", "model.json", "--dataset", "d", "--out", "space.html")[0] == 0
    assert (
        "Every one of the 60 points of the design space is measured already"
        in run("plan", "-n", 5, "--dataset", "d", "--response", "time")[2]
    )
    code, _, said = run("designs", "--model", "model.json")
    assert (code, said) == (0, "ridgeline: dataset 'd', the only one\n")
    assert "may be the best is measured already" in run("designs", *asked[:-1], "--next", "next.csv")[2]


@pytest.mark.slow
def test_what_a_model_knows_besides_the_space_is_what_the_trials_share(run) -> None:
    rows = [
        f"{kernel},{size},{1000 * n},{block},{n * (1 + (block - 32) ** 2 / 1e4) * (2 if kernel == 'gemm' else 1)}"
        for kernel in ("axpy", "gemm")
        for size, n in (("small", 1), ("large", 8))
        for block in range(8, 72, 8)
    ]
    Path("runs.csv").write_text("\n".join(["kernel,input,work_items,block,time_s", *rows]) + "\n")
    assert run("import", "runs.csv", "--dataset", "runs", "--parameter", "block")[0] == 0
    words = ("--dataset", "runs", "--metrics", "block,work_items,application=gemm", "--folds", "kfold:5")
    assert run("fit", "anova", *words, "--out", "m.json")[0] == 0
    asked = ("designs", "--dataset", "runs", "--model", "m.json")
    assert "'work_items' too, of which the trials have 2 values. Choose one, such as work_items=1000." in run(*asked)[2]
    large = json.loads(run(*asked, "--where", "input=large", "--json")[1])
    assert large["problem"] == {"application": "gemm"}
    one = ("--where", "application=gemm", "--where", "input=large")
    found = json.loads(run(*asked, *one, "--json")[1])
    assert found["n_designs"] == 8
    assert found["alternatives"][0]["design"] == {"block": 32, "application": "gemm", "work_items": 8000}
    assert "'work_items' too, of which the trials have 2 values" in run(*asked, *one[:2])[2]
    counted = ["kernel,block,hits,time_s", *(f"gemm,{b},{100 + b * b % 37},{b + b * b % 37}" for b in range(8, 200, 8))]
    Path("counted.csv").write_text("\n".join(counted) + "\n")
    data = ("--dataset", "counted", "--response", "time_s")
    assert run("import", "counted.csv", *data, "--parameter", "block")[0] == 0
    assert run("fit", "ridge", *data, "--metrics", "block,hits", "--out", "hits.json")[0] == 0
    assert "'hits', which is measured with each run" in run("designs", *data[:2], "--model", "hits.json")[2]
    code, out, _ = run(*asked, *one[2:], "--minimise", "time_s over applications by worst")
    assert (code, "block 32" in out) == (0, True)


def test_the_next_points_are_for_the_response_of_the_model(run) -> None:
    rows = [(b, u) for b in (32, 64, 128, 256) for u in (1, 2, 4)][:-1]
    table = pd.DataFrame(rows, columns=["block", "unroll"])
    table.assign(time_s=1 / table.unroll + table.block / 99, power_w=table.block + 9.0).to_csv("two.csv", index=False)
    assert run("import", "two.csv", "--dataset", "two")[0] == 0
    assert run("fit", "anova", "--dataset", "two", "--response", "time_s", "--out", "t.json")[0] == 0
    words = ("plan", "--dataset", "two", "--method", "next", "-n", 1)
    assert run(*words, "--model", "t.json")[:2] == (0, "run,block,unroll\n001,256,4\n")
    assert "Name one with --response" in run(*words)[2]


@pytest.mark.slow
def test_a_response_with_a_blank_is_spoken_of_all_the_same(run) -> None:
    rows = pd.DataFrame(every(grid(5, 4, 3)) + 1, columns=["a", "b", "c"])
    rows.assign(**{"run time": 2.0 + rows.a - 0.1 * rows.c}).to_csv("results.csv", index=False)
    data = ("--dataset", "d", "--response")
    assert run("import", "results.csv", *data, "run time:s", "--parameter", "a,b,c")[0] == 0
    assert run("fit", "anova", *data, "run time", "--out", "m.json", "--folds", "kfold:5")[0] == 0
    found = json.loads(run("designs", "--dataset", "d", "--model", "m.json", "--limit", "run_time < 5", "--json")[1])
    assert found["goals"] == [{"goal": "run_time", "good": "low"}]
    assert found["alternatives"][0]["design"]["a"] == 1


def test_what_was_measured_once_is_said_to_count_as_exact(run) -> None:
    rows = [(c, n, 1000 / c / n**0.8) for c in (800, 1000, 1200) for n in (1, 2, 4, 8)]
    for name, more in (("once", []), ("twice", [(1200, 8, 0.17)])):
        lines = [f"{c},{n},{t:.6g}" for c, n, t in [*rows, *more]]
        Path(f"{name}.csv").write_text("\n".join(["clock_MHz,cores,time_s", *lines]) + "\n")
        assert run("import", f"{name}.csv", "--dataset", name)[0] == 0
        assert run("fit", "anova", "--dataset", name, "--out", f"{name}.json")[0] == 0
        code, out, _ = run("designs", "--model", f"{name}.json", "--dataset", name)
        assert code == 0
        assert ("counts as exact" in out) == (name == "once")


def test_what_the_model_makes_nothing_of_is_no_parameter_to_name(run) -> None:
    """A counter in the model's file that no term looks at, which no design has."""
    rng = np.random.default_rng(0)
    levels = [(c, n) for c in (800, 1000, 1200, 1400) for n in (1, 2, 4, 8)]
    rows = [f"{c},{n},{rng.integers(1000, 9000)},{1000 / c / n**0.8:.6g}" for c, n in levels for _ in range(2)]
    Path("counts.csv").write_text("\n".join(["clock_MHz,cores,l2_misses,time_s", *rows]) + "\n")
    told = ("--parameter", "clock_MHz,cores", "--response", "time_s")
    assert run("import", "counts.csv", "--dataset", "counts", *told)[0] == 0
    assert run("fit", "stepwise", "--dataset", "counts", "--out", "counts.json")[0] == 0
    assert "l2_misses" in Path("counts.json").read_text()
    code, out, err = run("designs", "--model", "counts.json", "--dataset", "counts", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["alternatives"][0]["design"] == {"clock_MHz": 1400, "cores": 8}
    assert found["alternatives"][0]["best"] > 0.9
    Path("two.toml").write_text("[parameters.clock_MHz]\nlevels = [800, 1400]\n[parameters.cores]\nlevels = [1, 8]\n")
    assert run("sweep", "counts.json", "two.toml")[0] == 0


def test_a_plan_asks_for_no_response_where_none_matters(run) -> None:
    Path("both.csv").write_text("threads,time_s,power_W\n" + "".join(f"{n},{8 / n},{9 * n}\n" for n in (1, 2, 4)))
    assert run("import", "both.csv", "--dataset", "both", "--response", "time_s", "--response", "power_W")[0] == 0
    Path("wide.toml").write_text("[parameters.threads]\nlevels = [1, 2, 4, 8, 16]\n")
    code, out, _ = run("plan", "wide.toml", "-n", 2, "--dataset", "both")
    assert code == 0
    assert sorted(line.partition(",")[2] for line in out.split()[1:]) == ["16", "8"]
    assert "Name one with --response" in run("plan", "wide.toml", "-n", 1, "--dataset", "both", "--method", "next")[2]


def test_models_of_several_applications_keep_the_logarithm_that_the_model_has(run) -> None:
    """All times span decades and are learnt as logarithms; those of one application span less than one."""
    levels = [(c, n, app) for app in (1, 40) for c in (800, 1000, 1200, 1400) for n in (1, 2, 4, 8)]
    rows = [f"{'ab'[app > 1]},{c},{n},{app * 1000 / c / n**0.8:.6g}" for c, n, app in levels]
    Path("two.csv").write_text("\n".join(["application,clock_MHz,cores,time_s", *rows]) + "\n")
    assert run("import", "two.csv", "--dataset", "two")[0] == 0
    assert run("fit", "stepwise", "--dataset", "two", "--out", "two_apps.json")[0] == 0
    goal = ("--minimise", "t over applications by geomean", "--dataset", "two")
    code, out, _ = run("designs", "--model", "t=two_apps.json", *goal)
    assert code == 0
    off = float(out.partition(" % off on designs that no application had measured")[0].rpartition(" ")[2])
    assert off < 10


@pytest.mark.slow
def test_designs_for_several_applications(run) -> None:
    run("plan", "space.toml", "-n", 40, "--method", "sobol", "--out", "first.csv")
    rows = pd.read_csv("first.csv", dtype={"run": str}).drop(columns="run")
    apps = [
        rows.assign(application=name, time=np.exp(w * np.log2(rows.a) - 0.2 * rows.c))
        for name, w in (("fft", 0.3), ("gemm", -0.1))
    ]
    pd.concat(apps).to_csv("results.csv", index=False)
    fitted(run, "stepwise.json")
    words = ("designs", "space.toml", "--model", "stepwise.json", "--minimise")
    code, out, _ = run(
        *words, "time over applications by geomean with gemm=3", "--limit", "time <= 2", "--dataset", "d", "--json"
    )
    found = json.loads(out)
    assert code == 0
    for one in found["alternatives"]:
        said = one["predicted"]
        assert set(said) == {"time_fft", "time_gemm"}
        assert max(said.values()) <= 2
        assert one["goals"][0] == pytest.approx((said["time_fft"] * said["time_gemm"] ** 3) ** 0.25)
    assert found["models"][0].startswith("time: one model")
    mean = ("time_fft", "--limit", "time over applications by mean <= 1.5", "--dataset", "d", "--next", "next.csv")
    code, out, _ = run(*words, *mean, "--json")
    said = json.loads(out)
    assert code == 0
    assert all(sum(one["predicted"].values()) / 2 <= 1.5 for one in said["alternatives"])
    runs = pd.read_csv("next.csv", dtype={"run": str}).drop(columns="run")
    assert runs.to_dict("records") == said["further"]
    assert pd.concat([rows, runs]).drop_duplicates().shape[0] == len(rows.drop_duplicates()) + len(runs)
    assert "--next follows from one goal" in run(*words, "time", "--next", "next.csv")[2]
    assert (
        "time over applications by slowdown" in run(*words, "time over applications by slowdown", "--dataset", "d")[1]
    )
    for goal, more, says in (
        ("time over applications by mean", (), "Give --dataset"),
        ("time over machines by mean", ("--dataset", "d"), "at least 2 of them, got 1"),
        ("time over applications by median", ("--dataset", "d"), "median"),
    ):
        assert says in run(*words, goal, *more)[2]


def test_sizes_by_which_inputs_are_called_are_parameters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = [(gpu, n, block) for gpu in ("A100", "V100") for n in (512, 1024, 2048) for block in (64, 128, 256)]
    lines = [f"{gpu},{n},{block},{n * n / block * (1 + (gpu == 'V100'))}" for gpu, n, block in cells]
    (tmp_path / "two.csv").write_text("\n".join(["gpu,n,block,time_ms", *lines, ""]))
    db, own = ["--db", str(tmp_path / "d.duckdb")], str(tmp_path / "m.json")
    where = ["--dataset", "two", "--where", "machine=A100"]
    assert main([*db, "import", str(tmp_path / "two.csv"), "--dataset", "two"]) == 0
    assert main([*db, "fit", "anova", *where, "--folds", "kfold:3", "--out", own]) == 0
    capsys.readouterr()
    said = "n belongs to the problem and is no choice: designs are for n"
    for flags, n in (((), 2048), (("--problem", "n=512"), 512), (("--limit", "n <= 1024"), 1024)):
        assert main([*db, "designs", *where, "--model", own, *flags, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert [one["design"] for one in found["alternatives"]] == [{"n": n, "block": b} for b in (256, 128, 64)]
        assert (found["problem"], found["notes"][0]) == ({"n": n}, f"{said} {n}.")
        assert found["sentence"].startswith(f"For n {n}: block 256 is the best")
    assert main([*db, "designs", *where, "--model", own, "--problem", "any", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["problem"], found["alternatives"][0]["design"]) == ({}, {"n": 512, "block": 256})
    for wrong in ("n=700", "m=512", "n"):
        assert main([*db, "designs", *where, "--model", own, "--problem", wrong]) == 2
        assert f"--problem takes NAME=VALUE of a parameter, got '{wrong}'" in capsys.readouterr().err
    assert main([*db, "designs", *where, "--where", "n=2048", "--model", own, "--json"]) == 0
    assert not json.loads(capsys.readouterr().out)["problem"]
    assert main([*db, "plan", "--dataset", "two", "-n", "3"]) == 2
    assert "Every one of the 9 points of the design space is measured" in capsys.readouterr().err


def test_designs_say_that_runs_without_outcome_are_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = [(x, y) for x in (8, 16, 32, 64, 128) for y in (4, 8, 16, 32, 64)]
    times = {cell: 50 * (1 + 40 / cell[0]) * (1 + 20 / cell[1]) for cell in cells}
    times |= {(64, 32): "", (64, 64): "", (128, 32): 80.0, (128, 64): 80.0}
    lines = [f"{x},{y},{times[x, y]}" for x, y in cells]
    (tmp_path / "tiles.csv").write_text("\n".join(["tile_x,tile_y,time_ms", *lines, ""]))
    db, own = ["--db", str(tmp_path / "d.duckdb")], str(tmp_path / "m.json")
    assert main([*db, "import", str(tmp_path / "tiles.csv")]) == 0
    assert main([*db, "fit", "anova", "--folds", "kfold:3", "--out", own]) == 0
    capsys.readouterr()
    assert main([*db, "designs", "--dataset", "tiles", "--model", own, "--json"]) == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert notes[0].startswith("2 trials without 'time_ms' are left out. If their runs failed, designs like theirs")
    assert main([*db, "designs", "--dataset", "tiles", "--model", own]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert "is the best: 80 ms (measured), and tile_x 128" in first
    assert "is as good. The probability that no other design shown is better is" in first
