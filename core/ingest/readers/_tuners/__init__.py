"""What tuners and scaling studies keep."""
