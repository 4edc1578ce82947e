"""The schedule of a compiled operation: its source, and the compilation by its steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ttl.arch import Chip
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.dialects.ttkernel import ProgramOp
from ttl.ir.failure import NotLowered, placed
from ttl.ir.locations import span_of
from ttl.ir.reports import InvalidIR, Report
from ttl.passes.pipeline import pipeline
from ttl.passes.target import Target
from ttl.rules.schedules import failed, other_chip, unfinished, unreadable
from ttl.session import SOURCES, Part
from ttl.settings import Settings, current_chip
from ttl.source.files import display_name
from ttl.source.schedule_steps import read_chain

if TYPE_CHECKING:
    from ttl.transform.payload import StepFailure

# The modules that read and run schedules are imported only for a schedule: most compilations have no schedule.

SCHEDULE = "ttl.schedule"
"""The attribute that holds the schedule of an operation: its chain."""
MOST_STEPS: Part[int | None] = Part(lambda: None)
"""The number of steps of a schedule to run before the compiler's other passes; set only to search for a wrong step."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CompileSchedule:
    """A schedule for one operation: a chain of the language, or the text of a file."""

    chain: str | None
    text: str
    file: str

    def options(self, operation: dialect.OperationOp) -> dict[str, str]:
        """Return the compile options that a chain sets. Raises ``NotLowered``."""
        from ttl.transform.chains import options_of_chain

        assert self.chain is not None
        try:
            return options_of_chain(self.chain)
        except ValueError as problem:
            raise NotLowered([placed(unreadable(self.chain, str(problem)), operation)]) from None

    def sequences(self, default: Sequence[ModulePass], operation: dialect.OperationOp) -> str:
        """The text of its sequences; for a chain, its steps and then the passes of the compiler.

        Raises ``NotLowered``.
        """
        from ttl.transform.chains import steps_of_chain
        from ttl.transform.interpreter import MAIN
        from ttl.transform.sequences import module_of

        if self.chain is None:
            return self.text
        try:
            return module_of({MAIN: steps_of_chain(self.chain, default)})
        except ValueError as problem:
            raise NotLowered([placed(unreadable(self.chain, str(problem)), operation)]) from None


def schedule_of(operation: dialect.OperationOp, settings: Settings) -> CompileSchedule | None:
    """Return the schedule of the settings, else the schedule of the operation, else None. Raises ``NotLowered``."""
    own = operation.attributes.get(SCHEDULE)
    written = settings.schedule or (own.data if isinstance(own, StringAttr) else None)
    if written is None:
        return None
    if "(" in written and not written.endswith(".mlir"):
        return CompileSchedule(chain=written, text="", file="<schedule>")
    sources = SOURCES.get()
    if not sources.is_file(written):
        raise NotLowered([unreadable(display_name(written), "there is no such file")])
    return CompileSchedule(chain=None, text=sources.of(written).text, file=written)


def scheduled(
    schedule: CompileSchedule,
    operation: dialect.OperationOp,
    module: ModuleOp,
    chip: Chip,
    default: Sequence[ModulePass],
    apply: Callable[[ModulePass, ModuleOp], None],
    shown: Callable[[str, ModuleOp], None],
) -> None:
    """Lower the only operation of a module to a program by a schedule.

    ``apply`` runs a pass, ``shown`` is notified of other steps. Raises ``NotLowered`` with the errors of the schedule
    or of the program.
    """
    from ttl.transform.interpreter import MAIN
    from ttl.transform.payload import StepFailure
    from ttl.transform.running import interpreter
    from ttl.transform.sequences import entry_for, named_in, read

    text = schedule.sequences(default, operation)
    try:
        source = read(text, schedule.file)
    except InvalidIR as problem:
        raise NotLowered([_at(report, schedule.file) for report in problem.reports]) from None
    sequence = entry_for(source, operation.sym_name.data, operation.operation_name)
    if sequence is None:
        name = operation.operation_name
        why = f"it has no sequence for operation {name}: none named @{name}, and none named @{MAIN}"
        raise NotLowered([unreadable(display_name(schedule.file), why)])

    def checked(one: ModulePass, alone: ModuleOp) -> None:
        if isinstance(one, Target):
            _require_chip(one, chip, operation)
        apply(one, alone)

    most = MOST_STEPS.get()
    running = interpreter(
        named_in(source),
        default,
        apply=checked,
        after=lambda step, root: shown(step.name, root),
        most_steps=most,
    )
    try:
        state = running.run(sequence, module)
        if most is not None:
            running.finish(state, sequence)
    except StepFailure as failure:
        raise NotLowered(_findings(failure, schedule, operation)) from failure
    left = [op for op in module.body.block.ops if not isinstance(op, ProgramOp)]
    if left:
        raise NotLowered([placed(unfinished(operation.operation_name), operation)])


def steps_in(module: ModuleOp, settings: Settings) -> list[str]:
    """The steps by which operations of a module are compiled, as texts with their places; empty without a schedule."""
    operations = [op for op in module.body.block.ops if isinstance(op, dialect.OperationOp)]
    return [step for operation in operations for step in _steps_of(operation, settings)]


def _steps_of(operation: dialect.OperationOp, settings: Settings) -> list[str]:
    from ttl.transform.sequences import entry_for, read

    schedule = schedule_of(operation, settings)
    if schedule is None:
        return []
    source = read(schedule.sequences(pipeline(current_chip(settings)), operation), schedule.file)
    sequence = entry_for(source, operation.sym_name.data, operation.operation_name)
    steps = [] if sequence is None else list(sequence.regions[0].block.ops)
    return [_where(step, schedule) for step in steps]


def _where(step: Operation, schedule: CompileSchedule) -> str:
    """The text of a step, with its place."""
    name = step.attributes.get("pass_name")
    words = f"{step.name} {name}" if name is not None else step.name
    line = span_of(step)
    if schedule.chain is not None:
        return f"{words} (of {_of_chain(step, schedule.chain)})"
    return words if line is None else f"{words} ({display_name(line.file)}, line {line.line})"


def _of_chain(step: Operation, chain: str) -> str:
    """The step of a chain to which a step of its sequence belongs, by the number at the end of a handle's name.

    The whole chain for a step without such a number.
    """
    steps = read_chain(chain)
    for handle in (*step.results, *step.operands):
        # The compiler's own passes have handles called %p0, %p1, and so on.
        number = re.fullmatch(r"(?!p)[a-z](\d+)", handle.name_hint or "")
        if number is not None:
            return str(steps[int(number[1])])
    return chain


def _require_chip(one: Target, chip: Chip, operation: dialect.OperationOp) -> None:
    grid = None if one.grid is None else tuple(map(int, one.grid.split("x")))
    if one.chip != chip.name or (grid is not None and grid != chip.grid):
        raise NotLowered([placed(other_chip(one.chip, operation.operation_name, chip.name), operation)])


def schedule_text(
    programs: Sequence[ProgramOp],
    passes: Sequence[Sequence[ModulePass]],
    schedules: Sequence[CompileSchedule | None],
) -> str:
    """Return the passes of each program as sequences of schedule steps: one if all are equal, else one for each operation.

    A schedule that was read from a file is the text of that file.
    """
    from ttl.transform.chains import steps_of_chain
    from ttl.transform.interpreter import MAIN
    from ttl.transform.sequences import module_of, passes_as_steps

    given = next(
        (schedule.text for schedule in schedules if schedule is not None and schedule.chain is None), None
    )
    if given is not None:
        return given
    bodies = {
        program.sym_name.data: passes_as_steps(run)
        if schedule is None or schedule.chain is None
        else steps_of_chain(schedule.chain, run)
        for program, run, schedule in zip(programs, passes, schedules, strict=True)
    }
    if len({tuple(body) for body in bodies.values()}) == 1:
        return module_of({MAIN: next(iter(bodies.values()))})
    return module_of(bodies)


def _at(report: Report, file: str) -> Diagnostic:
    refused = unreadable(display_name(file), report.message)
    return refused if report.span is None else refused.at(report.span)


def _findings(
    failure: StepFailure, schedule: CompileSchedule, operation: dialect.OperationOp
) -> list[Diagnostic]:
    """Return the findings about a step that failed, placed in the program where possible, with the line of the schedule."""
    step = span_of(failure.step)
    where = _where(failure.step, schedule)
    if failure.diagnostics:
        return [
            replace(item, notes=(*item.notes, f"in a schedule, at {where}")) for item in failure.diagnostics
        ]
    refused = failed(
        failure.message, (f"at {where}",), silenceable=failure.silenceable, is_illegal=failure.illegal
    )
    at = failure.at if failure.at is not None and span_of(failure.at) is not None else operation
    refused = placed(refused, at)
    return [refused.also(step, "this step") if step is not None and schedule.chain is None else refused]
