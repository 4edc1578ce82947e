"""Operations that TTIR and TTNN both have, with the same operands and attributes.

Their common parts are defined once, in a class that the classes of the dialects derive from; a stage can register a
function for that class, too. Only the operation of TTNN restricts the places of operands.
"""

from __future__ import annotations

from tt_model.operations import kinds
from tt_model.operations.conditions.verify_common import input_shape, output_shape
from tt_model.operations.fields import ONE_TENSOR, TENSORS, attribute, operand, operands, optional
from tt_model.operations.operation import (
    RowOperation,
    TTIRDestinationOp,
    TTIROperation,
    TTIRTensorOp,
    TTNNDestinationOp,
    TTNNOperation,
)
from tt_model.operations.row import FlatbufferTable, SameOperation, WithoutInit
from tt_model.operations.takes import (
    ALIKE,
    ANYWHERE,
    IN_ROWS_RATHER,
    IN_TILES,
    IN_TILES_OR_SHARDS,
    NUMBER_ON_HOST,
    ON_DEVICE,
    ON_HOST,
)


class ReductionOperation(RowOperation):
    """An operation that combines many elements into one, over dimensions.

    `dim_arg` are the dimensions, all of them where it is absent; with `keep_dim` they stay, with extent one.
    """

    input = operand(takes=IN_TILES)
    keep_dim = attribute(kinds.BOOL)
    dim_arg = optional(kinds.I32_ARRAY)


class TTIRReductionOp(ReductionOperation, TTIRDestinationOp):
    """An operation of TTIR that combines many elements into one."""

    @property
    def keeps_rank(self) -> bool:
        """Whether the result keeps the reduced dimensions, with extent one.

        Modules of 2024-11-21 also have ``keep_dim`` with a result that lacks them.
        """
        return self.keep_dim and len(output_shape(self)) == len(input_shape(self))


class TTNNReductionOp(
    ReductionOperation, TTNNOperation, pages="tiles", flatbuffer=FlatbufferTable("ReductionOp")
):
    """An operation of TTNN that combines many elements into one."""


class MaxOperation(ReductionOperation):
    """Maximum over dimensions.

    `dim_arg` are the dimensions, all of them where it is absent; with `keep_dim` they stay, with extent one.
    """


class TTIRMaxOp(MaxOperation, TTIRReductionOp, name="ttir.max"): ...


class TTNNMaxOp(MaxOperation, TTNNReductionOp, name="ttnn.max", exact=True): ...


class MeanOperation(ReductionOperation):
    """Mean over dimensions.

    `dim_arg` are the dimensions, all of them where it is absent; with `keep_dim` they stay, with extent one.
    """


class TTIRMeanOp(MeanOperation, TTIRReductionOp, name="ttir.mean"): ...


class TTNNMeanOp(MeanOperation, TTNNReductionOp, name="ttnn.mean", adds_up=True): ...


class SumOperation(ReductionOperation):
    """Sum over dimensions.

    `dim_arg` are the dimensions, all of them where it is absent; with `keep_dim` they stay, with extent one.
    """


class TTIRSumOp(SumOperation, TTIRReductionOp, name="ttir.sum"): ...


class TTNNSumOp(SumOperation, TTNNReductionOp, name="ttnn.sum", adds_up=True): ...


class ConcatOperation(RowOperation):
    """Joins tensors along a dimension.

    All other dimensions have the same extents. `dim` may count from the end.
    """

    inputs = operands(takes=ALIKE)
    dim = attribute(kinds.SI32)


class TTIRConcatOp(ConcatOperation, TTIRDestinationOp, name="ttir.concat"): ...


class TTNNConcatOp(
    ConcatOperation,
    TTNNDestinationOp,
    name="ttnn.concat",
    signature="tensors, /, dim",
    exact=True,
    passes_on="parts",
): ...


class UpdateCacheOperation(RowOperation, inits="cache", updates=True, writes=True):
    """Writes one position of every user into a cache of keys or values, in place.

    The cache is users, heads, positions, width; the input is 1, heads, users, width. `update_index`, a tensor of one
    whole number, is the position. `batch_offset` is the number of the first user in the input.
    """

    cache = operand()
    input = operand(takes=IN_TILES)
    update_index = operand(takes=NUMBER_ON_HOST)
    batch_offset = attribute(kinds.I32, default=0)


class TTIRUpdateCacheOp(
    UpdateCacheOperation,
    TTIRTensorOp,
    name="ttir.update_cache",
    results=ONE_TENSOR,
    lowering=SameOperation(),
    layout="inits",
): ...


class TTNNUpdateCacheOp(UpdateCacheOperation, TTNNOperation, name="ttnn.update_cache", exact=True): ...


class FillCacheOperation(RowOperation, inits="cache", updates=True, writes=True):
    """Writes the first positions of one user into a cache of keys or values, in place.

    The cache is users, heads, positions, width; the input is 1, heads, written positions, width. `batch_offset` is the
    number of the user.
    """

    cache = operand()
    input = operand(takes=IN_TILES)
    batch_offset = attribute(kinds.I32, default=0)


class TTIRFillCacheOp(
    FillCacheOperation,
    TTIRTensorOp,
    name="ttir.fill_cache",
    results=ONE_TENSOR,
    lowering=SameOperation(),
    layout="inits",
): ...


class TTNNFillCacheOp(FillCacheOperation, TTNNOperation, name="ttnn.fill_cache", exact=True): ...


class MatmulOperation(RowOperation):
    """Matrix product.

    The last two dimensions are multiplied, those before them are repeated to one shape; vectors are rows on the left
    and columns on the right, as in NumPy.
    """

    a = operand(takes=IN_TILES_OR_SHARDS)
    b = operand(takes=IN_TILES)


class TTIRMatmulOp(MatmulOperation, TTIRDestinationOp, name="ttir.matmul", lowering=SameOperation()): ...


class TTNNMatmulOp(
    MatmulOperation,
    TTNNDestinationOp,
    name="ttnn.matmul",
    signature="input_tensor_a, input_tensor_b, /",
    makes_shards=True,
    result_type_is_free=True,
    pages="tiles",
    adds_up=True,
): ...


class MeshShardOperation(RowOperation):
    """Distributes a whole tensor over the chips of a mesh, or joins the tensors of the chips to a whole one."""

    input = operand(takes=ON_HOST)
    shard_type = attribute(kinds.SHARD_TYPE)
    shard_direction = attribute(kinds.SHARD_DIRECTION)
    shard_shape = attribute(kinds.DENSE_I64)
    shard_dims = attribute(kinds.DENSE_I64)


class TTIRMeshShardOp(MeshShardOperation, TTIRDestinationOp, name="ttir.mesh_shard"):
    """Distributes a whole tensor over the chips of a mesh, or joins the tensors of the chips to a whole one.

    An extension, in the words of later versions. `shard_direction` selects one of the two: `full_to_shard`,
    `shard_to_full`. With the `shard_type` `devices`, chips have parts: `shard_shape` is the number of parts of each
    dimension, and `shard_dims` the dimension that each axis of the mesh cuts (rows, columns), or -1. Along an axis with
    -1, chips have the same part, and that of the first counts for the whole. Where both axes cut one dimension, the
    columns' parts lie within those of the rows. With `replicate` and `maximal`, all chips have the whole tensor, and
    that of the first chip counts; with `identity`, they keep their tensors. For these three, `shard_shape` is ones and
    `shard_dims` is -1. The host does it: `operand_constraints` are `system|scalar|none`.
    """


class TTNNMeshShardOp(MeshShardOperation, TTNNOperation, name="ttnn.mesh_shard"):
    """Distributes a whole tensor over the chips of a mesh, or joins the tensors of the chips to a whole one.

    An extension, in the words of later versions; the attributes are those of `ttir.mesh_shard`. Both tensors are on the
    host: `ttnn.to_device` copies each part to its own chip.
    """

    device = operand(kinds.DEVICE)


class ReshapeOperation(RowOperation):
    """The same elements in another shape.

    One extent of `shape` may be -1: it follows from the others.
    """

    input = operand(takes=ANYWHERE)
    shape = attribute(kinds.I32_ARRAY)


class TTIRReshapeOp(ReshapeOperation, TTIRDestinationOp, name="ttir.reshape", lowering=WithoutInit()): ...


class TTNNReshapeOp(
    ReshapeOperation,
    TTNNOperation,
    name="ttnn.reshape",
    keeps_place=True,
    exact=True,
    passes_on="everything",
): ...


class SliceOperation(RowOperation):
    """A range of every dimension.

    `begins`, `ends` and `step` are those of Python slices; negative ones count from the end.
    """

    input = operand(takes=IN_ROWS_RATHER)
    begins = attribute(kinds.I32_ARRAY)
    ends = attribute(kinds.I32_ARRAY)
    step = attribute(kinds.I32_ARRAY)


class TTIRSliceOp(SliceOperation, TTIRDestinationOp, name="ttir.slice", lowering=SameOperation()): ...


class TTNNSliceOp(SliceOperation, TTNNDestinationOp, name="ttnn.slice", exact=True, passes_on="parts"): ...


class SoftmaxOperation(RowOperation):
    """Exponentials along a dimension, divided by their sum."""

    input = operand(takes=IN_TILES_OR_SHARDS)
    dimension = attribute(kinds.SI32)


class TTIRSoftmaxOp(SoftmaxOperation, TTIRDestinationOp, name="ttir.softmax", lowering=WithoutInit()): ...


class TTNNSoftmaxOp(
    SoftmaxOperation,
    TTNNOperation,
    name="ttnn.softmax",
    signature="input_tensor, /, dim",
    makes_shards=True,
    pages="tiles",
): ...


class TransposeOperation(RowOperation):
    """Exchanges two dimensions.

    `dim0` and `dim1` may count from the end.
    """

    input = operand(takes=ON_DEVICE)
    dim0 = attribute(kinds.SI32)
    dim1 = attribute(kinds.SI32)


class TTIRTransposeOp(
    TransposeOperation, TTIRDestinationOp, name="ttir.transpose", lowering=WithoutInit()
): ...


class TTNNTransposeOp(
    TransposeOperation,
    TTNNOperation,
    name="ttnn.transpose",
    signature="input_tensor, dim1, dim2, /",
    exact=True,
    passes_on="everything",
): ...


class TTLangOperation(RowOperation, results=TENSORS, inits="outputs", inits_by_results=True):
    """Runs an operation of TT-Lang."""

    inputs = operands(takes=IN_TILES_OR_SHARDS)
    outputs = operands()
    kernel_id = attribute(kinds.STRING)
    version_tag = attribute(kinds.STRING)
    arg_roles = attribute(kinds.STRING)
    shard_spec = attribute(kinds.STRING, default="")


class TTIRTTLangOp(
    TTLangOperation, TTIROperation, name="ttir.tt_lang_op", lowering=SameOperation(), layout="all"
):
    """Runs an operation of TT-Lang.

    `kernel_id` names it, such as `pkg.softmax::v1`: the function to import, and its version. `arg_roles` has `in` or
    `out` for each operand, all `in` first; each `out` is the destination of a result. `ttnn-resolve-tt-lang-kernels`
    makes its kernels; until then it stays as it is. Without `operand_constraints`, every operand is in tiles.
    """

    operand_constraints = optional(kinds.OPERAND_CONSTRAINTS)


class TTNNTTLangOp(TTLangOperation, TTNNOperation, name="ttnn.tt_lang_op", runs_kernels=True, pages="tiles"):
    """Runs an operation of TT-Lang.

    It is like `ttir.tt_lang_op`. Every operand and result is in tiles. `kernel_artifact`, which
    `ttnn-resolve-tt-lang-kernels` attaches, is a JSON text with its kernels.
    """

    kernel_artifact = optional(kinds.STRING)
