"""Statistics in indented lines: zsim's last dump, and what McPAT says of a processor and its parts."""

import pytest

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, kind, metric, names, read, refusal, value

ZSIM = """# zsim stats
===
root: # Stats
 phase: 5 # Simulated phases
===
root: # Stats
 time: # Simulator time breakdown
  bound: 42323423
 phase: 12 # Simulated phases
 core: # Core stats
  core-0: # Core stats
   cycles: 1000 # Simulated unhalted cycles
   instrs: 1500 # Simulated instructions
  core-1: # Core stats
   cycles: 1200 # Simulated unhalted cycles
 l3: # L3
  l3-0: # Cache
   mGETS: 7 # GETS misses
"""
MCPAT = """McPAT (version 1.3 of Feb, 2015) results (current print level is 5)
*****************************************************************************************
  Technology 90 nm
  Core clock Rate(MHz) 1200

*****************************************************************************************
Processor:
  Area = 410.507 mm^2
  Peak Power = 134.938 W
  Runtime Dynamic = 54.6 W

  Total Cores: 8 cores
  Device Type= ITRS high performance device type
    Area = 231.1 mm^2
    Gate Leakage = nan W
    Runtime Dynamic = 38.2 W
"""


def test_the_last_dump_of_zsim_is_the_run_and_its_slowest_core_the_response() -> None:
    found = read(ZSIM, "zsim")
    assert (value(found, "cycles"), kind(found, "cycles")) == (1200, Kind.RESPONSE)
    assert (value(found, "phase"), value(found, "core.core-0.instrs"), value(found, "l3.l3-0.mGETS")) == (12, 1500, 7)
    assert "time.bound" not in names(found)
    assert "holds no statistics" in refusal("# zsim stats\n===\n", "zsim")
    check_damaged(ZSIM, "zsim")


def test_mcpat_says_what_a_processor_takes_and_its_parts() -> None:
    found = read(MCPAT.replace("cores\n", "cores \n"), "mcpat")  # as it is written
    assert (value(found, "Area"), kind(found, "Area")) == (pytest.approx(410.507), Kind.RESPONSE)
    assert (value(found, "Total Cores.Area"), kind(found, "Total Cores.Area")) == (231.1, Kind.DERIVED)
    assert (value(found, "Core clock Rate"), metric(found, "Core clock Rate").unit) == (1.2e9, "Hz")
    assert (value(found, "Technology"), kind(found, "Technology"), value(found, "Total Cores")) == (
        90,
        Kind.PARAMETER,
        8,
    )
    assert "Total Cores.Gate Leakage" not in names(found)
    assert "neither areas nor powers" in refusal(MCPAT.split("Processor")[0], "mcpat")
    check_damaged(MCPAT, "mcpat")
