"""Pipe nets while an operation is read."""

from __future__ import annotations

from typing import Any, Literal, NoReturn

from xdsl.ir import SSAValue

from ttl.diag import Diagnostic, ProgramError
from ttl.dialects import ttl as ir
from ttl.frontend import refusals
from ttl.frontend.scalars import Condition
from ttl.frontend.slicing import Slicing
from ttl.frontend.stop import Poisoned, Reject
from ttl.frontend.tracing import varies
from ttl.ir.locations import location
from ttl.lang.check import fail
from ttl.lang.pipe import Pipe, PipeNet
from ttl.protocol.grid import grid_size, resolve_coord, resolve_range
from ttl.rules import pipes
from ttl.rules.labels import NET_MADE, PIPE_MADE
from ttl.source.names import target_name
from ttl.source.spans import Span, span_of_site


class Nets(Slicing):
    """Nets in the IR, and what their pipes have in common."""

    def pipe_made(self, pipe: Pipe[Any]) -> None:
        """A pipe was made at the place that is being read."""
        self._pipe_spans[id(pipe)] = self.here()
        self._kept_nets.append(pipe)

    def net(self, net: PipeNet[Any]) -> SSAValue:
        """The net in the IR; made in the operation's body, when it is first used."""
        known = self._nets.get(id(net))
        if known is not None:
            return known
        if id(net) in self._failed_nets:
            raise Poisoned
        attributes = []
        for pipe in net.pipes:
            if varies(pipe.src) or varies(pipe.dst):
                self._fail_net(net, pipes.net_differs().also(self._net_spans.get(id(net)), NET_MADE))
            try:
                self.require_in_grid(pipe)
            except ProgramError:
                self._failed_nets.add(id(net))
                self._kept_nets.append(net)
                raise
            attributes.append(_pipe_attribute(pipe.src, pipe.dst, self.grid))
        assert self.body is not None
        # One that was made before the operation is called what the program calls it there.
        named = self._net_names[id(net)] if id(net) in self._net_names else target_name(net.site)
        name = named or f"net{len(self._nets)}"
        made_op = self.builder.emit_first(self.body, ir.CreatePipeNetOp(pipes=attributes, name=name))
        if id(net) in self._net_spans:
            made_op.location = location(self._net_spans[id(net)])
        made: SSAValue = made_op.result
        self._kept_nets.append(net)
        self._nets[id(net)] = made
        return made

    def is_pipe(self, net: PipeNet[Any], end: str) -> Condition | bool:
        """Whether the node is an end of any pipe; known where all nodes or none are."""
        pipes = [pipe.src if end == "src" else pipe.dst for pipe in net.pipes]
        self.net(net)
        nodes: set[int] = set()
        for given in pipes:
            found = resolve_coord(given, self.grid) if end == "src" else resolve_range(given, self.grid)
            if isinstance(found, Diagnostic):
                fail(found)
            nodes.update((found,) if isinstance(found, int) else found)
        total = 1
        for extent in self.grid:
            total *= extent
        if len(nodes) in (0, total):
            return bool(nodes)
        kind = ir.IsPipeSrcOp if end == "src" else ir.IsPipeDstOp
        builder = self.builder
        return Condition(
            builder, ("pipe", end, id(net)), frozenset(), lambda: self.emit(kind(self.net(net))).result, ()
        )

    def pipe_coordinates(self, net: PipeNet[Any], pipe: SSAValue, of: Literal["src", "dst"]) -> Any:
        """``pipe.src`` or ``pipe.dst``: the same for all pipes where they agree."""
        given = [each.src if of == "src" else each.dst for each in net.pipes]
        if all(each == given[0] for each in given):
            return given[0]
        shapes = {len(each) if isinstance(each, tuple | list) else 0 for each in given}
        if len(shapes) != 1:
            raise Reject(
                refusals.pipes_differ(
                    f"pipe.{of} has another number of dimensions in other pipes of the net",
                    "give all pipes of a net coordinates of the same number of dimensions",
                )
            )
        rank = shapes.pop()
        columns = list(zip(*given, strict=True)) if rank else [tuple(given)]
        made = []
        for axis, column in enumerate(columns):
            if all(each == column[0] for each in column):
                made.append(column[0])
            elif all(isinstance(each, int) for each in column):
                value = self.emit(ir.PipeCoordinateOp(pipe, of=of, axis=axis)).result
                made.append(self.builder.atom(value, min(column), max(column)))
            else:
                raise Reject(
                    refusals.pipes_differ(
                        f"pipe.{of} is a range of nodes that differs between the pipes of the net",
                        "use the coordinates that are single nodes, or make a net for each range",
                    )
                )
        return tuple(made) if rank else made[0]

    def require_in_grid(self, pipe: Pipe[Any]) -> None:
        """An error, where the pipe is made, if an end of it is no node of the grid."""
        for found in (resolve_coord(pipe.src, self.grid), resolve_range(pipe.dst, self.grid)):
            if isinstance(found, Diagnostic):
                raise ProgramError(found.at(self._span_of_pipe(pipe)))

    def _about_pipe(self, finding: Diagnostic, pipe: Pipe[Any]) -> Diagnostic:
        return finding.also(self._span_of_pipe(pipe), PIPE_MADE)

    def _span_of_pipe(self, pipe: Pipe[Any]) -> Span | None:
        span = self._pipe_spans.get(id(pipe))
        if span is None and pipe.site is not None:
            span = span_of_site(pipe.site)
        return span

    def _fail_net(self, net: PipeNet[Any], finding: Diagnostic) -> NoReturn:
        self._failed_nets.add(id(net))
        self._kept_nets.append(net)
        fail(finding)


def _pipe_attribute(src: Any, dst: Any, grid: tuple[int, ...]) -> ir.PipeAttr:
    source = tuple(int(each) for each in src) if isinstance(src, tuple | list) else (int(src),)
    entries = tuple(dst) if isinstance(dst, tuple | list) else (dst,)
    sizes = grid_size(grid, len(entries))
    destination = [
        ir.SliceAttr(
            0 if entry.start is None else int(entry.start),
            extent if entry.stop is None else int(entry.stop),
            1,
        )
        if isinstance(entry, slice)
        else int(entry)
        for entry, extent in zip(entries, sizes, strict=True)
    ]
    return ir.PipeAttr(source, destination)
