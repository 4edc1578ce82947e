"""Arithmetic of kernels before they run: what it comes to, what is the same in every turn, what nothing would miss."""
