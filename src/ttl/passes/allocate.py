"""``ttl-allocate``: numbers for buffers and semaphores, and the plan of L1.

Expects: operations that have all of their buffers, also those of the compiler (which have the attribute
``ttl.made_by``). Guarantees: every ``ttl.create_dfb`` has an index: the index that the program asks for, else the
lowest free one; the program's buffers come first, in the order of the program. Every ``ttl.create_semaphore`` has its
number as ``ttl.id``. All buffers together, with row-major blocks rounded up to whole tiles, fit into L1 beside the
tensors of the operation that lie in L1. Buffers of the compiler that have the same type and are live at different times
of one kernel are merged. If there are not enough indices, buffers of the program are united into one ring whose blocks
go from one kernel to another in one order (``ttl.holds`` names all of them). If memory is scarce, buffers that are
never in use at the same time share memory (``ttl.shares`` names the buffer whose memory it is).
``ttl.protocol.sharing`` has the proofs. Too many or too large buffers are reported by ``ttl.rules.resources``, or as
TTL1430 and TTL1431 if it is only the buffers of the compiler that exceed the limits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count as counting
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp, StringAttr, i64

from ttl.analysis.dominance import of_kinds, walked
from ttl.analysis.liveness import Interference, LiveRange, live_range
from ttl.analysis.sharing import users_of
from ttl.arch import Chip
from ttl.diag import Diagnostic, error
from ttl.diag.words import listed
from ttl.dialects import ttl as dialect
from ttl.ir.failure import NotLowered, placed
from ttl.ir.locations import span_of
from ttl.ir.rewriting import replace_type
from ttl.passes.buffers.holding import holdings
from ttl.passes.buffers.l1 import block_pages, bytes_of, tensors_in_l1
from ttl.passes.choices import ChoicePoint, ChoosingPass, one_of, operations_of, point
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.marks import HOLDS, SEMAPHORE_ID, SHARES, WHY, chip_of, is_made, is_numbered
from ttl.protocol.sharing import BufferUsers, memory, rings
from ttl.rules.resources import (
    Buffer,
    Resident,
    any_group,
    beside,
    check_buffers,
    elsewhere,
    l1_table,
    match_indices,
    too_many_semaphores,
)

_ORDERS = ("program", "largest", "smallest")


@dataclass(frozen=True)
class Allocate(ChoosingPass):
    """Numbers for buffers and semaphores, and the plan of L1.

    ``order`` is the order in which buffers are numbered and lie in L1: that of the program, or the largest or smallest
    first.
    """

    name = "ttl-allocate"
    contract: ClassVar = Contract(
        needs=(PassFact.SECTIONS, PassFact.PIPES, PassFact.SPARE_ROWS), gives=(PassFact.NUMBERS,)
    )
    order: str = "program"

    def __post_init__(self) -> None:
        one_of("order", self.order, _ORDERS)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        findings: list[Diagnostic] = []
        for item in operations_of(op):
            findings += allocate(item, chip_of(item), self.order)
        if findings:
            raise NotLowered(findings)

    def choices(self, module: ModuleOp) -> Iterator[ChoicePoint]:
        for operation in operations_of(module):
            if len(_buffers(operation)) > 1:
                why = "asked for" if self.order != "program" else "the program's buffers keep their numbers"
                yield point("order", self.order, _ORDERS, why, None)


def allocate(operation: dialect.OperationOp, target: Chip, order: str = "program") -> list[Diagnostic]:
    """Number the resources of one operation; returns diagnostics for resources that do not fit."""
    findings = _number_semaphores(operation, target)
    given = _buffers(operation)
    wrong = match_indices([(op.buffer_name.data, op.buffer_index) for op in given], target)
    if wrong is not None:
        return [*findings, placed(wrong[1], given[wrong[0]])]
    _join(operation)
    buffers, tensors = _buffers(operation), tensors_in_l1(operation, target)
    room = target.l1_available_bytes - sum(tensor.nbytes for tensor in tensors)
    # ``users`` is about the buffers as they are here; ``members`` lists, for each later ring, which of them it unites.
    members = {op: [number] for number, op in enumerate(buffers)}
    users: BufferUsers | None = None
    grouped = any_group(op.group_number for op in buffers)
    if len(buffers) > target.dataflow_buffers or _total(buffers) > room or grouped:
        users = users_of(operation, buffers)
    if users is not None and len(buffers) > target.dataflow_buffers:
        _unite(operation, members, users, target.dataflow_buffers)
    rings = _in_order(list(members), order)
    taken = {op.buffer_index for op in rings}
    free = (index for index in counting() if index not in taken)
    for op in rings:
        if op.index is None:
            op.index = IntegerAttr(next(free), i64)
    # Members of a group share memory, and if that is not enough, all buffers that can.
    for only_groups in (True, False):
        if grouped if only_groups else _total(rings) > room:
            _share_memory(rings, members, users, only_groups=only_groups)
    problem = _too_much(rings, tensors, target)
    return findings if problem is None else [*findings, problem]


def _buffers(operation: dialect.OperationOp) -> list[dialect.CreateDfbOp]:
    ops = of_kinds(operation, dialect.CreateDfbOp)
    return sorted(ops, key=is_made)


def _in_order(buffers: list[dialect.CreateDfbOp], order: str) -> list[dialect.CreateDfbOp]:
    if order == "program":
        return buffers
    return sorted(buffers, key=bytes_of, reverse=order == "largest")


def _number_semaphores(operation: dialect.OperationOp, target: Chip) -> list[Diagnostic]:
    ops = [op for op in walked(operation) if isinstance(op, dialect.CreateSemaphoreOp) and is_numbered(op)]
    for number, op in enumerate(ops):
        op.attributes[SEMAPHORE_ID] = IntegerAttr(number, i64)
    problem = too_many_semaphores(len(ops), target)
    return [] if problem is None else [placed(problem, ops[target.semaphores])]


# --- reuse ----------------------------------------------------------------------------------------------------


def _join(operation: dialect.OperationOp) -> None:
    """Merge buffers of the compiler that have the same type and are live at different times of one kernel."""
    interference = Interference()
    kept: list[tuple[dialect.CreateDfbOp, list[LiveRange]]] = []
    for op, life in _private(_buffers(operation)):
        for other, lives in kept:
            if other.result.type == op.result.type and _apart(life, lives, interference):
                op.result.replace_all_uses_with(other.result)
                assert op.parent is not None
                op.parent.erase_op(op)
                lives.append(life)
                break
        else:
            kept.append((op, [life]))
    for op, lives in kept:
        if len(lives) > 1:
            _explain(op, f"it serves {len(lives)} such purposes, one after the other")


def _unite(
    operation: dialect.OperationOp,
    members: dict[dialect.CreateDfbOp, list[int]],
    users: BufferUsers,
    most: int,
) -> None:
    """Unite buffers of the program into rings where that is proved to be safe, until no more than ``most`` are left."""
    buffers = list(members)
    kinds = [
        None
        if is_made(op)
        or number in users.fixed
        or any(given is not None for given in (op.group, op.memory, op.index))
        else (op.result.type.block_type, tuple(op.attributes.items()))
        for number, op in enumerate(buffers)
    ]
    for ring in rings(kinds, users, most):
        owner, *others = (buffers[number] for number in ring)
        joined = [op for op in others if _one_ring(operation, owner, op)]
        for op in joined:
            members[owner] += members.pop(op)
            assert op.parent is not None
            op.parent.erase_op(op)
        if joined:
            owner.attributes[HOLDS] = ArrayAttr(op.buffer_name for op in (owner, *joined))
            names = listed(op.buffer_name.data for op in joined)
            _explain(owner, f"one ring for {names}, too: their blocks go the same way, in one order")


def _one_ring(operation: dialect.OperationOp, owner: dialect.CreateDfbOp, op: dialect.CreateDfbOp) -> bool:
    """Make ``op`` part of the ring of ``owner``; return whether that is possible.

    It is not if with every size of the ring, from the blocks of both to just below twice as many, a compute kernel may
    hold a block beyond its end, or the place of a kernel's block is not known.
    """
    own, more = owner.result.type, op.result.type
    uses = [(use.operation, use.index) for use in op.result.uses]
    op.result.replace_all_uses_with(owner.result)
    total = own.block_count + more.block_count
    for count in range(total, 2 * total):
        replace_type(owner.result, dialect.DataflowBufferType.of(own.block_type, count))
        try:
            for kernel in operation.kernels:
                holdings(kernel)
        except NotLowered:
            continue
        return True
    replace_type(owner.result, own)
    for user, index in uses:
        user.operands[index] = op.result
    return False


def _share_memory(
    buffers: list[dialect.CreateDfbOp],
    members: Mapping[dialect.CreateDfbOp, Sequence[int]],
    users: BufferUsers | None,
    *,
    only_groups: bool,
) -> None:
    """Let buffers use the same memory at different times."""
    interference = Interference()
    lives = dict(_private(buffers))

    def apart(one: int, other: int) -> bool:
        a, b = buffers[one], buffers[other]
        if only_groups and (a.group is None or a.group != b.group):
            return False
        if a in lives and b in lives and _apart(lives[a], [lives[b]], interference):
            return True
        return users is not None and all(
            users.apart(first, second) for first in members[a] for second in members[b]
        )

    movable = [
        number
        for number, op in enumerate(buffers)
        if op.memory is None and (op in lives or users is not None)
    ]
    sizes, units = list(map(bytes_of, buffers)), list(map(_unit, buffers))
    for number, place in memory(sizes, units, apart, movable).items():
        op, owner = buffers[number], buffers[place]
        op.attributes[SHARES] = StringAttr(owner.buffer_name.data)
        _explain(op, f"it uses the memory of {owner.buffer_name.data}, at another time")


def _private(buffers: list[dialect.CreateDfbOp]) -> list[tuple[dialect.CreateDfbOp, LiveRange]]:
    private = []
    for op in buffers:
        life = live_range(op.result) if is_made(op) else None
        if life is not None and isinstance(life.kernel, dialect.ComputeKernelOp):
            private.append((op, life))
    return private


def _apart(life: LiveRange, lives: list[LiveRange], interference: Interference) -> bool:
    return all(other.kernel is life.kernel and not interference.overlap(life, other) for other in lives)


def _unit(op: dialect.CreateDfbOp) -> int:
    type_ = op.result.type
    return block_pages(type_.block_type) * type_.block_type.page_bytes


def _explain(op: dialect.CreateDfbOp, more: str) -> None:
    why = op.attributes.get(WHY)
    said = f"{why.data}; " if isinstance(why, StringAttr) else ""
    op.attributes[WHY] = StringAttr(said + more)


# --- limits ---------------------------------------------------------------------------------------------------


def _total(buffers: list[dialect.CreateDfbOp]) -> int:
    return sum(bytes_of(op) for op in buffers if SHARES not in op.attributes)


def _too_much(buffers: list[dialect.CreateDfbOp], tensors: list[Resident], target: Chip) -> Diagnostic | None:
    own = [op for op in buffers if not is_made(op)]
    ops = [op for op in buffers if is_made(op)]
    counted = own if len(own) > target.dataflow_buffers else [op for op in own if SHARES not in op.attributes]
    finding = check_buffers([_row(op) for op in counted], target, tensors)
    if finding is not None:
        return placed(finding.diagnostic, counted[finding.index])
    if len(buffers) > target.dataflow_buffers:
        return placed(_too_many(own, ops, target), ops[target.dataflow_buffers - len(own)])
    if not buffers or _total(buffers) + sum(tensor.nbytes for tensor in tensors) <= target.l1_available_bytes:
        return None
    largest = max(buffers, key=bytes_of)
    return placed(_too_large(buffers, ops, largest, tensors, target), largest)


def _too_many(own: list[dialect.CreateDfbOp], ops: list[dialect.CreateDfbOp], target: Chip) -> Diagnostic:
    return error(
        "TTL1431",
        f"{len(own)} dataflow buffers of the program and {len(ops)} that the compiler needs, and a node of "
        f"{target.name} has {target.dataflow_buffers}",
        notes=_reasons(ops),
        help="split the expressions that need them into several operations, or join buffers of the program",
    )


def _too_large(
    buffers: list[dialect.CreateDfbOp],
    ops: list[dialect.CreateDfbOp],
    largest: dialect.CreateDfbOp,
    tensors: list[Resident],
    target: Chip,
) -> Diagnostic:
    budget, total = target.l1_available_bytes, _total(buffers)
    taken = sum(tensor.nbytes for tensor in tensors)
    rows = [_row(op) for op in buffers if SHARES not in op.attributes]
    extra = sum(bytes_of(op) for op in ops if SHARES not in op.attributes)
    rounded = total - sum(row.nbytes for row in rows)
    notes = [l1_table(rows, budget, tensors), *_reasons(ops)]
    if rounded:
        notes.append(f"row-major blocks are rounded up to whole tiles, which takes {rounded} bytes more")
    mine = max((op for op in buffers if op not in ops), key=bytes_of, default=largest)
    of_them = f", {extra} of them in buffers that the compiler needs{',' if taken else ''}" if extra else ""
    return error(
        "TTL1430",
        f"dataflow buffers take {total} bytes of L1{of_them}{beside(taken)}, and a node of {target.name} has {budget}",
        notes=tuple(notes),
        help=f"use smaller blocks: those of {mine.buffer_name.data} are the largest of the program's own"
        f"{_fewer_blocks(buffers, ops, total + taken - budget)}{elsewhere(tensors)}",
    )


def _fewer_blocks(buffers: list[dialect.CreateDfbOp], ops: list[dialect.CreateDfbOp], excess: int) -> str:
    """Part of a help text: the program's buffers for which one block each makes enough room; empty if it does not."""
    saved = {op: bytes_of(op) - bytes_of(op) // op.result.type.block_count for op in buffers if op not in ops}
    chosen: list[str] = []
    for op in sorted(saved, key=lambda op: saved[op], reverse=True):
        if excess <= 0 or not saved[op]:
            break
        excess -= saved[op]
        chosen.append(op.buffer_name.data)
    if excess > 0:
        return ""
    return f"; or give up overlapping: block_count=1 for {' and '.join(chosen)} makes enough room"


def _reasons(ops: list[dialect.CreateDfbOp]) -> tuple[str, ...]:
    result = []
    for op in ops:
        why = op.attributes.get(WHY)
        span = span_of(op)
        line = f" (line {span.line})" if span is not None else ""
        result.append(
            f"{op.buffer_name.data}{line}: {why.data if isinstance(why, StringAttr) else 'intermediate value'}"
        )
    return ("the compiler's buffers:\n" + "\n".join(result),) if result else ()


def _row(op: dialect.CreateDfbOp) -> Buffer:
    span = span_of(op)
    type_ = op.result.type
    return Buffer(
        op.buffer_name.data, type_.block_type, type_.block_count, span.line if span is not None else 0
    )
