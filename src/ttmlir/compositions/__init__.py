"""Functions of models without an operation in TTIR, composed of TTIR operations once for all front ends."""
