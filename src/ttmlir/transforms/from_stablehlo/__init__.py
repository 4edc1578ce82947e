"""StableHLO to TTIR: the passes are in ``passes``, the conversions of operations in modules by their kind."""
