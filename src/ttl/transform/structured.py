"""Steps that match operations, and steps on structured operations."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import DictionaryAttr, UnitAttr
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ttl.analysis.dominance import inside, outermost
from ttl.diag.plan_names import IR
from ttl.dialects.registers import ComputeRegionOp
from ttl.dialects.tiles import space_of
from ttl.ir.reports import Report
from ttl.ir.upstream import CommonSubexpressions, DeadCode, LoopInvariantCodeMotion
from ttl.passes.structured.sizes import continuous_tile_sizes, multitile_sizes
from ttl.passes.subblock import Subblock
from ttl.transform import dialect as steps
from ttl.transform.dialect import TransformStep
from ttl.transform.interpreter import Effect, SequenceInterpreter, subjects
from ttl.transform.loops import done
from ttl.transform.payload import Payload, StepFailure
from ttl.transform.structured_loops import extents_of, split, tile

_INTERFACES = {
    "LinalgOp": ("linalg.",),
    "TilingInterface": ("linalg.", "ttl.compute_region"),
    "LoopLikeInterface": ("affine.for", "scf.for"),
}
_SIMPLIFICATIONS: dict[type[TransformStep], type[ModulePass]] = {
    steps.APPLY_CSE: CommonSubexpressions,
    steps.APPLY_DCE: DeadCode,
    steps.APPLY_LICM: LoopInvariantCodeMotion,
}


def _match(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    names = {IR.get(name, name) for name in step.texts("ops")}
    for name in step.texts("ops"):
        if name in IR:
            said = f"{name} is {IR[name]} today; that is what is matched"
            own.reports.append(Report(message=said, severity="note"))
    interface = _INTERFACES.get(step.text("interface") or "")
    wanted = step.attributes.get("op_attrs")

    def matches(op: Operation) -> bool:
        if names and op.name not in names:
            return False
        if interface is not None and not op.name.startswith(interface):
            return False
        has = op.attributes | op.properties
        return not isinstance(wanted, DictionaryAttr) or all(
            has.get(key) == value for key, value in wanted.data.items()
        )

    matching = [op for target in state.operations(step) for op in (target, *inside(target)) if matches(op)]
    state.name(step.results[0], dict.fromkeys(matching))


def _extent(step: TransformStep, op: Operation) -> int:
    """The extent of the dimension that a step names."""
    dimension = step.number("dimension")
    if isinstance(op, ComputeRegionOp):
        extents: tuple[int, ...] = tuple(space_of(op) or ())
    elif isinstance(op, GenericOp):
        extents = done(step, op, lambda: extents_of(op))
    else:
        raise StepFailure(step, f"expected structured operations, got {op.name}", at=op)
    if not 0 <= dimension < len(extents):
        raise StepFailure(step, f"there is no dimension {dimension}: there are {len(extents)}", at=op)
    return extents[dimension]


def _multitile(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    low, high, points = [], [], []
    for op in state.operations(step):
        extent = _extent(step, op)
        try:
            sizes = multitile_sizes(extent, step.number("target_size"), step.number("divisor", 1))
        except ValueError as problem:
            raise StepFailure(step, str(problem), at=op) from None
        low.append(sizes.low)
        high.append(sizes.high)
        points.append(sizes.split_point)
    for result, numbers in zip(step.results, (low, high, points), strict=True):
        state.parameters[result] = numbers


def _continuous(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    targets = state.operations(step)
    if len(targets) != 1:
        raise StepFailure(step, f"expected one structured operation, got {len(targets)}")
    (op,) = targets
    try:
        sizes = continuous_tile_sizes(_extent(step, op), step.number("target_size"))
    except ValueError as problem:
        raise StepFailure(step, str(problem), at=op) from None
    state.parameters[step.results[0]] = [size.size for size in sizes]
    state.parameters[step.results[1]] = [size.chunk for size in sizes]


def _tile(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    sizes = step.sizes(
        [number for at in range(1, len(step.operands)) for number in state.numbers(step, at)[:1]]
    )
    targets = state.operations(step)
    inner: list[Operation] = []
    loops: list[list[Operation]] = [[] for _ in step.results[1:]]
    regions = [op for op in targets if isinstance(op, ComputeRegionOp)]
    for op in targets:
        if isinstance(op, GenericOp):
            state.consume([op], step)
            part, new_ops = done(step, op, lambda op=op: tile(op, sizes, step.numbers("interchange")))  # type: ignore[misc]
            inner.append(part)
            for held, loop in zip(loops, new_ops, strict=False):
                held.append(loop)
        elif not isinstance(op, ComputeRegionOp):
            raise StepFailure(step, f"expected structured operations, got {op.name}", at=op)
    by_owner: dict[Operation, list[ComputeRegionOp]] = {}
    for region in regions:
        by_owner.setdefault(subjects(region)[0], []).append(region)
    for owner, asked in by_owner.items():
        numbers = {op: number for number, op in enumerate(outermost(owner, ComputeRegionOp))}
        text = "x".join(
            str(size or extent) for size, extent in zip(sizes, space_of(asked[0]) or (), strict=False)
        )
        own.passed(
            state, step, Subblock(shapes=tuple(f"{numbers[region]}:{text}" for region in asked)), owner
        )
    state.name(step.results[0], [*inner, *regions])
    for result, named in zip(step.results[1:], loops, strict=True):
        state.name(result, named)


def _split(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    targets = state.operations(step)
    points = state.numbers(step, 1) if len(step.operands) > 1 else [step.number("static_split_point")]
    points = points * len(targets) if len(points) == 1 else points
    first: list[Operation] = []
    second: list[Operation] = []
    for op, point in zip(targets, points, strict=False):
        if not isinstance(op, GenericOp):
            raise StepFailure(step, f"expected structured operations, got {op.name}", at=op)
        low, high = done(step, op, lambda op=op, point=point: split(op, step.number("dimension"), point))  # type: ignore[misc]
        first.append(low)
        second += [] if high is None else [high]
    state.consume(targets, step)
    state.name(step.results[0], first)
    state.name(step.results[1], second)


def _annotate(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    for op in state.operations(step):
        op.attributes[step.text("name") or ""] = UnitAttr()


def _simplify(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    one = _SIMPLIFICATIONS[type(step)]()
    for op in state.operations(step):
        own.passed(state, step, one, op)
    state.forget_erased()


EFFECTS: Mapping[type[TransformStep], Effect] = {
    steps.MATCH: _match,
    steps.MULTITILE_SIZES: _multitile,
    steps.CONTINUOUS_TILE_SIZES: _continuous,
    steps.TILE_USING_FOR: _tile,
    steps.SPLIT: _split,
    steps.ANNOTATE: _annotate,
    steps.APPLY_CSE: _simplify,
    steps.APPLY_DCE: _simplify,
    steps.APPLY_LICM: _simplify,
}
