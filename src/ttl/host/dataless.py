"""Tensors that have everything but memory: they show the allocations of a program without allocating memory.

Their arrays have one element, repeated: any shape costs nothing, and reading them gives zeros.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ttl.host.arguments import check_type, device_of, dtype_of, layout_of, place, tensor_of
from ttl.host.errors import Code, fail
from ttl.host.memory import MemoryConfig, without_shards
from ttl.host.mesh import Composer, Mapper, replicate
from ttl.host.shape import dimension, extents_of, stored, volume
from ttl.host.storage import TensorMemory, check_size
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import BFLOAT16, DType
from ttl.rows.types import Layout


def make(
    shape: Any,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    memory_config: Any = None,
    mesh_mapper: Any = None,
    *,
    default: DType = BFLOAT16,
    order: Layout = Layout.ROW_MAJOR,
) -> Tensor:
    """A tensor as ``ttnn.from_torch`` or ``ttnn.zeros`` would make it; ``default`` and ``order`` apply where the arguments do not say otherwise.

    ``shape`` is in elements. Raises ``ProgramError`` for arguments that those functions refuse, too.
    """
    extents = extents_of(shape)
    element, arranged = dtype_of(dtype, default), layout_of(layout, order)
    check_type(element, arranged)
    check_size(extents, element)
    target = device_of(device)
    if isinstance(mesh_mapper, Mapper):
        extents = _cut(extents, mesh_mapper)
        config = place(memory_config, extents, arranged, target)
        count = volume(mesh_mapper.mesh)
        shards = tuple(_one(extents, element, arranged, target, config) for _ in range(count))
        return Tensor._of_shards(shards, target)
    config = place(memory_config, extents, arranged, target)
    return replicate(_one(extents, element, arranged, target, config), target)


def like(tensor: Tensor, shape: Any = None, dtype: DType | None = None) -> Tensor:
    """Return a tensor like the result of a function of ``tensor``: same device, same layout; unsharded if reshaped."""
    model = tensor_of(tensor, "like")
    extents = tuple(model.shape) if shape is None else tuple(shape)
    element = model.dtype if dtype is None else dtype
    check_type(element, model.layout)
    config = model._memory_config
    if extents != tuple(model.shape):
        config = without_shards(config)
    if model.shards is None:
        return _one(extents, element, model.layout, model._device, config)
    shards = tuple(_one(extents, element, model.layout, model._device, config) for _ in model.shards)
    return Tensor._of_shards(shards, model._device)


def composed(tensor: Tensor, composer: Any) -> tuple[int, ...]:
    """The shape of the result of ``ttnn.to_torch``."""
    shape = list(tensor.shape)
    if isinstance(composer, Composer) and tensor.shards is not None:
        for extent, dim in zip(composer.mesh, composer.dims, strict=True):
            shape[dimension(dim, len(shape), "to_torch")] *= extent
    return tuple(shape)


def _cut(shape: tuple[int, ...], mapper: Mapper) -> tuple[int, ...]:
    extents = list(shape)
    for extent, dim in zip(mapper.mesh, mapper.dims, strict=True):
        if dim is None:
            continue
        axis = dimension(dim, len(extents), "from_torch")
        if extents[axis] % extent:
            fail(
                Code.MESH,
                f"dimension {axis} of shape {shape} can't be cut into {extent} equal shards",
                help=f"make its extent a multiple of {extent}",
            )
        extents[axis] //= extent
    return tuple(extents)


def _one(shape: tuple[int, ...], dtype: DType, layout: Layout, device: Any, config: MemoryConfig) -> Tensor:
    array = np.broadcast_to(np.zeros((), dtype.storage), stored(shape, layout))
    return Tensor._of(TensorMemory(array, None, True), shape, dtype, layout, device, config)
