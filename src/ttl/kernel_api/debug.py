"""Assertions and prints; plain text and numbers are printed by ``ttkernel.dprint``."""

from __future__ import annotations

from ttl.kernel_api.function_rows import Call
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


def _print_pointers(processor: str, texts: str, fields: tuple[str, ...]) -> Call:
    """Where a buffer stands, from its beginning: the unpacker reads, the packer writes. Words of 16 bytes on these processors."""
    own = "get_local_cb_interface({cb})"
    # The tile pointer counts the pages that were packed into those that are reserved.
    values = [
        f"(({own}.{field} - ({own}.fifo_limit - {own}.fifo_size)) << 4)"
        if field != "fifo_wr_tile_ptr"
        else f"{own}.{field}"
        for field in fields
    ]
    parts = texts.split("%")
    stream = " << ".join(f'"{part}" << {value}' for part, value in zip(parts, values))
    pattern = "".join(f"{part}{{{{}}}}" for part in parts[: len(values)])
    return row(
        f"dprint_buffer_{processor.lower()}", "cb",
        old=text(f"DPRINT_{processor}(DPRINT << {stream} << ENDL())"),
        new=text(f'DPRINT_{processor}("{pattern}\\n", {", ".join(values)})'),
        thread="tensix", header=_PRINT, doc=f"Print {' and '.join(fields)} of a buffer, in bytes from its beginning.",
    )  # fmt: skip


def _place_of(end: str) -> Call:
    own = "get_local_cb_interface({cb})"
    return row(
        f"cb_{end}_place", "cb, bytes: index",
        text(f"((get_{end}_ptr({{cb}}) - ({own}.fifo_limit - {own}.fifo_size)) / {{bytes}})"),
        thread="noc", result="index", effect="read",
        doc=f"Where in the ring a buffer is {'read' if end == 'read' else 'written'}, in blocks of so many bytes.",
    )  # fmt: skip


_NOC_TILE = f"TileSlice<128>({{cb}}, {{i}}, {_ROW}, TSLICE_INPUT_CB, {{end}}, true, true)"
_NOC_ROW = (
    "TileSlice<128>({cb}, 0, SliceRange{{.h0 = static_cast<uint8_t>({row}), .h1 = static_cast<uint8_t>(({row}) + 1), .hs = 1, "
    ".w0 = 0, .w1 = static_cast<uint8_t>({columns}), .ws = 1}}, TSLICE_INPUT_CB, {end}, true, false)"
)

ROWS: tuple[Call, ...] = (
    row(
        "device_assert", "condition: flag", fn("ASSERT", "condition"), thread="any", header=_ASSERT,
        doc="Stop the chip where a condition does not hold; nothing unless the watcher is on.",
    ),
    row(
        "assert_below", "value: index, limit: index, why: text", text("ASSERT({value} < {limit} && {why})"),
        thread="any", header=_ASSERT,
        doc="The same where a number is not below a limit, with a text that says what the number is.",
    ),
    row(
        "assert_natural", "value: index, why: text", text("ASSERT(static_cast<int32_t>({value}) >= 0 && {why})"),
        thread="any", header=_ASSERT, doc="The same where a number is negative.",
    ),
    _print_row("UNPACK"),
    _print_row("PACK"),
    _print_pointers("UNPACK", "rd_ptr=%", ("fifo_rd_ptr",)),
    _print_pointers("PACK", "wr_ptr=% wr_tile_ptr=%", ("fifo_wr_ptr", "fifo_wr_tile_ptr")),
    row(
        "cb_pages_available_at_front", "cb, pages: index", thread="noc", result="flag", effect="read",
        doc="Whether as many pages were handed over and not freed.",
    ),
    _place_of("read"),
    _place_of("write"),
    row(
        "dprint_elements", "cb, row: index, columns: index, end: word",
        old=text(f"DPRINT << {_NOC_ROW}"), new=text(f'DPRINT("{{{{}}}}", {_NOC_ROW})'),
        thread="noc", header=_PRINT,
        doc="Print elements of a page without tiles, 32 or the given number, from TSLICE_RD_PTR or TSLICE_WR_PTR on.",
    ),
    row(
        "dprint_tile_row", "cb, i, row: index, end: word",
        old=text(f"DPRINT << {_NOC_TILE}"), new=text(f'DPRINT("{{{{}}}}", {_NOC_TILE})'),
        thread="noc", header=_PRINT,
        doc="Print a row of tile i, counted from TSLICE_RD_PTR or TSLICE_WR_PTR.",
    ),
)  # fmt: skip
