"""The emulated chip: runs the C++ that a card would get, on this computer, and counts cycles."""

from ttl.emu.launch import Fiber, Run, memory_of, run, run_program
from ttl.emu.program import CircularBuffer, Kernel, Program, Semaphore, rectangle

__all__ = [
    "CircularBuffer",
    "Fiber",
    "Kernel",
    "Program",
    "Run",
    "Semaphore",
    "memory_of",
    "rectangle",
    "run",
    "run_program",
]
