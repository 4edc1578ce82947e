from typing import Any

# Of the sources the module was built from (native/build.py).
SOURCES_HASH: str

def open(
    columns: int,
    rows: int,
    workers: bytes,
    drams: bytes,
    l1_bytes: int,
    dram_bytes: int,
    semaphores: int,
    max_packet: int,
    costs: dict[str, int],
    /,
) -> object:
    """A chip; coordinates as pairs of bytes."""

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
    chip: object, buffers: list[Any], semaphores: list[Any], kernels: list[Any], parts: list[Any], /
) -> tuple[list[Any], Any, int, str, tuple[bool, ...]]:
    """Run a program: fibers, failure or None, switches, what was printed, which parts of memory were written."""
