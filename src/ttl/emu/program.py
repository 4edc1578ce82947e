"""A program for the emulated chip: kernels with all their arguments, circular buffers, semaphores.

Everything is a number here; ``ttl.emu.launch`` makes a program from a description and the tensors of a call. A core is
given as (x, y), column and row of the grid.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from ttl.rows.row import Generation
from ttl.source.spans import Span

Core = tuple[int, int]
ROLES = ("brisc", "ncrisc", "unpack", "math", "pack")
"""The processors of a core that run kernels: two that move data, and the three of a compute kernel."""
Processor = Literal["brisc", "ncrisc", "compute"]
Fidelity = Literal["LoFi", "HiFi2", "HiFi3", "HiFi4"]
FORMATS = MappingProxyType(
    {
        "float32": 0,
        "float16": 1,
        "bfloat16": 5,
        "bfloat8_b": 6,
        "bfloat4_b": 7,
        "int32": 8,
        "uint16": 9,
        "uint32": 24,
        "uint8": 30,
    }
)
"""``DataFormat`` by the name of an element type (facts: tensix_types.h)."""

ELEMENTS = MappingProxyType(
    {
        "bfloat16": 0,
        "float16": 0,
        "uint16": 0,
        "float32": 1,
        "int32": 1,
        "uint32": 1,
        "uint8": 2,
        "bfloat8_b": 3,
        "bfloat4_b": 4,
    }
)
"""How ``ttl._emu.tiles`` moves elements of a type: by their bytes, or as block floats."""

OURS = "the compiler of this package wrote this kernel: please report it"
"""The note about a mistake in a kernel that no user wrote."""


def rectangle(columns: int, rows: int) -> tuple[Core, ...]:
    """The cores of a grid that starts at (0, 0), row by row."""
    return tuple((x, y) for y in range(rows) for x in range(columns))


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class KernelLine:
    """A line of a file: of the user's program, or of a kernel where the program's line is not known."""

    file: str
    line: int
    kernel: str

    @classmethod
    def at(cls, span: Span, kernel: str = "") -> KernelLine:
        """The line that a place in the program begins at."""
        return cls(file=span.file, line=span.line, kernel=kernel)


@dataclass(frozen=True, kw_only=True, slots=True)
class ChipKernel:
    """One kernel on some cores."""

    name: str
    source: str
    processor: Processor
    cores: tuple[Core, ...]
    noc: Literal[0, 1] = 0
    compile_time_args: tuple[int, ...] = ()
    named_args: Mapping[str, int] = field(default_factory=dict)
    """Named compile-time arguments."""
    common_args: tuple[int, ...] = ()
    in_l1: tuple[int, ...] = ()
    """The positions of common arguments that are addresses in L1: C++ of the user's may use them as pointers."""
    args: Mapping[Core, tuple[int, ...]] = field(default_factory=dict)
    """Run-time arguments of each core; a core that is missing has no arguments."""
    defines: Mapping[str, str] = field(default_factory=dict)
    include: tuple[str, ...] = ()
    """Folders in which its own headers are looked for."""
    bindings: str = ""
    """C++ that comes before the source: names that the host gives to arguments, buffers and tensors."""
    fidelity: Fidelity = "HiFi4"
    fp32_dst: bool = False
    full_sync: bool = False
    approximate: bool = False
    generated: bool = False
    """Whether the compiler printed it: its numbers can be separated from its text."""
    leaves_atomics: bool = False
    """Whether it may end before its increments of semaphores have arrived: kernels of TT-NN do."""
    lines: Mapping[int, Span] = field(default_factory=dict)
    """The places in the user's program that lines of the source come from."""
    file: str = ""
    """Name of the source's file; empty: the kernel's."""

    @property
    def file_name(self) -> str:
        """The name of the source in reports."""
        return self.file or f"{self.name}.cpp"

    def span(self, line: int) -> Span | None:
        """Where in the user's program a line of the source comes from; None where that is not known."""
        if line in self.lines:
            return self.lines[line]
        numbers = sorted(self.lines)
        before = bisect_right(numbers, line)
        return self.lines[numbers[before - 1]] if before else None


@dataclass(frozen=True, kw_only=True, slots=True)
class CircularBuffer:
    """A circular buffer at the same place in L1 of some cores."""

    index: int
    pages: int
    page_bytes: int
    dtype: str
    """Element type, by the name of ``ttl.rows.dtypes``."""
    cores: tuple[Core, ...]
    name: str = ""
    base: int | None = None
    """Offset in L1; None: after the others."""
    unpack_to_dst: bool = False
    """Whether float32 values keep all their bits on the way to DST."""
    stays: bool = True
    """Whether pages that were waited for may be left at the end: true for a constant, which is never popped."""
    unwanted: bool = False
    """Whether pages that were never waited for may be left at the end: the language allows it, with a warning."""
    tile: tuple[int, int] = (32, 32)
    """Rows and columns of a page, where that is a tile."""
    in_place: bool = False
    """Whether it is the memory of a tensor that kernels work on in place.

    All of its pages may be read and written without waiting for them or reserving them. Its base is used unchanged.
    """


@dataclass(frozen=True, kw_only=True, slots=True)
class ChipSemaphore:
    """A semaphore of some cores."""

    id: int
    cores: tuple[Core, ...]
    initial: int = 0
    name: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Program:
    """Kernels, circular buffers and semaphores that run at one time."""

    generation: Generation
    kernels: tuple[ChipKernel, ...]
    circular_buffers: tuple[CircularBuffer, ...] = ()
    semaphores: tuple[ChipSemaphore, ...] = ()
