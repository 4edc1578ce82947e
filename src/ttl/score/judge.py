"""A process of ``ttl score`` that reads a program without running it, and tries its kernels on the emulated chip.

    python -P -m ttl.score.judge TASK

TASK is a JSON file: ``mode`` (``read`` or ``try``), ``program``, ``arguments``, ``settings``, ``chips``; for ``read``,
whether the program is compiled for all targets (``compiled``); for ``try``, the task of ``KernelTrials``, and whether
other targets than the first are tried, too (``elsewhere``). No statement of the program is executed here, so that the
program cannot change the answer of this process.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ttl import settings
from ttl.arch import chip_named
from ttl.check.file import check_file, require_parts
from ttl.check.fitting import fits
from ttl.codegen.compile import compile_module
from ttl.codegen.description import ProgramDescription
from ttl.diag import Diagnostic, ProgramError, Severity, TTLError
from ttl.diag.json import to_object
from ttl.emu.advice.recompiling import OperationAlone
from ttl.emu.advice.trial import Recompiler
from ttl.frontend.file import lower_file
from ttl.frontend.lowered import Lowered, Specialisation
from ttl.rows.row import Generation
from ttl.score.channel import AnswerChannel, task_of_command_line
from ttl.score.trials import KernelTrials
from ttl.session import CHOSEN

GENERATIONS: tuple[Generation, ...] = ("0.81", "0.69")


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreTarget:
    """A chip, and a generation of the kernel API."""

    chip: str
    generation: Generation

    @property
    def name(self) -> str:
        """The name of the target in a score."""
        return f"{self.chip}/{self.generation}"


@dataclass(frozen=True, kw_only=True, slots=True)
class CallPrograms:
    """A call of the program as it was read, with the compiled kernels."""

    call: Specialisation
    description: ProgramDescription
    recompiler: Recompiler | None = None
    """Compiles the operation again to try advice."""

    @property
    def key(self) -> tuple[object, ...]:
        """A key that is equal for the same call wherever it is read: constants may be chosen or tuned for the chip."""
        tensors = tuple(argument for argument in self.call.arguments if "=" not in argument)
        return (self.call.operation, self.call.place, *tensors)


def same_calls(programs: Sequence[CallPrograms], others: Sequence[CallPrograms]) -> list[CallPrograms | None]:
    """Return, for each call, the same call among those read for another chip, in order; None for a call without one."""
    left = list(others)
    result: list[CallPrograms | None] = [None] * len(programs)
    for exactly in (True, False):
        for number, item in enumerate(programs):
            alike = (
                other
                for other in left
                if other.key == item.key and (not exactly or other.call.arguments == item.call.arguments)
            )
            if result[number] is None and (chosen := next(alike, None)) is not None:
                left.remove(chosen)
                result[number] = chosen
    return result


def read(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return the findings of the checks, the calls of the program, and the compile errors for each target."""
    path, arguments = task["program"], tuple(task["arguments"])
    report = check_file(path, settings.current(), arguments)
    answer: dict[str, Any] = {
        "findings": [to_object(finding) for finding in report.findings],
        "not_checked": [*report.not_checked, *(f"operation {item.operation}" for item in report.unchecked)],
        "calls": [],
        "compiled": {},
    }
    if report.count(Severity.ERROR):
        return answer
    for chip in task["chips"] if task["compiled"] else task["chips"][:1]:
        with _on(chip) as chosen:
            lowered = _read(path, arguments)
            calls = _called(lowered)
            if chip == task["chips"][0]:
                answer["calls"] = [_described(call) for call in calls]
            for generation in GENERATIONS if task["compiled"] else ():
                target = ScoreTarget(chip=chip, generation=generation)
                answer["compiled"][target.name] = [
                    to_object(finding) for finding in _problems(lowered, target, chosen)
                ]
    return answer


def try_(task: Mapping[str, Any]) -> dict[str, Any]:
    """Run the kernels on the emulated chip, call by call, and return an answer for each."""
    main = ScoreTarget(chip=task["chips"][0], generation=GENERATIONS[0])
    others = [
        ScoreTarget(chip=chip, generation=generation)
        for chip in task["chips"]
        for generation in GENERATIONS
        if (chip, generation) != (main.chip, main.generation)
    ]
    path, arguments = task["program"], tuple(task["arguments"])
    with _on(main.chip) as chosen:
        programs = _compiled(_read(path, arguments), main, chosen)
        trials = KernelTrials(task, chip_named(main.chip))
        answers = []
        for number, item in enumerate(programs):
            try:
                answers.append(trials.tried(number, item.call, item.description, item.recompiler))
            except TTLError as raised:
                answers.append(_failed(raised))
    for target in others if task["elsewhere"] else ():
        with _on(target.chip) as chosen:
            try:
                known = same_calls(programs, _compiled(_read(path, arguments), target, chosen))
            except TTLError as raised:
                known, why = [None] * len(programs), raised.diagnostic.message
            else:
                why = "no such call on this chip"
            for number, (other, answer) in enumerate(zip(known, answers, strict=True)):
                if "failed" in answer:
                    continue
                try:
                    outcome = why if other is None else trials.again(number, other.call, other.description)
                except TTLError as raised:
                    outcome = raised.diagnostic.message
                answer["elsewhere"][target.name] = outcome
    trials.save()
    return {"calls": answers}


def _failed(raised: TTLError) -> dict[str, Any]:
    return {"failed": to_object(raised.diagnostic)}


@contextlib.contextmanager
def _on(chip: str) -> Iterator[settings.Settings]:
    # The compute grid of the settings is one of the first chip; it is also used for other chips that have it.
    with settings.override(arch=chip) as chosen, contextlib.redirect_stdout(io.StringIO()):
        yield chosen


def _read(path: str, arguments: tuple[str, ...]) -> Lowered:
    return lower_file(path, arguments, fits)


def _called(lowered: Lowered) -> list[Specialisation]:
    """The calls of the program, each kind once; if it makes no calls, those that ``ttl.example`` declares."""
    complete = [call for call in lowered.calls if call.complete]
    return [call for call in complete if call.origin == "call"] or [
        call for call in complete if call.origin == "example"
    ]


def _problems(lowered: Lowered, target: ScoreTarget, chosen: settings.Settings) -> list[Diagnostic]:
    compiled = compile_module(lowered.module, chosen, generation=target.generation)
    return [finding for finding in compiled.diagnostics if finding.severity is Severity.ERROR]


def _compiled(lowered: Lowered, target: ScoreTarget, chosen: settings.Settings) -> list[CallPrograms]:
    """The compiled programs of the calls. Raises ``ProgramError`` when one of them does not compile."""
    compiled = compile_module(lowered.module, chosen, generation=target.generation)
    errors = [finding for finding in compiled.diagnostics if finding.severity is Severity.ERROR]
    if errors:
        raise ProgramError(errors[0], *errors[1:])
    complete = [call for call in lowered.calls if call.complete and call.origin != "symbolic"]
    programs = [
        CallPrograms(
            call=call,
            description=description,
            recompiler=OperationAlone(lowered, number, call.definition, chosen),
        )
        for number, (call, description) in enumerate(zip(complete, compiled.descriptions, strict=False))
    ]
    wanted = {id(call) for call in _called(lowered)}
    return [item for item in programs if id(item.call) in wanted]


def _described(call: Specialisation) -> dict[str, Any]:
    return {
        "operation": call.operation,
        "arguments": list(call.arguments),
        "origin": call.origin,
        "line": None if call.place is None else call.place.line,
    }


def main() -> int:
    """Run the task that the command line names."""
    channel, task = AnswerChannel(), task_of_command_line()
    require_parts("ttl score")
    with CHOSEN.given(settings.from_json(task["settings"])):
        try:
            answer = read(task) if task["mode"] == "read" else try_(task)
        except TTLError as raised:
            answer = _failed(raised)
    channel.answer(answer, task["arrays"])
    channel.leave()


if __name__ == "__main__":
    sys.exit(main())
