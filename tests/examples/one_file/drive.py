"""Drives each kind of thing that a copy of the program was given, and prints what came of it as one JSON object."""

import json
from contextlib import redirect_stdout
from io import StringIO
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

ANSWER = ("--dataset", "t", "--response", "time", "--folds", "kfold:3", "--json")
SPACE = "[parameters.width]\nlevels = [1, 2, 4]\n[parameters.depth]\nlevels = [1, 2]\n"


def verb(*words: str) -> tuple[int, dict[str, Any]]:
    """Return what a verb ends with, and what it prints."""
    from core.cli import main

    with redirect_stdout(StringIO()) as printed:
        code = main(["-q", *words])
    text = printed.getvalue()
    return code, json.loads(text) if text.startswith("{") else {"text": text}


def write_files() -> None:
    """Write trials, kernels over configurations, a stopwatch's notes and a design space."""
    rng = np.random.default_rng(0)
    x, z = rng.uniform(-4, 4, 80), rng.uniform(0, 1, 80)
    rows = [f"app{i % 5},{x[i]},{z[i]},{10 + 3 * np.cbrt(x[i]) + 0.1 * z[i]}" for i in range(80)]
    Path("t.csv").write_text("application,level,other,time (s)\n" + "\n".join(rows) + "\n")
    kernels = [
        f"k{k},{cores},{clock},{k + 1},{(k + 1) / cores + k / clock}"
        for k, cores, clock in product(range(12), (1, 2, 4), (1, 2))
    ]
    Path("kernels.csv").write_text("kernel,cores,clock,work,time_s\n" + "\n".join(kernels) + "\n")
    Path("notes.txt").write_text("stopwatch 1\nscale 1000 0.5\naxpy 3000 1.5\n")
    Path("space.toml").write_text(SPACE)


def basis() -> dict[str, Any]:
    pool = ("--set", "pool=cube_root")
    found: dict[str, Any] = {"fit": verb("fit", "stepwise", *ANSWER, *pool, "--out", "basis.json")[0]}
    found["in the file"] = "cube_root" in Path("basis.json").read_text()
    for form in ("c", "cpp", "python", "sql", "onnx"):
        words = ("export", "basis.json", "--to", form, "--out", f"m.{form}", "--prove", "--rows", "200", "--json")
        code, said = verb(*words)
        found[form] = [code, said.get("proof", {}).get("holds") or said.get("proof")]
    return found


def recipe(name: str, option: str) -> dict[str, Any]:
    """Fit, predict, export and race a recipe, or a family."""
    file = f"{name}.json"
    raced = verb("race", *ANSWER, "--entries", f"{name},ridge")
    return {
        "fit": verb("fit", name, *ANSWER, "--set", option, "--out", file)[0],
        "predict": verb("predict", file, "t.csv", "--json")[0],
        "export": verb("export", file, "--to", "c", "--out", "f.c", "--json")[0],
        "formula": verb("export", file, "--to", "formula", "--out", f"{name}.txt", "--json")[0],
        "race": [raced[0], name in json.dumps(raced[1])],
        "help": option.split("=")[0] in help_of("fit", name),
    }


def story() -> dict[str, Any]:
    """Return what verbs and files say of the family's model: what its terms are, what matters, its formula."""
    _, said = verb("fit", "single_metric", *ANSWER)
    _, lines = verb("fit", "single_metric", *ANSWER[:-1])
    verb("export", "single_metric.json", "--to", "card", "--out", "card.html", "--json")
    return {
        "terms": said["terms"],
        "lines": lines["text"],
        "card": Path("card.html").read_text(),
        "formula": Path("single_metric.txt").read_text(),
    }


def help_of(*words: str) -> str:
    """Return what `--help` prints."""
    from core.cli import main

    with redirect_stdout(StringIO()) as printed:
        try:
            main([*words, "--help"])
        except SystemExit:
            return printed.getvalue()
    return ""


def rule() -> dict[str, Any]:
    code, said = verb("curate", "--dataset", "t", "--rule", "below", "--set", "limit=8", "--dry-run", "--json")
    return {"code": code, "excluded": said["n_excluded"], "reason": said["excluded"][0]["reason"]}


def reader() -> dict[str, Any]:
    code, said = verb("import", "notes.txt", "--dataset", "notes", "--json")
    return {"code": code, "imported": json.dumps(said), "datasets": json.dumps(verb("datasets", "--json")[1])}


def plan() -> dict[str, Any]:
    words = ("plan", "space.toml", "--method", "first", "--set", "stride=2", "-n", "3", "--out", "plan.csv", "--json")
    code, said = verb(*words)
    return {"code": code, "method": said.get("method"), "rows": Path("plan.csv").read_text().splitlines()}


def predictor() -> dict[str, Any]:
    study = ("--dataset", "kernels", "--response", "time_s")
    fit = (
        "scale",
        "fit",
        "trimmed_mean",
        *study,
        "--set",
        "trimmed=0.2",
        "--folds",
        "kfold:3",
        "--out",
        "s.json",
        "--json",
    )
    code, said = verb(
        "scale", "race", "--predictors", "trimmed_mean,mean_surface", *study, "--folds", "kfold:3", "--json"
    )
    return {
        "fit": verb(*fit)[0],
        "in the file": "trimmed_mean" in Path("s.json").read_text(),
        "race": [code, "trimmed_mean" in json.dumps(said)],
    }


def exporter() -> dict[str, Any]:
    code, _ = verb("export", "basis.json", "--to", "notes", "--out", "notes.out", "--json")
    return {
        "code": code,
        "text": Path("notes.out").read_text(),
        "listed": "notes" in json.dumps(verb("export", "basis.json", "--json")[1]),
    }


def new_verb() -> dict[str, Any]:
    from core.cli.base import schema_of

    code, said = verb("largest", "time", "--dataset", "t", "--json")
    return {
        "code": code,
        "keys": sorted(said),
        "schema": sorted(schema_of("largest")["properties"]),
        "listed": "largest" in help_of(),
    }


def keep_model() -> None:
    """Save the model of the basis function where pages find it."""
    from core.export import read_model
    from core.store import Store
    from core.workspace import database_path

    raw = Path("basis.json").read_bytes()
    made = read_model(raw).provenance
    with Store.open(database_path()) as store:
        store.models.save(
            "basis",
            raw,
            dataset="t",
            recipe=made.recipe,
            response="time",
            n_trials=made.n_trials,
            scores={},
            options={},
        )


def page(name: str, **url: str) -> dict[str, Any]:
    """Return what is wrong with a page, and the keys and choices of its widgets."""
    from streamlit.testing.v1 import AppTest

    from core.workspace import APP

    at = AppTest.from_file(str(APP), default_timeout=600)
    at.switch_page(f"pages/{name}.py")
    for key, value in url.items():
        at.query_params[key] = value
    at.run()
    widgets = (*at.slider, *at.number_input, *at.text_input)
    chosen = [option for box in at.selectbox for option in box.options]
    return {
        "wrong": [e.message for e in at.exception] + [e.value for e in at.error],
        "keys": [w.key for w in widgets],
        "choices": chosen,
        "tabs": [tab.label for tab in at.tabs],
        "said": [one.value.replace("\\", "") for one in (*at.caption, *at.markdown)],
        "numbers": [[m.label, m.value] for m in at.metric],
    }


def main() -> None:
    from pages._model import answer

    write_files()
    found: dict[str, Any] = {"import": verb("import", "t.csv", "--dataset", "t", "--json")[0]}
    words = ("--application", "kernel", "--parameter", "cores,clock", "--response", "time_s:s", "--json")
    found["kernels"] = verb("import", "kernels.csv", "--dataset", "kernels", *words)[0]
    found["basis"] = basis()
    found["family"] = recipe("single_metric", "shrinkage=0.9")
    found["story"] = story()
    found["recipe"] = recipe("rooted", "penalty=0.5")
    found |= {"rule": rule(), "reader": reader(), "plan": plan(), "predictor": predictor()}
    found |= {"exporter": exporter(), "verb": new_verb()}
    keep_model()
    answer.UNASKED = 0  # the best model of all is not looked for
    found["pages"] = {
        "family": page("model", dataset="t", recipe="single_metric"),
        "selection": page("model", dataset="t", recipe="single_metric", model_view="Selection"),
        "formula": page("model", dataset="t", recipe="single_metric", model_view="Formula"),
        "recipe": page("model", dataset="t", recipe="rooted"),
        "rule": page("trials", dataset="t", trials_view="Curate", rule="Response below a limit"),
        "plan": page("design_space", dataset="kernels", space_view="Plan", plan_method="first", plan_number="3"),
        "predictor": page("scaling", dataset="kernels", scaling_view="Predict", scaling_predictor="trimmed_mean"),
        "exporter": page("models", models_view="Saved models"),
        "view": page("models", models_view="Recipes"),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
