"""Random accumulations over several blocks before an item's statements."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

from support.random_programs.language.choices import INTEGER_BOUNDS, Value
from support.random_programs.language.reference import BLOCK_FLOATS
from support.random_programs.language.spec import Inner, Port, TensorSpec
from support.random_programs.language.tensors import Tensors


class Accumulations(Tensors):
    """Products of matrices along K, and sums, in an expression or through a buffer."""

    def _add_inner(self) -> None:
        kernel = self.pick("read", "read", "write")
        if self.uniform and self.ragged_by != "x" and self.chance(0.5):
            self._exchanged(kernel)
        elif self.tiled and self.chance(0.6):
            self._product_of_matrices(kernel)
        else:
            self._sum_of_blocks(kernel)

    def _exchanged(self, kernel: Any) -> None:
        """Blocks of all nodes, or of those of a row."""
        steps = self.total // self.nodes
        tensor = self._tensor("b", (self.total, *self.block), self.dtype(False))
        port = self._port(
            "in",
            tensor.name,
            self.block,
            f"me * {steps} + j" + ", :" * self.rank,
            style="with",
            kernel=kernel,
        )
        port = replace(port, delivery="gather" if self.ragged_by else self.pick("ring", "gather"))
        count = self.nodes if port.delivery == "ring" else self.grid[0]
        self._finish_inner(
            self.pick("sum", "max", "rest"), [tensor], (port,), count, 4.0 * self.nodes, trips=""
        )

    def _product_of_matrices(self, kernel: Any) -> None:
        form, depth = self.pick("matmul", "matmul", "matmul_left"), self.pick(1, 1, 2)
        count = self.random.randint(1, 4)
        if prod(self.block) == 1 and self.chance(0.3):
            count = self.random.randint(8, 30)
        *outer, rows, columns = self.block
        *grid, down, across = self.blocks
        heads = [self._bounds(f"q{axis}", e, b) for axis, (e, b) in enumerate(zip(outer, grid))]
        outer_extents = [e * b for e, b in zip(outer, grid)]
        a = self._tensor("b", (*outer_extents, rows * down, depth * count), self.dtype(False))
        b = self._tensor("b", (*outer_extents, depth * count, columns * across), self.dtype(False))
        # Where K ends is padding in both operands.
        b = self._replace(b, shape=(*b.shape[:-2], a.shape[-1], b.shape[-1]))
        row = self._bounds(f"q{self.rank - 2}", rows, down)
        column = self._bounds(f"q{self.rank - 1}", columns, across)
        inner = self._bounds("k", depth, count)
        ports = tuple(
            self._port("in", tensor.name, (*outer, *block), ", ".join((*heads, *index)), kernel=kernel)
            for tensor, block, index in (
                (a, (rows, depth), (row, inner)),
                (b, (depth, columns), (inner, column)),
            )
        )
        self._finish_inner(form, [a, b], ports, count, 16.0 * 32 * depth * count, trips=self._trips(count))

    def _sum_of_blocks(self, kernel: Any) -> None:
        form = self.pick("sum", "product", "max", "rest")
        count = self.random.randint(1, 6)
        integer = self.integer_program and self.chance(0.7)
        dtype = self.dtype(integer)
        data = "whole" if integer and form == "product" else self.pick("wide", "whole") if integer else ""
        tensors, ports = [], []
        for _ in range(2 if form == "product" else 1):
            extents, index = self._following(self.block, tuple(range(self.rank)))
            tensor = self._tensor("b", (count, *extents), dtype, data=data)
            tensors.append(tensor)
            ports.append(self._port("in", tensor.name, self.block, f"k, {index}", kernel=kernel))
        bound = (2.0**32 if data == "wide" else 16.0) * count
        self._finish_inner(form, tensors, tuple(ports), count, bound, trips=self._trips(count))

    def _trips(self, count: int) -> str:
        """How many steps an item takes, where that is not the same for all."""
        if count == 1 or self.chance(0.6):
            return ""
        return str(self.pick(f"1 + item % {count}", f"{count} - me % {count}", f"(item + me) % {count + 1}"))

    def _finish_inner(
        self,
        form: str,
        tensors: list[TensorSpec],
        ports: tuple[Port, ...],
        count: int,
        bound: float,
        *,
        trips: str,
    ) -> None:
        whole = all(tensor.data in ("whole", "wide") for tensor in tensors)
        exact = whole or not form.startswith("matmul")
        integer = tensors[0].dtype in INTEGER_BOUNDS
        through = ""
        if self.chance(0.4) and form in ("sum", "product", "matmul"):
            through = tensors[0].name
            exact = exact and whole
            if any(tensor.dtype in BLOCK_FLOATS for tensor in tensors):
                through = ""
        turns = bool(through) and self.chance(0.5)
        # No step at all: a block would get no value, and integers no type.
        if (integer or (through and not turns)) and trips.startswith("("):
            trips = ""
        inner = Inner(
            name=self.name("k"), form=form, ports=ports, count=count, shape=self.block, through=through,
            turns=turns, trips=trips, integer=integer,
        )  # fmt: skip
        self.inner.append(inner)
        dtype = tensors[0].dtype if integer else ""
        if integer and through:
            bound = INTEGER_BOUNDS[dtype]
        self.values.append(
            Value(name=inner.name, shape=self.block, integer=integer, dtype=dtype, whole=whole, bound=bound,
                  exact=exact)
        )  # fmt: skip
