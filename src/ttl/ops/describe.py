"""What to write instead of a value that does not belong in a block expression."""

from __future__ import annotations

from typing import Any

from ttl.diag.values import name_of


def advice_for(value: Any) -> str:
    """What to write instead of a value that is no block, or nothing."""
    family = type(value).__module__.split(".")[0]
    name = name_of(value)
    if isinstance(value, bool):
        return "`==` and `!=` compare identity; write ttl.math.eq(a, b) or ttl.math.ne(a, b) for 0 and 1 per element"
    if name == "DataflowBuffer":
        return "acquire a block first: `with dfb.wait() as blk:`, and use `blk`"
    if name in ("Tensor", "Parameter", "ndarray", "TensorSlice"):
        return (
            "a kernel reaches a tensor through a dataflow buffer: copy a slice into a reserved block in a data "
            "movement kernel, and wait for it in the compute kernel"
        )
    if name == "Transfer":
        return "use the block the transfer writes, after `wait()` on the transfer"
    if family == "builtins" and isinstance(value, (list, tuple)):
        return "a constant block is ttl.block.fill(value, shape=...); other constants come from a tensor"
    return ""
