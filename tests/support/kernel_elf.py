"""The smallest kernel that the host library takes for a compiled one: an ELF file for RISC-V with one instruction.

It wants one segment of code, and at least one relocation in it, since it moves kernels to where there is room.
"""

from __future__ import annotations

import struct

_START = 0x5000
_RETURN = struct.pack("<I", 0x00008067)
_NAMES = b"\0.text\0.rela.text\0.symtab\0.strtab\0.shstrtab\0"
_HEADER, _SEGMENT, _SECTION = 52, 32, 40
_PROGBITS, _SYMTAB, _STRTAB, _RELA = 1, 2, 3, 4
_EXECUTABLE, _RISCV, _RELAX = 2, 243, 51


def kernel_elf() -> bytes:
    """The contents of the file."""
    symbols = bytes(16) + struct.pack("<IIIBBH", 1, _START, len(_RETURN), 0x12, 0, 1)
    relocation = struct.pack("<III", _START, (1 << 8) | _RELAX, 0)
    contents = (_RETURN, relocation, symbols, b"\0_start\0", _NAMES)
    body, places = _laid_out(contents, _HEADER + _SEGMENT)
    sections = b"".join(
        (
            bytes(_SECTION),
            _section(".text", _PROGBITS, 6, _START, places[0], 0, 0, 0),
            _section(".rela.text", _RELA, 0x40, 0, places[1], 3, 1, 12),
            _section(".symtab", _SYMTAB, 0, 0, places[2], 4, 1, 16),
            _section(".strtab", _STRTAB, 0, 0, places[3], 0, 0, 0),
            _section(".shstrtab", _STRTAB, 0, 0, places[4], 0, 0, 0),
        )
    )
    offset, size = places[0]
    segment = struct.pack("<8I", 1, offset, _START, _START, size, size, 5, 4)
    header = b"\x7fELF\x01\x01\x01" + bytes(9)
    header += struct.pack("<HHIIII", _EXECUTABLE, _RISCV, 1, _START, _HEADER, _HEADER + _SEGMENT + len(body))
    header += struct.pack("<IHHHHHH", 0, _HEADER, _SEGMENT, 1, _SECTION, 6, 5)
    return header + segment + body + sections


def _laid_out(contents: tuple[bytes, ...], start: int) -> tuple[bytes, list[tuple[int, int]]]:
    """Contents one after the other at multiples of four, and where each is: offset and size."""
    body, places = b"", []
    for content in contents:
        places.append((start + len(body), len(content)))
        body += content + bytes(-len(content) % 4)
    return body, places


def _section(
    name: str, kind: int, flags: int, address: int, place: tuple[int, int], link: int, info: int, entry: int
) -> bytes:
    return struct.pack(
        "<10I", _NAMES.index(f"{name}\0".encode()), kind, flags, address, *place, link, info, 4, entry
    )
