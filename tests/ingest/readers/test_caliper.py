"""Profiles of Caliper: region paths, escapes, units, ranks, the run's settings, and event traces."""

import random
from pathlib import Path

import pytest

from core.errors import ReadError
from core.ingest.base import SourceFile
from core.ingest.readers.caliper import CaliperReader
from core.trial import Import, Kind

META = """__rec=node,id=12,attr=10,data=64,parent=3
__rec=node,id=13,attr=8,data=attribute.alias,parent=12
__rec=node,id=14,attr=8,data=attribute.unit,parent=12
"""
TIMES = """__rec=node,id=20,attr=14,data=msec,parent=5
__rec=node,id=21,attr=13,data=Max time/rank,parent=20
__rec=node,id=22,attr=10,data=65,parent=21
__rec=node,id=23,attr=8,data=max#inclusive#sum#time.duration,parent=22
__rec=node,id=24,attr=13,data=Total time,parent=20
__rec=node,id=25,attr=10,data=65,parent=24
__rec=node,id=26,attr=8,data=sum#inclusive#sum#time.duration,parent=25
__rec=node,id=27,attr=10,data=193,parent=5
__rec=node,id=28,attr=8,data=avg.sum#inclusive#sum#time.duration,parent=27
__rec=node,id=29,attr=13,data=Node order,parent=2
__rec=node,id=30,attr=10,data=65,parent=29
__rec=node,id=31,attr=8,data=min#aggregate.slot,parent=30
"""
REGIONS = r"""__rec=node,id=40,attr=10,data=268,parent=3
__rec=node,id=41,attr=8,data=region,parent=40
__rec=node,id=42,attr=41,data=main
__rec=node,id=43,attr=41,data=solve\, k\=2,parent=42
__rec=node,id=44,attr=10,data=12,parent=1
__rec=node,id=45,attr=8,data=block,parent=44
__rec=node,id=46,attr=45,data=3,parent=43
__rec=ctx,attr=23=26=28,data=1=2=3
__rec=ctx,ref=42,attr=23=26=28=31,data=1500=3000=3000=1
__rec=ctx,ref=43,attr=23=26=28=31,data=500=900=900=2
__rec=ctx,ref=46,attr=23=26=28=31,data=250=400=400=3
"""
RUN = r"""__rec=node,id=60,attr=10,data=1612,parent=1
__rec=node,id=61,attr=8,data=mpi.world.size,parent=60
__rec=node,id=62,attr=8,data=launchdate,parent=60
__rec=node,id=63,attr=10,data=1612,parent=5
__rec=node,id=64,attr=8,data=elapsed_time,parent=63
__rec=node,id=65,attr=10,data=1612,parent=3
__rec=node,id=66,attr=8,data=cluster,parent=65
__rec=node,id=67,attr=8,data=executablepath,parent=65
__rec=node,id=68,attr=61,data=8
__rec=node,id=69,attr=62,data=1616614379,parent=68
__rec=node,id=70,attr=64,data=47.5,parent=69
__rec=node,id=71,attr=66,data=quince,parent=70
__rec=node,id=72,attr=67,data=/opt/a\,b/stencil,parent=71
__rec=globals,ref=72
"""
PROFILE = META + TIMES + REGIONS + RUN


def read(content: str | bytes) -> Import:
    raw = content if isinstance(content, bytes) else content.encode()
    return CaliperReader().read(SourceFile("run.cali", raw))


def column(found: Import, name: str) -> list[float]:
    return found.trials.values[:, [m.name for m in found.trials.metrics].index(name)].tolist()


def kinds(found: Import) -> dict[str, tuple[Kind, str]]:
    return {m.name: (m.kind, m.unit) for m in found.trials.metrics}


def test_a_record_of_a_region_is_a_trial_with_its_path() -> None:
    found = read(PROFILE)
    assert found.trials.application == ("main", "main/solve, k=2", "main/solve, k=2")
    assert found.trials.machine == ("quince",) * 3
    assert found.trials.labels["program"] == ("stencil",) * 3
    assert found.skipped[0].where == "1 record(s)"
    assert found.skipped[0].why == "measured outside of every region"


def test_times_are_responses_in_seconds_and_the_slowest_rank_is_the_time() -> None:
    found = read(PROFILE)
    assert column(found, "time_s") == [1.5, 0.5, 0.25]
    assert column(found, "Total time") == [3, 0.9, 0.4]
    assert kinds(found)["time_s"] == kinds(found)["Total time"] == (Kind.RESPONSE, "s")
    assert found.original_units["Total time"] == "msec"
    assert any(
        "time_s is 'max#inclusive#sum#time.duration' of each region, one of 2 times" in w for w in found.warnings
    )


def test_what_caliper_keeps_for_itself_is_left_out() -> None:
    found = read(PROFILE)
    assert set(kinds(found)) == {"time_s", "Total time", "mpi.world.size"}
    assert any("avg.sum#inclusive#sum#time.duration, min#aggregate.slot" in s.why for s in found.skipped)


def test_other_things_that_hold_in_a_region_tell_configurations_apart() -> None:
    found = read(PROFILE)
    assert found.trials.labels["block"] == ("", "", "3")
    assert "block" in found.trials.parameters


def test_settings_of_the_run_are_parameters_but_dates_and_outcomes_are_not() -> None:
    found = read(PROFILE)
    assert column(found, "mpi.world.size") == [8, 8, 8]
    assert kinds(found)["mpi.world.size"] == (Kind.PARAMETER, "")
    assert found.trials.labels["elapsed_time"] == ("47.5",) * 3
    assert not {"elapsed_time", "launchdate"} & set(found.trials.parameters)


def test_ranks_are_labels_of_repeats() -> None:
    rank = "__rec=node,id=50,attr=10,data=77,parent=1\n__rec=node,id=51,attr=8,data=mpi.rank,parent=50\n"
    records = "".join(f"__rec=ctx,ref=42,attr=51=23,data={i}={i + 1}\n" for i in range(3))
    found = read(META + TIMES + REGIONS.split("__rec=ctx")[0] + rank + records)
    assert found.trials.labels["mpi.rank"] == ("0", "1", "2")
    assert column(found, "time_s") == [0.001, 0.002, 0.003]
    assert "mpi.rank" not in kinds(found)


def test_nanoseconds_are_known_by_their_name() -> None:
    attribute = (
        "__rec=node,id=52,attr=10,data=85,parent=5\n__rec=node,id=53,attr=8,data=sum#time.duration.ns,parent=52\n"
    )
    found = read(META + REGIONS.split("__rec=ctx")[0] + attribute + "__rec=ctx,ref=42,attr=53,data=2500.0\n")
    assert column(found, "time_s") == [2.5e-6]


def test_times_with_no_telling_which_is_the_region_s_are_kept_apart() -> None:
    other = TIMES.replace("max#inclusive#sum#", "max#").replace("=sum#inclusive#sum#", "=min#")
    found = read(META + other + REGIONS)
    assert "time_s" not in kinds(found)
    assert any("no telling which of 2 times" in w for w in found.warnings)


def test_an_event_trace_is_refused_with_the_way_out() -> None:
    event = "__rec=node,id=80,attr=10,data=13,parent=3\n__rec=node,id=81,attr=8,data=event.begin#region,parent=80\n"
    with pytest.raises(ReadError, match=r"run.cali is a Caliper event trace \(line \d+\).* Convert it with cali-query"):
        read(META + TIMES + event + REGIONS + "__rec=ctx,ref=42,attr=81,data=main\n")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("__rec=ctx,ref=99,attr=23,data=1", "node 99 is not known"),
        ("__rec=ctx,ref=42,attr=23=26,data=1", "1 values for 2 attributes"),
        ("__rec=ctx,ref=42,attr=42,data=1", "node 42 is no attribute"),
        ("__rec=ctx,ref=x,attr=23,data=1", "'ref' is no number of a node"),
        ("__rec=ctx,ref=42,attr=23,data=fast", "is 'fast', expected a number"),
        ("__rec=node,id=42,attr=41,data=other", "node 42 is there twice"),
        ("__rec=node,id=90,attr=41,data=late,parent=95", "node 95 is not known yet"),
    ],
)
def test_a_damaged_record_is_refused_with_its_line(line: str, said: str) -> None:
    n = len((META + TIMES + REGIONS).splitlines()) + 1
    with pytest.raises(ReadError) as caught:
        read(f"{META}{TIMES}{REGIONS}{line}\n")
    assert f"run.cali line {n}: " in str(caught.value)
    assert said in str(caught.value)


def test_a_profile_without_regions_says_so() -> None:
    with pytest.raises(ReadError, match="without measurements of any region"):
        read(META + TIMES + "__rec=ctx,attr=23,data=1\n")


def test_sniffs_records_and_nothing_else() -> None:
    assert CaliperReader().sniff(b"output of the program\n" + PROFILE.encode())
    assert not CaliperReader().sniff(b"lines such as `__rec=node,id=12` make up a profile\n")


def test_any_damage_ends_in_trials_or_one_sentence() -> None:
    whole = PROFILE.encode()
    random_ = random.Random(2)
    for _ in range(300):
        damaged = bytearray(whole[: random_.randrange(len(whole))] if random_.random() < 0.5 else whole)
        for _ in range(min(random_.randrange(6), len(damaged))):
            damaged[random_.randrange(len(damaged))] = random_.randrange(256)
        try:
            assert len(read(bytes(damaged)).trials) > 0
        except ReadError as error:
            assert "\n" not in str(error)


def test_a_published_profile(real_data: Path) -> None:
    found = read((real_data / "formats/caliper/mpi_scaling_27_cores.cali").read_bytes())
    assert len(found.trials) == 45
    row = found.trials.application.index("main/lulesh.cycle/LagrangeLeapFrog/LagrangeNodal/CalcForceForNodes")
    assert column(found, "time_s")[row] == 24.292853
    assert column(found, "Total time")[row] == 635.624936
    assert column(found, "mpi.world.size")[row] == 27
    assert found.trials.machine[row] == "opal"
