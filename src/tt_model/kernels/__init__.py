"""Kernels of TTMetal in the kernel IR of TT-Lang, in which they are printed, run and analysed."""
