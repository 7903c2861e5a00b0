"""`ridgeline versus`, `ridgeline drift`, and what `predict` says of the nearest trials and outside the range."""

import json

import pandas as pd
import pytest

from core.cli import main
from tests.conftest import machine_frame


def two_models() -> None:
    """`old.csv` and `new.csv`, datasets of these names, and `good.json` and `poor.json`, learnt from the first."""
    for name, seed in (("old", 0), ("new", 0)):
        frame = machine_frame(16, 5, noise=0.02, seed=seed)
        table = pd.DataFrame(frame.X, columns=list(frame.names)).assign(
            application=frame.labels["application"], machine=frame.labels["machine"], time_s=frame.y
        )
        apps = table["application"].str[3:].astype(int)
        table = table[apps < 10] if name == "old" else table[apps >= 10]
        if name == "new":
            table = table.assign(instructions=table["instructions"] * 300)
        table.to_csv(f"{name}.csv", index=False)
        words = ("--application", "application", "--machine", "machine", "--response", "time_s:s")
        assert main(["import", f"{name}.csv", "--dataset", name, *words]) == 0
    for file, recipe in (("good", "gaussian_process"), ("poor", "ridge")):
        options = ("--folds", "kfold:4", "--out", f"{file}.json")
        assert main(["fit", recipe, "--dataset", "old", "--response", "time_s", *options]) == 0


@pytest.fixture
def run(scene, capsys: pytest.CaptureFixture[str]):
    """Run a verb in a folder of this test with two models of one dataset; returns code, output, error."""

    def call(*words: object) -> tuple[int, str, str]:
        code = main([str(w) for w in words])
        said = capsys.readouterr()
        return code, said.out, said.err

    scene(two_models)
    capsys.readouterr()
    return call


@pytest.mark.slow
def test_two_models_on_folds_and_as_they_are(run) -> None:
    models = "good.json", "poor.json"
    code, out, _ = run("versus", *models, "--dataset", "old", "--folds", "kfold:5", "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["folds"], found["n_trials"], found["n_blocks"], found["percent"]) == ("kfold:5", 50, 5, True)
    assert found["difference"] == pytest.approx(found["errors"]["second"] - found["errors"]["first"])
    assert found["low"] < found["difference"] < found["high"]
    code, out, _ = run("versus", "good.json", "poor.json", "--dataset", "old", "--as-they-are")
    assert "The first and the second model learnt from these very trials" in out
    some = ("--dataset", "old", "--where", "application=app1", "--as-they-are")
    assert "The first and the second model learnt from these very trials" in run("versus", *models, *some)[1]
    assert "it takes no --folds" in run("versus", *models, *some, "--folds", "kfold:3")[2]
    code, out, _ = run("versus", "good.json", "poor.json", "--dataset", "new", "--as-they-are", "--json")
    found = json.loads(out)
    assert [m["seen"] for m in found["models"]] == [False, False]
    assert (found["folds"], found["n_blocks"]) == ("as they are", 6)


@pytest.mark.slow
def test_drift_of_a_dataset_and_of_a_file(run) -> None:
    code, out, _ = run("drift", "good.json", "--dataset", "new", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["n_trials"] == 30
    assert found["outside"] >= 0.5
    assert found["metrics"][0]["name"] == "instructions"
    assert found["metrics"][0]["drifted"]
    assert found["scores"]["mape"] > 50
    assert found["verdict"].endswith("Train it again with the new trials among the others.")
    code, out, _ = run("drift", "good.json", "new.csv", "--json")
    assert json.loads(out)["metrics"] == found["metrics"]
    code, out, _ = run("drift", "good.json", "old.csv")
    assert code == 0
    assert out.startswith("0 % of 50 new trials lie outside what the model learnt from; no metric has drifted")
    assert "The model may go on." in out
    for words in ((), ("old.csv", "--dataset", "old")):
        code, _, err = run("drift", "good.json", *words)
        assert code == 2
        assert "give one of the two" in err
    pd.read_csv("new.csv").assign(instructions="").to_csv("gaps.csv", index=False)
    assert (
        "every metric of the model: of the first metric 'instructions' is missing."
        in run("drift", "good.json", "gaps.csv")[2]
    )


@pytest.mark.slow
def test_predict_names_the_nearest_and_obeys_the_policy(run) -> None:
    code, out, _ = run("predict", "good.json", "new.csv", "--nearest", 2, "--outside", "refuse", "--json")
    found = json.loads(out)
    assert code == 0
    outside = [p for p in found["predictions"] if not p["in_domain"]]
    assert outside
    assert all(p["prediction"] is None and p["why"].startswith("no prediction: ") for p in outside)
    for row in found["predictions"]:
        near = row["nearest"]
        assert len(near) == 2
        assert 0 <= near[0]["distance"] <= near[1]["distance"]
        assert near[0]["trial"].startswith("app")
    code, out, _ = run("predict", "good.json", "old.csv", "--nearest", 1, "--json")
    first = json.loads(out)["predictions"][0]["nearest"][0]
    table = pd.read_csv("old.csv")
    assert first["distance"] == pytest.approx(0, abs=1e-9)
    assert first["response"] == pytest.approx(table["time_s"][0])


@pytest.mark.slow
def test_the_interval_is_chosen_or_asked_for(run) -> None:
    for method in ("plain", "leverage", "prediction", "auto"):
        words = ("--dataset", "old", "--response", "time_s", "--folds", "kfold:5", "--interval", method, "--json")
        code, out, _ = run("validate", "ridge", *words)
        found = json.loads(out)
        assert code == 0
        assert found["interval"] == method or method == "auto"
        assert found["scores"]["width_90"] > 0
