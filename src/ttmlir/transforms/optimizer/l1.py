"""The tensors in L1 over time, and those that move to DRAM because they do not fit.

A tensor is live from the operation that produces it to the last one that reads it; the runtime computes a result beside
the destination that was allocated for it, so that it counts twice at its own operation. The circular buffers of an
operation are live while it runs. All cores allocate in step, so that the fullest one counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.ir import Block, Operation

from tt_model.layouts.banks import bytes_of_bank
from tt_model.layouts.enums import BufferType
from tt_model.layouts.layout import TTNNLayout
from tt_model.operations.lying import stated_layout
from tt_model.operations.operation import RowOperation, is_destination_style
from tt_model.operations.tensors import shape_of
from tt_model.operations.ttnn import TTNNEmptyOp, TTNNToLayoutOp
from ttl.ir.refusals import Refused
from ttmlir.transforms.optimizer.chip import TargetChip
from ttmlir.transforms.optimizer.cost import CostModel, Laid
from ttmlir.transforms.optimizer.decisions import Decisions, settle
from ttmlir.transforms.optimizer.legality import keeps_place
from ttmlir.transforms.optimizer.schedule import is_schedulable


@dataclass(frozen=True, slots=True)
class L1Tensor:
    """A tensor in L1: the operation that produces it, its layout, and its bytes in the fullest core.

    ``copies``: the number of copies beside the tensor itself at this moment.
    """

    op: Operation
    layout: TTNNLayout
    bytes: int
    copies: int = 0

    @property
    def used(self) -> int:
        """Bytes of all copies."""
        return self.bytes * (1 + self.copies)


@dataclass(frozen=True, slots=True)
class L1Moment:
    """L1 of the fullest core while an operation runs: tensors, and circular buffers of the operation."""

    op: Operation
    tensors: tuple[L1Tensor, ...]
    buffers: int

    @property
    def used(self) -> int:
        """Bytes of the fullest core."""
        return self.buffers + sum(tensor.used for tensor in self.tensors)


def moments(block: Block, chip: TargetChip, decisions: Decisions) -> Iterator[L1Moment]:
    """Yield the state of L1 at every operation with results, except destinations, in the final order of operations."""
    order = [op for op in decisions.order or tuple(block.ops) if is_schedulable(op)]
    last = _last_uses(order)
    model = CostModel(chip)
    alive: dict[Operation, L1Tensor] = {}
    for index, op in enumerate(order):
        new = _result(op, chip, decisions)
        if new is not None:
            alive[op] = new
        laid = [
            L1Tensor(op, layout, size)
            for position in range(len(op.operands))
            if (layout := decisions.edges.get((op, position))) is not None
            and (size := bytes_in_l1(layout, shape_of(op.operands[position]), chip))
        ]
        now = (*(alive[one] for one in alive), *laid)
        yield L1Moment(op, now, _buffers(op, model, decisions))
        if new is not None:
            alive[op] = L1Tensor(op, new.layout, new.bytes)
        for value in op.operands:
            owner = value.owner
            if isinstance(owner, Operation) and last.get(owner) == index:
                alive.pop(owner, None)
        if op not in last:
            alive.pop(op, None)


def fit(block: Block, chip: TargetChip, decisions: Decisions, *, reconfigure: bool) -> None:
    """Move tensors that do not fit into L1 to DRAM, the largest first.

    Raises ``Refused`` if tensors that a user put into L1 do not fit.
    """
    room = chip.program_l1
    while True:
        victims: dict[Operation, L1Moment] = {}
        gone: set[Operation] = set()
        for moment in moments(block, chip, decisions):
            left = [tensor for tensor in moment.tensors if tensor.op not in gone]
            while moment.buffers + sum(tensor.used for tensor in left) > room:
                victim = _victim(moment, left, decisions, room)
                if victim is None:
                    break
                moved = _giver(victim.op)
                gone |= {victim.op, moved}
                victims[moved] = moment
                left = [tensor for tensor in left if tensor.op not in gone]
        if not victims:
            return
        for op, moment in victims.items():
            decisions.chosen[op] = decisions.legal[op][0]
            decisions.because(
                op,
                f"back in DRAM: at {moment.op.name} tensors and circular buffers would take {moment.used:,} bytes of L1, and a core "
                f"has {room:,}",
            )
        settle(block, chip, decisions, reconfigure=reconfigure)


def _victim(moment: L1Moment, tensors: list[L1Tensor], decisions: Decisions, room: int) -> L1Tensor | None:
    """Return the largest tensor that may move to DRAM; None if there is no such tensor.

    Raises ``Refused`` if no tensor may move and a user requested the layout of one.
    """
    movable = [tensor for tensor in tensors if _may_go(_giver(tensor.op), decisions)]
    if movable:
        return max(movable, key=lambda tensor: tensor.used)
    if not any(tensor.op in decisions.overridden for tensor in tensors):
        return None
    raise Refused(
        f"at '{moment.op.name}' op tensors and circular buffers take {moment.used:,} bytes of L1, and a core has {room:,}: "
        + ", ".join(f"{tensor.op.name} {tensor.used:,}" for tensor in tensors),
        "what works: no override that puts them into l1, or one with more cores",
        moment.op,
    )


def _giver(op: Operation) -> Operation:
    """Return the operation whose layout decides where a result lies: ``op``, or the producer of its operand."""
    while keeps_place(op) and isinstance(owner := op.operands[0].owner, Operation):
        op = owner
    return op


def _may_go(op: Operation, decisions: Decisions) -> bool:
    if op in decisions.overridden or op not in decisions.legal:
        return False
    first, chosen = decisions.legal[op][0], decisions.chosen[op]
    return first.buffer_type is BufferType.DRAM and chosen.buffer_type is BufferType.L1


def _last_uses(order: list[Operation]) -> dict[Operation, int]:
    """The place of the last operation that uses the first result of each."""
    place = {op: index for index, op in enumerate(order)}
    last: dict[Operation, int] = {}
    for op in order:
        places = [place.get(use.operation, len(order)) for use in op.results[0].uses]
        if places:
            last[op] = max(places)
    return last


def _result(op: Operation, chip: TargetChip, decisions: Decisions) -> L1Tensor | None:
    layout = decisions.now(op)
    if layout is None or layout.buffer_type is not BufferType.L1:
        return None
    size = bytes_in_l1(layout, shape_of(op.results[0]), chip)
    copies = 1 if is_destination_style(op) or isinstance(op, TTNNToLayoutOp) else 0
    return L1Tensor(op, layout, size, copies)


def bytes_in_l1(layout: TTNNLayout, shape: tuple[int, ...], chip: TargetChip) -> int:
    """Return the bytes of a tensor in the fullest core.

    Interleaved rows are counted as tiles, if these are larger: operations compute tiles, whatever the type says.
    """
    if layout.buffer_type is not BufferType.L1:
        return 0
    alignment = chip.system.address_alignment(layout.buffer_type)
    sizes = [
        bytes_of_bank(
            shape, layout.data_type, tiled, layout.memory_config, banks=chip.cores, alignment=alignment
        )
        for tiled in {layout.is_tiled, layout.is_tiled or not layout.memory_layout.is_sharded}
    ]
    return max(sizes)


def _buffers(op: Operation, model: CostModel, decisions: Decisions) -> int:
    layout = decisions.now(op)
    if layout is None:
        return 0
    cost = model.of(op, operands_of(op, decisions), (layout, shape_of(op.results[0])))
    return 0 if cost is None else cost.buffers


def operands_of(op: Operation, decisions: Decisions) -> list[Laid]:
    """The layouts and shapes of the operands that an operation reads, as it gets them."""
    inits = set(op.inits) if isinstance(op, RowOperation) else set()
    laid: list[Laid] = []
    for position, value in enumerate(op.operands):
        if value in inits or stated_layout(value) is None:
            continue
        layout = decisions.operand(op, position)
        if layout is not None:
            laid.append((layout, shape_of(value)))
    return laid


def estimated_cycles(block: Block, chip: TargetChip, decisions: Decisions) -> int:
    """Return the estimated cycles of a function with its decisions: those of operations, and of changes of layout."""
    model, total = CostModel(chip), 0
    for op in block.ops:
        layout = decisions.now(op)
        if layout is None or isinstance(op, TTNNEmptyOp | TTNNToLayoutOp):
            continue
        cost = model.of(op, operands_of(op, decisions), (layout, shape_of(op.results[0])))
        total += 0 if cost is None else cost.cycles
    for (op, position), target in decisions.edges.items():
        value = op.operands[position]
        source = decisions.now(value.owner) if isinstance(value.owner, Operation) else None
        if source is not None and not source.buffer_type.is_host and not target.buffer_type.is_host:
            shape = shape_of(value)
            total += model.of_move((source, shape), (target, shape)).cycles
    return total
