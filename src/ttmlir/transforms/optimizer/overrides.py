"""The options of the optimizer that name operations: layouts of results, and operands that get a new layout.

An operation is named by its location: ``loc("add_1_2")``. Both options are lists with commas. Errors begin with the
words of the real tool's option parser, which other programs may match.
"""

from __future__ import annotations

from dataclasses import dataclass

BUFFERS = ("dram", "l1", "system_memory", "l1_small", "trace")
MEMORY_LAYOUTS = ("none", "interleaved", "single_bank", "height_sharded", "width_sharded", "block_sharded")
PAGE_LAYOUTS = ("row_major", "tile", "invalid")
DATA_TYPES = (
    "f32",
    "f16",
    "bf16",
    "bfp_f8",
    "bfp_bf8",
    "bfp_f4",
    "bfp_bf4",
    "bfp_f2",
    "bfp_bf2",
    "u32",
    "u16",
    "u8",
)
_OUTPUT = "name=2x2:dram:interleaved:tile:f32"
_INPUT = "name=0 or name=0:1"


@dataclass(frozen=True, kw_only=True, slots=True)
class OutputLayoutOverride:
    """The requested layout of an operation's result. All five parts are required."""

    grid: tuple[int, ...]
    buffer_type: str
    memory_layout: str
    page_layout: str
    data_type: str


def parse_output_layouts(text: str) -> dict[str, OutputLayoutOverride]:
    """Parse ``name=2x2:dram:interleaved:tile:f32[,name=...]`` to overrides by name. Raises ``ValueError``.

    If a name is repeated, its last override counts.
    """
    overrides: dict[str, OutputLayoutOverride] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not (name and equals and value):
            raise ValueError(f"Invalid format for override grid sizes: {part}; write {_OUTPUT}")
        fields = value.split(":")
        if len(fields) != 5:
            raise ValueError(f"Invalid number of layout parameters: {len(fields)} in {part}; write {_OUTPUT}")
        grid, buffer_type, memory_layout, page_layout, data_type = fields
        overrides[name] = OutputLayoutOverride(
            grid=_grid(grid),
            buffer_type=_word("memory space", buffer_type, BUFFERS),
            memory_layout=_word("tensor memory layout", memory_layout, MEMORY_LAYOUTS),
            page_layout=_word("memory layout", page_layout, PAGE_LAYOUTS),
            data_type=_word("data type", data_type, DATA_TYPES),
        )
    return overrides


def parse_memory_reconfigurations(text: str) -> dict[str, tuple[int, ...]]:
    """Parse ``name=0[:1...][,name=...]`` to positions of operands by name. Raises ``ValueError``.

    If a name is repeated, its last positions count.
    """
    operands: dict[str, tuple[int, ...]] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not (name and equals and value):
            raise ValueError(f"Invalid format for input layouts override: {part}; write {_INPUT}")
        for position in value.split(":"):
            if not position.isdecimal():
                raise ValueError(f"Invalid operand index: {position} in {part}; write {_INPUT}")
        operands[name] = tuple(int(position) for position in value.split(":"))
    return operands


def _grid(text: str) -> tuple[int, ...]:
    extents = text.split("x")
    if not all(extent.isdecimal() and int(extent) > 0 for extent in extents) or len(extents) < 2:
        raise ValueError(f"Invalid grid size: {text}; write rows and columns, such as 2x2")
    return tuple(int(extent) for extent in extents)


def _word(what: str, text: str, words: tuple[str, ...]) -> str:
    if text not in words:
        raise ValueError(f"Invalid {what}: {text}; it is one of {', '.join(words)}")
    return text
