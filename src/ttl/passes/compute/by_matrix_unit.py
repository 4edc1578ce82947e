"""Values that go through a buffer because the matrix unit is faster with them than the vector unit.

The matrix unit repeats a row, a column or an element of a tile while it reads the tile from a circular buffer, if the
other operand comes from a circular buffer, too. If the other operand is still in the registers, the vector unit has to
do the operation, and the tile to be repeated has to be copied to the registers before. The numbers are those of
``ttl.arch``; the rest of an expression takes as long either way.
"""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation, SSAValue

from ttl.arch.costs import Costs, estimate
from ttl.dialects import ttl as dialect
from ttl.passes.compute import in_registers
from ttl.passes.compute.modes import ComputeMode, compute_mode, is_wide
from ttl.passes.compute.places import has_broadcast
from ttl.passes.compute.trees import computed_in, tree
from ttl.passes.compute.views import read_of, tile_shape, type_of
from ttl.rows.dtypes import BFLOAT16, FLOAT32, DType
from ttl.rows.lowering import tile_call
from ttl.rows.row import Op
from ttl.rows.table import ADD
from ttl.rows.types import TILE

# An attribute of operations that have such buffers.
_HAS = "ttl.has_spare_buffers"
_REPEATED = ("row", "column", "scalar")
_PHASES = {"LoFi": 1, "HiFi2": 2, "HiFi3": 3, "HiFi4": 4}


def can_spare_buffers(module: ModuleOp) -> bool:
    """Whether operations that went through ``ttl-materialize`` have buffers for the matrix unit's sake."""
    return any(map(has_spare_buffers, module.body.block.ops))


def has_spare_buffers(operation: Operation) -> bool:
    """Whether an operation that went through ``ttl-materialize`` has buffers for the matrix unit's sake."""
    return _HAS in operation.attributes


def better_from_buffer(operation: dialect.OperationOp, root: SSAValue) -> SSAValue | None:
    """A value of an expression that is combined with a repeated operand and better goes through a buffer, or None."""
    value = _found(root, compute_mode(operation))
    if value is not None:
        operation.attributes[_HAS] = UnitAttr()
    return value


def _found(root: SSAValue, mode: ComputeMode) -> SSAValue | None:
    for value in tree(root):
        op = value.owner
        if not isinstance(op, dialect.BlockComputeOp) or not type_of(value).dtype.is_float:
            continue
        other = _combined_with_repeated(op)
        if other is None or not other.has_one_use() or _is_in_registers(other):
            continue
        if _gain(op.row, prod(tile_shape(type_of(value))), mode) > 0:
            return other
    return None


def _combined_with_repeated(op: dialect.BlockComputeOp) -> SSAValue | None:
    """The computed operand of two, if the other one is repeated from a block that the matrix unit can read."""
    if not op.row.reads_buffers or len(op.operands) != 2:
        return None
    pairs = [tuple(op.operands)]
    if "commutative" in op.row.traits:
        pairs.append(tuple(op.operands)[::-1])
    for computed, repeated in pairs:
        if not computed_in(computed) or not computed_in(repeated):
            continue
        shape = type_of(op.result).shape
        if op.row is ADD and _is_product(computed):
            continue  # the product is added to the other operand in the registers
        if is_wide(type_of(computed).dtype):
            continue  # the matrix unit would cut its elements
        if type_of(computed).shape != shape or read_of(computed, tuple(range(len(shape)))) is not None:
            continue
        read = read_of(repeated, tuple(range(len(shape))))
        if read is None or read.mode not in _REPEATED or not has_broadcast(op.row, read.mode):
            continue
        if not is_wide(type_of(read.read.result).dtype):
            return computed
    return None


def _is_product(value: SSAValue) -> bool:
    op = value.owner
    return isinstance(op, dialect.BlockComputeOp) and op.row.family == "product"


def _is_in_registers(value: SSAValue) -> bool:
    """Whether a loop keeps a part of the expression in the registers, so that the rest can continue there."""
    return any(map(in_registers.is_kept, tree(value, through=in_registers.is_kept)))


def _gain(row: Op, tiles: int, mode: ComputeMode) -> int:
    """Cycles that the matrix unit saves for one operation on so many tiles, net of the way through the buffer."""
    costs = mode.chip.costs
    calls = tile_call(row, "dst", FLOAT32)
    assert calls is not None
    vector = tiles * (costs.math_copy.value + estimate(calls[0].instructions).value)
    between = FLOAT32 if mode.fp32_dest else BFLOAT16
    pack = (costs.pack_wide if mode.fp32_dest else costs.pack_narrow).value
    unpack = costs.unpack_two.value * (_bytes(between) + _bytes(BFLOAT16)) // (2 * _bytes(BFLOAT16))
    passes = _PHASES[mode.fidelity] - 1 if row.accumulates else 0
    once = costs.math_multiply if row.accumulates else costs.math_add
    math = once.value + passes * costs.math_multiply_phase.value
    # One more section: it can begin when the last one before is packed, and the units work side by side then.
    section = min(tiles, mode.capacity) * pack + unpack + _around_section(costs)
    return vector - section - tiles * max(math, pack, unpack)


def _around_section(costs: Costs) -> int:
    """Cycles of the calls around a section, and of handing over a block."""
    section = 2 * costs.acquire.value + costs.commit.value + costs.release.value
    blocks = 2 * (costs.compute_wait.value + costs.compute_push.value)
    return section + blocks + costs.hand_over.value + 2 * (costs.init.value + costs.reconfigure.value)


def _bytes(dtype: DType) -> int:
    return TILE * TILE * dtype.element_bytes
