"""The steps of ``transform.ttl``: each applies the change of a compiler pass to the operations of its handle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.ir import Operation

from ttl.analysis.dominance import inside
from ttl.dialects.registers import ComputeRegionOp
from ttl.dialects.structure import OperationOp
from ttl.dialects.ttkernel import ProgramOp
from ttl.dialects.ttl import CreateDfbOp
from ttl.ir.refusals import Refused
from ttl.passes.assign_dst import AssignDst
from ttl.passes.contracts import PassFact
from ttl.passes.hoist_inits import HoistInits
from ttl.passes.join_waits import JoinWaits
from ttl.passes.late_waits import LateWaits
from ttl.passes.merge_barriers import MergeBarriers
from ttl.passes.scheduling.buffer_factor import buffers_of, choose_blocks, set_blocks
from ttl.passes.scheduling.prefetch import prefetch
from ttl.passes.scheduling.reorder import reorder
from ttl.passes.scheduling.split_k import split_products
from ttl.transform import dialect as steps
from ttl.transform.dialect import TransformStep
from ttl.transform.interpreter import Effect, SequenceInterpreter, is_left, subjects
from ttl.transform.loops import done, require_early
from ttl.transform.payload import Payload, StepFailure

_STRATEGIES = ("conservative", "auto", "aggressive")
# The number of iterations that an aggressive pipeline starts together.
_AHEAD = 4


def _owners(step: TransformStep, ops: Iterable[Operation]) -> list[OperationOp | ProgramOp]:
    """The ``OperationOp`` or ``ProgramOp`` that each operation is, or is in, each once."""
    owners: dict[OperationOp | ProgramOp, None] = {}
    for op in ops:
        matching = [item for item in subjects(op) if isinstance(item, OperationOp | ProgramOp)]
        if not matching:
            raise StepFailure(
                step, f"expected something of a ttl.operation, got {op.name}", at=op, silenceable=False
            )
        owners |= dict.fromkeys(matching)
    return list(owners)


def _operations(state: Payload, step: TransformStep, ops: Iterable[Operation]) -> list[OperationOp]:
    """The ``OperationOp`` of each operation, each once. Raises ``StepFailure`` if one can no longer be changed."""
    owners = _owners(step, ops)
    require_early(state, step, owners)
    return [owner for owner in owners if isinstance(owner, OperationOp)]


def _with_sync(
    own: SequenceInterpreter, state: Payload, step: TransformStep, operations: Iterable[OperationOp]
) -> None:
    """Run the compiler's passes until every push, pop and wait is there, because early transfers depend on them."""
    for operation in operations:
        for one in own.default:
            if PassFact.SYNC not in state.facts.of(operation) and is_left(state, one, [operation]):
                own.passed(state, step, one, operation)


def _allocate(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    regions: list[Operation] = []
    for owner in _owners(step, state.operations(step)):
        own.passed(state, step, AssignDst(), owner)
        regions += [op for op in inside(owner) if isinstance(op, ComputeRegionOp)]
    state.name(step.results[0], regions)


def _buffers(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    targets = state.operations(step)
    by_operation: dict[OperationOp, list[CreateDfbOp]] = {}
    for op in targets:
        if not isinstance(op, CreateDfbOp):
            raise StepFailure(step, f"expected dataflow buffers, got {op.name}", at=op, silenceable=False)
        (operation,) = _operations(state, step, [op])
        by_operation.setdefault(operation, []).append(op)
    for operation, buffers in by_operation.items():
        if factor := step.number("factor"):
            for dfb in buffers:
                done(step, dfb, lambda dfb=dfb: set_blocks(dfb, factor))  # type: ignore[misc]
        else:
            choose_blocks(operation, buffers)
    state.name(step.results[0], targets)


def _prefetch(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    targets = state.operations(step)
    _with_sync(own, state, step, _operations(state, step, targets))
    for op in targets:
        if not isinstance(op, CreateDfbOp):
            raise StepFailure(step, f"expected dataflow buffers, got {op.name}", at=op, silenceable=False)
        done(step, op, lambda op=op: prefetch(op, step.number("distance", 2)))  # type: ignore[misc]
    state.forget_erased()
    state.name(step.results[0], targets)


def _reorder(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    targets = state.operations(step)
    operations = _operations(state, step, targets)
    _with_sync(own, state, step, operations)
    for operation in operations:
        reorder(operation)
    state.name(step.results[0], targets)


def _split_k(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    targets = state.operations(step)
    operations = _operations(state, step, targets)
    _with_sync(own, state, step, operations)
    for operation in operations:
        done(step, operation, lambda operation=operation: split_products(operation, step.number("parts", 2)))  # type: ignore[misc]
    state.forget_erased()
    state.name(step.results[0], targets)


def _coalesce(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    targets = state.operations(step)
    for owner in _owners(step, targets):
        own.passed(state, step, MergeBarriers(), owner)
    state.forget_erased()
    state.name(step.results[0], state.operations(step))


def _pipeline(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    strategy = step.text("strategy") or "auto"
    if strategy not in _STRATEGIES:
        raise StepFailure(step, f"strategy is {', '.join(_STRATEGIES)}, not {strategy}", silenceable=False)
    targets = state.operations(step)
    for owner in _owners(step, targets):
        if isinstance(owner, ProgramOp):
            _overlap(own, state, step, owner, strategy)
        else:
            _operations(state, step, [owner])
            _fill_early(own, state, step, owner, strategy)
    state.forget_erased()
    state.name(step.results[0], state.operations(step))


def _overlap(
    own: SequenceInterpreter, state: Payload, step: TransformStep, program: ProgramOp, strategy: str
) -> None:
    """Reduce the barriers of kernels; unless the strategy is conservative, wait where a block is first needed."""
    own.passed(state, step, MergeBarriers(), program)
    if strategy != "conservative" and PassFact.LATE not in state.facts.of(program):
        for one in (HoistInits(), JoinWaits(), LateWaits()):
            own.passed(state, step, one, program)


def _fill_early(
    own: SequenceInterpreter, state: Payload, step: TransformStep, operation: OperationOp, strategy: str
) -> None:
    """Give buffers two blocks; unless the strategy is conservative, start transfers of several iterations together."""
    choose_blocks(operation, list(buffers_of(operation).values()))
    if strategy == "conservative":
        return
    _with_sync(own, state, step, [operation])
    for dfb in buffers_of(operation).values():
        for turns in (_AHEAD, 2) if strategy == "aggressive" else (2,):
            try:
                prefetch(dfb, turns)
            except Refused:
                continue  # the loop cannot be changed so: try fewer iterations, or leave it
            break


EFFECTS: Mapping[type[TransformStep], Effect] = {
    steps.ALLOCATE_DST: _allocate,
    steps.OPTIMIZE_BUFFER_FACTOR: _buffers,
    steps.INSERT_PREFETCH: _prefetch,
    steps.REORDER_FOR_LOCALITY: _reorder,
    steps.SPLIT_K: _split_k,
    steps.COALESCE_DMA: _coalesce,
    steps.SCHEDULE_PIPELINE: _pipeline,
}
