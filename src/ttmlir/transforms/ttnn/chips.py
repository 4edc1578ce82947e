"""Conversion of operations between chips to TTNN."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tt_model.attributes.tt import DeviceAttr
from tt_model.attributes.ttnn import TTNNLayoutAttr
from tt_model.layouts.elements import TILE_SHAPE
from tt_model.layouts.enums import ReduceOperation, ShardType
from tt_model.layouts.layout import TTNNLayout
from tt_model.layouts.mesh import groups_along, rows_and_columns
from tt_model.operations.conditions.verify_mesh import problem_with_mesh
from tt_model.operations.shared import TTIRMeshShardOp
from tt_model.operations.tensors import Tensor, shape_of, tensor_type_of
from tt_model.operations.ttir import TTIRAllReduceOp, TTIRReduceScatterOp
from ttl.ir.refusals import Refused
from ttmlir.transforms.conversion import Conversion, attributes_of, layout_of, with_shape

# The most dimensions of a tensor in TTNN.
_MOST_DIMENSIONS = 5


def reduce_scatter(op: TTIRReduceScatterOp, conversion: Conversion) -> None:
    """Convert a reduce-scatter of its operand."""
    source = conversion.whole(op.input)
    attributes = {
        "scatter_split_dim": op.scatter_dim,
        "math_op": op.reduce_type,
        **_cluster_axis(op),
    }
    new = conversion.make("ttnn.reduce_scatter", [source], [op.result.type], attributes)
    conversion.become([op.result], [new.result])


def all_reduce(op: TTIRAllReduceOp, conversion: Conversion) -> None:
    """Convert an all-reduce: each chip combines a part, and then all chips gather the parts."""
    source = conversion.whole(op.input)
    count = _chips_together(op, conversion.module)
    if count == 1:
        conversion.become([op.result], [source])
        return
    shape = shape_of(source)
    dim = _scattered_dimension(shape, count)
    if dim is None:
        _reduce_what_all_have(op, source, count, conversion)
        return
    part = with_shape(
        tensor_type_of(op.result),
        tuple(extent // count if at == dim else extent for at, extent in enumerate(shape)),
    )
    scattered = conversion.make(
        "ttnn.reduce_scatter",
        [source],
        [part],
        {
            "scatter_split_dim": dim,
            "math_op": op.reduce_type,
            **_cluster_axis(op),
        },
    ).result
    conversion.because(
        scattered, f"all_reduce over {count} chips: each combines a part along dimension {dim}"
    )
    new = conversion.make("ttnn.all_gather", [scattered], [op.result.type], {"dim": dim, **_cluster_axis(op)})
    conversion.become([op.result], [new.result])


def _reduce_what_all_have(op: TTIRAllReduceOp, source: SSAValue, count: int, conversion: Conversion) -> None:
    """Convert an all-reduce of a tensor that does not divide into parts, such as one number.

    Each chip gathers the tensors of all chips and combines them itself.
    """
    type, shape = tensor_type_of(source), shape_of(source)
    if len(shape) >= _MOST_DIMENSIONS:
        raise Refused(
            f"no dimension of {'x'.join(map(str, shape))} divides into parts for {count} chips, and there are {len(shape)} of them",
            f"what works: an extent that is a multiple of {count}, or at most {_MOST_DIMENSIONS - 1} dimensions",
        )
    kind = op.reduce_type
    if kind == ReduceOperation.Min:
        source = conversion.opposite(source)
    one = _laid_out(type, (1, *shape))
    stacked = conversion.make("ttnn.reshape", [source], [one], {"shape": one.get_shape()}).result
    gathered = conversion.make(
        "ttnn.all_gather",
        [stacked],
        [_laid_out(type, (count, *shape))],
        {"dim": 0, **_cluster_axis(op)},
    ).result
    word = "ttnn.sum" if kind == ReduceOperation.Sum else "ttnn.max"
    result = conversion.make(word, [gathered], [type], {"keep_dim": False, "dim_arg": (0,)}).result
    conversion.because(
        gathered,
        f"all_reduce over {count} chips: no dimension divides, so each chip gathers all tensors and combines them",
    )
    whole = conversion.opposite(result) if kind == ReduceOperation.Min else result
    conversion.become([op.result], [whole])


def _laid_out(type: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The type of a tensor of another shape in the same memory, with a layout for that shape."""
    old = layout_of(type)
    layout = TTNNLayout.make(shape, old.element, old.buffer_type, old.grid.shape, old.memory_layout)
    return Tensor(type.element_type, shape, TTNNLayoutAttr(layout))


def mesh_shard(op: TTIRMeshShardOp, conversion: Conversion) -> None:
    """Convert a mesh shard to one by the host, for the mesh of the module's device."""
    source = conversion.whole(op.input)
    shape, dims = op.shard_shape, op.shard_dims
    device = conversion.module.attributes.get("tt.device")
    if op.shard_type is ShardType.Devices and isinstance(device, DeviceAttr):
        problem = problem_with_mesh(rows_and_columns(device.data.mesh_shape), shape, dims)
        if problem is not None:
            raise Refused(
                problem, "what works: the pipeline with the mesh-shape that the model was written for"
            )
    new = conversion.make(
        "ttnn.mesh_shard", [source, conversion.device()], [op.result.type], attributes_of(op)
    )
    conversion.become([op.result], [new.result])


def _cluster_axis(op: TTIRAllReduceOp | TTIRReduceScatterOp) -> dict[str, int]:
    axis = op.cluster_axis
    return {} if axis is None else {"cluster_axis": axis}


def _chips_together(op: TTIRAllReduceOp, module: ModuleOp) -> int:
    """Return the number of chips in a group of an operation between chips."""
    device = module.attributes.get("tt.device")
    if not isinstance(device, DeviceAttr):
        return 1
    return len(groups_along(rows_and_columns(device.data.mesh_shape), op.cluster_axis)[0])


def _scattered_dimension(shape: tuple[int, ...], count: int) -> int | None:
    """The dimension that is split over chips, if possible into whole tiles; None if no dimension divides."""
    dividing = [dim for dim, extent in enumerate(shape) if extent and extent % count == 0]
    whole = [dim for dim in dividing if dim < len(shape) - 2 or shape[dim] % (count * TILE_SHAPE[0]) == 0]
    return next(iter(whole or dividing), None)
