"""What the readers `eiger_database`, `eiger_dump` and `eiger_log` share: what Eiger's own databases and logs hold."""
