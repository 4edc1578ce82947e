"""Modules and kernels in the operations of emitc, of which C++ is printed."""
