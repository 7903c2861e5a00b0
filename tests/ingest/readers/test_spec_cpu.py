"""SPEC CPU's results: an iteration is a trial, the table of selected ones says them again."""

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, column, kind, read, value

HEADER = (
    'Benchmark,"Base # Copies","Est. Base Run Time","Est. Base Rate","Base Selected","Base Status",'
    '"Peak # Copies","Est. Peak Run Time","Est. Peak Rate","Peak Selected","Peak Status",Description\n'
)
SELECTED = '503.bwaves_r,8,801.5,100.1,1,S,4,700.5,60.5,1,S,"SelectedIteration (base #2; peak #1)"\n'
FULL = "".join(
    f'{name},8,{time},{80000 / time},{int(k == 2)},S,4,{time - 100},60.5,0,S,"ref iteration #{k} (base #{k}; peak #1)"\n'
    for name, times in (("503.bwaves_r", (800.5, 801.5)), ("508.namd_r", (350.25, 352.5)))
    for k, time in enumerate(times, 1)
)
OUTPUT = (
    f'valid,1\n\n"SPEC(R) CPU2017 Floating Point Rate Result"\n\n"Full Results Table"\n\n{HEADER}{FULL}\n'
    f'"Selected Results Table"\n\n{HEADER}{SELECTED}\nSPECrate2017_fp_base,26.9,,26.9\n\nHARDWARE\n'
    '"CPU Name:","Intel Xeon Platinum 8272CL"\n"  Nominal:",2600\nParallel:,No\n'
)


def test_each_iteration_is_a_trial() -> None:
    found = read(OUTPUT, "spec_cpu")
    assert found.trials.application == ("503.bwaves_r",) * 2 + ("508.namd_r",) * 2
    assert {*found.trials.machine} == {"Intel Xeon Platinum 8272CL"}
    assert column(found, "time_s") == [800.5, 801.5, 350.25, 352.5]
    assert (value(found, "Base # Copies"), value(found, "peak run time", 3)) == (8, 252.5)
    kinds = [kind(found, name) for name in ("time_s", "Base # Copies", "Est. Base Rate")]
    assert kinds == [Kind.RESPONSE, Kind.PARAMETER, Kind.DERIVED]


def test_selected_iterations_alone_are_read_too() -> None:
    assert column(read(HEADER + SELECTED, "spec_cpu"), "time_s") == [801.5]


def test_damage() -> None:
    check_damaged(OUTPUT, "spec_cpu")
