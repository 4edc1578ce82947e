"""The emulated chip: runs the C++ that a card would get, on this computer, and counts cycles."""

from ttl.emu.launch import Fiber, Run, memory_of, run, run_program
from ttl.emu.program import CircularBuffer, EmulatedKernel, EmulatedProgram, EmulatedSemaphore, rectangle

__all__ = [
    "CircularBuffer",
    "EmulatedKernel",
    "EmulatedProgram",
    "EmulatedSemaphore",
    "Fiber",
    "Run",
    "memory_of",
    "rectangle",
    "run",
    "run_program",
]
