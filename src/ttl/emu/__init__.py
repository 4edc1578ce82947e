"""The emulated chip: runs the C++ that a card would get, on this computer, and counts cycles."""

from ttl.emu.launch import ChipRun, Fiber, memory_of, run, run_program
from ttl.emu.program import ChipKernel, ChipSemaphore, CircularBuffer, Program, rectangle

__all__ = [
    "ChipKernel",
    "ChipRun",
    "ChipSemaphore",
    "CircularBuffer",
    "Fiber",
    "Program",
    "memory_of",
    "rectangle",
    "run",
    "run_program",
]
