"""``ttl-split-k``: products of blocks take their inner dimension in parts, each with blocks of its own.

``a_blk @ b_blk`` over K tiles becomes the sum of ``parts`` products over K / parts tiles. The blocks of both buffers
are as many times smaller, and as many times more of them go through: the first product begins when the first part is
there, and each part is handed over as soon as it is loaded.

Expects: operations whose pushes, pops and waits are there (``ttl-infer-sync``). Guarantees: every product of an operation whose
operands are blocks of buffers that are filled from tensors and used for nothing else is split. The rings hold as many bytes as
before, so that no kernel waits forever that did not before; tiles are added in the same order as before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from ttl.analysis.dominance import of_kinds
from ttl.dialects import ttl as dialect
from ttl.dialects.compute import COMPUTE
from ttl.ir.failure import NotLowered
from ttl.ir.refusals import Refused
from ttl.ir.rewriting import replace_type
from ttl.passes.building import detach
from ttl.passes.choices import operations_of
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.marks import IN_COLUMNS
from ttl.passes.scheduling.buffer_factor import refusal, require_own
from ttl.rows.matmul import MATMUL
from ttl.rows.table import ADD

_WAY_OUT = "split products of blocks that are loaded from tensors and go into products only"


@dataclass(frozen=True)
class SplitK(ModulePass):
    """Split the inner dimension of products of blocks into ``parts``."""

    name = "ttl-split-k"
    contract: ClassVar = Contract(needs=(PassFact.SYNC,), before=(PassFact.BUFFERED,))
    parts: int = 2

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for operation in operations_of(op):
            try:
                split_products(operation, self.parts)
            except Refused as problem:
                raise NotLowered([refusal(problem, operation)]) from None


def split_products(operation: dialect.OperationOp, parts: int) -> None:
    """Split every product of an operation. Raises ``Refused``, before anything has changed, if one cannot be split."""
    products, axes = require_splittable(operation, parts)
    split = _Split(parts)
    for dfb, axis in axes.items():
        split.buffer(dfb, axis)
    for product in products:
        split.product(product)
    split.finish()


# --- conditions -----------------------------------------------------------------------------------------------------


def require_splittable(
    operation: dialect.OperationOp, parts: int
) -> tuple[list[dialect.BlockComputeOp], dict[dialect.CreateDfbOp, int]]:
    """The products of an operation, and the inner axis of each buffer that they read.

    Raises ``Refused`` if a product cannot be split.
    """
    if parts < 2:
        raise Refused(f"a product already has {parts} part", "give a number from 2 on", operation)
    products = [op for op in of_kinds(operation, dialect.BlockComputeOp) if op.row is MATMUL]
    if not products:
        raise Refused("the operation has no product of blocks", "take the step out", operation)
    axes: dict[dialect.CreateDfbOp, int] = {}
    for product in products:
        for operand, axis in zip(product.operands, (-1, -2), strict=True):
            dfb = _buffer_of(operand, product)
            if axes.setdefault(dfb, axis) != axis:
                raise Refused(
                    f"blocks of {dfb.buffer_name.data} are on both sides of a product", _WAY_OUT, product
                )
    for dfb, axis in axes.items():
        _require_split(dfb, axis, parts)
    return products, axes


def _buffer_of(operand: SSAValue, product: Operation) -> dialect.CreateDfbOp:
    read = operand.owner
    if isinstance(read, dialect.BlockReadOp) and not read.offsets:
        wait = read.block.owner
        if isinstance(wait, dialect.DfbWaitOp) and isinstance(wait.dfb.owner, dialect.CreateDfbOp):
            return wait.dfb.owner
    raise Refused("an operand of the product is not a whole block of a buffer", _WAY_OUT, product)


def _require_split(dfb: dialect.CreateDfbOp, axis: int, parts: int) -> None:
    name, shape = dfb.buffer_name.data, dfb.result.type.block_type.shape
    require_own(dfb)
    if shape[axis] % parts:
        raise Refused(
            f"a block of {name} has {shape[axis]} tiles along the inner dimension, which {parts} does not divide",
            "split by a number that divides it",
            dfb,
        )
    for use in dfb.result.uses:
        acquire = use.operation
        if not isinstance(acquire, dialect.DfbReserveOp | dialect.DfbWaitOp):
            raise Refused(f"{name} is used by {acquire.name}", _WAY_OUT, acquire)
        for other in acquire.result.uses:
            _require_known(name, other.operation, axis, shape[axis])


def _require_known(name: str, op: Operation, axis: int, extent: int) -> None:
    """Raise ``Refused`` for an operation on a block of a buffer that cannot be done part by part."""
    match op:
        case dialect.DfbPushOp() | dialect.DfbPopOp():
            return
        case dialect.BlockReadOp():
            products = [use.operation for use in op.result.uses]
            if not op.offsets and all(
                isinstance(product, dialect.BlockComputeOp) and product.row is MATMUL for product in products
            ):
                return
        case dialect.CopyOp():
            part = op.src.owner
            waits = [use.operation for use in op.result.uses]
            if (
                isinstance(part, dialect.TensorSliceOp)
                and part.shard_of is None
                and part.sizes[axis] == extent
                and not part.single[axis]
                and all(isinstance(wait, dialect.WaitOp) for wait in waits)
            ):
                return
    raise Refused(f"a block of {name} is also used in other ways", _WAY_OUT, op)


# --- the change -----------------------------------------------------------------------------------------------------


class _Split:
    """Splitting the buffers and products of one operation."""

    def __init__(self, parts: int) -> None:
        self._parts = parts
        self._reads: dict[SSAValue, list[SSAValue]] = {}
        """For the value of a whole block, the values of its parts."""
        self._dead: list[Operation] = []
        """Operations that are replaced, each behind the operations that it uses."""
        self._slices: dict[Operation, None] = {}
        """Whole slices that were copied."""

    def buffer(self, dfb: dialect.CreateDfbOp, axis: int) -> None:
        """Make the blocks of a buffer smaller, and repeat each operation on a block for each of its parts."""
        type_ = dfb.result.type
        acquires = [use.operation for use in dfb.result.uses]
        shape = list(type_.block_type.shape)
        shape[axis] //= self._parts
        smaller = dialect.DataflowBufferType(shape, type_.element_type, type_.block_count * self._parts)
        ring = replace_type(dfb.result, smaller)
        if axis == -1:
            dfb.attributes[IN_COLUMNS] = IntegerAttr(self._parts, IndexType())
        for acquire in acquires:
            assert isinstance(acquire, dialect.DfbReserveOp | dialect.DfbWaitOp)
            parts = _put([type(acquire)(ring) for _ in range(self._parts)], acquire)
            blocks = [op.results[0] for op in parts]
            self._dead.append(acquire)
            for use in list(acquire.result.uses):
                self._use(use.operation, blocks, axis, shape[axis])

    def product(self, product: dialect.BlockComputeOp) -> None:
        """Replace a product by a sum of the products of its parts; if it is added to a value, each of them is."""
        sides = [self._reads[operand] for operand in product.operands]
        products = [
            type(product).create(
                operands=pair, result_types=[product.result.type], attributes=dict(product.attributes)
            )
            for pair in zip(*sides, strict=True)
        ]
        addition = _addition_of(product)
        at = product if addition is None else addition
        values = [op.results[0] for op in _put(products, at)]
        add = COMPUTE[ADD.name]
        total: SSAValue
        if addition is None:
            total, rest = values[0], values[1:]
        else:
            (other,) = (operand for operand in addition.operands if operand is not product.result)
            total, rest = other, values
        for value in rest:
            (sum_,) = _put([add.create(operands=[total, value], result_types=[value.type])], at)
            total = sum_.results[0]
        at.results[0].replace_all_uses_with(total)
        self._dead.append(product)
        if addition is not None:
            self._dead.append(addition)

    def finish(self) -> None:
        """Erase the operations that were split."""
        for op in reversed(self._dead):
            detach(op)
            op.erase()
        for op in self._slices:
            if op.results[0].first_use is None:
                detach(op)
                op.erase()

    def _use(self, op: Operation, blocks: Sequence[SSAValue], axis: int, extent: int) -> None:
        self._dead.append(op)
        match op:
            case dialect.DfbPushOp() | dialect.DfbPopOp():
                _put([op.clone({op.block: block}) for block in blocks], op)
            case dialect.BlockReadOp():
                reads = _put([dialect.BlockReadOp(block) for block in blocks], op)
                self._reads[op.result] = [read.results[0] for read in reads]
            case dialect.CopyOp():
                part = op.src.owner
                assert isinstance(part, dialect.TensorSliceOp)
                parts = [_part(part, axis, number * extent, extent, op) for number in range(len(blocks))]
                self._slices[part] = None
                copies = _put(map(dialect.CopyOp, parts, blocks), op)
                for wait in [use.operation for use in op.result.uses]:
                    assert isinstance(wait, dialect.WaitOp)
                    _put([wait.clone({wait.transfer: copy.results[0]}) for copy in copies], wait)
                    self._dead.append(wait)


def _addition_of(product: dialect.BlockComputeOp) -> dialect.BlockComputeOp | None:
    """The sum that is the only use of a product, if the other operand has the same type; else None."""
    uses = list(product.result.uses)
    op = uses[0].operation if len(uses) == 1 else None
    if not isinstance(op, dialect.BlockComputeOp) or op.row is not ADD or op.parent is not product.parent:
        return None
    return op if all(operand.type == product.result.type for operand in op.operands) else None


def _part(whole: dialect.TensorSliceOp, axis: int, first: int, extent: int, before: Operation) -> SSAValue:
    """Insert a slice of ``extent`` tiles of a slice along an axis, from ``first`` on, and return it."""
    offsets, sizes = list(whole.offsets), list(whole.sizes)
    if first:
        number = arith.ConstantOp.from_int_and_width(first, IndexType())
        offset = arith.AddiOp(offsets[axis], number.result, result_type=IndexType())
        _put([number, offset], before)
        offsets[axis] = offset.result
    sizes[axis] = extent
    part = dialect.TensorSliceOp(
        whole.accessor, offsets, sizes=sizes, single=whole.single, dynamic_sizes=list(whole.dynamic_sizes)
    )
    return _put([part], before)[0].results[0]


def _put(ops: Iterable[Operation], before: Operation) -> list[Operation]:
    """Insert operations before another one, with its location."""
    there, block = list(ops), before.parent
    assert block is not None
    for op in there:
        op.location = before.location
        block.insert_op_before(op, before)
    return there
