"""The steps of a program, by kind of operation."""
