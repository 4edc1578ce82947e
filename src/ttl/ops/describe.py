"""What a value is, in words, for messages about values that do not belong in a block expression."""

from __future__ import annotations

import reprlib
from typing import Any

_KINDS = {
    "Tensor": "a tensor",
    "Operation": "an operation",
    "KernelFunction": "a kernel",
    "DataflowBuffer": "a dataflow buffer",
    "Block": "a block",
    "BlockExpr": "a block expression",
    "TensorSlice": "a tensor slice",
    "Transfer": "a transfer handle",
    "GroupTransfer": "a group of transfers",
    "Pipe": "a pipe",
    "SrcPipeIdentity": "a pipe",
    "DstPipeIdentity": "a pipe",
    "UnicastRemoteSemaphore": "a remote semaphore",
    "MulticastRemoteSemaphore": "a remote semaphore",
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
    name = _name(value)
    if family == "torch":
        return "a torch tensor" if name in ("Tensor", "Parameter") else f"torch's {value!r}"
    if family == "numpy":
        return "a NumPy array" if name == "ndarray" else f"NumPy's {value!r}"
    known = _KINDS.get(name)
    if known is None:
        return number_text(value) if isinstance(value, (int, float)) else _a(name)
    if isinstance(value, (str, bytes, bool, list, tuple, dict)):
        return f"{known} {_shortened(value)}"
    given = getattr(value, "name", None)
    return f"dataflow buffer {given}" if name == "DataflowBuffer" and isinstance(given, str) else known


def number_text(value: float) -> str:
    """A number as messages give it: ``the number 2.5``. Python refuses to print the longest integers."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"a number of {value.bit_length()} bits"
    return f"the number {value!r}"


def _shortened(value: Any) -> str:
    try:
        return reprlib.repr(value)
    except ValueError:  # an integer too long for Python to print is somewhere in it
        return "with very long integers"


def advice_for(value: Any) -> str:
    """What to write instead of a value that is no block, or nothing."""
    family = type(value).__module__.split(".")[0]
    name = _name(value)
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


def _name(value: Any) -> str:
    """Name of the public class a value is of; the simulator's own classes derive from those."""
    names = [kind.__name__ for kind in type(value).__mro__]
    return next((name for name in names if name in _KINDS), names[0])


def _a(name: str) -> str:
    return f"{'an' if name[:1] in 'AEIOUaeiou' else 'a'} {name}"
