"""The simulator's side of the native core: the computations that it passes to the machine (``ttl._machine``)."""
