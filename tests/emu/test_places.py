"""Where the memory of emulated chips stands: below 2 GiB, wherever the process's heap and other chips leave room."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import ctypes
import mmap
import sys

from ttl.emu import chip

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
NORESERVE, FIXED_NOREPLACE = 0x4000, 0x100000
for place in map(int, sys.argv[1:]):
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE | FIXED_NOREPLACE
    libc.mmap(place, 1 << 20, mmap.PROT_READ, flags, -1, 0)  # fails where the heap is: taken, too
chip.emulated("blackhole")
"""


def opened(taken: list[int]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, taken)], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("free", [0x48000000, 0x55000000, 0x6E000000], ids=hex)
def test_a_chip_finds_the_only_place_that_is_free(free: int) -> None:
    """The 280 MB of Blackhole, above where the heap may begin; elsewhere something stands every 128 MB."""
    size = 288 << 20
    taken = [place for place in range(0x08000000, 0x80000000, 128 << 20) if not free <= place < free + size]
    done = opened(taken)
    assert done.returncode == 0, done.stderr


def test_without_a_place_the_error_says_so() -> None:
    done = opened(list(range(0x08000000, 0x80000000, 128 << 20)))
    assert (
        "TTL1520" in done.stderr and "no room for the memory of the emulated chip (blackhole)" in done.stderr
    )
