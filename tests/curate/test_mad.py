"""The MAD test: exactly what R's mad() excludes, and nothing where nothing can be said."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from core.curate import RULES
from core.errors import OptionError
from core.ingest import SourceFile, find_reader
from core.trial import Measured
from tests.curate.made import of_import, times
from tests.made import uniform

MAD = RULES["mad"]
IQR = RULES["iqr"]

# > lcg <- function(n, seed) { x <- seed; out <- numeric(n)
# >   for (i in 1:n) { x <- (75 * x + 74) %% 65537; out[i] <- x / 65537 }; out }
# > u <- lcg(90, 3); y <- 10 + u; odd <- lcg(90, 5) < 0.25; y[odd] <- y[odd] * (0.6 + lcg(90, 7)[odd])
# > k <- (0:89) %% 6
# > out <- function(inside) cat(which(!inside) - 1, sep = ", ", fill = TRUE)
# > for (constant in c(1.4826, 1)) for (v in list(y, log(y)))
# >   out(abs(v - ave(v, k, FUN = median)) <= 4 * ave(v, k, FUN = function(g) mad(g, constant = constant)))
# > q <- function(p) function(g) quantile(g, p)
# > low <- ave(y, k, FUN = q(.25)); high <- ave(y, k, FUN = q(.75))
# > for (f in c(1.5, 3)) out(y >= low - f * (high - low) & y <= high + f * (high - low))
FROM_R = {
    ("mad", "scale=raw scaled=true"): (0, 6, 15, 19, 22, 27, 38, 41, 44, 49, 51, 56, 64, 71, 73, 79),
    ("mad", "scale=log scaled=true"): (0, 6, 15, 19, 22, 27, 41, 44, 49, 51, 56, 64, 71, 73, 79),
    ("mad", "scale=raw scaled=false"): (0, 6, 8, 15, 19, 22, 27, 35, 38, 41, 44, 49, 51, 56, 64, 71, 73, 79),
    ("mad", "scale=log scaled=false"): (0, 6, 15, 19, 22, 27, 35, 38, 41, 44, 49, 51, 56, 64, 71, 73, 79),
    ("iqr", "k=1.5"): (0, 5, 6, 15, 19, 22, 27, 35, 41, 44, 49, 51, 56, 64, 71, 73, 79),
    ("iqr", "k=3"): (0, 6, 15, 19, 22, 27, 41, 49, 51, 64, 71, 73, 79),
}

ON_FILES = """
a <- commandArgs(TRUE)
d <- read.csv(gzfile(a[1]), stringsAsFactors = FALSE)
k <- paste(d$application, d$kernel, d$size, d$device, sep = "\\x1f")
v <- d[[a[2]]]
s <- ave(v, k, FUN = function(g) mad(g, constant = as.numeric(a[3])))
low <- ave(v, k, FUN = function(g) quantile(g, .25))
high <- ave(v, k, FUN = function(g) quantile(g, .75))
out <- if (a[4] == "mad") abs(v - ave(v, k, FUN = median)) > 7 * s & s > 0 else
  (v < low - 1.5 * (high - low) | v > high + 1.5 * (high - low)) & high > low
cat(which(out) - 1)
"""


def outside(m: Measured, rule: str = "mad", **options: object) -> list[int]:
    parsed = RULES[rule].parse({k: str(v) for k, v in options.items()})
    return sorted(int(id[1:]) for id in parsed.judge(m, "time_s").excluded)


def noisy() -> tuple[np.ndarray, np.ndarray]:
    y = 10 + uniform(90, 3)
    odd = uniform(90, 5) < 0.25
    y[odd] *= 0.6 + uniform(90, 7)[odd]
    return y, np.arange(90) % 6


@pytest.mark.parametrize(("rule", "options"), list(FROM_R), ids=lambda x: str(x).replace(" ", ","))
def test_as_r_excludes(rule: str, options: str) -> None:
    texts = dict(o.split("=") for o in options.split())
    if rule == "mad":
        texts["threshold"] = "4"
    assert tuple(outside(times(*noisy()), rule, **texts)) == FROM_R[rule, options]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("rule", ["mad", "iqr"])
def test_as_one_configuration_after_the_other(rule: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 400
    configuration = rng.integers(0, 40, n)
    y = np.round(np.exp(rng.standard_normal(n)), rng.integers(1, 8)) + 0.1
    y[rng.random(n) < 0.05] = np.nan
    wanted = []
    for c in np.unique(configuration):
        rows = np.flatnonzero((configuration == c) & ~np.isnan(y))
        v = y[rows]
        if len(v) < 5:
            continue
        if rule == "mad":
            mad = 1.4826 * np.median(np.abs(v - np.median(v)))
            out = (np.abs(v - np.median(v)) > 2 * mad) & (mad > 0)
        else:
            low, high = np.quantile(v, [0.25, 0.75])
            out = ((v < low - 0.7 * (high - low)) | (v > high + 0.7 * (high - low))) & (high > low)
        wanted += rows[out].tolist()
    options = {"threshold": 2} if rule == "mad" else {"k": 0.7}
    assert wanted
    assert outside(times(y, configuration), rule, **options) == sorted(wanted)


@pytest.mark.parametrize("rule", ["mad", "iqr"])
def test_where_most_repeats_are_alike_nothing_is_excluded(rule: str) -> None:
    y = [5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 900.0, 1, 1.1, 1.2, 1.3, 1.4, 80]
    judged = RULES[rule]().judge(times(y, [0] * 7 + [1] * 6), "time_s")
    assert list(judged.excluded) == ["t12"]
    assert judged.notes == ("1 configuration not judged: most of its repeats are alike",)


@pytest.mark.parametrize("rule", ["mad", "iqr"])
def test_few_repeats_are_not_judged(rule: str) -> None:
    m = times([1, 1.01, 1.02, 99, 1, 1.01, 1.02, 1.03, 99], [0] * 4 + [1] * 5)
    assert outside(m, rule) == [8]
    assert outside(m, rule, min_repeats=6) == []
    assert outside(m, rule, min_repeats=4) == [3, 8]
    assert RULES[rule]().judge(m, "time_s").notes == ("1 configuration not judged: fewer than 5 repeats",)


def test_a_logarithm_needs_a_positive_value() -> None:
    m = times([1, 1.01, 1.02, 1.03, 1.04, 0.0, -3.0, 50], [0] * 8)
    assert outside(m, scale="log") == [7]
    assert MAD(scale="log").judge(m, "time_s").notes == ("2 trials not judged: no logarithm at or below 0",)
    assert outside(m) == [5, 6, 7]


def test_missing_responses_are_no_repeats() -> None:
    assert outside(times([1, 1.1, 1.2, 1.3, np.nan, np.nan, 60], [0] * 7)) == [6]
    assert outside(times([1, 1.1, 1.2, np.nan, np.nan, np.nan, 60], [0] * 7)) == []


def test_the_reason_has_value_unit_distance_and_median() -> None:
    (found,) = MAD().judge(times([1, 1.1, 1.2, 1.3, 1.4, 60], [0] * 6), "time_s").excluded.values()
    assert found == "time_s 60 s is 264 MAD from the median (at most 7); the median of its 6 repeats is 1.25 s"
    (found,) = IQR(scale="log").judge(times([1, 1.1, 1.2, 1.3, 1.4, 60], [0] * 6), "time_s").excluded.values()
    assert "interquartile ranges outside the quartiles (at most 1.5) in logarithms" in found


def test_a_slow_trend_is_no_outlier() -> None:
    assert outside(times(np.linspace(1, 2, 40), [0] * 40)) == []


def test_options_are_checked() -> None:
    with pytest.raises(OptionError, match="threshold must be at least 0"):
        MAD.parse({"threshold": "-1"})
    with pytest.raises(OptionError, match="must be one of raw, log"):
        IQR.parse({"scale": "sqrt"})


@pytest.fixture(scope="module")
def repeats(real_data: Path) -> Measured:
    path = real_data / "data" / "aiwc" / "runs.csv.gz"
    file = SourceFile(path.name, path.read_bytes())
    return of_import(find_reader(file).read(file, None))


@pytest.mark.parametrize("response", ["total_time", "kernel_time"])
@pytest.mark.parametrize("test", ["mad 1.4826", "mad 1", "iqr"])
def test_every_repeat_of_a_published_set_as_r(
    real_data: Path, repeats: Measured, tmp_path: Path, test: str, response: str
) -> None:
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not installed")
    path = real_data / "data" / "aiwc" / "runs.csv.gz"
    script = tmp_path / "outliers.R"
    script.write_text(ON_FILES)
    name, _, constant = test.partition(" ")
    ran = subprocess.run(
        ["Rscript", str(script), str(path), response, constant or "1", name], capture_output=True, text=True, check=True
    )
    rule = RULES[name]() if name == "iqr" else MAD(scaled=constant != "1")
    here = set(rule.judge(repeats, response).excluded)
    assert len(here) > 500
    assert here == {f"t{row}" for row in ran.stdout.split()}
