"""Plain tables: dialect, cells, columns, roles, trials."""
