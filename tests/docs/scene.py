"""What the documents' commands speak of: files, datasets, models and programs of the names that stand there."""

import json
import stat
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from core.cli import main
from tests.conftest import machine_frame
from tests.ingest.readers.test_gpgpu_sim import launch, log, push
from tests.scaling.made import made_study

MACHINES = ("K40", "V100", "GTX980", "K20")
SPACE = "[parameters.width]\nrange = [1, 32]\nstep = 1\n[parameters.depth]\nrange = [1, 32]\nstep = 1\n"
KERNEL = "addq $1, %rax\nimulq %rax, %rbx\nmovq (%rdi), %rcx\naddq %rcx, %rbx\n"
SIMULATOR = "#!/bin/sh\necho cycles\necho $((1000 + 90000 / ($1 + 2) + 40000 / ($2 + 1)))\n"
SIMULATE = '#!/bin/sh\nsed "s/CYCLES/$((1000 + 90000 / ($2 + 2) + 400000 / ($4 + 1)))/g" {}\n'


def table(n_apps: int = 4) -> pd.DataFrame:
    """Programs on four machines, with counters that tell their time."""
    frame = machine_frame(n_apps, len(MACHINES), repeats=2)
    rng = np.random.default_rng(1)
    made = pd.DataFrame(frame.X[:, :2], columns=["instructions", "bytes"])
    for i in range(4):
        made[f"counter_{i}"] = made["instructions"] ** rng.uniform(0.3, 1) * rng.lognormal(0, 0.2, len(made))
    made["application"] = frame.labels["application"]
    made["machine"] = [MACHINES[int(m[-1])] for m in frame.labels["machine"]]
    return made.assign(time=frame.y)


def import_(words: str) -> None:
    """Import as a user would, and see that it succeeds."""
    assert main(["import", *words.split()]) == 0, words


def trials() -> None:
    """`trials.csv`, `machines.csv`, `new.csv`, `good.csv` and `results/`: tables; nothing is imported yet."""
    made = table().rename(columns={"time": "time (s)"})
    made.to_csv("trials.csv", index=False)
    facts = {"machine": MACHINES, "clock (MHz)": (875, 1455, 1126, 706), "bandwidth (GB/s)": (288, 900, 224, 208)}
    machines = pd.DataFrame(facts)
    machines.to_csv("machines.csv", index=False)
    made.drop(columns="time (s)").head(5).merge(machines).to_csv("new.csv", index=False)
    for name in ("good.csv", "tonight.csv"):
        made.merge(machines).to_csv(name, index=False)
    profiles()


def mine() -> None:
    """The dataset `mine`, and one of the name that stands for any."""
    trials()
    import_("trials.csv --dataset mine --machines machines.csv")
    import_("trials.csv --dataset NAME --machines machines.csv")


def profiles() -> None:
    """`profile.csv`, `a.csv`, `b.csv`, `counters.csv`, `ddot.csv` and `results/`, as tools write them."""
    made = table().drop(columns="machine").rename(columns={"time": "time (s)"})
    made.head(10).to_csv("profile.csv", index=False)
    made.tail(20).head(10).to_csv("a.csv", index=False)
    made.tail(10).to_csv("b.csv", index=False)
    made.drop(columns="time (s)").head(15).assign(Ir=range(1000, 1015)).to_csv("counters.csv", index=False)
    Path("ddot.csv").write_text("nprocs,n,nnz,time\n4,100,2700,0.000125\n4,100,2700,0.000126\n4,200,5400,0.00025\n")
    Path("results").mkdir(exist_ok=True)
    made.tail(15).to_csv("results/run.csv", index=False)


def programs() -> None:
    """Simulators of a second's work in no time, spaces, and a program to profile."""
    Path("space.toml").write_text(SPACE)
    Path("SPACE.toml").write_text(SPACE.replace("width", "simd").replace("depth", "blk"))
    Path("kernel.s").write_text(KERNEL)
    Path("gpgpu.log").write_bytes(
        log(push("_Z4axpyPf"), launch(1)).replace(b"gpu_sim_cycle = 100", b"gpu_sim_cycle = CYCLES")
    )
    program("simulator", SIMULATOR)
    program("simulate", SIMULATE.format(Path("gpgpu.log").resolve()))
    program("program", "#!/bin/sh\ntrue\n")


def program(name: str, text: str) -> None:
    """Put an executable script into the folder."""
    Path(name).write_text(text)
    Path(name).chmod(Path(name).stat().st_mode | stat.S_IXUSR)


def readme() -> None:
    """Tables and simulators."""
    trials()
    programs()


def gpus() -> None:
    """The dataset `gpus`, and a model of one of its machines from another."""
    table(10).rename(columns={"time": "time_s"}).to_csv("gpus.csv", index=False)
    import_("gpus.csv --dataset gpus --response time_s:s")
    words = "fit ols --dataset gpus --response time_s --host K40 --target GTX980 --out model.json"
    assert main(words.split()) == 0


def parquet() -> None:
    """A folder of Parquet files."""
    Path("runs").mkdir()
    rng = np.random.default_rng(0)
    made = pd.DataFrame({"size": rng.lognormal(8, 1, 200), "loads": rng.lognormal(9, 1, 200)})
    made["kernel"], made["gpu"] = [f"k{i % 8}" for i in range(200)], ["A100" if i % 2 else "V100" for i in range(200)]
    made.assign(time=1e-6 * made["size"] + 1e-7 * made["loads"]).to_parquet("runs/0.parquet")


def scaling() -> None:
    """A dataset of kernels over clocks, a file of kernels, and an application of segments."""
    study = made_study(14, levels=(1, 3, 3))
    lines = ["kernel,core_mhz,mem_mhz,flops,bytes,time_ms,power_w"]
    cores = dict(zip(np.unique(study.grid[:, 1]), (900, 1000, 1164), strict=True))
    memory = dict(zip(np.unique(study.grid[:, 2]), (2000, 3000, 3505), strict=True))
    for (k, name), (c, point) in product(enumerate(study.kernels), enumerate(study.grid)):
        cells = [cores[point[1]], memory[point[2]], *study.counts[k, c, :2], *study.values[:, k, c]]
        lines.append(",".join([name, *(f"{x:.9g}" for x in cells)]))
    Path("kernels-measured.csv").write_text("\n".join(lines) + "\n")
    roles = "--application kernel --parameter core_mhz,mem_mhz --response time_ms:ms --response power_w:W"
    import_(f"kernels-measured.csv --dataset NAME {roles}")
    base = [line.replace(",1164,3505,", ",", 1) for line in lines if ",1164,3505," in line]
    text = "\n".join(["kernel,flops,bytes,time_ms,power_w", *base[:3]]).replace("compute_0", "gemm") + "\n"
    for name in ("KERNELS.csv", "kernels.csv"):
        Path(name).write_text(text)
    own = {"name": "load", "device": "cpu", "time_s": 0.2, "power_w": 30}
    more = {"name": "solve", "device": "gpu", "kernel": "gemm", "after": ["load"], "count": 10}
    Path("app.json").write_text(json.dumps({"segments": [own, more]}))


def designs(name: str = "NAME") -> None:
    """A dataset of two applications over designs of three parameters."""
    lines = ["application,simd,blk,dispatch_width,cycles"]
    for app, (s, b, d) in product((1, 2), product(range(1, 11), range(1, 11), (1, 2, 4, 8, 16))):
        lines.append(f"app{app},{s},{b},{d},{1000 + 9000 / s + app * 500 / b + 200 * app / d + 10 * s * b}")
    Path("designs.csv").write_text("\n".join(lines) + "\n")
    import_(f"designs.csv --dataset {name} --parameter simd,blk,dispatch_width --response cycles:cycles")


def model() -> None:
    """`model.json`, of `trials.csv`."""
    trials()
    import_("trials.csv --dataset model")
    assert main(["fit", "ols", "--dataset", "model", "--response", "time", "--out", "model.json"]) == 0


def checks() -> None:
    """`model.json`, and measurements before and after, `old.csv` and `new.csv`, of the same configurations."""
    model()
    made = table()
    made.to_csv("old.csv", index=False)
    made.assign(time=1.001 * made["time"]).to_csv("new.csv", index=False)


def explained() -> None:
    """`model.json` and `rows.csv`, with its metrics."""
    model()
    table().to_csv("rows.csv", index=False)


def profiled() -> None:
    """The dataset `profiled`: kernels with rocprof's busy units, and `model.json`, fitted to it."""
    rows = [(f"k{i}", 5.0 + 9 * i, 95.0 - 8 * i, 1e9 + 1e8 * i**2, 1e-3 * (1 + i)) for i in range(10)]
    made = pd.DataFrame(rows, columns=["kernel", "VALUBusy (%)", "MemUnitBusy (%)", "TCC_HIT", "time (s)"])
    made.to_csv("profiled.csv", index=False)
    import_("profiled.csv --dataset profiled --application kernel --response time")
    assert main(["fit", "ols", "--dataset", "profiled", "--response", "time", "--out", "model.json"]) == 0


def generations() -> None:
    """The sample of nine processors."""
    folder = "data/samples/generations"
    roles = "--application kernel --input variant --machine cpu --response cycles:cycles"
    import_(
        f"{folder}/trials.csv.gz --dataset generations --machines {folder}/machines.csv --inputs {folder}/inputs.csv {roles}"
    )


def shell() -> None:
    """What README's commands find, a plan, and rows to hold against a model."""
    readme()
    words = ["plan", "space.toml", "-n", "25", "--seed", "1", "--out", "plan.csv"]
    assert main(words) == 0


SCENES: dict[str, Callable[[], None]] = {
    "README.md": readme,
    "docs/bottlenecks.md": profiled,
    "docs/machines.md": mine,
    "docs/check.md": checks,
    "docs/curation.md": mine,
    "docs/design_space.md": programs,
    "docs/experiments.md": generations,
    "docs/first_model.md": mine,
    "docs/halwpe.md": gpus,
    "docs/large.md": parquet,
    "docs/models.md": model,
    "docs/readers.md": profiles,
    "docs/scaling.md": scaling,
    "docs/shell.md": shell,
    "docs/stargazer.md": designs,
    "docs/tour.md": readme,
    "docs/trials.md": profiles,
    "docs/using.md": model,
    "docs/why.md": explained,
}
"""What each document's commands find, by its name; those without a line need nothing but the samples."""
