"""What perf stat writes."""
