"""Linear algebra on one thread, so that sums are made in one order and results do not depend on the machine's cores."""

import os

import numpy as np
from threadpoolctl import threadpool_limits

assert np  # its BLAS has to be loaded before it can be held to one thread

HELD = threadpool_limits(limits=1, user_api="blas")
"""In force from the first import of this module on, for the whole process; work is spread by processes instead."""
os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"), "1"))
# which libraries that are loaded later read, such as scipy's own
