"""What AMD's profilers write."""
