"""The blocks of a random program, which node works on which of them, the tensors they are slices of, and which of these share memory."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

from support.random_programs.language.choices import INTEGER_BOUNDS, Choices, Value
from support.random_programs.language.reference import is_float
from support.random_programs.language.spec import Port, Shape, Style, TensorSpec

# Elements: every program runs many times.
_LARGEST_TENSOR = 50_000
_LARGEST_BLOCK = 9_000


class Tensors(Choices):
    """Blocks and the items of a node, tensors and ports."""

    # --- which node works on which blocks: the same number for all, for those of a row or a column, nearly so, or any --------

    def _block_shape(self) -> Shape:
        if self.tiled:
            outer = tuple(self.pick(1, 2) for _ in range(self.rank - 2))
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

    # --- tensors ------------------------------------------------------------------------------------------

    def _tensor(
        self, prefix: str, extents: Shape, dtype: str, *, ragged: bool = True, data: str = ""
    ) -> TensorSpec:
        """A tensor of whole blocks, or one whose last row and column of tiles are cut."""
        shape = list(extents)
        if self.tiled:
            shape[-2:] = [shape[-2] * 32, shape[-1] * 32]
            for axis in (-1, -2):
                if ragged and self.padded and self.chance(0.6):
                    shape[axis] -= self.pick(0, 1, 16, 31, self.random.randint(0, 31))
                if dtype.startswith("bfloat") and dtype != "bfloat16" and axis == -1:
                    shape[axis] = -(-shape[axis] // 16) * 16
        spec = TensorSpec(
            name=self.name(prefix), shape=tuple(shape), dtype=dtype, tiled=self.tiled,
            data=data or ("whole" if self.chance(0.7) else "real"), seed=self.random.randint(0, 2**31),
        )  # fmt: skip
        self.tensors.append(spec)
        return spec

    def _bounds(self, position: str, extent: int, blocks: int) -> str:
        """The text of one index: a slice, or a number where that is the same."""
        if blocks == 1 and position == "0":
            return ":" if self.chance(0.4) else f"0:{extent}"
        if extent == 1 and self.chance(0.5):
            return position
        if extent == 1:
            return f"{position}:{position} + 1"
        return f"{position} * {extent}:({position} + 1) * {extent}"

    def _following(self, block: Shape, axes: tuple[int | None, ...]) -> tuple[Shape, str]:
        """Extents of a tensor whose axis n follows the block grid's axis ``axes[n]``, and the index of an item."""
        extents, texts = [], []
        for extent, axis in zip(block, axes, strict=True):
            blocks = 1 if axis is None else self.blocks[axis]
            extents.append(extent * blocks)
            texts.append(self._bounds("0" if axis is None else f"q{axis}", extent, blocks))
        return tuple(extents), ", ".join(texts)

    def _value_of(self, name: str, tensor: TensorSpec, block: Shape) -> Value:
        integer = not is_float(tensor.dtype)
        whole = integer or tensor.data == "whole"
        return Value(
            name=name, shape=block, integer=integer, dtype=tensor.dtype if integer else "", whole=whole,
            bound={"whole": 4.0, "real": 4.0, "wide": 2.0**32, "edge": float("inf")}[tensor.data],
            finite=tensor.data != "edge",
        )  # fmt: skip

    def _replace(self, spec: TensorSpec, **changes: Any) -> TensorSpec:
        changed = replace(spec, **changes)
        self.tensors[self.tensors.index(spec)] = changed
        return changed

    def _finish_input(self, tensor: TensorSpec, block: Shape, index: str, delivery: Any) -> None:
        loopback = delivery == "all" or self.chance(0.5)
        if (delivery == "row" and self.grid[0] == 1) or (delivery == "column" and self.grid[1] == 1):
            loopback = True
        port = self._port("in", tensor.name, block, index, most=4, delivery=delivery, loopback=loopback)
        self.inputs.append(replace(port, kernel=self.pick("read", "read", "write")))
        self.values.append(self._value_of(port.name, tensor, block))

    def _port(
        self,
        way: str,
        tensor: str,
        block: Shape,
        index: str,
        *,
        most: int = 3,
        style: Style | None = None,
        **more: Any,
    ) -> Port:
        """A port with a number of blocks and, if none is given, a style."""
        count = self.random.randint(1, most)
        return Port(
            name=f"{way}_{tensor}", tensor=tensor, block=block, index=index, block_count=count,
            style=style or self.style(), **more,
        )  # fmt: skip

    # --- one memory, more than once -----------------------------------------------------------------------

    def _add_alias(self) -> None:
        """One tensor under two names."""
        port = self.random.choice(self.inputs)
        again = self._same(self._spec(port.tensor))
        self.tensors.append(again)
        self._finish_input(again, port.block, port.index, port.delivery)

    def _same(self, spec: TensorSpec) -> TensorSpec:
        """The tensor under another name."""
        return replace(spec, name=self.name("alias"), same_as=spec.same_as or spec.name, overlaps="", shift=0)

    def _add_overlap(self) -> None:
        """Two tensors over one memory of the host: writing one of them leaves the other as it is."""
        fits = [port for port in self.inputs if not self._spec(port.tensor).same_as]
        port = self.random.choice(fits)
        spec = self._spec(port.tensor)
        shift = self.random.randint(0, spec.shape[0] - 1) if self.chance(0.7) else 0
        if spec.dtype.startswith("bfloat"):  # the host library shares all of its memory, or none
            shift = 0
        other = replace(
            spec, name=self.name("view"), overlaps=spec.name, shift=shift, seed=self.random.randint(0, 2**31)
        )
        self.tensors.append(other)
        self._finish_input(other, port.block, port.index, port.delivery)

    def _add_turn(self) -> None:
        """A node's own tensor, read and written by one kernel: before it was written, where it was, and after."""
        dtype = self.pick("bfloat16", "float32") if not self.integer_program else self.wide
        slots = self._most_items() + 1
        spec = self._tensor("turn", (self.nodes, slots, *self.block), dtype)
        spec = self._replace(spec, name="turn")
        ahead = self.random.randint(0, 2)
        port = self._port("in", "turn", self.block, f"me, (j + 1) % {slots}, ...", kernel="write")
        self.inputs.append(port)
        self.turn = f"me, (j + {ahead}) % {slots}, ..."
        value = self._value_of(port.name, spec, self.block)
        if ahead == 2 and value.integer:
            value = replace(value, bound=INTEGER_BOUNDS[dtype])
        elif ahead == 2:  # what the item before has stored, whatever that was
            value = replace(value, whole=False, finite=False)
            value = self._clamped(value, -8, 8)
            self.values.remove(value)
        self.values.append(value)

    def _turn_output(self) -> tuple[Value, Port] | None:
        """What is written there, and how."""
        if not self.turn:
            return None
        spec = self._spec("turn")
        fits = [
            value
            for value in self.values
            if value.shape == self.block and value.exact and not value.inner
            and value.integer is not is_float(spec.dtype) and self._types_mix(value, replace(value, dtype=spec.dtype))
        ]  # fmt: skip
        if not fits:
            return None
        port = self._port("out", "turn", self.block, self.turn, kernel="write")
        return self.random.choice(fits), port
