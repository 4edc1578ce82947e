"""Choosing a configuration for a call of an operation that has tunable parameters (``ttl.tunable``)."""
