"""The readers of files, one module each: a module of several has their names here."""

SEVERAL = {
    "ncu": ("ncu_details", "ncu_raw"),
    "nsys": ("nsys", "nsys_summary"),
    "nvprof": ("nvprof", "nvprof_summary"),
    "rocprof": ("rocprof", "rocprof_compute"),
    "rocprofv3": ("rocprofv3_counters", "rocprofv3_trace"),
}
