from collections.abc import Callable
from typing import Any

# Of the sources the module was built from (native/build.py).
SOURCES_HASH: str
# Functions of the vector unit, in the order of their costs.
VECTORS: tuple[str, ...]

def open(
    columns: int,
    rows: int,
    workers: bytes,
    drams: bytes,
    l1_bytes: int,
    dram_bytes: int,
    semaphores: int,
    max_packet: int,
    costs: dict[str, Any],
    torus_columns: int,
    torus_rows: int,
    places: bytes,
    chips: int,
    /,
) -> object:
    """Chips that are alike; coordinates as pairs of bytes. ``places``: column and row on the chip of every worker, then bank."""

def price(chip: object, costs: dict[str, Any], /) -> None:
    """Set the costs of operations from the next run on."""

def connect(
    chips: object, links: bytes, next: bytes, slots: int, receiver_slots: int, packet_bytes: int, /
) -> None:
    """Links between the chips, and of each pair of chips the next one on the way (``native/emu/chip.cpp``)."""

def l1(chip: object, core: int, /) -> int:
    """Address in this process of a core's L1."""

def dram(chip: object, bank: int, /) -> int:
    """Address in this process of a DRAM bank."""

def tiles(
    store: bool, data: Any, outer: int, rows: int, columns: int, element: int, addresses: Any, /
) -> None:
    """Copy a row-major array to tiles at the addresses, or back."""

def rows(store: bool, data: Any, row_bytes: int, addresses: Any, /) -> None:
    """Copy the rows of an array to pages at the addresses, or back."""

def run(
    chip: object,
    buffers: list[Any],
    semaphores: list[Any],
    kernels: list[Any],
    parts: list[Any],
    watch: tuple[Callable[[bytes, bytes], None], int, int] | None,
    /,
) -> tuple[list[Any], Any, int, str, tuple[bool, ...]]:
    """Run a program: fibers, failure or None, switches, what was printed, which parts of memory were written.

    ``watch``: a function, the buffers as bits whose pushes it gets with their pages, and how many bytes at once.
    """

def standing(chip: object, /) -> tuple[list[Any], list[Any], list[Any]]:
    """Of a program that stands still: processors, circular buffers, semaphores that were changed."""

def standing_links(chip: object, /) -> tuple[list[Any], list[Any]]:
    """Of a program that stands still: links, and the connections that kernels have built."""

def alter(chip: object, what: str, core: int, number: int, amount: int, processor: int, /) -> None:
    """In an experiment: ``room`` for pages of a circular buffer, ``pages``, or the ``value`` of a semaphore for a processor."""

def resume(chip: object, calls: int, /) -> str:
    """Go on, for so many calls at most: how that ended, ``stuck``, ``ended``, ``failed`` or ``cut short``."""

def record(chip: object, wanted: bool, /) -> None:
    """Whether the next runs are recorded."""

def recorded(
    chip: object, /
) -> (
    tuple[list[Any], list[Any], bytes, bytes, bytes, list[Any], bytes, bytes, bytes, bytes, bytes, bytes]
    | None
):
    """Return the record of the last run: lines, spans of processors, transfers, busy cycles of links and of banks, names of
    stretches, times in them, pages pushed and popped, sections of DST, packets to other chips, their hops, links between chips.
    """
