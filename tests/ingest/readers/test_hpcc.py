"""The HPC Challenge's summaries: a run is a trial, also of several that one file keeps, and goes before the HPL in it."""

from core.ingest import SourceFile, find_reader
from core.trial import Kind
from tests.ingest.readers.test_hpl import OUTPUT as HPL
from tests.ingest.tool_files import check_damaged, column, kind, read, value


def summary(processes: int, seconds: float, rate: float) -> str:
    """What stands at the end of a run."""
    return (
        "End of HPL section.\nBegin of Summary section.\nVersionMajor=1\nSuccess=1\nsizeof_char=1\n"
        f"CommWorldProcs={processes}\nHPL_Tflops=0.125\nHPL_time={seconds}\nHPL_N=28284\nHPL_NB=112\nHPL_cpfact=R\n"
        f"PTRANS_GBs={rate}\nMPIRandomAccess_GUPs=0.0044\nStarSTREAM_Triad=2.9\nMPIFFT_Gflops=11.5\n"
        "RandomlyOrderedRingLatency_usec=1.5\nMinPingPongBandwidth_GBytes=1.75\nFFTEnblk=16\nEnd of Summary section.\n"
    )


OUTPUT = summary(16, 125.5, 2.5) + summary(32, 65.25, 4.5)


def test_each_summary_is_a_trial() -> None:
    found = read(OUTPUT, "hpcc")
    assert (found.trials.application, column(found, "processes")) == (("HPCC", "HPCC"), [16, 32])
    assert (column(found, "time_s"), column(found, "PTRANS_GBs")) == ([125.5, 65.25], [2.5e9, 4.5e9])
    assert (value(found, "MPIRandomAccess_GUPs"), value(found, "RandomlyOrderedRingLatency")) == (0.0044, 1.5e-6)
    kinds = [kind(found, name) for name in ("time_s", "StarSTREAM_Triad", "MPIFFT_Gflops", "HPL_Tflops", "N")]
    assert kinds == [Kind.RESPONSE] * 3 + [Kind.DERIVED, Kind.PARAMETER]


def test_the_summary_goes_before_the_linpack_above_it() -> None:
    assert find_reader(SourceFile("hpccoutf.txt", f"{HPL}{OUTPUT}".encode())).label == "HPC Challenge"


def test_damage() -> None:
    check_damaged(OUTPUT, "hpcc")
