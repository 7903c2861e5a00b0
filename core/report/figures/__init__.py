"""Figures, each drawn from one value of `core.report` and described in words."""

from core.report.figures._picture import Picture
from core.report.figures.clusters import cluster_curves
from core.report.figures.comparison import models_agreement
from core.report.figures.components import axis_loadings, loadings_map, scores_scatter, scree
from core.report.figures.contributions import contribution_bars
from core.report.figures.correlation import correlation_map, response_bars
from core.report.figures.curation import repeats_strip, spread_curves
from core.report.figures.distribution import histogram
from core.report.figures.diversity import diversity_map, reaction_curves
from core.report.figures.effects import effect_curve, effect_surface
from core.report.figures.groups import group_errors, group_table
from core.report.figures.importance import importance_bars
from core.report.figures.learning import learning_curves
from core.report.figures.outcome import annotation, application_panel, predicted_actual, residuals
from core.report.figures.race import fold_dots, race_dots, stability_bars, training_times
from core.report.figures.rounds import contributions_table, round_bars, round_table, rounds_curve, rounds_table
from core.report.figures.scorecard import score_bars
from core.report.figures.selection import (
    candidate_strip,
    candidate_table,
    selection_curve,
    selection_table,
    terms_curve,
)
from core.report.figures.workloads import disagreement_dots, failures_by_size, inlier_curve, speed_up_points

__all__ = [
    "Picture",
    "annotation",
    "application_panel",
    "axis_loadings",
    "candidate_strip",
    "candidate_table",
    "cluster_curves",
    "contribution_bars",
    "contributions_table",
    "correlation_map",
    "disagreement_dots",
    "diversity_map",
    "effect_curve",
    "effect_surface",
    "failures_by_size",
    "fold_dots",
    "group_errors",
    "group_table",
    "histogram",
    "importance_bars",
    "inlier_curve",
    "learning_curves",
    "loadings_map",
    "models_agreement",
    "predicted_actual",
    "race_dots",
    "reaction_curves",
    "repeats_strip",
    "residuals",
    "response_bars",
    "round_bars",
    "round_table",
    "rounds_curve",
    "rounds_table",
    "score_bars",
    "scores_scatter",
    "scree",
    "selection_curve",
    "selection_table",
    "speed_up_points",
    "spread_curves",
    "stability_bars",
    "terms_curve",
    "training_times",
]
