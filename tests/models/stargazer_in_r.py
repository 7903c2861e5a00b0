"""Algorithm 1 in R, one `lm` with `splines::ns` per tentative model: what ours is held against, number by number."""

import csv
import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from core.models.splines import Splines

PROGRAM = r"""
library(splines)
a <- commandArgs(TRUE)
train <- read.csv(a[1]); test <- read.csv(a[2]); variant <- a[3]
theta <- as.numeric(a[4]); phi <- as.numeric(a[5]); criterion <- a[6]; weighted <- a[7] == "relative"
names <- setdiff(colnames(train), "y")
w <- if (weighted) 1 / train$y^2 else rep(1, nrow(train))
knots <- function(x) {
  u <- sort(unique(x)); inner <- min(3, length(u) - 2); lo <- u[1]; hi <- u[length(u)]
  even <- variant == "paper" || max(abs(lo + hi - rev(u) - u)) <= 0.01 * (hi - lo)
  at <- if (even) seq(lo, hi, length.out = inner + 2) else exp(seq(log(lo), log(hi), length.out = inner + 2))
  at[-c(1, inner + 2)]
}
spline <- function(v) {
  x <- train[[v]]; k <- knots(x)
  if (length(k) == 0) return(v)
  sprintf("ns(%s, knots = c(%s), Boundary.knots = c(%.17g, %.17g))", v, paste(sprintf("%.17g", k), collapse = ", "), min(x), max(x))
}
levels_of <- sapply(names, function(v) length(unique(train[[v]])))
T <- names[levels_of >= if (variant == "original") 3 else 2]
S <- sapply(T, spline)
text <- function(t) paste(S[t], collapse = " : ")
fit <- function(terms) lm(as.formula(paste("y ~", paste(sapply(terms, text), collapse = " + "))), train, weights = w)
value <- function(m, old) switch(criterion, adjusted_r2 = summary(m)$adj.r.squared, aic = extractAIC(m)[2],
  t_test = anova(old, m)[["Pr(>F)"]][2])
better <- function(v, old, threshold) switch(criterion,
  adjusted_r2 = v - summary(old)$r.squared > threshold * if (variant == "original") summary(old)$r.squared else 1,
  aic = v < extractAIC(old)[2], t_test = v < 0.05)
best <- function(v) if (criterion == "adjusted_r2") which.max(v) else which.min(v)
steps <- list(); terms <- list()
note <- function(kind, tried, v, b, taken, m) steps[[length(steps) + 1]] <<- list(kind = kind, tried = tried, values = v,
  best = b - 1, taken = taken, r2 = summary(m)$r.squared, adjusted_r2 = summary(m)$adj.r.squared, rank = m$rank)
v <- sapply(T, function(p) summary(fit(list(p)))$r.squared); b <- which.max(v)
terms <- list(T[b]); M <- fit(terms); note("first", as.list(T), unname(v), b, TRUE, M); new <- T[b]; T <- T[-b]
repeat {
  R <- setdiff(sapply(Filter(function(t) length(t) == 1, terms), identity), new)
  while (length(R)) {
    v <- sapply(R, function(p) value(fit(c(terms, list(c(new, p)))), M)); b <- best(v); ok <- better(v[b], M, phi)
    if (ok) { terms <- c(terms, list(c(new, R[b]))); M <- fit(terms) }
    note("interaction", lapply(R, function(p) c(new, p)), unname(v), b, ok, M)
    if (!ok) break
    R <- R[-b]
  }
  if (!length(T)) break
  v <- sapply(T, function(p) value(fit(c(terms, list(p))), M)); b <- best(v); ok <- better(v[b], M, theta)
  if (ok) { terms <- c(terms, list(T[b])); M <- fit(terms) }
  note("basic", as.list(T), unname(v), b, ok, M)
  if (!ok) break
  new <- T[b]; T <- T[-b]
}
out <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ","), "]")
for (s in steps) cat(sprintf('{"kind":"%s","tried":[%s],"values":%s,"best":%d,"taken":%s,"r2":%.17g,"adjusted_r2":%.17g,"rank":%d}\n',
  s$kind, paste0('"', sapply(s$tried, paste, collapse = ":"), '"', collapse = ","), out(s$values), s$best,
  tolower(s$taken), s$r2, s$adjusted_r2, s$rank))
cat(out(suppressWarnings(predict(M, test))), "\n")
"""


@dataclass(frozen=True)
class Story:
    """What R found: its rounds, and what it predicts for the unseen points."""

    steps: list[dict]
    predicted: np.ndarray


def in_r(
    folder: Path,
    names: list[str],
    X: np.ndarray,
    y: np.ndarray,
    unseen: np.ndarray,
    *,
    variant: str,
    theta: float,
    phi: float,
    criterion: str = "adjusted_r2",
    weights: str = "none",
) -> Story:
    """Run the program, or skip the test where there is no R."""
    if shutil.which("Rscript") is None:
        pytest.skip("there is no Rscript to compare with")
    (folder / "program.R").write_text(PROGRAM)
    for file, rows, answers in (("train.csv", X, y), ("test.csv", unseen, np.zeros(len(unseen)))):
        with (folder / file).open("w", newline="") as f:
            writer = csv.writer(f)
            writer.writerow([*names, "y"])
            writer.writerows(
                [*map(repr, map(float, row)), repr(float(a))] for row, a in zip(rows, answers, strict=True)
            )
    command = ["Rscript", "program.R", "train.csv", "test.csv", variant, repr(theta), repr(phi), criterion, weights]
    lines = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.splitlines()
    return Story([json.loads(line) for line in lines[:-1]], np.array(json.loads(lines[-1])))


def family(*, variant: str, theta: float, phi: float, criterion: str = "adjusted_r2", weights: str = "none") -> Splines:
    """The same options for ours."""
    original = variant == "original"
    return Splines(
        theta=theta,
        phi=phi,
        criterion=criterion,
        weights=weights,
        shrink=False,
        spacing="original" if original else "even",
        stop="relative" if original else "absolute",
    )


def assert_same(
    story: Story, names: list[str], X: np.ndarray, y: np.ndarray, unseen: np.ndarray, **options: object
) -> None:
    """Hold every value of every round, and every prediction, against R's."""
    model = family(**options).fit(X, y)
    assert len(model.steps) == len(story.steps)
    for ours, theirs in zip(model.steps, story.steps, strict=True):
        assert ours.kind == theirs["kind"]
        assert [model.term_name(t, names) for t in ours.tried] == theirs["tried"]
        np.testing.assert_allclose(ours.values, theirs["values"], rtol=1e-9, atol=1e-9)
        assert (ours.best, ours.taken, ours.rank) == (theirs["best"], theirs["taken"], theirs["rank"])
        assert ours.r2 == pytest.approx(theirs["r2"], abs=1e-9)
        assert ours.adjusted_r2 == pytest.approx(theirs["adjusted_r2"], abs=1e-9)
    np.testing.assert_allclose(model.predict(unseen), story.predicted, rtol=1e-9, atol=1e-11 * np.ptp(y))
