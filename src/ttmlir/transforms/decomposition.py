"""``ttir-to-ttir-decomposition``: operations without an equivalent in TTNN become operations with one.

Each of these operations has a function that replaces it and, unless that is always right, one that returns the
conditions that fail. Those of convolutions and poolings are in ``windows``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, ModuleOp, bf16
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from tt_model.operations.emission import Emission, constraints_of_tiles
from tt_model.operations.stages import Stage, on
from tt_model.operations.tensors import shape_of, tensor_type_of
from tt_model.operations.ttir import (
    TTIRConstantOp,
    TTIRConvolutionOp,
    TTIRFillOp,
    TTIRGatherOp,
    TTIRGetDimensionSizeOp,
    TTIRIndexOp,
    TTIRPoolingOp,
)
from ttl.analysis.dominance import of_kinds
from ttl.ir.dense import dense
from ttl.ir.failure import NotLegalized, not_legalized
from ttl.ir.reports import Report
from ttmlir.transforms.tables import parts_of, table_of_parts
from ttmlir.transforms.windows import (
    convolution_conditions,
    convolution_to_conv2d,
    pooling_conditions,
    pooling_to_windows,
)


@dataclass(frozen=True)
class DecomposeTTIR(ModulePass):
    """Replace operations without an equivalent in TTNN by operations with one.

    Expects: TTIR on tensors without layouts. Guarantees: no ``ttir.index``, ``ttir.get_dimension_size``,
    ``ttir.convolution``, ``ttir.pooling`` or ``ttir.gather``; constants have one number each, except for large tables.
    New operations have the location of the old one, and write to a ``tensor.empty`` of their own. If some operations
    cannot be replaced, all of them are reported, and the module stays unchanged.
    """

    name = "ttir-to-ttir-decomposition"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        illegal = [inner for inner in op.walk() if DECOMPOSITIONS.of(type(inner)) is not None]
        tables: list[TTIRConstantOp | TTIRFillOp] = of_kinds(op, TTIRConstantOp, TTIRFillOp)
        if reports := self.foresees(op):
            raise NotLegalized(reports)
        for table in tables:
            if (parts := parts_of(table)) is not None:
                emission = Emission(table)
                emission.replace(table_of_parts(table, parts, emission))
        for inner in illegal:
            decomposed = DECOMPOSITIONS.of(type(inner))
            assert decomposed is not None
            emission = Emission(inner)
            emission.replace(decomposed(inner, emission))

    def foresees(self, module: ModuleOp) -> list[Report]:
        """Return the refusals that the pass would raise."""
        return [
            not_legalized(op, *conditions, explicitly=True)
            for op in module.walk()
            if (failing := CONDITIONS.of(type(op))) is not None and (conditions := failing(op))
        ]


def index_to_slice(op: TTIRIndexOp, emission: Emission) -> Sequence[SSAValue]:
    """Convert an index, a range of one dimension, to a slice with the whole range of every other dimension."""
    shape = shape_of(op.input)
    begins, ends, steps = [0] * len(shape), list(shape), [1] * len(shape)
    dim = op.dim
    begins[dim], ends[dim], steps[dim] = op.begin, op.end, op.step
    sliced = emission.make(
        "ttir.slice",
        [op.input, op.output],
        op.result.type,
        begins=begins,
        ends=ends,
        step=steps,
        operand_constraints=op.operand_constraints,
    )
    return [sliced]


def dimension_size_to_constant(op: TTIRGetDimensionSizeOp, emission: Emission) -> Sequence[SSAValue]:
    """Convert the size of a dimension to a constant, since shapes are static."""
    size = shape_of(op.operand)[op.dimension]
    type = tensor_type_of(op.result)
    number: Any = size if isinstance(type.element_type, IntegerType) else float(size)
    value = dense(type, [number])
    return [emission.make("ttir.constant", [], type, value=value)]


def dimension_size_conditions(op: TTIRGetDimensionSizeOp) -> list[str]:
    """Return why the element type of the result cannot hold the extent; empty if it can."""
    size = shape_of(op.operand)[op.dimension]
    element = tensor_type_of(op.result).element_type
    if not isinstance(element, IntegerType) or element.normalized_value(size) is not None:
        return []
    return [f"the extent has to be a number of the result's element type, {element}, and is {size}"]


def gather_conditions(op: TTIRGatherOp) -> list[str]:
    """Return why a gather is not an embedding, which takes whole rows of a bf16 table, one for each number."""
    table, indices = tensor_type_of(op.input), shape_of(op.start_indices)
    output = shape_of(op.result)
    failed: list[str] = []

    def require(holds: bool, text: str) -> None:
        if not holds:
            failed.append(f"{text}; only gathers of whole rows of a table are lowered (ttir.embedding)")

    require(
        table.element_type == bf16,
        f"the table has to be of bf16, and it is {table}; cast it with ttir.typecast before",
    )
    require(len(table.get_shape()) == 2, f"the table has to have 2 dimensions, and it is {table}")
    require(len(output) == 3, f"the result has to have 3 dimensions, and it is {op.result.type}")
    sizes = op.slice_sizes
    last = output[-1] if output else 1
    require(
        len(sizes) > 1 and sizes[:2] == (1, last),
        f"slice_sizes has to begin with 1, {last} (one row, as wide as the result), and is {_text(sizes)}",
    )
    if len(table.get_shape()) == 2:
        width = table.get_shape()[1]
        require(
            width == last,
            f"rows have to be taken whole: they are {width} wide, and the result is {last} wide",
        )
    offsets, collapsed = op.offset_dims, op.collapsed_slice_dims
    require(offsets == (2,), f"offset_dims has to be 2, and is {_text(offsets)}")
    require(collapsed == (0,), f"collapsed_slice_dims has to be 0, and is {_text(collapsed)}")
    starts = op.start_index_map
    require(starts == (0,), f"start_index_map has to be 0, and is {_text(starts)}")
    require(
        len(indices) == len(output) - 1 or (len(indices) == len(output) and indices[-1] == 1),
        f"start_indices has to have one dimension less than the result, or a last one of extent 1, and it is "
        f"{op.start_indices.type}",
    )
    if failed:
        failed.append(
            "only gathers of whole rows of a table, one for each number, are lowered: as ttir.embedding"
        )
    return failed


def gather_to_embedding(op: TTIRGatherOp, emission: Emission) -> Sequence[SSAValue]:
    """Convert a gather to an embedding; a last dimension of extent 1 of the row numbers is removed first."""
    numbers, output = op.start_indices, op.output
    shape = shape_of(numbers)
    if len(shape) == len(shape_of(op.result)):
        type = tensor_type_of(numbers)
        numbers = emission.into_empty(
            "ttir.reshape",
            [numbers],
            emission.tensor(shape[:-1], type.element_type, type.encoding),
            shape=shape[:-1],
            operand_constraints=op.operand_constraints,
        )
    rows = emission.make(
        "ttir.embedding",
        [numbers, op.input, output],
        op.result.type,
        operand_constraints=constraints_of_tiles(4),
    )
    return [rows]


def _text(values: Sequence[int]) -> str:
    return ", ".join(map(str, values)) or "empty"


# The function that replaces each kind of operation.
DECOMPOSITIONS = Stage(
    on(TTIRIndexOp, index_to_slice),
    on(TTIRGetDimensionSizeOp, dimension_size_to_constant),
    on(TTIRConvolutionOp, convolution_to_conv2d),
    on(TTIRPoolingOp, pooling_to_windows),
    on(TTIRGatherOp, gather_to_embedding),
)
# The function that returns the failed conditions of a replacement, as sentences with the values and an alternative.
CONDITIONS = Stage(
    on(TTIRGetDimensionSizeOp, dimension_size_conditions),
    on(TTIRConvolutionOp, convolution_conditions),
    on(TTIRPoolingOp, pooling_conditions),
    on(TTIRGatherOp, gather_conditions),
)
