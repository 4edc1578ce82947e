"""Padding that meets data, as far as extents are known before a run: the rules of ``ttl.rules.padding`` over the IR."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from ttl.analysis.dominance import of_kinds, walked
from ttl.analysis.padding import BlockPadding, PaddingFlow, buffer_of, net_of, padding_of_slice
from ttl.check.context import CheckContext
from ttl.check.unused import made_of
from ttl.diag.model import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.dialects.elements import RetypeOp
from ttl.ir.locations import chain_of, span_of
from ttl.rows.rules import negative
from ttl.rows.types import Layout
from ttl.rules import padding as rules
from ttl.rules.padding import Extents
from ttl.source.calls import operands_within


def check(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Find expressions in which padding meets data that reaches a tensor or a sum, and copies of padding onto data."""
    flow = PaddingFlow(operation)
    return list(_Padding(operation, flow).findings()) if flow.run() else []


class _Padding:
    def __init__(self, operation: dialect.OperationOp, flow: PaddingFlow) -> None:
        self._operation = operation
        self._flow = flow
        self._kernels = list(operation.kernels)
        self._met: dict[dialect.BlockComputeOp, tuple[rules.PaddingMismatch, ...]] = {}
        self._reasons: dict[dialect.BlockComputeOp, dict[rules.PaddingMismatch, str]] = {}

    def findings(self) -> Iterator[Diagnostic]:
        for kernel in self._kernels:
            for op in of_kinds(kernel, dialect.CopyOp, dialect.BlockComputeOp):
                match op:
                    case dialect.CopyOp():
                        findings = self._copy(op)
                    case dialect.BlockComputeOp() if op.row.family == "product":
                        findings = self._product(op)
                    case dialect.BlockComputeOp() if op.row.family == "reduction":
                        findings = self._reduction(op)
                    case _:
                        continue
                yield from (finding.noting(f"in kernel {kernel.kernel_name}") for finding in findings)
        for expression, reasons in self._reasons.items():
            yield from self._expression(expression, reasons)

    # --- padding of operations --------------------------------------------------------------------------------

    def _copy(self, op: dialect.CopyOp) -> Iterator[Diagnostic]:
        part = op.dst.owner
        if not isinstance(part, dialect.TensorSliceOp) or not isinstance(
            op.src.type, dialect.BlockMemoryType
        ):
            return
        block = op.src.type.block_type
        if block.layout is Layout.ROW_MAJOR or len(block.elements) < 2:
            return
        buffer = buffer_of(op.src)
        # A part at an unknown place is treated as the one at the tensor's end, which has the least data.
        wanted = padding_of_slice(part).valid or block.elements[-2:]
        extents = _known(self._flow.of(buffer), block.elements)
        for axis in rules.uncovered(extents, wanted):
            lines = extents[axis]
            assert lines is not None
            responsible = list(self._responsible(buffer, axis, lines))
            for expression, meeting in responsible:
                self._reasons.setdefault(expression, {})[meeting] = rules.COPIED
            owner = buffer.owner
            if not responsible and isinstance(owner, dialect.CreateDfbOp):
                told = rules.padding_copied(owner.buffer_name.data, axis, lines, wanted[axis])
                yield told.at(span_of(op))
                return

    def _product(self, op: dialect.BlockComputeOp) -> Iterator[Diagnostic]:
        left, right = op.operands
        differ = rules.product(
            self._extents(left)[-1], self._extents(right)[-2], dialect.block_type_of(left.type).elements[-1]
        )
        if differ is not None:
            span = span_of(op)
            texts = [text for text, _ in operands_within(span)] if span is not None else []
            yield rules.factors_differ(*differ, texts).at(span)

    def _reduction(self, op: dialect.BlockComputeOp) -> Iterator[Diagnostic]:
        source = op.operands[0]
        block, extents = dialect.block_type_of(source.type), self._extents(source)
        for axis in negative(op.params[0], len(block.shape)):
            if axis < -2 or not rules.lost_in_sum(axis, extents[axis], block.elements[axis]):
                continue
            for expression, meeting in self._responsible(source, axis, 1):
                self._reasons.setdefault(expression, {}).setdefault(meeting, rules.REDUCED)
        yield from ()

    # --- the origin of padding --------------------------------------------------------------------------------

    def _responsible(
        self, value: SSAValue, axis: int, lines: int
    ) -> Iterator[tuple[dialect.BlockComputeOp, rules.PaddingMismatch]]:
        """Yield the expressions behind a value or a buffer's blocks that leave so many lines of data along an axis."""
        seen: set[SSAValue] = set()
        waiting = [value]
        while waiting:
            value = waiting.pop()
            if value in seen:
                continue
            seen.add(value)
            owner = value.owner
            if isinstance(owner, dialect.BlockComputeOp):
                for meeting in self._meetings(owner):
                    if (meeting.axis, meeting.small) == (axis, lines):
                        yield owner, meeting
                waiting += [operand for operand in owner.operands if isinstance(operand.type, TensorType)]
            elif isinstance(owner, dialect.BlockReadOp):
                waiting.append(buffer_of(owner.block))
            elif isinstance(owner, RetypeOp):
                waiting.append(owner.value)
            elif isinstance(value.type, TensorType):
                waiting += made_of(value)
            else:
                waiting += self._put_into(value)

    def _put_into(self, target: SSAValue) -> Iterator[SSAValue]:
        """Yield the values stored into the blocks of a buffer, and the buffers and nets that are copied to ``target``."""
        for op in walked(self._operation):
            match op:
                case dialect.BlockStoreOp() | dialect.BlockAccumulateOp() if buffer_of(op.block) is target:
                    yield op.value
                case dialect.CopyOp() if isinstance(op.src.type, dialect.PipeType):
                    if buffer_of(op.dst) is target:
                        yield net_of(op.src)
                case dialect.CopyOp() if isinstance(op.dst.type, dialect.PipeType):
                    if net_of(op.dst) is target:
                        yield buffer_of(op.src)

    def _meetings(self, op: dialect.BlockComputeOp) -> tuple[rules.PaddingMismatch, ...]:
        known = self._met.get(op)
        if known is None:
            exact = [self._once_broadcast(operand, self._extents(operand)) for operand in op.operands]
            least = [self._once_broadcast(operand, self._least(operand)) for operand in op.operands]
            known = rules.meetings(op.row, exact, least)
            self._met[op] = known
        return known

    def _extents(self, value: SSAValue) -> Extents:
        """Return the data extents of an operand; ``ANY`` for numbers and constants, which have no padding."""
        if not isinstance(value.type, TensorType) or _is_constant(value):
            return rules.ANY
        block = dialect.block_type_of(value.type)
        if block.layout is Layout.ROW_MAJOR or len(block.elements) < 2:
            return rules.ANY
        return _known(self._flow.of(value), block.elements)

    def _least(self, value: SSAValue) -> Extents:
        """Return the data extents that an operand has in every case."""
        rows, columns = self._extents(value)
        padding = self._flow.of(value)
        if padding.valid is None or not isinstance(value.type, TensorType) or _is_constant(value):
            return rows, columns
        return padding.valid

    def _once_broadcast(self, value: SSAValue, extents: Extents) -> Extents:
        """Return an operand's extents after the broadcast that its expression lacks, to name everything missing."""
        owner = value.owner
        if not isinstance(owner, dialect.BlockComputeOp):
            return extents
        return rules.once_broadcast(extents, self._meetings(owner))

    def _expression(
        self, op: dialect.BlockComputeOp, reasons: dict[rules.PaddingMismatch, str]
    ) -> Iterator[Diagnostic]:
        span, kernel = span_of(op), op.parent_op()
        while kernel is not None and not isinstance(kernel, dialect.UserKernelOp):
            kernel = kernel.parent_op()
        operands = operands_within(span) if span is not None else ()
        texts = [text for text, _ in operands]
        for reason in dict.fromkeys(reasons.values()):
            meetings = [meeting for meeting, why in reasons.items() if why == reason]
            for not_broadcast in rules.not_broadcast(
                meetings, texts, dialect.block_type_of(op.result.type).shape, reason
            ):
                told = not_broadcast.with_fix(operands).at(span).called_from(chain_of(op))
                yield told if kernel is None else told.noting(f"in kernel {kernel.kernel_name}")


def _known(padding: BlockPadding, elements: tuple[int, ...]) -> Extents:
    if padding.valid is None:
        return elements[-2], elements[-1]
    rows, columns = (
        lines if fixed else None for lines, fixed in zip(padding.valid, padding.fixed, strict=True)
    )
    return rows, columns


def _is_constant(value: SSAValue) -> bool:
    """Whether a value is computed from numbers only."""
    owner = value.owner
    return isinstance(owner, dialect.BlockComputeOp) and all(
        not isinstance(operand.type, TensorType) or _is_constant(operand) for operand in owner.operands
    )
