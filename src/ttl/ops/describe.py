"""What a value is, in words, for messages about values that do not belong in a block expression."""

from __future__ import annotations

import reprlib
from typing import Any

_KINDS = {
    "Tensor": "a tensor",
    "DataflowBuffer": "a dataflow buffer",
    "Block": "a block",
    "BlockExpr": "a block expression",
    "TensorSlice": "a tensor slice",
    "Transfer": "a transfer handle",
    "Semaphore": "a semaphore",
    "PipeNet": "a pipe net",
    "NoneType": "None",
    "str": "text",
    "bytes": "bytes",
    "list": "a list",
    "tuple": "a tuple",
    "dict": "a dictionary",
    "function": "a function",
    "builtin_function_or_method": "a function",
    "bool": "a Python truth value",
}


def kind_of(value: Any) -> str:
    """A value as messages name it: ``a torch tensor``, ``text 'abc'``, ``a dataflow buffer``."""
    family = type(value).__module__.split(".")[0]
    name = type(value).__name__
    if family == "torch":
        return "a torch tensor" if name in ("Tensor", "Parameter") else f"torch's {value!r}"
    if family == "numpy":
        return "a NumPy array" if name == "ndarray" else f"NumPy's {value!r}"
    known = _KINDS.get(name)
    if known is None:
        return (
            f"{type(value).__qualname__} {reprlib.repr(value)}"
            if isinstance(value, (int, float))
            else _a(name)
        )
    if isinstance(value, (str, bytes, bool, list, tuple, dict)):
        return f"{known} {reprlib.repr(value)}"
    return known


def advice_for(value: Any) -> str:
    """What to write instead of a value that is no block, or nothing."""
    family = type(value).__module__.split(".")[0]
    name = type(value).__name__
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


def _a(name: str) -> str:
    return f"{'an' if name[:1] in 'AEIOUaeiou' else 'a'} {name}"
