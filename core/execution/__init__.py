"""Many tasks: here, in processes of this machine, or on a Dask cluster; the same results wherever they run.

It offers `execute`, and `paying` for the number of processes that is worth their start. It knows nothing of what the
tasks are, and never writes.
"""
