"""The code for one message over a pipe: that of the sender, and that of the receiver."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, StringAttr, i64
from xdsl.ir import Block, Operation, Region, SSAValue

from ttl.arch import Chip
from ttl.dialects import ttl as dialect
from ttl.dialects.structure import kernel_of
from ttl.passes.buffers.blocks import BlockAddresses, block_stride, circular_buffer
from ttl.passes.buffers.l1 import block_pages
from ttl.passes.building import Building, Number, erase
from ttl.passes.marks import AHEAD, FIRST_OF
from ttl.passes.movement.links import Links
from ttl.passes.movement.nodes import RectangleOfNodes, node_address, place_of, rectangle_address
from ttl.passes.pipes.fitting import Here
from ttl.passes.pipes.functions import NetRole
from ttl.passes.pipes.net import PipeEnds, Uses
from ttl.passes.pipes.plan import LANDING, ONE, PROTOCOL, READY, VALID, texts
from ttl.passes.pipes.words import Signals

Flags = dict[dialect.WaitAnyOp, dict[SSAValue, SSAValue]]
"""For each ``ttl.wait_any`` and each of its receives, the semaphore that says that the message is there."""


def await_first(op: dialect.WaitAnyOp, flags: dict[SSAValue, SSAValue]) -> None:
    """Replace ``ttl.wait_any`` by a loop that looks at the flags of its receives one after another until one is set.

    The wait for that receive, which follows, is over at once.
    """
    build, count = Building(op), len(op.transfers)
    first: SSAValue = build.value(0)
    if count > 1:
        before, after = Block(arg_types=[IndexType()]), Block(arg_types=[IndexType()])
        before.args[0].name_hint = op.result.name_hint or "first"
        look, (at,) = build.inside(before), before.args
        look.call("invalidate_l1_cache")
        flag: SSAValue | None = None
        for number, transfer in reversed([*enumerate(op.transfers)]):
            value = look.ask("load_semaphore", flags[transfer])
            flag = value if flag is None else look.select(look.compare(at, "eq", number), value, flag)
        assert flag is not None
        look.add(scf.ConditionOp(look.compare(flag, "ne", 1), at))
        go_on = build.inside(after)
        following = go_on.remainder(go_on.sum(after.args[0], 1), count)
        go_on.add(scf.YieldOp(go_on.value(following)))
        loop = scf.WhileOp([op.start], [IndexType()], Region(before), Region(after))
        loop.attributes[FIRST_OF] = IntegerAttr(count, i64)
        first = build.add_as_is(loop).results[0]
        loop.location = build.location
    first.name_hint = op.result.name_hint or "first"
    op.result.replace_all_uses_with(first)
    erase(op)


class Messages:
    """Makes the code for messages of one net."""

    def __init__(
        self,
        operation: dialect.OperationOp,
        uses: Uses,
        target: Chip,
        addresses: BlockAddresses,
        signals: Signals,
        links: Links,
        flags: Flags,
    ) -> None:
        self.operation = operation
        self.links = links
        self.flags = flags
        self.uses = uses
        self.net = uses.net
        self.target = target
        self.addresses = addresses
        self.signals = signals
        attributes = uses.made.attributes
        self.protocol = _text(attributes[PROTOCOL])
        self.ready = texts(attributes[READY])
        self.valid = texts(attributes[VALID])
        self.one = _text(attributes[ONE]) if ONE in attributes else None
        self.landing = self._landing()
        self.room = self.at_once = 1
        if self.protocol == "direct":
            buffer = self._lands_in.owner
            assert isinstance(buffer, dialect.CreateDfbOp)
            ahead = buffer.attributes[AHEAD]
            assert isinstance(ahead, IntegerAttr)
            self.room = ahead.value.data
            self.at_once = max(1, self.room - 2)
        self.receivers = {pipe: len(set(pipe.destinations)) for pipe in self.net.pipes}
        self.own = {pipe: len(set(pipe.own)) for pipe in self.net.pipes}
        self.place = {pipe: self.net.place_among_sent(pipe) for pipe in self.net.pipes}

    def _landing(self) -> SSAValue | None:
        name = self.uses.made.attributes.get(LANDING)
        for op in self.operation.body.block.ops:
            if isinstance(op, dialect.CreateDfbOp) and op.buffer_name == name:
                return op.result
        return None

    @property
    def _lands_in(self) -> SSAValue:
        """The buffer that messages land in."""
        assert self.landing is not None
        return self.landing

    @property
    def _ring(self) -> dialect.DataflowBufferType:
        """Return the type of the buffer that messages land in."""
        assert isinstance(self._lands_in.type, dialect.DataflowBufferType)
        return self._lands_in.type

    # --- before anything is sent ---------------------------------------------------------------------------------

    def announce(self) -> None:
        """Say that the receiver's block is free, right where it is acquired (``early``)."""
        if self.net.is_across or self.protocol == "direct":
            self._begin_and_end()
        if self.protocol not in ("early", "eager"):
            return
        (receive,) = self.uses.receives
        acquire = dialect.acquired_from(receive.dst)
        assert acquire is not None
        role = NetRole(self.net, "dst", self.operation.grid.extents)
        taken = self.addresses.of(receive.dst)
        assert isinstance(taken.owner, Operation)
        build = Building.after(taken.owner, place=receive)
        condition = role.taken(build)
        inside = build if condition is None else build.when(condition)
        self._free(inside, role, role.here(inside))

    def _begin_and_end(self) -> None:
        """Bracket the kernels of a net over several chips.

        Receivers report at their beginning that they can take a message, and senders wait at their end until all messages are
        received. So no chip writes into another one whose program has not begun, or has ended.
        """
        grid = self.operation.grid.extents
        for copies, end, what in (
            (self.uses.receives, "dst", self._begin),
            (self.uses.receives if self.protocol == "direct" else [], "dst", self._forget),
            (self.uses.sends, "src", self._await_end),
        )[: 3 if self.net.is_across else 1]:
            for copy in copies[:1]:
                body = kernel_of(copy).body.block
                anchor = body.first_op if what == self._begin else None
                if what == self._begin and self.protocol == "direct":
                    named = circular_buffer(copy, self._lands_in).owner
                    assert isinstance(named, Operation)
                    anchor = named.next_op
                build = Building(anchor, block=body, place=copy)
                role = NetRole(self.net, "dst" if end == "dst" else "src", grid)
                condition = role.taken(build)
                outer = build if condition is None else build.when(condition)
                if max(map(len, role.of.values())) == 1:
                    what(outer, role, role.here(outer))
                    continue

                def each(inside: Building, pipe: SSAValue, _: object) -> tuple[()]:
                    what(inside, role, role.here(inside, pipe))  # noqa: B023  # used at once
                    return ()

                outer.loop(0, role.count(outer), 1, [], each, name="pipe")

    def _begin(self, build: Building, role: NetRole, here: Here) -> None:
        """Tell the source of a pipe for the first time that this node can take a message."""
        if self.protocol == "direct":
            build.call(
                "cb_reserve_back",
                circular_buffer(build.place, self._lands_in),
                self.room * block_pages(self._ring.block_type),
            )
        self._free(build, role, here, self.room)

    def _forget(self, build: Building, role: NetRole, here: Here) -> None:
        """Reset the counter of messages, which have all arrived: the next launch counts from 0 on."""
        build.call("noc_semaphore_set", self.signals.semaphore(build, self.valid), 0)

    def _free(self, build: Building, role: NetRole, here: Here, count: int = 1) -> None:
        """Tell the source of a pipe that this node can take a message, or has taken one."""
        place = 0 if self.protocol in ("early", "eager", "late") else role.value(build, here, self.place)
        word = self.signals.address(build, self.ready, place)
        far = role.value_of_end(build, here, lambda node, pipe: int(pipe.source[2] != node[2]))
        if far != 1:
            own = build if far == 0 else build.when(build.compare(far, "eq", 0))
            own.call("noc_semaphore_inc", self._source(own, role, here, word), count)
        if far != 0:
            other = build if far == 1 else build.when(build.compare(far, "eq", 1))
            column, row, chip = (
                role.value(other, here, {pipe: pipe.source[axis] for pipe in self.net.pipes})
                for axis in range(3)
            )
            self.links.change(other, (column, row, chip), word, count)

    def _await_room(self, build: Building, role: NetRole, here: Here) -> None:
        """Wait until every receiver of a pipe over several chips can take a message."""
        ready = self.signals.semaphore(build, self.ready, role.value(build, here, self.place))
        build.call("noc_semaphore_wait", ready, role.value(build, here, self.receivers))
        build.call("noc_semaphore_set", ready, 0)

    def _await_end(self, build: Building, role: NetRole, here: Here) -> None:
        """Wait until every receiver has all messages, and subtract the counts of this launch from the counter.

        Another chip may be in the next launch already, and have counted there that it has room. That count has to stay,
        so the counter is not set: a negative number is added to it by the network, as all counts are.
        """
        place = role.value(build, here, self.place)
        ready = self.signals.semaphore(build, self.ready, place)
        free = role.value(build, here, self.receivers)
        if self.protocol == "direct":
            told = self.links.next(build, self, "sent")
            if self.at_once > 1:
                told = build.value(build.difference(told, build.remainder(told, self.at_once)))
            free = build.sum(told, self.room)
        build.call("noc_semaphore_wait_min", ready, free)
        own = build.ask("get_noc_addr_local", self.signals.address(build, self.ready, place))
        build.call("noc_semaphore_inc", own, build.difference(0, free))

    def _source(self, build: Building, role: NetRole, here: Here, word: SSAValue) -> SSAValue:
        columns = {pipe: pipe.source[0] for pipe in self.net.pipes}
        rows = {pipe: pipe.source[1] for pipe in self.net.pipes}
        return node_address(build, role.value(build, here, columns), role.value(build, here, rows), word)

    # --- the sender ----------------------------------------------------------------------------------------------

    def send(self, copy: dialect.CopyOp, role: NetRole, here: Here) -> None:
        """Wait for the receivers, then write the message and say that it is there."""
        block = copy.src
        assert isinstance(block.type, dialect.BlockMemoryType)
        source = self.addresses.of(block)
        build = Building(copy)
        where: Number
        match self.protocol:
            case "early" | "eager":
                (receive,) = self.uses.receives
                where = self.addresses.of(receive.dst)
                self._await_all(build, role, here)
            case "late":
                ready = self.signals.semaphore(build, self.ready)
                build.call("noc_semaphore_wait_min", ready, 1)
                where = build.ask("load_semaphore", ready)
                build.call("noc_semaphore_set", ready, 0)
            case "across":
                where = self._slot(build, role, here)
                self._await_room(build, role, here)
            case "direct":
                number = self.links.next(build, self, "sent")
                ready = self.signals.semaphore(build, self.ready)
                build.call("noc_semaphore_wait_min", ready, build.sum(number, 1))
                place = build.remainder(number, self._ring.block_count)
                start = self.addresses.start_of(self._lands_in, copy)
                where = build.sum(start, build.product(place, block_stride(self._lands_in)))
            case _:
                where = self._slot(build, role, here)
                ready = self.signals.semaphore(build, self.ready, role.value(build, here, self.place))
                full = role.value(build, here, self._most())
                left = build.difference(full, role.value(build, here, self.receivers))
                build.call("noc_semaphore_wait", ready, full)
                build.call("noc_semaphore_set", ready, left)
        slots = self.net.slots if self.landing is not None else dict.fromkeys(self.net.pipes, 0)
        valid = self.signals.address(build, self.valid, role.value(build, here, slots))
        nbytes = block.type.block_type.nbytes
        if self.one is not None:
            one = self.signals.address(build, [self.one])
            self._write(build, role, here, source, where, nbytes, one, valid)
        if self.protocol == "direct" and not self.net.is_across:
            column, row = (
                role.value(build, here, {pipe: pipe.destinations[0][axis] for pipe in self.net.pipes})
                for axis in (0, 1)
            )
            build.call("noc_async_write", source, node_address(build, column, row, where), nbytes)
            if self.target.noc.overtakes:
                build.barrier("noc_async_write_barrier", "a message is there before it is counted")
            build.call("noc_semaphore_inc", node_address(build, column, row, valid), 1)
        self._write_far(build, role, here, source, where, nbytes, valid)

    def _await_all(self, build: Building, role: NetRole, here: Here) -> None:
        """Wait until every receiver of every pipe of this node has its block; once, before the first message."""
        totals = {
            pipe: sum(self.receivers[pipe_ends] for pipe_ends in self.net.sent[pipe.source])
            for pipe in self.net.pipes
        }
        total = role.value(build, here, totals)
        first = build if here.pipe == 0 else build.when(build.compare(here.pipe, "eq", 0))
        ready = self.signals.semaphore(first, self.ready)
        first.call("noc_semaphore_wait", ready, total)
        first.call("noc_semaphore_set", ready, 0)

    def _most(self) -> dict[PipeEnds, int]:
        """Return the count of each pipe's free receivers when all are free: the most of any pipe with its number."""
        highest: dict[int, int] = {}
        for pipe, number in self.place.items():
            highest[number] = max(highest.get(number, 0), self.receivers[pipe])
        return {pipe: highest[number] for pipe, number in self.place.items()}

    def _slot(self, build: Building, role: NetRole, here: Here) -> Number:
        """The address where the message of a pipe lands, the same on every node."""
        base = self.addresses.start_of(self._lands_in, build.place)
        slot = role.value(build, here, self.net.slots)
        return build.sum(base, build.product(slot, block_stride(self._lands_in)))

    def _write(
        self,
        build: Building,
        role: NetRole,
        here: Here,
        source: SSAValue,
        where: Number,
        nbytes: int,
        one: SSAValue,
        valid: SSAValue,
    ) -> None:
        """Write a message and its flag to the destinations of the pipe here that are on this chip."""
        corners = [
            role.value(build, here, {pipe: _corner(pipe, index) for pipe in self.net.pipes})
            for index in range(4)
        ]
        left, top, right, bottom = corners
        nodes = RectangleOfNodes(left=left, top=top, right=right, bottom=bottom)
        noc = place_of(kernel_of(build.place)).noc

        def unicast(at: Building, column: Number, row: Number) -> None:
            at.call("noc_async_write", source, node_address(at, column, row, where), nbytes)
            self._in_order(at)
            at.call("noc_semaphore_set_remote", one, node_address(at, column, row, valid))

        def multicast(at: Building, suffix: str) -> None:
            count = role.value(at, here, self.own)
            to = rectangle_address(at, nodes, where, noc)
            at.call(f"noc_async_write_multicast{suffix}", source, to, nbytes, count)
            self._in_order(at)
            flags = rectangle_address(at, nodes, valid, noc)
            at.call(f"noc_semaphore_set_multicast{suffix}", one, flags, count)

        def one_by_one(at: Building) -> None:
            steps = [
                role.value(at, here, {pipe: pipe.steps[axis] for pipe in self.net.pipes}) for axis in (0, 1)
            ]

            def in_column(within: Building, column: SSAValue, _: object) -> tuple[()]:
                def to_node(inner: Building, row: SSAValue, _: object) -> tuple[()]:
                    unicast(inner, column, row)
                    return ()

                within.loop(top, within.sum(bottom, 1), steps[1], (), to_node, name="row")
                return ()

            at.loop(left, at.sum(right, 1), steps[0], (), in_column, name="column")

        ways = (
            lambda at: unicast(at, left, top),
            partial(multicast, suffix=""),
            partial(multicast, suffix="_loopback_src"),
            one_by_one,
        )
        chosen = {pipe: _way(pipe) for pipe in self.net.pipes}
        way = role.value(build, here, chosen)
        if isinstance(way, int):
            ways[way](build)
            return
        for number in sorted(set(chosen.values()) - {_NO_WAY}):
            ways[number](build.when(build.compare(way, "eq", number)))

    def _write_far(
        self,
        build: Building,
        role: NetRole,
        here: Here,
        source: SSAValue,
        where: Number,
        nbytes: int,
        valid: SSAValue,
    ) -> None:
        """Write a message to the destinations of the pipe here on other chips, one after the other, and count it there."""
        counts = {pipe: len(pipe.far) for pipe in self.net.pipes}
        count = role.value(build, here, counts)
        if count == 0:
            return

        def write(inside: Building, iteration: Number, _: object = None) -> tuple[()]:
            at = replace(here, iteration=iteration)
            column, row, chip = (
                role.value_of_iteration(inside, at, lambda pipe: [node[axis] for node in pipe.far])  # noqa: B023  # used at once
                for axis in range(3)
            )
            self.links.write_and_count(inside, (column, row, chip), source, where, nbytes, valid)
            return ()

        if max(counts.values()) == 1:
            write(build if count == 1 else build.when(build.compare(count, "eq", 1)), 0)
        else:
            build.loop(0, count, 1, [], write, name="far")

    def _in_order(self, build: Building) -> None:
        """Let the message leave before its flag, where transfers of different kinds can overtake each other."""
        if self.target.noc.overtakes:
            build.call("noc_async_writes_flushed")

    # --- the receiver --------------------------------------------------------------------------------------------

    def receive(self, copy: dialect.CopyOp, role: NetRole, here: Here) -> None:
        """Write the code that takes a message where it is waited for."""
        block = copy.dst
        assert isinstance(block.type, dialect.BlockMemoryType)
        mine = self.addresses.of(block)
        lands = self.landing is not None and self.protocol != "direct"
        number: Number = 0
        if self.protocol == "direct":
            build = Building(copy)
            number = self.links.next(build, self, "received")
            inside = build
            if self.at_once > 1:
                place = build.remainder(number, self.at_once)
                inside = build.when(build.compare(place, "eq", self.at_once - 1))
            self._free(inside, role, here, self.at_once)
        if self.protocol == "late":
            build = Building(copy)
            word = self.signals.address(build, self.ready)
            build.call("noc_semaphore_inc", self._source(build, role, here, word), mine)
        for use in list(copy.result.uses):
            wait = use.operation
            build = Building(wait)
            slot: Number = 0
            if lands:
                slot = role.value(build, here, self.net.slots)
            valid = self.signals.semaphore(build, self.valid, slot)
            if isinstance(wait, dialect.WaitAnyOp):
                self.flags.setdefault(wait, {})[copy.result] = valid
                continue
            if self.protocol == "direct":
                build.call("noc_semaphore_wait_min", valid, build.sum(number, 1))
                erase(wait)
                continue
            build.call("noc_semaphore_wait", valid, 1)
            build.call("noc_semaphore_set", valid, 0)
            if lands:
                local = build.ask("get_noc_addr_local", self._slot(build, role, here))
                build.call("noc_async_read", local, mine, block.type.block_type.nbytes)
                build.call("noc_async_read_barrier")
                self._free(build, role, here)
            erase(wait)


# The way of a pipe without destinations on the chip of the sender.
_NO_WAY = 4


def _way(pipe: PipeEnds) -> int:
    """The way of a message on its chip: to one node (0), to several (1, with the source 2), or one by one (3)."""
    if not pipe.own:
        return _NO_WAY
    if len(set(pipe.own)) == 1:
        return 0
    if pipe.steps != (1, 1):
        return 3
    return 2 if pipe.has_loop else 1


def _corner(pipe: PipeEnds, index: int) -> int:
    return 0 if pipe.area is None else pipe.area[index]


def _text(attribute: object) -> str:
    assert isinstance(attribute, StringAttr)
    return attribute.data
