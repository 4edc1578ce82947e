"""The result of reading a program: a module of the dialect, and the findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from ttl.diag import Diagnostic

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from ttl.dialects.ttl import OperationOp
    from ttl.frontend.values import UserFunction
    from ttl.host.tensor import Tensor
    from ttl.source.spans import Span

Origin = Literal["call", "example", "symbolic"]
"""The origin of arguments: a call of the program, a ``ttl.example``, or none, so that extents are symbols."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Specialisation:
    """One specialisation: an operation with the shapes, types and constants of a call."""

    operation: str
    arguments: tuple[str, ...]
    """Name, shape and element type of each argument."""
    complete: bool
    """Whether all of it could be compiled; if not, the module does not contain it."""
    expressions: int = 0
    """The number of expressions that were evaluated to read it."""
    tensors: tuple[Tensor, ...] = ()
    """The tensors that the arguments of the operation in the module stand for, captured tensors included."""
    definition: Span | None = None
    """The span of the operation's name in its definition."""
    origin: Origin = "call"
    place: Span | None = None
    """The location of the call, or of the ``ttl.example``."""
    designed: str = ""
    """The design of a tile program, in one line."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OperationRead:
    """The result of reading an operation."""

    findings: tuple[Diagnostic, ...]
    call: Specialisation
    files: Mapping[str, str]
    operation: OperationOp | None = None
    """The operation; None if it has an error. It is in no module yet, and has the name of its function."""
    called: tuple[UserFunction, ...] = ()
    """The operations that it calls, which were read with it."""
    design: Any = None
    """The ``ttl.design.operation.Design`` of a tile program."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UnreadableOperation:
    """An operation that could not be read completely in any form."""

    operation: str
    line: int
    """The line of its definition."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Lowered:
    """A program as a module: one ``ttl.operation`` per specialisation."""

    module: ModuleOp
    diagnostics: list[Diagnostic] = field(default_factory=list)
    calls: list[Specialisation] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """The operations and calls that were not analysed, and the reasons."""
    unread: list[UnreadableOperation] = field(default_factory=list)
    """The operations that could not be read from any call, declaration or symbolic shape."""
    dependencies: tuple[tuple[str, str], ...] = ()
    """The files that were read, and the SHA-256 of their text."""
