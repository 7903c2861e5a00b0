"""What NVIDIA's monitors print: units below names, a GPU a row, and what is not known."""

import numpy as np

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, column, kind, read, value

DCGM = (
    "#Entity   GPUTL             POWER             TOTEC             TMPTR        SMACT             \n"
    "ID                           W                 mJ                C                             \n"
)
ROWS = "GPU 0     75                185.500           3000              68           0.750             \n"
SMI = (
    "# gpu    pwr  gtemp     sm   mclk     fb \n# Idx      W      C      %    MHz     MB \n"
    "    0     71     34     12   2619    100 \n    1     69      -      0   2619      0 \n"
)


def test_a_line_of_dcgmi_is_a_trial_of_a_gpu() -> None:
    found = read(DCGM + ROWS + ROWS.replace("185.500", "N/A    ").replace("GPU 0", "GPU 1") + DCGM + ROWS, "dmon")
    assert found.trials.labels["Entity"] == ("GPU 0", "GPU 1", "GPU 0")
    assert np.array_equal(column(found, "power"), [185.5, np.nan, 185.5], equal_nan=True)
    assert (value(found, "TOTEC"), value(found, "SMACT")) == (3.0, 0.75)
    kinds = [kind(found, name) for name in ("power", "TOTEC", "GPUTL")]
    assert kinds == [Kind.RESPONSE, Kind.DERIVED, Kind.COUNTER]
    assert [m.unit for m in found.trials.metrics] == ["%", "W", "J", "°C", ""]


def test_a_line_of_nvidia_smi_is_a_trial_too() -> None:
    found = read(SMI, "dmon")
    assert (column(found, "power"), found.trials.labels["gpu"]) == ([71, 69], ("0", "1"))
    assert np.array_equal(column(found, "gtemp"), [34, np.nan], equal_nan=True)
    assert (value(found, "mclk"), value(found, "fb")) == (2.619e9, 1e8)


def test_damage() -> None:
    check_damaged(DCGM + ROWS, "dmon")
    check_damaged(SMI, "dmon")
