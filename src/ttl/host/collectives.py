"""Exchange between the devices of a mesh: gathering, reducing, handing round, one to one.

Without ``cluster_axis`` all devices take part, row by row of the mesh; with it, those along that dimension
of the mesh (0: a column of devices, 1: a row) among themselves. Sums are taken in float32.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Any

import numpy as np

from ttl.host import engine
from ttl.host.arguments import tensor_of
from ttl.host.calling import public
from ttl.host.coordinates import position
from ttl.host.device import Device, MeshDevice
from ttl.host.errors import Code, describe, fail
from ttl.host.fabric import FabricConfig, get_fabric_config
from ttl.host.mesh import again
from ttl.host.shape import dimension
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import Array
from ttl.source.public_names import known_as

__all__ = (
    "ReduceType", "Topology", "all_broadcast", "all_gather", "all_reduce", "broadcast", "get_usable_topology", "mesh_partition",
    "point_to_point", "reduce_scatter",
)  # fmt: skip

_OPTIONS = (
    "num_links", "topology", "mesh_device", "subdevice_id", "multi_device_global_semaphore", "num_workers_per_link",
    "barrier_semaphore", "chunks_per_sync", "num_buffers_per_channel", "num_workers", "use_l1_small_for_semaphores",
    "intermediate_memory_config", "persistent_output_buffers", "persistent_intermediate_buffer", "use_broadcast",
)  # fmt: skip


@known_as("ReduceType")
class HostReduceType(StrEnum):
    """How ``all_reduce`` and ``reduce_scatter`` combine values."""

    Sum = "Sum"
    Mean = "Mean"
    Max = "Max"
    Min = "Min"
    Prod = "Prod"


ReduceType = HostReduceType


class Topology(StrEnum):
    """How devices are linked. It has no effect on results."""

    Ring = "Ring"
    Linear = "Linear"
    Mesh = "Mesh"
    Torus = "Torus"


@public(*_OPTIONS)
def all_gather(
    input_tensor: Tensor,
    dim: int,
    cluster_axis: int | None = None,
    *,
    memory_config: Any = None,
    output_tensor: Any = None,
) -> Tensor:
    """Every device gets the shards of all, put together along ``dim``."""
    shards, whole = _shards(input_tensor, "all_gather")
    axis = dimension(dim, len(whole.shape), "all_gather")

    def gather(parts: list[Array]) -> list[Array]:
        return [np.concatenate(parts, axis)] * len(parts)

    return _exchange("all_gather", whole, shards, cluster_axis, gather, memory_config, output_tensor)


@public(*_OPTIONS)
def all_reduce(
    input_tensor: Tensor,
    cluster_axis: int | None = None,
    *,
    math_op: ReduceType = ReduceType.Sum,
    memory_config: Any = None,
    output_tensor: Any = None,
) -> Tensor:
    """Every device gets the sum (maximum, minimum) of the shards of all."""
    shards, whole = _shards(input_tensor, "all_reduce")
    combine = _combine(math_op, "all_reduce")

    def reduce(parts: list[Array]) -> list[Array]:
        return [combine(parts)] * len(parts)

    return _exchange("all_reduce", whole, shards, cluster_axis, reduce, memory_config, output_tensor)


@public(*_OPTIONS)
def reduce_scatter(
    input_tensor: Tensor,
    dim: int,
    cluster_axis: int | None = None,
    *,
    math_op: ReduceType = ReduceType.Sum,
    memory_config: Any = None,
    output_tensor: Any = None,
) -> Tensor:
    """The sum (maximum, minimum) of the shards of all, cut along ``dim``: each device gets its piece."""
    shards, whole = _shards(input_tensor, "reduce_scatter")
    axis = dimension(dim, len(whole.shape), "reduce_scatter")
    combine = _combine(math_op, "reduce_scatter")

    def scatter(parts: list[Array]) -> list[Array]:
        return _cut(combine(parts), len(parts), axis, "reduce_scatter")

    return _exchange("reduce_scatter", whole, shards, cluster_axis, scatter, memory_config, output_tensor)


@public(*_OPTIONS)
def broadcast(
    input_tensor: Tensor,
    sender_coord: Any,
    cluster_axis: int | None = None,
    *,
    memory_config: Any = None,
) -> Tensor:
    """The shard of the device at ``sender_coord`` on all devices, or on those in a line with it; the others keep their own."""
    shards, whole = _shards(input_tensor, "broadcast")
    sender = position(_mesh(whole).shape, sender_coord, "broadcast")
    results = list(shards)
    for group in _groups(whole._device, cluster_axis, "broadcast"):
        if sender in group:
            for number in group:
                results[number] = shards[sender]
    return _copies(results, whole, memory_config)


@public(*_OPTIONS)
def all_broadcast(
    input_tensor: Tensor, cluster_axis: int | None = None, *, memory_config: Any = None
) -> list[Tensor]:
    """One tensor for each device (of a line): the shard of that device, on all of them."""
    shards, whole = _shards(input_tensor, "all_broadcast")
    groups = list(_groups(whole._device, cluster_axis, "all_broadcast"))
    results = []
    for sender in range(len(groups[0])):
        parts = list(shards)
        for group in groups:
            for number in group:
                parts[number] = shards[group[sender]]
        results.append(_copies(parts, whole, memory_config))
    return results


@public(*_OPTIONS)
def point_to_point(
    input_tensor: Tensor,
    sender_coord: Any,
    receiver_coord: Any,
    *,
    output_tensor: Any = None,
    intermediate_tensor: Any = None,
) -> Tensor:
    """The shard of the device at ``sender_coord`` on the one at ``receiver_coord``.

    The other shards of the result are those of ``output_tensor``; without one they are zeros here, on a card whatever lay there.
    """
    shards, whole = _shards(input_tensor, "point_to_point")
    sender, receiver = (
        position(_mesh(whole).shape, coord, "point_to_point") for coord in (sender_coord, receiver_coord)
    )
    values = engine.in_numpy(shards[sender])
    outputs = None
    if output_tensor is not None:
        outputs, _ = _shards(output_tensor, "point_to_point")
        engine.finish(values, shards[sender], "point_to_point", output=outputs[receiver])
        return tensor_of(output_tensor, "point_to_point", "output")
    parts = [
        engine.finish(values if number == receiver else np.zeros_like(values), shard, "point_to_point")
        for number, shard in enumerate(shards)
    ]
    return Tensor._of_shards(tuple(parts), whole._device)


@public(*_OPTIONS)
def mesh_partition(
    input_tensor: Tensor, dim: int, cluster_axis: int | None = None, *, memory_config: Any = None
) -> Tensor:
    """Each device keeps its piece of its shard, cut along ``dim``: the reverse of ``all_gather``. No data is sent."""
    shards, whole = _shards(input_tensor, "mesh_partition")
    axis = dimension(dim, len(whole.shape), "mesh_partition")

    def partition(parts: list[Array]) -> list[Array]:
        pieces = [_cut(part, len(parts), axis, "mesh_partition") for part in parts]
        return [pieces[number][number] for number in range(len(parts))]

    return _exchange("mesh_partition", whole, shards, cluster_axis, partition, memory_config, None)


@public(*_OPTIONS, "use_optimal_ccl_for_llama")
def all_gather_async(
    input_tensor: Tensor,
    dim: int,
    multi_device_global_semaphore: Any = None,
    *,
    cluster_axis: int | None = None,
    persistent_output_buffer: Any = None,
    persistent_output_tensor: Any = None,
    memory_config: Any = None,
) -> Tensor:
    """``ttnn.all_gather``: the result is complete when it returns, so semaphores have no effect."""
    output = persistent_output_buffer if persistent_output_tensor is None else persistent_output_tensor
    result: Tensor = all_gather(
        input_tensor, dim, cluster_axis, memory_config=memory_config, output_tensor=output
    )
    return result


@public(*_OPTIONS)
def reduce_scatter_minimal_async(
    input_tensor: Tensor,
    persistent_output_buffers: Any = None,
    dim: int = -1,
    multi_device_global_semaphore: Any = None,
    *,
    cluster_axis: int | None = None,
    memory_config: Any = None,
) -> Tensor:
    """``ttnn.reduce_scatter``, into the last of the buffers if there are some; semaphores have no effect."""
    output = persistent_output_buffers[-1] if persistent_output_buffers else None
    result: Tensor = reduce_scatter(
        input_tensor, dim, cluster_axis, memory_config=memory_config, output_tensor=output
    )
    return result


@public(*_OPTIONS)
def all_to_all_async_generic(
    input_tensor: Tensor,
    in_dim: int,
    out_dim: int,
    *,
    persistent_output_buffer: Any = None,
    memory_config: Any = None,
    cluster_axis: int | None = None,
) -> Tensor:
    """Each device cuts its shard along ``in_dim``, and sends the i-th piece to the i-th device.

    Each device joins the pieces that it receives along ``out_dim``.
    """
    name = "experimental.all_to_all_async_generic"
    return _all_to_all(
        name, input_tensor, in_dim, out_dim, cluster_axis, memory_config, persistent_output_buffer
    )


@public(*_OPTIONS)
def all_to_all_async(
    input_tensor: Tensor,
    persistent_intermediate_buffer: Any,
    persistent_output_buffer: Any,
    in_dim: int,
    out_dim: int,
    multi_device_global_semaphore: Any = None,
    *,
    memory_config: Any = None,
) -> Tensor:
    """From shards along ``in_dim`` to shards along ``out_dim``, of all devices, into the output given."""
    name = "experimental.all_to_all_async"
    return _all_to_all(name, input_tensor, out_dim, in_dim, None, memory_config, persistent_output_buffer)


def _all_to_all(
    function: str, tensor: Any, cut: Any, join: Any, cluster_axis: Any, memory_config: Any, output: Any
) -> Tensor:
    shards, whole = _shards(tensor, function)
    cut, join = (dimension(dim, len(whole.shape), function) for dim in (cut, join))

    def exchange(parts: list[Array]) -> list[Array]:
        pieces = [_cut(part, len(parts), cut, function) for part in parts]
        return [np.concatenate([piece[number] for piece in pieces], join) for number in range(len(parts))]

    return _exchange(function, whole, shards, cluster_axis, exchange, memory_config, output)


@public()
def get_usable_topology(tensor: Tensor, topology: Any = None, cluster_axis: int | None = None) -> Topology:
    """The topology that the devices of a tensor have along an axis: a ring only where its ends are neighbours.

    Without ``topology`` that of the fabric is meant (``ttnn.set_fabric_config``).
    """
    _, whole = _shards(tensor, "get_usable_topology")
    if topology is not None and not isinstance(topology, Topology):
        fail(
            Code.WRONG_KIND,
            f"ttnn.get_usable_topology: a topology is a ttnn.Topology, not {describe(topology)}",
        )
    asked = _OF_FABRIC.get(get_fabric_config(), Topology.Linear) if topology is None else topology
    if asked not in _OPENED:
        return asked
    system, chips = _mesh(whole)._links()
    closed = all(
        len(group) > 2 and chips[group[0]] in system.neighbours(chips[group[-1]])
        for group in _groups(whole._device, cluster_axis, "get_usable_topology")
    )
    return asked if closed else _OPENED[asked]


_OF_FABRIC = {
    FabricConfig.FABRIC_1D_RING: Topology.Ring,
    FabricConfig.FABRIC_2D: Topology.Mesh,
    FabricConfig.FABRIC_2D_TORUS_X: Topology.Torus,
    FabricConfig.FABRIC_2D_TORUS_Y: Topology.Torus,
    FabricConfig.FABRIC_2D_TORUS_XY: Topology.Torus,
}
# The topology of devices whose ends are not joined.
_OPENED = {Topology.Ring: Topology.Linear, Topology.Torus: Topology.Mesh}


def _mesh(tensor: Tensor) -> Device:
    assert tensor._device is not None
    return tensor._device


def _cut(part: Array, count: int, axis: int, function: str) -> list[Array]:
    if part.shape[axis] % count:
        fail(
            Code.MESH, f"ttnn.{function}: dimension {axis} of shape {part.shape} for {count} devices",
            help=f"make its extent, now {part.shape[axis]}, a multiple of {count}",
        )  # fmt: skip
    return list(np.split(part, count, axis))


def _groups(device: Device | None, cluster_axis: Any, function: str) -> Iterator[list[int]]:
    """The devices that exchange among themselves, by their position in the mesh."""
    assert device is not None
    numbers = np.arange(device.get_num_devices()).reshape(device.shape)
    if cluster_axis is None:
        yield numbers.reshape(-1).tolist()
        return
    along = dimension(cluster_axis, numbers.ndim, function)
    yield from np.moveaxis(numbers, along, -1).reshape(-1, numbers.shape[along]).tolist()


def _copies(parts: Sequence[Tensor], whole: Tensor, memory_config: Any) -> Tensor:
    """A tensor whose shards have the values of ``parts``."""
    device = whole._device
    return Tensor._of_shards(tuple(again(part, device, memory_config) for part in parts), device)


def _shards(tensor: Any, function: str) -> tuple[tuple[Tensor, ...], Tensor]:
    whole = tensor_of(tensor, function)
    if whole.shards is None or not isinstance(whole._device, MeshDevice):
        fail(
            Code.MESH,
            f"ttnn.{function} of a tensor that is not on a mesh of devices",
            help="make it with ttnn.from_torch(..., device=mesh_device, mesh_mapper=...)",
        )
    return whole.shards, whole


_COMBINED = {
    ReduceType.Sum: np.sum, ReduceType.Mean: np.mean, ReduceType.Max: np.max, ReduceType.Min: np.min, ReduceType.Prod: np.prod,
}  # fmt: skip


def _combine(math_op: Any, function: str) -> Callable[[list[Array]], Array]:
    if not isinstance(math_op, ReduceType):
        fail(Code.WRONG_KIND, f"ttnn.{function}: math_op is a ttnn.ReduceType, not {describe(math_op)}")
    combined: Any = _COMBINED[math_op]
    return lambda parts: combined(parts, axis=0)


def _exchange(
    function: str,
    tensor: Tensor,
    shards: Sequence[Tensor],
    cluster_axis: Any,
    exchange: Callable[[list[Array]], list[Array]],
    memory_config: Any,
    output: Any,
) -> Tensor:
    device = tensor._device
    assert device is not None
    outputs = None if output is None else tensor_of(output, function, "output").shards
    results: list[Any] = [None] * len(shards)
    for group in _groups(device, cluster_axis, function):
        parts = [engine.in_numpy(shards[number]) for number in group]
        for number, values in zip(group, exchange(parts), strict=True):
            into = None if outputs is None else outputs[number]
            results[number] = engine.finish(
                values, shards[number], function, memory_config=memory_config, output=into
            )
    return output if output is not None else Tensor._of_shards(tuple(results), device)
