"""``ttl-buffer-factor``: how many blocks a dataflow buffer holds.

Expects: operations whose values are not in buffers yet. Guarantees: named buffers hold the number of blocks that the
option gives. Without names, buffers through which more than one block goes hold at least two, as far as L1 has room,
and buffers through which one block goes hold one.

A larger buffer changes no result and causes no deadlock: a kernel that has room in the smaller one has room in the larger one. A
smaller one may cause a deadlock; therefore a buffer is made smaller only if one block in all goes through it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ttl.analysis.dominance import ancestors
from ttl.analysis.loops import trips
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.dialects.structure import OperationOp
from ttl.ir.failure import NotLowered, placed
from ttl.ir.refusals import Refused
from ttl.ir.rewriting import replace_type
from ttl.passes.buffers.l1 import bytes_of, tensors_in_l1
from ttl.passes.choices import named, operations_of
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.marks import chip_of
from ttl.rules.schedules import not_applied


@dataclass(frozen=True)
class BufferFactor(ModulePass):
    """Set how many blocks dataflow buffers hold.

    ``blocks`` sets it for some buffers, ``a_dfb:3,b_dfb:2``; if it is empty, the pass chooses for all.
    """

    name = "ttl-buffer-factor"
    contract: ClassVar = Contract(before=(PassFact.BUFFERED,))
    blocks: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        asked = named("blocks", self.blocks)
        for operation in operations_of(op):
            buffers = buffers_of(operation)
            try:
                for name, text in asked.items():
                    if name in buffers:
                        set_blocks(buffers[name], int(text))
                if not asked:
                    choose_blocks(operation, list(buffers.values()))
            except Refused as problem:
                raise NotLowered([refusal(problem, operation)]) from None


def refusal(problem: Refused, operation: OperationOp) -> Diagnostic:
    """Return a refusal as the error TTL1463, at the place of its operation."""
    return placed(not_applied(problem.condition, problem.way_out), problem.op or operation)


def buffers_of(operation: OperationOp) -> dict[str, dialect.CreateDfbOp]:
    """The dataflow buffers of an operation, by name."""
    return {op.buffer_name.data: op for op in operation.body.block.ops if isinstance(op, dialect.CreateDfbOp)}


def set_blocks(dfb: dialect.CreateDfbOp, count: int) -> None:
    """Let a buffer hold ``count`` blocks. Raises ``Refused`` if that might cause a deadlock, or the number is fixed."""
    there, name = dfb.result.type.block_count, dfb.buffer_name.data
    if count == there:
        return
    require_own(dfb)
    if count < there and (passing := blocks_through(dfb)) != 1:
        many = "an unknown number of" if passing is None else str(passing)
        raise Refused(
            f"{name} holds {there} blocks, and with {count} a kernel may wait forever: {many} blocks go through it",
            f"ask for {there} blocks or more",
            dfb,
        )
    type_ = dfb.result.type
    replace_type(dfb.result, dialect.DataflowBufferType(type_.shape, type_.element_type, count))


def require_own(dfb: dialect.CreateDfbOp) -> None:
    """Raise ``Refused`` for a buffer whose memory is not its own, or on whose ring others rely."""
    why = None
    if dfb.memory is not None:
        why = "its memory is that of a tensor"
    elif dfb.group is not None:
        why = "it shares memory with the buffers of its group"
    elif dfb.scope_word is not None:
        why = f"its scope is {dfb.scope_word.data}"
    elif any(isinstance(use.operation, dialect.DfbResidentOp) for use in dfb.result.uses):
        why = "it stays resident"
    if why is not None:
        raise Refused(
            f"{dfb.buffer_name.data} keeps its number of blocks: {why}", "leave this buffer out", dfb
        )


def blocks_through(dfb: dialect.CreateDfbOp) -> int | None:
    """Return how many blocks go through a buffer on a node while an operation runs; None where that is not known."""
    total = 0
    for use in dfb.result.uses:
        if not isinstance(use.operation, dialect.DfbReserveOp):
            continue
        count = 1
        for around in ancestors(use.operation):
            if isinstance(around, affine.ForOp | scf.ForOp):
                iterations = trips(around)
                if iterations is None:
                    return None
                count *= iterations
            elif isinstance(around, scf.WhileOp):
                return None
        total += count
    return total


def choose_blocks(operation: OperationOp, buffers: list[dialect.CreateDfbOp]) -> None:
    """Let buffers hold at least two blocks, as far as there is room, but one if only one block goes through."""
    chip = chip_of(operation)
    room = chip.l1_available_bytes - sum(bytes_of(dfb) for dfb in buffers_of(operation).values())
    room -= sum(tensor.nbytes for tensor in tensors_in_l1(operation, chip))
    for dfb in buffers:
        there, passing = dfb.result.type.block_count, blocks_through(dfb)
        wanted = 1 if passing == 1 else max(2, there)
        more = (wanted - there) * bytes_of(dfb) // there
        try:
            if more <= room and wanted != there:
                set_blocks(dfb, wanted)
                room -= more
        except Refused:
            continue  # it keeps its number of blocks
