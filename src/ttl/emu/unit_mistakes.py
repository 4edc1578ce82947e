"""The rules for DST and the units that compute kernels may break, by the names in ``native/emu/units.cpp``: code and text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ttl.diag.words import counted
from ttl.emu.broken_rules import FailureFacts, RuleMessage, RuleWords, rule
from ttl.emu.program import FORMATS

_FORMAT_NAMES: Mapping[int, str] = MappingProxyType({code: name for name, code in FORMATS.items()})
_BINARY = ("add", "sub", "mul")
_BROADCAST = ("no", "column", "row", "scalar")
_POOL = ("sum", "average", "max", "min")
_ALONG = ("rows", "columns", "both")
_WRITE_WHOLE = (
    "pack a reduction before reduce_uninit, which makes the packer keep its result only, or write the whole register first: "
    "fill_tile(index, 0.0f)"
)
_ORDERED = (
    "call unary_bcast_uninit and reduce_uninit<true> once, when nothing follows that needs the bit; or let the unpacker wait for a "
    "page that the packer pushes after them"
)
# Bits that more than one processor writes, in the order of ``SharedName`` (native/emu/machine.h).
_SHARED = ("bit 11 of RISCV_DEBUG_REG_DBG_FEATURE_DISABLE", "ALU_ACC_CTRL_Zero_Flag_disabled_src")
_STRAIGHT = " straight to DST"
_PROCESSORS = ("unpacker", "mathematics", "packer")
_UNITS: Mapping[int, Callable[[int], str]] = MappingProxyType(
    {
        0: lambda detail: "nothing",
        1: lambda detail: f"{_BINARY[detail]} of two tiles",
        2: lambda detail: (
            f"{'transposed ' if detail >> 2 else ''}copies" + ("", " of uint16", _STRAIGHT, "")[detail & 3]
        ),
        3: lambda detail: (
            f"matrix products, {detail >> 6 & 63} x {detail & 63} tiles at a time with {counted(detail >> 13, 'tile')} in a row"
            + (", the right one transposed" if detail >> 12 & 1 else "")
        ),
        4: lambda detail: f"{_BINARY[detail >> 8]} with a {_BROADCAST[detail & 255]} broadcast",
        5: lambda detail: f"a {_BROADCAST[detail & 255]} broadcast{_STRAIGHT if detail >> 8 else ''}",
        6: lambda detail: (
            f"a {_POOL[detail >> 8 & 255]} reduction along {_ALONG[detail & 255]}"
            + (", accumulated in float32" if detail >> 16 else "")
        ),
        8: lambda detail: ("transpositions", "a transposition of DST", f"transpositions{_STRAIGHT}")[detail],
        18: lambda detail: f"tiles out of rows of {detail} tiles",
        20: lambda detail: "rows out of tiles",
        9: lambda detail: f"{_BINARY[detail >> 8]} with what is in DST",
    }
)


def _format(code: int) -> str:
    return _FORMAT_NAMES.get(code, "nothing")


def _unit(kind: int, detail: int) -> str:
    words = _UNITS.get(kind)
    return "something else" if words is None else words(detail)


def _in_line(line: int) -> str:
    return f" in line {line}" if line else ""


def _setup(unit: str) -> RuleWords:
    def words(facts: FailureFacts) -> RuleMessage:
        wanted, detail, kind, latest, line, *_ = facts.values
        return RuleMessage(
            code="TTL1513",
            text=f"needs {unit} set up for {_unit(wanted, detail)}, and it was last set up for {_unit(kind, latest)}{_in_line(line)}",
            help="call the init of the function before it",
        )

    return words


UNIT_RULES: Mapping[str, RuleWords] = MappingProxyType(
    {
        # --- DST
        "acquired-twice": rule("TTL1511", lambda f: "acquires DST twice", "commit first: tile_regs_commit"),
        "waited-twice": rule("TTL1511", lambda f: "waits for DST twice", "release first: tile_regs_release"),
        "commit-not-acquired": rule("TTL1511", lambda f: "commits DST, which it has not acquired"),
        "release-not-waited": rule("TTL1511", lambda f: "releases DST, which it has not waited for"),
        "math-before-acquire": rule(
            "TTL1511", lambda f: "computes in DST, which it has not acquired", "acquire it: tile_regs_acquire"
        ),
        "pack-before-wait": rule(
            "TTL1511", lambda f: "packs from DST, which it has not waited for", "wait for it: tile_regs_wait"
        ),
        "exit-acquired": rule("TTL1511", lambda f: "ends with DST acquired", "commit it: tile_regs_commit"),
        "exit-waited": rule(
            "TTL1511", lambda f: "ends without releasing DST", "release it: tile_regs_release"
        ),
        "exit-committed": rule("TTL1511", lambda f: "ends with results in DST that were not packed"),
        "pack-nothing": rule(
            "TTL1511", lambda f: f"packs tile {f.values[0]} of DST, into which nothing was computed"
        ),
        "register-unwritten": rule(
            "TTL1517",
            lambda f: (
                f"computes on the vector unit with tile {f.values[0]} of DST, into which nothing was written since it was "
                "acquired"
                + (": its odd columns become what an earlier program left there" if f.values[1] else "")
            ),
            "write the register first: fill_tile(index, 0.0f), or copy_tile",
        ),
        "pack-undefined": rule(
            "TTL1517",
            lambda f: (
                f"packs tile {f.values[0]} of DST into {f.buffer(f.values[1])}, which is a tensor's, with rows that the "
                f"vector unit computed, in line {f.values[2]}, from rows into which nothing was written since DST was acquired"
            ),
            _WRITE_WHOLE,
        ),
        "write-undefined": rule(
            "TTL1517",
            lambda f: (
                f"writes a tile of {f.buffer(f.values[1])} to a tensor with undefined elements: the compute kernel "
                f"packed it in line {f.values[3]} from tile {f.values[0]} of DST, with rows that the vector unit computed, in "
                f"line {f.values[2]}, from rows into which nothing was written since DST was acquired"
            ),
            _WRITE_WHOLE,
        ),
        "dst-overflow": rule(
            "TTL1512",
            lambda f: (
                f"uses tile {f.values[0]} of DST, which has {f.values[1]} tiles of {32 if f.values[2] else 16} bits here"
            ),
            "compute fewer tiles at a time",
        ),
        # --- units
        "not-started": rule(
            "TTL1513",
            lambda f: "uses the compute units before they are started",
            "begin with compute_kernel_hw_startup",
        ),
        "unit-setup": _setup("the matrix unit"),
        "unpacker-setup": _setup("the unpacker"),
        "unpacker-part": rule(
            "TTL1513",
            lambda f: (
                f"unpacks a tile of {f.buffer(f.values[0])} into source register B face by face, and the unpacker was last set up "
                f"{('', 'for the first row of each', 'for whole tiles')[f.values[1]]}{_in_line(f.values[2])}: in 0.69 "
                "binary_dest_reuse_tiles_init<..., DEST_TO_SRCA> does not change that"
            ),
            "set it up after the init: UNPACK((llk_unpack_A_uninit<BroadcastType::ROW>(buffer)))",
        ),
        "vector-setup": rule(
            "TTL1513",
            lambda f: (
                f"calls {f.function(f.values[0])}, and the vector unit was last set up by "
                f"{f.function(f.values[1])}{_in_line(f.values[2])}"
            ),
            "call the init of the function before it",
        ),
        "register-offset": rule(
            "TTL1519",
            lambda f: (
                f"repeats what the unpacker puts into tile {f.values[0]} of DST, and the mathematics addresses tile {f.values[1]}"
                f"{_in_line(f.values[2])}: in 0.69 unary_bcast of 32 bits does not change that"
            ),
            "address the tile first: MATH((math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>(tile)))",
        ),
        "unordered-bit": rule(
            "TTL1519",
            lambda f: (
                f"{('clears', 'sets', 'relies on')[f.values[0]]} {_SHARED[f.values[4]]}, which the "
                f"{_PROCESSORS[f.values[1]]} {'sets' if f.values[2] else 'clears'}{_in_line(f.values[3])}, and their order is not "
                "defined"
            ),
            _ORDERED,
        ),
        "bit-cleared": rule(
            "TTL1519",
            lambda f: (
                f"moves values of 32 bits without {_SHARED[f.values[2]]}, which the "
                f"{_PROCESSORS[f.values[0]]} cleared{_in_line(f.values[1])}"
            ),
            _ORDERED,
        ),
        "subnormal": rule(
            "TTL1519",
            lambda f: (
                "computes with a number that is not normal (below 1.2e-38), which is zero unless ALU_ACC_CTRL_Zero_Flag_disabled_src "
                f"is set: in 0.69 the reduce_init with enforce_fp32_accumulation{_in_line(f.values[0])} sets it, and nothing clears it"
            ),
            "reduce without enforce_fp32_accumulation in a kernel that computes with such numbers, or write zeros in their place",
        ),
        "packer-reduces": rule(
            "TTL1513",
            lambda f: (
                f"packs into {f.buffer(f.values[0])} values that are not a reduction, but the packer is set up for one: it leaves "
                "only the first row or column"
            ),
            "call reduce_uninit() when the results of a reduction are packed",
        ),
        "unpacker-rearranges": rule(
            "TTL1513",
            lambda f: (
                f"unpacks a tile of {f.buffer(f.values[0])}, and the unpacker is set up to make "
                f"{'tiles out of rows' if f.values[1] == 1 else 'rows out of tiles'}"
            ),
            "end it with tilize_uninit() or untilize_uninit()",
        ),
        "packer-rearranges": rule(
            "TTL1513",
            lambda f: (
                f"packs a tile into {f.buffer(f.values[0])}, and the packer is set up to make rows out of tiles"
            ),
            "end it with pack_untilize_uninit()",
        ),
        "packer-keeps-tiles": rule(
            "TTL1513",
            lambda f: f"packs rows into {f.buffer(f.values[0])}, and the packer is set up for tiles",
            "begin with pack_untilize_init() or pack_untilize_dest_init()",
        ),
        "packer-width": rule(
            "TTL1513",
            lambda f: (
                f"packs {f.values[0]} of {counted(f.values[1], 'tile')} side by side, and the packer was set up for "
                f"{f.values[2]} of {f.values[3]}"
            ),
            "give pack_untilize_init() the same widths",
        ),
        "source-format": rule(
            "TTL1514",
            lambda f: (
                f"unpacks {f.buffer(f.values[0])}, of {_format(f.values[1])}, into source register {'AB'[f.values[3]]}, "
                f"which is set up for {_format(f.values[2])}{_in_line(f.values[4])}"
            ),
            "set it up again: reconfig_data_format",
        ),
        "math-format": rule(
            "TTL1514",
            lambda f: (
                f"computes with {_format(f.values[0])} in source register {'AB'[f.values[2]]}, and the mathematics is set up for "
                f"{_format(f.values[1])}{_in_line(f.values[3])}"
            ),
            "set up the unpacker and the mathematics again: reconfig_data_format",
        ),
        "integer-mode": rule(
            "TTL1514",
            lambda f: (
                f"computes with {_format(f.values[0])}, and the matrix unit was set up for integers{_in_line(f.values[1])}: it "
                "takes the bits of floats for integers"
            ),
            "begin with buffers of floats in compute_kernel_hw_startup, or change over: reconfig_data_format<true>",
        ),
        "packer-format": rule(
            "TTL1514",
            lambda f: (
                f"packs into {f.buffer(f.values[0])}, of {_format(f.values[1])}, and the packer is set up for "
                f"{_format(f.values[2])}{_in_line(f.values[3])}"
            ),
            "set it up again: pack_reconfig_data_format",
        ),
    }
)
