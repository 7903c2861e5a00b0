"""What limits kernels: verdicts by published rules over counters."""
