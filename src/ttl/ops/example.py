"""The whole program around the one expression that is a row's example.

Documentation shows it, tests run it: what a reader copies is what was run.
"""

from __future__ import annotations

import re

from ttl.ops.row import Op

_INTEGER = "int32"
_FLOAT = "bfloat16"


def stored(op: Op) -> str:
    """The statement of the compute kernel that computes the example of a row."""
    expression = re.sub(r"\b(a|b)\b", r"\1_blk", op.example)
    return f"y_blk.store({expression})"


def program(op: Op) -> str:
    """A complete small program that computes the example of a row and prints the result.

    Two tensors of 64x64 elements, ``a`` and ``b``, one block of 2x2 tiles each, one node.
    """
    expression = op.example
    names = [name for name in ("a", "b") if re.search(rf"\b{name}\b", expression)]
    dtype = _INTEGER if op.accepts == "integer" else _FLOAT
    shape = "(2, 1)" if op.undefined is not None else "(2, 2)"
    columns = 32 if op.undefined is not None else 64
    inputs = ", ".join(names)
    parameters = f"{inputs}, y" if names else "y"
    lines = [
        "import ttnn",
        "",
        "import ttl",
        "",
        "",
        "@ttl.operation(grid=(1, 1))",
        f"def example({parameters}):",
    ]
    for name in names:
        lines.append(f"    {name}_dfb = ttl.make_dataflow_buffer_like({name}, shape=(2, 2))")
    lines.append(f"    y_dfb = ttl.make_dataflow_buffer_like(y, shape={shape})")
    if names:
        lines += ["", "    @ttl.datamovement()", "    def read():"]
        for name in names:
            lines.append(f"        with {name}_dfb.reserve() as {name}_blk:")
            lines.append(f"            ttl.copy({name}[0:2, 0:2], {name}_blk).wait()")
    lines += ["", "    @ttl.compute()", "    def compute():"]
    waits = [f"{name}_dfb.wait() as {name}_blk" for name in names] + ["y_dfb.reserve() as y_blk"]
    lines.append(f"        with {', '.join(waits)}:")
    lines.append(f"            {stored(op)}")
    lines += ["", "    @ttl.datamovement()", "    def write():", "        with y_dfb.wait() as y_blk:"]
    lines.append(f"            ttl.copy(y_blk, y[0:2, 0:{2 if columns == 64 else 1}]).wait()")
    lines += ["", "", "device = ttnn.open_device(device_id=0)"]
    make = f"dtype=ttnn.{dtype}, layout=ttnn.TILE_LAYOUT, device=device"
    for name in names:
        value = (
            f"ttnn.full((64, 64), {3 if name == 'a' else 2}, {make})"
            if dtype == _INTEGER
            else f"ttnn.rand((64, 64), {make})"
        )
        lines.append(f"{name} = {value}")
    lines.append(f"y = ttnn.zeros((64, {columns}), {make})")
    lines += [f"example({parameters})", "print(y)"]
    return "\n".join(lines) + "\n"
