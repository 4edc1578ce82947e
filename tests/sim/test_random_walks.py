"""Random legal lives of blocks: states as in the table, transfers waited for in any order, data as in a model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ttl
from support.block_states import LEGAL, START, STATES, Role
from support.tensors import TILE, numbered_tiles, tiled, values

SOURCES, TARGETS = 5, 6


def walk(role: Role, seed: int) -> None:
    """A data movement kernel that copies at random into and out of several blocks at once."""
    random = np.random.default_rng(seed)
    expected = np.full(TARGETS, -1.0)
    log: list[str] = []

    @ttl.operation(grid=(1, 1))
    def op(a: Any, out: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=3)

        @ttl.datamovement()
        def produce() -> None:
            if role[0] == "wait":
                for tile in range(3):
                    with dfb.reserve() as blk:
                        ttl.copy(a[0, tile], blk).wait()

        @ttl.datamovement()
        def wander() -> None:
            blocks = [dfb.reserve() if role[0] == "reserve" else dfb.wait() for _ in range(3)]
            contents: list[float | None] = [None if role[0] == "reserve" else n + 1.0 for n in range(3)]
            states = [START[role]] * 3
            under_way: list[list[tuple[Any, str]]] = [[], [], []]

            def step(which: int, name: str) -> None:
                after = LEGAL[role, states[which], name]
                if name == "copy in":
                    tile = int(random.integers(SOURCES))
                    under_way[which].append((ttl.copy(a[0, tile], blocks[which]), "copy in done"))
                    contents[which] = tile + 1.0
                elif name == "copy out":
                    target = int(random.integers(TARGETS))
                    under_way[which].append((ttl.copy(blocks[which], out[0, target]), "copy out done"))
                    expected[target] = contents[which]
                else:
                    position = int(random.integers(len(under_way[which])))
                    transfer, done = under_way[which].pop(position)
                    assert done == name
                    transfer.wait()
                    if under_way[which]:
                        after = states[which]  # ROR(n) with n still above 1
                states[which] = after
                log.append(f"{which} {name} {after}")
                assert STATES[blocks[which].state] == after, log

            def steps_of(which: int) -> list[str]:
                names = [n for n in ("copy in", "copy out") if (role, states[which], n) in LEGAL]
                return names + [done for _, done in under_way[which][:1]]

            for _ in range(60):
                which = int(random.integers(3))
                names = steps_of(which)
                step(which, names[int(random.integers(len(names)))])
            for which, blk in enumerate(blocks):
                while under_way[which]:
                    step(which, under_way[which][0][1])
                release = "push" if role[0] == "reserve" else "pop"
                if (role, states[which], release) not in LEGAL:
                    # Fewest steps to a state that may be released: write it, or read it.
                    step(which, "copy in" if states[which] == "MW" else "copy out")
                    step(which, under_way[which][0][1])
                getattr(blk, release)()

    out = tiled(np.full((TILE, TILE * TARGETS), -1))
    op(tiled(numbered_tiles(1, SOURCES)), out)
    assert values(out)[0, ::TILE].tolist() == expected.tolist()


@pytest.mark.parametrize("acquired", ["reserve", "wait"])
@pytest.mark.parametrize("seed", range(15))
def test_random_copies_of_several_blocks(acquired: str, seed: int) -> None:
    walk((acquired, "data movement"), seed)
