"""The operations to which handles of a running sequence refer, and the failure of a step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from ttl.analysis.dominance import ancestors, walked
from ttl.diag import Diagnostic
from ttl.ir.locations import first_span
from ttl.ir.reports import Report, note_at, report_of
from ttl.passes.contracts import FactBook
from ttl.transform.dialect import TransformStep


class StepFailure(Exception):
    """A step cannot be done.

    After a ``silenceable`` failure the program is valid, and another alternative may run; other failures end the
    schedule (MLIR: silenceable and definite failures).
    """

    def __init__(
        self,
        step: Operation,
        message: str,
        *,
        at: Operation | None = None,
        silenceable: bool = True,
        illegal: bool = False,
        diagnostics: Sequence[Diagnostic] = (),
    ) -> None:
        """``illegal`` says that the order of steps is wrong, for every program."""
        super().__init__(message)
        self.step = step
        self.message = message
        self.at = at
        self.silenceable = silenceable and not illegal
        self.illegal = illegal
        self.diagnostics = tuple(diagnostics)

    def report(self) -> Report:
        """The report of the failure at the line of the sequence, with the line of the operation as a note."""
        notes = [] if self.at is None else [note_at(self.at.location, "when applied to this op")]
        notes += [report_of(diagnostic) for diagnostic in self.diagnostics]
        return Report(message=self.message, span=first_span(self.step.location), notes=tuple(notes))


@dataclass(slots=True)
class Payload:
    """The operations of every handle, and the values of every parameter.

    The payload module is ``root``, without steps.
    """

    root: ModuleOp
    facts: FactBook = field(default_factory=FactBook)
    handles: dict[SSAValue, list[Operation]] = field(default_factory=dict)
    parameters: dict[SSAValue, list[int]] = field(default_factory=dict)
    consumed: dict[SSAValue, Operation] = field(default_factory=dict)
    """The step that invalidated a handle, by handle: it consumed its operations, or operations around them."""

    def operations(self, step: TransformStep, number: int = 0) -> list[Operation]:
        """Return the operations that an operand of a step refers to.

        Raises ``StepFailure``, which cannot be silenced, for a handle that was consumed.
        """
        value = step.operands[number]
        if value in self.consumed:
            line = first_span(self.consumed[value].location)
            where = "" if line is None else f" (line {line.line})"
            raise StepFailure(
                step,
                f"the handle was invalidated by {self.consumed[value].name}{where}, which consumed it or what it is in; "
                "use what that step gives, or match again",
                silenceable=False,
            )
        if value not in self.handles:
            raise StepFailure(step, "expected a handle to operations, got parameters", silenceable=False)
        return list(self.handles[value])

    def numbers(self, step: TransformStep, number: int) -> list[int]:
        """Return the values of a parameter that is an operand of a step. Raises ``StepFailure`` for a handle."""
        value = step.operands[number]
        if value not in self.parameters:
            raise StepFailure(step, "expected parameters, got a handle to operations", silenceable=False)
        return self.parameters[value]

    def name(self, value: SSAValue, operations: Iterable[Operation]) -> None:
        """Make a handle refer to these operations."""
        self.handles[value] = list(operations)
        self.consumed.pop(value, None)

    def bind(self, value: SSAValue, origin: SSAValue) -> None:
        """Make a value refer to the operations or parameters of ``origin``."""
        if origin in self.parameters:
            self.parameters[value] = self.parameters[origin]
        else:
            self.name(value, self.handles.get(origin, ()))
            if origin in self.consumed:
                self.consumed[value] = self.consumed[origin]

    def consume(self, operations: Sequence[Operation], step: Operation) -> None:
        """Invalidate all handles to these operations, and to operations in them."""
        gone = set(operations)
        for value, named in self.handles.items():
            if value not in self.consumed and any(not gone.isdisjoint(ancestors(op)) for op in named):
                self.consumed[value] = step

    def replace(self, old: Operation, new: Sequence[Operation]) -> None:
        """Make handles to an operation refer to the operations that replace it."""
        for value, named in self.handles.items():
            if old in named:
                self.handles[value] = [item for op in named for item in (new if op is old else (op,))]

    def forget_erased(self) -> None:
        """Remove operations that a step has erased from all handles."""
        there = set(walked(self.root))
        for value, named in self.handles.items():
            if not there.issuperset(named):
                self.handles[value] = [op for op in named if op in there]
