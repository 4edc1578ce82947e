"""``convert-ttir-to-ttnn``: every operation of TTIR becomes its equivalent in TTNN.

Expects: TTIR after ``ttnn-layout``: every tensor has a ``ttnn.ttnn_layout``, the module has its ``tt.device``.
Guarantees: all operations are of TTNN or ``func``; or there is an error for each operation without a conversion, and
the module is unchanged.

The class of an operation says whether it is converted with the same operands or without its destination. Other
conversions are functions in ``RULES``: simple ones are in this module, longer ones in ``ttmlir.transforms.ttnn``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import BoolAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from tt_model.layouts.values import LayoutError
from tt_model.operations.constants import splat_of, written_arguments
from tt_model.operations.elementwise import TTIRElementwiseOp, TTIRNegOp, TTIRSubtractOp, TTIRTypecastOp
from tt_model.operations.operation import RowOperation, TTIROperation
from tt_model.operations.row import SameOperation, WithoutInit
from tt_model.operations.shared import TTIRConcatOp, TTIRMeshShardOp, TTIRReductionOp
from tt_model.operations.stages import Stage, on
from tt_model.operations.tensors import shape_of, tensor_type_of
from tt_model.operations.ttir import (
    TTIRAllGatherOp,
    TTIRAllReduceOp,
    TTIRBroadcastOp,
    TTIRClampOp,
    TTIRConstantOp,
    TTIRConv2dOp,
    TTIREmbeddingOp,
    TTIRFillOp,
    TTIRMaxPool2dOp,
    TTIRReduceScatterOp,
    TTIRSqueezeOp,
    TTIRToLayoutOp,
    TTIRUnsqueezeOp,
)
from ttl.analysis.dominance import of_kinds
from ttl.ir.failure import NotLegalized
from ttl.ir.refusals import Refused, reports_of
from ttl.ir.reports import Report
from ttl.ir.verifier import Violation
from ttmlir.transforms.conversion import (
    Conversion,
    attributes_of,
    data_type_attribute,
    layout_of,
)
from ttmlir.transforms.decomposition import DECOMPOSITIONS
from ttmlir.transforms.ttnn.chips import all_reduce, mesh_shard, reduce_scatter
from ttmlir.transforms.ttnn.pages import to_layout
from ttmlir.transforms.ttnn.refusals import refusal_of
from ttmlir.transforms.ttnn.windows import conv2d, max_pool2d


@dataclass(frozen=True)
class ConvertTTIRToTTNN(ModulePass):
    """Convert TTIR to TTNN."""

    name = "convert-ttir-to-ttnn"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refused = [
            (inner, refusal) for inner in _operations(op) if (refusal := refusal_of(inner)) is not None
        ]
        conversions: list[_ToTTNN] = []
        if not refused:
            for function in op.walk():
                if not isinstance(function, FuncOp):
                    continue
                for block in function.body.blocks:
                    _separate_destinations(block)
                    conversion = _ToTTNN(block, op)
                    if written_arguments(function):
                        conversion.device()  # updated arguments lie on it
                    conversions.append(conversion)
                    conversion.convert_block(block)
                    refused += conversion.refused
        if refused:
            for conversion in conversions:
                conversion.abandon()
            raise NotLegalized(reports_of(refused))
        for conversion in conversions:
            conversion.commit()

    def foresees(self, module: ModuleOp) -> list[Report]:
        """Return refusals known before decomposition and layouts; operations that these expand are not checked."""
        return reports_of(
            (inner, refusal)
            for inner in _operations(module)
            if DECOMPOSITIONS.of(type(inner)) is None and (refusal := refusal_of(inner)) is not None
        )


def _operations(module: ModuleOp) -> list[Operation]:
    return [op for function in of_kinds(module, FuncOp) for op in function.body.walk()]


def _separate_destinations(block: Block) -> None:
    """Give every operation a destination of its own: in TTNN it is memory, which the next operation would overwrite."""
    taken: set[SSAValue] = set()
    for op in block.ops:
        if not isinstance(op, RowOperation) or op.ROW.inits is None:
            continue
        for position in range(*op.init_bounds):
            value = op.operands[position]
            empty = value.owner
            if value in taken and isinstance(empty, EmptyOp):
                own = EmptyOp(empty.dynamic_sizes, empty.tensor.type)
                own.location = empty.location
                block.insert_op_before(own, op)
                op.operands[position] = own.tensor
            taken.add(value)


class _ToTTNN(Conversion):
    """Converts the operations of a block in order. Their rules record the replacements of results themselves."""

    def convert(self, op: Operation) -> Sequence[SSAValue] | None:
        try:
            if isinstance(op, TTIROperation):
                self._by_rule(op)
                return None
            return [self.empty(tensor_type_of(op.tensor))] if isinstance(op, EmptyOp) else self.keep(op)
        except (LayoutError, Violation) as problem:
            raise Refused(str(problem), "what works: shapes and element types that TTNN has") from problem

    def _by_rule(self, op: TTIROperation) -> None:
        rule = RULES.of(type(op))
        if rule is not None:
            rule(op, self)
            return
        match op.ROW.lowering:
            case SameOperation():
                _same(op, self)
            case WithoutInit():
                _without_init(op, self)
            case _:
                raise AssertionError(f"{op.name} has been refused before")


# Conversions.


def _same(op: RowOperation, conversion: Conversion) -> None:
    """Convert an operation with the same operands, destination included.

    The result has the type of its destination, whose layout may have been forced.
    """
    groups: list[Any] = []
    for definition in op.ROW.operands:
        if definition.name == op.ROW.inits:
            groups.append([conversion.use(value) for value in op.operands_of(definition)])
        elif isinstance(op, TTIRElementwiseOp):
            groups.append(conversion.broadcast(op))
        else:
            groups.append([conversion.whole(value) for value in op.operands_of(definition)])
    types = [conversion.use(value).type for value in op.inits]
    new = conversion.make(f"ttnn.{op.ROW.mnemonic}", groups, types, attributes_of(op))
    conversion.become(op.results, new.results)


def reduction(op: TTIRReductionOp, conversion: Conversion) -> None:
    """Convert a reduction; ``keep_dim`` is set by the rank of the result."""
    _without_init(op, conversion, keep_dim=BoolAttr.from_bool(op.keeps_rank))


def _without_init(op: RowOperation, conversion: Conversion, **other: Attribute) -> None:
    groups = [
        conversion.broadcast(op)
        if isinstance(op, TTIRElementwiseOp)
        else [conversion.whole(value) for value in op.operands_of(definition)]
        for definition in op.ROW.operands
        if definition.name != op.ROW.inits
    ]
    new = conversion.make(
        f"ttnn.{op.ROW.mnemonic}", groups, [value.type for value in op.results], attributes_of(op) | other
    )
    conversion.become(op.results, new.results)


def all_gather(op: TTIRAllGatherOp, conversion: Conversion) -> None:
    """Convert an all-gather, over the usual number of links."""
    _without_init(op, conversion)


def neg(op: TTIRElementwiseOp, conversion: Conversion) -> None:
    """Convert a negation; that of unsigned integers becomes a difference."""
    (value,) = conversion.broadcast(op)
    conversion.become([op.result], [conversion.opposite(value, conversion.use(op.inits[0]))])


def subtract(op: TTIRElementwiseOp, conversion: Conversion) -> None:
    """Convert a subtraction: directly for operands of one shape, else to a sum with the opposite, which allows any order."""
    left, right = conversion.broadcast(op)
    init = conversion.use(op.inits[0])
    if shape_of(left) == shape_of(right):
        new = conversion.make("ttnn.subtract", [[left, right], init], [init.type])
    else:
        empty = conversion.empty(tensor_type_of(right))
        opposite = conversion.opposite(right, empty)
        for value in (empty, opposite):
            conversion.because(
                value, "shapes differ, so the difference is the sum with the opposite of the second operand"
            )
        new = conversion.make("ttnn.add", [[left, opposite], init], [init.type])
    conversion.become([op.result], [new.result])


def typecast(op: TTIRTypecastOp, conversion: Conversion) -> None:
    """Convert a typecast to the data type of the result's layout."""
    type = tensor_type_of(op.result)
    (source,) = conversion.broadcast(op)
    new = conversion.make("ttnn.typecast", [source], [type], {"dtype": data_type_attribute(layout_of(type))})
    conversion.become([op.result], [new.result])


def clamp(op: TTIRClampOp, conversion: Conversion) -> None:
    """Convert a clamp: its result lies as its operand, which may have been forced to tiles."""
    source = conversion.whole(op.input)
    new = conversion.make("ttnn.clamp", [source], [source.type], attributes_of(op))
    conversion.become([op.result], [new.result])


def reshape(op: TTIRSqueezeOp | TTIRUnsqueezeOp, conversion: Conversion) -> None:
    """Convert ``squeeze`` and ``unsqueeze`` to a reshape to the shape of the result."""
    new = conversion.make(
        "ttnn.reshape",
        [conversion.whole(op.input)],
        [op.result.type],
        {"shape": shape_of(op.result)},
    )
    conversion.become([op.result], [new.result])


def concat(op: TTIRConcatOp, conversion: Conversion) -> None:
    """Convert a concatenation; its dimension is counted from the front."""
    rank = len(shape_of(op.result))
    init = conversion.use(op.inits[0])
    inputs = [conversion.whole(value) for value in op.inputs]
    new = conversion.make("ttnn.concat", [inputs, init], [init.type], {"dim": op.dim % rank})
    conversion.become([op.result], [new.result])


def embedding(op: TTIREmbeddingOp, conversion: Conversion) -> None:
    """Convert an embedding; in TTNN its destination is the second operand."""
    init = conversion.use(op.inits[0])
    operands = [
        conversion.whole(op.input),
        init,
        conversion.whole(op.weight),
    ]
    new = conversion.make("ttnn.embedding", operands, [init.type])
    conversion.become([op.result], [new.result])


def broadcast(op: TTIRBroadcastOp, conversion: Conversion) -> None:
    """Replace a broadcast by its operand: elementwise operations repeat it; for others see ``Conversion.whole``."""
    conversion.become([op.result], [conversion.use(op.input)])


def constant(op: TTIRConstantOp | TTIRFillOp, conversion: Conversion) -> None:
    """Convert zeros to a ``ttnn.empty``, which the runtime fills with zeros, and other numbers to a ``ttnn.full``."""
    device = conversion.device()
    value = splat_of(op)
    assert value is not None
    type = tensor_type_of(op.result)
    if value == 0:
        conversion.become([op.result], [conversion.empty(type)])
        conversion.because(conversion.use(op.result), "zeros are a ttnn.empty, which the runtime fills")
    else:
        new = conversion.make("ttnn.full", [device], [type], {"fillValue": value})
        conversion.become([op.result], [new.result])
        conversion.because(new.result, "one repeated number becomes a ttnn.full, next to its users")


RULES = Stage(
    on(TTIRAllGatherOp, all_gather),
    on(TTIRAllReduceOp, all_reduce),
    on(TTIRBroadcastOp, broadcast),
    on(TTIRClampOp, clamp),
    on(TTIRConcatOp, concat),
    on(TTIRConstantOp, constant),
    on(TTIRConv2dOp, conv2d),
    on(TTIREmbeddingOp, embedding),
    on(TTIRFillOp, constant),
    on(TTIRMaxPool2dOp, max_pool2d),
    on(TTIRMeshShardOp, mesh_shard),
    on(TTIRReduceScatterOp, reduce_scatter),
    on(TTIRReductionOp, reduction),
    on(TTIRNegOp, neg),
    on(TTIRSqueezeOp, reshape),
    on(TTIRUnsqueezeOp, reshape),
    on(TTIRSubtractOp, subtract),
    on(TTIRToLayoutOp, to_layout),
    on(TTIRTypecastOp, typecast),
)
