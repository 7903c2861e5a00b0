"""Models over HTTP: rows of metrics in, predictions out, as JSON."""

from core.serve.app import Limits, make_app
from core.serve.served import Served, serve_models

__all__ = ["Limits", "Served", "make_app", "serve_models"]
