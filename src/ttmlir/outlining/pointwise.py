"""Kernels of regions whose blocks are computed one by one: elementwise chains, reductions of rows, softmax, normalisations."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

from ttmlir.operations.ttir import TTIRMeanOp
from ttmlir.outlining.lines import BlockShapes, KernelStatements, Lines, numbered
from ttmlir.outlining.region import Input, OutlinedRegion, Pattern, Shape
from ttmlir.outlining.tiles import pointwise_blocks, row_blocks
from ttmlir.outlining.written import WrittenKernels


class PointwiseKernels:
    """The body of an operation that goes through a domain block by block, every node its own blocks.

    A block has complete rows where something is reduced along them. A tensor that is repeated along the whole domain is read once.
    """

    def __init__(
        self, region: OutlinedRegion, inputs: Sequence[str], steps: Sequence[str], nodes: int
    ) -> None:
        self._region = region
        self._inputs = inputs
        self._steps = steps
        self._nodes = nodes
        self._whole_rows = region.pattern is Pattern.ROWS
        self._shapes = BlockShapes(region.domain, "rows", "columns")
        domain = region.domain
        # What a block is numbered by: a name and how many there are.
        self._axes: list[tuple[str, str]] = []
        leading = [dim for dim, extent in enumerate(domain[:-2]) if extent != 1]
        for dim in leading:
            suffix = f"_{dim}" if len(leading) > 1 else ""
            self._axes.append((f"batch{suffix}", f"batches{suffix}"))
        self._batch_of = dict(zip(leading, self._axes, strict=True))
        if domain[-2] != 1:
            self._axes.append(("row", "row_blocks"))
        if domain[-1] != 1 and not self._whole_rows:
            self._axes.append(("column", "column_blocks"))

    def written(self) -> WrittenKernels:
        region = self._region
        lines = Lines(level=1)
        self._host(lines)
        once = [number for number, one in enumerate(region.inputs) if self._is_read_once(one)]
        moving = [number for number in range(len(region.inputs)) if number not in once]
        lines("")
        lines("@ttl.datamovement()")
        with lines.block("def read():"):
            self._read(lines, once, moving)
        lines("", "@ttl.compute()")
        with lines.block("def compute():"):
            self._compute(lines, once, moving)
        lines("", "@ttl.datamovement()")
        with lines.block("def write():"):
            self._write(lines)
        if self._whole_rows:
            choices = row_blocks(region.domain, self._nodes)
            tunable = {"rows": ("int", [str(choice) for choice in choices])}
        else:
            blocks = pointwise_blocks(region.domain, self._nodes)
            tunable = {"block": ("tuple[int, int]", [str(choice) for choice in blocks])}
        return WrittenKernels(
            body=lines.text(), tunable={**tunable, "buffering": ("int", ["1", "2"])}, grid='"auto"'
        )

    # The host's part.

    def _host(self, lines: Lines) -> None:
        if not self._whole_rows:
            lines("rows, columns = block")
        else:
            lines(f"columns = {self._extent(-1)}")
            if any(step.kind is TTIRMeanOp for step in self._region.steps):
                lines(f"elements = {self._elements()}")
        for dim, (_, count) in self._batch_of.items():
            lines(f"{count} = {self._whole(dim)}.shape[{dim}]")
        if self._region.domain[-2] != 1:
            lines(f"row_blocks = {self._extent(-2)} // rows")
        if self._region.domain[-1] != 1 and not self._whole_rows:
            lines(f"column_blocks = {self._extent(-1)} // columns")
        count = " * ".join(count for _, count in self._axes) or "1"
        lines(f"own = range(ttl.node(dims=1), {count}, ttl.grid_size(dims=1))", "")
        for name, one in zip(self._inputs, self._region.inputs, strict=True):
            shape = self._shapes.of(one.seen, transposed=one.transposed)
            count = "1" if self._is_read_once(one) else "buffering"
            lines(f"{name}_dfb = ttl.make_dataflow_buffer_like({name}, shape={shape}, block_count={count})")
        shape = self._shapes.of(self._region.shape)
        lines(f"y_dfb = ttl.make_dataflow_buffer_like(y, shape={shape}, block_count=buffering)")

    def _whole(self, dim: int) -> str:
        """A tensor that has all of the domain in a dimension, and how it is called."""
        return self._tensor_with(dim)[0]

    def _tensor_with(self, dim: int) -> tuple[str, bool]:
        """The name of a tensor with all of the domain in a dimension, and whether its last two are exchanged."""
        wanted = self._region.domain[dim]
        if self._region.shape[dim] == wanted:
            return "y", False
        for name, one in zip(self._inputs, self._region.inputs, strict=True):
            if one.seen[dim] == wanted:
                return name, one.transposed
        raise AssertionError("the domain is that of a tensor")

    def _elements(self) -> str:
        name, transposed = self._tensor_with(-1)
        return f"{name}.shape[{-2 if transposed else -1}]"

    def _extent(self, dim: int) -> str:
        """How many tiles the domain has along one of its last two dimensions."""
        name, transposed = self._tensor_with(dim)
        here = -3 - dim if transposed else dim
        return f"{name}.padded_shape[{here}] // ttl.TILE_SHAPE[{here}]"

    # The kernels.

    def _is_read_once(self, one: Input) -> bool:
        """Whether every block of the domain sees the same block of a tensor."""
        domain = self._region.domain
        moves = [*range(len(domain) - 2), -2, *(() if self._whole_rows else (-1,))]
        return all(one.seen[dim] == 1 for dim in moves)

    def _read(self, lines: Lines, once: Sequence[int], moving: Sequence[int]) -> None:
        if once:
            with lines.block("if len(own) > 0:"):
                self._transfers(lines, once)
        if moving:
            with self._loop(lines, [self._region.inputs[number].seen for number in moving]):
                self._transfers(lines, moving)

    def _transfers(self, lines: Lines, numbers: Sequence[int]) -> None:
        names = [self._inputs[number] for number in numbers]
        with lines.with_items([f"{name}_dfb.reserve() as {name}_blk" for name in names]):
            for number, name in zip(numbers, names, strict=True):
                one = self._region.inputs[number]
                lines(f"{name}_xf = ttl.copy({name}[{self._index(one.seen, one.transposed)}], {name}_blk)")
            for name in names:
                lines(f"{name}_xf.wait()")

    def _compute(self, lines: Lines, once: Sequence[int], moving: Sequence[int]) -> None:
        waits = [f"{self._inputs[number]}_dfb.wait() as {self._inputs[number]}_blk" for number in once]
        statements = KernelStatements(self._region, self._inputs, self._steps, self._shapes, "elements")

        def loop() -> None:
            items = [f"{self._inputs[number]}_dfb.wait() as {self._inputs[number]}_blk" for number in moving]
            with (
                lines.block("for _ in own:"),
                lines.with_items([*items, "y_dfb.reserve() as y_blk"]),
            ):
                last = statements.write(lines, range(len(self._region.steps)))
                lines(f"y_blk.store({last})")

        if waits:
            with lines.block("if len(own) > 0:"), lines.with_items(waits):
                loop()
        else:
            loop()

    def _write(self, lines: Lines) -> None:
        shape = self._region.shape
        with self._loop(lines, [shape]), lines.block("with y_dfb.wait() as y_blk:"):
            lines(f"y_xf = ttl.copy(y_blk, y[{self._index(shape, False)}])", "y_xf.wait()")

    def _loop(self, lines: Lines, shapes: Sequence[Shape]) -> AbstractContextManager[None]:
        """The loop over a node's blocks, with the indices that tensors of these shapes need."""
        return numbered(lines, self._axes, {name for shape in shapes for name in self._needed(shape)})

    def _needed(self, shape: Shape) -> list[str]:
        names = [name for dim, (name, _) in self._batch_of.items() if shape[dim] != 1]
        if shape[-2] != 1:
            names.append("row")
        if shape[-1] != 1 and not self._whole_rows:
            names.append("column")
        return names

    def _index(self, shape: Shape, transposed: bool) -> str:
        leading = [
            self._batch_of[dim][0] if dim in self._batch_of and shape[dim] != 1 else "0"
            for dim in range(len(shape) - 2)
        ]
        row = "0" if shape[-2] == 1 else "row_slice"
        column = "0" if shape[-1] == 1 else ":" if self._whole_rows else "column_slice"
        last = (column, row) if transposed else (row, column)
        return ", ".join((*leading, *last))
