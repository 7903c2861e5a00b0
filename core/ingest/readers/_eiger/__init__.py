"""What Eiger's own databases and logs hold."""
