"""Kernels of a product and of the operations on its blocks before they are stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from math import prod

from tt_model.operations.shared import TTIRMatmulOp, TTIRMeanOp
from ttmlir.outlining.axes import BlockShapes, RegionAxes, TileSpan
from ttmlir.outlining.lines import KernelStatements, Lines, numbered
from ttmlir.outlining.naming import unique
from ttmlir.outlining.region import OutlinedRegion, RegionRead, RegionTensor, has_whole_rows
from ttmlir.outlining.tiles import MOST_TILES, divisors, tiles
from ttmlir.outlining.written import WrittenKernels

# The most tiles in a block of a factor: larger blocks gain nothing, and fit less often.
_MOST_TILES_OF_FACTOR = 16
_CHOICES = 8


class MatmulKernels:
    """The body of an operation that computes a product block by block, with an epilogue on each block.

    One product is spread over the grid in two dimensions: the first node of a row reads the blocks of the left factor
    that the row needs and multicasts them, the first node of a column those of the right factor. If there is a batch of
    products, or if blocks have complete rows because a step reduces them, every node computes blocks of its own. A
    second product takes such rows as its left factor, and reads the whole of its right factor.
    """

    def __init__(
        self, region: OutlinedRegion, inputs: Sequence[str], steps: Sequence[str], grid: tuple[int, int]
    ) -> None:
        self._region = region
        self._inputs = inputs
        self._product = next(
            position for position, step in enumerate(region.steps) if step.kind is TTIRMatmulOp
        )
        left, right = region.steps[self._product].operands
        assert isinstance(left, RegionRead) and isinstance(right, RegionRead)
        self._factors = (left.number, right.number)
        self._steps = steps
        self._more = [number for number in range(len(inputs)) if number not in self._factors]
        self._shapes = BlockShapes(region)
        self._axes = RegionAxes(region, inputs)
        self._row, self._column, self._inner = (len(region.domain) + axis for axis in (-2, -1, 0))
        self._whole_rows = any(has_whole_rows(step.kind) for step in region.steps)
        self._by_nodes = self._whole_rows or prod(region.domain[:-2]) > 1
        self._tiles = (tiles(region.domain[-2]), tiles(region.domain[-1]), tiles(region.inner))
        self._grid = (
            (1, 1)
            if self._by_nodes
            else (divisors(self._tiles[1], grid[0])[-1], divisors(self._tiles[0], grid[1])[-1])
        )
        self._nodes = grid[0] * grid[1]

    def written(self) -> WrittenKernels:
        lines = Lines(level=1)
        self._host(lines)
        # If two kernels read, the first one uses NoC 0, whose direction suits the multicast down the columns.
        self._second_kernel(lines)
        lines("", "@ttl.compute()")
        with lines.block("def compute():"):
            self._compute(lines)
        lines("", "@ttl.datamovement()")
        left, right = self._factors
        with lines.block("def read():" if self._by_nodes else "def read_left():"), self._loop(lines):
            self._epilogue_reads(lines)
            with _inner(lines):
                self._factor(lines, left)
                if self._by_nodes:
                    self._factor(lines, right)
        blocks = [str(block) for block in self._blocks()]
        return WrittenKernels(
            body=lines.text(),
            tunable={"block": ("tuple[int, int, int]", blocks), "buffering": ("int", ["1", "2"])},
            grid='"auto"' if self._by_nodes else str(self._grid),
        )

    def _second_kernel(self, lines: Lines) -> None:
        """Write the kernel that stores results; of a product spread over the grid, it reads the right factor, too."""
        lines("", "@ttl.datamovement()")
        name = "write" if self._by_nodes else "read_right_and_write"
        with lines.block(f"def {name}():"), self._loop(lines):
            if not self._by_nodes:
                with _inner(lines):
                    self._factor(lines, self._factors[1])
            with lines.block("with y_dfb.wait() as y_blk:"):
                lines(f"y_xf = ttl.copy(y_blk, y[{self._index(self._region.output)}])", "y_xf.wait()")

    def _blocks(self) -> list[tuple[int, int, int]]:
        """Rows, columns and inner extent of blocks in tiles, the most promising first."""
        rows, columns = self._tiles[0] // self._grid[1], self._tiles[1] // self._grid[0]
        batches = prod(self._region.domain[:-2])

        def order(block: tuple[int, int, int]) -> tuple[int, int, int]:
            row, column, inner = block
            blocks = batches * (rows // row) * (columns // column)
            busiest = -(-blocks // self._nodes) if self._by_nodes else blocks
            # First the tiles that a node reads, then the size of its steps, best some 8 tiles of a factor.
            return busiest * (row + column) * self._tiles[2], abs(inner * max(row, column) - 8), inner

        choices = [
            (row, column, inner)
            for row in divisors(rows, MOST_TILES)
            for column in ([columns] if self._whole_rows else divisors(columns, MOST_TILES))
            for inner in divisors(self._tiles[2], MOST_TILES)
            if row * column <= MOST_TILES and max(row, column) * inner <= _MOST_TILES_OF_FACTOR
        ]
        return sorted(choices, key=order)[:_CHOICES]

    # The host's part.

    def _host(self, lines: Lines) -> None:
        left, right = self._factors
        grid_x, grid_y = self._grid
        lines("rows, columns, inner = block")
        if self._by_nodes:
            lines(
                *self._axes.counts(),
                f"row_blocks = {self._axes.tiles(self._row)} // rows",
            )
            if not self._whole_rows:
                lines(f"column_blocks = {self._axes.tiles(self._column)} // columns")
            elif any(step.kind is TTIRMeanOp for step in self._region.steps):
                lines(f"elements = {self._axes.elements(self._column)}")
        else:
            if grid_x * grid_y > 1:
                lines("grid_x, grid_y = ttl.grid_size(dims=2)", "node_x, node_y = ttl.node(dims=2)")
            over_y, over_x = (" // grid_y" if grid_y > 1 else ""), (" // grid_x" if grid_x > 1 else "")
            lines(
                f"row_blocks = {self._axes.tiles(self._row)}{over_y} // rows",
                f"column_blocks = {self._axes.tiles(self._column)}{over_x} // columns",
            )
        lines(f"inner_blocks = {self._axes.tiles(self._inner)} // inner")
        if self._region.width:
            lines(f"width = {self._axes.tiles(self._inner + 1)}")
        if self._by_nodes:
            count = " * ".join(count for _, count in self._numbered())
            lines(f"own = range(ttl.node(dims=1), {count}, ttl.grid_size(dims=1))")
        lines("")
        if grid_x > 1:
            lines(
                f"{self._inputs[left]}_net = ttl.PipeNet("
                "[ttl.Pipe(src=(0, y), dst=(slice(1, grid_x), y)) for y in range(grid_y)])"
                if grid_y > 1
                else f"{self._inputs[left]}_net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(slice(1, grid_x), 0))])"
            )
        if grid_y > 1:
            lines(
                f"{self._inputs[right]}_net = ttl.PipeNet("
                "[ttl.Pipe(src=(x, 0), dst=(x, slice(1, grid_y))) for x in range(grid_x)])"
                if grid_x > 1
                else f"{self._inputs[right]}_net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(0, slice(1, grid_y)))])"
            )
        for name, one in zip((*self._inputs, "y"), (*self._region.inputs, self._region.output), strict=True):
            shape = self._shapes.in_memory(one)
            lines(f"{name}_dfb = ttl.make_dataflow_buffer_like({name}, shape={shape}, block_count=buffering)")

    # The kernels.

    def _numbered(self) -> list[tuple[str, str]]:
        columns = [] if self._whole_rows else [("column", "column_blocks")]
        return [*self._axes.leading.values(), ("row", "row_blocks"), *columns]

    def _loop(self, lines: Lines) -> AbstractContextManager[None]:
        if self._by_nodes:
            return numbered(lines, self._numbered(), {name for name, _ in self._numbered()})
        return _nested(lines, self._grid)

    def _index(self, tensor: RegionTensor) -> str:
        whole = TileSpan("", "columns", ":")
        return self._axes.index(
            tensor,
            {
                self._row: TileSpan("row * rows", "rows", "row_slice"),
                self._column: whole
                if self._whole_rows
                else TileSpan("column * columns", "columns", "column_slice"),
                self._inner: TileSpan("inner_block * inner", "inner", "inner_slice"),
                self._inner + 1: TileSpan("", "width", ":"),
            },
        )

    def _epilogue_reads(self, lines: Lines) -> None:
        names = [self._inputs[number] for number in self._more]
        with lines.with_items([f"{name}_dfb.reserve() as {name}_blk" for name in names]):
            for number, name in zip(self._more, names, strict=True):
                index = self._index(self._region.inputs[number])
                lines(f"{name}_xf = ttl.copy({name}[{index}], {name}_blk)")
            for name in names:
                lines(f"{name}_xf.wait()")

    def _factor(self, lines: Lines, number: int) -> None:
        """Write the fetch of a block of a factor: from memory, or from the node that reads it for the others."""
        one, name = self._region.inputs[number], self._inputs[number]
        side = self._factors.index(number)
        copy = f"{name}_xf = ttl.copy({name}[{self._index(one)}], {name}_blk)"
        with lines.block(f"with {name}_dfb.reserve() as {name}_blk:"):
            if self._grid[side] == 1:
                lines(copy, f"{name}_xf.wait()")
                return
            lines("")
            with lines.block("def send(pipe):"):
                lines(copy, f"{name}_xf.wait()", f"xf = ttl.copy({name}_blk, pipe)", "xf.wait()")
            lines("")
            with lines.block("def receive(pipe):"):
                lines(f"xf = ttl.copy(pipe, {name}_blk)", "xf.wait()")
            lines("", f"{name}_net.if_src(send)", f"{name}_net.if_dst(receive)")

    def _compute(self, lines: Lines) -> None:
        region = self._region
        left, right = self._factors
        (total,) = unique([self._steps[self._product]], self._inputs)
        statements = KernelStatements(region, self._inputs, self._steps, self._shapes, "elements")
        statements.call(self._product, total)
        loop = "for _ in own:" if self._by_nodes else "for _ in range(row_blocks * column_blocks):"
        with lines.block(loop):
            lines(f"{total} = ttl.block.fill(0, shape={self._shapes.of(region.steps[self._product].shape)})")
            with lines.block("for _ in range(inner_blocks):"):
                items = [
                    f"{self._inputs[number]}_dfb.wait() as {self._inputs[number]}_blk"
                    for number in (left, right)
                ]
                with lines.with_items(items):
                    factors = []
                    for number in (left, right):
                        block = f"{self._inputs[number]}_blk"
                        turned = region.inputs[number].transposed
                        factors.append(f"ttl.block.transpose({block})" if turned else block)
                    lines(f"{total} += {factors[0]} @ {factors[1]}")
            waits = [
                f"{self._inputs[number]}_dfb.wait() as {self._inputs[number]}_blk" for number in self._more
            ]
            with lines.with_items([*waits, "y_dfb.reserve() as y_blk"]):
                others = [position for position in range(len(region.steps)) if position != self._product]
                last = statements.write(lines, others) if others else total
                lines(f"y_blk.store({last})")


@contextmanager
def _nested(lines: Lines, grid: tuple[int, int]) -> Iterator[None]:
    """Write the loops over a node's blocks of a product that is spread over the grid."""
    row = "row_block" if grid[1] == 1 else "node_y * row_blocks + row_block"
    column = "column_block" if grid[0] == 1 else "node_x * column_blocks + column_block"
    with lines.block("for row_block in range(row_blocks):"):
        lines(f"row = {row}", "row_slice = slice(row * rows, (row + 1) * rows)")
        with lines.block("for column_block in range(column_blocks):"):
            lines(f"column = {column}", "column_slice = slice(column * columns, (column + 1) * columns)")
            yield


@contextmanager
def _inner(lines: Lines) -> Iterator[None]:
    """Write the loop over the blocks of the inner dimension."""
    with lines.block("for inner_block in range(inner_blocks):"):
        lines("inner_slice = slice(inner_block * inner, (inner_block + 1) * inner)")
        yield
