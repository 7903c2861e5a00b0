"""The one way to read a table: text to cells, exact numbers, rows and columns."""
