"""Binaries with mistakes in them: of real ones, bytes or values of the tables are replaced by others that files may hold."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

from ttmlir.flatbuffer.decode import decode
from ttmlir.flatbuffer.encode import EncodeError, encode
from ttmlir.flatbuffer.schema import schema

# Numbers that break what nobody thought of.
_NUMBERS = (-1, 0, 1, 2, 3, 31, 33, 255, 65536, 2**24, 2**30, 2**31 - 1, -(2**31))


def broken(content: bytes, seed: int) -> bytes:
    """The binary with one to three mistakes; in its bytes for one seed of three, else in its tables."""
    drawn = random.Random(seed)
    return _bytes(content, drawn) if seed % 3 == 0 else _tables(content, drawn)


def _bytes(content: bytes, drawn: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(drawn.randint(1, 3)):
        changed[drawn.randrange(8, len(changed))] = drawn.randrange(256)
    return bytes(changed) if drawn.random() < 0.8 else bytes(changed[: drawn.randrange(len(changed))])


def _tables(content: bytes, drawn: random.Random) -> bytes:
    while True:
        values = copy.deepcopy(decode(schema("TTNN/binary.fbs"), content))
        root: Any = values if drawn.random() < 0.1 else values["programs"][0]
        if drawn.random() < 0.3:
            root = values["system_desc"]
        for _ in range(drawn.randint(1, 3)):
            places = list(_places(root))
            holder, key = drawn.choice(places)
            _change(holder, key, drawn)
        try:
            return encode(schema("TTNN/binary.fbs"), values)
        except (EncodeError, KeyError, TypeError, ValueError, OverflowError, AttributeError):
            # No file can hold this.
            continue


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield value, key
        yield from _places(inner)


def _change(holder: Any, key: Any, drawn: random.Random) -> None:
    value = holder[key]
    if isinstance(holder, list) and drawn.random() < 0.3:
        if drawn.random() < 0.5:
            del holder[key]
        else:
            holder.insert(key, copy.deepcopy(value))
    elif isinstance(holder, dict) and drawn.random() < 0.2:
        del holder[key]
    elif isinstance(value, bool):
        holder[key] = not value
    elif isinstance(value, int):
        holder[key] = drawn.choice(_NUMBERS)
    elif isinstance(value, float):
        holder[key] = drawn.choice((0.0, -1.0, float("inf"), float("nan"), 1e30))
    elif isinstance(value, list):
        holder[key] = [] if drawn.random() < 0.5 else value[: len(value) // 2]
    elif isinstance(value, str):
        words = ("", "Tile", "RowMajor", "Float32", "BFloat16", "UInt8", "BFP_BFloat8", "DeviceL1", "System")
        holder[key] = drawn.choice((*words, "BlockSharded", "SingleBank", "Where", "Add", "Clamp"))
