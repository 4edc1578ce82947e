"""``ttmlir-opt``: reads modules, runs passes over them and prints them."""
