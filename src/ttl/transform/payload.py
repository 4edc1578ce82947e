"""The operations that handles of a sequence refer to while it runs, and the failure of a step."""

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
    """A step cannot be done. One that is ``silenceable`` has changed nothing that would be wrong, and may be answered by
    another alternative; one that is not ends the schedule (MLIR: silenceable and definite failures).
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
        """``illegal`` says that the order of steps is wrong, which no program changes."""
        super().__init__(message)
        self.step = step
        self.message = message
        self.at = at
        self.silenceable = silenceable and not illegal
        self.illegal = illegal
        self.diagnostics = tuple(diagnostics)

    def report(self) -> Report:
        """At the line of the sequence, with the line of what the step was for."""
        notes = [] if self.at is None else [note_at(self.at.location, "when applied to this op")]
        notes += [report_of(diagnostic) for diagnostic in self.diagnostics]
        return Report(message=self.message, span=first_span(self.step.location), notes=tuple(notes))


@dataclass(slots=True)
class Payload:
    """The operations of every handle, and the value of every parameter. The payload is ``root``, which holds none of the steps."""

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
        """The parameters in the operand of a step. A handle to operations that are constants gives their values."""
        value = step.operands[number]
        if value not in self.parameters:
            raise StepFailure(step, "expected parameters, got a handle to operations", silenceable=False)
        return self.parameters[value]

    def name(self, value: SSAValue, operations: Iterable[Operation]) -> None:
        """Let a handle refer to these operations."""
        self.handles[value] = list(operations)
        self.consumed.pop(value, None)

    def bind(self, value: SSAValue, origin: SSAValue) -> None:
        """Let a value refer to the operations or parameters of another one."""
        if origin in self.parameters:
            self.parameters[value] = self.parameters[origin]
        else:
            self.name(value, self.handles.get(origin, ()))
            if origin in self.consumed:
                self.consumed[value] = self.consumed[origin]

    def consume(self, operations: Sequence[Operation], step: Operation) -> None:
        """Handles to these operations, and to what is in them, cannot be used any more."""
        gone = set(operations)
        for value, named in self.handles.items():
            if value not in self.consumed and any(not gone.isdisjoint(ancestors(op)) for op in named):
                self.consumed[value] = step

    def replace(self, old: Operation, new: Sequence[Operation]) -> None:
        """Handles to an operation are handles to what is in its place."""
        for value, named in self.handles.items():
            if old in named:
                self.handles[value] = [item for op in named for item in (new if op is old else (op,))]

    def forget_erased(self) -> None:
        """Handles lose what a step has erased."""
        there = set(walked(self.root))
        for value, named in self.handles.items():
            if not there.issuperset(named):
                self.handles[value] = [op for op in named if op in there]
