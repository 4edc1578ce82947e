"""Twelve tile programs, and the same written explicitly by hand, to compare what the designer makes of them."""
