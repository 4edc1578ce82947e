"""The compute kernel of a ``ttir.generic``: loops over the tiles that a core has, and the operations on them.

``add``, ``multiply``, ``div``, ``exp`` and reductions are written as the compiler of 2024-11-21 wrote them; all others
by the recipes of ``ttmlir.transforms.metal.recipes``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import FloatAttr, f32
from xdsl.ir import Attribute, SSAValue

from tt_model.attributes.tt import DataTypeAttr
from tt_model.attributes.ttkernel import ReduceDimAttr, ReduceTypeAttr
from tt_model.layouts.elements import data_type_of
from tt_model.layouts.enums import DataType, ReduceDim, ReduceType
from tt_model.layouts.records import CircularBufferRecord
from tt_model.layouts.values import volume
from tt_model.operations.dialects import operation_class
from ttl.ir.refusals import Refused
from ttmlir.transforms.metal.iteration import Axis, AxisMap, Iterations
from ttmlir.transforms.metal.kernel_functions import KernelBuilder
from ttmlir.transforms.metal.recipes import OF_BUFFERS, RECIPES, Recipe, RegisterCall

# The increment of a tile's index with each step of the loops, outermost first.
Steps = tuple[int, ...]
_BROADCAST = {
    (True, False): "BroadcastType::ROW",
    (False, True): "BroadcastType::COL",
    (True, True): "BroadcastType::SCALAR",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class ComputeWork:
    """The computation of a core.

    ``buffers`` are circular buffers of inputs and results, ``values`` the arguments of the kernel for them; a reduction has one
    more, for the scaler. ``numbers`` are those of the operation; ``reciprocal_in_place`` means that a divisor may be overwritten;
    ``count`` is the number of elements of a mean.
    """

    name: str
    kind: str
    iterations: Iterations
    buffers: tuple[CircularBufferRecord, ...]
    values: tuple[SSAValue, ...]
    numbers: Mapping[str, Attribute]
    reciprocal_in_place: bool = False
    count: int = 1

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return len(self.iterations.maps) - 1

    @property
    def shards(self) -> list[tuple[int, ...]]:
        """The tiles of each operand that a core has: rows and columns."""
        return [buffer.memref.shape for buffer in self.buffers]


def scaler_value(work_kind: str, count: int, axes: int) -> float:
    """Return the factor of a reduction: for a mean 1 / ``count``, if the scaler represents that exactly; else 1.

    A reduction of rows and columns at once multiplies by the factor twice, so its mean is a sum that is divided
    afterwards.
    """
    return 1.0 / count if work_kind == "mean" and axes == 1 and not count & (count - 1) else 1.0


def emit(builder: KernelBuilder, work: ComputeWork) -> None:
    """Emit the kernel's work between its waits and its end. Raises ``Refused``."""
    if any(len(shard) != 2 for shard in work.shards):
        raise Refused(
            "the part of an operand on a core is not a matrix of tiles",
            "what works: layouts on grids of two dimensions",
        )
    match work.name:
        case "reduce":
            _reduce(builder, work)
        case "matmul":
            _matmul(builder, work)
        case "transpose" if _is_turned(work.iterations.maps[0]):
            _transpose(builder, work)
        case "transpose":
            _eltwise(builder, work, RECIPES["copy"])
        case "div" if work.reciprocal_in_place:
            _div(builder, work)
        case name if name in OF_BUFFERS and _reads_alike(work):
            _binary(builder, work, OF_BUFFERS[name])
        case name if name in RECIPES:
            _eltwise(builder, work, RECIPES[name])
        case name:
            raise Refused(
                f"no kernel is called @{name}",
                f"what works: @reduce, @matmul, @transpose, @{', @'.join(sorted(RECIPES))}",
            )


def _reads_alike(work: ComputeWork) -> bool:
    """Whether the matrix unit can take both operands without changes: of one type, and tile by tile."""
    maps = work.iterations.maps
    elements = {buffer.memref.element for buffer in work.buffers[:2]}
    return work.inputs == 2 and len(set(maps)) == 1 and len(elements) == 1


def _is_turned(axes: AxisMap) -> bool:
    return axes.rows is Axis.COLUMNS or axes.columns is Axis.ROWS


# Loops


def _by_extents(shard: Sequence[int], order: Sequence[int]) -> Steps:
    """Steps of an operand whose tiles are walked in the order of the loops: dimension ``order[i]`` in loop i."""
    return tuple(volume(shard[dim + 1 :]) for dim in order)


def _by_axes(shard: Sequence[int], axes: AxisMap, loops: Sequence[Axis]) -> Steps:
    """Steps of an operand along the axes of the loops; 0 along an axis on which it has one tile for all."""
    return tuple(
        sum(step for step, own in ((shard[1], axes.rows), (1, axes.columns)) if own is axis) for axis in loops
    )


Body = Callable[[KernelBuilder, list[SSAValue]], None]


class _Nest:
    """Nested loops that carry the index of a tile for each operand; operands with the same steps share an index."""

    def __init__(self, bounds: Sequence[int], steps: Sequence[Steps]) -> None:
        self._bounds = bounds
        self._unique = list(dict.fromkeys(steps))
        self._position = [self._unique.index(one) for one in steps]
        # Calls at the beginning and the end of the body of a loop, by its level.
        self.before: dict[int, Body] = {}
        self.after: dict[int, Body] = {}

    def emit(self, builder: KernelBuilder, body: Body) -> None:
        """Emit the loops; ``body`` gets the indices of the operands."""
        self._level(builder, 0, [builder.constant(0) for _ in self._unique], body)

    def _level(
        self, builder: KernelBuilder, level: int, values: list[SSAValue], body: Body
    ) -> list[SSAValue]:
        def inside(inner: KernelBuilder, _: SSAValue, carried: list[SSAValue]) -> list[SSAValue]:
            indices = [carried[position] for position in self._position]
            if level in self.before:
                self.before[level](inner, indices)
            steps = [one[level] for one in self._unique]
            if level + 1 == len(self._bounds):
                body(inner, indices)
                following = carried
            else:
                following = self._level(inner, level + 1, carried, body)
                within = [one[level + 1] * self._bounds[level + 1] for one in self._unique]
                steps = [step - gained for step, gained in zip(steps, within)]
            following = [inner.increased(value, step) for value, step in zip(following, steps)]
            if level in self.after:
                self.after[level](inner, indices)
            return following

        return builder.loop(self._bounds[level], values, inside)


def _packed(builder: KernelBuilder, out: SSAValue, index: SSAValue | int) -> None:
    builder.call("tile_regs_commit")
    builder.call("tile_regs_wait")
    builder.call("pack_tile", 0, out, index)
    builder.call("tile_regs_release")


# As in 2024


def _plain_nest(work: ComputeWork) -> _Nest:
    return _Nest(work.shards[0], [_by_extents(shard, (0, 1)) for shard in work.shards])


def _binary(builder: KernelBuilder, work: ComputeWork, function: str) -> None:
    a, b, out = work.values
    builder.call("binary_op_init_common", a, b, out)
    builder.call(f"{function}_init", a, b)

    def body(inner: KernelBuilder, index: list[SSAValue]) -> None:
        inner.call("tile_regs_acquire")
        inner.call(function, a, b, index[0], index[1], 0)
        _packed(inner, out, index[2])

    _plain_nest(work).emit(builder, body)


def _div(builder: KernelBuilder, work: ComputeWork) -> None:
    """Emit a product with the reciprocal, which overwrites the divisor."""
    a, b, out = work.values
    builder.call("binary_op_init_common", a, b, out)
    builder.call("mul_tiles_init_f")

    def body(inner: KernelBuilder, index: list[SSAValue]) -> None:
        inner.call("copy_tile_init")
        inner.call("cb_reserve_back", b, 1)
        inner.call("tile_regs_acquire")
        inner.call("recip_tile_init")
        inner.call("copy_tile", b, 0, 0)
        inner.call("recip_tile", 0)
        _packed(inner, b, 0)
        inner.call("cb_push_back", b, 1)
        inner.call("cb_wait_front", b, 1)
        inner.call("mul_tiles_init", a, b)
        inner.call("tile_regs_acquire")
        inner.call("mul_tiles", a, b, index[0], 0, 0)
        _packed(inner, out, index[2])
        inner.call("cb_pop_front", b, 1)

    _plain_nest(work).emit(builder, body)


def _reduce(builder: KernelBuilder, work: ComputeWork) -> None:
    source, out, scaler = work.values
    reduced = work.iterations.reduced
    if not reduced:
        raise Refused(
            "it reduces dimensions of extent 1 only", "what works: the operation without the reduction"
        )
    dim = {
        frozenset({Axis.ROWS, Axis.COLUMNS}): ReduceDim.Scalar,
        frozenset({Axis.ROWS}): ReduceDim.Col,
        frozenset({Axis.COLUMNS}): ReduceDim.Row,
    }[reduced]
    how: dict[str, Any] = {
        "reduce_type": ReduceTypeAttr(ReduceType.Max if work.kind == "max" else ReduceType.Sum),
        "reduce_dim": ReduceDimAttr(dim),
    }
    # The loop over the remaining dimension is outside of the loop over the reduced one.
    order = (1, 0) if dim is ReduceDim.Col else (0, 1)
    shards = [*work.shards[:2], (1, 1)]
    nest = _Nest([shards[0][position] for position in order], [_by_extents(shard, order) for shard in shards])

    def begin(inner: KernelBuilder, _: list[SSAValue]) -> None:
        inner.call("tile_regs_acquire")

    def end(inner: KernelBuilder, index: Sequence[SSAValue | int]) -> None:
        scaled = scaler_value(work.kind, work.count, len(reduced))
        if work.kind == "mean" and scaled * work.count != 1:
            inner.call("binop_with_scalar_tile_init")
            inner.call("mul_unary_tile", 0, b=FloatAttr(1.0 / (work.count * scaled), f32))
        _packed(inner, out, index[2])

    if dim is ReduceDim.Scalar:
        begin(builder, [])
    else:
        nest.before[0] = begin
        nest.after[0] = end
    builder.call("reduce_init", source, scaler, out, **how)
    builder.call("cb_wait_front", scaler, 1)

    def body(inner: KernelBuilder, index: list[SSAValue]) -> None:
        inner.call("reduce_tile", source, scaler, index[0], 0, 0, **how)

    nest.emit(builder, body)
    if dim is ReduceDim.Scalar:
        end(builder, [0, 0, 0])


# Ours


def _loops(work: ComputeWork) -> list[Axis]:
    return [Axis.ROWS, Axis.COLUMNS]


def _axis_nest(work: ComputeWork, loops: Sequence[Axis], bounds: Sequence[int]) -> _Nest:
    steps = [_by_axes(shard, axes, loops) for shard, axes in zip(work.shards, work.iterations.maps)]
    *inputs, _ = steps
    columns = work.shards[-1][1]
    # Results are walked row by row, even if they have one row or column only.
    result = tuple({Axis.ROWS: columns, Axis.COLUMNS: 1}.get(axis, 0) for axis in loops)
    return _Nest(bounds, [*inputs, result])


def _matmul(builder: KernelBuilder, work: ComputeWork) -> None:
    a, b, out = work.values
    (rows, depth), (_, columns) = work.shards[0], work.shards[1]
    loops = [Axis.ROWS, Axis.COLUMNS, Axis.DEPTH]
    nest = _axis_nest(work, loops, (rows, columns, depth))
    if work.shards[1][0] != depth or work.shards[2] != (rows, columns):
        raise Refused(
            f"a core has {rows}x{depth} tiles of the left side, {work.shards[1][0]}x{columns} of the right and "
            f"{work.shards[2][0]}x{work.shards[2][1]} of the product",
            "what works: operands whose rows and columns are those of the product",
        )
    builder.call("matmul_hw_startup", a, b, out)
    builder.call("matmul_init", a, b, transpose=0)
    nest.before[1] = lambda inner, _: _none(inner.call("tile_regs_acquire"))
    nest.after[1] = lambda inner, index: _packed(inner, out, index[2])

    def body(inner: KernelBuilder, index: list[SSAValue]) -> None:
        inner.call("matmul_tiles", a, b, index[0], index[1], 0)

    nest.emit(builder, body)


def _none(_: object) -> None:
    return None


def _transpose(builder: KernelBuilder, work: ComputeWork) -> None:
    source, out = work.values
    builder.call("unary_op_init_common", source, out)
    builder.call("transpose_init", source)

    def body(inner: KernelBuilder, index: list[SSAValue]) -> None:
        inner.call("tile_regs_acquire")
        inner.call("transpose_tile", source, index[0], 0)
        _packed(inner, out, index[1])

    _axis_nest(work, _loops(work), work.shards[-1]).emit(builder, body)


def _eltwise(builder: KernelBuilder, work: ComputeWork, recipe: Recipe) -> None:
    if max(recipe.loads) + 1 != work.inputs:
        raise Refused(
            f"@{work.name} takes {max(recipe.loads) + 1} inputs, and it has {work.inputs}",
            f"what works: {max(recipe.loads) + 1} inputs",
        )
    *inputs, out = work.values
    repeats = [_repeats(axes, work.iterations.maps[-1]) for axes in work.iterations.maps[:-1]]
    if any(_is_turned(axes) for axes in work.iterations.maps):
        raise Refused("an operand is read column by column", "what works: ttir.transpose in front of it")
    first_two = inputs if len(inputs) > 1 else [inputs[0]]
    name = "unary_op_init_common" if len(inputs) == 1 else "binary_op_init_common"
    builder.call(name, *first_two[:2], out)
    # The init of a single function of one operand is emitted once, in front of the loops.
    once = len(recipe.calls) == 1 and recipe.loads == (0,) and repeats[0] is None
    if once:
        _init(builder, work, recipe.calls[0])
    elements = {buffer.memref.element for buffer in work.buffers[:-1]}

    def body(inner: KernelBuilder, index: list[SSAValue]) -> None:
        inner.call("tile_regs_acquire")
        for register, operand in enumerate(recipe.loads):
            how = repeats[operand]
            if len(elements) > 1:
                # A repeated operand goes through the other source register.
                side = "srca" if how is None else "srcb"
                inner.call(f"reconfig_data_format_{side}", inputs[operand])
            if how is not None:
                inner.call("unary_bcast_init", inputs[operand], out, how=how)
                inner.call("unary_bcast", inputs[operand], index[operand], register, how=how)
                inner.call("unary_bcast_uninit", inputs[operand], how=how)
                continue
            if not once:
                inner.call("copy_tile_init")
            inner.call("copy_tile", inputs[operand], index[operand], register)
        for call in recipe.calls:
            if not once:
                _init(inner, work, call)
            inner.call(call.name, *call.registers, **_constants(work, call, call.name))
        _packed(inner, out, index[-1])

    _axis_nest(work, _loops(work), work.shards[-1]).emit(builder, body)


def _repeats(axes: AxisMap, result: AxisMap) -> str | None:
    """Return the part of an operand's tile that is repeated: its first row, column or element; None if not repeated."""
    lacks = (
        axes.rows is None and result.rows is not None,
        axes.columns is None and result.columns is not None,
    )
    return _BROADCAST.get(lacks)


def _init(builder: KernelBuilder, work: ComputeWork, call: RegisterCall) -> None:
    builder.call(call.init_name, **_constants(work, call, call.init_name))


def _constants(work: ComputeWork, call: RegisterCall, name: str) -> dict[str, Any]:
    """The constants that a function takes, or its init, which takes some of them."""
    taken = operation_class(f"ttkernel.{name}").ROW.attribute_named
    return {key: _constant(work, value) for key, value in call.constants.items() if key in taken}


def _constant(work: ComputeWork, value: object) -> object:
    match value:
        case "input":
            return DataTypeAttr(_data_type(work.buffers[0]))
        case "result":
            return DataTypeAttr(_data_type(work.buffers[work.inputs]))
        case str():
            if value not in work.numbers:
                raise Refused(
                    f"@{work.name} has no attribute '{value}'", f"what works: '{value}' with a number"
                )
            return work.numbers[value]
    return value


def _data_type(buffer: CircularBufferRecord) -> DataType:
    return data_type_of(buffer.memref.element)
