"""A profiler's folder in a real browser: chosen as a folder, imported, curated, and modelled with repeats as one row."""

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import settle
from tests.pages.captures import AGENTS, HEAD, TRACE

pytestmark = pytest.mark.browser

N_KERNELS, N_RUNS = 12, 8


def write_folder(folder: Path) -> Path:
    """A run of rocprofv3 in two passes and a trace: twelve kernels, eight times each, one far too slow."""
    rng = np.random.default_rng(5)
    work = np.repeat(np.geomspace(1e3, 1e6, N_KERNELS), N_RUNS)
    time_ns = 1000 + work * np.exp(0.01 * rng.standard_normal(len(work)))
    time_ns[3] *= 40
    passes = {"WAVES": work, "VALU": work**0.9, "HIT": work * rng.uniform(0.5, 1.5, len(work))}
    for i, names in enumerate((("WAVES", "VALU"), ("HIT",)), start=1):
        rows = [
            f'{d + 1},{d + 1},1,1,77,77,4096,{d // N_RUNS},"kernel{d // N_RUNS:02}(float*)",256,0,0,16,32,'
            f'"{name}",{passes[name][d]:.3f}'
            for d in range(len(work))
            for name in names
        ]
        write(folder / "capture" / f"pmc_{i}" / "out_counter_collection.csv", [HEAD, *rows])
    rows = [
        f'"KERNEL_DISPATCH",1,1,{d + 1},{d // N_RUNS},"kernel{d // N_RUNS:02}(float*)",{d + 1},{10**8 * d},'
        f"{10**8 * d + int(ns)},0,0,256,1,1,4096,1,1"
        for d, ns in enumerate(time_ns)
    ]
    write(folder / "capture" / "out_kernel_trace.csv", [TRACE, *rows])
    write(folder / "capture" / "notes.txt", ["warm that day", "all in all"])
    (folder / "capture" / "out_agent_info.csv").write_bytes(AGENTS)
    return folder / "capture"


def write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, ""]))


def test_from_a_profilers_folder_to_a_model(page: Page, server: str, tmp_path: Path) -> None:
    # A folder, whose passes, trace and machine come together.
    page.goto(f"{server}/?trials_view=Upload")
    page.get_by_text("Folder", exact=True).click()
    settle(page)
    page.locator("input[type=file][webkitdirectory]").first.set_input_files(write_folder(tmp_path))
    expect(page.get_by_text("96 rows · runs")).to_be_visible()
    expect(page.get_by_text("1 file of the folder left out")).to_be_visible()
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("96 trials stored in dataset capture, nothing skipped.")).to_be_visible()
    settle(page)

    # The slow run is found, left out, and that is in force.
    page.get_by_role("tab", name="Curate").click()
    page.locator("[data-testid=stMain] [data-testid=stSelectbox]").first.click()
    page.get_by_role("option", name="MAD test").click()
    expect(page.get_by_text(re.compile(r"It would leave out \d+ trials? of 96"))).to_be_visible()
    page.get_by_role("button", name="Apply this rule").click()
    expect(page.get_by_text("This is in force.")).to_be_visible()
    expect(page.get_by_text(re.compile(r"\d\d of 96 trials count\."))).to_be_visible()
    settle(page)

    # A model on one row per kernel.
    page.goto(f"{server}/model?dataset=capture&repeats=median")
    settle(page)
    expect(page.get_by_text("Predicting time_s (s)").first).to_be_visible()
    expect(page.get_by_text(re.compile(rf"make {N_KERNELS} rows|\b{N_KERNELS} trials")).first).to_be_visible()
