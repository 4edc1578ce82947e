"""Pipes and pipe nets (specification, "Pipe" and "Pipe net")."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from inspect import CO_VARARGS
from types import FunctionType, NoneType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ttl import control
from ttl.diag import Diagnostic
from ttl.diag.remedies import RenameArgument
from ttl.diag.report import emit
from ttl.lang.check import fail, not_constructed, public
from ttl.lang.context import CURRENT, current
from ttl.lang.deprecated import note_current_core, note_older, note_pipe_end
from ttl.lang.devices import DevicePoints, PipeMapping, TransferGraph, between, listed_in, require_one
from ttl.lang.kernels import require_plain
from ttl.protocol.chips import chip_of
from ttl.protocol.devices import ChipDomain, ChipGraph, first_node, node_grid
from ttl.protocol.grid import resolve_coord, resolve_range
from ttl.rules import devices
from ttl.rules import pipes as rules
from ttl.source.spans import Site, user_span

if TYPE_CHECKING:
    from ttl.control import Net as _NET
    from ttl.control import PipeSpec as _PIPE
else:
    _NET = control.base("Net")
    _PIPE = control.base("PipeSpec", ("dst", "site", "src"))

DstT = TypeVar("DstT")


@control.accelerated
class Pipe(_PIPE, Generic[DstT]):
    """One source node and one destination: a node (unicast) or a node range (multicast).

    ``src`` is a node coordinate. ``dst`` is a coordinate or a range: a tuple of ints and slices, such as
    ``(x, slice(1, y_size))``; a slice may have a step. As many dimensions as in ``ttl.grid_size(dims=...)``, which need not be those of the
    grid. A pipe carries one message at a time. Coordinates are checked against the grid when the net is made, or,
    outside of an operation, when it is used (TTL0603). Specification: "Pipe".
    """

    __slots__ = ()

    @public
    def __init__(
        self,
        src: Any = None,
        dst: DstT | None = None,
        *,
        src_core: Any = None,
        dst_core: Any = None,
        dst_core_range: Any = None,
    ) -> None:
        if src_core is not None:
            note_older("src_core=", "src=", "TTL1202", RenameArgument(older="src_core", current="src"))
            src = src_core
        for name, older in (("dst_core", dst_core), ("dst_core_range", dst_core_range)):
            if older is not None:
                note_older(f"{name}=", "dst=", "TTL1211", RenameArgument(older=name, current="dst"))
                dst = older
        if src is None or dst is None:
            fail(rules.end_missing())
        self.src = src
        self.dst = dst
        self.site: Site | None = control.site_of_user()

    def has_current_core(self) -> bool:
        """Older: whether the current node is the source or a destination of the pipe."""
        note_current_core()
        execution = current("Pipe.has_current_core()")
        nodes = node_grid(execution.grid)
        ends = (resolve_coord(self.src, nodes), resolve_range(self.dst, nodes, stepped=True))
        for end in ends:
            if isinstance(end, Diagnostic):
                fail(end)
        source, destinations = ends
        here = execution.node_index - first_node(execution.node_index, execution.grid)
        return here == source or here in destinations  # type: ignore[operator]

    @staticmethod
    @public
    def pairwise(*, src: DevicePoints, dst: DevicePoints) -> Pipe[Any]:
        """Pipes from each of several chips to one chip: from the first of ``src`` to the first of ``dst``, etc."""
        graph, source, destination = between(src, dst, pairwise=True)
        return _PipeOfChips(graph, source, destination)

    def __repr__(self) -> str:
        return rules.pipe_text(self.src, self.dst)


control.register(pipe=Pipe)


class _PipeOfChips(Pipe[Any]):
    """Pipes between chips: the same nodes on each pair of chips of a graph."""

    __slots__ = ("graph",)

    def __init__(self, graph: ChipGraph, src: Any, dst: Any) -> None:
        super().__init__(src=src, dst=dst)
        self.graph = graph


class PipeIdentity:
    """A pipe passed to a condition function: one end of a copy."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def src(self) -> Any: ...
        @property
        def dst(self) -> Any: ...
        @property
        def ends(self) -> tuple[int, int]: ...

    @property
    def src_core(self) -> Any:
        """Older spelling of ``src``."""
        note_pipe_end("src_core", "src", "TTL1202")
        return self.src

    @property
    def dst_core(self) -> Any:
        """Older spelling of ``dst`` of a pipe to one node; None for others."""
        return self._older_destination("dst_core", of_range=False)

    @property
    def dst_core_range(self) -> Any:
        """Older spelling of ``dst`` of a pipe to a range of nodes; None for others."""
        return self._older_destination("dst_core_range", of_range=True)

    def _older_destination(self, name: str, *, of_range: bool) -> Any:
        dst = self.dst
        is_range = isinstance(dst, tuple | list) and any(isinstance(entry, slice) for entry in dst)
        applies = (is_range or isinstance(dst, slice)) is of_range
        note_pipe_end(name, "dst", "TTL1211", is_same=applies)
        return dst if applies else None


class SrcPipeIdentity(PipeIdentity, Generic[DstT]):
    """The pipe with which a condition function of ``if_src`` is called; destination of a copy."""

    __slots__ = ()

    def __init__(self, *arguments: Any) -> None:
        not_constructed("the sending end of a pipe", "net.if_src(function) calls the function with it")

    @property
    def dst(self) -> DstT:
        """Destination node or node range with which the pipe was constructed."""
        raise NotImplementedError

    @property
    def destination_device_index(self) -> Any:
        """The number of the chip to which the pipe sends, row-major; 0 on one chip."""
        return chip_of(self.ends[1], current("destination_device_index").grid)


class DstPipeIdentity(PipeIdentity):
    """The pipe with which a condition function of ``if_dst`` is called; source of a copy."""

    __slots__ = ()

    def __init__(self, *arguments: Any) -> None:
        not_constructed("the receiving end of a pipe", "net.if_dst(function) calls the function with it")

    @property
    def src(self) -> Any:
        """Source node with which the pipe was constructed."""
        raise NotImplementedError

    @property
    def source_device_index(self) -> Any:
        """The number of the chip from which the pipe comes, row-major; 0 on one chip."""
        return chip_of(self.ends[0], current("source_device_index").grid)


@dataclass(frozen=True, slots=True)
class NetPart:
    """The part of a net over one graph. ``pipes`` is None if every node sends to the same node of the other chip."""

    graph: ChipGraph
    pipes: tuple[Pipe[Any], ...] | None


def part_of(graph: Any, pipes: tuple[Pipe[Any], ...] | None) -> NetPart:
    """The part of a net over a graph; an error if it is not a graph, or if there are pipes to a range of nodes."""
    if not isinstance(graph, TransferGraph):
        fail(devices.bad_argument("the graph of a net", graph, "a ttl.TransferGraph"))
    if graph.ranged:
        fail(devices.range_in_net(graph.ranged))
    for pipe in pipes or ():
        entries = pipe.dst if isinstance(pipe.dst, tuple | list) else (pipe.dst,)
        if any(isinstance(entry, slice) for entry in entries):
            fail(devices.multicast_on_graph(repr(pipe)))
    return NetPart(graph.graph, pipes)


def domain_of(parts: Iterable[NetPart]) -> ChipDomain:
    """The domain of all parts of a net, at least one; an error if they differ (TTL0629)."""
    domains = [part.graph.domain for part in parts]
    require_one(domains)
    return domains[0]


@control.accelerated
class PipeNet(_NET, Generic[DstT]):
    """A list of pipes used together, the same on every node (TTL0608).

    Constructed in an operation's body or in an enclosing scope; used in data movement kernels (TTL0610), its
    predicates everywhere in the operation. An unused net has no effect. Specification: "Pipe net".

    Over several chips: with ``graph`` every edge of it has all the pipes; without pipes, every node sends to the same node of
    the other chip. ``mappings`` are several graphs with their pipes, one after the other.
    """

    __slots__ = ("__weakref__", "parts", "pipes", "site")

    @public
    def __init__(
        self,
        pipes: Iterable[Pipe[DstT]] | None = None,
        *,
        graph: TransferGraph | None = None,
        mappings: Iterable[PipeMapping] | None = None,
    ) -> None:
        listed: tuple[Any, ...]
        if pipes is None:
            listed = ()
            if (graph is None) is (mappings is None):
                fail(_unclear())
        elif isinstance(pipes, Pipe):
            emit(rules.one_pipe().at(user_span()), once=True)
            listed = (pipes,)
        else:
            try:
                listed = tuple(pipes)
            except TypeError:
                listed = (pipes,)
        for pipe in listed:
            if type(pipe) is not Pipe and not isinstance(pipe, Pipe):
                fail(rules.no_pipe(pipe))
        self.pipes: tuple[Pipe[DstT], ...] = listed
        self.parts: tuple[NetPart, ...] = ()
        if graph is not None or mappings is not None or any(map(_is_of_chips, listed)):
            self.parts = _parts(listed if pipes is not None else None, graph, mappings)
            self.pipes = ()
            domain_of(self.parts)
        self.site: Site | None = control.site_of_user()
        execution = CURRENT.get()
        if execution is None:
            if not self.parts:
                note_odd_net(listed)
        else:
            execution.register_net(self)

    def if_src(self, cond_fun: Callable[[SrcPipeIdentity[DstT]], None]) -> None:
        """Call the condition function for each pipe whose source is the current node, in list order."""
        _check_function(cond_fun, "if_src")
        current("PipeNet.if_src()").pipe_net(self).if_src(cond_fun)

    def if_dst(self, cond_fun: Callable[[DstPipeIdentity], None]) -> None:
        """Call the condition function for each pipe that has the current node as a destination, in list order."""
        _check_function(cond_fun, "if_dst")
        current("PipeNet.if_dst()").pipe_net(self).if_dst(cond_fun)

    def is_src(self) -> bool:
        """Whether the current node is the source of any pipe in the net."""
        return current("PipeNet.is_src()").pipe_net(self).is_src()

    def is_dst(self) -> bool:
        """Whether the current node is a destination of any pipe in the net."""
        return current("PipeNet.is_dst()").pipe_net(self).is_dst()

    def destination_count(self) -> int:
        """The number of pipes whose destination is the current node; ``if_dst`` calls its function as often."""
        return current("PipeNet.destination_count()").pipe_net(self).destination_count()

    def is_active(self) -> bool:
        """Whether the current node is a source or a destination in the net."""
        state = current("PipeNet.is_active()").pipe_net(self)
        return state.is_src() or state.is_dst()


def _is_of_chips(pipe: Pipe[Any]) -> bool:
    # This is called on every node for every pipe of a list.
    return (
        isinstance(pipe, _PipeOfChips)
        or isinstance(pipe.src, DevicePoints)
        or isinstance(pipe.dst, DevicePoints)
    )


def _parts(listed: tuple[Any, ...] | None, graph: Any, mappings: Any) -> tuple[NetPart, ...]:
    """Return the parts of a net over several chips."""
    if mappings is not None:
        if listed is not None or graph is not None:
            fail(_unclear())
        parts = []
        for mapping in listed_in(mappings, "mappings"):
            if not isinstance(mapping, PipeMapping):
                fail(devices.bad_argument("a member of mappings", mapping, "a ttl.PipeMapping"))
            own = None if mapping.pipes is None else tuple(listed_in(mapping.pipes, "the pipes of a mapping"))
            for pipe in own or ():
                if not isinstance(pipe, Pipe):
                    fail(rules.no_pipe(pipe))
            parts.append(part_of(mapping.graph, own))
        if not parts:
            fail(_unclear())
        return tuple(parts)
    if graph is not None:
        if any(map(_is_of_chips, listed or ())):
            fail(_unclear())
        return (part_of(graph, listed),)
    result = []
    for pipe in listed or ():
        if isinstance(pipe, _PipeOfChips):
            result.append(NetPart(pipe.graph, (Pipe(src=pipe.src, dst=pipe.dst),)))
        else:
            own_graph, src, dst = between(pipe.src, pipe.dst, pairwise=False)
            result.append(NetPart(own_graph, (Pipe(src=src, dst=dst),)))
    return tuple(result)


def _unclear() -> Diagnostic:
    return devices.bad_net(
        "a ttl.PipeNet is made of pipes, of pipes and a graph, of a graph, or of mappings",
        "write ttl.PipeNet([...]), ttl.PipeNet(graph=...), ttl.PipeNet([...], graph=...) or ttl.PipeNet(mappings=[...]); "
        "pipes between nodes of chosen chips bring their graph with them",
    )


def note_odd_net(pipes: tuple[Pipe[Any], ...]) -> None:
    """Warn about a net without pipes, or with a pipe twice, at the place where it is made."""
    finding = rules.net_without_pipes() if not pipes else None
    seen: set[tuple[object, object]] = set()
    for pipe in pipes:
        ends = _ends(pipe.src), _ends(pipe.dst)
        if None not in ends and ends in seen:
            finding = rules.pipe_twice(pipe.src, pipe.dst)
            break
        seen.add(ends)
    if finding is not None:
        emit(finding.at(user_span()), once=True)


def _ends(given: object) -> object:
    """A coordinate or a range in a form that can be compared; None if it is not known yet."""
    entries = given if isinstance(given, tuple | list) else (given,)
    parts: list[object] = []
    for entry in entries:
        bounds = (entry.start, entry.stop) if isinstance(entry, slice) else (entry, "node")
        if not all(type(bound) in (int, str, NoneType) for bound in bounds):
            return None
        parts.append(bounds)
    return tuple(parts)


def _check_function(function: object, condition: rules.Condition) -> None:
    if isinstance(function, FunctionType):
        require_plain(function, f"the function given to {condition}")
        code = function.__code__
        required = code.co_argcount - len(function.__defaults__ or ())
        takes_one = code.co_argcount > 0 or bool(code.co_flags & CO_VARARGS)
        finding = rules.match_function(condition, function.__name__, required, takes_one=takes_one)
        if finding is not None:
            fail(finding)
    elif not callable(function):
        fail(rules.no_function(condition, function))
