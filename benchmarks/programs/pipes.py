"""Tiles passed over pipes, several patterns: what pipes cost as their number grows.

    ring       node n sends to node n + 1, the last to the first; as many pipes as nodes
    gather     every node sends to the first; one pipe less than nodes
    pairs      every node sends to every other; n (n - 1) pipes
    multicast  the first node of a row sends to the others; as many pipes as rows

Every sender sends its tile of ``x``; what node n receives is added up in tile n of ``y``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
import ttl

sys.path.insert(0, str(Path(__file__).parent))  # not every package runs a file with its folder on the path

from launching import Program, launched, main, opened, random

Node = tuple[int, int]
Arrow = tuple[Node, tuple[int | slice, int | slice]]


def arrows(pattern: str, grid: tuple[int, int]) -> list[Arrow]:
    """Source and destination of every pipe."""
    nodes = [(x, y) for x in range(grid[0]) for y in range(grid[1])]
    match pattern:
        case "ring":
            return list(zip(nodes, nodes[1:] + nodes[:1]))
        case "gather":
            return [(node, nodes[0]) for node in nodes[1:]]
        case "pairs":
            return [(source, target) for source in nodes for target in nodes if source != target]
        case "multicast":
            return [((0, y), (slice(1, grid[0]), y)) for y in range(grid[1])]
        case _:
            raise ValueError(pattern)


def senders(pattern: str, grid: tuple[int, int]) -> dict[Node, list[Node]]:
    """Of every node that receives, whom from."""
    found: dict[Node, list[Node]] = {}
    for source, (x, y) in arrows(pattern, grid):
        for column in range(grid[0])[x] if isinstance(x, slice) else [x]:
            for row in range(grid[1])[y] if isinstance(y, slice) else [y]:
                found.setdefault((column, row), []).append(source)
    return found


def operation(grid: tuple[int, int], pattern: str, made: str, rounds: int) -> Any:
    """The operation. The net is ``made`` in the "body" of the operation, which runs once per node, or "once"."""
    pipes = arrows(pattern, grid)
    received = {node: len(sources) for node, sources in senders(pattern, grid).items()}
    sending = {source for source, _ in pipes}
    made_once = ttl.PipeNet([ttl.Pipe(src=src, dst=dst) for src, dst in pipes]) if made == "once" else None

    @ttl.operation(grid=grid)
    def pass_on(x: Any, y: Any) -> None:
        col, row = ttl.node(dims=2)
        is_sender = (col, row) in sending
        count = received.get((col, row), 0)
        if made_once is None:
            net = ttl.PipeNet([ttl.Pipe(src=src, dst=dst) for src, dst in pipes])
        else:
            net = made_once

        out_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=2)
        in_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=2)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=2)

        @ttl.datamovement()
        def read_and_send() -> None:
            if is_sender:
                for _ in range(rounds):
                    with out_dfb.reserve() as x_blk:
                        x_xf = ttl.copy(x[row, col], x_blk)
                        x_xf.wait()
                    with out_dfb.wait() as out_blk:

                        def send(pipe: Any) -> None:
                            xf = ttl.copy(out_blk, pipe)
                            xf.wait()

                        net.if_src(send)

        @ttl.compute()
        def compute() -> None:
            with y_dfb.reserve() as y_blk:
                total = ttl.block.fill(0, shape=(1, 1))
                for _ in range(rounds * count):
                    with in_dfb.wait() as in_blk:
                        total += in_blk
                y_blk.store(total)

        @ttl.datamovement()
        def receive_and_write() -> None:
            for _ in range(rounds):

                def receive(pipe: Any) -> None:
                    with in_dfb.reserve() as in_blk:
                        xf = ttl.copy(pipe, in_blk)
                        xf.wait()

                net.if_dst(receive)
            with y_dfb.wait() as y_blk:
                y_xf = ttl.copy(y_blk, y[row, col])
                y_xf.wait()

    return pass_on


def prepare(
    pattern: str = "ring", grid: tuple[int, int] = (4, 2), made: str = "body", rounds: int = 1
) -> Program:
    """One tile per node, sent ``rounds`` times."""
    shape = (32 * grid[1], 32 * grid[0])
    found = senders(pattern, grid)

    def in_torch(x: torch.Tensor) -> torch.Tensor:
        tiles = x.reshape(grid[1], 32, grid[0], 32)
        y = torch.zeros_like(tiles)
        for (col, row), sources in found.items():
            for x_of, y_of in sources:
                y[row, :, col, :] += rounds * tiles[y_of, :, x_of, :]
        return y.reshape(shape)

    return launched(
        opened(),
        operation(grid, pattern, made, rounds),
        (random(*shape, seed=0),),
        shape,
        in_torch=in_torch,
    )


if __name__ == "__main__":
    main(prepare)
