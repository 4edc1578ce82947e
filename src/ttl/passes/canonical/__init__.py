"""Arithmetic of kernels before they run: what it comes to, what is the same in every iteration, what nothing would miss."""
