"""What a row of the table says: a function of the kernel API, what it takes and how it is spelled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ttl.kernel_api.literals import literal
from ttl.ops.row import Generation

# Who may call it: the compute kernel, data movement kernels, or both.
Thread = Literal["tensix", "noc", "any"]
# What is known when the kernel runs, or stands for a resource: values. ``l1`` is an address as an integer,
# ``pointer`` one that can be read and written, ``flag`` true or false.
Kind = Literal["cb", "index", "l1", "noc", "accessor", "semaphore", "pointer", "flag"]
# What is known when the kernel is compiled: an integer; true or false; a C++ float literal; a float given as its
# IEEE-754 bits; the DataFormat of an element type; an enumerator of C++; a string literal.
Const = Literal["int", "bool", "float", "bits", "format", "word", "text"]
# "pure": nothing but a value; "read": depends on what other calls did; "write": kept, and in order.
Effect = Literal["pure", "read", "write"]
# What an init or a reconfiguration leaves behind for the calls that follow.
Unit = Literal["startup", "math", "sfpu", "source", "pack", "lanes"]

KINDS: tuple[str, ...] = get_args(Kind)
CONSTS: tuple[str, ...] = get_args(Const)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument: a value of the kernel (an operand), or a constant (an attribute)."""

    name: str
    kind: Kind | Const

    @property
    def is_operand(self) -> bool:
        """Whether it is a value, and no constant."""
        return self.kind in KINDS


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A function of the kernel API.

    ``arguments`` has the operands in order, then the constants. ``spelling`` is C++ with ``{argument}``
    placeholders (use ``spell``) and no semicolon but between two statements; "" where a generation needs no call; a generation that has nothing of the kind
    is missing. ``headers`` are relative to ``tt_metal/hw/inc``, beside those that every kernel includes
    (``BASE_HEADERS``).
    """

    name: str
    thread: Thread
    arguments: tuple[Argument, ...]
    result: Kind | None = None
    spelling: Mapping[Generation, str]
    headers: Mapping[Generation, tuple[str, ...]]
    effect: Effect = "write"
    configures: Unit | None = None
    # The operands that are registers which the vector unit reads; and those that are registers in which every element of
    # the tile that comes out is written.
    vector_reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    doc: str = ""

    @property
    def operands(self) -> tuple[Argument, ...]:
        """The arguments that are values."""
        return tuple(each for each in self.arguments if each.is_operand)

    @property
    def constants(self) -> tuple[Argument, ...]:
        """The arguments that are constants."""
        return tuple(each for each in self.arguments if not each.is_operand)

    def spell(
        self, generation: Generation, operands: Sequence[str], constants: Mapping[str, Any] | None = None
    ) -> str:
        """The call in C++, without a semicolon: "" where there is nothing to call.

        ``operands`` are C++ expressions in the order of the arguments, ``constants`` Python values: int, bool,
        float (for ``float`` and ``bits``), a DType, or str. Raises KeyError where the generation has no such
        function or a constant is missing.
        """
        given = constants or {}
        texts = {each.name: text for each, text in zip(self.operands, operands, strict=True)}
        texts |= {each.name: _Word(literal(each.kind, given[each.name])) for each in self.constants}
        return self.spelling[generation].format_map(texts)


class _Word(str):
    """An enumerator; ``{operation:ELWADD=add,ELWSUB=sub}`` puts in what its last name is mapped to."""

    def __format__(self, choices: str) -> str:
        if not choices:
            return str(self)
        return dict(choice.split("=") for choice in choices.split(","))[self.rpartition("::")[2]]


# What a kernel of a thread includes in any case; calls that are in these have no headers of their own.
BASE_HEADERS: Mapping[Literal["tensix", "noc"], tuple[str, ...]] = {
    "tensix": ("api/compute/common.h", "api/compute/cb_api.h", "api/compute/reg_api.h"),
    "noc": ("api/dataflow/dataflow_api.h",),
}
