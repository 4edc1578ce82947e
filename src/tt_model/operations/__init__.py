"""One class for each operation, from which everything else about it is made."""
