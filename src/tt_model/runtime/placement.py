"""Steps that open devices, and that move tensors to them, on them, and back to the host."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING

from tt_model.layouts.enums import DataType
from tt_model.operations.ttnn import TTNNToMemoryConfigOp, TTNNTypecastOp
from tt_model.runtime.distribution import (
    MeshShards,
    Replicate,
    ShardAlong,
    ShardGrid,
    cut,
    strategy_of,
)
from tt_model.runtime.numbers import converted, is_integer, working_dtype
from tt_model.runtime.operands import Fields, Step, computed, device_of, number_of, result_of
from tt_model.runtime.pool import TensorPool
from tt_model.runtime.problems import RuntimeProblem
from tt_model.runtime.sharding import same
from tt_model.runtime.tensors import RuntimeTensor, TensorDescription, config_of

if TYPE_CHECKING:
    import torch

    from tt_model.runtime.devices import SimulatedChip


def get_device(fields: Fields) -> Step:
    """Return the step that defines a device: opened chips, as one row, or as several rows of several chips."""
    number, chips = int(fields["out"].get("global_id", 0)), list(fields.get("chip_ids", []))
    mesh = fields.get("mesh", {"y": 1, "x": len(chips)})
    shape = f"{mesh['y']}x{mesh['x']}"
    if mesh["y"] != 1 and mesh["x"] == 1:
        raise RuntimeProblem(
            f"GetDeviceOp.mesh is {shape}: the runtime opens chips as one row: use 1x{len(chips)}"
        )
    if mesh["y"] * mesh["x"] != len(chips):
        raise RuntimeProblem(
            f"GetDeviceOp.mesh is {shape}, and GetDeviceOp.chip_ids names {len(chips)} chips: {chips}"
        )
    extents = (mesh["y"], mesh["x"])
    return lambda pool: pool.open_mesh(number, chips, extents)


def to_device(fields: Fields) -> Step:
    """Return the step that moves a tensor from the host to the device."""
    source, out, device = number_of(fields, "in"), result_of(fields), device_of(fields)
    config = config_of(fields.get("memcfg")) or out.config

    def run(pool: TensorPool) -> None:
        tensor = pool.read(source)
        if tensor.on_device:
            raise RuntimeProblem(
                f"tensor {source} ({tensor.describe()}) is on the device already", at=pool.at
            )
        mesh = pool.mesh(device)
        values = distributed(tensor, out, mesh)
        pool.put(out, values, tensor.data_type, tensor.tiled, config, mesh)

    return run


def distributed(
    tensor: RuntimeTensor, out: TensorDescription, mesh: tuple[SimulatedChip, ...]
) -> torch.Tensor | MeshShards:
    """Return the shards of a host tensor for the chips, if it is sharded or the binary cuts it; otherwise the whole tensor.

    Raises ``RuntimeProblem`` if the number of shards is not the number of chips, or if the tensor does not divide.
    """
    if tensor.shards is not None:
        if len(tensor.shards.parts) != len(mesh):
            ids = [chip.id for chip in mesh]
            raise RuntimeProblem(
                f"a tensor ({tensor.describe()}) for {len(tensor.shards.parts)} chips is brought to a device of {len(mesh)}, "
                f"the chips {ids}: give as many shards as the binary's GetDeviceOp names chips",
            )
        return tensor.shards
    if not isinstance(out.strategy, ShardAlong | ShardGrid):
        return tensor.values
    values = cut(tensor.values, out.strategy, len(mesh), str(out))
    part = values.parts[0] if isinstance(values, MeshShards) else values
    if tuple(part.shape) != out.shape:
        raise RuntimeProblem(
            f"{out} is {out.strategy} over {len(mesh)} chips, which makes {'x'.join(map(str, part.shape))} on each of "
            f"{tensor.describe()}; the binary says {'x'.join(map(str, out.shape))}",
        )
    return values


def from_device(fields: Fields) -> Step:
    """Return the step that moves a tensor to the host."""
    source, out = number_of(fields, "in"), result_of(fields)

    def run(pool: TensorPool) -> None:
        tensor = pool.read(source)
        if not tensor.on_device:
            raise RuntimeProblem(
                f"Calling ttnn::from_device on a host tensor: tensor {source} ({tensor.describe()})",
                at=pool.at,
            )
        values = tensor.held
        if tensor.shards is not None and tensor.shape != out.shape:
            # The host gets the tensor that the shards make up, if the result in the binary is larger than one of them.
            values = tensor.whole()
            if tuple(values.shape) != out.shape:
                raise RuntimeProblem(
                    f"tensor {source} ({tensor.describe()}) makes {'x'.join(map(str, values.shape))}, and the binary says "
                    f"{'x'.join(map(str, out.shape))}",
                    at=pool.at,
                )
        pool.put(out, values, tensor.data_type, tensor.tiled, None)

    return run


def to_layout(fields: Fields) -> Step:
    """Return the step that converts a tensor to tiles or rows."""
    source, out = number_of(fields, "in"), result_of(fields)
    tiled = fields["layout"] == "Tile"

    def run(pool: TensorPool) -> None:
        tensor = pool.read(source)
        if tensor.on_device and tensor.tiled != tiled and tensor.data_type is not DataType.BFloat16:
            what = "tilized" if tiled else "untilized"
            raise RuntimeProblem(
                f"tensor {source} ({tensor.describe()}) cannot be {what} on the device, which supports only bf16: do it on the "
                "host, before ttnn.to_device or after ttnn.from_device",
                at=pool.at,
            )
        if tensor.tiled == tiled:
            pool.view(out, tensor, tensor.held)
        else:
            pool.put(out, tensor.held, tensor.data_type, tiled, tensor.config, tensor.mesh)

    return run


def to_memory_config(fields: Fields) -> Step:
    """Return the step that moves a tensor to another memory of the chips."""
    source, out = number_of(fields, "in0"), result_of(fields)
    config = config_of(fields.get("memcfg"))

    def run(pool: TensorPool) -> None:
        if config is None:
            raise RuntimeProblem(
                "Should not be converting memory config for host tensor: use ttnn.from_device", at=pool.at
            )
        tensor = pool.operand(source, TTNNToMemoryConfigOp.input)
        pool.put(out, tensor.held, tensor.data_type, tensor.tiled, config, tensor.mesh)

    return run


def typecast(fields: Fields) -> Step:
    """Return the step of a typecast: a table of its own, or an elementwise operation with its result's type."""
    out = result_of(fields)
    if "ins" in fields:
        (given,), wanted = fields["ins"], out.data_type
    else:
        given, wanted = fields["in"], DataType[fields["dtype"]]
    source = int(given["global_id"])

    def run(pool: TensorPool) -> None:
        tensor = pool.operand(source, TTNNTypecastOp.input)
        values = computed(pool, lambda given: converted(given, wanted), same, tensor)
        pool.put(out, values, wanted, tensor.tiled, tensor.config, tensor.mesh)

    return run


def empty(fields: Fields) -> Step:
    """Return the step that makes a tensor of zeros."""
    out, device = _as_stated(fields), device_of(fields)
    shape, data_type = tuple(fields["shape"]), DataType[fields["dtype"]]
    config = config_of(fields.get("memcfg")) if device is not None else None
    tiled = fields["layout"] == "Tile"
    shards = _shard_count(fields)
    if shape != out.shape:
        raise RuntimeProblem(
            f"EmptyOp.shape is {list(shape)}, and TensorDesc.shape of {out} is {list(out.shape)}"
        )

    def run(pool: TensorPool) -> None:
        import torch

        # A single zero, repeated: no operation writes to it, since a result with this destination is another tensor.
        values = computed(pool, lambda: torch.zeros((), dtype=working_dtype(data_type)).expand(shape), same)
        mesh = pool.mesh(device) if config is not None else ()
        pool.put(out, _for_each(pool, values, shards, out, mesh), data_type, tiled, config, mesh)

    return run


def full(fields: Fields) -> Step:
    """Return the step that makes a tensor of one number."""
    out, device, value = _as_stated(fields), device_of(fields), float(fields.get("fill_value", 0.0))
    shards = _shard_count(fields)

    def run(pool: TensorPool) -> None:
        import torch

        # A negative whole number stands for the number with the same bits.
        whole = is_integer(out.data_type) and isfinite(value)
        number, dtype = (int(value), torch.int64) if whole else (value, torch.float32)
        values = computed(pool, lambda: torch.full(out.shape, number, dtype=dtype), same)
        mesh = pool.mesh(device) if out.config is not None else ()
        pool.put(out, _for_each(pool, values, shards, out, mesh), out.data_type, True, out.config, mesh)

    return run


def _as_stated(fields: Fields) -> TensorDescription:
    """The description of the result, with the operation's own strategy if it states one."""
    out = result_of(fields)
    own = strategy_of(fields.get("strategy"))
    return out if own is None else replace(out, strategy=own)


def _shard_count(fields: Fields) -> int:
    return int(fields.get("num_shards", 1)) or 1


def _for_each(
    pool: TensorPool,
    values: torch.Tensor | MeshShards,
    shards: int,
    out: TensorDescription,
    mesh: tuple[SimulatedChip, ...],
) -> torch.Tensor | MeshShards:
    """The new values for each chip of a mesh. Raises ``RuntimeProblem`` if there are not as many shards as chips."""
    if shards == 1 or isinstance(values, MeshShards):
        return values
    if mesh and shards != len(mesh):
        raise RuntimeProblem(f"num_shards is {shards}, and {out} is put on {len(mesh)} chips", at=pool.at)
    alike = out.strategy is None or isinstance(out.strategy, Replicate)
    return values if alike else MeshShards((values,) * shards, out.strategy)


def deallocate(fields: Fields) -> Step:
    """Return the step that frees a tensor."""
    source, force = number_of(fields, "in"), bool(fields.get("force", False))
    return lambda pool: pool.deallocate(source, force)
