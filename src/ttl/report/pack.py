"""Columns of whole numbers as compact JSON: a short column is a list, a longer one a deflated stream.

The stream has zigzag LEB128 numbers, deflated without a header and in base64: ``z``, with ``n`` numbers. With ``d``
they are differences to the number before. The page reads it with ``DecompressionStream("deflate-raw")``.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from ttl.rows.dtypes import Array

# Columns of up to this many numbers are shorter as a list.
_SHORT = 16
_LEVEL = 6


def column(values: Array) -> dict[str, Any]:
    """Return a column of integers as an object that ``json.dumps`` takes. All values are between -2**53 and 2**53."""
    numbers = values.astype(np.int64)
    if len(numbers) <= _SHORT:
        return {"i": numbers.tolist()}
    plain, steps = _deflated(numbers), _deflated(np.diff(numbers, prepend=0))
    differs = len(steps) < len(plain)
    data = steps if differs else plain
    return {"z": base64.b64encode(data).decode("ascii"), "n": len(numbers), "d": int(differs)}


def unpacked(data: Mapping[str, Any]) -> Array:
    """The numbers of a column. Raises ``KeyError``, ``ValueError`` and ``TypeError`` for data that is not a column."""
    if "i" in data:
        return np.array(data["i"], np.int64)
    try:
        stream = zlib.decompress(base64.b64decode(data["z"], validate=True), -zlib.MAX_WBITS)
    except zlib.error as problem:
        raise ValueError(f"a column is damaged: {problem}") from None
    numbers = _from_zigzag(np.frombuffer(stream, np.uint8))
    if len(numbers) != data["n"]:
        raise ValueError(f"a column has {len(numbers)} numbers and says {data['n']}")
    return np.cumsum(numbers) if data["d"] else numbers


def encoded(value: Any) -> Any:
    """Return a record as an object that ``json.dumps`` takes: records become objects, arrays columns."""
    if isinstance(value, np.ndarray):
        return column(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: encoded(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): encoded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [encoded(item) for item in value]
    return value


def _deflated(numbers: Array) -> bytes:
    pressed = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return pressed.compress(_zigzag(numbers)) + pressed.flush()


def _zigzag(numbers: Array) -> bytes:
    values = ((numbers << 1) ^ (numbers >> 63)).view(np.uint64)
    lengths = np.ones(len(values), np.int64)
    rest = values >> np.uint64(7)
    while rest.any():
        lengths += rest != 0
        rest = rest >> np.uint64(7)
    ends = np.cumsum(lengths)
    result = np.zeros(int(ends[-1]) if len(ends) else 0, np.uint8)
    begins = ends - lengths
    for at in range(int(lengths.max(initial=0))):
        has = lengths > at
        septet = (values[has] >> np.uint64(7 * at)) & np.uint64(127)
        more = (lengths[has] > at + 1).astype(np.uint64) << np.uint64(7)
        result[begins[has] + at] = (septet | more).astype(np.uint8)
    return result.tobytes()


def _from_zigzag(stream: Array) -> Array:
    ends = np.flatnonzero(stream < 128)
    begins = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    if len(ends) == 0 or ends[-1] != len(stream) - 1:
        if len(stream):
            raise ValueError("a column ends within a number")
        return np.empty(0, np.int64)
    values = np.zeros(len(ends), np.uint64)
    lengths = ends - begins + 1
    if lengths.max() > 10:
        raise ValueError("a column has a number that is too long")
    for at in range(int(lengths.max())):
        has = lengths > at
        septet = (stream[begins[has] + at] & 127).astype(np.uint64)
        values[has] |= septet << np.uint64(7 * at)
    return (values >> np.uint64(1)).astype(np.int64) ^ -(values & np.uint64(1)).astype(np.int64)


def as_json(report: Mapping[str, Any]) -> str:
    """Return a report as JSON on one line. Raises ``ValueError`` for numbers that JSON does not have, such as NaN."""
    return json.dumps(report, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"
