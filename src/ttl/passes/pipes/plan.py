"""``ttl-plan-pipes``: how messages get from node to node, and the semaphores and buffers that this takes.

Expects: operations after ``ttl-infer-sync``. Guarantees: every net that carries messages has a protocol, in the
attribute ``ttl.protocol``, and the resources that it needs: semaphores, and a buffer of the compiler where messages
land. Running it again changes nothing. (docs/adr/0043-pipes-on-the-chip.md.)

- ``early``: a message goes from the sender's block straight into the receiver's, which was acquired, on every node,
  before anything is sent. The sender's own block of that buffer is at the same address.
- ``late``: the receiver says where its block is when it receives.
- ``eager``: as ``early``, and the sender continues before its message has left. Only a compile option chooses it: it
  can be slower where reads of the next block then overlap with messages that other nodes wait for.
- ``staged``: a message lands in a buffer beside the receiver's blocks, which has room for one of each pipe, and is
  copied into the block when it is received. So a send waits only until the message before it was received.
- ``across``: as ``staged``, for a net with pipes to other chips. Its semaphores are semaphores of the host, since they
  have to exist before the program of a chip begins, at one address on all chips; receivers signal at their beginning
  that there is room.
- ``direct``: for an operation over several chips. Messages land in the blocks that are acquired for them, one after the
  other: nothing else is put into that buffer, and it has some additional blocks, for messages that arrive before their
  blocks are acquired. Both ends count messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue

from ttl.arch import Chip
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.ir.failure import NotLowered
from ttl.ir.rewriting import replace_type
from ttl.passes.buffers.l1 import bytes_of
from ttl.passes.choices import (
    ChoicePoint,
    ChoosingPass,
    illegal,
    named,
    operations_of,
    point,
    unknown_names,
)
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.marks import ACROSS, AHEAD, IMPLIED, MADE_BY, NETS, SAYS, WHY, chip_of
from ttl.passes.movement.links import across
from ttl.passes.movement.semaphores import too_many_semaphores
from ttl.passes.names import UniqueNames, name_resources
from ttl.passes.pipes.choice import (
    alike,
    can_be_staged,
    direct,
    eager,
    early,
    late,
    nodes_do_the_same,
    signals_by_itself,
    waits_in_functions,
)
from ttl.passes.pipes.net import ChipNet, Uses, uses_of
from ttl.passes.pipes.words import BUFFER, make_words
from ttl.protocol.chips import chip_count

Protocol = Literal["early", "eager", "late", "staged", "across", "direct"]

PROTOCOL, READY, VALID, LANDING, ONE = (
    "ttl.protocol",
    "ttl.ready",
    "ttl.valid",
    "ttl.landing",
    "ttl.one",
)


@dataclass(frozen=True)
class PlanPipes(ChoosingPass):
    """Plan how messages get from node to node, and make the semaphores and buffers that this takes.

    ``protocols`` overrides the rule for some nets: ``a_net:staged``.
    """

    name = "ttl-plan-pipes"
    contract: ClassVar = Contract(
        needs=(PassFact.CHIP, PassFact.SYNC), gives=(PassFact.PIPES,), before=(PassFact.NUMBERS,)
    )
    protocols: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        named("protocol", self.protocols)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        asked = named("protocol", self.protocols)
        findings: list[Diagnostic] = []
        for item in op.body.block.ops:
            if not isinstance(item, dialect.OperationOp):
                continue
            for semaphore in across(item):
                semaphore.attributes[ACROSS] = UnitAttr()
            findings += plan_pipes(item, asked)
            share_words(item, chip_of(item))
            findings += too_many_semaphores(item, chip_of(item))
        if findings:
            raise NotLowered(findings)

    def choices(self, module: ModuleOp) -> Iterator[ChoicePoint]:
        asked = named("protocol", self.protocols)
        for operation in operations_of(module):
            nets = _Nets(operation)
            for uses in nets.active:
                chosen = uses.made.attributes[PROTOCOL]
                assert isinstance(chosen, StringAttr)
                why = uses.made.attributes.get(WHY)
                reason = why.data if isinstance(why, StringAttr) else ""
                yield point(
                    f"protocol.{uses.name}",
                    chosen.data,
                    nets.legal(uses),
                    "asked for" if uses.name in asked else reason,
                    uses.made,
                )


class _Nets:
    """The nets of an operation that carry messages, and the protocols that they can have."""

    def __init__(self, operation: dialect.OperationOp) -> None:
        self._operation = operation
        self._every = uses_of(operation)
        self.active = [uses for uses in self._every if uses.sends or uses.receives]
        self._signals = signals_by_itself(operation)

    @cached_property
    def _in_step(self) -> bool:
        """Whether all nodes do the same steps in the same order."""
        nodes = {node for uses in self.active for node in uses.net.nodes}
        nets: dict[SSAValue, ChipNet] = {uses.made.result: uses.net for uses in self._every}
        return not self._signals and nodes_do_the_same(self._operation, nodes, nets)

    @cached_property
    def _straight(self) -> bool:
        """Whether messages can go straight into blocks that every node acquires before anything is sent."""
        return (
            not self._signals
            and not any(uses.net.is_across for uses in self.active)
            and all(early(uses) for uses in self.active)
            and not waits_in_functions(self.active)
            and self._in_step
        )

    def rule(self, uses: Uses) -> Protocol:
        """Return the protocol of a net where no option chooses one."""
        if uses.net.is_across or self._can_be_direct(uses):
            return self.legal(uses)[0]
        if self._straight:
            return "early"
        return "late" if self._can_be_late(uses) else "staged"

    def legal(self, uses: Uses) -> list[Protocol]:
        """Every protocol that a net can have."""
        if uses.net.is_across:
            return ["direct", "across"] if direct(uses) else ["across"]
        possible: dict[Protocol, bool] = {
            "direct": self._can_be_direct(uses),
            "early": self._straight,
            "eager": self._straight and eager(uses),
            "late": self._can_be_late(uses),
            "staged": all(can_be_staged(uses, send, in_step=self._in_step) for send in uses.sends),
        }
        return [protocol for protocol, is_possible in possible.items() if is_possible]

    def _can_be_direct(self, uses: Uses) -> bool:
        return chip_count(self._operation.grid.extents) > 1 and direct(uses)

    def _can_be_late(self, uses: Uses) -> bool:
        return len(self.active) == 1 and not self._signals and late(uses)


_IMPOSSIBLE: Mapping[str, str] = {
    "early": "receivers do not acquire their blocks before anything is sent, in the same order on all nodes",
    "eager": "that the receivers are ready for the next message does not say that this one has left its block",
    "late": "only one net of pipes from one node to one can do that, in an operation without semaphores of its own",
    "direct": "messages need blocks of a buffer that nothing else is put into, acquired right where they are received",
    "staged": "a send is waited for after something else that waits",
}


def plan_pipes(operation: dialect.OperationOp, asked: Mapping[str, str] | None = None) -> list[Diagnostic]:
    """Plan the nets of one operation, those in ``asked`` by the named protocol; return errors for impossible ones."""
    name_resources(operation)
    asked = asked or {}
    nets = _Nets(operation)
    findings = unknown_names("protocol", "net", asked, [uses.name for uses in nets.active], operation)
    pending = [uses for uses in nets.active if PROTOCOL not in uses.made.attributes]
    if not pending or findings:
        return findings
    names = UniqueNames(_names(operation))
    one = None
    if any(
        pipe.own
        for uses in pending
        if nets.rule(uses) != "direct" or uses.name in asked
        for pipe in uses.net.pipes
    ):
        note = "a semaphore that holds 1, to be copied into those of other nodes"
        one = _semaphore(operation, names, "one", 1, note, operation)
    planned: list[Uses] = []
    for uses in pending:
        protocol = asked.get(uses.name) or nets.rule(uses)
        if uses.name in asked and protocol not in nets.legal(uses):
            reason = _IMPOSSIBLE.get(protocol, f"there is no protocol {protocol}")
            findings.append(illegal(f"protocol.{uses.name}", protocol, reason, nets.legal(uses), uses.made))
            continue
        match protocol:
            case "early" | "eager":
                same = alike(uses, planned)
                if same is None:
                    _plan_early(operation, uses, names)
                    planned.append(uses)
                else:
                    _plan_alike(operation, uses, same)
                if protocol == "eager":
                    _go_on(uses)
            case "late":
                _plan_late(operation, uses, names)
            case "across" | "direct":
                _plan_across(operation, uses, names, protocol)
            case _:
                _plan_staged(operation, uses, names)
        if one is not None and protocol != "direct" and any(pipe.own for pipe in uses.net.pipes):
            uses.made.attributes[ONE] = StringAttr(one)
    return findings


def share_words(operation: dialect.OperationOp, target: Chip) -> None:
    """Turn the semaphores of nets into words (``words.py``), if an operation needs more than a node has."""
    nets = [
        op
        for op in operation.body.block.ops
        if isinstance(op, dialect.CreatePipeNetOp) and ONE in op.attributes
    ]
    if nets and BUFFER not in operation.attributes:
        one = nets[0].attributes[ONE]
        assert isinstance(one, StringAttr)
        shared = StringAttr(make_words(operation, target, one.data))
        for net in nets:
            net.attributes[ONE] = shared


# --- the resources of protocols ---------------------------------------------------------------------------------


def _plan_early(operation: dialect.OperationOp, uses: Uses, names: UniqueNames) -> None:
    note = f"a semaphore where receivers of {uses.name} say that their block is free"
    ready = [_signal(operation, names, uses, "ready", note)]
    valid = _valid(operation, uses, names)
    why = "messages go straight into the receiver's block, which every node acquires before anything is sent"
    _note(uses, "early", ready, valid, why)


def _plan_alike(operation: dialect.OperationOp, uses: Uses, other: Uses) -> None:
    kept = {name: other.made.attributes[name] for name in (READY, VALID)}
    shared = {text for attribute in kept.values() for text in texts(attribute)}
    for op in operation.body.block.ops:
        if isinstance(op, dialect.CreateSemaphoreOp) and op.semaphore_name.data in shared:
            op.attributes[NETS] = ArrayAttr(map(StringAttr, [*texts(op.attributes[NETS]), uses.name]))
    why = f"messages go straight into the receiver's block, with the semaphores of {other.name}, which is done by then"
    uses.made.attributes |= kept | {PROTOCOL: StringAttr("early"), WHY: StringAttr(why)}


def _go_on(uses: Uses) -> None:
    """Let the sender of a net continue before its message has left."""
    uses.made.attributes[PROTOCOL] = StringAttr("eager")
    why = uses.made.attributes[WHY]
    assert isinstance(why, StringAttr)
    more = "the sender continues before it has left, and the receivers of the next one notify it"
    uses.made.attributes[WHY] = StringAttr(f"{why.data}; {more}")
    for use in uses.sends[0].result.uses:
        use.operation.attributes[IMPLIED] = UnitAttr()


def _plan_late(operation: dialect.OperationOp, uses: Uses, names: UniqueNames) -> None:
    note = f"a semaphore where a receiver of {uses.name} says where its block is"
    ready = [_signal(operation, names, uses, "ready", note)]
    valid = _valid(operation, uses, names)
    why = "the receiver says where its block is, and the message goes straight into it"
    _note(uses, "late", ready, valid, why)


def _plan_staged(operation: dialect.OperationOp, uses: Uses, names: UniqueNames) -> None:
    net = uses.net
    note = f"a semaphore that counts the receivers that have the last message of {uses.name}"
    ready = []
    for index in range(net.out_degree):
        receivers = (len(set(pipes[index].destinations)) for pipes in net.sent.values() if index < len(pipes))
        ready.append(_signal(operation, names, uses, "free", note, max(receivers)))
    valid = _valid(operation, uses, names, net.slot_count)
    why = "messages land beside the receiver's blocks, so that a node can send before the receiver is ready"
    _note(uses, "staged", ready, valid, why)
    _land(operation, uses, names)


def _plan_across(operation: dialect.OperationOp, uses: Uses, names: UniqueNames, protocol: Protocol) -> None:
    net, marks = uses.net, {ACROSS: UnitAttr()} if uses.net.is_across else {}
    note = f"a semaphore that counts the receivers on all chips that have room for a message of {uses.name}"
    ready = [_signal(operation, names, uses, "free", note, marks=marks) for _ in range(net.out_degree)]
    valid = _valid(operation, uses, names, net.slot_count, marks)
    if protocol == "direct":
        why = "messages land in the blocks that are acquired for them, one after the other"
        _land_in_blocks(operation, uses)
    else:
        why = "messages go to other chips, over links, and land beside the receiver's blocks"
        _land(operation, uses, names)
    _note(uses, protocol, ready, valid, why)


def _land(operation: dialect.OperationOp, uses: Uses, names: UniqueNames) -> None:
    """Make the buffer where messages land."""
    # If nothing is sent, which is a deadlock, the code that waits for it is still compiled.
    ends = [copy.src.type for copy in uses.sends] or [copy.dst.type for copy in uses.receives]
    types = [type_ for type_ in ends if isinstance(type_, dialect.BlockMemoryType)]
    if not types:
        return
    largest = max(types, key=lambda type_: type_.block_type.nbytes)
    landing = dialect.CreateDfbOp(
        type=dialect.DataflowBufferType(largest.shape, largest.element_type, uses.net.slot_count),
        name=names.unique(f"{uses.name}_landing"),
    )
    landing.attributes[MADE_BY] = StringAttr("compiler")
    landing.attributes[WHY] = StringAttr(
        f"a buffer where messages of {uses.name} land, since nodes send before the receiver has a block for them"
    )
    _insert(operation, landing, uses.made)
    uses.made.attributes[LANDING] = landing.buffer_name


def _land_in_blocks(operation: dialect.OperationOp, uses: Uses) -> None:
    """Let messages land in the buffer of the receives, which gets room for additional messages.

    With room for one, a send waits only until the message before it was received. If much memory is left, there is room
    for more: two, and up to eight over links. There the signal that there is room waits behind messages in the other
    direction, and takes a packet of its own, so that one signal is sent for several blocks (``Messages.at_once``).
    """
    acquire = uses.receives[0].dst.owner
    assert isinstance(acquire, dialect.AcquireOp) and isinstance(acquire.dfb.owner, dialect.CreateDfbOp)
    buffer, type_ = acquire.dfb.owner, acquire.dfb.owner.result.type
    buffers = [op for op in operation.body.block.ops if isinstance(op, dialect.CreateDfbOp)]
    used, block = sum(map(bytes_of, buffers)), bytes_of(buffer) // type_.block_count
    most = 3 * chip_of(operation).l1_available_bytes // 4
    choices = (8, 4, 2) if uses.net.is_across else (2,)
    ahead = next((count for count in choices if used + count * block <= most), 1)
    larger = dialect.DataflowBufferType(type_.shape, type_.element_type, type_.block_count + ahead)
    replace_type(buffer.result, larger)
    buffer.attributes[AHEAD] = IntegerAttr(ahead, i64)
    uses.made.attributes[LANDING] = buffer.buffer_name


def _note(uses: Uses, protocol: Protocol, ready: list[str], valid: list[str], why: str) -> None:
    uses.made.attributes |= {
        PROTOCOL: StringAttr(protocol),
        READY: ArrayAttr([StringAttr(name) for name in ready]),
        VALID: ArrayAttr([StringAttr(name) for name in valid]),
        WHY: StringAttr(why),
    }


def _valid(
    operation: dialect.OperationOp,
    uses: Uses,
    names: UniqueNames,
    count: int = 1,
    marks: Mapping[str, Attribute] | None = None,
) -> list[str]:
    why = f"a semaphore that says that a message of {uses.name} is there"
    return [_signal(operation, names, uses, "valid", why, marks=marks) for _ in range(count)]


def _signal(
    operation: dialect.OperationOp,
    names: UniqueNames,
    uses: Uses,
    says: str,
    why: str,
    initial: int = 0,
    marks: Mapping[str, Attribute] | None = None,
) -> str:
    """Make a semaphore of a net, and return its name."""
    marks = {**(marks or {}), NETS: ArrayAttr([StringAttr(uses.name)]), SAYS: StringAttr(says)}
    return _semaphore(operation, names, f"{uses.name}_{says}", initial, why, uses.made, marks)


def _semaphore(
    operation: dialect.OperationOp,
    names: UniqueNames,
    name: str,
    initial: int,
    why: str,
    place: Operation,
    marks: Mapping[str, Attribute] | None = None,
) -> str:
    text = names.unique(name)
    op = dialect.CreateSemaphoreOp(initial_value=initial, name=text)
    op.attributes |= {MADE_BY: StringAttr("compiler"), WHY: StringAttr(why), **(marks or {})}
    _insert(operation, op, place)
    return text


def _insert(operation: dialect.OperationOp, op: Operation, place: Operation) -> None:
    """Put a resource before the kernels."""
    op.location = place.location
    first = operation.kernels[0]
    operation.body.block.insert_op_before(op, first)


def _names(operation: dialect.OperationOp) -> list[str]:
    names = []
    for op in operation.body.block.ops:
        match op:
            case dialect.CreateDfbOp():
                names.append(op.buffer_name.data)
            case dialect.CreateSemaphoreOp():
                names.append(op.semaphore_name.data)
            case dialect.CreatePipeNetOp():
                names.append(op.net_name.data)
    return names


def texts(attribute: object) -> list[str]:
    """The strings of a list attribute."""
    assert isinstance(attribute, ArrayAttr)
    return [item.data for item in attribute if isinstance(item, StringAttr)]


def net_of(value: SSAValue) -> dialect.CreatePipeNetOp:
    """The operation that creates the net of a value."""
    assert isinstance(value.owner, dialect.CreatePipeNetOp)
    return value.owner
