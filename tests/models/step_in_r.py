"""R's `step` on linear models: what forward selection and backward elimination are held against."""

import csv
import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

PROGRAM = r"""
a <- commandArgs(TRUE)
train <- read.csv(a[1]); direction <- a[2]; weighted <- a[4] == "relative"
k <- if (a[3] == "bic") log(nrow(train)) else 2
w <- if (weighted) 1 / train$y^2 else rep(1, nrow(train))
everything <- formula(paste("y ~", paste(setdiff(colnames(train), "y"), collapse = " + ")))
start <- if (direction == "forward") lm(y ~ 1, train, weights = w) else lm(everything, train, weights = w)
found <- step(start, scope = list(lower = ~1, upper = everything), direction = direction, k = k, trace = 0, steps = 1e4)
text <- function(x) paste0("[", paste(x, collapse = ","), "]")
numbers <- function(x) text(sprintf("%.17g", x))
changes <- trimws(sub("^[+-] ", "", found$anova$Step[-1]))
cat(sprintf('{"changes":%s,"values":%s,"names":%s,"coefficients":%s,"r2":%.17g}',
  text(sprintf('"%s"', changes)), numbers(found$anova$AIC), text(sprintf('"%s"', names(coef(found)))),
  numbers(coef(found)), summary(found)$r.squared))
"""


@dataclass(frozen=True)
class Story:
    """What R did: the columns that came or went, the criterion from the start on, and the model."""

    changes: list[str]
    values: list[float]
    coefficients: dict[str, float]
    r2: float


def step_in_r(
    folder: Path, X: np.ndarray, y: np.ndarray, direction: str, criterion: str, weights: str = "none"
) -> Story:
    """Run the program on columns x0, x1, …, or skip the test where there is no R."""
    if shutil.which("Rscript") is None:
        pytest.skip("there is no Rscript to compare with")
    (folder / "program.R").write_text(PROGRAM)
    with (folder / "train.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"x{j}" for j in range(X.shape[1])), "y"])
        writer.writerows([*map(repr, map(float, row)), repr(float(a))] for row, a in zip(X, y, strict=True))
    command = ["Rscript", "program.R", "train.csv", direction, criterion, weights]
    told = json.loads(subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout)
    coefficients = dict(zip(told["names"], told["coefficients"], strict=True))
    return Story(told["changes"], told["values"], coefficients, told["r2"])
