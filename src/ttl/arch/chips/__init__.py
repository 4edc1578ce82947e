"""The chips: a module each, with its record ``CHIP`` (``ttl.arch.chip``)."""
