"""``ttkernel-read-over``: a tensor is read over a NoC that is not the kernel's own.

Expects: kernels of ``ttkernel`` programs with their final barriers. Guarantees: kernels on the other NoC read the pages
of the tensor over the requested NoC, and wait for reads over both. No compilation needs this pass: it is for
experiments with another division of the transfers.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ttl.analysis.dominance import inside, outermost
from ttl.dialects.ttkernel import AccessorOp, KernelCallOp, KernelOp, call, class_of

_READ, _BARRIER = class_of("noc_async_read_page"), class_of("noc_async_read_barrier")


@dataclass(frozen=True)
class ReadOver(ModulePass):
    """Read a tensor over a NoC in the kernels that have the other one."""

    name = "ttkernel-read-over"
    tensor: str = ""
    noc: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in outermost(op, KernelOp):
            if kernel.noc == 1 - self.noc:
                self._convert(kernel)

    def _convert(self, kernel: KernelOp) -> None:
        calls = list(inside(kernel))
        reads = [one for one in calls if isinstance(one, _READ) and self._is_of_tensor(one)]
        for read in reads:
            over = call("noc_async_read_page_over", *read.operands, noc=self.noc)
            over.location = read.location
            Rewriter.replace_op(read, over)
        for barrier in [one for one in calls if reads and isinstance(one, _BARRIER)]:
            other = call("noc_async_read_barrier_of", noc=self.noc)
            other.location = barrier.location
            assert barrier.parent is not None
            barrier.parent.insert_op_after(other, barrier)

    def _is_of_tensor(self, read: KernelCallOp) -> bool:
        accessor = read.operands[1].owner
        return isinstance(accessor, AccessorOp) and accessor.declared_name == self.tensor
