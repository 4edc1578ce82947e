"""Pipe nets while an operation is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, Literal

from xdsl.ir import Block, SSAValue

from ttl.diag import Diagnostic, ProgramError
from ttl.diag.report import emit
from ttl.dialects import ttl as ir
from ttl.frontend import refusals
from ttl.frontend.kernel import chip_nets
from ttl.frontend.kernel.builder import new_block, region
from ttl.frontend.kernel.trace import OperationTrace, varies
from ttl.frontend.scalars import NodeCondition
from ttl.frontend.stop import Poisoned, Reject
from ttl.frontend.values import UserFunction
from ttl.ir.locations import location
from ttl.lang.check import fail
from ttl.lang.pipe import DstPipeIdentity, Pipe, PipeNet, SrcPipeIdentity, note_odd_net
from ttl.protocol.chips import NODE_DIMS
from ttl.protocol.devices import node_grid
from ttl.protocol.grid import grid_size, linear_index, resolve_coord, resolve_range
from ttl.rules import pipes
from ttl.rules.labels import NET_MADE, PIPE_MADE
from ttl.source.names import target_name
from ttl.source.spans import Span, span_of_site


@dataclass(slots=True)
class _NetRecord:
    """The facts about a net. The record keeps the net alive.

    ``span`` and ``name`` are those of a net that the operation makes. A net that is begun and not in the IR has a
    reported error: using it again reports nothing new.
    """

    of: PipeNet[Any]
    span: Span | None = None
    name: str | None = None
    is_begun: bool = False
    ssa: SSAValue | None = None


class Nets:
    """Nets in the IR, and the common properties of their pipes."""

    def __init__(self, trace: OperationTrace) -> None:
        self._trace = trace
        self.call_function: Callable[[Any, tuple[Any, ...]], Any] | None = None
        self.read_region: Callable[[Block, Any, Callable[[], None]], None] | None = None
        self._nets: dict[int, _NetRecord] = {}
        self._pipes: list[Pipe[Any]] = []
        self._pipe_spans: dict[int, Span] = {}

    def pipe_made(self, pipe: Pipe[Any]) -> None:
        """Note that a pipe was made at the current place."""
        self._pipe_spans[id(pipe)] = self._trace.here()
        self._pipes.append(pipe)

    def register(self, net: PipeNet[Any]) -> None:
        """Note that a net was made."""
        self._trace.require_body("pipe net made")
        record = self._record(net)
        record.span, record.name = self._trace.here(), self._trace.target
        if not net.parts:
            note_odd_net(net.pipes)
        for pipe in (*net.pipes, *(pipe for part in net.parts for pipe in part.pipes or ())):
            if not (varies(pipe.src) or varies(pipe.dst)):
                self.require_in_grid(pipe)

    def rename(self, value: object, older: str, name: str) -> None:
        """Name a net called ``older`` after its place in a container."""
        record = self._nets.get(id(value))
        if record is not None and record.name == older and record.ssa is None:
            record.name = name

    def known_as(self, net: PipeNet[Any], name: str) -> None:
        """Name a net from outside the operation after the first variable through which it is accessed."""
        record = self._record(net)
        if record.span is None and record.name is None:
            record.name = name

    def _record(self, net: PipeNet[Any]) -> _NetRecord:
        return self._nets.setdefault(id(net), _NetRecord(net))

    def net(self, net: PipeNet[Any]) -> SSAValue:
        """The net in the IR, which is made in the operation's body at its first use."""
        record = self._record(net)
        if record.ssa is not None:
            return record.ssa
        if record.is_begun:
            raise Poisoned
        record.is_begun = True
        attributes = []
        parts = chip_nets.parts_of(net, self._trace)
        for part in parts:
            for pipe in part.pipes or ():
                if varies(pipe.src) or varies(pipe.dst):
                    fail(pipes.net_differs().also(record.span, NET_MADE))
                self.require_in_grid(pipe)
        for pipe in () if parts else net.pipes:
            if varies(pipe.src) or varies(pipe.dst):
                fail(pipes.net_differs().also(record.span, NET_MADE))
            self.require_in_grid(pipe)
            self._note_ranks(pipe)
            attributes.append(_pipe_attribute(pipe.src, pipe.dst, self._trace.grid))
        assert self._trace.body is not None
        # A net made before the operation has the name that the program gives it there.
        name = record.name if record.span is not None else target_name(net.site) or record.name
        count = sum(other.ssa is not None for other in self._nets.values())
        written = [chip_nets.attribute(part, self._trace.grid) for part in parts]
        op = ir.CreatePipeNetOp(pipes=attributes, parts=written, name=name or f"net{count}")
        self._trace.builder.emit_first(self._trace.body, op)
        if record.span is not None:
            op.location = location(record.span)
        record.ssa = op.result
        return op.result

    def name_of(self, net: PipeNet[Any]) -> str:
        """Return the name of a net in the IR."""
        create = self.net(net).owner
        assert isinstance(create, ir.CreatePipeNetOp)
        return create.net_name.data

    def is_pipe(self, net: PipeNet[Any], end: str) -> NodeCondition | bool:
        """Whether the node is an end of any pipe: a known truth value if all nodes are, or no node is."""
        self.net(net)
        parts = chip_nets.parts_of(net, self._trace)
        known = (
            chip_nets.everywhere(parts, end, self._trace.grid)
            if parts
            else _everywhere(net, end, self._trace.grid)
        )
        if known is not None:
            return known
        kind = ir.IsPipeSrcOp if end == "src" else ir.IsPipeDstOp
        builder = self._trace.builder
        return NodeCondition(
            builder,
            ("pipe", end, id(net)),
            frozenset(),
            lambda: self._trace.emit(kind(self.net(net))).result,
            (),
        )

    def destination_count(self, net: PipeNet[Any]) -> Any:
        """The number of pipes from which the node receives."""
        self.net(net)
        if parts := chip_nets.parts_of(net, self._trace):
            return chip_nets.destination_count(parts, self._trace)
        counts = [0] * prod(self._trace.grid)
        for pipe in net.pipes:
            nodes = resolve_range(pipe.dst, self._trace.grid, stepped=True)
            if isinstance(nodes, Diagnostic):
                fail(nodes)
            for node in nodes:
                counts[node] += 1
        if len(set(counts)) == 1:
            return counts[0]
        bounds = min(counts), max(counts)
        return self._trace.builder.looked_up(counts, self._trace.node(1), bounds, None)

    def if_pipe(self, net: PipeNet[Any], function: Any, end: str) -> None:
        """Read the condition function of ``if_src`` or ``if_dst``, once for all pipes."""
        condition: pipes.Condition = "if_src" if end == "src" else "if_dst"
        if self._trace.kind != "data movement":
            fail(pipes.condition_outside(condition, self._trace.kind, self._trace.kernel or ""))
        if isinstance(function, UserFunction):
            _require_arity(function, condition)
        assert self.call_function is not None and self.read_region is not None
        call = self.call_function
        block = new_block(ir.PipeType("src" if end == "src" else "dst"))
        kind = TracedSrcPipe if end == "src" else TracedDstPipe
        pipe = kind(self, net, block.args[0])
        self.read_region(block, function, lambda: call(function, (pipe,)))
        pipe.active = False
        op = (ir.IfPipeSrcOp if end == "src" else ir.IfPipeDstOp)(self.net(net), region(block))
        self._trace.emit(op)

    def coordinates(self, net: PipeNet[Any], pipe: SSAValue, of: Literal["src", "dst"]) -> Any:
        """``pipe.src`` or ``pipe.dst``; constant if all pipes agree."""
        if parts := chip_nets.parts_of(net, self._trace):
            return chip_nets.coordinates(parts, self._trace, pipe, of)
        given = [item.src if of == "src" else item.dst for item in net.pipes]
        if all(item == given[0] for item in given):
            return given[0]
        shapes = {len(item) if isinstance(item, tuple | list) else 0 for item in given}
        if len(shapes) != 1:
            raise Reject(
                refusals.pipes_differ(
                    f"pipe.{of} has another number of dimensions in other pipes of the net",
                    "give all pipes of a net coordinates of the same number of dimensions",
                )
            )
        rank = shapes.pop()
        columns = list(zip(*given, strict=True)) if rank else [tuple(given)]
        result = []
        for axis, column in enumerate(columns):
            if all(coordinate == column[0] for coordinate in column):
                result.append(column[0])
            elif all(isinstance(coordinate, int) for coordinate in column):
                value = self._trace.emit(ir.PipeCoordinateOp(pipe, of=of, axis=axis)).result
                result.append(self._trace.builder.atom(value, min(column), max(column)))
            else:
                raise Reject(
                    refusals.pipes_differ(
                        f"pipe.{of} is a range of nodes that differs between the pipes of the net",
                        "use the coordinates that are single nodes, or make a net for each range",
                    )
                )
        return tuple(result) if rank else result[0]

    def chip(self, net: PipeNet[Any], pipe: SSAValue, of: Literal["src", "dst"]) -> Any:
        """The number of the chip on which an end of a pipe is."""
        extents = self._trace.grid[:-NODE_DIMS]
        if not extents:
            return 0
        if not chip_nets.parts_of(net, self._trace):
            end = self.coordinates(net, pipe, of)
            if not isinstance(end, tuple) or len(end) != len(self._trace.grid):
                raise Reject(
                    refusals.pipes_differ(
                        f"the chip of pipe.{of}, which is written in other dimensions than the grid",
                        f"write ends of pipes in {len(self._trace.grid)} dimensions",
                    )
                )
            return linear_index(end[: len(extents)], extents)
        return linear_index(chip_nets.chip_coordinate(self._trace, pipe, of), extents)

    def require_in_grid(self, pipe: Pipe[Any]) -> None:
        """Raise an error at the place where the pipe is made if one of its ends is not a node of the grid."""
        grid = node_grid(self._trace.grid)
        for finding in (resolve_coord(pipe.src, grid), resolve_range(pipe.dst, grid, stepped=True)):
            if isinstance(finding, Diagnostic):
                raise ProgramError(finding.at(self._span_of_pipe(pipe)))

    def _note_ranks(self, pipe: Pipe[Any]) -> None:
        nodes = resolve_range(pipe.dst, self._trace.grid, stepped=True)
        assert isinstance(nodes, tuple)
        finding = pipes.match_ranks(pipe.src, pipe.dst, nodes, self._trace.grid)
        if finding is not None:
            emit(finding.at(self._span_of_pipe(pipe)), once=True)

    def about_pipe(self, finding: Diagnostic, pipe: Pipe[Any]) -> Diagnostic:
        """Add the place where a pipe was made to a finding."""
        return finding.also(self._span_of_pipe(pipe), PIPE_MADE)

    def _span_of_pipe(self, pipe: Pipe[Any]) -> Span | None:
        span = self._pipe_spans.get(id(pipe))
        if span is None and pipe.site is not None:
            span = span_of_site(pipe.site)
        return span


def _everywhere(net: PipeNet[Any], end: str, grid: tuple[int, ...]) -> bool | None:
    """Whether every node is an end of a listed pipe (True), or no node is (False); else None."""
    nodes: set[int] = set()
    for pipe in net.pipes:
        result = (
            resolve_coord(pipe.src, grid) if end == "src" else resolve_range(pipe.dst, grid, stepped=True)
        )
        if isinstance(result, Diagnostic):
            fail(result)
        nodes.update((result,) if isinstance(result, int) else result)
    return bool(nodes) if len(nodes) in (0, prod(grid)) else None


def _pipe_attribute(src: Any, dst: Any, grid: tuple[int, ...]) -> ir.PipeAttr:
    source = tuple(int(item) for item in src) if isinstance(src, tuple | list) else (int(src),)
    entries = tuple(dst) if isinstance(dst, tuple | list) else (dst,)
    sizes = grid_size(grid, len(entries))
    destination = [
        ir.SliceAttr(
            0 if entry.start is None else int(entry.start),
            extent if entry.stop is None else int(entry.stop),
            1 if entry.step is None else int(entry.step),
        )
        if isinstance(entry, slice)
        else int(entry)
        for entry, extent in zip(entries, sizes, strict=True)
    ]
    return ir.PipeAttr(source, destination)


def _require_arity(function: UserFunction, condition: pipes.Condition) -> None:
    arguments = function.node.args
    given = len(arguments.posonlyargs) + len(arguments.args)
    finding = pipes.match_function(
        condition,
        function.name,
        given - len(function.defaults),
        takes_one=bool(given) or arguments.vararg is not None,
    )
    if finding is not None:
        fail(finding)


class _TracedEnd:
    """An end of a pipe for which a condition function is called. Its coordinates differ from call to call."""

    __slots__ = ("active", "net", "nets", "ssa")

    def __init__(self, nets: Nets, net: PipeNet[Any], ssa: SSAValue) -> None:
        self.nets = nets
        self.net = net
        self.ssa = ssa
        # True until the condition function to which it was passed has returned.
        self.active = True

    @property
    def dst(self) -> Any:
        """Destination of the pipe."""
        return self.nets.coordinates(self.net, self.ssa, "dst")

    @property
    def src(self) -> Any:
        """Source of the pipe."""
        return self.nets.coordinates(self.net, self.ssa, "src")


class TracedSrcPipe(_TracedEnd, SrcPipeIdentity[Any]):
    """The sending end."""

    __slots__ = ()

    @property
    def destination_device_index(self) -> Any:
        """The number of the chip to which the pipe sends."""
        return self.nets.chip(self.net, self.ssa, "dst")


class TracedDstPipe(_TracedEnd, DstPipeIdentity):
    """The receiving end."""

    __slots__ = ()

    @property
    def source_device_index(self) -> Any:
        """The number of the chip from which the pipe comes."""
        return self.nets.chip(self.net, self.ssa, "src")


class TracedNet:
    """A net, with the methods of an execution that ``PipeNet`` calls."""

    __slots__ = ("net", "nets")

    def __init__(self, nets: Nets, net: PipeNet[Any]) -> None:
        self.nets = nets
        self.net = net

    def if_src(self, function: Any) -> None:
        """Evaluate the condition function once, for all pipes."""
        self.nets.if_pipe(self.net, function, "src")

    def if_dst(self, function: Any) -> None:
        """Evaluate the condition function once, for all pipes."""
        self.nets.if_pipe(self.net, function, "dst")

    def is_src(self) -> Any:
        """Whether the node sends on any pipe."""
        return self.nets.is_pipe(self.net, "src")

    def is_dst(self) -> Any:
        """Whether the node receives from any pipe."""
        return self.nets.is_pipe(self.net, "dst")

    def destination_count(self) -> Any:
        """The number of pipes from which the node receives."""
        return self.nets.destination_count(self.net)
