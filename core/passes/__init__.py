"""Every pass, one file each; see `base.py` for the contract."""

from core.passes.base import Pass
from core.registry import discover

PASSES = discover("core.passes", Pass, "pass")
