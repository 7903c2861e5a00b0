"""What the columns of a table are: roles, units and what belongs to what, with reasons."""
