"""Broken copies of flatbuffers: bits, bytes, lengths, offsets and lists of fields changed, ends cut off."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator

KINDS = ("bits", "cut", "lengths", "offsets", "fields")
_EDGES = (0, 1, 4, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFC, 0xFFFFFFFF)


def broken(content: bytes, kind: str, count: int, seed: int = 0) -> Iterator[bytes]:
    """Copies of a file, each broken in one way, the same for the same seed. The length in front is right, but for ``lengths``."""
    draw = random.Random(f"{kind} {seed}")
    words = range(4, len(content) - 4, 4)
    for _ in range(count):
        copy = bytearray(content)
        match kind:
            case "bits":
                for _ in range(draw.randint(1, 8)):
                    copy[draw.randrange(12, len(copy))] ^= 1 << draw.randrange(8)
            case "cut":
                del copy[draw.randrange(12, len(copy)) :]
                struct.pack_into("<I", copy, 0, len(copy) - 4)
            case "lengths":
                # Lengths are small numbers.
                small = [at for at in words if struct.unpack_from("<I", copy, at)[0] < 4096]
                struct.pack_into("<I", copy, draw.choice(small), draw.choice(_EDGES))
                if draw.random() < 0.1:
                    struct.pack_into("<I", copy, 0, draw.choice(_EDGES))
            case "offsets":
                # To somewhere in the file, often to the front: there what refers lies.
                at = draw.choice(words)
                to = draw.randrange(len(copy)) - at
                struct.pack_into("<i", copy, at, draw.choice((to, -to, to & ~3, draw.randint(-64, 64))))
            case "fields":
                # The two numbers in front of a list of fields, and its entries.
                at = 2 * draw.randrange(6, len(copy) // 2 - 1)
                struct.pack_into("<H", copy, at, draw.choice((0, 2, 3, 4, 6, 0xFFFF, draw.randrange(64))))
        yield bytes(copy)
