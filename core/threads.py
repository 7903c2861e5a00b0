"""Linear algebra on one thread, so that sums are made in one order and results do not depend on the machine's cores."""

import os
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController, threadpool_limits

assert np  # its BLAS has to be loaded before it can be held to one thread

HELD = threadpool_limits(limits=1, user_api="blas")
"""In force from the first import of this module on, for the whole process; work is spread by processes instead."""
os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"), "1"))
# which libraries that are loaded later read, such as scipy's own


def one_thread(user_api: str | None = None) -> AbstractContextManager[Any]:
    """Hold scikit-learn, which must be loaded already, to one thread while the context lasts.

    Parameters
    ----------
    user_api : "openmp" or "blas"; None for both
    """
    held: AbstractContextManager[Any] = _controller().limit(limits=1, user_api=user_api)
    return held


@cache
def _controller() -> ThreadpoolController:
    """Return what sets threads; to look for the libraries takes as long as a small fit, and they are there by then."""
    return ThreadpoolController()
