"""Tensors on a mesh of devices: how one tensor becomes shards and how shards become one tensor.

A mapper says for each dimension of the mesh along which dimension of the tensor it cuts, or None when the
devices along it all get the same. A composer says for each dimension of the mesh along which dimension of
the tensor the shards are put together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ttl.host.arguments import place, tensor_of
from ttl.host.calling import checked, public
from ttl.host.coordinates import MeshShape
from ttl.host.device import Device, MeshDevice, checked_device
from ttl.host.errors import Code, describe, fail
from ttl.host.shape import dimension, stored
from ttl.host.storage import TensorMemory
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import Array

__all__ = (
    "ConcatMesh2dToTensor", "ConcatMeshToTensor", "MeshComposerConfig", "MeshMapperConfig", "PlacementReplicate",
    "PlacementShard", "ReplicateTensorToMesh", "ShardTensor2dMesh", "ShardTensorToMesh", "aggregate_as_tensor", "aggregate_tensor",
    "combine_device_tensors", "concat_mesh_to_tensor_composer", "create_mesh_composer", "create_mesh_mapper", "distribute_tensor",
    "from_host_shards", "get_device_tensors", "replicate_tensor_to_mesh_mapper", "shard_tensor_to_mesh_mapper",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Mapper:
    """For each dimension of the mesh, the tensor's dimension that it cuts, or None."""

    mesh: tuple[int, ...]
    dims: tuple[int | None, ...]


@dataclass(frozen=True, kw_only=True)
class Composer:
    """For each dimension of the mesh, the tensor's dimension along which shards are put together."""

    mesh: tuple[int, ...]
    dims: tuple[int, ...]


@checked
@dataclass(frozen=True)
class PlacementShard:
    """Cut the tensor along ``dim``."""

    dim: int

    def __post_init__(self) -> None:
        if not isinstance(self.dim, int):
            fail(Code.WRONG_KIND, f"ttnn.PlacementShard: a dimension is an integer, not {describe(self.dim)}")


@checked
@dataclass(frozen=True)
class PlacementReplicate:
    """Give every device the same."""


@checked
@dataclass(frozen=True)
class MeshMapperConfig:
    """One placement for each dimension of the mesh.

    For a mesh of two dimensions, ``row_dim`` and ``col_dim`` are the dimensions that are cut over its rows, and over its columns;
    None: not cut.
    """

    placements: Sequence[PlacementShard | PlacementReplicate] = ()
    mesh_shape_override: Any = None
    row_dim: int | None = None
    col_dim: int | None = None

    def __post_init__(self) -> None:
        if self.placements == ():
            dims = (self.row_dim, self.col_dim)
            vars(self)["placements"] = [
                PlacementReplicate() if dim is None else PlacementShard(dim) for dim in dims
            ]
        kinds = (PlacementShard, PlacementReplicate)
        given = self.placements
        if not isinstance(given, (tuple, list)) or not all(
            isinstance(placement, kinds) for placement in given
        ):
            fail(
                Code.WRONG_KIND,
                f"ttnn.MeshMapperConfig: placements are a list of them, not {describe(given)}",
            )


@checked
@dataclass(frozen=True)
class MeshComposerConfig:
    """One dimension of the tensor for each dimension of the mesh; ``row_dim`` and ``col_dim`` are those of two."""

    dims: Sequence[int] | None = None
    mesh_shape_override: Any = None
    row_dim: int | None = None
    col_dim: int | None = None

    def __post_init__(self) -> None:
        if self.dims is None:
            vars(self)["dims"] = [self.row_dim, self.col_dim]
        if not isinstance(self.dims, (tuple, list)) or not all(isinstance(dim, int) for dim in self.dims):
            fail(
                Code.WRONG_KIND,
                f"ttnn.MeshComposerConfig: dims are a list of integers, not {describe(self.dims)}",
            )


def _shape_of(mesh_device: Any, override: Any = None) -> tuple[int, ...]:
    if isinstance(mesh_device, MeshShape):
        return tuple(mesh_device)
    device = checked_device(mesh_device)
    if override is None:
        return tuple(device.shape)
    shape = MeshShape(override)
    if shape.mesh_size() != device.get_num_devices():
        fail(
            Code.MESH,
            f"a mesh of shape {tuple(shape)} does not have the {device.get_num_devices()} devices of {device}",
        )
    return tuple(shape)


def _flat(mesh_device: Any) -> tuple[int, ...]:
    return (checked_device(mesh_device).get_num_devices(),)


@public()
def ShardTensorToMesh(mesh_device: Any, dim: int) -> Mapper:
    """Cut the tensor along ``dim``, one piece per device, row by row of the mesh."""
    return Mapper(mesh=_flat(mesh_device), dims=(dim,))


@public()
def ShardTensor2dMesh(mesh_device: Any, mesh_shape: Any, dims: Any) -> Mapper:
    """Cut along ``dims[0]`` over the rows of the mesh and along ``dims[1]`` over its columns; None: the same."""
    shape = _shape_of(mesh_device, mesh_shape)
    return Mapper(mesh=shape, dims=_dims(dims, shape))


@public()
def ReplicateTensorToMesh(mesh_device: Any) -> Mapper:
    """Give every device the whole tensor."""
    return Mapper(mesh=_flat(mesh_device), dims=(None,))


@public()
def ConcatMeshToTensor(mesh_device: Any, dim: int) -> Composer:
    """Put the shards together along ``dim``, row by row of the mesh."""
    return Composer(mesh=_flat(mesh_device), dims=(dim,))


@public()
def ConcatMesh2dToTensor(mesh_device: Any, mesh_shape: Any, dims: Any) -> Composer:
    """Put shards together along ``dims[0]`` over the rows of the mesh and ``dims[1]`` over its columns."""
    shape = _shape_of(mesh_device, mesh_shape)
    return Composer(mesh=shape, dims=_dims(dims, shape))


@public()
def create_mesh_mapper(mesh_device: Any, config: Any) -> Mapper:
    """A mapper from a ``MeshMapperConfig``, for a mesh of devices or one of a ``ttnn.MeshShape``."""
    _check_kind("create_mesh_mapper", config, MeshMapperConfig)
    shape = _shape_of(mesh_device, config.mesh_shape_override)
    placements = config.placements
    cuts = [placement.dim if isinstance(placement, PlacementShard) else None for placement in placements]
    return Mapper(mesh=shape, dims=_dims(cuts, shape))


@public()
def create_mesh_composer(mesh_device: Any, config: Any) -> Composer:
    """A composer from a ``MeshComposerConfig``."""
    _check_kind("create_mesh_composer", config, MeshComposerConfig)
    shape = _shape_of(mesh_device, config.mesh_shape_override)
    return Composer(mesh=shape, dims=_dims(config.dims, shape))


def _check_kind(function: str, value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        fail(Code.WRONG_KIND, f"ttnn.{function} takes a ttnn.{kind.__name__}, not {describe(value)}")


def _dims(dims: Any, mesh: tuple[int, ...]) -> Any:
    given = tuple(dims) if isinstance(dims, (tuple, list)) else (dims,)
    if len(given) != len(mesh):
        fail(
            Code.MESH,
            f"{len(given)} dimensions for a mesh of shape {mesh}",
            help="give one for each of the mesh's",
        )
    return given


def replicate(tensor: Tensor, device: Device | None) -> Tensor:
    """The tensor, or one shard with the same values for each device of a mesh."""
    if not isinstance(device, MeshDevice):
        return tensor
    shards = tuple(again(tensor, device) for _ in range(device.get_num_devices()))
    return Tensor._of_shards(shards, device)


def again(tensor: Tensor, device: Device | None, memory_config: Any = None) -> Tensor:
    """A tensor of the same values on a device. Memory is shared until one of the two is written."""
    config = memory_config if memory_config is not None else tensor._memory_config
    return Tensor._of(tensor._alias(), tuple(tensor.shape), tensor.dtype, tensor.layout, device, config)


def distribute(tensor: Tensor, mapper: Mapper, device: Device | None, memory_config: Any) -> Tensor:
    """Shards of a host tensor, row by row of the mesh."""
    array = tensor._data.reshape(tensor.shape)
    cuts = [None if dim is None else dimension(dim, array.ndim, "from_torch") for dim in mapper.dims]
    for extent, dim in zip(mapper.mesh, cuts, strict=True):
        if dim is not None and array.shape[dim] % extent:
            fail(
                Code.MESH,
                f"dimension {dim} of shape {tuple(tensor.shape)} can't be cut into {extent} equal shards",
                help=f"make its extent, now {array.shape[dim]}, a multiple of {extent}",
            )
    shards = []
    for where in product(*(range(extent) for extent in mapper.mesh)):
        shards.append(_shard(tensor, array, mapper.mesh, cuts, where, device, memory_config))
    return Tensor._of_shards(tuple(shards), device)


def _shard(
    tensor: Tensor,
    array: Array,
    mesh: tuple[int, ...],
    cuts: Sequence[int | None],
    where: tuple[int, ...],
    device: Device | None,
    memory_config: Any,
) -> Tensor:
    index = [slice(None)] * array.ndim
    for extent, dim, position in zip(mesh, cuts, where, strict=True):
        if dim is not None:
            start, stop, _ = index[dim].indices(array.shape[dim])
            size = (stop - start) // extent
            index[dim] = slice(start + position * size, start + (position + 1) * size)
    if all(part == slice(None) for part in index):
        memory, shape = tensor._alias(), tuple(tensor.shape)
    else:
        piece = np.ascontiguousarray(array[tuple(index)])
        memory, shape = TensorMemory(piece), piece.shape
    config = place(memory_config, shape, tensor.layout, device)
    return Tensor._of(memory, shape, tensor.dtype, tensor.layout, device, config)


def compose(tensor: Tensor, composer: Composer) -> Tensor:
    """One host tensor of the shards of a tensor on a mesh."""
    assert tensor.shards is not None
    parts = [shard._data.reshape(shard.shape) for shard in tensor.shards]
    count = int(np.prod(composer.mesh))
    if count != len(parts):
        fail(Code.MESH, f"a composer for {count} devices, but the tensor has {len(parts)} shards")
    for extent, dim in zip(reversed(composer.mesh), reversed(composer.dims), strict=True):
        axis = dimension(dim, parts[0].ndim, "to_torch")
        parts = [np.concatenate(parts[at : at + extent], axis) for at in range(0, len(parts), extent)]
    whole = parts[0]
    return Tensor._of(
        TensorMemory(np.ascontiguousarray(whole).reshape(stored(whole.shape, tensor.layout))),
        whole.shape, tensor.dtype, tensor.layout,
    )  # fmt: skip


@public()
def get_device_tensors(tensor: Tensor) -> list[Tensor]:
    """The shards of a tensor on a mesh, row by row; the tensor itself otherwise."""
    whole = tensor_of(tensor, "get_device_tensors")
    return [whole] if whole.shards is None else list(whole.shards)


@public()
def combine_device_tensors(tensors: Sequence[Tensor]) -> Tensor:
    """A tensor on a mesh from one tensor per device, the reverse of ``get_device_tensors``."""
    if not isinstance(tensors, (tuple, list)):
        fail(Code.WRONG_KIND, f"ttnn.combine_device_tensors takes a list of tensors, not {describe(tensors)}")
    shards = tuple(tensor_of(tensor, "combine_device_tensors", "element") for tensor in tensors)
    if not shards:
        fail(Code.MESH, "ttnn.combine_device_tensors of no tensors")
    first = shards[0]
    if any(shard.shape != first.shape or shard.dtype is not first.dtype for shard in shards):
        fail(Code.MESH, "ttnn.combine_device_tensors: the tensors differ in shape or type")
    return Tensor._of_shards(shards, first._device)


aggregate_as_tensor = combine_device_tensors


@public()
def from_host_shards(tensors: Sequence[Tensor], mesh_shape: Any) -> Tensor:
    """A tensor of the host with one shard for each place of a mesh, row by row."""
    shape = MeshShape(mesh_shape)
    whole = combine_device_tensors(tensors)
    if len(whole.shards or ()) != shape.mesh_size():
        fail(
            Code.MESH,
            f"ttnn.from_host_shards: {len(whole.shards or ())} shards for a mesh of shape {tuple(shape)}",
            help=f"give {shape.mesh_size()}, row by row",
        )
    return whole


@public()
def distribute_tensor(tensor: Tensor, mapper: Mapper, mesh_device: Any = None) -> Tensor:
    """The shards of a tensor of the host, on a mesh of devices if one is given."""
    whole = tensor_of(tensor, "distribute_tensor")
    _check_mapping("distribute_tensor", mapper, Mapper, "ttnn.create_mesh_mapper")
    if whole.shards is not None:
        fail(Code.MESH, "ttnn.distribute_tensor of a tensor that has a shard for each device already")
    device = None if mesh_device is None else checked_device(mesh_device)
    return distribute(whole, mapper, device, None)


@public()
def aggregate_tensor(tensor: Tensor, composer: Composer) -> Tensor:
    """One tensor of the host of the shards of a tensor."""
    whole = tensor_of(tensor, "aggregate_tensor")
    _check_mapping("aggregate_tensor", composer, Composer, "ttnn.create_mesh_composer")
    if whole.shards is None:
        fail(
            Code.MESH,
            "ttnn.aggregate_tensor of a tensor that has no shards",
            help="it is one tensor already",
        )
    return compose(whole, composer)


def _check_mapping(function: str, value: Any, kind: type, maker: str) -> None:
    if not isinstance(value, kind):
        fail(Code.WRONG_KIND, f"ttnn.{function} takes what {maker} gives, not {describe(value)}")


shard_tensor_to_mesh_mapper = ShardTensorToMesh
replicate_tensor_to_mesh_mapper = ReplicateTensorToMesh
concat_mesh_to_tensor_composer = ConcatMeshToTensor
