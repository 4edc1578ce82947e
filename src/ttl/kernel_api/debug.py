"""Assertions and prints; plain text and numbers are printed by ``ttkernel.dprint``."""

from __future__ import annotations

from ttl.kernel_api.model import Call
from ttl.kernel_api.rows import fn, row, text

_ASSERT = "api/debug/assert.h"
_PRINT = "api/debug/dprint.h"
_ROW = (
    "SliceRange{{.h0 = static_cast<uint8_t>({row}), .h1 = static_cast<uint8_t>(({row}) + 1), .hs = 1, "
    ".w0 = 0, .w1 = 32, .ws = 1}}"
)


def _print_row(processor: str) -> Call:
    """The processors of the compute kernel: UNPACK sees pages that were handed over, PACK those that are reserved."""
    tile = f"TileSlice<128>({{cb}}, {{i}}, {_ROW}, true, true)"
    pages = "handed over" if processor == "UNPACK" else "reserved"
    return row(
        f"dprint_tile_row_{processor.lower()}", "cb, i, row: index",
        old=text(f"DPRINT_{processor}(DPRINT << {tile})"), new=text(f'DPRINT_{processor}("{{{{}}}}", {tile})'),
        thread="tensix", header=_PRINT, doc=f"Print a row of tile i of the pages {pages}.",
    )  # fmt: skip


_NOC_TILE = f"TileSlice<128>({{cb}}, {{i}}, {_ROW}, TSLICE_INPUT_CB, {{end}}, true, true)"

ROWS: tuple[Call, ...] = (
    row(
        "device_assert", "condition: flag", fn("ASSERT", "condition"), thread="any", header=_ASSERT,
        doc="Stop the chip where a condition does not hold; nothing unless the watcher is on.",
    ),
    _print_row("UNPACK"),
    _print_row("PACK"),
    row(
        "dprint_tile_row", "cb, i, row: index, end: word",
        old=text(f"DPRINT << {_NOC_TILE}"), new=text(f'DPRINT("{{{{}}}}", {_NOC_TILE})'),
        thread="noc", header=_PRINT,
        doc="Print a row of tile i, counted from TSLICE_RD_PTR or TSLICE_WR_PTR.",
    ),
)  # fmt: skip
