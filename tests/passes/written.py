"""Compute kernels that a test writes, compiled and executed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from passes.executed import compare
from support.block_kernels import Author, random_blocks
from support.ir_execution import block_results, kernel_results, lowered, operation_of, types_of
from ttl.dialects.ttkernel import KernelCallOp, KernelOp, ProgramOp
from ttl.rows.dtypes import Array


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


def executed(
    author: Author,
    counts: Mapping[str, int],
    *,
    exactly: bool = True,
    rounds: bool = False,
    inputs: Mapping[str, Sequence[Array]] | None = None,
) -> Written:
    """Compile and execute a kernel, and compare it with what its expressions say.

    ``counts`` are the blocks that arrive, of small whole numbers if ``inputs`` does not have others; ``rounds``: as
    the hardware does.
    """
    module = author.module()
    types = types_of(operation_of(module))
    given = inputs or random_blocks(types, counts, np.random.default_rng(0), limit=3)
    wanted = block_results(module, given, rounds=rounds)
    program = lowered(module)
    found = kernel_results(program, types, given, rounds=rounds)
    compare(wanted, found.blocks, exactly=exactly)
    return Written(program, given, found.blocks, found.calls)
