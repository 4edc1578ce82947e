"""The simulator's side of the native core: what the machine (``ttl._machine``) is told to compute."""
