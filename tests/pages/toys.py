"""Small trials whose groups and truth are known, and what tests of pages ask of a page."""

import base64
import json
from collections.abc import Callable

import numpy as np
from streamlit.testing.v1 import AppTest

from core.trial import Import, Kind, Metric, Trials

N_APPS, N_MACHINES = 10, 4


def toy_import(n_apps: int = N_APPS, constant: bool = False) -> Import:
    """Applications on machines, with five metrics in two groups of alike ones."""
    rng = np.random.default_rng(0)
    work, traffic = np.exp(rng.uniform(2, 9, n_apps)), np.exp(rng.uniform(2, 9, n_apps))
    clock = rng.uniform(1, 4, N_MACHINES)
    a, m = (v.ravel() for v in np.meshgrid(np.arange(n_apps), np.arange(N_MACHINES), indexing="ij"))
    noise = np.exp(0.05 * rng.standard_normal((len(a), 4)))
    columns = [work[a] * noise[:, 0], 3 * work[a] * noise[:, 1], traffic[a] * noise[:, 2], clock[m]]
    y = (work[a] + 2 * traffic[a]) / clock[m] * noise[:, 3]
    metrics = [Metric("instructions"), Metric("micro_operations"), Metric("bytes", unit="B")]
    metrics.append(Metric("clock", unit="GHz"))
    if constant:
        columns.append(np.full(len(a), 7.0))
        metrics.append(Metric("lanes"))
    metrics.append(Metric("time", Kind.RESPONSE, "us"))
    values = np.column_stack([*columns, y])
    trials = Trials(
        application=tuple(f"app*{i}*" for i in a),
        input=("",) * len(a),
        machine=tuple(f"gpu{i}" for i in m),
        metrics=tuple(metrics),
        values=values,
        labels={"vendor": tuple("xy"[i % 2] for i in m)},
    )
    return Import(source="toy.csv", sha256=f"toy{n_apps}{constant}", format="csv", trials=trials)


def space_import(n: int = 80, n_apps: int = 1) -> Import:
    """Designs of a space of three parameters, of which two act together, run by one or more applications."""
    rng = np.random.default_rng(1)
    levels = ((8.0, 16.0, 32.0, 64.0), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0), (0.0, 1.0))
    X = np.column_stack([rng.choice(own, n) for own in levels])
    y = 500 + 4e3 / X[:, 0] * (1 + 4 / X[:, 1]) + 30 * X[:, 2] + rng.normal(0, 5, n)
    units = ("lanes", "blocks", "")
    metrics = [Metric(m, Kind.PARAMETER, u) for m, u in zip(("simd", "blocks", "cache"), units, strict=True)]
    values = np.vstack([np.column_stack([X, (i + 1) * y]) for i in range(n_apps)])
    names = tuple(f"loop{i}" for i in range(n_apps) for _ in range(n))
    trials = Trials(
        application=names,
        input=("",) * len(names),
        machine=("gpu",) * len(names),
        metrics=(*metrics, Metric("cycles", Kind.RESPONSE, "cycles")),
        values=values,
    )
    return Import(source="space.csv", sha256=f"space{n}{n_apps}", format="csv", trials=trials)


def finished(at: AppTest, enough: Callable[[AppTest], object] = lambda _: False) -> AppTest:
    """Return a page that shows enough, or that was drawn when its jobs had all ended, and began no others then.

    It is drawn anew only where one of them has ended.
    """
    from pages._ui.jobs import runner

    while not enough(at):
        known = list(runner().jobs._jobs.values())
        under_way = [job for job in known if not job.ended]
        while under_way and not any(job.ended for job in under_way):
            under_way[0].wait(0.05)
        all_ended = all(job.ended for job in known)
        at.run()
        if all_ended and {id(job) for job in runner().jobs._jobs.values()} <= {id(job) for job in known}:
            break
    return at


def rested(at: AppTest, enough: Callable[[AppTest], object] = lambda _: False) -> AppTest:
    """Return a finished page that shows neither a bug nor an error."""
    return sound(finished(sound(at), enough))


def press(at: AppTest, key: str) -> AppTest:
    """Press the button whose key begins so, and return the page, which shows neither a bug nor an error."""
    return sound(next(button for button in at.button if str(button.key).startswith(key)).click().run())


def choose(at: AppTest, key: str, **selection: list) -> None:
    """Choose rows of a table, or points of a figure, whose key begins so, for the next run alone."""
    keys = [block.proto.id.split("-", 2)[-1] for block in (*at.dataframe, *at.get("plotly_chart"))]
    at.session_state[next(whole for whole in keys if whole.startswith(key))] = {"selection": selection}


def charts(at: AppTest) -> list[dict]:
    """Return the figures of a page as the browser gets them."""
    return [json.loads(block.proto.spec) for block in at.get("plotly_chart")]


def drawings(at: AppTest) -> list[str]:
    """Return what the light drawings of a page show, in words."""
    return [image.alt for block in at.get("image") for image in block.proto.imgs]


def numbers(values: list[float] | dict[str, str]) -> np.ndarray:
    """Return numbers of a figure, which are a list or bytes."""
    return (
        np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
        if isinstance(values, dict)
        else np.array(values)
    )


def sound(at: AppTest) -> AppTest:
    """Return a page that shows neither a bug nor an error."""
    assert not at.exception, at.exception[0].message
    assert not at.error, at.error[0].value
    return at
