"""The blocks of a random program, and which node works on which of them."""

from __future__ import annotations

from math import prod

from support.random_programs.language.choices import Choices
from support.random_programs.language.spec import Shape

# Elements: every program runs many times.
_LARGEST_TENSOR = 50_000
_LARGEST_BLOCK = 9_000


class Items(Choices):
    """Trip counts: the same for all nodes, for those of a row or a column, nearly so, or any."""

    def _block_shape(self) -> Shape:
        if self.tiled:
            outer = tuple(self.pick(1, 1, 2) for _ in range(self.rank - 2))
            side = self.pick(1, 1, 2)
            return (*outer, side, side if self.chance(0.5) else self.pick(1, 2, 3))
        shape = (*(self.pick(1, 2, 3, 8, 31) for _ in range(self.rank - 1)), self.pick(1, 7, 16, 32, 33))
        return shape if prod(shape) <= _LARGEST_BLOCK else (2, *shape[1:])

    def _items(self) -> tuple[Shape, str]:
        """Extents of the grid of blocks, and the text of a node's items."""
        if self.uniform:
            return self._uniform_items()
        blocks = tuple(self.random.randint(1, 3) for _ in range(self.rank))
        size = prod(self.block) * (1024 if self.tiled else 1)
        while prod(blocks) * size > _LARGEST_TENSOR and max(blocks) > 1:
            axis = blocks.index(max(blocks))
            blocks = (*blocks[:axis], blocks[axis] - 1, *blocks[axis + 1 :])
        if self.nodes > 4 and prod(blocks) < self.nodes and self.chance(0.5):
            blocks = (*blocks[:-1], blocks[-1] * 4)
        total = prod(blocks)
        per_node = -(-total // self.nodes)
        if self.chance(0.3):  # as many as it happens to be, none on some
            cuts = (0, *sorted(self.random.randint(0, total) for _ in range(self.nodes - 1)), total)
            return blocks, f"range({cuts}[me], {cuts}[me + 1])"
        return blocks, self.pick(
            f"range(me, {total}, nodes)",
            f"range(min(me * {per_node}, {total}), min(me * {per_node} + {per_node}, {total}))",
            f"range({total} - 1 - me, -1, -nodes)",
        )

    def _uniform_items(self) -> tuple[Shape, str]:
        """Nodes that exchange blocks have as many items as each other."""
        most = self.random.randint(1, 3)
        if self.nodes * most * prod(self.block) * (1024 if self.tiled else 1) > 2 * _LARGEST_TENSOR:
            most = 1
        count = str(most)
        if self.chance(0.3):
            self.ragged_by = self.pick("x", "y")
            counts = [
                self.random.randint(0, most) for _ in range(self.grid[0 if self.ragged_by == "x" else 1])
            ]
            counts[self.random.randrange(len(counts))] = most
            count = f"{tuple(counts)}[{self.ragged_by}]"
        blocks = (1,) * (self.rank - 1) + (self.nodes * most,)
        return blocks, f"range(me * {most}, me * {most} + {count})"

    def _most_items(self) -> int:
        """How many items the busiest node has."""
        counts = []
        for me in range(self.nodes):
            x, y = divmod(me, self.grid[1])
            counts.append(len(eval(self.items, {"me": me, "x": x, "y": y, "nodes": self.nodes})))
        return max(counts)
