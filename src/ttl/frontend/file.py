"""From the text of a program to the dialect: every operation, for the shapes of the calls that the program makes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ttl.diag import Diagnostic, ProgramError, Subject
from ttl.diag.report import COLLECTOR
from ttl.diag.words import listed
from ttl.frontend.host.choosing import chosen_for
from ttl.frontend.host.operations import ReadLaunch, ReadOperation
from ttl.frontend.host.program import HostProgram
from ttl.frontend.host.specialise import captured, fingerprint, unknown_in
from ttl.frontend.kernel.operation import dependencies_of
from ttl.frontend.kernel.tensors import SymbolicTensor
from ttl.frontend.lowered import Lowered, OperationRead, Origin, Specialisation, UnreadableOperation
from ttl.frontend.lowering import Lowering, ReadRequest
from ttl.frontend.symbolic import arguments_of, symbolic_arguments, to_paste
from ttl.frontend.unknown import Unknown
from ttl.frontend.values import UserFunction
from ttl.host.engine import HAS_DATA
from ttl.lang.choices import TO_BE_CHOSEN
from ttl.lang.device_grid import grid_of
from ttl.session.patience import LimitReached
from ttl.settings import current, current_chip
from ttl.source.spans import CALLED, READING, Span
from ttl.source.trees import SourceFile, source_file
from ttl.tuning.choice import CallChoice, is_open
from ttl.tuning.space import configurations

# The most expressions of host code that are read. For operations, the number is a setting.
_EXPRESSIONS_OF_HOST = 200_000


def lower_file(
    path: str,
    arguments: tuple[str, ...] = (),
    fits: Callable[[Lowered], bool] | None = None,
    lowering: Lowering | None = None,
) -> Lowered:
    """Read a program's operations without running it: none of it is executed, none of its modules is imported.

    ``path`` is absolute or relative to the working directory, or a name in angle brackets whose text the session has.
    ``arguments`` is the command line of the program after its name (``sys.argv[1:]``). ``fits`` returns whether an
    operation that was read fits on a node, for tunable sizes; without it, all operations fit. ``lowering`` may have
    results of an earlier text; results that it keeps are in no module.

    The result has an operation once for each kind of call (shapes, types, layouts, memory configurations, constants)
    that the program makes or ``ttl.example`` declares. ``notes`` names the facts that cannot be known. A file that is
    not Python has no operations.
    """
    absolute = path if path.startswith("<") else os.path.abspath(path)
    file = source_file(absolute)
    if file is None:
        empty = os.path.exists(absolute) and not os.path.getsize(absolute)
        why = "is empty" if empty else "cannot be read, or is not Python"
        note = f"{os.path.basename(path)} {why}"
        return Lowered(module=ModuleOp([]), notes=[note])
    return _Program(file, arguments, fits, lowering or Lowering()).read()


class _Program:
    """One program while it is read."""

    def __init__(
        self,
        file: SourceFile,
        arguments: tuple[str, ...],
        fits: Callable[[Lowered], bool] | None,
        lowering: Lowering,
    ) -> None:
        self.file = file
        self.lowering = lowering
        self.fits = fits
        # The definitions of operations that were read completely at least once, or have an error.
        self.checked: set[int] = set()
        self.calls: list[Specialisation] = []
        self.notes: dict[str, None] = {}
        # For definitions of operations that nothing calls, the note about each.
        self.unread: dict[int, str] = {}
        self.findings: dict[object, Diagnostic] = {}
        self.where: dict[object, list[str]] = {}
        self.known: dict[int, set[object]] = {}
        # For each kind of call that omits tunable parameters: their values, or the reason why there are no values.
        self.chosen: dict[object, CallChoice | str | Diagnostic] = {}
        self.settings = settings = current()
        self.chip = current_chip(settings)
        self.left, self.most = settings.most_expressions, settings.most_specialisations
        self.mistake: Exception | None = None
        self.host = HostProgram(
            file.path, self.launched, _EXPRESSIONS_OF_HOST, arguments, lowering.statements
        )

    def read(self) -> Lowered:
        """Read the whole program."""
        host = self.host
        with READING.given(host.evaluator), COLLECTOR.given(self._noted), HAS_DATA.given(False):
            self._guarded(lambda: self.host.read_program(self.file))
            for operation in list(host.domain.operations.made):
                self._declared(operation)
            if any(not self._is_known(operation) for operation in host.domain.operations.made):
                self._guarded(host.read_the_rest)
            host.end()
        if self.mistake is not None:
            raise self.mistake
        for operation in host.domain.operations.made:
            if not self._is_known(operation):
                self._unread(operation)
        for finding in host.evaluator.diagnostics:
            self._keep(finding)
        return Lowered(
            module=self.lowering.module,
            diagnostics=[self._with_shapes(key, finding) for key, finding in self.findings.items()],
            calls=self.calls,
            notes=list(self.notes),
            unread=[
                UnreadableOperation(operation=op.function.name, line=op.function.node.lineno)
                for op in host.domain.operations.made
                if id(op.function.node) not in self.checked
            ],
            dependencies=dependencies_of(host.evaluator.files),
        )

    def _guarded(self, read: Any) -> None:
        try:
            read()
        except LimitReached:
            self.notes["the program is long: not all of its calls were looked at"] = None
        except RecursionError:
            self.notes["the program is nested too deeply to be read completely"] = None

    # --- calls --------------------------------------------------------------------------------------------------

    def launched(self, launch: ReadLaunch) -> None:
        """Handle a call of an operation."""
        if launch.unknown:
            # The declarations of ``ttl.example`` are analysed instead.
            if not launch.operation.examples:
                self.notes[_not_known(launch)] = None
            return
        self._specialise(launch.operation, launch.arguments, launch.span, "call")

    def _declared(self, operation: ReadOperation) -> None:
        for example in operation.examples:
            self._specialise(operation, arguments_of(operation.signature, example), example.span, "example")

    def _specialise(
        self, operation: ReadOperation, given: dict[str, Any], span: Span | None, origin: Origin
    ) -> None:
        completed = self._complete(operation, given, span)
        if completed is None:
            return
        arguments, tuned = completed
        function = operation.function
        grid = self._grid(operation, span)
        if grid is None:
            self.checked.add(id(function.node))
            return
        known = self.known.setdefault(id(function.node), set())
        key = (
            grid,
            tuned,
            str(operation.options.get("schedule")),
            fingerprint((arguments, function), self.host.courses.blurred, self.lowering.identity),
        )
        if key in known:
            return
        known.add(key)
        if len(known) > self.most or self.left < 0:
            self.notes[
                f"operation {function.name}: more than {len(known) - 1} kinds of calls, not all looked at"
            ] = None
            return
        try:
            with CALLED.given(span):
                read = self._read(self._to_read(operation, arguments, span, tuned))
            self.lowering.keep(read)
        except Exception as mistake:  # a defect of ours, which the reader of host code would ignore
            self.mistake = self.mistake or mistake
            raise
        findings = read.findings
        definition = function.file.span(function.node)
        call = replace(read.call, definition=definition, origin=origin, place=span)
        self.left -= call.expressions
        self.calls.append(call)
        for finding in findings:
            self._keep(finding, call)
        if call.complete or findings:
            self.checked.add(id(function.node))
        if not call.complete and not findings:
            reasons = [f"{name} comes from {value.source}" for name, value in unknown_in(function).items()]
            line = span.line if span is not None else 0
            why = "; ".join(reasons) or "it uses an unknown value"
            self.notes[f"operation {function.name} in line {line} is not compiled: {why}"] = None

    def _complete(
        self, operation: ReadOperation, given: dict[str, Any], span: Span | None
    ) -> tuple[Mapping[str, Any], tuple[tuple[str, str], ...]] | None:
        """The arguments with chosen tunable parameters, and the chosen parameters as options.

        They are chosen once for each kind of call. None if nothing can be chosen.
        """
        tunable, function = operation.tunable, operation.function
        if tunable is None or not is_open(tunable, given):
            return given, ()
        fixed = {name: value for name, value in given.items() if value is not TO_BE_CHOSEN}
        key = (
            id(function.node),
            fingerprint((fixed, function), self.host.courses.blurred, self.lowering.identity),
        )
        chosen = self.chosen.get(key)
        if chosen is None:
            chosen = self.chosen[key] = chosen_for(
                self.host.evaluator,
                operation,
                given,
                span,
                self.settings,
                lambda tried: self._fits(operation, tried, span),
            )
        match chosen:
            case str():
                line = span.line if span is not None else 0
                self.notes[f"operation {function.name} in line {line}: {chosen}"] = None
            case Diagnostic():
                self.checked.add(id(function.node))
                self.known.setdefault(id(function.node), set()).add(key)
                self._keep(chosen)
            case _:
                options = " ".join(f"{name}={value}" for name, value in sorted(chosen.compile_option.items()))
                tuned = {"compile_option": options, "schedule": chosen.schedule}
                return {**given, **chosen.configuration}, tuple(item for item in tuned.items() if item[1])
        return None

    def _to_read(
        self,
        operation: ReadOperation,
        arguments: Mapping[str, Any],
        place: Span | None,
        tuned: tuple[tuple[str, str], ...] = (),
    ) -> ReadRequest:
        return ReadRequest(
            function=operation.function,
            arguments=arguments,
            grid=self._grid(operation, place) or self.chip.grid,
            chip=self.chip,
            place=place,
            options={**dict(tuned), **operation.options},
            unknown=self.host.courses.blurred,
        )

    def _read(self, wanted: ReadRequest) -> OperationRead:
        read = self.lowering.read(wanted)
        for called in read.called:
            self.checked.add(id(called.node))
            self.notes.pop(self.unread.pop(id(called.node), ""), None)
        for path, text in read.files.items():
            self.host.evaluator.files.setdefault(path, text)
        return read

    def _fits(self, operation: ReadOperation, arguments: Mapping[str, Any], span: Span | None) -> bool:
        if self.fits is None:
            return True
        fits, expressions = self.lowering.judge(self._to_read(operation, arguments, span), self.fits)
        self.left -= expressions
        return fits

    def _is_known(self, operation: ReadOperation) -> bool:
        node = id(operation.function.node)
        return bool(self.known.get(node)) or node in self.checked

    def _unread(self, operation: ReadOperation) -> None:
        """Read an operation without a call, with symbolic shapes. An error in it may come from these shapes."""
        function = operation.function
        named = f"operation {function.name} in line "
        arguments = symbolic_arguments(function, operation.signature)
        if operation.tunable is not None:
            preferred = next(configurations(operation.tunable, self.chip.name), {})
            arguments = {**arguments, **preferred, **operation.own_defaults}
        try:
            read = self._read(self._to_read(operation, arguments, None))
        except RecursionError:
            return
        findings, call = read.findings, read.call
        # These findings do not depend on shapes.
        certain = [finding for finding in findings if finding.subject is Subject.CODE]
        for finding in certain:
            self._keep(finding)
        if call.complete and not findings:
            self.lowering.keep(read)
            symbolic = tuple(
                f"{name}: ?" for name, value in arguments.items() if isinstance(value, SymbolicTensor)
            )
            definition = function.file.span(function.node)
            self.calls.append(replace(call, arguments=symbolic, definition=definition, origin="symbolic"))
            self.checked.add(id(function.node))
        elif not any(note.startswith(named) for note in self.notes) and not certain:
            line = function.node.lineno
            needed = f", and its arguments have to be known ({findings[0].message})" if findings else ""
            note = f"{named}{line}: it is not called{needed}; to have it checked, {to_paste(arguments)}"
            self.notes[note] = None
            self.unread[id(function.node)] = note

    def _grid(self, operation: ReadOperation, span: Span | None) -> tuple[int, ...] | None:
        """The grid of an operation, or None.

        If its device domains contradict each other, a finding is reported and there is no grid.
        """
        function = operation.function
        place = span or function.file.span(function.node)
        try:
            with CALLED.given(place):
                return grid_of(operation, self.chip, _around(function))
        except ProgramError as wrong:
            for finding in wrong.diagnostics:
                self._keep(finding.at(place))
            return None

    # --- findings -----------------------------------------------------------------------------------------------

    def _noted(self, finding: Diagnostic) -> None:
        self.host.courses.watcher.unrepeatable()
        self._keep(finding.at(self.host.evaluator.span))

    def _keep(self, finding: Diagnostic, call: Specialisation | None = None) -> None:
        place = None if finding.primary is None else finding.primary.span
        key = (finding.code, place)
        self.findings.setdefault(key, finding)
        if call is not None:
            self.where.setdefault((key, call.operation), []).append(", ".join(call.arguments))

    def _with_shapes(self, key: object, finding: Diagnostic) -> Diagnostic:
        """Return the finding with a note of the calls that it concerns, if other calls of the operation are correct."""
        for call in self.calls:
            shapes = self.where.get((key, call.operation))
            if shapes is not None:
                count = sum(specialisation.operation == call.operation for specialisation in self.calls)
                if len(shapes) < count and shapes[0]:
                    return replace(finding, notes=(*finding.notes, f"with {' and with '.join(shapes[:3])}"))
        return finding


def _around(function: UserFunction, depth: int = 4) -> Iterator[Any]:
    """The objects from outside that an operation reads, and those that the operations it calls read."""
    for value in captured(function).values():
        yield value
        if isinstance(value, ReadOperation) and depth:
            yield from _around(value.function, depth - 1)


def _not_known(launch: ReadLaunch) -> str:
    """Return the reason why a call is not analysed, and a way to make that possible."""
    sources: dict[str, list[str]] = {}
    for name, value in launch.unknown.items():
        sources.setdefault(value.source, []).append(name)
    parts = [
        f"{_words(names)} not known: {'it comes' if len(names) == 1 else 'they come'} from {source}"
        for source, names in sources.items()
    ]
    from_command = all(_of_the_command_line(value) for value in launch.unknown.values())
    advice = "give the program's arguments behind --"
    if not from_command:
        known = {name: value for name, value in launch.arguments.items() if name not in launch.unknown}
        operation = launch.operation
        advice = to_paste({**symbolic_arguments(operation.function, operation.signature), **known})
    return f"operation {launch.operation.function.name} in line {launch.line}: {'; '.join(parts)}; {advice}"


def _words(names: list[str]) -> str:
    return f"argument {names[0]} is" if len(names) == 1 else f"arguments {listed(names)} are"


def _of_the_command_line(value: Unknown) -> bool:
    return value.source.startswith(("sys.argv", "argument "))
