"""Profiles of Cachegrind and Callgrind: totals, simulated caches, parts, and files that were cut off."""

import gzip
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from core.errors import ReadError
from core.ingest.base import SourceFile
from core.ingest.readers.cachegrind import CachegrindReader
from core.trial import Import, Kind

CACHES = """desc: I1 cache:         32768 B, 64 B, 8-way associative
desc: D1 cache:         16384 B, 32 B, direct-mapped
desc: LL cache:         1048576 B, 64 B, 16-way associative
"""
SPACE = " "  # Cachegrind writes one after the last event
BODY = "fl=/src/a.c\nfn=main\n5 10 1 1 4 2 1 3 1 0\n6 2 0 0 1 0 0 0 0 0\n"
CACHEGRIND = f"""{CACHES}cmd: /home/me/bin/sorter 1000 random
events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw{SPACE}
{BODY}summary: 392989 1327 1307 107894 1173 1015 46036 498 475
"""
HEADER = "# callgrind format\nversion: 1\ncreator: callgrind-3.22.0\npid: 10080\ncmd:  ./sorter 1000\n"
NO_CACHE = "desc: I1 cache: \ndesc: D1 cache: \ndesc: LL cache: \n"


def part(number: int, summary: str = "5000", totals: str = "4998", caches: str = NO_CACHE, events: str = "Ir") -> str:
    last = f"\ntotals: {totals}\n" if totals else ""
    first = f"summary: {summary}\n" if summary else ""
    return (
        f"part: {number}\n\n\n{caches}\ndesc: Timerange: Basic block 0 - 28472\ndesc: Trigger: Program termination\n\n"
        f"positions: line\nevents: {events}\n{first}\n\nob=(3) /lib/libc.so\nfl=(1) a.c\nfn=(1) main\n5 3 1\n{last}"
    )


def read(content: str | bytes, name: str = "cachegrind.out.7") -> Import:
    raw = content if isinstance(content, bytes) else content.encode()
    return CachegrindReader().read(SourceFile(name, raw))


def values(found: Import, trial: int = 0) -> dict[str, float]:
    return dict(zip((m.name for m in found.trials.metrics), found.trials.values[trial].tolist(), strict=True))


def units(found: Import) -> dict[str, tuple[Kind, str]]:
    return {m.name: (m.kind, m.unit) for m in found.trials.metrics}


def test_totals_are_counters_and_the_command_names_application_and_input() -> None:
    found = read(CACHEGRIND)
    assert found.trials.application == ("sorter",)
    assert found.trials.input == ("1000 random",)
    assert found.trials.labels["command"] == ("/home/me/bin/sorter 1000 random",)
    assert (values(found)["Ir"], values(found)["DLmw"]) == (392989, 475)
    assert units(found)["D1mr"] == (Kind.COUNTER, "")
    assert units(found)["argument 1"] == (Kind.PARAMETER, "")
    assert found.trials.labels["argument 2"] == ("random",)


def test_simulated_caches_are_parameters() -> None:
    found = values(read(CACHEGRIND))
    assert (found["D1 cache size"], found["D1 cache line size"], found["D1 cache associativity"]) == (16384, 32, 1)
    assert (found["LL cache size"], found["LL cache associativity"]) == (1048576, 16)
    assert units(read(CACHEGRIND))["I1 cache size"] == (Kind.PARAMETER, "byte")


def test_caches_that_were_not_simulated_are_left_out_and_said() -> None:
    found = read(f"{CACHES}cmd: ./sorter 10\nevents: Ir Bc Bcm\nfl=a.c\nfn=main\n5 1 0 0\nsummary: 1000 20 3\n")
    assert values(found) == {"Ir": 1000, "Bc": 20, "Bcm": 3, "argument 1": 10}
    assert [s.why for s in found.skipped] == ["sizes of caches, as none was simulated (--cache-sim=no)"]


def test_a_profile_on_the_program_s_own_output_is_found_in_it() -> None:
    found = read(f"summary: 12\nevents of today\nfirst 0\n{CACHEGRIND}")
    assert values(found)["Ir"] == 392989
    assert len(found.trials) == 1


def test_profiles_one_after_the_other_are_trials_each() -> None:
    second = CACHEGRIND.replace("16384 B, 32 B, direct-mapped", "65536 B, 64 B, 4-way associative").replace(
        "392989", "5"
    )
    found = read(CACHEGRIND + second)
    assert [values(found, i)["Ir"] for i in (0, 1)] == [392989, 5]
    assert [values(found, i)["D1 cache size"] for i in (0, 1)] == [16384, 65536]


def test_a_profile_without_its_last_line_was_cut_off() -> None:
    with pytest.raises(ReadError, match=r"cachegrind.out.7 has no line 'summary:' .* cut off"):
        read(CACHEGRIND[: CACHEGRIND.index("summary")])


def test_a_cut_profile_before_a_whole_one_is_skipped() -> None:
    found = read(CACHEGRIND[: CACHEGRIND.index("summary")] + CACHEGRIND)
    assert len(found.trials) == 1
    assert found.skipped[0].where == "line 4"
    assert "cut off" in found.skipped[0].why


def test_numbers_that_do_not_fit_the_events_are_refused() -> None:
    with pytest.raises(ReadError, match=r"line 10: 8 totals for 9 events .* damaged"):
        read(CACHEGRIND.replace(" 498 475\n", " 498\n"))
    with pytest.raises(ReadError, match=r"event 'Ir' is listed twice"):
        read(CACHEGRIND.replace("Ir I1mr", "Ir Ir"))


def test_callgrind_takes_totals_before_the_summary_that_may_be_zero() -> None:
    found = read(HEADER + part(1, summary="0", totals="4998"), "callgrind.out.1")
    assert values(found) == {"Ir": 4998, "argument 1": 1000}
    assert found.trials.labels["trigger"] == ("Program termination",)
    assert found.trials.labels["profiler"] == ("callgrind-3.22.0",)


def test_callgrind_without_totals_is_taken_from_its_summary_and_said() -> None:
    found = read(HEADER + part(1, totals=""), "callgrind.out.1")
    assert values(found) == {"Ir": 5000, "argument 1": 1000}
    assert any("'totals:' is missing" in w for w in found.warnings)
    with pytest.raises(ReadError, match="cut off"):
        read(HEADER + part(1, summary="0", totals=""))


def test_parts_of_one_run_are_no_repeats() -> None:
    found = read(HEADER + part(1, totals="100") + "\n" + part(2, totals="200"))
    assert [values(found, i)["Ir"] for i in (0, 1)] == [100, 200]
    assert found.trials.labels["part"] == ("1", "2")
    assert "part" in found.trials.parameters
    assert found.trials.application == ("sorter", "sorter")
    assert found.trials.execution == ("part 1", "part 2")
    assert read(HEADER + part(1)).trials.parameters == ()


def test_callgrind_leaves_zeros_at_the_end_of_a_line_out() -> None:
    found = read(HEADER + part(1, events="Ir Dr D1mr", totals="400 20", caches=CACHES))
    assert (values(found)["Dr"], values(found)["D1mr"]) == (20, 0)
    assert values(found)["D1 cache size"] == 16384


def test_events_that_say_their_unit_are_converted() -> None:
    events = "Ir sysCount sysTime sysCpuTime"
    defined = "event: sysTime : sysTime (elapsed ns)\nevent: sysCpuTime : sysCpuTime (system cpu us)\n"
    text = part(1, events=events, totals="10 2 1500 7").replace("events:", f"{defined}events:")
    found = read(HEADER + text)
    assert (values(found)["sysTime"], values(found)["sysCpuTime"]) == (1.5e-6, 7e-6)
    assert units(found)["sysTime"] == (Kind.COUNTER, "s")
    assert found.original_units["sysTime"] == "ns"


def test_nothing_collected_is_said() -> None:
    found = read(HEADER + part(1, summary="0", totals="0"))
    assert any("nothing was collected" in w for w in found.warnings)


def test_gzip_windows_line_ends_and_a_byte_order_mark_do_not_matter() -> None:
    expected = values(read(CACHEGRIND))
    assert values(read(gzip.compress(CACHEGRIND.encode(), mtime=0))) == expected
    assert values(read(CACHEGRIND.replace("\n", "\r\n"))) == expected
    assert values(read(b"\xef\xbb\xbf" + CACHEGRIND.encode())) == expected


@pytest.mark.parametrize("text", [CACHEGRIND, HEADER + part(1), CACHEGRIND[: CACHEGRIND.index("summary")]])
def test_sniffs_profiles_whole_or_cut(text: str) -> None:
    assert CachegrindReader().sniff(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "events: push\njobs:\n  build:\n",
        "cmd,events\n./a.out,Ir\n",
        "cmd: ./a.out\nsummary: 12\n",
        "Events recorded:  Ir\nCommand: ./a.out\n",
    ],
)
def test_does_not_sniff_other_texts(text: str) -> None:
    assert not CachegrindReader().sniff(text.encode())


def test_any_damage_ends_in_trials_or_one_sentence() -> None:
    random_ = random.Random(11)
    for whole in (CACHEGRIND.encode(), (HEADER + part(1, caches=CACHES) + part(2)).encode()):
        for _ in range(150):
            damaged = bytearray(whole[: random_.randrange(len(whole))] if random_.random() < 0.5 else whole)
            for _ in range(min(random_.randrange(12), len(damaged))):
                damaged[random_.randrange(len(damaged))] = random_.randrange(256)
            try:
                assert len(read(bytes(damaged)).trials) > 0
            except ReadError as error:
                assert "\n" not in str(error)


@pytest.mark.parametrize("tool", ["cachegrind", "callgrind"])
def test_the_installed_tool_s_own_profile(tool: str, tmp_path: Path) -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")
    out = tmp_path / "profile"
    options = [f"--tool={tool}", "--cache-sim=yes", "--D1=16384,4,32", f"--{tool}-out-file={out}"]
    subprocess.run(["valgrind", *options, "/bin/true", "a", "b"], capture_output=True, check=True)
    content = out.read_bytes()
    assert CachegrindReader().sniff(content)
    found = read(content)
    assert (found.trials.application, found.trials.input) == (("true",), ("a b",))
    assert values(found)["Ir"] > values(found)["Dr"] > values(found)["D1mr"] > 0
    assert values(found)["D1 cache size"] == 16384
