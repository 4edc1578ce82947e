"""Costs of a user's own card: the programs to run on it, and the costs that follow from the measurements of its profiler."""
