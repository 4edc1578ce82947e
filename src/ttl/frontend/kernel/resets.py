"""Resets while an operation is read: buffers of tokens, and the steps of kernels on them (``ttl.sim.resets``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ArrayAttr, StringAttr, UnitAttr
from xdsl.ir import SSAValue

from ttl.dialects import ttl as ir
from ttl.lang.check import fail
from ttl.rows.dtypes import BFLOAT16
from ttl.rows.types import BlockType
from ttl.rules import resets as rules

if TYPE_CHECKING:
    from ttl.frontend.kernel.objects import TracedBuffer
    from ttl.frontend.kernel.trace import OperationTrace
    from ttl.lang.resets import DFBReset

_MADE_BY = "ttl.made_by"  # marks a buffer as made by the compiler


class TracedResets:
    """The resets of one operation."""

    def __init__(
        self, tracer: OperationTrace, buffers: list[TracedBuffer], kernels: list[tuple[str, str]]
    ) -> None:
        self._tracer, self._buffers, self._kernels = tracer, buffers, kernels
        self._tokens: dict[DFBReset, dict[str, SSAValue]] = {}
        self._named: dict[DFBReset, tuple[frozenset[str] | None, str]] = {}

    def reset(self, reset: DFBReset, dfbs: Any) -> None:
        """Emit the steps of a kernel at a reset."""
        kernel = self._tracer.kernel
        assert kernel is not None
        named = None if dfbs is None else frozenset(buffer.name for buffer in dfbs)
        known, first = self._named.setdefault(reset, (named, kernel))
        if known != named:
            fail(rules.other_buffers(first))
        if reset not in self._tokens:
            self._tokens[reset] = self._made(len(self._tokens), named)
        tokens = self._tokens[reset]
        for _ in range(rules.ROUNDS):
            if kernel in tokens:
                self._step(ir.DfbPushOp(self._step(ir.DfbReserveOp(tokens[kernel])).result, how="explicit"))
                continue
            held = [self._step(ir.DfbWaitOp(token)).result for token in tokens.values()]
            for block in held:
                self._step(ir.DfbPopOp(block, how="explicit"))

    def _made(self, number: int, named: frozenset[str] | None) -> dict[str, SSAValue]:
        """Make a buffer for each data movement kernel, at the end of the body."""
        tracer = self._tracer
        assert tracer.body is not None
        kinds = self._kernels
        movers = [name for name, kind in kinds if kind == "data movement"]
        for what, few in (("data movement", not movers), ("compute", len(movers) == len(kinds))):
            if few:
                fail(rules.missing_kernel(what))
        names = sorted(buffer.name for buffer in self._buffers) if named is None else sorted(named)
        tokens: dict[str, SSAValue] = {}
        with tracer.builder.inside(tracer.body):
            for mover in movers:
                type_ = ir.DataflowBufferType.of(BlockType.of((1, 1), BFLOAT16), 1)
                op = ir.CreateDfbOp(type=type_, name=rules.token_name(mover, number))
                op.attributes[ir.RESETS] = ArrayAttr(map(StringAttr, names))
                op.attributes[_MADE_BY] = StringAttr("compiler")
                tokens[mover] = tracer.emit(op).result
        return tokens

    def _step(self, op: Any) -> Any:
        op.attributes[ir.RESETS] = UnitAttr()
        return self._tracer.emit(op)
