"""Limits on computations while a program is read, so that no number in a program makes them take long, or much memory.

Python itself computes with known values, in calls that cannot be interrupted: ``10 ** 99999999`` would stop an editor
for minutes, ``[0] * 99999999`` takes a gigabyte, and ``list(itertools.count())`` all memory. ``too_much`` finds values
of a known size that are too large; an iterator is wrapped in one that counts (``counted``), so that taking its members,
in Python or in C, stops at a bound.
"""

from __future__ import annotations

import itertools
import math
import operator
import re
import sys
from array import array
from collections import deque
from collections.abc import Callable, Iterator
from operator import length_hint
from types import FrameType
from typing import Any

from ttl.frontend import refusals
from ttl.frontend.stop import Reject
from ttl.host.creation import arange

# The most members of a new sequence, or characters of a new text, and the most bits of a number.
LONGEST = 1 << 20
MOST_BITS = 4096
# The most members of a range, or characters of a text, that is iterated over as a whole.
MOST_ITERATED = 65_536
# The most steps of a search for a regular expression, and lines of Python's own library that a call runs.
MOST_MATCHED = 1 << 24
MOST_LINES = 1 << 19
# Unlimited repetitions in a regular expression, and such repetitions of a group, which may itself contain one.
_REPEATS = re.compile(r"[*+]|\{\d*,\d*\}")
_NESTED = re.compile(r"\)(?:[*+]|\{\d*,\d*\})")
_SIZED = (list, tuple, str, bytes, bytearray, deque, array)
_TEXT = (str, bytes, bytearray)
_COUNTED = (*_SIZED, range, set, frozenset, dict)
_ADDING = frozenset({operator.add, operator.iadd, operator.concat, operator.iconcat})
_MULTIPLYING = frozenset({operator.mul, operator.imul})
_RAISING = frozenset({operator.pow, operator.ipow, pow})
_SHIFTING = frozenset({operator.lshift, operator.ilshift})
_METHODS_OF_OPERATORS = frozenset(
    {"__mul__", "__rmul__", "__imul__", "__add__", "__iadd__", "__pow__", "__lshift__", "__mod__"}
)
_COUNTING = frozenset({math.factorial, math.comb, math.perm})
# Functions whose result has as many members, or characters, as one of their arguments says.
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
# Functions that take all members of their arguments; others do not iterate over ranges.
_ITERATING = frozenset(
    {
        list, tuple, set, frozenset, dict, sum, sorted, bytes, bytearray, deque, any, all, map, filter, zip, enumerate, reversed, min, max, math.prod,
        "extend", "update", "join", "fromkeys", "union", "product", "permutations", "combinations", "combinations_with_replacement", "accumulate",
        "mean", "fmean", "median", "Counter",
    }
)  # fmt: skip
# A width, or a precision, of a format.
_WIDE = re.compile(r"\d{7,}")


# Functions that take no members of their arguments, or only one at a time when it is needed, which is counted then.
_TAKING_NONE = frozenset(
    {
        len, range, reversed, iter, enumerate, zip, map, filter, isinstance, type, id, callable, hasattr, getattr, repr, str, bool,
        hash, slice, print, next, itertools.chain, itertools.islice, itertools.cycle, itertools.repeat, itertools.starmap,
        itertools.takewhile, itertools.dropwhile, itertools.pairwise, itertools.zip_longest, itertools.compress,
        itertools.filterfalse, itertools.groupby, itertools.tee, itertools.chain.from_iterable,
        operator.getitem, operator.eq, operator.ne, operator.is_, operator.is_not, operator.truth, operator.not_,
    }
)  # fmt: skip
# For these, a range computes the answer for an integer, and compares all of its members for any other value.
_SEARCHING = frozenset({operator.contains, operator.indexOf, operator.countOf})
# Functions of the iterator itself: they get the iterator without a wrapper that counts.
_ABOUT = frozenset(
    {isinstance, type, id, callable, hasattr, getattr, repr, str, hash, operator.is_, operator.is_not}
)


class Counted:
    """An iterator that refuses to yield more than a bounded number of members while a program is read."""

    __slots__ = ("_members", "_name", "_taken")

    def __init__(self, members: Iterator[Any], name: str = "") -> None:
        self._members = members
        self._name = name or type(members).__name__
        self._taken = 0

    def __iter__(self) -> Counted:
        return self

    def __next__(self) -> Any:
        if self._taken >= MOST_ITERATED:
            raise Reject(refusals.too_many_members(self._name, MOST_ITERATED))
        self._taken += 1
        return next(self._members)

    def __repr__(self) -> str:
        return repr(self._members)


def counted(function: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments of a call, in which iterators without a known end are wrapped in ones that count."""
    for value in values:
        if hasattr(type(value), "__next__"):
            break
    else:
        return values
    if is_hashable(function) and function in _ABOUT:
        return values
    return tuple(Counted(value) if _is_endless(value) else value for value in values)


def _is_endless(value: Any) -> bool:
    """Whether a value is one of Python's own iterators, of unknown or large length."""
    kind = type(value)
    if kind.__module__ not in ("builtins", "itertools") or not hasattr(kind, "__next__"):
        return False
    try:
        return length_hint(value, MOST_ITERATED + 1) > MOST_ITERATED
    except OverflowError:
        return True


def within_lines(call: Callable[[], Any]) -> Any:
    """Return the result of a call of a library written in Python; refuse the call after a bounded number of lines."""
    left = MOST_LINES

    def traced(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise Reject(refusals.too_many_lines(MOST_LINES))
        return traced

    before = sys.gettrace()
    if before is not None:  # a debugger or a measurement of coverage is active
        return call()
    sys.settrace(traced)
    try:
        return call()
    finally:
        sys.settrace(None)


def is_harmless(function: Any, values: tuple[Any, ...]) -> bool:
    """Return whether a call with these values is neither large nor endless, whatever the function does with them."""
    return not isinstance(getattr(function, "__self__", None), _MAY_GROW) and all(map(_is_small, values))


def _is_small(value: Any) -> bool:
    kind = type(value)
    if kind is int or kind is bool:
        return bool(-_SMALL <= value <= _SMALL)
    return not isinstance(value, _MAY_GROW) and not hasattr(kind, "__next__")


# Types of values that may be repeated, joined, searched or converted to text, and of numbers that may be large.
_MAY_GROW = (int, str, bytes, bytearray, range, list, tuple, set, frozenset, dict, deque, re.Pattern)
_SMALL = 64


def too_much(function: Any, values: tuple[Any, ...]) -> str:
    """Return a description of the result of a call that is too large; empty where it is not."""
    if function is getattr:
        return ""
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "")
    if owner is not None and name in _METHODS_OF_OPERATORS:
        named = getattr(operator, name.replace("__r", "__"), None)
        return too_much(named, (owner, *values))
    if len(values) >= 2:
        large = _operated(function, *values[:2])
        if large:
            return large
    is_known = is_hashable(function)
    if _matching(function, owner, name, values) > MOST_MATCHED:
        return "a search for a pattern that may take exponential time"
    if _searches(function, name, owner, values):
        return "a search among all numbers of a long range"
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
    if name == "extend" and isinstance(owner, _SIZED) and values and isinstance(values[0], _COUNTED):
        return _long(len(owner) + len(values[0]))
    is_iterated = (is_known and function in _ITERATING) or name in _ITERATING
    takes_ranges = not is_known or function not in _TAKING_NONE | _SEARCHING
    for value in values:
        if not isinstance(value, range | str) or _length(value) <= MOST_ITERATED:
            continue
        is_written_out = is_iterated and not (function in (min, max) and len(values) > 1)
        if is_written_out or (takes_ranges and isinstance(value, range) and owner is not value):
            return f"{_sequence(_length(value))} that is written out"
    return ""


def _matching(function: Any, owner: Any, name: str, values: tuple[Any, ...]) -> int:
    """Return the most steps of a search for a regular expression; nested repetitions double them per character."""
    if isinstance(owner, re.Pattern):
        pattern, given = owner.pattern, values
    elif (
        getattr(function, "__module__", "") == "re" and values and name not in ("compile", "escape", "purge")
    ):
        pattern = values[0].pattern if isinstance(values[0], re.Pattern) else values[0]
        given = values[1:]
    else:
        return 0
    length = max((len(value) for value in given if isinstance(value, str | bytes)), default=0)
    if not isinstance(pattern, str | bytes):
        return 0
    text = pattern if isinstance(pattern, str) else pattern.decode("latin-1")
    repeats = len(_REPEATS.findall(text))
    if _NESTED.search(text):
        return 1 << min(length, LONGEST.bit_length() * 4)
    return int((length + 1) ** min(repeats + 1, 16))


def _searches(function: Any, name: str, owner: Any, values: tuple[Any, ...]) -> bool:
    """Whether a long range is searched for a value that is not an integer."""
    over, sought = values if len(values) == 2 else (owner, values[0] if values else None)
    is_search = (is_hashable(function) and function in _SEARCHING) or (
        isinstance(owner, range) and name in ("index", "count", "__contains__")
    )
    return (
        is_search
        and isinstance(over, range)
        and type(sought) not in (int, bool)
        and _length(over) > MOST_ITERATED
    )


def _operated(function: Any, first: Any, second: Any) -> str:
    """Return a description of the result of an operator on these operands that is too large; empty where it is not."""
    if not is_hashable(function):
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
    """Return whether a format has a number of seven or more digits, or may take a width above ``LONGEST``."""
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


def is_hashable(value: Any) -> bool:
    """Return whether a value can be a key of a dictionary."""
    try:
        hash(value)
    except (TypeError, Reject):
        return False
    return True
