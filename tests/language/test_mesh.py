"""Specification, "Grid": SPMD on a mesh, grids of three and four dimensions, sharded tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.failing import fails
from support.tensors import TILE, blank, numbers, tiled, values


def mesh_tensor(array: Any, mesh: Any, mapper: Any) -> ttnn.Tensor:
    return ttnn.from_numpy(
        np.asarray(array, np.float32), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=mapper
    )


@ttl.operation(grid=(2, 1))
def double_tiles(a: Any, out: Any) -> None:
    """Each node doubles one row of tiles."""
    me = ttl.node(dims=1)
    columns = a.shape[1] // TILE
    in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, columns))
    out_dfb = ttl.make_dataflow_buffer_like(out, shape=(1, columns))

    @ttl.datamovement()
    def read() -> None:
        with in_dfb.reserve() as blk:
            ttl.copy(a[me, :], blk).wait()

    @ttl.compute()
    def compute() -> None:
        with in_dfb.wait() as in_blk, out_dfb.reserve() as out_blk:
            out_blk.store(in_blk * 2)

    @ttl.datamovement()
    def write() -> None:
        with out_dfb.wait() as blk:
            ttl.copy(blk, out[me, :]).wait()


@pytest.mark.parametrize(("rows", "columns"), [(1, 2), (2, 2), (2, 4)])
def test_a_2d_grid_on_a_mesh_runs_once_per_device_on_its_shard(rows: int, columns: int) -> None:
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(rows, columns))
    devices = rows * columns
    a = numbers(64 * devices, 64)
    mapper = ttnn.ShardTensorToMesh(mesh, dim=0)
    tensor, out = mesh_tensor(a, mesh, mapper), mesh_tensor(np.zeros_like(a), mesh, mapper)
    double_tiles(tensor, out)
    found = ttnn.to_numpy(out, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0))
    assert np.array_equal(found, 2 * a)
    ttnn.close_mesh_device(mesh)


def test_spmd_launches_see_a_grid_of_two_dimensions() -> None:
    seen: list[Any] = []

    @ttl.operation(grid=(2, 1))
    def op(a: Any) -> None:
        seen.append((ttl.grid_size(dims=3), ttl.node(dims=2), a.shape))

        @ttl.compute()
        def kernel() -> None:
            pass

    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 3))
    op(mesh_tensor(numbers(96, 32), mesh, ttnn.ShardTensorToMesh(mesh, dim=0)))
    assert seen == [((2, 1, 1), (0, 0), (32, 32)), ((2, 1, 1), (1, 0), (32, 32))] * 3


def test_data_parallel_then_all_reduce_on_the_host() -> None:
    """K-split: every device has a part of K, and the host adds the partial products."""
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 4))
    a, b = numbers(32, 128), numbers(128, 32, seed=1)

    @ttl.operation(grid=(1, 1))
    def partial(a: Any, b: Any, y: Any) -> None:
        dfbs = [ttl.make_dataflow_buffer_like(t, shape=(1, 1)) for t in (a, b, y)]

        @ttl.datamovement()
        def read() -> None:
            for tensor, dfb in zip((a, b), dfbs, strict=False):
                with dfb.reserve() as blk:
                    ttl.copy(tensor[0, 0], blk).wait()

        @ttl.compute()
        def compute() -> None:
            with dfbs[0].wait() as a_blk, dfbs[1].wait() as b_blk, dfbs[2].reserve() as y_blk:
                y_blk.store(a_blk @ b_blk)

        @ttl.datamovement()
        def write() -> None:
            with dfbs[2].wait() as blk:
                ttl.copy(blk, y[0, 0]).wait()

    def spread(array: Any, dim: int | None) -> ttnn.Tensor:
        mapper = ttnn.ReplicateTensorToMesh(mesh) if dim is None else ttnn.ShardTensorToMesh(mesh, dim=dim)
        return ttnn.from_numpy(array, ttnn.float32, layout=ttnn.TILE_LAYOUT, device=mesh, mesh_mapper=mapper)

    y = spread(np.zeros((32, 32), np.float32), None)
    partial(spread(a, 1), spread(b, 0), y)
    whole = ttnn.all_reduce(y)
    for shard in ttnn.get_device_tensors(whole):
        assert np.array_equal(values(shard), a @ b)


def test_a_grid_of_four_dimensions_gives_each_node_its_devices_shard() -> None:
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(2, 2))

    @ttl.operation(grid=(2, 2, 1, 2))
    def op(a: Any, out: Any) -> None:
        _, _, _, y = ttl.node(dims=4)
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as blk:
                ttl.copy(a[0, y], blk).wait()
                ttl.copy(blk, out[0, 1 - y]).wait()

    a = numbers(64, 128)
    mapper = ttnn.ShardTensor2dMesh(mesh, mesh_shape=(2, 2), dims=(0, 1))
    tensor, out = mesh_tensor(a, mesh, mapper), mesh_tensor(np.zeros_like(a), mesh, mapper)
    op(tensor, out)
    found = ttnn.to_numpy(out, mesh_composer=ttnn.ConcatMesh2dToTensor(mesh, mesh_shape=(2, 2), dims=(0, 1)))
    tiles = a.reshape(64, 2, 2, TILE)
    assert np.array_equal(found, tiles[:, :, ::-1].reshape(64, 128))


def test_pipes_and_semaphores_reach_across_devices_in_a_grid_that_spans_the_mesh() -> None:
    """One program over two devices: the node of one sends to the node of the other."""
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 2))

    @ttl.operation(grid=(2, 1, 1))
    def op(a: Any, out: Any) -> None:
        device, _, _ = ttl.node(dims=3)
        net = ttl.PipeNet([ttl.Pipe(src=(d, 0, 0), dst=(1 - d, 0, 0)) for d in range(2)])
        done = ttl.Semaphore()
        mine_dfb, theirs_dfb = (ttl.make_dataflow_buffer_like(a, shape=(1, 1)) for _ in range(2))

        @ttl.datamovement()
        def move() -> None:
            with mine_dfb.reserve() as mine, theirs_dfb.reserve() as theirs:
                ttl.copy(a[0, 0], mine).wait()
                net.if_src(lambda pipe: ttl.copy(mine, pipe).wait())
                net.if_dst(lambda pipe: ttl.copy(pipe, theirs).wait())
                ttl.copy(theirs, out[0, 0]).wait()
            done.get_remote((1 - device, 0, 0)).inc(1)
            done.wait_eq(1)

    a = numbers(64, 32)
    mapper = ttnn.ShardTensorToMesh(mesh, dim=0)
    tensor, out = mesh_tensor(a, mesh, mapper), mesh_tensor(np.zeros_like(a), mesh, mapper)
    op(tensor, out)
    found = ttnn.to_numpy(out, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0))
    assert np.array_equal(found, np.concatenate([a[32:], a[:32]]))


def test_arguments_on_different_meshes() -> None:
    small, large = (ttnn.open_mesh_device(ttnn.MeshShape(1, n)) for n in (2, 4))
    with fails("TTL0222"):
        double_tiles(
            mesh_tensor(numbers(128, 64), small, ttnn.ShardTensorToMesh(small, dim=0)),
            mesh_tensor(numbers(256, 64), large, ttnn.ShardTensorToMesh(large, dim=0)),
        )


@pytest.mark.parametrize("strategy", ["HEIGHT", "WIDTH", "BLOCK"])
def test_sharded_tensors_are_read_and_written_like_any_other(strategy: str) -> None:
    config = ttnn.create_sharded_memory_config(
        shape=(64, 64),
        core_grid=ttnn.CoreGrid(y=1 if strategy == "WIDTH" else 2, x=1 if strategy == "HEIGHT" else 2)
        if strategy == "BLOCK"
        else ttnn.CoreGrid(y=2, x=1),
        strategy=getattr(ttnn.ShardStrategy, strategy),
    )
    a = numbers(64, 64)
    device = ttnn.open_device(device_id=0)
    tensor = ttnn.to_memory_config(tiled(a, device=device), config)
    assert tensor.is_sharded()
    out = ttnn.to_memory_config(tiled(np.zeros_like(a), device=device), config)
    double_tiles(tensor, out)
    assert np.array_equal(values(out), 2 * a)
    plain = tiled(np.zeros_like(a), device=device)
    double_tiles(tensor, plain)
    assert np.array_equal(values(plain), 2 * a)


def test_a_captured_tensor_is_taken_from_the_device_of_the_launch() -> None:
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 2))
    mapper = ttnn.ShardTensorToMesh(mesh, dim=0)
    a = numbers(64, 32)
    captured = mesh_tensor(a, mesh, mapper)

    @ttl.operation(grid=(1, 1))
    def once_per_device(out: Any) -> None:
        copy_first_tile(captured, out)

    @ttl.operation(grid=(2, 1, 1))
    def on_the_whole_mesh(out: Any) -> None:
        copy_first_tile(captured, out)

    for op in (once_per_device, on_the_whole_mesh):
        out = mesh_tensor(np.zeros_like(a), mesh, mapper)
        op(out)
        assert np.array_equal(ttnn.to_numpy(out, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0)), a)

    with fails("TTL0232"):
        once_per_device(blank((32, 32)))


def copy_first_tile(source: Any, target: Any) -> None:
    dfb = ttl.make_dataflow_buffer_like(source, shape=(1, 1))

    @ttl.datamovement()
    def move() -> None:
        with dfb.reserve() as blk:
            ttl.copy(source[0, 0], blk).wait()
            ttl.copy(blk, target[0, 0]).wait()
