"""What growth is measured of: programs of growing grid, blocks, tensors, pipes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Grid = tuple[int, int]

# 1 to 130 nodes. Those beyond 8x8 are Blackhole's; so is every launch here, for the points to compare.
GRIDS: tuple[Grid, ...] = (
    (1, 1),
    (2, 1),
    (2, 2),
    (4, 2),
    (4, 4),
    (6, 4),
    (8, 4),
    (8, 6),
    (8, 8),
    (12, 8),
    (13, 10),
)
ARCH = "blackhole"


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """``events`` is what time is held against; ``parameters`` are those of the program's ``prepare``."""

    events: int
    parameters: dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Curve:
    """A program at growing size. ``sentence`` is what the documentation says of it; it holds ``{slope}``."""

    name: str
    title: str
    events: str
    program: str
    points: tuple[Point, ...]
    sentence: str


def curves(*, quick: bool) -> list[Curve]:
    """All of them. ``quick``: the smallest sizes only, which say nothing about growth."""
    found = [*_grids(), *_sizes(), *_pipes()]
    return [_shortened(curve) for curve in found] if quick else found


def _grids() -> list[Curve]:
    return [
        Curve(
            name="grid",
            title="one tile per node",
            events="nodes",
            program="one_tile",
            points=tuple(Point(events=_nodes(grid), parameters={"grid": grid}) for grid in GRIDS),
            sentence="A launch with one tile per node grows with the number of nodes to the power {slope}.",
        ),
        Curve(
            name="grid-blocks",
            title="16 blocks per node",
            events="nodes",
            program="eltwise",
            points=tuple(
                Point(
                    events=_nodes(grid),
                    parameters={"rows": 128 * grid[1], "cols": 128 * grid[0], "grid": grid, "block": 1},
                )
                for grid in GRIDS
            ),
            sentence="With 16 blocks per node it grows with the number of nodes to the power {slope}.",
        ),
        Curve(
            name="barrier",
            title="barrier of semaphores",
            events="nodes",
            program="barrier",
            points=tuple(Point(events=_nodes(grid), parameters={"grid": grid}) for grid in GRIDS),
            sentence="A barrier, where all nodes increment the semaphore of one and wait for its answer, grows with "
            "the number of nodes to the power {slope}.",
        ),
    ]


def _sizes() -> list[Curve]:
    return [
        Curve(
            name="blocks",
            title="a*b+c, blocks of one tile, 4x4 nodes",
            events="blocks per node",
            program="eltwise",
            points=tuple(
                Point(
                    events=blocks,
                    parameters={"rows": 128 * blocks, "cols": 128, "grid": (4, 4), "block": 1},
                )
                for blocks in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
            ),
            sentence="Time grows with the number of blocks per node to the power {slope}.",
        ),
        Curve(
            name="tensor",
            title="a*b+c, blocks of 4x4 tiles, 8x8 nodes",
            events="elements",
            program="eltwise",
            points=tuple(
                Point(events=size**2, parameters={"rows": size, "cols": size, "grid": (8, 8), "block": 4})
                for size in (1024, 1536, 2048, 3072, 4096, 6144, 8192)
            ),
            sentence="Time grows with the number of elements of the tensors to the power {slope}, blocks of 4x4 tiles.",
        ),
        Curve(
            name="chain",
            title="sum of products in an expression, 2x2 nodes",
            events="steps of the sum",
            program="matmul",
            points=_inner((16, 32, 64, 128, 256, 512, 1024, 2048, 4096)),
            sentence="A sum of products that is one expression grows with the number of its terms to the power {slope}.",
        ),
        Curve(
            name="buffer-chain",
            title="sum of products through a buffer, 2x2 nodes",
            events="steps of the sum",
            program="matmul_through_buffer",
            points=_inner((16, 32, 64, 128, 256, 512, 1024, 2048, 4096)),
            sentence="The same sum through a dataflow buffer, where every step waits for the one before, grows with the "
            "number of steps to the power {slope}.",
        ),
    ]


def _pipes() -> list[Curve]:
    rings = tuple(grid for grid in GRIDS if _nodes(grid) > 1)
    pairs: tuple[Grid, ...] = ((2, 1), (2, 2), (3, 2), (4, 2), (4, 3), (4, 4), (5, 4), (6, 4), (7, 4), (8, 4))
    wide: tuple[Grid, ...] = tuple((columns, 10) for columns in range(2, 14))
    return [
        Curve(
            name="pipes-ring",
            title="ring of unicast pipes, the net made once",
            events="pipes",
            program="pipes",
            points=_pattern("ring", rings, [_nodes(grid) for grid in rings]),
            sentence="In a ring, every node sending to the next, time grows with the number of pipes (and nodes) to the "
            "power {slope}.",
        ),
        Curve(
            name="pipes-gather",
            title="all nodes to one, unicast, the net made once",
            events="pipes",
            program="pipes",
            points=_pattern("gather", rings, [_nodes(grid) - 1 for grid in rings]),
            sentence="When all nodes send to one, time grows with the number of pipes to the power {slope}.",
        ),
        Curve(
            name="pipes-pairs",
            title="every node to every other, unicast, the net made once",
            events="pipes",
            program="pipes",
            points=_pattern("pairs", pairs, [_nodes(grid) * (_nodes(grid) - 1) for grid in pairs]),
            sentence="When every node sends to every other, up to 992 pipes on 32 nodes, time grows with the number of "
            "pipes to the power {slope}.",
        ),
        Curve(
            name="pipes-multicast",
            title="multicast along rows, ten pipes, the net made once",
            events="receivers",
            program="pipes",
            points=_pattern("multicast", wide, [_nodes(grid) - grid[1] for grid in wide], rounds=8),
            sentence="A multicast grows with the number of receivers to the power {slope}.",
        ),
        Curve(
            name="pipes-in-body",
            title="ring of unicast pipes, the net made in the body",
            events="calls of ttl.Pipe (pipes x nodes)",
            program="pipes",
            points=_pattern("ring", rings, [_nodes(grid) ** 2 for grid in rings], made="body"),
            sentence="Pipes made in the body of the operation are made once per node, so a ring of n nodes has n² calls "
            "of `ttl.Pipe` in it, which is the program's own doing; time grows with that number to the power {slope}.",
        ),
    ]


def _inner(steps: tuple[int, ...]) -> tuple[Point, ...]:
    return tuple(
        Point(
            events=count,
            parameters={"size": 64, "inner": 32 * count, "grid": (2, 2), "block": (1, 1, 1)},
        )
        for count in steps
    )


def _pattern(
    pattern: str, grids: tuple[Grid, ...], events: list[int], *, made: str = "once", rounds: int = 1
) -> tuple[Point, ...]:
    return tuple(
        Point(events=count, parameters={"pattern": pattern, "grid": grid, "made": made, "rounds": rounds})
        for grid, count in zip(grids, events)
    )


def _nodes(grid: Grid) -> int:
    return grid[0] * grid[1]


def _shortened(curve: Curve) -> Curve:
    return Curve(
        name=curve.name,
        title=curve.title,
        events=curve.events,
        program=curve.program,
        points=curve.points[:3],
        sentence=curve.sentence,
    )
