"""Descriptions of values of the user's program, for messages about a wrong value."""

from __future__ import annotations

import operator
import reprlib
from typing import Any

_KINDS = {
    "Tensor": "a tensor",
    "Operation": "an operation",
    "KernelFunction": "a kernel",
    "ReadKernel": "a kernel",
    "UserFunction": "a function",
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
    "signpost": "a signpost",
    "NodeInteger": "a number known on the node only",
    "NodeFloat": "a fraction known on the node only",
    "NodeRatio": "a fraction known on the node only",
    "NodeCondition": "a truth value known on the node only",
    "RangeValue": "a range known on the node only",
    "TileTensor": "a tensor",
    "TilePart": "part of a tensor",
    "TracedValue": "a value of a tile program",
    "ArrayValue": "a value of a tile program",
    "BlockIndex": "the block of a loop",
    "ArrayBlock": "the block of a loop",
    "Position": "where the block of a loop is",
    "TileLoop": "a loop over blocks",
    "TileAxis": "an axis of a tensor",
    "NoneType": "None",
    "str": "text",
    "PrintedText": "text",
    "bytes": "bytes",
    "list": "a list",
    "tuple": "a tuple",
    "dict": "a dictionary",
    "function": "a function",
    "builtin_function_or_method": "a function",
    "bool": "a Python truth value",
}


def kind_named(name: str) -> str:
    """Return the description of objects of the class with this name."""
    return _KINDS.get(name) or f"a value of class {name}"


def kind_of(value: Any) -> str:
    """The description of a value for messages: ``a torch tensor``, ``text 'abc'``, ``a dataflow buffer``."""
    family = type(value).__module__.split(".")[0]
    name = name_of(value)
    if family == "torch":
        return "a torch tensor" if name in ("Tensor", "Parameter") else f"torch's {_one_line(value)}"
    if family == "numpy":
        return "a NumPy array" if name == "ndarray" else f"NumPy's {_one_line(value)}"
    known = _KINDS.get(name)
    if known is None:
        return number_text(value) if isinstance(value, (int, float)) else _a(name)
    if isinstance(value, (str, bytes, bool, list, tuple, dict)):
        return f"{known} {_shortened(value)}"
    given = getattr(value, "name", None)
    return f"dataflow buffer {given}" if name == "DataflowBuffer" and isinstance(given, str) else known


def _one_line(value: Any) -> str:
    text = repr(value)
    return type(value).__name__ if len(text) > 60 or "\n" in text or " at 0x" in text else text


def number_text(value: float) -> str:
    """The description of a number for messages: ``the number 2.5``, or the bits of an integer of more than 128 bits."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"a number of {value.bit_length()} bits"
    return f"the number {value!r}"


def is_int(value: object) -> bool:
    """Whether a value can serve as an integer (Python, NumPy or torch), not counting bool."""
    if isinstance(value, int):
        return not isinstance(value, bool)
    if isinstance(value, type) or not hasattr(value, "__index__"):
        return False
    try:
        operator.index(value)  # arrays have __index__, too, but most of them raise in it
    except Exception:
        return False
    return True


class _Short(reprlib.Repr):
    """A ``repr`` of one line that describes objects by kind, without addresses and internal names."""

    def repr_instance(self, x: Any, level: int) -> str:
        if isinstance(x, type):
            return f"class {class_name(x)}"
        if (
            x is None
            or x is ...
            or x is NotImplemented
            or isinstance(x, bool | bytes | float | complex | slice | range)
        ):
            return super().repr_instance(x, level)
        for kind in (str, list, tuple, dict):  # ``kind_of`` would call this again for a subclass
            if isinstance(x, kind):
                return str(getattr(self, f"repr_{kind.__name__}")(x, level))
        return kind_of(x)


def _shortened(value: Any) -> str:
    try:
        return _Short().repr(value)
    except Exception:  # it contains an integer too long for Python to print, or a __repr__ raises
        return "that cannot be printed"


def short(value: Any) -> str:
    """``repr`` of a value on one line of at most 40 characters, without addresses; else a description of its kind."""
    if isinstance(value, type):
        return f"class {class_name(value)}"
    try:
        text = repr(value)
    except Exception:  # a number too long to print, or a class whose __repr__ raises
        return kind_of(value)
    if len(text) > 40 or "\n" in text or " at 0x" in text or "<ttl." in text or "'ttl." in text:
        return kind_of(value)
    return text


def class_name(kind: type) -> str:
    """The name of a class; for a class of the simulator, the name of its public base class."""
    if not kind.__module__.startswith("ttl."):
        return kind.__name__
    names = [item.__name__ for item in kind.__mro__]
    return next((name for name in names if name in _KINDS), names[0])


def name_of(value: Any) -> str:
    """The name of the public class of a value; the simulator's own classes derive from public classes."""
    names = [kind.__name__ for kind in type(value).__mro__]
    return next((name for name in names if name in _KINDS), names[0])


def _a(name: str) -> str:
    return f"{'an' if name[:1] in 'AEIOUaeiou' else 'a'} {name}"
