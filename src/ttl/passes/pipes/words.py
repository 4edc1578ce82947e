"""Semaphores of pipes where a node has too few of them: words in a buffer of the compiler, at one address on all nodes.

A semaphore is a word of L1 that the host sets before the kernels start, and there are few of those. Any other word of
L1 does as well once it has its first value. So if the nets of an operation need more semaphores than a node has, all
semaphores of nets become such words, and only two are left: before the first message, every node signals that it has
written its words (``arrived``, on the first node), and is notified when all have (``started``). ``started`` holds 1
from then on, and flags of other nodes are copied from it.

Operations for which the semaphores of a node suffice have no such words, and start at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.ir import Block, Operation, OpResult, SSAValue

from ttl.analysis.dominance import walked
from ttl.analysis.loops import bound, runs_at_least_once
from ttl.analysis.network import device_grid
from ttl.arch import Chip
from ttl.dialects import ttl as dialect
from ttl.dialects.elements import element_type
from ttl.dialects.pipes import IfPipeOp
from ttl.dialects.ttkernel import GetSemaphoreOp, call
from ttl.passes.buffers.blocks import BlockAddresses
from ttl.passes.building import Building, Number
from ttl.passes.marks import ACROSS, MADE_BY, WHY, WORD, is_made, is_numbered, is_word
from ttl.passes.movement.nodes import (
    RectangleOfNodes,
    address_across,
    column,
    movement_kernels,
    node_address,
    place_of,
    rectangle_address,
    row,
)
from ttl.passes.names import UniqueNames
from ttl.rows import dtypes
from ttl.rows.types import Layout

# On an operation: the buffer of the words, and the two semaphores of the start.
BUFFER, ARRIVED, STARTED = "ttl.words", "ttl.words_arrived", "ttl.words_started"
# On a call for one of several semaphores in a row: the name of the first, whose number is added when they are numbered.
FIRST = "ttl.first_semaphore"
# The network copies words between addresses whose last four bits are equal.
_BYTES = 16


def semaphores_of(operation: dialect.OperationOp) -> list[dialect.CreateSemaphoreOp]:
    """All semaphores of an operation, including those that are words."""
    return [op for op in operation.body.block.ops if isinstance(op, dialect.CreateSemaphoreOp)]


def word_offsets(operation: dialect.OperationOp) -> dict[str, int]:
    """The offset in the buffer, in bytes, of each semaphore of an operation that is a word, by name."""
    return {
        op.semaphore_name.data: _BYTES * number.value.data
        for op in semaphores_of(operation)
        if isinstance(number := op.attributes.get(WORD), IntegerAttr)
    }


# --- the plan -----------------------------------------------------------------------------------------------------


def make_words(operation: dialect.OperationOp, target: Chip, one: str) -> str:
    """Turn the semaphores of nets into words, if an operation has too many semaphores for a node.

    ``one`` is the semaphore that flags are copied from; returns the name of the semaphore that they are copied from
    afterwards.
    """
    ops = [op for op in semaphores_of(operation) if is_numbered(op)]
    own = sum(not is_made(op) for op in ops) + _words_of_kernels(operation)
    compilers = [op for op in ops if is_made(op)]
    if own + len(compilers) <= target.semaphores or own + 2 > target.semaphores:
        return one
    names = UniqueNames(
        op.buffer_name.data if isinstance(op, dialect.CreateDfbOp) else op.semaphore_name.data
        for op in operation.body.block.ops
        if isinstance(op, dialect.CreateDfbOp | dialect.CreateSemaphoreOp)
    )
    words = [op for op in compilers if op.semaphore_name.data != one]
    for number, op in enumerate(words):
        op.attributes[WORD] = IntegerAttr(number, i64)
    buffer = dialect.CreateDfbOp(
        type=dialect.DataflowBufferType(
            (1, len(words) * _BYTES // 4), element_type(dtypes.UINT32, Layout.ROW_MAJOR), 1
        ),
        name=names.unique("pipe_words"),
    )
    why = f"the {len(words)} semaphores of the operation's nets, where a node has {target.semaphores} for everything"
    place = compilers[-1]
    _insert(buffer, place, f"words of L1 that serve as {why}")
    for attribute, name, note in (
        (
            ARRIVED,
            "words_arrived",
            "a semaphore where nodes say that their words for pipes have their first values",
        ),
        (
            STARTED,
            "words_started",
            "a semaphore that says that the words of all nodes have their first values",
        ),
    ):
        semaphore = dialect.CreateSemaphoreOp(initial_value=0, name=names.unique(name))
        _insert(semaphore, place, note)
        operation.attributes[attribute] = semaphore.semaphore_name
    operation.attributes[BUFFER] = buffer.buffer_name
    for op in compilers:
        if op.semaphore_name.data == one:
            assert op.parent is not None
            op.parent.erase_op(op)
    return _text(operation, STARTED)


def _insert(op: dialect.CreateDfbOp | dialect.CreateSemaphoreOp, place: Operation, why: str) -> None:
    op.location = place.location
    op.attributes |= {MADE_BY: StringAttr("compiler"), WHY: StringAttr(why)}
    assert place.parent is not None
    place.parent.insert_op_after(op, place)


def _words_of_kernels(operation: dialect.OperationOp) -> int:
    """Return how many kernels set semaphores of several nodes at once: each needs one more semaphore for that."""
    return sum(
        any(isinstance(op, dialect.GetRemoteMulticastSemaphoreOp) for op in walked(kernel))
        for kernel in operation.kernels
    )


def _text(operation: dialect.OperationOp, attribute: str) -> str:
    name = operation.attributes[attribute]
    assert isinstance(name, StringAttr)
    return name.data


# --- the code -----------------------------------------------------------------------------------------------------


Role = Callable[[Building], SSAValue | None] | None
"""Builds the test whether this node takes part; None, or a result of None, means that all nodes do."""


Turn = tuple[SSAValue, Number]
"""The variable of a loop, and its first value."""


class Signals:
    """The semaphores of the nets of one operation, which kernels access by name, or as one of several in a row."""

    def __init__(self, operation: dialect.OperationOp, addresses: BlockAddresses) -> None:
        self._operation = operation
        self._addresses = addresses
        self._words = word_offsets(operation)
        self._across = {op.semaphore_name.data for op in semaphores_of(operation) if ACROSS in op.attributes}

    def semaphore(self, build: Building, names: list[str], index: Number = 0) -> SSAValue:
        """One of several semaphores of this node, which have numbers in a row."""
        if len(names) == 1:
            index = 0
        if names[0] in self._words:
            return build.ask("semaphore_at", self._word(build, names[0], index))
        if names[0] in self._across:
            return build.ask("semaphore_at", address_across(build, names, index))
        if isinstance(index, int):
            return build.add(GetSemaphoreOp(names[index])).results[0]
        return _of_number(build, "semaphore_of_number", names[0], index)

    def address(self, build: Building, names: list[str], index: Number = 0) -> SSAValue:
        """Return the address of a semaphore, which is the same on every node."""
        if len(names) == 1:
            index = 0
        if names[0] in self._words:
            return build.value(self._word(build, names[0], index))
        if names[0] in self._across:
            return address_across(build, names, index)
        if not isinstance(index, int):
            value = _of_number(build, "semaphore_address_of_number", names[0], index)
        else:
            value = build.ask("get_semaphore_address", self.semaphore(build, names, index))
        value.name_hint = f"{names[0]}_address"
        return value

    def _word(self, build: Building, first: str, index: Number) -> Number:
        start = self._addresses.start_of(self._buffer(), build.place)
        return build.sum(start, self._words[first], build.product(index, _BYTES))

    def _buffer(self) -> OpResult:
        name = _text(self._operation, BUFFER)
        return next(
            op.result
            for op in self._operation.body.block.ops
            if isinstance(op, dialect.CreateDfbOp) and op.buffer_name.data == name
        )

    # --- the start ------------------------------------------------------------------------------------------------

    def begin(self, used: Mapping[Operation, Role]) -> None:
        """Let no kernel use a word before all nodes have written theirs; has to run before pipes become code.

        ``used`` has the operations that send, receive, or signal that a receiver is ready, each with the nodes that do
        so.
        """
        if not self._words:
            return
        kernels = movement_kernels(self._operation)
        # No other kernel waits for a kernel that sends and receives nothing.
        kernel = min(kernels, key=lambda item: any(op in used for op in walked(item)))
        for item in kernels:
            self._wait(item.body.block, used)
        place = kernel.body.block.first_op
        assert place is not None
        start = self._addresses.start_of(self._buffer(), place)
        assert isinstance(start.owner, Operation)
        build = Building.after(start.owner, place=self._buffer().owner)
        self._write_words(build, start)
        self._meet(build, place_of(kernel).noc)

    def _wait(self, block: Block, used: Mapping[Operation, Role], iteration: Turn | None = None) -> bool:
        """Wait before the first use in a block, as late as possible: operations before it run while nodes meet.

        In a loop, the wait is in the first ``iteration``, before a statement that every iteration reaches. Returns
        whether the kernel has certainly waited when it leaves the block; operations behind a statement that may be
        skipped wait again, which is over at once.
        """
        for op in list(block.ops):
            if not any(item in used for item in walked(op)):
                continue
            begin = _begin(op) if iteration is None else None
            if begin is not None:
                body = op.regions[0].block
                if self._wait(body, used, (body.args[0], begin)) and runs_at_least_once(op):
                    return True
            elif isinstance(op, scf.IfOp | IfPipeOp) and iteration is None:
                for region in op.regions:
                    for inner in region.blocks:
                        self._wait(inner, used)
            elif self._wait_at(op, used.get(op), iteration):
                return True
        return False

    def _wait_at(self, op: Operation, role: Role, iteration: Turn | None) -> bool:
        """Wait before a statement, on the nodes of its role; return whether these are all nodes."""
        build = Building(op)
        if iteration is not None:
            build = build.when(build.compare(iteration[0], "eq", iteration[1]))
        only = None if role is None else role(build)
        if only is not None:
            build = build.when(only)
        build.call("noc_semaphore_wait", self._named(build, STARTED), 1)
        return only is None

    def _write_words(self, build: Building, start: SSAValue) -> None:
        pointer = build.ask("reinterpret_l1", start)
        pointer.name_hint = "words"
        step = _BYTES // 4

        def zero(within: Building, word: SSAValue, _: object) -> tuple[()]:
            within.call("store_to_l1", 0, pointer, word)
            return ()

        build.loop(0, len(self._words) * step, step, (), zero, name="word")
        for op in semaphores_of(self._operation):
            if is_word(op) and op.initial_value:
                build.call("store_to_l1", op.initial_value, pointer, self._words[op.semaphore_name.data] // 4)

    def _meet(self, build: Building, noc: Literal[0, 1]) -> None:
        grid = self._operation.grid.extents
        columns, rows = device_grid(grid)
        count = columns * rows
        arrived, started = self._named(build, ARRIVED), self._named(build, STARTED)
        word = build.ask("get_semaphore_address", arrived)
        build.call("noc_semaphore_inc", node_address(build, 0, 0, word), 1)
        numbers = (column(build, grid), row(build, grid))
        is_first = build.all_of(*(build.compare(number, "eq", 0) for number in numbers))
        assert is_first is not None
        first = build.when(is_first)
        first.call("noc_semaphore_wait", arrived, count)
        first.call("noc_semaphore_set", started, 1)
        if count > 1:
            everyone = RectangleOfNodes(left=0, top=0, right=columns - 1, bottom=rows - 1)
            flag = first.ask("get_semaphore_address", started)
            to = rectangle_address(first, everyone, flag, noc)
            first.call("noc_semaphore_set_multicast", flag, to, count - 1)

    def _named(self, build: Building, attribute: str) -> SSAValue:
        return build.add(GetSemaphoreOp(_text(self._operation, attribute))).results[0]


def _begin(op: Operation) -> Number | None:
    """The number of the first iteration of a loop; None for other operations, and if the kernel has to compute it."""
    if isinstance(op, scf.ForOp):
        return op.lb
    return bound(op.lowerBoundMap) if isinstance(op, affine.ForOp) else None


def _of_number(build: Building, function: str, first: str, index: SSAValue) -> SSAValue:
    op = call(function, index)
    op.attributes[FIRST] = StringAttr(first)
    op.results[0].name_hint = first
    return build.add(op).results[0]
