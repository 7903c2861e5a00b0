"""What families are made of, and what rooms below may read to tell a model's story: fitted values and their parts."""
