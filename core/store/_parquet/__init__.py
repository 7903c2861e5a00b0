"""Folders of Parquet files as datasets that are only read: never imported, scanned in pieces, drawn from by hash."""
