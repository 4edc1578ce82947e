from collections.abc import Sequence
from typing import Any

# Numbers of the operations of row segments, by name.
OPCODES: dict[str, int]
# Of those, the ones of two operands: with operands and result that may be bfloat16, and without.
HOT: list[str]
BINARY: list[str]
TABLED: list[str]
# Of the bytes of programs.
CODE_VERSION: int
# Of the sources the module was built from (native/build.py).
SOURCES_HASH: str
# A capsule with the Api of native/machine/machine.h.
_api: object

def compile(code: bytes, /) -> object:
    """A capsule with a program made by ``ttl.sim.native.lowering``. Raises ValueError when the bytes are not one."""

def run(program: object, tasks: Sequence[tuple[Sequence[Any], Any]], threads: int = 1) -> None:
    """Run tasks, each leaves and a result, on arrays whose rows are contiguous; ``threads`` 0: one per core."""

def set_isa(name: str, /) -> None:
    """Use this instruction set from now on. Raises ValueError where the processor lacks it."""

def isa() -> str:
    """The instruction set in use."""

def isas() -> list[str]:
    """The instruction sets of this processor, ``plain`` first."""

def cores() -> int:
    """How many threads ``threads=0`` stands for."""
