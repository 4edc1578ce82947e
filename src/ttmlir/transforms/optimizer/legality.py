"""The layouts that operations can make as results and take as operands.

The real optimizer queries only one operation, so that programs with its choices may fail to run. Here an operation
takes and makes only layouts that are known to run; if the documentation is ambiguous, the answer is no.

The class of an operation says which operands may be in shards at all (``tt_model.operations.takes``), and the runtime checks it,
too:

- elementwise operations make shards of a whole shape, of operands that are cut alike or not at all;
- a product of matrices makes shards where its first operand has the same kind of them, and as many rows of them; its second
  operand is not sharded;
- a softmax makes and takes shards that do not cut a line;
- all others make and take tensors that are interleaved.

Three kinds of results lie where their operand lies, regardless of the requested layout: the library gives ``typecast`` and
``reshape`` no memory configuration, and ``clamp`` the type of its operand.
"""

from __future__ import annotations

from xdsl.ir import Operation, OpResult

from tt_model.layouts.enums import BufferType, TensorMemoryLayout
from tt_model.layouts.layout import TTNNLayout
from tt_model.operations.lying import stated_layout
from tt_model.operations.operation import RowOperation, TTNNOperation
from tt_model.operations.shared import TTNNMatmulOp, TTNNSoftmaxOp
from tt_model.operations.takes import OperandRequirement
from tt_model.operations.tensors import shape_of
from tt_model.operations.ttnn import TTNNClampOp, TTNNEmptyOp, TTNNToLayoutOp
from ttmlir.transforms.optimizer.candidates import interleaved, sharded_candidates
from ttmlir.transforms.optimizer.chip import TargetChip


def chosen_result(op: Operation) -> OpResult | None:
    """The result for which a layout is chosen; None if the operation keeps its layout."""
    if not isinstance(op, TTNNOperation) or _is_as_written(op) or not op.results:
        return None
    layout = stated_layout(op.results[0])
    return None if layout is None or layout.buffer_type.is_host else op.results[0]


def _is_as_written(op: TTNNOperation) -> bool:
    """Whether an operation keeps its written layout: changes of layout, destinations, updates and compiled kernels."""
    return (
        isinstance(op, TTNNEmptyOp)
        or is_kernel(op)
        or op.ROW.updates
        or (op.ROW.moves and not op.ROW.keeps_place)
    )


def keeps_place(op: Operation) -> bool:
    """Whether a result lies where the first operand lies."""
    return isinstance(op, RowOperation) and op.ROW.keeps_place


def is_kernel(op: Operation) -> bool:
    """Whether an operation runs kernels that were compiled for the layouts of their operands."""
    return isinstance(op, RowOperation) and op.ROW.runs_kernels


def keeps_type(op: Operation) -> bool:
    """Whether a result has the whole type of its operand, layout included."""
    return isinstance(op, TTNNClampOp)


def makes_shards(op: Operation) -> bool:
    """Whether an operation can have sharded results."""
    return isinstance(op, RowOperation) and op.ROW.makes_shards


def legal_layouts(op: Operation, chip: TargetChip, most: int) -> tuple[TTNNLayout, ...]:
    """The layouts that the first result may have, the default first; ``most`` limits those in shards."""
    result = chosen_result(op)
    if result is None:
        current = stated_layout(op.results[0]) if op.results else None
        return () if current is None else (current,)
    current, shape = stated_layout(result), shape_of(result)
    assert current is not None
    plain = tuple(interleaved(current, shape, chip, memory) for memory in (BufferType.DRAM, BufferType.L1))
    if not makes_shards(op):
        return plain
    shards = sharded_candidates(current, shape, chip, most)
    return (*plain, *(layout for layout in shards if cannot_make(op, layout) is None))


def cannot_make(op: Operation, layout: TTNNLayout) -> str | None:
    """Return why an operation cannot make its result in this layout; None if it can."""
    if not layout.memory_layout.is_sharded or isinstance(op, TTNNToLayoutOp):
        return None
    if not isinstance(op, RowOperation) or not makes_shards(op):
        return f"{op.name} creates interleaved tensors only"
    if isinstance(op, TTNNSoftmaxOp):
        return _cuts_lines(op, layout)
    return None


def cannot_take(
    op: Operation, position: int, operand: TTNNLayout, result: TTNNLayout | None, original: TTNNLayout
) -> str | None:
    """Return why an operation cannot take an operand in a layout with its result in another; None if it can.

    ``original`` is the operand's layout before the optimizer.
    """
    if is_kernel(op):
        alike = (operand.buffer_type, operand.memory_layout) == (original.buffer_type, original.memory_layout)
        same = alike and (not operand.memory_layout.is_sharded or operand == original)
        return None if same else "its kernels were written for the original layout of the operand"
    if not operand.memory_layout.is_sharded or operand.buffer_type.is_host or isinstance(op, TTNNToLayoutOp):
        return None
    if not isinstance(op, RowOperation):
        return None
    takes = _takes(op, position)
    if takes is not None and not takes.layout_of(operand.memory_layout):
        return f"{op.name} takes its operand #{position} interleaved"
    if not makes_shards(op):
        return None
    if isinstance(op, TTNNSoftmaxOp) and (cut := _cuts_lines(op, operand)) is not None:
        return cut
    if isinstance(op, TTNNMatmulOp):
        return _product_takes(op, operand, result)
    if shape_of(op.operands[position]) != shape_of(op.results[0]):
        return "an operand that is broadcast to the shape of the result must be interleaved"
    if result is not None and result.memory_layout.is_sharded and not same_shards(operand, result):
        return "sharded operands must be cut like the result"
    return None


def _takes(op: RowOperation, position: int) -> OperandRequirement | None:
    """Return the requirement of an operation's class on an operand."""
    for group in op.ROW.operands:
        start, end = op.STRUCTURE.bounds(op, op.ROW.group_index[group.name])
        if start <= position < end:
            return group.takes
    return None


def same_shards(one: TTNNLayout, other: TTNNLayout) -> bool:
    """Whether two tensors have the same kind and grid of shards."""
    return one.memory_layout == other.memory_layout and one.grid.shape == other.grid.shape


def same_place(one: TTNNLayout, other: TTNNLayout) -> bool:
    """Whether two tensors are in the same memory and distributed alike; grids of interleaved tensors do not matter."""
    if (one.buffer_type, one.memory_layout) != (other.buffer_type, other.memory_layout):
        return False
    return not one.memory_layout.is_sharded or one.grid.shape == other.grid.shape


def _product_takes(op: TTNNMatmulOp, operand: TTNNLayout, result: TTNNLayout | None) -> str | None:
    if any(extent != 1 for value in op.operands[:2] for extent in shape_of(value)[:-2]):
        return "the first operand of a batched product must be interleaved"
    if len(shape_of(op.operands[0])) < 2:
        return "a vector in a product must be interleaved"
    if result is None or not result.memory_layout.is_sharded:
        return None
    if operand.memory_layout != result.memory_layout:
        return "the first operand of a product must have the same kind of shards as the result"
    by_width = TensorMemoryLayout.WidthSharded
    if operand.memory_layout != by_width and operand.grid.shape[-2] != result.grid.shape[-2]:
        return "the first operand of a product must have as many rows of shards as the result"
    return None


def _cuts_lines(op: TTNNSoftmaxOp, layout: TTNNLayout) -> str | None:
    rank = len(shape_of(op.results[0]))
    dimension = op.dimension % rank
    cuts = {rank - 1: layout.grid.shape[-1], rank - 2: layout.grid.shape[-2]}.get(
        dimension, layout.grid.volume
    )
    return None if cuts == 1 else "each core needs whole lines along the dimension of softmax"
