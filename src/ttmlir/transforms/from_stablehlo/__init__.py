"""StableHLO to TTIR: the passes are in ``passes``, what becomes of each operation in the modules of its kind."""
