"""What may be computed while a program is read: nothing that takes long, or much memory, by a number that somebody has typed.

Python itself computes with what is known, in calls that nothing can interrupt: ``10 ** 99999999`` would stop an editor for minutes, and
``[0] * 99999999`` takes a gigabyte.
"""

from __future__ import annotations

import itertools
import math
import operator
import re
from array import array
from collections import deque
from typing import Any

from ttl.host.creation import arange

# Members of a sequence or characters of a text that is made, and bits of a number.
LONGEST = 1 << 20
MOST_BITS = 4096
# Of a range, or a text, that is iterated over as a whole.
MOST_ITERATED = 65_536
_SIZED = (list, tuple, str, bytes, bytearray, deque, array)
_TEXT = (str, bytes, bytearray)
_ADDING = frozenset({operator.add, operator.iadd, operator.concat, operator.iconcat})
_MULTIPLYING = frozenset({operator.mul, operator.imul})
_RAISING = frozenset({operator.pow, operator.ipow, pow})
_SHIFTING = frozenset({operator.lshift, operator.ilshift})
_COUNTING = frozenset({math.factorial, math.comb, math.perm})
# Functions that give as many members, or characters, as a number among their arguments says.
_FILLING = frozenset(
    {
        bytes,
        bytearray,
        itertools.repeat,
        arange,
        "ljust",
        "rjust",
        "center",
        "zfill",
        "expandtabs",
        "to_bytes",
    }
)
# Functions that look at all members of what they are given; others take ranges as they are.
_ITERATING = frozenset(
    {
        list, tuple, set, frozenset, dict, sum, sorted, bytes, bytearray, deque, any, all, map, filter, zip, enumerate, reversed, min, max, math.prod,
        "extend", "update", "join", "fromkeys", "union", "product", "permutations", "combinations", "combinations_with_replacement", "accumulate",
        "mean", "fmean", "median", "Counter",
    }
)  # fmt: skip
# A width, or a precision, of a format.
_WIDE = re.compile(r"\d{7,}")


def too_much(function: Any, values: tuple[Any, ...]) -> str:
    """What a call would make that is too large; empty where nothing is."""
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "")
    if owner is not None and name in (
        "__mul__",
        "__rmul__",
        "__imul__",
        "__add__",
        "__iadd__",
        "__pow__",
        "__lshift__",
        "__mod__",
    ):
        named = getattr(operator, name.replace("__r", "__"), None)
        return too_much(named, (owner, *values))
    if len(values) >= 2:
        large = _operated(function, *values[:2])
        if large:
            return large
    is_known = _is_hashable(function)
    numbers = [value for value in values if isinstance(value, int)]
    if is_known and function in _COUNTING and any(number > MOST_BITS for number in numbers):
        return "a number of thousands of bits"
    is_filling = (is_known and function in _FILLING) or (
        name in _FILLING and isinstance(owner, (*_TEXT, int, type))
    )
    if is_filling and any(number > LONGEST for number in numbers):
        return _sequence(max(numbers))
    if (function is format and _is_wide(values[1:])) or (
        name == "format" and isinstance(owner, str) and _is_wide((owner, *values))
    ):
        return "a text of millions of characters"
    if name == "replace" and isinstance(owner, _TEXT) and len(values) > 1 and isinstance(values[1], _TEXT):
        return _long((len(owner) + 1) * len(values[1]))
    if (
        name == "join"
        and isinstance(owner, _TEXT)
        and isinstance(values[0] if values else None, list | tuple)
    ):
        return _long(sum(len(value) + len(owner) for value in values[0] if isinstance(value, _TEXT)))
    if name == "extend" and isinstance(owner, _SIZED) and values and hasattr(values[0], "__len__"):
        return _long(len(owner) + len(values[0]))
    if (is_known and function in _ITERATING) or name in _ITERATING:
        for value in values:
            if (
                isinstance(value, range | str)
                and _length(value) > MOST_ITERATED
                and not (function in (min, max) and len(values) > 1)
            ):
                return f"{_sequence(_length(value))} that is written out"
    return ""


def _operated(function: Any, first: Any, second: Any) -> str:
    """The same of an operator, of which these are the operands."""
    if not _is_hashable(function):
        return ""
    if function in _ADDING and isinstance(first, _SIZED) and isinstance(second, _SIZED):
        return _long(len(first) + len(second))
    if function in _MULTIPLYING:
        for sequence, times in ((first, second), (second, first)):
            if isinstance(sequence, _SIZED) and isinstance(times, int):
                return _long(len(sequence) * times)
        if isinstance(first, int) and isinstance(second, int):
            return _bits(first.bit_length() + second.bit_length())
    if function in _RAISING and isinstance(second, int) and not isinstance(first, float | complex):
        bits = first.bit_length() if isinstance(first, int) else 1
        return _bits(bits * abs(second) if bits > 1 else 0) if isinstance(first, int) else _bits(abs(second))
    if function in _SHIFTING and isinstance(first, int) and isinstance(second, int) and first:
        return _bits(first.bit_length() + max(second, 0))
    if function is operator.mod and isinstance(first, str | bytes):
        text = first.decode("latin-1") if isinstance(first, bytes) else first
        given = second if isinstance(second, tuple) else (second,)
        if _WIDE.search(text) or (
            "*" in text and any(isinstance(value, int) and value > LONGEST for value in given)
        ):
            return "a text of millions of characters"
    return ""


def _is_wide(texts: tuple[Any, ...]) -> bool:
    """Whether a format asks for a width that nobody reads."""
    template = texts[0] if texts else ""
    if not isinstance(template, str):
        return False
    is_nested = "{}" in template[1:] or "{" in template.partition(":")[2]
    return _WIDE.search(template) is not None or (
        is_nested and any(isinstance(value, int) and value > LONGEST for value in texts[1:])
    )


def _long(length: int) -> str:
    return _sequence(length) if length > LONGEST else ""


def _sequence(length: int) -> str:
    return f"a sequence of {length:,} members"


def _bits(bits: int) -> str:
    return f"a number of {bits:,} bits" if bits > MOST_BITS else ""


def _length(value: Any) -> int:
    try:
        return len(value)
    except OverflowError:  # a range longer than any list
        return 1 << 63


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
