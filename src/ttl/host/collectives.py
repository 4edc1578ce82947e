"""Exchange between the devices of a mesh: ``all_gather``, ``all_reduce``, ``reduce_scatter``.

Without ``cluster_axis`` all devices take part, row by row of the mesh; with it, those along that dimension
of the mesh (0: a column of devices, 1: a row) among themselves. Sums are taken in float32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

import numpy as np

from ttl.host import engine
from ttl.host.arguments import tensor_of
from ttl.host.calling import public
from ttl.host.device import MeshDevice
from ttl.host.errors import Code, describe, fail
from ttl.host.shape import dimension
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import Array
from ttl.source.public_names import known_as

__all__ = ("ReduceType", "Topology", "all_gather", "all_reduce", "reduce_scatter")

_OPTIONS = (
    "num_links", "topology", "mesh_device", "subdevice_id", "multi_device_global_semaphore", "num_workers_per_link",
    "barrier_semaphore", "chunks_per_sync", "num_buffers_per_channel", "num_workers",
)  # fmt: skip


@known_as("ReduceType")
class HostReduceType(StrEnum):
    """How ``all_reduce`` and ``reduce_scatter`` combine values."""

    Sum = "Sum"
    Max = "Max"
    Min = "Min"


ReduceType = HostReduceType


class Topology(StrEnum):
    """How devices are linked. It has no effect on results."""

    Ring = "Ring"
    Linear = "Linear"
    Mesh = "Mesh"
    Torus = "Torus"


@public(*_OPTIONS)
def all_gather(
    tensor: Tensor,
    dim: int,
    cluster_axis: int | None = None,
    *,
    memory_config: Any = None,
    output_tensor: Any = None,
) -> Tensor:
    """Every device gets the shards of all, put together along ``dim``."""
    shards, whole = _shards(tensor, "all_gather")
    axis = dimension(dim, len(whole.shape), "all_gather")

    def gather(parts: list[Array]) -> list[Array]:
        return [np.concatenate(parts, axis)] * len(parts)

    return _exchange("all_gather", whole, shards, cluster_axis, gather, memory_config, output_tensor)


@public(*_OPTIONS)
def all_reduce(
    tensor: Tensor,
    cluster_axis: int | None = None,
    *,
    math_op: ReduceType = ReduceType.Sum,
    memory_config: Any = None,
    output_tensor: Any = None,
) -> Tensor:
    """Every device gets the sum (maximum, minimum) of the shards of all."""
    shards, whole = _shards(tensor, "all_reduce")
    combine = _combine(math_op, "all_reduce")

    def reduce(parts: list[Array]) -> list[Array]:
        return [combine(parts)] * len(parts)

    return _exchange("all_reduce", whole, shards, cluster_axis, reduce, memory_config, output_tensor)


@public(*_OPTIONS)
def reduce_scatter(
    tensor: Tensor,
    dim: int,
    cluster_axis: int | None = None,
    *,
    math_op: ReduceType = ReduceType.Sum,
    memory_config: Any = None,
    output_tensor: Any = None,
) -> Tensor:
    """The sum (maximum, minimum) of the shards of all, cut along ``dim``: each device gets its piece."""
    shards, whole = _shards(tensor, "reduce_scatter")
    axis = dimension(dim, len(whole.shape), "reduce_scatter")
    combine = _combine(math_op, "reduce_scatter")

    def scatter(parts: list[Array]) -> list[Array]:
        if whole.shape[axis] % len(parts):
            fail(
                Code.MESH,
                f"ttnn.reduce_scatter: dimension {axis} of shape {tuple(whole.shape)} for {len(parts)} devices",
            )
        return np.split(combine(parts), len(parts), axis)

    return _exchange("reduce_scatter", whole, shards, cluster_axis, scatter, memory_config, output_tensor)


def _shards(tensor: Any, function: str) -> tuple[tuple[Tensor, ...], Tensor]:
    whole = tensor_of(tensor, function)
    if whole.shards is None or not isinstance(whole._device, MeshDevice):
        fail(
            Code.MESH,
            f"ttnn.{function} of a tensor that is on no mesh of devices",
            help="make it with ttnn.from_torch(..., device=mesh_device, mesh_mapper=...)",
        )
    return whole.shards, whole


_COMBINED = {ReduceType.Sum: np.sum, ReduceType.Max: np.max, ReduceType.Min: np.min}


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
    numbers = np.arange(len(shards)).reshape(device.shape)
    if cluster_axis is None:
        groups = numbers.reshape(1, -1)
    else:
        along = dimension(cluster_axis, numbers.ndim, function)
        groups = np.moveaxis(numbers, along, -1).reshape(-1, numbers.shape[along])
    outputs = None if output is None else tensor_of(output, function, "output").shards
    results: list[Any] = [None] * len(shards)
    for group in groups:
        parts = [engine.in_numpy(shards[number]) for number in group]
        for number, values in zip(group, exchange(parts), strict=True):
            into = None if outputs is None else outputs[number]
            results[number] = engine.finish(
                values, shards[number], function, memory_config=memory_config, output=into
            )
    return output if output is not None else Tensor._of_shards(tuple(results), device)
