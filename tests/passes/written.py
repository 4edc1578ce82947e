"""Bodies of compute kernels that a test writes, compiled and executed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent, indent

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from passes.executed import compare
from support.ir_execution import block_results, kernel_results, lowered, operation_of, types_of
from ttl.codegen.cpp import kernel_sources
from ttl.dialects.ttkernel import KernelCallOp, KernelOp, ProgramOp
from ttl.frontend.file import lower_file
from ttl.rows.dtypes import Array
from ttl.rows.types import BlockType

# Makes the elements of a block that arrives, from the shape of the block in elements.
Values = Callable[[np.random.Generator, BlockType], Array]
_BUFFER = re.compile(r"(?P<name>\w+)\[(?P<shape>[\d, ]+)\](:(?P<dtype>\w+))?(\*(?P<count>\d))?")


@dataclass(frozen=True)
class Written:
    """A kernel that was executed, and computed what it says."""

    program: ProgramOp
    inputs: Mapping[str, Sequence[Array]]
    blocks: Mapping[str, Sequence[Array]]
    calls: Mapping[str, int]

    @property
    def kernel(self) -> KernelOp:
        """The compute kernel."""
        (found,) = (each for each in self.program.kernels if each.thread == "tensix")
        return found

    @property
    def text(self) -> list[KernelCallOp]:
        """Its calls, in the order of its text."""
        return [op for op in self.kernel.walk() if isinstance(op, KernelCallOp)]

    @property
    def made(self) -> list[str]:
        """The buffers that the compiler made."""
        return [each.declared_name for each in self.program.buffers if each.made_by == "compiler"]


def whole_numbers(random: np.random.Generator, block: BlockType) -> Array:
    """Small whole numbers, which no format rounds."""
    return random.integers(-3, 4, block.elements).astype(np.float32 if block.dtype.is_float else np.int64)


def compiled(
    buffers: str,
    body: str,
    expected: str = "",
    *,
    dtype: str = "bfloat16",
    exactly: bool = True,
    rounds: bool = False,
    values: Values = whole_numbers,
    prepare: Callable[[ModuleOp], None] = lambda module: None,
    **options: bool,
) -> Written:
    """Compile the body of a compute kernel, execute it, and compare what it hands over with what its expressions say.

    ``buffers`` are the dataflow buffers that arrive and, behind the arrow, those that are handed over, with the shapes of their
    blocks in tiles: ``a[2, 1] b[1, 2]:float32*3 -> y[2, 2]`` (``:`` another element type, ``*`` another count of blocks than 2).
    A body that names no buffer (``a_dfb``) has a block of each, ``a``. ``expected`` are lines of the C++ of the kernel for 0.81,
    in their order; there may be others between them.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder, "tested.py")
        path.write_text(_program(buffers, dedent(body).strip("\n"), dtype, options), "utf-8")
        read = lower_file(str(path))
    assert [finding for finding in read.diagnostics if finding.code != "TTL1203"] == []
    prepare(read.module)
    random = np.random.default_rng(0)
    types = types_of(operation_of(read.module))
    says = block_results(read.module, {}, rounds=rounds, supply=lambda name, block: values(random, block))
    program = lowered(read.module)
    text = kernel_sources(program, "0.81")["compute.cpp"]
    lines = iter(text.splitlines())
    for line in filter(None, map(str.strip, expected.splitlines())):
        assert any(line in other for other in lines), (
            f"{line}\nis not there, or not behind what it follows, in\n{text}"
        )
    found = kernel_results(program, types, says.supplied, rounds=rounds)
    compare(says, found.blocks, exactly=exactly)
    return Written(program, says.supplied, found.blocks, found.calls)


def _program(buffers: str, body: str, dtype: str, options: Mapping[str, bool]) -> str:
    found = [each.groupdict() for each in _BUFFER.finditer(buffers)]
    arriving = len(_BUFFER.findall(buffers.partition("->")[0]))
    if "_dfb" not in body:
        blocks = ", ".join(
            f"{each['name']}_dfb.{'wait' if at < arriving else 'reserve'}() as {each['name']}"
            for at, each in enumerate(found)
        )
        body = f"with {blocks}:\n{indent(body, '    ')}"
    made = "".join(
        f"    {each['name']}_dfb = ttl.make_dataflow_buffer_like({each['name']}_tensor, shape=({each['shape']}), "
        f"block_count={each['count'] or 2})\n"
        for each in found
    )
    tensors = ", ".join(
        f"ttnn.empty((64, 64), dtype=ttnn.{each['dtype'] or dtype}, layout=ttnn.TILE_LAYOUT)"
        for each in found
    )
    given = "".join(f", {name}={value}" for name, value in options.items())
    return (
        f"import ttl\nimport ttnn\n\n\n@ttl.operation(grid=(2, 1){given})\n"
        f"def tested({', '.join(each['name'] + '_tensor' for each in found)}):\n{made}\n"
        f"    @ttl.compute()\n    def compute():\n{indent(body, '        ')}\n\n\ntested({tensors})\n"
    )
