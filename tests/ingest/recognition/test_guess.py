"""Roles guessed from names and cells; what the user says wins."""

import pytest

from core.errors import OptionError
from core.ingest import Mapping, SourceFile, Table, read_table
from core.ingest.recognition.roles import guess


def table(text: str) -> Table:
    return read_table(SourceFile("run7.csv", text.encode()))


TRIALS = """application,kernel,size,device,run,compiler,core_mhz,l2_misses,kernel_time_us,note
kmeans,swap,tiny,K40,1,gcc,700,12,5.5,
kmeans,swap,tiny,K40,2,gcc,700,13,5.6,
kmeans,swap,tiny,P100,1,gcc,700,12,1.5,
lud,diag,large,K40,1,icc,700,99,7,
lud,diag,large,P100,1,icc,900,98,2,
"""


def test_every_role() -> None:
    found = guess(table(TRIALS))
    assert found == Mapping(
        application=("application", "kernel"),
        input=("size",),
        machine="device",
        labels=("run",),
        parameters=("core_mhz",),
        responses=(("kernel_time_us", None),),
        complete=True,
    )


def test_what_the_user_says_wins_and_the_rest_is_guessed() -> None:
    given = Mapping(application=("kernel",), responses=(("l2_misses", "lines"),), ignore=("size",), machine_name="here")
    found = guess(table(TRIALS), given)
    assert found.application == ("kernel",)
    assert found.input == ()
    assert (found.machine, found.machine_name) == (None, "here")
    assert found.responses == (("l2_misses", "lines"), ("kernel_time_us", None))
    assert found.ignore == ("size",)


def test_a_complete_mapping_is_left_alone() -> None:
    assert guess(table(TRIALS), Mapping(complete=True)) == Mapping(complete=True)


def test_headers_with_units_and_other_case_are_understood() -> None:
    read = table("App,time (us)\na,1\n")
    found = guess(read, Mapping(application=("app",), responses=(("time (us)", None),)))
    assert found.application == ("App",)
    assert found.responses == (("time", None),)


def test_a_colon_may_belong_to_a_name() -> None:
    read = table("app,sm:time\na,1\n")
    assert guess(read, Mapping(responses=(("sm", "time"),))).responses == (("sm:time", None),)
    read = table("app,sm::time:\na,1\n")
    assert guess(read, Mapping(responses=(("sm::time", ""),))).responses == (("sm::time:", None),)


def test_unknown_columns_are_refused_with_the_columns() -> None:
    with pytest.raises(OptionError, match=r"run7.csv has no column 'speed'; its columns are: application, kernel"):
        guess(table(TRIALS), Mapping(parameters=("speed",)))
    with pytest.raises(OptionError, match="'kernel' is given as application and as ignore"):
        guess(table(TRIALS), Mapping(application=("kernel",), ignore=("Kernel",)))


def test_kernels_that_name_the_machine_are_no_applications() -> None:
    rows = ("add,k80_add,K80,1", "mul,k80_mul,K80,2", "add,p100_add,P100,3", "mul,p100_mul,P100,4")
    text = "op,kernel_name,device,latency_ms\n" + "\n".join(rows)
    found = guess(table(text))
    assert found.application == ("op",)
    assert found.machine == "device"


def test_numbers_are_an_input_only_if_they_repeat() -> None:
    head, rows = "program,size,machine,misses\n", [(p, s, m) for p in "ab" for s in (512, 2048) for m in "xyz"]
    text = head + "".join(f"{p},{s},{m},{i}\n" for i, (p, s, m) in enumerate(rows))
    assert guess(table(text)).input == ("size",)
    sweep = head + "".join(f"a,{i},x,{i * i}\n" for i in range(12))
    assert guess(table(sweep)).input == ()


def test_a_lone_numeric_input_stays_a_predictor() -> None:
    text = "app,n,time_s\n" + "".join(f"{a},{n},{n}.5\n" for a in "ab" for n in (1, 2, 4) for _ in range(2))
    found = guess(table(text))
    assert (found.input, found.parameters) == ((), ("n",))


def test_swept_settings_are_parameters() -> None:
    text = "benchmark,core_mhz,mem_mhz,misses,time_ms\n" + "".join(
        f"b{b},{c},{m},{b * c % 7 + m},{b + c}\n" for b in range(3) for c in (500, 700, 900) for m in (1, 2)
    )
    assert guess(table(text)).parameters == ("core_mhz", "mem_mhz")


def test_identifiers_and_runs_are_labels() -> None:
    text = "KernelName,pid,gpu-id,Index,time\na,100,0,1,5\nb,100,0,2,6\n"
    assert guess(table(text)).labels == ("pid", "gpu-id", "Index")


def test_whole_numbers_beside_outcomes_were_set() -> None:
    assert guess(table("ppb,tpp,runtime,wattage\n1,2,3,4\n5,6,7,8\n")) == Mapping(
        parameters=("ppb", "tpp"), responses=(("runtime", None), ("wattage", None)), complete=True
    )
