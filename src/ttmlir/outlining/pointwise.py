"""Kernels of regions whose blocks are computed one by one: elementwise chains, reductions of rows, softmax, normalisations."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

from tt_model.operations.shared import TTIRMeanOp
from ttmlir.outlining.axes import BlockShapes, RegionAxes, TileSpan
from ttmlir.outlining.lines import KernelStatements, Lines, numbered
from ttmlir.outlining.region import OutlinedRegion, Pattern, RegionTensor
from ttmlir.outlining.tiles import pointwise_blocks, row_blocks
from ttmlir.outlining.written import WrittenKernels


class PointwiseKernels:
    """The body of an operation that computes a domain block by block, each node its own blocks.

    A block has complete rows if a step reduces them. A tensor that is repeated along the whole domain is read once.
    """

    def __init__(
        self, region: OutlinedRegion, inputs: Sequence[str], steps: Sequence[str], nodes: int
    ) -> None:
        self._region = region
        self._inputs = inputs
        self._steps = steps
        self._nodes = nodes
        self._whole_rows = region.pattern is Pattern.ROWS
        self._shapes = BlockShapes(region)
        self._axes = RegionAxes(region, inputs)
        self._row, self._column = len(region.domain) - 2, len(region.domain) - 1
        # The axes that number blocks: the names of a position and of the number of blocks.
        self._numbered = list(self._axes.leading.values())
        if region.domain[-2] != 1:
            self._numbered.append(("row", "row_blocks"))
        if region.domain[-1] != 1 and not self._whole_rows:
            self._numbered.append(("column", "column_blocks"))

    def written(self) -> WrittenKernels:
        region = self._region
        lines = Lines(level=1)
        self._host(lines)
        once = [number for number, one in enumerate(region.inputs) if not self._positions([one])]
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
            lines(f"columns = {self._axes.tiles(self._column)}")
            if any(step.kind is TTIRMeanOp for step in self._region.steps):
                lines(f"elements = {self._axes.elements(self._column)}")
        lines(*self._axes.counts())
        if self._region.domain[-2] != 1:
            lines(f"row_blocks = {self._axes.tiles(self._row)} // rows")
        if self._region.domain[-1] != 1 and not self._whole_rows:
            lines(f"column_blocks = {self._axes.tiles(self._column)} // columns")
        count = " * ".join(count for _, count in self._numbered) or "1"
        lines(f"own = range(ttl.node(dims=1), {count}, ttl.grid_size(dims=1))", "")
        for name, one in zip(self._inputs, self._region.inputs, strict=True):
            shape = self._shapes.in_memory(one)
            count = "buffering" if self._positions([one]) else "1"
            lines(f"{name}_dfb = ttl.make_dataflow_buffer_like({name}, shape={shape}, block_count={count})")
        shape = self._shapes.in_memory(self._region.output)
        lines(f"y_dfb = ttl.make_dataflow_buffer_like(y, shape={shape}, block_count=buffering)")

    # The kernels.

    def _read(self, lines: Lines, once: Sequence[int], moving: Sequence[int]) -> None:
        if once:
            with lines.block("if len(own) > 0:"):
                self._transfers(lines, once)
        if moving:
            with self._loop(lines, [self._region.inputs[number] for number in moving]):
                self._transfers(lines, moving)

    def _transfers(self, lines: Lines, numbers: Sequence[int]) -> None:
        names = [self._inputs[number] for number in numbers]
        with lines.with_items([f"{name}_dfb.reserve() as {name}_blk" for name in names]):
            for number, name in zip(numbers, names, strict=True):
                index = self._index(self._region.inputs[number])
                lines(f"{name}_xf = ttl.copy({name}[{index}], {name}_blk)")
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
        output = self._region.output
        with self._loop(lines, [output]), lines.block("with y_dfb.wait() as y_blk:"):
            lines(f"y_xf = ttl.copy(y_blk, y[{self._index(output)}])", "y_xf.wait()")

    def _loop(self, lines: Lines, tensors: Sequence[RegionTensor]) -> AbstractContextManager[None]:
        """The loop over a node's blocks, with the positions that tensors need."""
        return numbered(lines, self._numbered, self._positions(tensors))

    def _positions(self, tensors: Sequence[RegionTensor]) -> set[str]:
        """Return the names of positions on which the blocks of tensors depend; empty if all nodes need one block."""
        names = self._axes.positions(tensors)
        if any(one.has(self._row) for one in tensors):
            names.add("row")
        if not self._whole_rows and any(one.has(self._column) for one in tensors):
            names.add("column")
        return names

    def _index(self, tensor: RegionTensor) -> str:
        columns = (
            TileSpan("", "columns", ":")
            if self._whole_rows
            else TileSpan("column * columns", "columns", "column_slice")
        )
        return self._axes.index(
            tensor, {self._row: TileSpan("row * rows", "rows", "row_slice"), self._column: columns}
        )
