"""Every pass, alike ones in one file; see `base.py` for the contract.

It offers `PASSES` by name, columns to columns. A pass learns from training rows alone and never sees the response.
"""

from core.passes.base import Pass
from core.registry import discover

SEVERAL = {
    "products": ("pairs", "whole"),
    "rotations": ("eiger_rotation", "varimax"),
    "scales": ("log", "standardize"),
}
PASSES = discover("core.passes", Pass, "pass", SEVERAL)
