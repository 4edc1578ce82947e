"""Regions of a model become operations of TT-Lang: Python that a person reads, tunes and owns.

``grouping`` finds regions, ``region`` describes them, ``pointwise`` and ``matmul`` write the kernels of a region,
``module_text`` writes the Python module that contains them, and ``outline`` replaces the regions by calls.
"""
