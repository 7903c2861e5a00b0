"""Models over HTTP: rows of metrics in, predictions out, as JSON.

It offers `make_app` for any ASGI server and `serve_models`. It reads model files and nothing else, never writes, and
listens on this machine unless told otherwise.
"""

from core.serve.app import Limits, make_app
from core.serve.served import Served, serve_models

__all__ = ["Limits", "Served", "make_app", "serve_models"]
