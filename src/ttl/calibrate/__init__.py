"""Costs of a user's own card: what to run on it, and what follows from what its profiler measured."""
