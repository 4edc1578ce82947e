"""``if_src`` and ``if_dst`` as code: which nodes run the function, how often, and for which pipe each time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Operation, SSAValue

from ttl.analysis.network import Node
from ttl.dialects import ttl as dialect
from ttl.dialects.pipes import IfPipeOp
from ttl.passes.building import Building, Number, detach, erase
from ttl.passes.movement.nodes import chip, column, row
from ttl.passes.pipes.fitting import Here, Key, is_node_of, value_at
from ttl.passes.pipes.net import ChipNet, PipeEnds
from ttl.protocol.grid import Grid

End = Literal["src", "dst"]


class NetRole:
    """The pipes that nodes have at one end of a net."""

    def __init__(self, net: ChipNet, end: End, grid: Grid) -> None:
        self.net = net
        self.end = end
        self.grid = grid
        self.of: Mapping[Node, list[PipeEnds]] = net.sent if end == "src" else net.received
        self.entries: dict[Key, tuple[Node, PipeEnds]] = {
            (node[0], node[1], index, node[2], 0): (node, pipe)
            for node, pipes in self.of.items()
            for index, pipe in enumerate(pipes)
        }

    def taken(self, build: Building) -> SSAValue | None:
        """Return whether this node has a pipe at this end; None if every node has one."""
        return is_node_of(build, self.of, self.grid)

    def here(self, build: Building, pipe: Number = 0) -> Here:
        """Return the place of the kernel: column, row, pipe and chip."""
        return Here(column(build, self.grid), row(build, self.grid), pipe, chip(build, self.grid))

    def value(self, build: Building, here: Here, number: Mapping[PipeEnds, int]) -> Number:
        """Return the number that ``number`` assigns to the pipe ``here``."""
        return value_at(
            build, here, {key: number[pipe] for key, (_, pipe) in self.entries.items()}, self.grid
        )

    def value_of_end(self, build: Building, here: Here, number: Callable[[Node, PipeEnds], int]) -> Number:
        """Return the number that ``number`` assigns to the pipe ``here`` and the node at this end of it."""
        return value_at(build, here, {key: number(*end) for key, end in self.entries.items()}, self.grid)

    def value_of_iteration(
        self, build: Building, here: Here, numbers: Callable[[PipeEnds], Sequence[int]]
    ) -> Number:
        """Return the number of the destination ``here`` on another chip, of those that ``numbers`` has for a pipe."""
        table = {
            (*key[:-1], iteration): number
            for key, (_, pipe) in self.entries.items()
            for iteration, number in enumerate(numbers(pipe))
        }
        return value_at(build, here, table, self.grid)

    def count(self, build: Building) -> Number:
        """Return how many pipes this node has, if it has any."""
        table = {(node[0], node[1], 0, node[2], 0): len(pipes) for node, pipes in self.of.items()}
        return value_at(build, self.here(build), table, self.grid)


def inline(op: IfPipeOp, role: NetRole) -> Here | None:
    """Inline the function where it is called: under a condition, and in a loop if a node has several pipes.

    Returns the node that runs the function and its pipe, as values inside the function; None if no node runs it. Uses
    of the pipe get a placeholder value.
    """
    if not role.of:
        _erase(op)
        return None
    build = Building(op)
    condition = role.taken(build)
    outer = build if condition is None else build.when(condition)
    at = role.here(outer)
    if max(map(len, role.of.values())) == 1:
        _fill(op, outer)
        _erase(op)
        return at
    heres: list[Here] = []

    def body(inside: Building, pipe: SSAValue, carried: object) -> list[SSAValue]:
        _fill(op, inside)
        heres.append(replace(at, pipe=pipe))
        return []

    outer.loop(0, role.count(outer), 1, [], body, name="pipe")
    _erase(op)
    return heres[0]


def _fill(op: IfPipeOp, target: Building) -> None:
    marker = target.add(UnrealizedConversionCastOp.create(result_types=[op.pipe.type]))
    op.pipe.replace_all_uses_with(marker.results[0])
    for item in list(op.body.block.ops):
        detach(item)
        target.move(item)


def _erase(op: Operation) -> None:
    erase(op)


def coordinate_of(build: Building, op: dialect.PipeCoordinateOp, role: NetRole, here: Here) -> Number:
    """A coordinate of the source or the destination of a pipe, as it was written."""
    numbers: dict[PipeEnds, int] = {}
    for pipe in role.net.pipes:
        written = (pipe.written.src if op.of == "src" else pipe.written.dst)[op.axis]
        numbers[pipe] = written.start if isinstance(written, dialect.SliceAttr) else written
    return role.value(build, here, numbers)
