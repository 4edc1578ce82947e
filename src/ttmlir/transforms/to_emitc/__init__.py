"""Conversion of modules and kernels to emitc, from which C++ is printed."""
