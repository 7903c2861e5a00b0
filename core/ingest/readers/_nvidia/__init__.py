"""What NVIDIA's profilers write: Nsight Compute, Nsight Systems and nvprof."""
