"""Layers of models as methods of ``TTIRBuilder``: lookups, windows, collectives, and functions that several operations compose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tt_model.operations.result_shapes import exchanges_of
from ttmlir.builder_operations import BuilderOperations, Operand, with_dimension
from ttmlir.dialects import tt, ttir
from ttmlir.ir import Attribute

if TYPE_CHECKING:
    import torch

Pair = int | tuple[int, int]

# The layout of images and filters in torch.
_AS_TORCH = (
    "#ttir<convolution_layout input_batch = 0, input_feature = 1, input_spatial_dimensions = 2x3, "
    "kernel_output_feature = 0, kernel_input_feature = 1, kernel_spatial_dimensions = 2x3, "
    "output_batch = 0, output_feature = 1, output_spatial_dimensions = 2x3>"
)


def _pair(value: Pair) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else value


class BuilderLayers(BuilderOperations):
    """One method for each layer: an operation of TTIR, or a function composed of several."""

    def embedding(self, indices: Operand, weight: Operand) -> Any:
        """Rows of ``weight`` (R, D) by their numbers, to the shape of the numbers and D, in the type of ``weight``."""
        import torch

        def looked_up(numbers: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
            if table.dim() != 2:
                raise ValueError(f"the table has {table.dim()} dimensions, not 2")
            if numbers.device.type == "meta":
                return torch.empty((*numbers.shape, table.shape[1]), device="meta")
            if int(numbers.max()) >= table.shape[0]:
                raise ValueError(f"row {int(numbers.max())} of a table of {table.shape[0]}")
            return torch.nn.functional.embedding(numbers.long(), table)

        element = self._tensor_type(weight).element_type
        return self._one("Embedding", looked_up, ttir.EmbeddingOp, [indices, weight], element=element)

    def update_cache(self, cache: Operand, in0: Operand, index: Operand) -> Any:
        """Write ``in0`` (1, H, B, D) into the cache (B, H, S, D), at the position ``index`` of every user."""

        def updated(old: torch.Tensor, new: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
            if old.device.type == "meta":
                return old
            return old.index_copy(2, place.long().reshape(1), new.permute(2, 1, 0, 3))

        return self._in_place("UpdateCache", updated, ttir.UpdateCacheOp, [cache, in0, index])

    def fill_cache(self, cache: Operand, in0: Operand, user: int = 0) -> Any:
        """Write ``in0`` (1, H, s, D) into the cache (B, H, S, D), at the first positions of a user."""

        def filled(old: torch.Tensor, new: torch.Tensor) -> torch.Tensor:
            values = old.clone()
            values[user : user + 1, :, : new.shape[2]] = new
            return values

        return self._in_place("FillCache", filled, ttir.FillCacheOp, [cache, in0], batch_offset=user)

    def _in_place(
        self,
        name: str,
        golden: Callable[..., torch.Tensor],
        op: Any,
        inputs: Sequence[Operand],
        **more: Any,
    ) -> Any:
        """Add an operation that writes into its first operand; its result is the new value of that operand."""
        values = self._computed(name, golden, inputs)

        def make(outputs: Any, constraints: Any, loc: Any) -> Any:
            return op(self._tensor_type(inputs[0]), *inputs, constraints, loc=loc, **more)

        return self._operation(inputs, [values], make, destinations=())

    def conv2d(
        self,
        in0: Operand,
        weight: Operand,
        bias: Operand | None = None,
        *,
        stride: Pair = 1,
        padding: Pair = 0,
        dilation: Pair = 1,
        groups: int = 1,
    ) -> Any:
        """Convolution of (N, H, W, C) with (O, C / groups, KH, KW) and a bias (1, 1, 1, O), to (N, OH, OW, O)."""
        import torch

        strides, paddings, dilations = _pair(stride), _pair(padding), _pair(dilation)

        def convolved(
            image: torch.Tensor, filters: torch.Tensor, offsets: torch.Tensor | None = None
        ) -> torch.Tensor:
            result = torch.nn.functional.conv2d(
                image.permute(0, 3, 1, 2),
                filters,
                None if offsets is None else offsets.reshape(-1),
                stride=strides,
                padding=paddings,
                dilation=dilations,
                groups=groups,
            )
            return result.permute(0, 2, 3, 1).contiguous()

        (top, left) = paddings
        numbers = (*strides, *dilations, groups, left, left, top, top)
        return self._one("Conv2d", convolved, ttir.Conv2dOp, [in0, weight], *numbers, bias=bias)

    def max_pool2d(
        self,
        in0: Operand,
        kernel_size: Pair,
        stride: Pair | None = None,
        padding: Pair = 0,
        dilation: Pair = 1,
        ceil_mode: bool = False,
    ) -> Any:
        """Maxima of windows over (N, H, W, C). The stride is the kernel's size unless it is given."""
        import torch

        kernel = _pair(kernel_size)
        strides = kernel if stride is None else _pair(stride)
        (top, left), dilations = _pair(padding), _pair(dilation)

        def pooled(image: torch.Tensor) -> torch.Tensor:
            result = torch.nn.functional.max_pool2d(
                image.permute(0, 3, 1, 2), kernel, strides, (top, left), dilations, ceil_mode
            )
            return result.permute(0, 2, 3, 1).contiguous()

        numbers = (*kernel, *strides, *dilations, ceil_mode, left, left, top, top)
        return self._one("MaxPool2d", pooled, ttir.MaxPool2dOp, [in0], *numbers)

    def convolution(
        self,
        in0: Operand,
        weight: Operand,
        bias: Operand | None = None,
        *,
        stride: Pair = 1,
        padding: Pair = 0,
        dilation: Pair = 1,
        groups: int = 1,
    ) -> Any:
        """``conv2d`` with dimensions in the order of torch: (N, C, H, W) to (N, O, OH, OW); the bias is (1, 1, 1, O)."""
        import torch

        strides, (top, left), dilations = _pair(stride), _pair(padding), _pair(dilation)

        def convolved(
            image: torch.Tensor, filters: torch.Tensor, offsets: torch.Tensor | None = None
        ) -> torch.Tensor:
            flat = None if offsets is None else offsets.reshape(-1)
            return torch.nn.functional.conv2d(image, filters, flat, strides, (top, left), dilations, groups)

        order = Attribute.parse(_AS_TORCH, self._ctx)
        windows: tuple[Any, ...] = (strides, (top, top, left, left), (1, 1), dilations, (False, False))
        numbers = (*windows, order, groups, 1)
        return self._one("Convolution", convolved, ttir.ConvolutionOp, [in0, weight], *numbers, bias=bias)

    def pooling(self, in0: Operand, kernel_size: Pair, stride: Pair | None = None, padding: Pair = 0) -> Any:
        """Maxima of windows over (N, C, H, W). Both extents of the kernel and of the stride must be greater than one."""
        import torch

        kernel = _pair(kernel_size)
        strides, (top, left) = kernel if stride is None else _pair(stride), _pair(padding)
        if min(*kernel, *strides) < 2:
            raise ValueError(
                f"Pooling: kernel {kernel} and stride {strides}: both need extents greater than one; use max_pool2d"
            )
        maxima = partial(
            torch.nn.functional.max_pool2d, kernel_size=kernel, stride=strides, padding=(top, left)
        )
        method = Attribute.parse("#ttir<pooling_method Max>", self._ctx)
        windows = ((1, 1, *kernel), (1, 1, *strides), (1, 1, 1, 1), (1, 1, 1, 1))
        edges = (0, 0, 0, 0, top, top, left, left)
        return self._listed("Pooling", maxima, ttir.PoolingOp, [in0], method, *windows, edges)

    def gather(self, table: Operand, indices: Operand) -> Any:
        """Rows of a bf16 table (R, D) by numbers (N, M), to (N, M, D), as models of other frameworks write them."""
        import torch

        def gathered(rows: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
            if rows.dim() != 2 or numbers.dim() != 2:
                raise ValueError(
                    f"the table and the numbers have 2 dimensions, not {rows.dim()} and {numbers.dim()}"
                )
            if rows.device.type == "meta":
                return torch.empty((*numbers.shape, rows.shape[1]), device="meta")
            return torch.nn.functional.embedding(numbers.long().remainder(rows.shape[0]), rows)

        width = list(self.get_shape(table))[-1]
        # Dimension numbers of the gather: rows of the table become dimension 2 of the result; a number is no dimension
        # of its own.
        numbers: tuple[Any, ...] = ([2], [0], [], [], [0], 2, [1, width], False)
        return self._one("Gather", gathered, ttir.GatherOp, [table, indices], *numbers)

    def all_gather(self, in0: Operand, dim: int) -> Any:
        """The parts of a tensor on several chips, joined along ``dim``; on one chip the tensor itself."""

        return self._one("AllGather", partial(with_dimension, dim=dim), ttir.AllGatherOp, [in0], dim)

    def all_reduce(self, in0: Operand, reduce_type: int = 0, cluster_axis: int | None = None) -> Any:
        """Combine the tensors of several chips (0 sum, 2 maximum, 3 minimum); on one chip return the tensor itself."""
        return self._one(
            "AllReduce",
            lambda values: values,
            ttir.AllReduceOp,
            [in0],
            reduce_type,
            cluster_axis=cluster_axis,
        )

    def mesh_shard(
        self,
        in0: Operand,
        shard_shape: Sequence[int],
        shard_dims: Sequence[int],
        *,
        direction: str = "full_to_shard",
        kind: str = "devices",
    ) -> Any:
        """Cut a tensor into shards for the chips of a mesh, or (``shard_to_full``) join the chips' shards.

        ``shard_shape`` is the number of parts of each dimension; ``shard_dims`` are the dimensions that the rows and
        columns of the mesh cut, or -1. The golden tensor is the first chip's shard; for ``shard_to_full`` it is the
        input, repeated as if all chips had the same.
        """
        to_parts = direction == tt.ShardDirection.FullToShard.keyword

        def of_first_chip(values: torch.Tensor) -> torch.Tensor:
            if kind != tt.ShardType.Devices.keyword:
                return values
            if len(shard_shape) != values.dim():
                raise ValueError(f"shard_shape has {len(shard_shape)} extents")
            if not to_parts:
                return values.repeat(*shard_shape)
            for dim, (extent, count) in enumerate(zip(values.shape, shard_shape, strict=True)):
                if extent % count:
                    raise ValueError(f"dimension {dim} does not divide into {count} parts")
            return values[
                tuple(
                    slice(0, extent // count) for extent, count in zip(values.shape, shard_shape, strict=True)
                )
            ]

        kinds: Any = tt.ir  # the views of enumerations are made by a function
        return self._one(
            "MeshShard",
            of_first_chip,
            ttir.MeshShardOp,
            [in0],
            kinds.ShardTypeAttr.get(self._ctx, int(tt.ShardType.from_keyword(kind))),
            kinds.ShardDirectionAttr.get(self._ctx, int(tt.ShardDirection.from_keyword(direction))),
            tuple(shard_shape),
            tuple(shard_dims),
            host=True,
        )

    def reduce_scatter(
        self, in0: Operand, scatter_dim: int, reduce_type: int = 0, cluster_axis: int | None = None
    ) -> Any:
        """Combine the tensors of several chips and give each a part along ``scatter_dim``; on one chip return the tensor itself."""

        return self._one(
            "ReduceScatter",
            partial(with_dimension, dim=scatter_dim),
            ttir.ReduceScatterOp,
            [in0],
            scatter_dim,
            reduce_type,
            cluster_axis=cluster_axis,
        )

    # Functions that TTIR has no operation for.

    def number_like(self, value: float, like: Operand) -> Any:
        """A number in the element type of a tensor, with as many dimensions, each of extent one."""
        type_ = self._tensor_type(like)
        return self.constant(value, [1] * len(type_.shape), type_.element_type)

    def permute(self, in0: Operand, dims: Sequence[int]) -> Any:
        """Permute the dimensions: dimension ``dims[0]`` comes first.

        Made of transpositions; no operation if nothing changes.
        """
        for exchange in exchanges_of(range(len(dims)), [dim % len(dims) for dim in dims]):
            in0 = self.transpose(in0, *exchange)
        return in0

    def linear(self, in0: Operand, weight: Operand, bias: Operand | None = None) -> Any:
        """Products of (..., K) and a weight (N, K), with a bias (N), to (..., N)."""
        product = self.matmul(in0, self.transpose(weight, -2, -1))
        return product if bias is None else self.add(product, bias)

    def layer_norm(
        self,
        in0: Operand,
        dims: int,
        weight: Operand | None = None,
        bias: Operand | None = None,
        epsilon: float = 1e-5,
    ) -> Any:
        """Normalise to mean zero and variance one over the last ``dims`` dimensions; apply ``weight`` and ``bias``."""
        along = self._last(in0, dims)
        centred = self.subtract(in0, self.mean(in0, along, True))
        variance = self.mean(self.multiply(centred, centred), along, True)
        result = self.multiply(centred, self._scale(variance, epsilon))
        return self._weighted(result, weight, bias)

    def rms_norm(self, in0: Operand, dims: int, weight: Operand | None = None, epsilon: float = 1e-5) -> Any:
        """Normalise to a mean square of one over the last ``dims`` dimensions, then multiply by ``weight``."""
        square = self.mean(self.multiply(in0, in0), self._last(in0, dims), True)
        return self._weighted(self.multiply(in0, self._scale(square, epsilon)), weight, None)

    def silu(self, in0: Operand) -> Any:
        """``x * sigmoid(x)``."""
        return self.multiply(in0, self.sigmoid(in0))

    def tanh(self, in0: Operand) -> Any:
        """Hyperbolic tangents, as ``2 * sigmoid(2 * x) - 1``."""
        double = self.multiply(in0, self.number_like(2.0, in0))
        twice = self.multiply(self.sigmoid(double), self.number_like(2.0, in0))
        return self.subtract(twice, self.number_like(1.0, in0))

    def _last(self, in0: Operand, dims: int) -> list[int]:
        rank = len(list(self.get_shape(in0)))
        return list(range(rank - dims, rank))

    def _scale(self, square: Operand, epsilon: float) -> Any:
        return self.rsqrt(self.add(square, self.number_like(epsilon, square)))

    def _weighted(self, value: Operand, weight: Operand | None, bias: Operand | None) -> Any:
        if weight is not None:
            value = self.multiply(value, weight)
        return value if bias is None else self.add(value, bias)
