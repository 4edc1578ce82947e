"""Devices, cores, memory configurations."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from ttl.diag import ProgramError
from ttl.host import api as ttnn
from ttl.settings import override

CC, CR = ttnn.CoreCoord, ttnn.CoreRange


def code_of(program: Any) -> str:
    with pytest.raises(ProgramError) as caught:
        program()
    return caught.value.code


def test_device() -> None:
    device = ttnn.open_device(device_id=1, l1_small_size=16384, num_command_queues=2)
    size = device.compute_with_storage_grid_size()
    assert (size.x, size.y) == tuple(size)
    assert device.core_grid == ttnn.CoreGrid(x=size.x, y=size.y)
    assert device.id() == 1 and device.is_open() and device.get_num_devices() == 1
    assert str(device.arch()) == ttnn.get_arch_name()
    assert ttnn.device.is_wormhole_b0(device) != ttnn.device.is_blackhole(device)
    ttnn.synchronize_device(device)
    ttnn.close_device(device)
    assert not device.is_open()


def test_managed_device_is_closed_at_the_end() -> None:
    with ttnn.manage_device(device_id=0) as device:
        assert device.is_open()
    assert not device.is_open()


@pytest.mark.parametrize("wrong", [-1, 99, "0", None])
def test_device_that_does_not_exist(wrong: Any) -> None:
    assert code_of(lambda: ttnn.open_device(device_id=wrong)) == "TTL1011"


def test_core_ranges() -> None:
    block = CR(CC(1, 2), CC(3, 3))
    assert block.grid_size() == CC(3, 2) and block.size() == 6
    assert list(block.cores())[:4] == [(1, 2), (2, 2), (3, 2), (1, 3)]
    assert block.contains(CC(3, 3)) and not block.contains(CC(0, 2)) and block.contains(CR((1, 2), (2, 2)))
    both = ttnn.CoreRangeSet([block, CR((5, 5), (5, 6))])
    assert both.num_cores() == 8 and both.size() == 2 and both.ranges()[0] == block
    assert both.bounding_box() == CR((1, 2), (5, 6))
    assert both.contains(CC(5, 6)) and not both.contains(CC(4, 4))
    assert both == ttnn.CoreRangeSet({block, CR((5, 5), (5, 6))}) or both.num_cores() == 8
    assert ttnn.CoreGrid(y=2, x=3).num_cores == 6


@pytest.mark.parametrize(
    ("count", "row_wise", "cores"),
    [
        (3, True, {(0, 0), (1, 0), (2, 0)}),
        (3, False, {(0, 0), (0, 1), (1, 0)}),
        (8, True, {(x, y) for x in range(4) for y in range(2)}),
        (5, True, {(0, 0), (1, 0), (2, 0), (3, 0), (0, 1)}),
    ],
)
def test_num_cores_to_corerangeset(count: int, row_wise: bool, cores: set[tuple[int, int]]) -> None:
    assert set(ttnn.num_cores_to_corerangeset(count, CC(4, 2), row_wise).cores()) == cores


@pytest.mark.parametrize(
    ("program", "code"),
    [
        (lambda: CR(CC(2, 2), CC(1, 3)), "TTL1021"),
        (lambda: ttnn.CoreRangeSet([CR((0, 0), (1, 1)), CR((1, 1), (2, 2))]), "TTL1021"),
        (lambda: ttnn.CoreRangeSet([(0, 0)]), "TTL1004"),
        (lambda: ttnn.CoreRangeSet([]).bounding_box(), "TTL1021"),
        (lambda: ttnn.CoreGrid(y=0, x=1), "TTL1021"),
        (lambda: CR("a", "b"), "TTL1004"),
        (lambda: ttnn.num_cores_to_corerangeset(9, CC(4, 2)), "TTL1021"),
    ],
)
def test_cores_that_are_none(program: Any, code: str) -> None:
    assert code_of(program) == code


@pytest.mark.parametrize(
    ("strategy", "grid", "orientation", "shard"),
    [
        ("HEIGHT", (4, 2), None, (32, 256)),
        ("WIDTH", (4, 2), None, (256, 32)),
        ("BLOCK", (4, 2), None, (128, 64)),
        ("BLOCK", (4, 2), "COL_MAJOR", (64, 128)),
    ],
)
def test_create_sharded_memory_config(strategy: str, grid: Any, orientation: Any, shard: Any) -> None:
    config = ttnn.create_sharded_memory_config(
        (1, 2, 128, 256),
        ttnn.CoreGrid(x=grid[0], y=grid[1]),
        ttnn.ShardStrategy[strategy],
        None if orientation is None else ttnn.ShardOrientation[orientation],
    )
    assert config.shard_spec.shape == shard
    assert config.memory_layout is ttnn.TensorMemoryLayout[f"{strategy}_SHARDED"]
    assert config.buffer_type is ttnn.BufferType.L1
    tensor = ttnn.to_memory_config(
        ttnn.ones((1, 2, 128, 256), layout=ttnn.TILE_LAYOUT, device=ttnn.open_device()), config
    )
    assert (
        tensor.is_sharded() and tensor.memory_config() == config and tensor.shard_spec.grid.num_cores() == 8
    )
    back = ttnn.sharded_to_interleaved(tensor, ttnn.L1_MEMORY_CONFIG)
    assert back.memory_config() == ttnn.L1_MEMORY_CONFIG


def test_shard_shape_given() -> None:
    config = ttnn.create_sharded_memory_config(
        (64, 64), ttnn.CoreGrid(y=2, x=1), ttnn.ShardStrategy.HEIGHT, use_height_and_width_as_shard_shape=True
    )
    assert config.shard_spec.shape == (64, 64)


def test_sharded_configuration_without_shards_takes_the_whole_grid() -> None:
    device = ttnn.open_device()
    tensor = ttnn.ones(
        (256, 512), layout=ttnn.TILE_LAYOUT, device=device, memory_config=ttnn.L1_BLOCK_SHARDED_MEMORY_CONFIG
    )
    grid = device.compute_with_storage_grid_size()
    assert tensor.shard_spec.grid.bounding_box().end == (grid.x - 1, grid.y - 1)


def test_nd_sharded() -> None:
    spec = ttnn.NdShardSpec((1, 32, 64), ttnn.CoreGrid(y=2, x=2))
    config = ttnn.MemoryConfig(ttnn.BufferType.L1, spec)
    tensor = ttnn.from_torch(
        torch.ones(4, 64, 64), layout=ttnn.TILE_LAYOUT, device=ttnn.open_device(), memory_config=config
    )
    assert tensor.is_sharded() and tensor.memory_config().nd_shard_spec is spec
    assert tensor.memory_config().memory_layout is ttnn.TensorMemoryLayout.ND_SHARDED


def test_derived_tensors_of_another_shape_are_not_sharded() -> None:
    config = ttnn.create_sharded_memory_config((64, 64), ttnn.CoreGrid(y=2, x=1), ttnn.ShardStrategy.HEIGHT)
    tensor = ttnn.ones((64, 64), layout=ttnn.TILE_LAYOUT, device=ttnn.open_device(), memory_config=config)
    assert ttnn.exp(tensor).is_sharded()
    assert not ttnn.sum(tensor, dim=-1).is_sharded()
    assert not ttnn.reshape(tensor, (32, 128)).is_sharded()


def sharded(
    how: str, shard: tuple[int, int], cores: Any, shape: tuple[int, ...] = (128, 128), **options: Any
) -> Any:
    spec = ttnn.ShardSpec(cores, shard)
    config = ttnn.MemoryConfig(ttnn.TensorMemoryLayout[how], ttnn.BufferType.L1, spec)
    return ttnn.ones(shape, device=ttnn.open_device(), memory_config=config, **options)


@pytest.mark.parametrize(
    "program",
    [
        lambda: sharded("HEIGHT_SHARDED", (48, 128), ttnn.CoreGrid(y=4, x=1), layout=ttnn.TILE_LAYOUT),
        lambda: sharded("HEIGHT_SHARDED", (32, 64), ttnn.CoreGrid(y=4, x=1)),
        lambda: sharded("WIDTH_SHARDED", (64, 32), ttnn.CoreGrid(y=4, x=1)),
        lambda: sharded("HEIGHT_SHARDED", (32, 128), ttnn.CoreGrid(y=2, x=1)),
        lambda: sharded("HEIGHT_SHARDED", (32, 128), CR((99, 99), (99, 102))),
        lambda: ttnn.ShardSpec(ttnn.CoreGrid(y=1, x=1), (32,)),
        lambda: ttnn.MemoryConfig(ttnn.TensorMemoryLayout.INTERLEAVED, ttnn.BufferType.L1, ttnn.ShardSpec(CR((0, 0), (0, 0)), (32, 32))),
        lambda: ttnn.create_sharded_memory_config((4,), ttnn.CoreGrid(y=1, x=1), ttnn.ShardStrategy.HEIGHT),
        lambda: ttnn.zeros((4, 32, 32), memory_config=ttnn.MemoryConfig(ttnn.BufferType.L1, ttnn.NdShardSpec((32, 32), CR((0, 0), (0, 0))))),
    ],
)  # fmt: skip
def test_shards_that_do_not_fit(program: Any) -> None:
    assert code_of(program) == "TTL1013"


@pytest.mark.parametrize(
    "program",
    [
        lambda: ttnn.MemoryConfig("DRAM"),
        lambda: ttnn.MemoryConfig(ttnn.TensorMemoryLayout.INTERLEAVED, "L1"),
        lambda: ttnn.to_memory_config(ttnn.ones((2,)), None),
        lambda: ttnn.create_sharded_memory_config((64, 64), (8, 8), ttnn.ShardStrategy.HEIGHT),
        lambda: ttnn.create_sharded_memory_config((64, 64), ttnn.CoreGrid(y=1, x=1), "height"),
    ],
)
def test_configurations_of_the_wrong_kind(program: Any) -> None:
    assert code_of(program) == "TTL1004"


def test_kernel_configurations_are_data() -> None:
    config = ttnn.WormholeComputeKernelConfig(math_fidelity=ttnn.MathFidelity.HiFi4, fp32_dest_acc_en=True)
    assert config.fp32_dest_acc_en and config.packer_l1_acc is None
    a = ttnn.ones((32, 32), layout=ttnn.TILE_LAYOUT)
    program = ttnn.MatmulMultiCoreReuseProgramConfig(
        compute_with_storage_grid_size=(8, 8),
        in0_block_w=1,
        out_subblock_h=1,
        out_subblock_w=1,
        per_core_M=1,
        per_core_N=1,
    )
    result = ttnn.matmul(
        a, a, compute_kernel_config=config, program_config=program, core_grid=ttnn.CoreGrid(y=1, x=1)
    )
    assert ttnn.to_torch(result)[0, 0] == 32
    assert code_of(lambda: ttnn.WormholeComputeKernelConfig(math_fidelty=1)) == "TTL1003"


def test_devices_are_those_of_the_system_that_was_chosen() -> None:
    with override(origin="--system", system="t3000"):
        assert (ttnn.get_num_devices(), ttnn.get_device_ids()) == (8, list(range(8)))
        mesh = ttnn.open_mesh_device()
        assert (list(mesh.shape), mesh.get_device_ids()) == ([2, 4], list(range(8)))
        # A line of all: every device is a neighbour of the next.
        assert ttnn.open_mesh_device(ttnn.MeshShape(1, 8)).get_device_ids() == [0, 1, 2, 3, 7, 6, 5, 4]
        assert ttnn.open_mesh_device(ttnn.MeshShape(4, 2)).get_device_ids() == [0, 4, 1, 5, 2, 6, 3, 7]
        assert ttnn.open_mesh_device(ttnn.MeshShape(2, 2), offset=(0, 2)).get_device_ids() == [2, 3, 6, 7]
        assert ttnn.open_mesh_device(ttnn.MeshShape(1, 2), physical_device_ids=[5, 1]).get_device_ids() == [
            5,
            1,
        ]
    with override(origin="--system", system="n150"):
        assert ttnn.open_device(0).get_num_devices() == 1
        with pytest.raises(ProgramError, match="there is no device 1"):
            ttnn.open_device(1)
    with override(origin="--system", system="blackhole_galaxy"):
        mesh = ttnn.open_mesh_device()
        assert (list(mesh.shape), str(mesh.arch()), mesh.core_grid.x) == ([8, 4], "blackhole", 12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((3, 3),), r"T3000 \(4 x n300\) has no mesh of shape \(3, 3\): it has 8 devices as 2x4"),
        (((1, 9),), r"has no mesh of shape \(1, 9\)"),
        (((2, 2, 2),), r"has no mesh of shape \(2, 2, 2\)"),
        (((2, 2), None, (1, 0)), r"has no mesh of shape \(2, 2\) at \(1, 0\)"),
        (((1, 2), [0, 8]), r"does not have the devices \[0, 8\]"),
        (((1, 2), [3, 3]), r"does not have the devices \[3, 3\]"),
    ],
)
def test_a_mesh_that_the_system_has_not(arguments: tuple[Any, ...], message: str) -> None:
    with override(origin="--system", system="t3000"), pytest.raises(ProgramError, match=message) as raised:
        ttnn.open_mesh_device(*arguments)
    assert raised.value.code == "TTL1011"
    # Without a system, any shape is an ideal mesh.
    assert ttnn.open_mesh_device((3, 3)).get_num_devices() == 9
