"""The words by which performance tools name their columns."""

import re

from core.ingest._units import stem

APPLICATION = frozenset(
    ("application", "applications", "app", "app_name", "application_name", "program", "program_name",
     "benchmark", "benchmark_name", "bench", "bench_name", "kernel", "kernel_name", "workload",
     "workload_name", "op", "operator", "operation", "function", "routine", "executable", "binary", "algorithm",
     "task", "test_name", "loop", "region", "miniapp", "proxy_app")
)  # fmt: skip
INPUT = frozenset(
    ("input", "inputs", "input_name", "input_size", "size", "dataset", "data_set", "data", "problem",
     "problem_size", "problem_name", "variant", "case", "test_case", "scale", "class", "workload_size", "n",
     "shape", "arguments", "args", "input_file", "graph", "matrix")
)  # fmt: skip
MACHINE = (
    "machine", "machine_name", "device", "device_name", "platform", "platform_name", "gpu", "gpu_name",
    "gpu_model", "cpu", "cpu_name", "cpu_model", "accelerator", "processor", "chip", "soc", "hardware",
    "node", "server", "target", "geometry", "host", "host_name", "hostname", "system", "architecture", "arch",
)  # fmt: skip
"""The likelier first."""
RUN = frozenset(
    ("run", "runs", "run_id", "run_number", "repeat", "repetition", "rep", "iteration", "iter", "trial",
     "trial_id", "trial_number", "replicate", "attempt", "sample", "sequence")
)  # fmt: skip

_OUTCOME = frozenset(
    ("time", "runtime", "walltime", "duration", "latency", "elapsed", "makespan", "energy", "power",
     "wattage", "watts", "joules")
)  # fmt: skip
_WHOLE_OUTCOME = frozenset(
    ("cycles", "total_cycles", "cpu_cycles", "gpu_cycles", "gpu_sim_cycle", "sim_cycles", "gflop_s", "gflops",
     "tflops", "gb_s", "performance", "energy_delay_product", "edp")
)  # fmt: skip
_LEADING_OUTCOME = frozenset(("power", "energy"))
_STATISTIC = frozenset(("mean", "avg", "average", "median", "total"))
_SUMMED = frozenset(("time", "duration", "energy", "runtime"))
_NO_OUTCOME = frozenset(
    ("compile", "compilation", "verification", "framework", "benchmark", "limit", "cap", "tdp", "setup",
     "overhead", "max", "min", "std", "stddev", "start", "end", "begin", "idle", "budget", "per", "pct", "of",
     "peak", "factor", "rate", "ratio", "states", "state", "mode")
)  # fmt: skip
_IDENTIFIER = frozenset(("id", "idx", "index", "pid", "tid", "uuid", "uid", "rank", "seed"))

_TOKEN = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


def tokens(name: str) -> list[str]:
    """Return the words of a name in lower case: `AppName`, `app_name` and `App.Name` are alike."""
    return [token.lower() for token in _TOKEN.findall(name)]


def key(name: str) -> str:
    """Return the words of a name joined by underscores, to look it up."""
    return "_".join(tokens(name))


def is_outcome(name: str) -> bool:
    """Whether a name is one of an outcome: a time, a power, an energy, or cycles altogether."""
    words = tokens(stem(name))
    if len(words) > 1 and (words[-1] in _STATISTIC or (words[-1] == "sum" and words[-2] in _SUMMED)):
        words = words[:-1]
    if not words or _NO_OUTCOME & set(words):
        return False
    return words[-1] in _OUTCOME or words[0] in _LEADING_OUTCOME or key(name) in _WHOLE_OUTCOME


def is_run(name: str) -> bool:
    """Whether a name is one of a repeat's number."""
    return key(name) in RUN


def is_identifier(name: str) -> bool:
    """Whether a name is one of an identifier: its numbers count nothing."""
    words = tokens(name)
    return bool(words) and words[-1] in _IDENTIFIER
