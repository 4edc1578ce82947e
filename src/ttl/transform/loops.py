"""Steps on loops: the changes of ``passes.structured.loops``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from xdsl.dialects import affine, scf
from xdsl.ir import Operation

from ttl.analysis.dominance import ancestors, walked
from ttl.analysis.loops import Loop, trips
from ttl.diag.words import listed
from ttl.dialects import ttl as ttl_dialect
from ttl.ir.refusals import Refused
from ttl.passes.contracts import PassFact
from ttl.passes.structured import loops as structured
from ttl.passes.structured.affine_loops import simplify_bounded
from ttl.transform import dialect as steps
from ttl.transform.dialect import TransformStep
from ttl.transform.interpreter import Effect, SequenceInterpreter, subjects
from ttl.transform.payload import Payload, StepFailure

ResultT = TypeVar("ResultT")


def done(step: TransformStep, at: Operation, work: Callable[[], ResultT]) -> ResultT:
    """Apply a change to the program, and return its result.

    A refused change becomes a silenceable failure of the step.
    """
    try:
        return work()
    except Refused as problem:
        why = f"{problem.condition}; {problem.way_out}"
        raise StepFailure(step, f"{step.name} cannot be done: {why}", at=problem.op or at) from None


def require_early(state: Payload, step: TransformStep, ops: Iterable[Operation]) -> None:
    """Raise ``StepFailure`` where the compiler has already put values into buffers, which depends on the program."""
    for op in ops:
        for subject in subjects(op):
            if PassFact.BUFFERED in state.facts.of(subject):
                raise StepFailure(
                    step, f"{step.name} has to run before {PassFact.BUFFERED.value}, which is so already", at=op, illegal=True
                )  # fmt: skip


def _loops(state: Payload, step: TransformStep) -> list[Loop]:
    loops: dict[Loop, None] = {}
    for op in state.operations(step):
        if not isinstance(op, affine.ForOp | scf.ForOp):
            raise StepFailure(step, f"expected loops, got {op.name}", at=op, silenceable=False)
        loops[op] = None
    require_early(state, step, loops)
    return list(loops)


def _named(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    kind, wanted = step.text("kind"), step.text("named")
    if kind not in ("loop", "buffer"):
        raise StepFailure(step, f"kind is loop or buffer, not {kind}", silenceable=False)
    names: dict[Operation, str] = {}
    for target in state.operations(step):
        for op in walked(target):
            if kind == "loop" and isinstance(op, affine.ForOp | scf.ForOp):
                names[op] = op.body.block.args[0].name_hint or ""
            elif kind == "buffer" and isinstance(op, ttl_dialect.CreateDfbOp):
                names[op] = op.buffer_name.data
    matching = [op for op, name in names.items() if name == wanted]
    matching = matching or [op for op, name in names.items() if kind == "buffer" and name == f"{wanted}_dfb"]
    if not matching:
        there = listed(
            sorted({name for name in names.values() if name not in ("", "_")} or {"none with a name"})
        )
        raise StepFailure(
            step, f"there is no {kind} {wanted}; there are: {there}", at=state.operations(step)[0]
        )
    state.name(step.results[0], matching)


def _unroll(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    for loop in reversed(_loops(state, step)):  # inner loops first, because outer loops copy them
        state.consume([loop], step)
        done(step, loop, lambda loop=loop: structured.unroll(loop, step.number("factor")))  # type: ignore[misc]
    state.forget_erased()


def _tile(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    sizes = step.sizes(
        [number for at in range(1, len(step.operands)) for number in state.numbers(step, at)[:1]]
    )
    new_ops: list[Operation] = []
    for loop in reversed(_loops(state, step)):
        count = trips(loop)
        if any(size and (count is None or count % size) for size in sizes[:1]) and subjects(loop):
            known = "an unknown number of" if count is None else str(count)
            raise StepFailure(
                step,
                f"{sizes[0]} does not divide the iterations of the loop: it takes {known} iterations",
                at=loop,
            )
        state.consume([loop], step)
        over, iterations = done(step, loop, lambda loop=loop: structured.tile(loop, sizes))  # type: ignore[misc]
        new_ops += (*over, *iterations)[:1]
    state.forget_erased()
    state.name(step.results[0], new_ops[::-1])


def _coalesce(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    new_ops: list[Operation] = []
    for loop in _loops(state, step):
        if state.root not in ancestors(loop):
            continue  # the loop was in a nest that was coalesced before
        state.consume([loop], step)
        nest = structured.nest_of(loop, 99)
        new_ops.append(done(step, loop, lambda nest=nest: structured.coalesce(nest)))  # type: ignore[misc]
    state.forget_erased()
    state.name(step.results[0], new_ops)


def _simplify(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    for target in state.operations(step):
        require_early(state, step, [target])
        for op in walked(target):
            simplify_bounded(op)
    state.forget_erased()


EFFECTS: Mapping[type[TransformStep], Effect] = {
    steps.MATCH_NAMED: _named,
    steps.LOOP_UNROLL: _unroll,
    steps.LOOP_TILE: _tile,
    steps.LOOP_COALESCE: _coalesce,
    steps.SIMPLIFY_BOUNDED: _simplify,
    steps.SIMPLIFY_MIN_MAX: _simplify,
}
