"""The effects and reads of a piece of code, from its bytecode.

One code object is examined at a time, without any values, so that the result holds forever and is kept. ``refusals``
looks up the values of names, and follows the functions that are called.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import CodeType

from ttl.session import cached
from ttl.sim.replay.allowed import ATTRIBUTES, INSTRUCTIONS, INTRINSICS

# The effects of refused instructions, in words. The others are named as they are.
_WORDS = {
    "IMPORT_NAME": "imports {}",
    "LOAD_BUILD_CLASS": "defines a class",
    "STORE_GLOBAL": "assigns the global variable {}",
    "DELETE_GLOBAL": "deletes the global variable {}",
    "STORE_ATTR": "sets the attribute {} of an object",
    "DELETE_ATTR": "deletes the attribute {} of an object",
    "MATCH_CLASS": "matches a class pattern",
}
_ATTRIBUTE_LOADS = ("LOAD_ATTR", "LOAD_METHOD")
_OUTER_CHANGES = ("STORE_DEREF", "DELETE_DEREF")
_SKIPPED = ("PUSH_NULL", "CACHE", "EXTENDED_ARG", "NOP", "PRECALL", "KW_NAMES")


@dataclass(frozen=True, slots=True)
class NameRead:
    """A global name, or a variable from outside the launch (``free``), and the attributes taken of it directly.

    ``identity``: it is compared with ``is``.
    """

    name: str
    free: bool
    attributes: tuple[str, ...]
    offset: int
    called: bool
    identity: bool

    @property
    def spelling(self) -> str:
        """The name as the program writes it."""
        return ".".join((self.name, *self.attributes))


@dataclass(frozen=True, slots=True)
class Summary:
    """The names that a code object reads and the code it contains, or why it cannot be replayed (words and offset).

    ``catches``: it may catch exceptions, or runs code when there is one; the exit of a ``with`` does not count.
    """

    reads: tuple[NameRead, ...]
    nested: tuple[tuple[CodeType, frozenset[str]], ...]
    refused: tuple[str, int] | None
    catches: bool


def summary(code: CodeType, outer: frozenset[str]) -> Summary:
    """The summary of a code object. ``outer``: those of its free variables that live longer than a launch."""
    # Python takes equal code in two files for equal; so the file is part of the key of the cache.
    return _summary(code.co_filename, code, outer)


@cached(maxsize=4096)
def _summary(file: str, code: CodeType, outer: frozenset[str]) -> Summary:
    everything = list(dis.get_instructions(code))
    instructions = [instruction for instruction in everything if instruction.opname not in _SKIPPED]
    calls = _called(everything)
    reads: list[NameRead] = []
    refused: tuple[str, int] | None = None
    index = after_read = 0
    while index < len(instructions) and refused is None:
        here = instructions[index]
        index += 1
        if here.opname == "LOAD_GLOBAL" or (here.opname == "LOAD_DEREF" and here.argval in outer):
            attributes = []
            last = here
            while index < len(instructions) and _continues(instructions[index]):
                last = instructions[index]
                attributes.append(str(last.argval))
                index += 1
            reads.append(
                NameRead(
                    name=str(here.argval),
                    free=here.opname == "LOAD_DEREF",
                    attributes=tuple(attributes),
                    offset=last.offset,
                    called=here.offset in calls or last.offset in calls,
                    identity=index < len(instructions) and instructions[index].opname == "IS_OP",
                )
            )
            after_read = index
            continue
        if here.opname == "IS_OP" and after_read == index - 1 and not here.is_jump_target:
            continue  # ``refusals`` examines the name that was read
        words = _refused(here, instructions[index - 2] if index > 1 else None, outer)
        refused = None if words is None else (words, here.offset)
    nested = tuple(
        (constant, frozenset(constant.co_freevars) & outer - frozenset(code.co_cellvars))
        for constant in code.co_consts
        if isinstance(constant, CodeType)
    )
    catches = any(
        before.opname == "PUSH_EXC_INFO" and after.opname != "WITH_EXCEPT_START"
        for before, after in pairwise(instructions)
    )
    return Summary(reads=tuple(reads), nested=nested, refused=refused, catches=catches)


def _continues(instruction: dis.Instruction) -> bool:
    """Whether an instruction takes an attribute of the value that the one before it loaded, however it was reached."""
    return instruction.opname in _ATTRIBUTE_LOADS and not instruction.is_jump_target


def _called(instructions: Sequence[dis.Instruction]) -> set[int]:
    """The offsets of the instructions that load called functions: of the first or the last part of a dotted name."""
    # A call is prepared by an instruction of its own, before the load or, in Python 3.13, after it; by the lowest bit
    # of a load; or by the load of a method.
    offsets = set()
    for before, after in pairwise(
        instruction for instruction in instructions if instruction.opname not in _SKIPPED[1:]
    ):
        if before.opname == "PUSH_NULL" and sys.version_info < (3, 13):
            offsets.add(after.offset)
        elif after.opname == "PUSH_NULL" and sys.version_info >= (3, 13):
            offsets.add(before.offset)
    for instruction in instructions:
        flagged = instruction.opname == "LOAD_GLOBAL" or (
            instruction.opname == "LOAD_ATTR" and sys.version_info >= (3, 12)
        )
        if instruction.opname == "LOAD_METHOD" or (flagged and (instruction.arg or 0) & 1):
            offsets.add(instruction.offset)
    return offsets


def _is_single(value: object) -> bool:
    """Whether there is only one object of a constant."""
    return value is None or value is ... or isinstance(value, bool)


def _refused(here: dis.Instruction, before: dis.Instruction | None, outer: frozenset[str]) -> str | None:
    """Return the effect of an instruction that cannot be replayed, in words; None when it can be."""
    name = here.opname
    if name in _ATTRIBUTE_LOADS:
        return None if here.argval in ATTRIBUTES else f"uses .{here.argval} of an object"
    if name in _OUTER_CHANGES and here.argval in outer:
        return f"changes {here.argval}, a variable of an enclosing function"
    if name == "IS_OP":
        single = before is not None and before.opname == "LOAD_CONST" and _is_single(before.argval)
        return None if single and not here.is_jump_target else "compares objects with 'is'"
    if name.startswith("CALL_INTRINSIC"):
        return None if here.argrepr in INTRINSICS else "does something that only the interpreter supports"
    if name in INSTRUCTIONS:
        return None
    return _WORDS.get(name, f"executes {name}").format(here.argval)
