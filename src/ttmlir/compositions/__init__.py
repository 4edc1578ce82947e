"""Functions of models that TTIR has no operation for, composed once for all front ends of operations that it has."""
