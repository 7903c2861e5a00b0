"""The readers of files, one module each: a module of several has their names here."""

from core.ingest._vocabulary import data_of

SEVERAL = {
    "extrap": ("extrap_json", "extrap_jsonl", "extrap_text"),
    "kernel_tuner": ("kernel_tuner", "kernel_tuner_t4"),
    "ktt": ("ktt_csv", "ktt_json"),
    "ncu": ("ncu_details", "ncu_raw"),
    "nested": ("zsim", "mcpat"),
    "nsys": ("nsys", "nsys_summary"),
    "nvprof": ("nvprof", "nvprof_summary"),
    "printed": tuple(data_of(__package__, "printed.toml")),
    "rocm_machines": ("rocprof_compute_machine", "rocprofv3_agents"),
    "rocprof": ("rocprof", "rocprof_compute"),
    "rocprofv3": ("rocprofv3_counters", "rocprofv3_trace"),
}
