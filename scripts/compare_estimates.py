"""Compare what ``ttrt perf`` estimates with the cycles of compiled kernels on the emulated chip.

    python scripts/compare_estimates.py [--check]

Replaces the table between ``<!-- compared -->`` and ``<!-- /compared -->`` of docs/ttmlir/estimates.md. ``--check`` changes
nothing and fails when it is stale. Takes a few seconds.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "ttmlir" / "estimates.md"

sys.path[:0] = [
    str(ROOT / "src"),
    str(ROOT / "tests"),
    str(ROOT / "benchmarks" / "emulated"),
    str(ROOT / "benchmarks" / "programs"),
]

from ttl.host import importer  # noqa: E402

importer.install()

import compiled  # noqa: E402
import launching  # noqa: E402
import matmul  # noqa: E402
import matmul_multicast  # noqa: E402
import softmax  # noqa: E402

import ttl  # noqa: E402
from support.ttnn_binaries import Binary  # noqa: E402
from tt_model.binaries.estimate import Estimate, estimates  # noqa: E402
from tt_model.cost.products import Product, fastest_product  # noqa: E402
from tt_model.cost.rates import Rates, chip_of  # noqa: E402
from tt_model.layouts.enums import DataType  # noqa: E402
from tt_model.layouts.known_systems import system  # noqa: E402

_GRID = (8, 8)
_HEAD = (
    "| operation, bf16, 64 cores of wormhole | estimate | bound by | emulated | estimate of emulated |\n"
    "| --- | ---: | --- | ---: | ---: |"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One operation, as a table of a binary and as kernels. Of several ways to cut it into blocks, the fastest counts."""

    name: str
    estimate: Callable[[], tuple[int, str]]
    programs: Sequence[Callable[[], Any]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """What came out."""

    name: str
    estimated: int
    bound: str
    emulated: int

    @property
    def share(self) -> float:
        """The estimate in parts of the emulated cycles."""
        return self.estimated / self.emulated


def operation(
    kind: str, inputs: Sequence[Sequence[int]], out: Sequence[int], names: Sequence[str], **fields: Any
) -> Callable[[], tuple[int, str]]:
    """The estimate of one operation on tensors of DRAM; ``names`` are the fields of its inputs."""

    def estimated() -> tuple[int, str]:
        tables = Binary()
        given = [tables.tensor(list(shape)) for shape in inputs]
        operands: Mapping[str, Any] = (
            {"ins": given} if names == ("ins",) else dict(zip(names, given, strict=True))
        )
        tables.op(kind, **operands, **fields, out=tables.tensor(list(out)))
        last: Estimate = estimates({"operations": tables.operations}, system("n150").first_chip)[-1]
        return last.cycles, last.bound

    return estimated


def product_alone(size: int) -> tuple[int, str]:
    """The estimate of a product whose operands no core shares: what ``ttrt perf`` says of batches."""
    rates = Rates(chip_of(system("n150").first_chip))
    tiles = size // 32
    product = Product(batch=1, rows=tiles, inner=tiles, columns=tiles, data_type=DataType.BFloat16)
    _, work = fastest_product(rates, product, _GRID, "alone")
    return round(rates.start + work.cycles), "DRAM" if work.dram >= work.compute else "arithmetic"


def elementwise(
    rows: int, cols: int, block: int, function: Callable[[Any], Any], in_torch: Callable[[Any], Any]
) -> Any:
    """``y = function(x)``, every node its share of the blocks of ``1 x block`` tiles."""

    @ttl.operation(grid=_GRID)
    def mapped(x: Any, y: Any) -> None:
        columns = x.shape[1] // 32 // block
        own = range(ttl.node(dims=1), x.shape[0] // 32 * columns, ttl.grid_size(dims=1))
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, block), block_count=2)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, block), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            for number in own:
                first = number % columns * block
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[number // columns, first : first + block], x_blk).wait()

        @ttl.compute()
        def compute() -> None:
            for _ in own:
                with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(function(x_blk))

        @ttl.datamovement()
        def write() -> None:
            for number in own:
                first = number % columns * block
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[number // columns, first : first + block]).wait()

    inputs = (launching.random(rows, cols, seed=0),)
    return launching.launched(launching.opened(), mapped, inputs, (rows, cols), in_torch=in_torch)


def summed(rows: int, cols: int, block: int) -> Any:
    """Sums of rows: every node its rows of tiles, ``block`` tiles at a time."""

    @ttl.operation(grid=_GRID)
    def row_sums(x: Any, y: Any) -> None:
        own = range(ttl.node(dims=1), x.shape[0] // 32, ttl.grid_size(dims=1))
        blocks = x.shape[1] // 32 // block
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, block), block_count=2)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            for row in own:
                for part in range(blocks):
                    with x_dfb.reserve() as x_blk:
                        ttl.copy(x[row : row + 1, part * block : (part + 1) * block], x_blk).wait()

        @ttl.compute()
        def compute() -> None:
            for _ in own:
                with y_dfb.reserve() as y_blk:
                    total = ttl.block.fill(0, shape=(1, 1))
                    for _ in range(blocks):
                        with x_dfb.wait() as x_blk:
                            total += ttl.math.reduce_sum(x_blk, dims=[-1], shape=(1, 1))
                    y_blk.store(total)

        @ttl.datamovement()
        def write() -> None:
            for row in own:
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[row, 0]).wait()

    def in_torch(x: Any) -> Any:
        return x.sum(-1, keepdim=True)

    return launching.launched(
        launching.opened(), row_sums, (launching.random(rows, cols, seed=0),), (rows, 1), in_torch=in_torch
    )


def rows() -> list[Row]:
    """What is compared."""

    def square(size: int) -> Callable[[], tuple[int, str]]:
        return operation("MatmulOp", [(size, size)] * 2, (size, size), ("in0", "in1"))

    def multicast(size: int) -> list[Callable[[], Any]]:
        tiles = size // 32 // 8
        return [
            lambda k=k: matmul_multicast.prepare(size=size, grid=_GRID, block=(tiles, tiles, k))
            for k in (2, 4, 8)
        ]

    import torch

    return [
        Row(
            name="relu, 256 x 256, a tile for each core",
            estimate=operation("EltwiseOp", [(256, 256)], (256, 256), ("ins",), type="Relu"),
            programs=[lambda: elementwise(256, 256, 1, ttl.math.relu, torch.relu)],
        ),
        Row(
            name="relu, 256 x 2048",
            estimate=operation("EltwiseOp", [(256, 2048)], (256, 2048), ("ins",), type="Relu"),
            programs=[
                lambda block=block: elementwise(256, 2048, block, ttl.math.relu, torch.relu)
                for block in (1, 2)
            ],
        ),
        Row(
            name="a + b, 2048 x 2048",
            estimate=operation("EltwiseOp", [(2048, 2048)] * 2, (2048, 2048), ("ins",), type="Add"),
            programs=[lambda block=block: compiled.sum_of(2048, 2048, _GRID, block) for block in (1, 2)],
        ),
        Row(
            name="sine, 2048 x 2048",
            estimate=operation("EltwiseOp", [(2048, 2048)], (2048, 2048), ("ins",), type="Sin"),
            programs=[
                lambda block=block: elementwise(2048, 2048, block, ttl.math.sin, torch.sin)
                for block in (1, 2)
            ],
        ),
        Row(
            name="sums of rows, 4096 x 1024",
            estimate=operation("ReductionOp", [(4096, 1024)], (4096, 1), ("in",), type="Sum", dim_arg=[1]),
            programs=[lambda block=block: summed(4096, 1024, block) for block in (1, 4, 8)],
        ),
        Row(
            name="softmax of rows, 4096 x 1024",
            estimate=operation("SoftmaxOp", [(4096, 1024)], (4096, 1024), ("in",), dimension=1),
            programs=[lambda: softmax.prepare(rows=4096, cols=1024, grid=_GRID)],
        ),
        Row(name="matmul 512, multicast", estimate=square(512), programs=multicast(512)),
        Row(name="matmul 1024, multicast", estimate=square(1024), programs=multicast(1024)),
        Row(
            name="matmul 512, every core reads for itself",
            estimate=lambda: product_alone(512),
            programs=[
                lambda block=block: matmul.prepare(size=512, grid=_GRID, block=block)
                for block in ((1, 1, 4), (2, 2, 4))
            ],
        ),
    ]


def compared(row: Row) -> Compared:
    """One row, estimated and emulated."""
    estimated, bound = row.estimate()
    emulated = min(compiled.launched(program())[1].cycles for program in row.programs)
    return Compared(name=row.name, estimated=estimated, bound=bound, emulated=emulated)


def table(results: Sequence[Compared]) -> str:
    """The table of the page."""
    lines = [
        f"| {one.name} | {one.estimated:,} | {one.bound} | {one.emulated:,} | {100 * one.share:.0f} % |"
        for one in results
    ]
    return "\n".join([_HEAD, *lines])


def page(text: str, results: Sequence[Compared]) -> str:
    """The page with the table of now."""
    new = f"<!-- compared -->\n\n{table(results)}\n\n<!-- /compared -->"
    return re.sub("<!-- compared -->.*<!-- /compared -->", lambda _: new, text, flags=re.DOTALL)


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    text = PAGE.read_text(encoding="utf-8")
    check = parser.parse_args().check
    new = page(text, [compared(row) for row in rows()])
    if check and new != text:
        print(f"{PAGE.relative_to(ROOT)} is stale: python scripts/compare_estimates.py", file=sys.stderr)
        return 1
    if not check:
        PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
