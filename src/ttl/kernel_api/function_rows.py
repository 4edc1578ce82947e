"""The rows of the table: a function of the kernel API, its arguments and its spelling in C++."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Any, Literal, TypeVar, get_args

from ttl.kernel_api.literals import literal
from ttl.rows.row import Generation

# Whose functions a kernel calls: those of a generation of ttnn, or of 2024-11-21, which the text of TT-MLIR's ``ttkernel`` names.
KernelApi = Generation | Literal["2024-11"]
# Functions that 2024-11-21 did not have are called as in the oldest generation that there is.
_FIRST: Generation = "0.69"
# Who may call it: the compute kernel, data movement kernels, or both.
Thread = Literal["tensix", "noc", "any"]
# Values that are known when the kernel runs, or stand for a resource. ``l1`` is an address as an integer,
# ``pointer`` one that can be read and written, ``flag`` true or false.
Kind = Literal["cb", "index", "l1", "noc", "accessor", "semaphore", "pointer", "flag"]
# Values that are known when the kernel is compiled: an integer; true or false; a C++ float literal; a float given as its
# IEEE-754 bits; the DataFormat of an element type; an enumerator of C++; a string literal.
Const = Literal["int", "bool", "float", "bits", "format", "word", "text"]
# "pure": nothing but a value; "read": depends on what other calls did; "write": kept, and in order.
Effect = Literal["pure", "read", "write"]
# The state that an init or a reconfiguration sets for the calls that follow.
Unit = Literal["startup", "math", "sfpu", "source", "pack", "lanes"]
# The transfer that a call starts on the network: bytes that are read or written, for one node or several, a semaphore's value, an increment, a
# packet to another chip.
Transfer = Literal["read", "write", "multicast", "set", "increment", "packet"]
# Transfers that may be under way in a kernel: reads; writes that have not left; writes that have not arrived; increments.
UnderWay = Literal["reads", "leaving", "arriving", "increments"]
# The effect of a call on a circular buffer: it waits for pages, or gives pages back.
OnBuffer = Literal["waits", "gives"]

KINDS: tuple[str, ...] = get_args(Kind)
CONSTS: tuple[str, ...] = get_args(Const)


T = TypeVar("T")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_LITERAL = re.compile(r'"[^"]*"')


@dataclass(frozen=True, slots=True)
class CallParameter:
    """One argument: a value of the kernel (an operand), or a constant (an attribute).

    ``default`` is the C++ that the function takes as its last argument by default.
    """

    name: str
    kind: Kind | Const
    default: str | None = None

    @property
    def is_operand(self) -> bool:
        """Whether the argument is a value, not a constant."""
        return self.kind in KINDS


@dataclass(frozen=True, slots=True)
class Cast:
    """An argument, converted to a type of C++."""

    ctype: str
    argument: str


# An argument of a function: an argument of the row by its name, or C++ text.
Part = str | Cast


@dataclass(frozen=True, slots=True)
class Applied:
    """A function by name, applied.

    ``processor``: the macro that lets one processor of the compute kernel do it. ``receiver``: the argument whose method
    it is. ``chosen_by``: a constant, an enumerator, and what stands before the name for each.
    """

    name: str
    arguments: tuple[Part, ...] = ()
    template: tuple[Part, ...] = ()
    processor: Literal["UNPACK", "MATH", "PACK"] | None = None
    receiver: str | None = None
    chosen_by: tuple[str, Mapping[str, str]] | None = None

    @property
    def is_plain(self) -> bool:
        """Whether it is a function by name, without anything around it or its arguments."""
        has_cast = any(isinstance(part, Cast) for part in (*self.template, *self.arguments))
        return self.processor is None and self.receiver is None and not has_cast

    def named(self, given: Mapping[str, object]) -> str:
        """The name, for given constants."""
        if self.chosen_by is None:
            return self.name
        constant, prefixes = self.chosen_by
        chosen = str(given[constant])
        return prefixes.get(chosen, chosen) + self.name

    def pieces(self, given: Mapping[str, T], *, leaving_out: str | None = None) -> Iterator[str | T]:
        """C++, and the text to put in for each argument of the row, except for the one that is left out."""
        if self.processor:
            yield f"{self.processor}(("
        if self.receiver:
            yield given[self.receiver]
            yield "."
        yield self.named(given)
        if self.template:
            yield "<"
            yield from _listed(self.template, given)
            yield ">"
        yield "("
        yield from _listed([part for part in self.arguments if part != leaving_out], given)
        yield ")))" if self.processor else ")"

    def words(self, arguments: frozenset[str]) -> Iterator[str]:
        """The names of C++ that it mentions; ``arguments`` are those of the row."""
        for name in self.chosen_by[1].values() if self.chosen_by else ("",):
            yield name + self.name
        if self.processor:
            yield self.processor
        for argument in (*self.template, *self.arguments):
            text = argument.ctype if isinstance(argument, Cast) else argument
            if text not in arguments:
                yield from _IDENTIFIER.findall(text)


def _listed(parts: Sequence[Part], given: Mapping[str, T]) -> Iterator[str | T]:
    for position, part in enumerate(parts):
        if position:
            yield ", "
        if isinstance(part, Cast):
            yield f"({part.ctype})"
            yield given[part.argument]
        else:
            yield given.get(part, part)


@dataclass(frozen=True, slots=True)
class CppSnippet:
    """C++ that is not a call of a function by name, with ``{argument}`` where one is put in."""

    text: str

    def pieces(self, given: Mapping[str, T], *, leaving_out: str | None = None) -> Iterator[str | T]:
        """C++, and the text to put in for each argument of the row."""
        for text, name, _, _ in Formatter().parse(self.text):
            yield text
            if name is not None:
                yield given[name]

    def words(self, arguments: frozenset[str]) -> Iterator[str]:
        """The names of C++ that it mentions."""
        for text, _, _, _ in Formatter().parse(_LITERAL.sub("", self.text)):
            yield from _IDENTIFIER.findall(text)


Statement = Applied | CppSnippet


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A function of the kernel API.

    ``arguments`` has the operands in order, then the constants. ``spelling`` is how C++ calls it, usually one statement;
    none where a generation needs no call; a generation that has nothing of the kind is missing. ``of_2024`` is how it was called on
    2024-11-21, where that was otherwise. ``headers`` are relative to ``tt_metal/hw/inc``, beside those that every kernel includes
    (``BASE_HEADERS``).
    """

    name: str
    thread: Thread
    arguments: tuple[CallParameter, ...]
    result: Kind | None = None
    spelling: Mapping[Generation, tuple[Statement, ...]]
    headers: Mapping[Generation, tuple[str, ...]]
    of_2024: tuple[Statement, ...] | None = None
    effect: Effect = "write"
    configures: Unit | None = None
    # The transfer that it starts; what is no longer under way behind it; what it does with a circular buffer.
    transfer: Transfer | None = None
    ends: frozenset[UnderWay] = frozenset()
    on_buffer: OnBuffer | None = None
    # The operands that are registers which the vector unit reads; and those that are registers in which every element of
    # the tile that comes out is written.
    vector_reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    doc: str = ""

    @property
    def starts(self) -> frozenset[UnderWay]:
        """The transfers that are under way after the call."""
        match self.transfer:
            case None:
                return frozenset()
            case "read":
                return frozenset({"reads"})
            case "increment":
                return frozenset({"increments"})
        return frozenset({"leaving", "arriving"})

    @property
    def operands(self) -> tuple[CallParameter, ...]:
        """The arguments that are values."""
        return tuple(argument for argument in self.arguments if argument.is_operand)

    @property
    def constants(self) -> tuple[CallParameter, ...]:
        """The arguments that are constants."""
        return tuple(argument for argument in self.arguments if not argument.is_operand)

    def statements(self, api: KernelApi) -> tuple[Statement, ...]:
        """Return the spelling in C++. Raises ``KeyError`` where the API has no such function."""
        if api != "2024-11":
            return self.spelling[api]
        return self.spelling[_FIRST] if self.of_2024 is None else self.of_2024

    def texts(self, constants: Mapping[str, Any]) -> dict[str, str]:
        """The constants as C++. Python values: int, bool, float (for ``float`` and ``bits``), a DType, or str.

        Raises KeyError where one is missing.
        """
        return {
            constant.name: literal(constant.kind, constants[constant.name]) for constant in self.constants
        }

    def spell(
        self, generation: Generation, operands: Sequence[str], constants: Mapping[str, Any] | None = None
    ) -> list[str]:
        """The statements that call it in C++, without semicolons: none where there is nothing to call.

        ``operands`` are C++ expressions in the order of the arguments, ``constants`` as ``texts`` takes them. Raises
        KeyError where the generation has no such function or a constant is missing.
        """
        texts = {operand.name: text for operand, text in zip(self.operands, operands, strict=True)}
        texts |= self.texts(constants or {})
        last = self.operands[-1] if operands else None
        usual = last is not None and last.default is not None and texts[last.name] == last.default
        left_out = last.name if last is not None and usual else None
        return ["".join(item.pieces(texts, leaving_out=left_out)) for item in self.spelling[generation]]

    def words(self) -> Iterator[str]:
        """The names of C++ that calls of it mention, beside their arguments."""
        names = frozenset(argument.name for argument in self.arguments)
        yield self.name
        for statements in self.spelling.values():
            for statement in statements:
                yield from statement.words(names)


# The headers that every kernel of a thread includes; calls that are in these have no headers of their own.
BASE_HEADERS: Mapping[Literal["tensix", "noc"], tuple[str, ...]] = {
    "tensix": ("api/compute/common.h", "api/compute/cb_api.h", "api/compute/reg_api.h"),
    "noc": ("api/dataflow/dataflow_api.h",),
}
