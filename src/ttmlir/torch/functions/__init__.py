"""The rules for functions of ATen, by subject: one for each function."""
