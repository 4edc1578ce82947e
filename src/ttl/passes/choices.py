"""Choices that passes make by a rule, and that a compile option can change (``--compile-option``, ``ttl tune``).

The options of a pass are its fields; options about one of several things, such as the nets of an operation, are lists
of ``name:value``. After a pass was applied to a module, it lists the choices that it made there and the legal
alternatives.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ttl.analysis.dominance import outermost
from ttl.diag import Diagnostic, error
from ttl.dialects import ttl as dialect
from ttl.ir.failure import placed
from ttl.ir.locations import span_of
from ttl.source.spans import Span

_FROM_A_FILE = "if it comes from ttl.tuned.toml, tune again"


@dataclass(frozen=True, kw_only=True, slots=True)
class ChoicePoint:
    """One choice of the compiler."""

    name: str
    """As in ``--compile-option NAME=VALUE``: ``registers``, ``subblock.0``."""
    chosen: str
    legal: tuple[str, ...]
    """Every value that the pass accepts here, including the chosen one."""
    exact: bool
    """Whether results are the same to the bit, whichever is chosen."""
    why: str
    span: Span | None
    """The line of the program that the choice is about; None if it is about the operation as a whole."""


class ChoosingPass(ModulePass):
    """A pass that reports its choices."""

    @abstractmethod
    def choices(self, module: ModuleOp) -> Iterator[ChoicePoint]:
        """Yield the choices that the pass made in a module that it was just applied to."""


def operations_of(module: ModuleOp) -> list[dialect.OperationOp]:
    """The operations of a module, in order."""
    return outermost(module, dialect.OperationOp)


def named(option: str, texts: Iterable[str]) -> dict[str, str]:
    """Parse a list of ``name:value`` into a dictionary. Raises ``ValueError`` for a wrong or repeated entry."""
    values: dict[str, str] = {}
    for text in texts:
        name, colon, value = text.partition(":")
        if not (name and colon and value):
            raise ValueError(f"{option} is a list of name:value, and {text} is not a pair name:value")
        if name in values:
            raise ValueError(f"{option} names {name} twice")
        values[name] = value
    return values


def one_of(option: str, value: str, allowed: Sequence[str]) -> None:
    """Raises ``ValueError`` for a value that is not allowed."""
    if value not in allowed:
        raise ValueError(f"{option} is {' or '.join(allowed)}, not {value}")


def unknown_names(
    option: str, what: str, asked: Iterable[str], known: Sequence[str], operation: dialect.OperationOp
) -> list[Diagnostic]:
    """Errors for names in an option that an operation does not have (TTL1460)."""
    name = operation.operation_name
    has = f"there, as a {what}: {', '.join(known)}" if known else f"{name} has no {what}"
    return [
        placed(
            error(
                "TTL1460",
                f"the compile option {option}.{item} is about the {what} {item}, which operation {name} does not have",
                notes=(has,),
                help=f"name one that exists; an option for another operation begins with its name: OTHER:{option}.{item}=...; {_FROM_A_FILE}",
            ),
            operation,
        )
        for item in asked
        if item not in known
    ]


def no_operation(option: str, operation: str, there: Sequence[str]) -> Diagnostic:
    """The error for an option of an operation that a program does not call (TTL1460)."""
    return error(
        "TTL1460",
        f"the compile option {option} is for operation {operation}, which the program does not call",
        notes=(f"it calls {', '.join(dict.fromkeys(there)) or 'none'}",),
        help="name one of these, or leave the name and the colon out for all of them",
    )


_LISTED = "'ttl compile --explain' lists choices with their values"


def no_value(problem: str, help: str = _LISTED) -> Diagnostic:
    """The error for a value that no operation can have (TTL1461)."""
    return error("TTL1461", problem, help=help)


def illegal(option: str, value: str, reason: str, legal: Sequence[str], place: Operation) -> Diagnostic:
    """The error for a value of an option that is not legal here (TTL1461)."""
    notes = (f"legal here: {', '.join(legal)}",) if legal else ()
    problem = error(
        "TTL1461",
        f"the compile option {option}={value} is not possible: {reason}",
        notes=notes,
        help=f"ask for another value, or leave the option out: 'ttl compile --explain' lists choices with their values; {_FROM_A_FILE}",
    )
    return placed(problem, place)


def point(
    name: str, chosen: str, legal: Sequence[str], why: str, place: Operation | None, *, exact: bool = True
) -> ChoicePoint:
    """A choice at the line of an operation of the IR."""
    span = None if place is None else span_of(place)
    return ChoicePoint(name=name, chosen=chosen, legal=tuple(legal), exact=exact, why=why, span=span)
