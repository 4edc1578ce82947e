"""Shapes: ``reshape``, ``transpose``, ``permute``, ``concat``, ``pad``, ``repeat`` and others.

Values are moved, never rounded again, except that block floats are rounded where their groups of 16 change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ttl.host import engine
from ttl.host.arguments import number_of, tensor_of
from ttl.host.calling import named, public
from ttl.host.computing import computes
from ttl.host.errors import Code, describe, fail
from ttl.host.indexing import derived, logical, slice
from ttl.host.movement import to_layout
from ttl.host.shape import dimension, extents_of, integers, padded, volume
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import Array
from ttl.rows.types import TILE, Layout

__all__ = (
    "chunk", "concat", "expand", "num_tiles", "pad", "pad_to_tile_shape", "permute", "repeat", "repeat_interleave", "reshape",
    "split", "squeeze", "stack", "tilize_with_val_padding", "transpose", "tril", "triu", "unsqueeze", "unsqueeze_to_4D",
    "untilize_with_unpadding", "view",
)  # fmt: skip


def _moved(
    array: Array, like: Tensor, function: str, memory_config: Any = None, output: Any = None
) -> Tensor:
    if like.dtype.kind == "block_float" or output is not None:
        return engine.finish(
            like.dtype.load(array), like, function, memory_config=memory_config, output=output
        )
    return derived(array, like, function, memory_config)


@computes("pad_value", "recreate_mapping_tensor")
def reshape(input_tensor: Tensor, shape: Any, *, memory_config: Any = None) -> Tensor:
    """The same elements, row by row, in another shape; one extent may be -1."""
    x = tensor_of(input_tensor, "reshape")
    extents = integers([shape] if isinstance(shape, int) else shape, "a shape")
    count = volume(x.shape)
    known = volume(extent for extent in extents if extent != -1)
    if extents.count(-1) == 1 and known and count % known == 0:
        extents[extents.index(-1)] = count // known
    if any(extent < 0 for extent in extents) or volume(extents) != count:
        fail(
            Code.SHAPES,
            f"ttnn.reshape: {count} elements of shape {tuple(x.shape)} do not make shape {tuple(extents)}",
        )
    return _moved(logical(x).reshape(extents), x, "reshape", memory_config)


view = reshape


@computes()
def unsqueeze(input_tensor: Tensor, dim: int) -> Tensor:
    """A dimension of 1 more, in front of dimension ``dim``."""
    x = tensor_of(input_tensor, "unsqueeze")
    axis = dimension(dim, len(x.shape) + 1, "unsqueeze")
    shape = (*x.shape[:axis], 1, *x.shape[axis:])
    return _moved(logical(x).reshape(shape), x, "unsqueeze")


@computes()
def squeeze(input_tensor: Tensor, dim: Any = None) -> Tensor:
    """Without the dimension ``dim`` (or all dimensions) where its extent is 1."""
    x = tensor_of(input_tensor, "squeeze")
    rank = len(x.shape)
    given = range(rank) if dim is None else dim if isinstance(dim, (tuple, list)) else (dim,)
    axes = {dimension(axis, rank, "squeeze") for axis in given}
    shape = tuple(extent for axis, extent in enumerate(x.shape) if axis not in axes or extent != 1)
    return _moved(logical(x).reshape(shape), x, "squeeze")


@computes()
def unsqueeze_to_4D(input_tensor: Tensor) -> Tensor:
    """Four dimensions, with ones in front."""
    x = tensor_of(input_tensor, "unsqueeze_to_4D")
    if len(x.shape) > 4:
        fail(Code.SHAPES, f"ttnn.unsqueeze_to_4D of shape {tuple(x.shape)}")
    return _moved(logical(x).reshape(x.shape.to_rank(4)), x, "unsqueeze_to_4D")


@computes("pad_value")
def transpose(input_tensor: Tensor, dim1: int, dim2: int, *, memory_config: Any = None) -> Tensor:
    """Two dimensions exchanged."""
    x = tensor_of(input_tensor, "transpose")
    rank = len(x.shape)
    axes = dimension(dim1, rank, "transpose"), dimension(dim2, rank, "transpose")
    return _moved(np.swapaxes(logical(x), *axes), x, "transpose", memory_config)


@computes("pad_value")
def permute(input_tensor: Tensor, dims: Sequence[int], *, memory_config: Any = None) -> Tensor:
    """Dimensions in another order: dimension ``i`` of the result is dimension ``dims[i]`` of the input."""
    x = tensor_of(input_tensor, "permute")
    rank = len(x.shape)
    if not isinstance(dims, (tuple, list)):
        fail(Code.WRONG_KIND, f"ttnn.permute: dims is a sequence of dimensions, not {describe(dims)}")
    order = tuple(dimension(axis, rank, "permute") for axis in dims)
    if sorted(order) != list(range(rank)):
        fail(
            Code.DIMENSION,
            f"ttnn.permute: {tuple(dims)} is not an order of the {rank} dimensions of shape {tuple(x.shape)}",
        )
    return _moved(np.transpose(logical(x), order), x, "permute", memory_config)


@computes("groups")
def concat(
    tensors: Sequence[Tensor], dim: int = 0, *, memory_config: Any = None, output_tensor: Any = None
) -> Tensor:
    """Tensors of one type behind each other along a dimension."""
    parts = _several(tensors, "concat")
    first = tuple(parts[0].shape)
    axis = dimension(dim, len(first), "concat")
    for part in parts[1:]:
        shape = tuple(part.shape)
        if len(shape) != len(first) or any(
            a != b for at, (a, b) in enumerate(zip(first, shape)) if at != axis
        ):
            fail(
                Code.SHAPES,
                f"ttnn.concat along dimension {axis}: shapes {first} and {shape} differ elsewhere",
            )
    whole = np.concatenate([logical(part) for part in parts], axis)
    return _moved(whole, parts[0], "concat", memory_config, output_tensor)


@computes()
def stack(tensors: Sequence[Tensor], dim: int = 0, *, memory_config: Any = None) -> Tensor:
    """Tensors of one shape and type along a new dimension."""
    parts = _several(tensors, "stack")
    axis = dimension(dim, len(parts[0].shape) + 1, "stack")
    if any(part.shape != parts[0].shape for part in parts):
        fail(Code.SHAPES, f"ttnn.stack: shapes differ: {', '.join(str(tuple(part.shape)) for part in parts)}")
    return _moved(np.stack([logical(part) for part in parts], axis), parts[0], "stack", memory_config)


def _several(tensors: Any, function: str) -> list[Tensor]:
    if not isinstance(tensors, (tuple, list)) or not tensors:
        fail(Code.WRONG_KIND, f"ttnn.{function} takes a list of tensors, not {describe(tensors)}")
    parts = [tensor_of(tensor, function, "element") for tensor in tensors]
    if any(part.dtype is not parts[0].dtype for part in parts):
        fail(
            Code.ELEMENT_TYPE,
            f"ttnn.{function}: types differ: {', '.join(part.dtype.name for part in parts)}",
        )
    return parts


@computes()
def split(input_tensor: Tensor, split_size: Any, dim: int = 0, *, memory_config: Any = None) -> list[Tensor]:
    """Pieces of ``split_size`` along a dimension (the last may be smaller), or of the sizes given."""
    x = tensor_of(input_tensor, "split")
    axis = dimension(dim, len(x.shape), "split")
    extent = x.shape[axis]
    if isinstance(split_size, int) and split_size > 0:
        cuts = list(range(split_size, extent, split_size))
    else:
        sizes = extents_of(split_size, "split_size") if not isinstance(split_size, int) else ()
        if sum(sizes) != extent or not sizes:
            fail(Code.SHAPES, f"ttnn.split: pieces of {split_size} from an extent of {extent}")
        cuts = np.cumsum(sizes)[:-1].tolist()
    return [_moved(part, x, "split", memory_config) for part in np.split(logical(x), cuts, axis)]


@computes()
def chunk(input_tensor: Tensor, chunks: int, dim: int = 0) -> list[Tensor]:
    """``chunks`` pieces along a dimension, of equal size but for the last."""
    x = tensor_of(input_tensor, "chunk")
    axis = dimension(dim, len(x.shape), "chunk")
    if not isinstance(chunks, int) or chunks < 1:
        fail(Code.OUT_OF_RANGE, f"ttnn.chunk into {describe(chunks)} pieces")
    return split(x, max(-(-x.shape[axis] // chunks), 1), axis)  # type: ignore[no-any-return]


@computes("use_multicore")
def pad(input_tensor: Tensor, padding: Any, value: float = 0.0, *, memory_config: Any = None) -> Tensor:
    """Elements of ``value`` around a tensor: ``padding`` is (before, after) for each of the last dimensions."""
    x = tensor_of(input_tensor, "pad")
    if not isinstance(padding, (tuple, list)):
        fail(
            Code.WRONG_KIND, f"ttnn.pad: padding is a list of pairs (before, after), not {describe(padding)}"
        )
    pairs = [tuple(amount) if isinstance(amount, (tuple, list)) else (amount,) for amount in padding]
    # torch's flat form, innermost first
    if pairs and len(pairs) % 2 == 0 and all(len(pair) == 1 for pair in pairs):
        flat = [pair[0] for pair in pairs]
        pairs = [(flat[at], flat[at + 1]) for at in range(len(flat) - 2, -1, -2)]
    if len(pairs) > len(x.shape) or any(len(pair) != 2 for pair in pairs):
        fail(
            Code.SHAPES,
            f"ttnn.pad: {describe(padding)} for a tensor of shape {tuple(x.shape)}",
            help="one (before, after) per dimension",
        )
    for pair in pairs:
        extents_of(pair, "a padding")
    full = [(0, 0)] * (len(x.shape) - len(pairs)) + pairs
    number = number_of(value, "pad", "value")
    kind = np.float32 if x.dtype.is_float else np.int64
    stored_value = x.dtype.store(np.array([number], kind))[0]
    return _moved(np.pad(logical(x), full, constant_values=stored_value), x, "pad", memory_config)


@computes()
def repeat(input_tensor: Tensor, repeat_dims: Any, *, memory_config: Any = None) -> Tensor:
    """The whole tensor several times along each dimension."""
    x = tensor_of(input_tensor, "repeat")
    times = extents_of(repeat_dims, "repeat_dims")
    if len(times) < len(x.shape):
        fail(Code.SHAPES, f"ttnn.repeat: {len(times)} numbers for a tensor of shape {tuple(x.shape)}")
    return _moved(np.tile(logical(x), times), x, "repeat", memory_config)


@computes()
def repeat_interleave(
    input_tensor: Tensor, repeats: int, dim: int = 0, *, memory_config: Any = None
) -> Tensor:
    """Each element several times in a row along a dimension."""
    x = tensor_of(input_tensor, "repeat_interleave")
    axis = dimension(dim, len(x.shape), "repeat_interleave")
    if not isinstance(repeats, int) or repeats < 1:
        fail(
            Code.OUT_OF_RANGE,
            f"ttnn.repeat_interleave: repeats is a positive number, not {describe(repeats)}",
        )
    return _moved(np.repeat(logical(x), repeats, axis), x, "repeat_interleave", memory_config)


@computes()
def expand(input_tensor: Tensor, output_shape: Any, *, memory_config: Any = None) -> Tensor:
    """Dimensions of 1 repeated to the shape; -1 keeps an extent."""
    x = tensor_of(input_tensor, "expand")
    given = integers(output_shape, "a shape")
    own = (1,) * (len(given) - len(x.shape)) + tuple(x.shape)
    shape = tuple(mine if wanted == -1 else wanted for mine, wanted in zip(own, given, strict=False))
    if len(given) != len(own) or any(
        mine not in (1, wanted) for mine, wanted in zip(own, shape, strict=True)
    ):
        fail(
            Code.SHAPES,
            f"ttnn.expand: shape {tuple(x.shape)} to {tuple(given)}",
            help="only extents of 1 can grow",
        )
    return _moved(np.broadcast_to(logical(x), shape), x, "expand", memory_config)


def _triangle(name: str, summary: str) -> Any:
    def function(input_tensor: Tensor, diagonal: int = 0, *, memory_config: Any = None) -> Tensor:
        x = tensor_of(input_tensor, name)
        if len(x.shape) < 2:
            fail(
                Code.SHAPES,
                f"ttnn.{name} of a tensor of shape {tuple(x.shape)}",
                help="it has two dimensions or more",
            )
        if not isinstance(diagonal, int):
            fail(Code.WRONG_KIND, f"ttnn.{name}: diagonal is an integer, not {describe(diagonal)}")
        rows, columns = np.arange(x.shape[-2])[:, None], np.arange(x.shape[-1])
        keep = columns - rows <= diagonal if name == "tril" else columns - rows >= diagonal
        zero = logical(x).dtype.type(0)
        return _moved(np.where(keep, logical(x), zero), x, name, memory_config)

    return computes()(named(function, name, summary))


tril = _triangle("tril", "The lower triangle of the last two dimensions, zeros above diagonal ``diagonal``.")
triu = _triangle("triu", "The upper triangle of the last two dimensions, zeros below diagonal ``diagonal``.")


@public()
def pad_to_tile_shape(unpadded_shape: Any) -> list[int]:
    """A shape rounded up to whole tiles."""
    return list(padded(extents_of(unpadded_shape), Layout.TILE))


@public()
def num_tiles(tensor: Tensor) -> int:
    """How many tiles a tensor has."""
    tensor_of(tensor, "num_tiles")
    return volume(padded(tensor.shape, Layout.TILE)) // (TILE * TILE)


@computes("use_multicore")
def tilize_with_val_padding(
    input_tensor: Tensor, output_tensor_shape: Any, pad_value: float = 0.0, *, memory_config: Any = None
) -> Tensor:
    """``pad`` up to a shape at the end of each dimension, and ``ttnn.TILE_LAYOUT``."""
    x = tensor_of(input_tensor, "tilize_with_val_padding")
    wanted = extents_of(output_tensor_shape)
    grow = [(0, b - a) for a, b in zip(x.shape, wanted, strict=False)]
    if len(wanted) != len(x.shape) or any(after < 0 for _, after in grow):
        fail(Code.SHAPES, f"ttnn.tilize_with_val_padding: shape {tuple(x.shape)} to {wanted}")
    return to_layout(pad(x, grow, pad_value), Layout.TILE, None, memory_config)


@computes("use_multicore", "use_pack_untilize")
def untilize_with_unpadding(
    input_tensor: Tensor, output_tensor_end: Any, *, memory_config: Any = None
) -> Tensor:
    """``slice`` from the start up to and including ``output_tensor_end``, and ``ttnn.ROW_MAJOR_LAYOUT``."""
    x = tensor_of(input_tensor, "untilize_with_unpadding")
    ends = [end + 1 for end in extents_of(output_tensor_end)]
    part = slice(x, [0] * len(ends), ends)
    return to_layout(part, Layout.ROW_MAJOR, None, memory_config)
