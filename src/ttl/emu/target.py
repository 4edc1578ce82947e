"""``TTL_TARGET=emu``: an operation that is called is compiled, and the C++ that a card would get runs emulated.

A call is compiled once for arguments of a kind; later calls of that kind run the compiled program.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, cast

from ttl.check.seen import CallCache
from ttl.codegen.arguments import argument_of
from ttl.codegen.compiled_calls import compile_read, is_complete, read_call
from ttl.codegen.debug_info import debug_info
from ttl.codegen.declared import DeclaredObjects, declared
from ttl.codegen.description import ProgramDescription
from ttl.codegen.scheduled import MOST_STEPS, steps_in
from ttl.codegen.traced import Traced, traced
from ttl.diag import Diagnostic, ProgramError, error
from ttl.emu.advice.recompiling import CalledOperation
from ttl.emu.compare import compared
from ttl.emu.dump import dump
from ttl.emu.recorder import launched
from ttl.emu.stalled import enders, explained
from ttl.emu.stuck import ChipDeadlockError
from ttl.frontend.live import lower_call
from ttl.host.tensor import Tensor
from ttl.lang.context import CURRENT
from ttl.lang.launches import name_of
from ttl.lang.operation import Operation
from ttl.rules.launches import nested
from ttl.session.switches import folder_of_dumps
from ttl.settings import Settings, current_chip
from ttl.sim.placement import Launch, launches
from ttl.source.spans import user_span

if TYPE_CHECKING:
    from ttl.codegen.explanation import RemarkOrChoice

# Errors about blocks or tensors that differ from the simulator's in contents or number.
_DIFFERENT = frozenset({"TTL1590", "TTL1591"})


def launch(operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], chosen: Settings) -> None:
    """Run an operation on the emulated chip. Raises ``ProgramError`` with the error of any step."""
    if CURRENT.get() is not None:
        raise ProgramError(nested(operation.function.__name__))
    kept = operation.programs
    if type(kept) is not _Programs:
        kept = operation.programs = _Programs(operation)
    chip = current_chip(chosen)
    for item in launches(operation, args, kwargs, chip, chosen):
        try:
            printed = _run(kept, item, chosen)
        except ProgramError as wrong:
            if not chosen.compare or not any(finding.code in _DIFFERENT for finding in wrong.diagnostics):
                raise
            step = _wrong_step(item, chosen)
            if step is None:
                raise
            said = f"the step of the schedule that changes results is {step}"
            raise ProgramError(*(finding.noting(said) for finding in wrong.diagnostics)) from None
        if printed:
            print(printed, end="", flush=True)


def _run(kept: _Programs, item: Launch, chosen: Settings) -> str:
    """Run a launch, compared with the simulator where the settings ask for that; return its printed text."""
    operation = item.operation
    program, tensors = kept.of(item.args, item.kwargs, chosen)
    description, what = program.description, program.traced
    name = partial(name_of, operation, item.args, item.kwargs, number=item.number, device=item.device)
    called = CalledOperation(operation, item.args, item.kwargs, chosen)
    lowered = cache(partial(lower_call, operation, item.args, item.kwargs, host_calls="any"))
    with nullcontext() if what is None else compared(item, tensors, description, what) as watcher:
        try:
            result = launched(
                description,
                tensors,
                current_chip(chosen),
                chosen,
                watcher,
                name,
                program.declared,
                called,
                program.remarks,
                partial(enders, lowered),
            )
        except ChipDeadlockError as deadlock:
            if (folder := folder_of_dumps(chosen.dump)) is not None:
                dump(folder, deadlock.standing, debug_info(description, lowered().module))
            raise explained(deadlock, lowered()) from None
    return result.printed


def _wrong_step(item: Launch, chosen: Settings) -> str | None:
    """The first step of a schedule with which the results of a launch differ from the simulator's.

    Each step is tried with those before it, followed by the compiler's own passes that are left. None where the
    compiler's own passes are wrong by themselves, or there is no schedule.
    """
    steps = steps_in(read_call(item.operation, item.args, item.kwargs).module, chosen)
    for count in range(len(steps) + 1 if steps else 0):
        try:
            with MOST_STEPS.given(count):
                _run(_Programs(item.operation), item, chosen)
        except ProgramError as wrong:
            if any(finding.code in _DIFFERENT for finding in wrong.diagnostics):
                return steps[count - 1] if count else None
    return None


@dataclass(frozen=True, kw_only=True, slots=True)
class _KeptProgram:
    """A program, with the argument of a call for each of its tensors."""

    description: ProgramDescription
    traced: Traced | None
    declared: DeclaredObjects | None
    remarks: tuple[RemarkOrChoice, ...]
    """The compiler's decisions."""
    sources: tuple[int | str | None, ...]
    """A position or a name; None for a tensor that is not an argument by itself."""

    def tensors(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Tensor] | None:
        """The tensors of a call, in the order of the program; None where reading the call has to find them."""
        if None in self.sources:
            return None
        return [
            args[source] if isinstance(source, int) else kwargs[cast("str", source)]
            for source in self.sources
        ]


class _Programs:
    """The programs of one operation."""

    def __init__(self, operation: Operation) -> None:
        self._operation = operation
        self._seen: CallCache[_KeptProgram] = CallCache(operation.function)

    def of(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], chosen: Settings
    ) -> tuple[_KeptProgram, list[Tensor]]:
        """The program of a call, compiled where it is the first of its kind, and its tensors in order."""
        compares, counts = chosen.compare, chosen.stats or chosen.report is not None
        key = (*self._seen.key(args, kwargs, chosen), compares, counts)
        known = next(self._seen.known(key), None)
        tensors = None if known is None else known.tensors(args, kwargs)
        if known is not None and tensors is not None:
            return known, tensors
        lowered = read_call(self._operation, args, kwargs)
        if not is_complete(lowered):
            raise ProgramError(_not_read(self._operation, lowered.notes))
        (call,) = lowered.calls
        if known is None:
            remarks: list[RemarkOrChoice] = []
            known = _KeptProgram(
                description=compile_read(lowered, chosen, remarks),
                traced=traced(lowered.module) if compares else None,
                declared=declared(lowered.module) if counts else None,
                remarks=tuple(remarks),
                sources=tuple(argument_of(tensor, args, kwargs) for tensor in call.tensors),
            )
            self._seen.keep(key, args, kwargs, known)
        return known, list(call.tensors)


def _not_read(operation: Operation, notes: list[str]) -> Diagnostic:
    return error(
        "TTL1500",
        f"operation {operation.function.__name__} cannot be compiled, and the emulated chip runs compiled kernels",
        notes=tuple(notes),
        help="run it in the simulator: --target sim",
    ).at(user_span())
