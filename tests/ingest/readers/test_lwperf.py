"""lwperf's files: a site's calls, runs added one after another, rows that do not fit, what tells them from other CSV."""

import gzip

import numpy as np
import pytest

from core.errors import ReadError
from core.ingest import READERS, SourceFile, find_reader
from core.ingest.readers.csv import Csv
from core.ingest.readers.lwperf import Lwperf
from core.trial import Import, Kind, Metric, Skipped

PLAIN = "nprocs,n,nnz,time\n4,100,2700,0.000125\n4,100,2700,0.000126\n4,200,5400,0.00025\n"
ENERGY = "n,PAPI_L2_TCM,rapl:::PACKAGE_ENERGY:PACKAGE0,time\n100,42,2.5e+06,0.5\n200,84,5e+06,1.25e-05\n"


def read(text: str, name: str = "ddot.csv") -> Import:
    return Lwperf().read(SourceFile(name, text.encode()))


def test_a_site_is_the_application_and_each_call_a_trial() -> None:
    found = read(PLAIN)
    assert found.trials.application == ("ddot",) * 3
    assert found.trials.metrics == (
        Metric("nprocs", Kind.PARAMETER),
        Metric("n", Kind.PARAMETER),
        Metric("nnz", Kind.PARAMETER),
        Metric("time_s", Kind.RESPONSE, "s"),
    )
    assert found.trials.values[2].tolist() == [4, 200, 5400, 0.00025]
    assert found.trials.where == ("line 2", "line 3", "line 4")
    assert (found.format, found.skipped, found.warnings) == ("lwperf", (), ())


def test_energy_is_a_response_in_joules_and_other_events_are_counters() -> None:
    found = read(ENERGY)
    assert found.trials.metrics[1:] == (
        Metric("PAPI_L2_TCM", Kind.COUNTER),
        Metric("rapl:::PACKAGE_ENERGY:PACKAGE0", Kind.RESPONSE, "J"),
        Metric("time_s", Kind.RESPONSE, "s"),
    )
    assert found.trials.values[0].tolist() == [100, 42, 0.0025, 0.5]
    assert found.original_units == {"rapl:::PACKAGE_ENERGY:PACKAGE0": "nJ"}


@pytest.mark.parametrize(
    ("name", "site"),
    [
        ("ddot.csv", "ddot"),
        ("runs/ddot.csv", "ddot"),
        ("C:\\runs\\ddot.csv.gz", "ddot"),
        ("a.b.csv", "a.b"),
        (".csv", ".csv"),
    ],
)
def test_the_site_is_the_files_name(name: str, site: str) -> None:
    assert set(read(PLAIN, name).trials.application) == {site}


def test_runs_are_added_with_their_headers() -> None:
    found = read(PLAIN + PLAIN + "nprocs,n,time\n8,100,0.5\n")
    assert len(found.trials) == 7
    np.testing.assert_array_equal(found.trials.values[-1], [8, 100, np.nan, 0.5])
    assert found.skipped == ()


def test_rows_that_do_not_fit_are_skipped_with_the_reason() -> None:
    found = read(PLAIN + "4,100,2700,1,0.5\n4,100\n4,100,x,0.5\n4,100,2700,0.0")
    assert len(found.trials) == 4
    assert found.skipped == (
        Skipped("line 5", "5 values for 4 columns; the program declared parameters after its first call"),
        Skipped("line 6", "2 values for 4 columns"),
        Skipped("line 7", "'nnz' is 'x', expected a number"),
    )


def test_a_value_that_is_no_number_in_c_is_missing() -> None:
    assert np.isnan(read("n,time\n-nan,0.5\n3,0.25\n").trials.values[0, 0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n,time\n", "ddot.csv holds a header and no calls. Run the program again."),
        ("1,2\n", "ddot.csv line 1: values without a header; lwperf writes one first."),
        ("n,runtime\n1,2\n", "ddot.csv line 1: the last column is 'runtime', expected 'time'"),
        ("n,n,time\n1,1,2\n", "ddot.csv line 1: column 'n' is there twice or has no name."),
        (",time\n1,2\n", "ddot.csv line 1: column '' is there twice or has no name."),
        ("n,time\n1,inf\n", "'time_s' is infinite"),
        ("", "ddot.csv is empty"),
    ],
)
def test_other_files_are_refused(text: str, expected: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(text)
    assert expected in str(caught.value)


def test_only_an_event_before_the_time_tells_it_from_other_csv() -> None:
    assert [name for name, cls in READERS.items() if name != "csv" and cls().sniff(ENERGY.encode())] == ["lwperf"]
    assert isinstance(find_reader(SourceFile("x", gzip.compress(ENERGY.encode(), mtime=0))), Lwperf)
    for other in (
        PLAIN,
        "n,time,rapl:::PACKAGE_ENERGY:PACKAGE0\n1,2,3\n",
        ENERGY.replace(",time", ",runtime"),
        "x," + ENERGY.partition("\n")[0] + "\na,1,2,3,4\n",
        '"n","rapl:::E:P","time"\n1,2,3\n',
    ):
        assert not Lwperf().sniff(other.encode())
    assert isinstance(find_reader(SourceFile("x", PLAIN.encode())), Csv)
    assert isinstance(find_reader(SourceFile("x", PLAIN.encode()), "lwperf"), Lwperf)
