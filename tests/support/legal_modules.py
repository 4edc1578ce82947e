"""Modules of the ``ttl`` dialect that are right: those of ``tests/check/modules``, of examples, of the pages of all codes, and one for
each row of the table of operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, i64

from support.dialect_examples import application, attributes
from ttl.arch import USUAL, chip_named
from ttl.diag import catalog
from ttl.diag.errors import TTLError
from ttl.dialects import ttl
from ttl.dialects.text import parse_module
from ttl.frontend.file import lower_file
from ttl.ir.printer import print_module
from ttl.passes.microcores import KernelsToMicrocores
from ttl.rows.row import Op
from ttl.rows.table import OPS
from ttl.rows.types import BlockType

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = sorted((ROOT / "tests" / "check" / "modules").glob("*.mlir"))
EXAMPLES = (
    "matmul", "semaphores_pingpong", "softmax", "spec_signpost", "spec_scatter_gather", "spec_upsample_group_transfer",
    "spec_one_to_many_barrier", "row_major_copy", "spec_ring_forward", "matmul_accumulate_dfb", "gather_as_ready",
    "flash_attention", "block_sparse_matmul", "spec_gather",
)  # fmt: skip
"""Examples that use among them every operation that the written ones do not."""


@cache
def of_example(name: str) -> str:
    """The module of an example."""
    return print_module(lower_file(str(ROOT / "examples" / f"{name}.py")).module)


@cache
def of_row(row: Op) -> str:
    """A kernel that computes with a row of the table, and stores the result."""
    operands, params, result = application(row)
    buffers, blocks, moves, pops = [], [], [], []
    for number, type_ in enumerate(operands):
        buffer, short, block = _texts(type_)
        buffers.append(f'%b{number} = ttl.create_dfb "b{number}" : {buffer}')
        # What an external function fills and takes is of no interest to the rules of blocks.
        moves += [f"%w{number} = ttl.dfb_reserve %b{number} {{ttl.extern}} : {short}"]
        moves += [f"ttl.dfb_push %w{number} explicit {{ttl.extern}} : {block}"]
        blocks += [f"%r{number} = ttl.dfb_wait %b{number} : {short}"]
        blocks += [f"%v{number} = ttl.block_read %r{number} : {block}"]
        pops += [f"ttl.dfb_pop %r{number} explicit : {block}"]
    out, short, block = _texts(result)
    names = ", ".join(f"%v{number}" for number in range(len(operands)))
    types = ", ".join(str(ttl.value_type(type_)) for type_ in operands)
    computed = f"%x = ttl.block_{row.name} {names}{attributes(row, params)} : {types}{' ' * bool(types)}-> {ttl.value_type(result)}"
    body = "\n".join(
        [
            *buffers, f'%y = ttl.create_dfb "y" : {out}',
            "ttl.datamovement_kernel @read {", *moves, "}",
            "ttl.compute_kernel @compute {", *blocks, computed, f"%s = ttl.dfb_reserve %y : {short}",
            f"ttl.block_store %x, %s : {ttl.value_type(result)} -> {block}", f"ttl.dfb_push %s explicit : {block}", *pops, "}",
            "ttl.datamovement_kernel @write {", f"%t = ttl.dfb_wait %y {{ttl.extern}} : {short}",
            f"ttl.dfb_pop %t explicit {{ttl.extern}} : {block}", "}",
        ]
    )  # fmt: skip
    return f"ttl.operation @row() grid <1x1> {{\n{body}\n}}\n"


def _texts(type_: BlockType) -> tuple[str, str, str]:
    """The type of a buffer of two blocks, the same without its name, and the type of a block without its name."""
    buffer = str(ttl.DataflowBufferType.of(type_, 2))
    block = str(ttl.BlockMemoryType.of(type_)).removeprefix("!ttl.block")
    return buffer, buffer.removeprefix("!ttl.dfb"), block


@cache
def written() -> tuple[str, ...]:
    """The modules of ``tests/check/modules``, and one of them by microcores."""
    texts = [path.read_text(encoding="utf-8") for path in WRITTEN]
    module = parse_module(texts[0])
    KernelsToMicrocores().apply(Context(), module)
    return (*texts, print_module(module))


def of_examples() -> list[str]:
    """The modules of all examples that launch an operation."""
    names = sorted(path.stem for path in (ROOT / "examples").glob("*.py"))
    return [text for text in map(of_example, names) if "ttl.operation" in text]


def renumbered(text: str) -> str:
    """A module whose buffers have indices, the last ones that a node has, the other way round."""
    module = parse_module(text)
    buffers = [op for op in module.walk() if isinstance(op, ttl.CreateDfbOp)]
    last = chip_named(USUAL).dataflow_buffers - 1
    for number, op in enumerate(buffers):
        op.index = IntegerAttr(last - number, i64)
    return print_module(module)


def of_rows() -> list[str]:
    """A module for each row whose operands are blocks of tiles."""
    return [of_row(row) for row in OPS]


def of_pages() -> Iterator[str]:
    """The modules of the correct programs on the pages of all codes, where they make any."""
    with TemporaryDirectory() as folder:
        for code in catalog.codes():
            for number, source in enumerate(catalog.page(code).correct):
                path = Path(folder, f"{code}_{number}.py")
                path.write_text(source + "\n", encoding="utf-8")
                try:
                    module = lower_file(str(path)).module
                except TTLError:
                    continue
                if module.body.block.ops:
                    yield print_module(module)
