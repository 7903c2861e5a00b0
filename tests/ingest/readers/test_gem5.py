"""Statistics files of gem5: dumps, units, exact times, and what is left out."""

import math
import random

import pytest

from core.errors import ReadError
from core.ingest.base import SourceFile
from core.ingest.readers.gem5 import Gem5Reader
from core.trial import Import, Kind

BEGIN = "\n---------- Begin Simulation Statistics ----------\n"
END = "\n---------- End Simulation Statistics   ----------\n"
BODY = """simSeconds                                   0.000057                       # Number of seconds simulated (Second)
simTicks                                     57467123                       # Number of ticks simulated (Tick)
finalTick                                    57467123                       # ticks from beginning (never reset) (Tick)
simFreq                                  1000000000000                       # Ticks per simulated second ((Tick/Second))
hostSeconds                                      0.03                       # Real time elapsed on the host (Second)
simInsts                                         5712                       # Number of instructions simulated (Count)
system.cpu.clk_domain.clock                       500                       # Clock period in ticks (Tick)
system.cpu.numCycles                           114934                       # Number of cpu cycles simulated (Cycle)
system.cpu.ipc                               0.049698                       # IPC ((Count/Cycle))
system.cpu.op::IntAlu         5068     88.73%     88.73% # Class of committed instruction (Count)
system.cpu.fetch.perCycle::0   124     50.00%     50.00% # Distribution (Count)
system.cpu.fetch.perCycle::mean     1.25                       # Distribution (Count)
system.cpu.fetch.perCycle::8-15   2    1.00%    99.00% # Distribution (Count)
system.mem.bytesRead::total                     23296                       # Number of bytes read (Byte)
system.mem.bwRead                           405380000                       # Bandwidth ((Byte/Second))
system.mem.averagePower                    312.500000                       # Core power per rank (mW) (Watt)
system.mem.idleEnergy                             nan                       # Energy (pJ) (Joule)
system.ruby.hist | 2 50% | 3 50% # a histogram
"""
OLD = """final_tick                                   24321000 # ticks from beginning of simulation
host_inst_rate                                  15492 # Simulator instruction rate (inst/s)
sim_seconds                                  0.000024 # Number of seconds simulated
sim_ticks                                    24321000
sim_freq                                 1000000000000
system.cpu.cpi                               2.000000 # CPI: Cycles Per Instruction
"""


def read(content: str | bytes) -> Import:
    raw = content if isinstance(content, bytes) else content.encode()
    return Gem5Reader().read(SourceFile("stats.txt", raw))


def values(found: Import, trial: int = 0) -> dict[str, float]:
    return dict(zip((m.name for m in found.trials.metrics), found.trials.values[trial].tolist(), strict=True))


def kinds(found: Import) -> dict[str, tuple[Kind, str]]:
    return {m.name: (m.kind, m.unit) for m in found.trials.metrics}


def test_a_dump_is_a_trial_whose_time_comes_from_exact_ticks() -> None:
    found = read(BEGIN + BODY + END)
    assert len(found.trials) == 1
    assert values(found)["time_s"] == 57467123 / 1e12  # the file writes 0.000057
    assert kinds(found)["time_s"] == (Kind.RESPONSE, "s")
    assert kinds(found)["simTicks"] == (Kind.RESPONSE, "tick")
    assert "finalTick" not in values(found)


def test_units_are_those_at_the_end_of_descriptions() -> None:
    found = read(BEGIN + BODY + END)
    units = kinds(found)
    assert units["system.cpu.numCycles"] == (Kind.COUNTER, "cycle")
    assert units["simInsts"] == (Kind.COUNTER, "")
    assert units["system.mem.bytesRead::total"] == (Kind.COUNTER, "byte")
    assert units["system.mem.bwRead"] == (Kind.COUNTER, "byte/s")
    assert units["system.cpu.ipc"] == (Kind.RESPONSE, "1/cycle")
    assert units["system.cpu.clk_domain.clock"] == (Kind.PARAMETER, "tick")


def test_a_scale_in_the_description_goes_before_the_base_unit_at_its_end() -> None:
    found = read(BEGIN + BODY + END)
    assert values(found)["system.mem.averagePower"] == 0.3125
    assert kinds(found)["system.mem.averagePower"] == (Kind.RESPONSE, "W")
    assert found.original_units["system.mem.averagePower"] == "mW"


def test_buckets_histograms_and_the_host_are_left_out_and_counted() -> None:
    found = read(BEGIN + BODY + END)
    assert values(found)["system.cpu.op::IntAlu"] == 5068
    assert values(found)["system.cpu.fetch.perCycle::mean"] == 1.25
    assert not any(name.startswith("host") or name.endswith(("::0", "::8-15")) for name in values(found))
    assert [s.why for s in found.skipped] == ["4 lines of distributions, of the host, or of no single number"]
    assert any("idleEnergy" in w for w in found.warnings)


def test_old_names_without_units_are_read() -> None:
    found = read(BEGIN + OLD + END)
    assert values(found)["time_s"] == 24321000 / 1e12
    assert kinds(found)["system.cpu.cpi"] == (Kind.RESPONSE, "")
    assert "host_inst_rate" not in values(found)


def test_without_ticks_the_seconds_are_taken_as_written() -> None:
    found = read(f"{BEGIN}simSeconds 0.5 # seconds (Second)\nsimInsts 7 # n (Count)\n{END}")
    assert values(found)["time_s"] == 0.5


def test_seconds_that_contradict_the_ticks_are_taken_as_written() -> None:
    found = read(f"{BEGIN}simSeconds 0.5 # seconds (Second)\nsimTicks 7 # (Tick)\nsimFreq 1000 # (Tick)\n{END}")
    assert values(found)["time_s"] == 0.5


def test_several_dumps_are_told_apart() -> None:
    second = BODY.replace("57467123", "1000000", 1).replace("57467123", "58467123")
    found = read(BEGIN + BODY + END + BEGIN + second + END)
    assert found.trials.input == ("dump 1", "dump 2")
    assert not any("goes on counting" in w for w in found.warnings)


def test_dumps_without_a_reset_in_between_are_said() -> None:
    second = BODY.replace("57467123", "60000000")
    found = read(BEGIN + BODY + END + BEGIN + second + END)
    assert any("dump 2 goes on counting from dump 1" in w for w in found.warnings)


def test_a_dump_that_does_not_end_is_skipped_or_refused() -> None:
    found = read(BEGIN + BODY + END + BEGIN + BODY)
    assert len(found.trials) == 1
    assert "does not end" in found.skipped[0].why
    with pytest.raises(ReadError, match=r"stats.txt holds no whole dump"):
        read(BEGIN + BODY)


def test_sniffs_dumps_and_nothing_else() -> None:
    assert Gem5Reader().sniff((BEGIN + BODY).encode())
    assert not Gem5Reader().sniff(b"grep '---------- Begin Simulation Statistics ----------' stats.txt\n")


def test_any_damage_ends_in_trials_or_one_sentence() -> None:
    whole = (BEGIN + BODY + END + BEGIN + OLD + END).encode()
    random_ = random.Random(5)
    for _ in range(200):
        damaged = bytearray(whole[: random_.randrange(len(whole))] if random_.random() < 0.5 else whole)
        for _ in range(min(random_.randrange(20), len(damaged))):
            damaged[random_.randrange(len(damaged))] = random_.randrange(256)
        try:
            found = read(bytes(damaged))
            assert all(not math.isinf(v) for row in found.trials.values.tolist() for v in row)
        except ReadError as error:
            assert "\n" not in str(error)
