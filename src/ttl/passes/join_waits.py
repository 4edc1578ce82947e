"""``ttkernel-join-waits``: successive waits for one buffer, or successive pops of it, become one call.

A program acquires several blocks of a buffer at the head of a ``with``, and gives them back at its end: one wait for all of
their pages, and one pop.

Expects: kernels of ``ttkernel`` programs, whose blocks that are held together lie one behind the other in compute
kernels. Guarantees: no ``cb_wait_front`` or ``cb_reserve_back`` is followed by the same call for at least as many pages
of the same buffer, and in compute kernels no ``cb_pop_front`` by another one of the same buffer, with nothing in
between but arithmetic and calls of the same kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from ttl.analysis.arithmetic import integer_of
from ttl.analysis.dominance import outermost, walked
from ttl.dialects.ttkernel import GetCBOp, KernelCallOp, KernelOp, class_of
from ttl.kernel_api.function_rows import OnBuffer
from ttl.passes.building import Building, erase
from ttl.passes.contracts import Contract, PassFact

_POP = class_of("cb_pop_front")


@dataclass(frozen=True)
class JoinWaits(ModulePass):
    """Join successive waits for one buffer, and successive releases of it, into one call."""

    name = "ttkernel-join-waits"
    contract: ClassVar = Contract(needs=(PassFact.KERNELS,), before=(PassFact.LATE,))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in outermost(op, KernelOp):
            for item in walked(kernel):
                for region in item.regions:
                    for block in region.blocks:
                        _join(block, may_pop=kernel.thread == "tensix")


def _join(block: Block, *, may_pop: bool) -> None:
    for op in list(block.ops):
        if op.parent is None or not isinstance(op, KernelCallOp):
            continue
        if op.call.on_buffer == "waits" and _next(op, "waits") is not None:
            erase(op)
        elif may_pop and isinstance(op, _POP):
            _join_pops(op)


def _join_pops(first: KernelCallOp) -> None:
    """Merge a pop and the pops that follow it into the last of them.

    For compute kernels only: in a data movement kernel, the next block may lie at the other end of the ring.
    """
    row = [first]
    while (later := _next(row[-1], "gives")) is not None:
        row.append(later)
    numbers = [number for op in row if (number := _pages(op)) is not None]
    if len(row) == 1 or len(numbers) < len(row):
        return
    *others, last = row
    last.operands[1] = Building(last).value(sum(numbers))
    for other in others:
        erase(other)


def _next(op: KernelCallOp, kind: OnBuffer) -> KernelCallOp | None:
    """The next call of the same function for the same buffer (a wait: for no fewer pages), if they can be joined."""
    at = op.next_op
    while at is not None:
        if isinstance(at, KernelCallOp) and at.call.on_buffer == kind:
            if at.operands[0] is op.operands[0]:
                return at if at.call is op.call and _covers(at, op) else None
        elif not _is_arithmetic(at):
            return None
        at = at.next_op
    return None


def _covers(later: KernelCallOp, earlier: KernelCallOp) -> bool:
    if isinstance(later, _POP):
        return True
    first, second = _pages(earlier), _pages(later)
    return first is not None and second is not None and second >= first


def _pages(op: KernelCallOp) -> int | None:
    pages: SSAValue = op.operands[1]
    return integer_of(pages)


def _is_arithmetic(op: Operation) -> bool:
    if isinstance(op, KernelCallOp):
        return op.call.effect == "pure"
    return op.dialect_name() == "arith" or isinstance(op, GetCBOp)
