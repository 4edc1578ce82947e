"""``ttl-choose-mode``: whether values in the registers are 16 or 32 bits wide.

The language rounds a value only when it is stored. Registers of 16 bits round after every operation. That gives the
same result where only one operation of an expression rounds, and registers of 16 bits hold twice as many tiles. So
registers are 32 bits wide where an expression rounds more than once (sums of products and reductions round at every
step) or a buffer has elements of 32 bits. ``fp32_dest_acc_en`` in the program overrides this.

Compile options override both: ``registers`` sets the width. ``sync`` says whether a section may use half of the
registers, so that the packer works on the other half, or all of them.

Expects: operations that the chip has functions for. Guarantees: those with compute kernels have
``ttl.fp32_dest_acc_en``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import BoolAttr, ModuleOp, StringAttr, TensorType
from xdsl.ir import Operation, SSAValue

from ttl.analysis.dominance import walked
from ttl.diag import Diagnostic, error
from ttl.dialects import ttl as dialect
from ttl.ir.failure import NotLowered, placed
from ttl.passes.choices import ChoicePoint, ChoosingPass, illegal, no_value, one_of, operations_of, point
from ttl.passes.compute import by_packer
from ttl.passes.compute.carried import LOOPS
from ttl.passes.compute.modes import ACCUMULATION, FP32, FULL_SYNC, compute_mode, computed_dtypes, is_wide
from ttl.passes.compute.trees import tree
from ttl.passes.compute.views import type_of
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.marks import WHY
from ttl.rows.dtypes import DType

_REGISTERS = ("auto", "16", "32")
_SYNC = ("auto", "half", "full")
_ACCUMULATION = ("registers", "packer", "auto")


@dataclass(frozen=True)
class ChooseMode(ChoosingPass):
    """Whether values in the registers are 16 or 32 bits wide.

    ``registers`` is the width, and ``sync`` whether a section may use half of the registers or all of them; ``auto``
    leaves the choice to the rule.
    """

    name = "ttl-choose-mode"
    contract: ClassVar = Contract(
        needs=(PassFact.CHIP, PassFact.ROWS), gives=(PassFact.MODE,), before=(PassFact.BUFFERED,)
    )
    registers: str = "auto"
    sync: str = "auto"
    accumulation: str | None = None

    def __post_init__(self) -> None:
        one_of("registers", self.registers, _REGISTERS)
        one_of("sync", self.sync, _SYNC)
        if self.accumulation is not None:
            one_of("accumulation", self.accumulation, _ACCUMULATION)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        problems: list[Diagnostic] = []
        for operation in operations_of(op):
            if self.sync != "auto":
                operation.attributes[FULL_SYNC] = BoolAttr.from_bool(self.sync == "full")
            if self.accumulation is not None:
                operation.attributes[ACCUMULATION] = StringAttr(self.accumulation)
            if compute_mode(operation).accumulation == "packer":
                by_packer.as_additions(operation)
            if self.registers == "auto":
                problems += _choose(operation)
            else:
                problems += _choose_as_asked(operation, self.registers)
            problems += _accumulate(operation)
        if problems:
            raise NotLowered(problems)

    def choices(self, module: ModuleOp) -> Iterator[ChoicePoint]:
        for operation in operations_of(module):
            if not any(kernel.kind == "compute" for kernel in operation.kernels):
                continue
            wide = compute_mode(operation).fp32_dest
            yield point(
                "registers",
                "32" if wide else "16",
                _widths(operation),
                "asked for" if self.registers != "auto" else _reason(operation, wide),
                None,
                exact=False,
            )
            why = "all registers only where what a loop keeps there needs them, else half, so that the packer works on the other half"
            yield from self._sums(operation)
            yield point("sync", self.sync, _SYNC, "asked for" if self.sync != "auto" else why, None)

    def _sums(self, operation: dialect.OperationOp) -> Iterator[ChoicePoint]:
        mode = compute_mode(operation)
        sums = [*by_packer.sums(operation)]
        against = [by_packer.reason_against(op, mode) for op in sums]
        if not sums or all(against):
            return
        legal = [value for value in _ACCUMULATION if value != "packer" or not any(against)]
        asked = self.accumulation is not None or mode.accumulation != "registers"
        why = "asked for" if asked else "the packer rounds a sum at each addition"
        yield point("accumulation", mode.accumulation, legal, why, sums[0], exact=False)


def _accumulate(operation: dialect.OperationOp) -> list[Diagnostic]:
    """Let the packer add up all sums of blocks, or only those that the registers cannot hold, by the option; return the refusals."""
    mode = compute_mode(operation)
    problems = []
    if mode.strict and not mode.fp32_dest and (rounded := _rounded_again(operation, packed=False)):
        problems.append(placed(_rounded_on_its_way(), rounded))
    if mode.accumulation == "registers":
        return problems
    only_large = mode.accumulation == "auto"
    sums = [*by_packer.sums(operation)]
    for op in sums:
        reason = by_packer.reason_against(op, mode)
        if only_large and (reason is not None or by_packer.tiles_of(op) <= mode.capacity_of(True)):
            continue
        if reason is None:
            by_packer.mark(op)
        else:
            problems.append(illegal("accumulation", "packer", reason, ("registers", "auto"), op))
    if not sums and not only_large:
        reason = "no loop adds to a block that was reserved before it, as in y_blk += expression, or to a total that is only stored afterwards"
        problems.append(illegal("accumulation", "packer", reason, ("registers", "auto"), operation))
    return problems


def _widths(operation: dialect.OperationOp) -> tuple[str, ...]:
    return ("32",) if _wide_integers(operation) else ("16", "32")


def _reason(operation: dialect.OperationOp, wide: bool) -> str:
    if any(is_wide(dtype) for dtype in computed_dtypes(operation)):
        return "a buffer has elements of 32 bits"
    return "a value is rounded more than once on its way" if wide else "every value is rounded once"


def _choose_as_asked(operation: dialect.OperationOp, registers: str) -> list[Diagnostic]:
    if registers == "16":
        for where, dtype in _wide_integers(operation):
            reason = f"{dtype.name} has 32 bits"
            return [illegal("registers", registers, reason, _widths(operation), where)]
    operation.attributes[FP32] = BoolAttr.from_bool(registers == "32")
    return []


def _choose(operation: dialect.OperationOp) -> list[Diagnostic]:
    if FP32 in operation.attributes:
        if compute_mode(operation).fp32_dest:
            return []
        return [placed(_too_narrow(dtype), where) for where, dtype in _wide_integers(operation)][:1]
    if any(is_wide(dtype) for dtype in computed_dtypes(operation)):
        operation.attributes[FP32] = BoolAttr.from_bool(True)
        return []
    result = _rounded_again(operation, packed=compute_mode(operation).accumulation == "packer")
    operation.attributes[FP32] = BoolAttr.from_bool(result is not None)
    if result is not None:
        result.attributes[WHY] = StringAttr(
            "the registers are 32 bits wide, so that the value is rounded once, where it is stored; "
            "fp32_dest_acc_en=False makes them hold twice as many tiles, and round at every step"
        )
    return []


def _rounded_again(operation: dialect.OperationOp, *, packed: bool) -> Operation | None:
    return next(
        (op for kernel in operation.kernels for op in walked(kernel) if _rounds_again(op, packed)), None
    )


def _rounds_again(op: Operation, packed: bool) -> bool:
    """Whether registers of 16 bits round a value here, and again before it is stored; the packer adds if ``packed``."""
    if isinstance(op, dialect.BlockAccumulateOp) and not packed:
        return True
    if isinstance(op, LOOPS) and any(isinstance(value.type, TensorType) for value in op.results):
        return any(_rounds(result) for item in walked(op) if item is not op for result in item.results)
    if isinstance(op, dialect.BlockStoreOp | dialect.BlockAccumulateOp):
        return sum(map(_rounds, tree(op.value))) > 1
    return isinstance(op, dialect.BlockComputeOp) and op.row.adds_up and type_of(op.result).dtype.is_float


def _rounds(value: SSAValue) -> bool:
    op = value.owner
    if not isinstance(op, dialect.BlockComputeOp):
        return False
    return "exact" not in op.row.traits and type_of(op.result).dtype.is_float


def _wide_integers(operation: dialect.OperationOp) -> list[tuple[Operation, DType]]:
    return [
        (op, op.result.type.block_type.dtype)
        for kernel in operation.kernels
        if kernel.kind == "compute"
        for op in walked(kernel)
        if isinstance(op, dialect.AcquireOp)
        and isinstance(op.result.type, dialect.BlockMemoryType)
        and is_wide(op.result.type.block_type.dtype)
        and not op.result.type.block_type.dtype.is_float
    ]


def _rounded_on_its_way() -> Diagnostic:
    return no_value(
        "the value is rounded to 16 bits at each step, which --ttl-strict-f32-acc does not allow",
        help="leave accumulation=packer and what makes the registers 16 bits wide out, or the flag",
    )


def _too_narrow(dtype: DType) -> Diagnostic:
    return error(
        "TTL1407",
        f"fp32_dest_acc_en=False leaves 16 bits for a value in the registers, and {dtype.name} has 32",
        help="leave fp32_dest_acc_en out: the compiler chooses from the types",
    )
