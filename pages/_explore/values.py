"""What the Explore page computes, kept by the digest of the frame and the options."""

import streamlit as st

from core.report.clusters import ClusterChoice, Clusters, cluster_choice, clusters
from core.report.components import ComponentOptions, Components, components
from core.report.correlation import Correlation, correlation
from core.report.naming import trial_names
from core.trial import Frame

_KEEP = "1h"


def components_of(frame: Frame, options: ComponentOptions) -> Components:
    """Return the components of a frame."""
    return _components(frame.digest(), repr(options), frame, options)


def names_of(frame: Frame) -> tuple[str, ...]:
    """Return a name per trial."""
    return _names(frame.digest(), frame)


def correlation_of(frame: Frame, method: str) -> Correlation:
    """Return the correlations of a frame."""
    return _correlation(frame.digest(), method, frame)


def clusters_of(frame: Frame, options: ComponentOptions, k: int) -> Clusters:
    """Return the trials of a frame in k clusters."""
    return _clusters(frame.digest(), repr(options), k, components_of(frame, options))


def cluster_choice_of(frame: Frame, options: ComponentOptions) -> ClusterChoice:
    """Return what every number of clusters is worth."""
    return _cluster_choice(frame.digest(), repr(options), components_of(frame, options))


@st.cache_resource(max_entries=8, ttl=_KEEP, show_spinner=False)
def _components(frame: str, options: str, _frame: Frame, _options: ComponentOptions) -> Components:
    return components(_frame, _options)


@st.cache_resource(max_entries=4, ttl=_KEEP, show_spinner=False)
def _names(frame: str, _frame: Frame) -> tuple[str, ...]:
    return trial_names(_frame)


@st.cache_resource(max_entries=8, ttl=_KEEP, show_spinner=False)
def _correlation(frame: str, method: str, _frame: Frame) -> Correlation:
    return correlation(_frame, method)


@st.cache_resource(max_entries=16, ttl=_KEEP, show_spinner="Clustering the trials …")
def _clusters(frame: str, options: str, k: int, _of: Components) -> Clusters:
    return clusters(_of.scores, k)


@st.cache_resource(max_entries=8, ttl=_KEEP, show_spinner="Trying 1 to 10 clusters …")
def _cluster_choice(frame: str, options: str, _of: Components) -> ClusterChoice:
    return cluster_choice(_of.scores)
