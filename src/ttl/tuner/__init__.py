"""``ttl tune``: configurations are tried on the emulated chip, their results compared, and the fastest right one kept."""
