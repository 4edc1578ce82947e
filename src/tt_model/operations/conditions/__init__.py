"""What is verified of operations: conditions, by what they are about."""
