"""Pipes and pipe nets of one launch.

Each node's operation body constructs its own net objects; the n-th net of one node and the n-th of another are
the same net. A net from an enclosing scope is one object for all. Nets are resolved when first used, so a net
that is never used has no effect.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from types import FrameType
from typing import TYPE_CHECKING, Any

from ttl import control
from ttl.diag import Diagnostic, ProgramError
from ttl.diag.report import emit
from ttl.lang import arguments
from ttl.lang.pipe import DstPipeIdentity, NetPart, Pipe, PipeNet, SrcPipeIdentity, note_odd_net
from ttl.lang.transfers import ReceiveRequest
from ttl.protocol import chips
from ttl.protocol.devices import ChipGraph, DeviceGrid, node_grid
from ttl.protocol.grid import Grid, coordinate, resolve_coord, resolve_range
from ttl.protocol.pipes import Channel, Message
from ttl.rows.types import BlockType
from ttl.rules import labels
from ttl.rules import pipes as rules
from ttl.rules.words import node_list
from ttl.sim.kernel import captured_name
from ttl.sim.transfer import SimTransfer
from ttl.source.names import target_name
from ttl.source.spans import Site, span_of_site

if TYPE_CHECKING:
    from ttl._core import Message as _SENT
    from ttl._core import NetView as _VIEW
    from ttl._core import Pipe as _PIPE
    from ttl._core import PipeEnd as _END
    from ttl._core import PipeTransfer as _RECEIVE
    from ttl._core import PipeTransfer as _SEND
    from ttl.sim.block import SimBlock
    from ttl.sim.kernel import Kernel, RunningLaunch
    from ttl.sim.values import Value


if not TYPE_CHECKING:
    _SENT = control.base("Message", ("kernel", "site", "type", "value"))
    _PIPE = control.base("Pipe", ("bytes", "channel", "pipe", "receivers", "receives", "sender", "waits"))
    _VIEW = control.base("NetView", ("engine", "in_", "out"))
    _END = control.base("PipeEnd", ("active", "node", "of", "position"))


class SentMessage(_SENT):
    """The message that a send puts into a pipe."""

    __slots__ = ()

    def __init__(self, value: Value, type: BlockType, kernel: Kernel, site: Site) -> None:
        self.value = value
        self.type = type
        self.kernel = kernel
        self.site = site


@control.accelerated
class SimPipe(_PIPE):
    """One pipe of a launch: its channel, and the kernels blocked on it."""

    __slots__ = ()

    def __init__(self, pipe: Pipe[Any], src: int, dsts: tuple[int, ...]) -> None:
        self.pipe = pipe
        self.channel: Channel[SentMessage] = Channel(src, dsts)
        self.sender: Kernel | None = None
        self.receivers: list[Kernel] = []
        # Receives a node has started, in order; the first one gets the next message.
        self.receives: dict[int, list[PipeReceive]] = {}
        self.waits = 0
        self.bytes = 0

    def close(self) -> None:
        """Drop the receives for which no message arrived: they refer to the pipe, too."""
        for started in self.receives.values():
            started.clear()
        self.sender = None
        self.receivers.clear()


class WaitToSend:
    """A reason for a kernel to block: its send waits for the one before it to be received everywhere."""

    __slots__ = ("pipe", "site")

    def __init__(self, pipe: SimPipe, site: Site) -> None:
        self.pipe = pipe
        self.site = site


class WaitToReceive:
    """A reason for a kernel to block: nothing has been sent to this node."""

    __slots__ = ("node", "pipe", "site")

    def __init__(self, pipe: SimPipe, node: int, site: Site) -> None:
        self.pipe = pipe
        self.node = node
        self.site = site


class WaitToReceiveAny:
    """A reason for a kernel to block: nothing has been sent to this node on any of several pipes.

    ``Kernel.waiting`` becomes None when the kernel is woken.
    """

    __slots__ = ("node", "pipes", "site")

    def __init__(self, pipes: tuple[SimPipe, ...], node: int, site: Site) -> None:
        self.pipes = pipes
        self.node = node
        self.site = site


class SimNet:
    """A pipe net of a launch: its pipes by source and by destination node.

    The pipes of a net over chips are made when a node at one of their ends first uses the net.
    """

    __slots__ = ("_between", "_parts", "by_dst", "by_src", "grid", "made_of", "parts", "pipes", "site")

    def __init__(self, engine: RunningLaunch, net: PipeNet[Any]) -> None:
        self.made_of = net.pipes
        self.parts = net.parts
        self.site = net.site
        self.grid = engine.grid
        self.pipes: list[SimPipe] = []
        self.by_src: dict[int, list[SimPipe]] = defaultdict(list)
        self.by_dst: dict[int, list[SimPipe]] = defaultdict(list)
        self._between: dict[tuple[int, int, int, int, int], SimPipe] = {}
        self._parts: list[_PartOnNodes] = []
        if net.parts:
            engine.require_domain(net.parts[0].graph.domain, "a net over a graph")
        if isinstance(engine.grid, DeviceGrid):
            parts = net.parts or (NetPart(ChipGraph(engine.grid.domain, "own"), net.pipes),)
            self._parts = [_PartOnNodes(engine, part) for part in parts]
            return
        for pipe, ends, shown in _between_nodes(engine, net):
            src, dsts = ends
            finding = rules.match_ranks(pipe.src, pipe.dst, dsts, engine.grid)
            if finding is not None:
                emit(finding.at(None if pipe.site is None else span_of_site(pipe.site)), once=True)
            sim_pipe = SimPipe(shown, src, dsts)
            self.pipes.append(sim_pipe)
            self.by_src[src].append(sim_pipe)
            for dst in dsts:
                self.by_dst[dst].append(sim_pipe)

    def forget(self) -> None:
        """Drop the pipes by their ends: the launch is over."""
        self._between.clear()

    def see(self, node: int) -> None:
        """Make the pipes of a net over chips that have an end at a node, in the order of the net."""
        if not self._parts:
            return
        size = chips.nodes_per_chip(self.grid)
        chip, place = divmod(node, size)
        for number, part in enumerate(self._parts):
            for ends, by_node, at in (
                (part.graph.out_of(chip), self.by_src, part.sending),
                (part.graph.into(chip), self.by_dst, part.receiving),
            ):
                sends = by_node is self.by_src
                for at_edge, other in enumerate(ends):
                    same = ends[:at_edge].count(other)
                    source, destination = (chip, other) if sends else (other, chip)
                    for pipe in at(place):
                        key = (number, source, destination, same, pipe if part.pipes else place)
                        sim_pipe = self._between.get(key)
                        if sim_pipe is None:
                            spec, src, dsts = part.pipe(pipe, place, self.site)
                            shifted = tuple(destination * size + dst for dst in dsts)
                            sim_pipe = self._between[key] = SimPipe(spec, source * size + src, shifted)
                            self.pipes.append(sim_pipe)
                        by_node[node].append(sim_pipe)


class _PartOnNodes:
    """The part of a net over one graph: its pipes between the nodes of two chips, by where they begin and end."""

    __slots__ = ("_nodes", "_receiving", "_sending", "graph", "pipes")

    def __init__(self, engine: RunningLaunch, part: NetPart) -> None:
        self.graph = part.graph
        self._nodes = chips_nodes = node_grid(engine.grid)
        self.pipes: list[tuple[Pipe[Any], int, tuple[int, ...]]] | None = None
        self._sending: dict[int, list[int]] = defaultdict(list)
        self._receiving: dict[int, list[int]] = defaultdict(list)
        if part.pipes is not None:
            self.pipes = []
            for number, pipe in enumerate(part.pipes):
                src, dsts = _ends(engine, pipe, chips_nodes)
                self.pipes.append((pipe, src, dsts))
                self._sending[src].append(number)
                for dst in dsts:
                    self._receiving[dst].append(number)

    def sending(self, place: int) -> list[int]:
        """The pipes that begin at a node of a chip; 0 stands for the node's only pipe where every node has one."""
        return [0] if self.pipes is None else self._sending.get(place, [])

    def receiving(self, place: int) -> list[int]:
        """The pipes that end at a node of a chip."""
        return [0] if self.pipes is None else self._receiving.get(place, [])

    def pipe(self, number: int, place: int, site: Site | None) -> tuple[Pipe[Any], int, tuple[int, ...]]:
        """A pipe, and the nodes of its chips at which it begins and ends."""
        if self.pipes is not None:
            return self.pipes[number]
        node = coordinate(place, self._nodes, chips.NODE_DIMS)
        pipe = Pipe(src=node, dst=node)
        pipe.site = site
        return pipe, place, (place,)


class Pipes:
    """All nets of a launch."""

    __slots__ = ("_by_object", "_engine", "_first", "_made", "_views", "first_of_several", "nets")

    def __init__(self, engine: RunningLaunch) -> None:
        self._engine = engine
        self.first_of_several = False
        """Whether a kernel waited for the first of several receives: then the order of messages is one of many."""
        self.nets: list[SimNet] = []
        self._made: dict[tuple[str, int], SimNet] = {}
        self._first: dict[int, tuple[Pipe[Any], ...]] = {}
        self._by_object: dict[int, tuple[PipeNet[Any], tuple[str, int]]] = {}
        self._views: dict[tuple[int, int], PipeNetView] = {}

    def close(self) -> None:
        """Let go of the nets: the launch is over."""
        for net in self.nets:
            for pipe in net.pipes:
                pipe.close()
            net.pipes.clear()
            net.by_src.clear()
            net.forget()
            net.by_dst.clear()
        self._views.clear()
        if control.NATIVE:
            for pipe_net, _ in self._by_object.values():
                control.call("forget_views", pipe_net)
        self._by_object.clear()
        self._made.clear()
        self._first.clear()
        self.nets.clear()

    def register(self, net: PipeNet[Any]) -> None:
        """Number a net constructed in the body of the current node. Nodes share the pipes of equal nets."""
        node = self._engine.current.node
        node.nets += 1
        self._by_object[id(net)] = (net, ("body", node.nets))
        if net.parts:
            return
        if node.nets not in self._first:
            note_odd_net(net.pipes)
            ends = [_ends(self._engine, pipe, node_grid(self._engine.grid)) for pipe in net.pipes]
            if self._engine.lanes is not None:
                self._engine.lanes.between(ends)
        first = self._first.setdefault(node.nets, net.pipes)
        if first is not net.pipes and control.same_pipes(first, net.pipes, plainly=True):
            net.pipes = first

    def name_of(self, pipe: SimPipe) -> str:
        """The variable that the net of a pipe was assigned to, its place in a list, or which net of the operation it is."""
        for number, net in enumerate(self.nets):
            if pipe in net.pipes:
                return target_name(net.site) or self._captured_name(net) or f"net{number}"
        return "a net"

    def full_name(self, pipe: SimPipe) -> str:
        """``ring's pipe from (0, 0) to (0, 1)``; over chips ``ring's pipe from chip 0, node (0, 0) to chip 1, node (0, 0)``."""
        name = self.name_of(pipe)
        if isinstance(self._engine.grid, DeviceGrid):
            return f"{name}'s pipe {self.between(pipe)}"
        return rules.pipe_name(name, pipe.pipe.src, pipe.pipe.dst)

    def between(self, pipe: SimPipe) -> str:
        """The pipe as the program writes it; over chips ``from chip 0, node (0, 0) to chip 1, node (0, 0)``."""
        grid, channel = self._engine.grid, pipe.channel
        if not isinstance(grid, DeviceGrid):
            return repr(pipe.pipe)
        ends = [coordinate(node, grid, len(grid)) for node in channel.dsts]
        return f"from {chips.name_of(channel.src, grid)} to {node_list(ends)}"

    def wait_any(self, requests: tuple[PipeReceive, ...], start: int, frame: FrameType) -> int:
        """Wait until one of several receives has its message, and return its position.

        If several have theirs, it is the first one from ``start`` on, and after the last one from 0 on.
        """
        arguments.match_requests(self._engine, requests, start)
        site = (frame.f_code, frame.f_lasti)
        engine, kernel = self._engine, self._engine.current
        of = [next(net for net in self.nets if request.pipe in net.pipes) for request in requests]
        finding = rules.match_distinct(
            [
                (request, request.block.buffer, request.block.buffer.name, net, self.name_of(request.pipe))
                for request, net in zip(requests, of, strict=True)
            ]
        )
        if finding is not None:
            engine.fail(finding)
        for request in requests:
            if request.done or request.block.kernel is not kernel:
                request.refuse()
        self.first_of_several = True
        if engine.lanes is not None:
            engine.lanes.give_up()
        if control.NATIVE:
            engine.pending.refuse_tape("a kernel waits for the first of several receives")
        if engine.interleaved:
            engine.scheduler.pause(kernel)
        pipes = tuple(request.pipe for request in requests)
        order = [(start + number) % len(requests) for number in range(len(requests))]
        while True:
            for number in order:
                if requests[number].has_arrived():
                    requests[number].wait()
                    return number
            for pipe in pipes:
                pipe.receivers.append(kernel)
                pipe.waits += 1
            engine.suspend(kernel, WaitToReceiveAny(pipes, kernel.node.index, site))
            for pipe in pipes:
                if kernel in pipe.receivers:
                    pipe.receivers.remove(kernel)

    def _captured_name(self, net: SimNet) -> str | None:
        """Return the name under which kernels of a node capture a net, or None."""
        keys = {key for key, known_net in self._made.items() if known_net is net}
        known = [given for given, key in self._by_object.values() if key in keys]
        kernels = [kernel for node in self._engine.nodes for kernel in node.kernels]
        return next((name for given in known if (name := captured_name(kernels, given))), None)

    def view(self, net: PipeNet[Any]) -> PipeNetView:
        """The net, seen from the current node."""
        node = self._engine.current.node
        key = (id(net), node.index)
        view = self._views.get(key)
        if view is None:
            known = self._by_object.get(id(net))
            sim_net = self._made.get(known[1]) if known is not None else None
            if sim_net is None or sim_net.made_of is not net.pipes:
                sim_net = self._resolve(net)
            sim_net.see(node.index)
            view = self._views[key] = _view(self._engine, sim_net, node.index)
        return view

    def _resolve(self, net: PipeNet[Any]) -> SimNet:
        _, key = self._by_object.setdefault(id(net), (net, ("captured", id(net))))
        sim_net = self._made.get(key)
        if sim_net is None:
            sim_net = self._made[key] = SimNet(self._engine, net)
            self.nets.append(sim_net)
        elif sim_net.made_of is net.pipes and sim_net.parts is net.parts:
            return sim_net
        elif not (_same_parts(sim_net.parts, net.parts) and control.same_pipes(sim_net.made_of, net.pipes)):
            self._engine.fail(rules.net_differs(), related=((net.site, labels.NET_MADE),))
        return sim_net


@control.accelerated
class PipeNetView(_VIEW):
    """A pipe net seen from one node: the functions of ``PipeNet`` for that node."""

    __slots__ = ()

    def __init__(self, engine: RunningLaunch, out: list[SimSrcPipe], in_: list[SimDstPipe]) -> None:
        self.engine = engine
        self.out = out
        self.in_ = in_

    def if_src(self, function: Callable[[Any], None]) -> None:
        """Call ``function`` for each pipe the node sends on."""
        self._call("if_src", function, self.out)

    def if_dst(self, function: Callable[[Any], None]) -> None:
        """Call ``function`` for each pipe the node receives from."""
        self._call("if_dst", function, self.in_)

    def is_src(self) -> bool:
        """Whether the node sends on any pipe."""
        return bool(self.out)

    def is_dst(self) -> bool:
        """Whether the node receives from any pipe."""
        return bool(self.in_)

    def destination_count(self) -> int:
        """The number of pipes from which the node receives."""
        if self.engine.lanes is not None:
            self.engine.lanes.give_up()
        return len(self.in_)

    def _call(self, name: rules.Condition, function: Callable[[Any], None], pipes: list[Any]) -> None:
        kernel = self.engine.current
        if not kernel.moves_data:
            self.engine.fail(rules.condition_outside(name, kernel.kind, kernel.name))
        for pipe in pipes:
            if pipe.active is not None and pipe.active is not kernel:
                # Another kernel of the node waits in its function: this one gets an end of its own.
                pipe = type(pipe)(pipe.of, pipe.node)
            was = pipe.active
            pipe.active = kernel
            try:
                function(pipe)
            finally:
                pipe.active = was


def _view(engine: RunningLaunch, net: SimNet, node: int) -> PipeNetView:
    out, in_ = net.by_src.get(node), net.by_dst.get(node)
    if control.NATIVE:
        view: PipeNetView = control.call("net_view", engine, out, in_, node)
        return view
    return PipeNetView(
        engine, [SimSrcPipe(pipe) for pipe in out or ()], [SimDstPipe(pipe, node) for pipe in in_ or ()]
    )


@control.accelerated
class _Identity(_END):
    """A pipe handed to a condition function; usable in ``ttl.copy`` only while that function runs.

    ``position`` is the node's place among the destinations.
    """

    __slots__ = ()

    def __init__(self, of: SimPipe, node: int = -1) -> None:
        self.of = of
        self.node = node
        self.position = 0
        self.active: Kernel | None = None


class SimSrcPipe(_Identity, SrcPipeIdentity[Any]):
    """The sending end of a pipe."""

    __slots__ = ()

    @property
    def ends(self) -> tuple[int, int]:
        """The nodes that the pipe leads from and to, the first of several."""
        return self.of.channel.src, self.of.channel.dsts[0]

    @property
    def dst(self) -> Any:
        """Destination, as the pipe was constructed with."""
        return self.of.pipe.dst

    @property
    def src(self) -> Any:
        """Source, as the pipe was constructed with."""
        return self.of.pipe.src

    def send(self, block: SimBlock, value: Value, site: Site) -> SimTransfer:
        """Put the block's data, as they are now, into the pipe."""
        pipe = self.of
        sent = SentMessage(value, block.buffer.type, block.kernel, site)
        pipe.bytes += sent.type.nbytes
        message = pipe.channel.send(sent)
        if message.left:
            hand_out(block.engine, pipe)
        return PipeSend(block, pipe, message, site)


class SimDstPipe(_Identity, DstPipeIdentity):
    """The receiving end of a pipe, on one of its destinations."""

    __slots__ = ()

    @property
    def ends(self) -> tuple[int, int]:
        """The nodes that the pipe leads from and to, the first of several."""
        return self.of.channel.src, self.of.channel.dsts[0]

    @property
    def src(self) -> Any:
        """Source, as the pipe was constructed with."""
        return self.of.pipe.src

    @property
    def dst(self) -> Any:
        """Destination, as the pipe was constructed with."""
        return self.of.pipe.dst


if not TYPE_CHECKING:
    _SEND = control.base("PipeTransfer", ("message", "pipe"), SimTransfer)


@control.accelerated
class PipeSend(_SEND, SimTransfer):
    """A send: complete when the data have left the block."""

    __slots__ = ()

    def __init__(self, block: SimBlock, pipe: SimPipe, message: Message[SentMessage], site: Site) -> None:
        super().__init__(block, False, site)
        self.pipe = pipe
        self.message = message

    def wait(self) -> None:
        """Wait until every earlier send on this pipe has been received."""
        engine = self.block.engine
        if self.done or engine.current is not self.block.kernel:
            self.refuse()
        while not self.message.left:
            self.pipe.sender = self.block.kernel
            self.pipe.waits += 1
            engine.suspend(self.block.kernel, WaitToSend(self.pipe, self.site))
        super().wait()


if not TYPE_CHECKING:
    _RECEIVE = control.base("PipeTransfer", ("arrived", "node", "pipe", "position"), SimTransfer)


@control.accelerated
class PipeReceive(_RECEIVE, SimTransfer, ReceiveRequest):
    """A receive: complete when a message has arrived. Messages arrive in the order of the receives."""

    __slots__ = ()

    def __init__(self, block: SimBlock, source: SimDstPipe, site: Site) -> None:
        super().__init__(block, True, site)
        self.pipe = source.of
        self.node = source.node
        self.position = source.position
        self.arrived = False
        started = self.pipe.receives.setdefault(self.node, [])
        started.append(self)
        if len(started) == 1 and self.pipe.channel.available(self.node) and self.fits():
            started.pop()
            self.deliver()

    def wait(self) -> None:
        """Wait until the message of this receive is here."""
        pipe, engine, kernel = self.pipe, self.block.engine, self.block.kernel
        if self.done or engine.current is not kernel:
            self.refuse()
        while not self.arrived:
            if pipe.channel.available(self.node):
                pipe.receives[self.node].pop(0).deliver()
                continue
            pipe.receivers.append(kernel)
            pipe.waits += 1
            engine.suspend(kernel, WaitToReceive(pipe, self.node, self.site))
        super().wait()

    def has_arrived(self) -> bool:
        """Whether the message of this receive has arrived. Messages that are available are taken first."""
        while not self.arrived and self.pipe.channel.available(self.node):
            self.pipe.receives[self.node].pop(0).deliver()
        return self.arrived

    def fits(self) -> bool:
        """Whether the message under way is of the block's type; if not, the wait for this receive reports it."""
        message = self.pipe.channel.in_flight
        return message is not None and message.payload.type is self.block.buffer.type

    def deliver(self) -> None:
        """Take the next message into the block."""
        pipe, engine, block = self.pipe, self.block.engine, self.block
        before = pipe.channel.in_flight
        sent = pipe.channel.receive(self.node)
        if sent.type is not block.buffer.type:
            finding = rules.match_message(sent.type, block.buffer.name, block.buffer.type)
            assert finding is not None
            engine.fail(finding, related=((sent.site, labels.sent_by(sent.kernel.where)),))
        block.value = sent.value
        self.arrived = True
        if pipe.channel.in_flight is not before:
            hand_out(engine, pipe)


def hand_out(engine: RunningLaunch, pipe: SimPipe) -> None:
    """Deliver messages that were sent to the receives that were started, and wake kernels that wait for the pipe."""
    channel = pipe.channel
    while (message := channel.in_flight) is not None:
        if pipe.sender is not None:  # a queued send has just left its block
            sender, pipe.sender = pipe.sender, None
            engine.wake(sender)
        wake_receivers(engine, pipe)
        for node in channel.dsts:
            started = pipe.receives.get(node)
            if started and channel.available(node) and started[0].fits():
                receive = started.pop(0)
                receive.block.value = channel.receive(node).value
                receive.arrived = True
            if channel.in_flight is not message:
                break
        else:
            return


def wake_receivers(engine: RunningLaunch, pipe: SimPipe) -> None:
    """Wake the kernels that wait to receive, so that they check again: a message was sent."""
    waiting, pipe.receivers = pipe.receivers, []
    for kernel in waiting:
        if kernel.waiting is not None:
            engine.wake(kernel)
        if type(kernel.waiting) is WaitToReceiveAny:
            kernel.waiting = None  # it stands in the lists of other pipes, too


def _between_nodes(
    engine: RunningLaunch, net: PipeNet[Any]
) -> Iterable[tuple[Pipe[Any], tuple[int, tuple[int, ...]], Any]]:
    """The pipes of a net between nodes that are run, with their ends, and the pipes that kernels see in their place."""
    ends = [_ends(engine, pipe, engine.grid) for pipe in net.pipes]
    if engine.lanes is None:
        return zip(net.pipes, ends, net.pipes, strict=True)
    pipes = zip(net.pipes, engine.lanes.between(ends), strict=True)
    return [(pipe, here, engine.lanes.shown(pipe)) for pipe, here in pipes if here is not None]


def _same_parts(first: tuple[NetPart, ...], second: tuple[NetPart, ...]) -> bool:
    """Whether two nets over chips have the same graphs with the same pipes."""
    return len(first) == len(second) and all(
        one.graph == other.graph
        and (one.pipes is None) is (other.pipes is None)
        and control.same_pipes(one.pipes or (), other.pipes or ())
        for one, other in zip(first, second, strict=True)
    )


def _ends(engine: RunningLaunch, pipe: Pipe[Any], grid: Grid) -> tuple[int, tuple[int, ...]]:
    """Source and destinations of a pipe. Raises ``ProgramError``, where it is made, for one that is not in the grid."""
    src, dsts = resolve_coord(pipe.src, grid), resolve_range(pipe.dst, grid, stepped=True)
    for resolved in (src, dsts):
        if isinstance(resolved, Diagnostic):
            raise ProgramError(engine.located(resolved, pipe.site))
    assert isinstance(src, int) and isinstance(dsts, tuple)
    return src, dsts


control.register(
    send=PipeSend,
    receive=PipeReceive,
    src_end=SimSrcPipe,
    dst_end=SimDstPipe,
    net_view=PipeNetView,
    message=SentMessage,
)
control.configure("pipes", WaitToSend, WaitToReceive)
