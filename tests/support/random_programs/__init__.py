"""Random programs of every language that this project reads, each right by construction and the same for a seed; and who judges them.

- ``language``: programs of TT-Lang, by a reference in NumPy (``language.reference``), in every mode and execution and on the emulated chip.
- ``wide_programs``: expressions of 32-bit elements; the chip, with kernels of both generations, by the simulator, to the bit.
- ``python``: ordinary Python in kernels, and ``integers`` in it as large as they get, by CPython.
- ``one_body``: operations without kernels of their own, by NumPy. ``chips``: programs over several chips, by the check and the simulator.
- ``tiles``: tile programs, by their functions over arrays in float64 (``tile_errors``).
- ``kernels``: compute kernels in the IR, by an interpreter of blocks, and ``machine``: programs of the native machine, by the table of
  operations. Both are made of ``block_expressions``. ``control_flow``: structured control flow in the IR, by walks through it.
- ``ttir``: modules of TTIR, for the ways to TTNN (``modules``) and to TTMetal (``metal_modules``), by the reference interpreter.
- ``typing``: what somebody does to a text in an editor, by a check that begins anew.
"""
