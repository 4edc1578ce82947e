"""Why nobody can continue: one engine for every execution.

An execution that stands still shows itself as a ``network.Network``: kernels, what they share, who waits for what, and,
where it can continue from there, what an experiment may change. ``graph`` finds out who waits for whom, ``trial`` continues
from the deadlock to learn what would have prevented it, ``causes`` decides, ``report`` makes the diagnostic of it.
"""
