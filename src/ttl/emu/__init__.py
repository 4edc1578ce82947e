"""The emulated chip: runs the C++ that a card would get, on this computer, and counts cycles.

Some classes have shorter names here than in their modules, since other packages use the short names for other classes.
"""

from ttl.emu.launch import ChipRun as Run
from ttl.emu.launch import Fiber, memory_of, run, run_program
from ttl.emu.program import ChipKernel as Kernel
from ttl.emu.program import ChipSemaphore as Semaphore
from ttl.emu.program import CircularBuffer, Program, rectangle

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
