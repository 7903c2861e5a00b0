"""Every pass, one file each; see `base.py` for the contract.

It offers `PASSES` by name, columns to columns. A pass learns from training rows alone and never sees the response.
"""

from core.passes.base import Pass
from core.registry import discover

PASSES = discover("core.passes", Pass, "pass")
