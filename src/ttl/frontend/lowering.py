"""The lowering of a program's operations: how one is read, and where its result is stored.

A caller that reads the same program repeatedly, with another text each time, passes its own ``Lowering``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ttl.arch import Chip
from ttl.frontend.host.specialise import Identity, frozen
from ttl.frontend.host.statements import HostStatements
from ttl.frontend.kernel.operation import keep, lower
from ttl.frontend.lowered import Lowered, OperationRead
from ttl.frontend.values import UserFunction, copied
from ttl.source.spans import Span


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadRequest:
    """An operation, and the arguments with which it is to be read."""

    function: UserFunction
    arguments: Mapping[str, Any]
    grid: tuple[int, ...]
    chip: Chip
    place: Span | None
    """The location of the call, or of the ``ttl.example``; None for symbolic extents, because no call of it exists."""
    options: Mapping[str, bool | str]
    unknown: Mapping[int, Any]
    """The containers and objects, by identity, whose content is unknown."""


class Lowering:
    """Reads every operation, and puts it into one module."""

    def __init__(self) -> None:
        self.module = ModuleOp([])
        self.statements: HostStatements | None = None
        """The effects of the program's statements, kept from an earlier text."""

    @property
    def identity(self) -> Identity:
        """The rule that decides which objects of the program are the same."""
        return Identity()

    def read(self, wanted: ReadRequest) -> OperationRead:
        """Read an operation."""
        return lower(
            frozen(wanted.function),
            {name: copied(value) for name, value in wanted.arguments.items()},
            wanted.grid,
            wanted.chip,
            wanted.place,
            wanted.options,
            wanted.unknown,
        )

    def keep(self, read: OperationRead) -> None:
        """Add an operation that was read to the module, as one of the program's specialisations."""
        if read.operation is not None:
            keep(read.operation, self.module)

    def judge(self, wanted: ReadRequest, fits: Callable[[Lowered], bool]) -> tuple[bool, int]:
        """Return whether an operation with such arguments fits, and the number of expressions evaluated to find out."""
        read = Lowering.read(self, wanted)
        module = ModuleOp([] if read.operation is None else [read.operation])
        tried = Lowered(module=module, diagnostics=list(read.findings), calls=[read.call])
        return fits(tried), read.call.expressions
