"""Regions of a model become operations of TT-Lang: Python that a person reads, tunes and owns.

``grouping`` finds regions, ``region`` is what one is, ``pointwise`` and ``matmul`` write the kernels of one, ``module_text`` the
module of Python that they are in, and ``outline`` puts calls in the place of the regions.
"""
