"""Programs over several chips: what arrives where over a net, and what a graph says that should arrive."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import ttnn

import ttl
from support.tensors import TILE

Sent = set[tuple[int, tuple[int, int], int, tuple[int, int]]]
"""Source chip and node, destination chip and node."""


def mesh_tensor(values: npt.NDArray[np.float32], chips: int) -> ttnn.Tensor:
    """A tensor cut into one shard for each chip, by rows."""
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, chips))
    return ttnn.from_numpy(
        values,
        ttnn.float32,
        layout=ttnn.TILE_LAYOUT,
        device=mesh,
        mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0),
    )


def whole(tensor: ttnn.Tensor) -> npt.NDArray[np.float32]:
    """The shards of a tensor, one below the other."""
    shards = [np.asarray(ttnn.to_numpy(shard)) for shard in ttnn.get_device_tensors(tensor)]
    return np.concatenate(shards)


def value_of(chip: int, node: tuple[int, int]) -> int:
    """What the node has to send: no other node has it."""
    return 1 + chip * 100 + node[0] * 10 + node[1]


def _numbers(chips: int, grid: tuple[int, int]) -> npt.NDArray[np.float32]:
    """``value_of`` for every node of every chip."""
    chip, x, y = np.indices((chips, *grid), np.float32)
    return 1 + chip * 100 + x * 10 + y


def _tiles_of_nodes(chips: int, grid: tuple[int, int]) -> ttnn.Tensor:
    """A tile of its number for every node."""
    numbers = _numbers(chips, grid).reshape(-1, grid[1])
    return mesh_tensor(numbers.repeat(TILE, 0).repeat(TILE, 1), chips)


def exchanged(net: ttl.PipeNet[Any], chips: int, grid: tuple[int, int]) -> Sent:
    """Every node sends its number on all pipes that it is the source of; who got what from whom."""

    @ttl.operation(grid=grid)
    def exchange(a: Any, out: Any) -> None:
        x, y = ttl.node()
        mine = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        theirs = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def send() -> None:
            with mine.reserve() as blk:
                ttl.copy(a[x, y], blk).wait()
                net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())

        @ttl.datamovement()
        def receive() -> None:
            if net.is_dst():
                with theirs.reserve() as blk:

                    def take(pipe: Any) -> None:
                        ttl.copy(pipe, blk).wait()
                        sx, sy = pipe.src
                        place = (pipe.source_device_index * grid[0] + sx) * grid[1] + sy
                        ttl.copy(blk, out[x * grid[1] + y, place]).wait()

                    net.if_dst(take)

    nodes = grid[0] * grid[1]
    a = _tiles_of_nodes(chips, grid)
    out = mesh_tensor(np.zeros((chips * nodes * TILE, chips * nodes * TILE), np.float32), chips)
    exchange(a, out)
    got = whole(out)[::TILE, ::TILE]
    result: Sent = set()
    for row, column in zip(*np.nonzero(got), strict=True):
        source, destination = ((int(at) // nodes, divmod(int(at) % nodes, grid[1])) for at in (column, row))
        assert got[row, column] == value_of(*source)
        result.add((*source, *destination))
    return result


def every_node(edges: Iterable[tuple[int, int]], grid: tuple[int, int]) -> Sent:
    """What goes over edges between equal nodes."""
    return {
        (source, (x, y), destination, (x, y)) for source, destination in edges for x, y in np.ndindex(grid)
    }


def exchanged_over(kind: str, chips: int, *options: Any) -> Sent:
    """What goes over one kind of graph, by its name: for another process."""
    graph = getattr(ttl.TransferGraph, kind)(ttl.DeviceDomain(chips), *options)
    return exchanged(ttl.PipeNet(graph=graph), chips, (2, 2))


def gathered(chips: int, grid: tuple[int, int], *, domain: bool) -> npt.NDArray[np.float32]:
    """Every node's sum of its number and of those of the same node on the two chips before, around a ring."""
    turns = 2
    if domain:
        net = ttl.PipeNet(graph=ttl.TransferGraph.axis_neighbor(ttl.DeviceDomain(chips), wrap=True))
    else:
        net = ttl.PipeNet(
            [
                ttl.Pipe(src=(0, chip, x, y), dst=(0, (chip + 1) % chips, x, y))
                for chip, x, y in np.ndindex(chips, *grid)
            ]
        )

    @ttl.operation(grid=grid if domain else (1, chips, *grid))
    def gather(a: Any, out: Any) -> None:
        x, y = ttl.node() if domain else ttl.node(dims=4)[2:]
        mine = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        theirs = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        result = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            with mine.reserve() as blk:
                ttl.copy(a[x, y], blk).wait()
                net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
            for turn in range(turns):
                with theirs.reserve() as blk:
                    net.if_dst(lambda pipe, to=blk: ttl.copy(pipe, to).wait())
                    if turn < turns - 1:
                        net.if_src(lambda pipe, of=blk: ttl.copy(of, pipe).wait())

        @ttl.compute()
        def add() -> None:
            with mine.wait() as own, result.reserve() as blk:
                total = own + 0
                for _ in range(turns):
                    with theirs.wait() as other:
                        total = total + other
                blk.store(total)

        @ttl.datamovement()
        def write() -> None:
            with result.wait() as blk:
                ttl.copy(blk, out[x, y]).wait()

    a = _tiles_of_nodes(chips, grid)
    out = mesh_tensor(np.zeros((chips * grid[0] * TILE, grid[1] * TILE), np.float32), chips)
    gather(a, out)
    return whole(out)[::TILE, ::TILE].reshape(chips, *grid)


def sums_around(chips: int, grid: tuple[int, int]) -> npt.NDArray[np.float32]:
    """What ``gathered`` has to give."""
    own = _numbers(chips, grid)
    return own + np.roll(own, 1, axis=0) + np.roll(own, 2, axis=0)
