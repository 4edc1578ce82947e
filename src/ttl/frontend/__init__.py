"""Python source to the `ttl` dialect (seeds: design plan of the dialect, sections 5.3 to 5.5 and 7).

An operation is read, not run. Its source is evaluated with the values that are known before kernels start: shapes,
element types, the grid, captured constants. All other computations become operations of the dialect. ``live`` starts
from a call with arguments, ``file`` from the text of a program.
"""
