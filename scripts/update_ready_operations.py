"""Write the table of cycles in docs/guides/ready-operations.md: every operation of ``ttl.ops`` on the emulated chips.

    python scripts/update_ready_operations.py [NAME ...]

Without names all rows are measured, which takes minutes. What stands between the markers ``<!-- cycles -->`` and
``<!-- /cycles -->`` is replaced; with names, only their rows.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "guides" / "ready-operations.md"
sys.path.insert(0, str(ROOT / "src"))

import numpy as np  # noqa: E402

import ttl  # noqa: E402
from ttl import settings  # noqa: E402

import ttnn  # noqa: E402  # isort: skip

CHIPS = ("wormhole", "blackhole")
HEAD = (
    "| operation | sizes | grid | blocks | Wormhole: cycles | of the bound | Blackhole: cycles | of the bound |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- |"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """What is measured: an operation, how it is made, and the shapes of its tensors."""

    name: str
    sizes: tuple[int, ...]
    grid: tuple[int, int]
    blocks: tuple[int, ...]
    shapes: tuple[tuple[int, ...], ...]
    more: dict[str, Any]
    exact: tuple[int, ...] = ()
    """Which tensors are of float32."""
    numbers: tuple[int, ...] = ()

    @property
    def is_row_major(self) -> bool:
        """Whether all tensors are, the first of numbers of rows."""
        return self.name == "embedding_gather"

    @property
    def call(self) -> tuple[Any, list[Any]]:
        """The operation and its arguments. Cycles depend on no values but those that say which rows are read."""
        make = getattr(ttl.ops, f"make_{self.name}")
        operation = make(sizes=self.sizes, grid=self.grid, blocks=self.blocks, **self.more)
        tensors = [
            ttnn.Tensor(
                np.zeros(shape, np.float32),
                dtype=ttnn.float32 if at in self.exact else ttnn.bfloat16,
                layout=ttnn.TILE_LAYOUT,
            )
            if not self.is_row_major
            else ttnn.Tensor(
                np.zeros(shape, np.float32)
                if at
                else (np.arange(shape[1], dtype=np.uint32) * 37 % self.sizes[1])[None],
                dtype=ttnn.bfloat16 if at else ttnn.uint32,
                layout=ttnn.ROW_MAJOR_LAYOUT,
            )
            for at, shape in enumerate(self.shapes)
        ]
        return operation, [*tensors, *self.numbers]


def add_and_scale(a: Any, b: Any) -> Any:
    """The expression that is measured."""
    return (a + b) * 2


def _row(
    name: str,
    sizes: tuple[int, ...],
    grid: tuple[int, int],
    blocks: tuple[int, ...],
    *shapes: tuple[int, ...],
    exact: tuple[int, ...] = (),
    numbers: tuple[int, ...] = (),
    **more: Any,
) -> Measured:
    return Measured(
        name=name,
        sizes=sizes,
        grid=grid,
        blocks=blocks,
        shapes=shapes,
        more=more,
        exact=exact,
        numbers=numbers,
    )


ROWS = (
    _row("elementwise", (1024, 512), (8, 4), (2, 4), *[(1024, 512)] * 3, function=add_and_scale, inputs=2),
    _row("matmul", (512, 512, 512), (4, 4), (4, 2, 4), *[(512, 512)] * 3),
    _row("gemv", (1, 512, 1024), (8, 4), (1,), (1, 512), (512, 1024), (1, 1024)),
    _row("swiglu", (1, 512, 512), (8, 2), (1, 16, 1), (1, 512), (512, 512), (512, 512), (1, 512)),
    _row("softmax", (1024, 512), (8, 4), (1,), (1024, 512), (1024, 512)),
    _row("rmsnorm", (1024, 512), (8, 4), (1,), (1024, 512), (1, 512), (1024, 512)),
    _row("layernorm", (1024, 512), (8, 4), (1,), (1024, 512), (1, 512), (1, 512), (1024, 512)),
    _row("rope", (512, 8, 64), (8, 2), (1,), (512, 512), (512, 64), (512, 64), (64, 64), (512, 512)),
    _row("flash_attention", (2, 512, 512, 64), (4, 4), (2, 4), *[(2, 512, 64)] * 4),
    _row(
        "flash_decode", (4, 1, 1024, 64), (4, 4), (4,),
        (4, 1, 64), (4, 1024, 64), (4, 1024, 64), (1, 1024), (4, 1, 64), exact=(3,),
    ),
    _row("kv_append", (8, 1024, 64), (8, 1), (2,), (8, 1, 64), (32, 1), (8, 1024, 64), numbers=(500,)),
    _row("embedding_gather", (512, 4096, 512), (8, 4), (16,), (1, 512), (4096, 512), (512, 512)),
    _row("moe_router", (128, 256, 8), (4, 1), (1,), (128, 256), (256, 8), (1, 8), (128, 8), exact=(2,)),
    _row("argmax", (32, 8192), (1, 1), (1, 16), (32, 8192), (1, 512), (32, 1), exact=(1, 2)),
    _row("topk", (64, 512), (2, 1), (1,), (64, 512), (1, 512), (64, 8), (64, 8), exact=(1, 3), k=8),
)  # fmt: skip


def measured(row: Measured) -> str:
    """A row of the table."""
    cells = [f"`{row.name}`", *(", ".join(map(str, value)) for value in (row.sizes, row.grid, row.blocks))]
    for chip in CHIPS:
        operation, arguments = row.call
        with settings.override(arch=chip):
            profile = ttl.profile(operation, *arguments).launches[0]
        share = 100 * profile.roof.cycles / profile.cycles
        cells += [f"{profile.cycles:,}", f"{share:.0f} % of {profile.roof.cycles:,}, {profile.roof.resource}"]
    return f"| {' | '.join(cells)} |"


def updated(text: str, names: list[str]) -> str:
    """The page with the rows of these operations as they are now; with all, without names."""
    pattern = re.compile(r"(<!-- cycles -->\n).*?(<!-- /cycles -->)", re.DOTALL)
    before = pattern.search(text)
    if before is None:
        raise SystemExit(f"{PAGE}: the markers of 'cycles' are missing")
    known = {line.split("`")[1]: line for line in before[0].splitlines() if line.startswith("| `")}
    lines = [measured(row) if not names or row.name in names else known.get(row.name, "") for row in ROWS]
    table = "\n".join([HEAD, *filter(None, lines)])
    return f"{text[: before.start()]}{before[1]}\n{table}\n\n{before[2]}{text[before.end() :]}"


def main() -> int:
    """Run the script and return its exit code."""
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8"), sys.argv[1:]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
