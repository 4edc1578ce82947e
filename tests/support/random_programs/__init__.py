"""Random programs of every language that this project reads, each right by construction and the same for a seed.

- ``language``: programs of TT-Lang with what they compute; ``wide_programs`` and ``integers`` of wide elements and whole numbers.
- ``python``: ordinary Python in kernels.
- ``kernels``: compute kernels in the IR, and ``machine``: programs of the native machine, both made of ``block_expressions``.
- ``control_flow``: structured control flow in the IR.
- ``ttir``: modules of TTIR, for the ways to TTNN (``modules``) and to TTMetal (``metal_modules``).
- ``typing``: what somebody does to a text in an editor.
"""
