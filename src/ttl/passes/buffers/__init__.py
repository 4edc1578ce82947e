"""Dataflow buffers as circular buffers: where blocks lie in L1, which are held together, how long a buffer is used."""
