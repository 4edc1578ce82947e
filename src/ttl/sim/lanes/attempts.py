"""One run of a launch in which one node is run for all nodes that are like it, and the tape of the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn, cast

from ttl import control
from ttl.diag import KernelInterrupted
from ttl.host.tensor import Tensor
from ttl.lang.pipe import Pipe
from ttl.protocol.grid import coordinate
from ttl.sim.kernel import Kernel, Node
from ttl.sim.lanes.coordinates import NodeLanes, Prepared
from ttl.sim.lanes.memory import LaneMemory
from ttl.sim.lanes.routes import Ends, Routes
from ttl.sim.numbers import TracedNumberError
from ttl.source.spans import Site

if TYPE_CHECKING:
    from ttl.sim.kernel import RunningLaunch
    from ttl.sim.placement import Launch

# A grid of fewer nodes is run node by node; all attempts together run no more nodes than there are. Computing less data
# than this for each node takes less time than reading the code; a tape of more bytes would not be kept.
_LEAST_NODES = 4
_LEAST_ELEMENTS, _MOST_BYTES = 8 * 1024, 64 << 20


class LaneRun:
    """The run of a launch with one node for each group of nodes. The engine asks it for nodes, memory and pipes."""

    def __init__(self, launch: Launch, function: FunctionType, groups: Sequence[tuple[int, ...]]) -> None:
        self.function = function
        self._grid = launch.grid
        self._groups = groups
        self._routes = Routes(groups)
        # The error that ended the run, even if it was caught or replaced on its way through the kernels.
        self.parted: TracedNumberError | None = None
        self.tape: Any = None

    def make_nodes(self, engine: RunningLaunch) -> list[Node]:
        """The nodes that are run, with their bodies. Their coordinates are lane numbers."""
        nodes = []
        for group in self._groups:
            lanes = NodeLanes(group)
            axes = zip(*(coordinate(node, self._grid, len(self._grid)) for node in group), strict=True)
            node = Node(engine, group[0], tuple([cast("int", lanes.number(axis)) for axis in axes]))
            node.body = Kernel(node, "operation body", None, None)
            nodes.append(node)
        return nodes

    def name_nodes(self, engine: RunningLaunch) -> None:
        """Give nodes the coordinates of the nodes that are run, in place of lane numbers, for messages."""
        for node in engine.nodes:
            node.coord = coordinate(node.index, self._grid, len(self._grid))

    def memory(self, engine: RunningLaunch) -> LaneMemory:
        """The tensors of the launch."""
        return LaneMemory(engine)

    def between(self, pipes: Sequence[Ends]) -> list[Ends | None]:
        """Return the pipes of a net between the nodes that are run; None in place of a pipe between others."""
        return self._routes.of_net(pipes)

    def shown(self, pipe: Pipe[Any]) -> Any:
        """Return a stand-in for a pipe. A kernel that asks for its ends ends the run, as they differ on each lane."""
        return _Endless(pipe.site, self)

    def give_up(self) -> NoReturn:
        """End the run; the nodes are then run one by one."""
        self.parted = TracedNumberError()
        raise self.parted

    def begin(self, engine: RunningLaunch) -> None:
        """The launch begins."""
        pending = engine.pending
        pending.only_taped = True
        pending.limit_bytes //= max(map(len, self._groups))
        pending.limit_intermediate //= max(map(len, self._groups))
        pending.begin_tape()

    def end(self, engine: RunningLaunch, tensors: Sequence[Tensor]) -> None:
        """Take the tape of the launch, which has ended well, and spread it over all lanes."""
        if engine.semaphores.all:
            return
        positions = {id(tensor): position for position, tensor in enumerate(tensors)}
        memory: Any = engine.memory
        ranges: list[tuple[int, int, int, bool]] = []
        shifted: list[tuple[int, int, int, tuple[int, ...]]] = []
        for tensor, storage, shift in memory.records():
            position = positions.get(id(tensor))
            if position is None or storage.region.hazard:
                return
            place = position
            if shift is not None:
                place = len(tensors) + len(shifted)
                shifted.append((place, position, shift.lanes.nodes[0], shift.by))
            for array in (storage.array, *(storage.retired or ())):
                address = array.__array_interface__["data"][0]
                ranges.append((address, array.nbytes, place, storage.writable))
        tape = engine.pending.end_tape(ranges)
        if isinstance(tape, str) or tape.nbytes * max(map(len, self._groups)) > _MOST_BYTES:
            return
        alike = [(group[0], len(group)) for group in self._groups]
        routes = [(*ends, lanes) for ends, lanes in self._routes.lanes.items()]
        if tape.spread(alike, shifted, routes) is None:
            self.tape = tape


class _Endless:
    """A pipe between lanes, whose ends a kernel cannot see."""

    def __init__(self, site: Site | None, run: LaneRun) -> None:
        self.site = site
        self._run = run

    @property
    def src(self) -> Any:
        self._run.give_up()

    @property
    def dst(self) -> Any:
        self._run.give_up()


Run = Callable[["Launch", LaneRun, Sequence[Tensor]], None]


def trace(launch: Launch, tensors: Sequence[Tensor], run: Run) -> Any:
    """Return the tape of a launch over these tensors, from runs of one node for each group of like nodes; else None.

    ``run`` carries out a run. The code of the launch must have no effects, and no ``except`` that could notice an
    attempt.
    """
    nodes = prod(launch.grid)
    function = Prepared().copy(launch.operation.function)
    groups: Sequence[tuple[int, ...]] = [tuple(range(nodes))]
    run_so_far = 0
    while len(groups) * 2 <= nodes and run_so_far + len(groups) <= nodes:
        run_so_far += len(groups)
        attempt = LaneRun(launch, function, groups)
        try:
            named = zip(launch.kwargs, _own(tuple(launch.kwargs.values())), strict=True)
            copied = replace(launch, args=_own(launch.args), kwargs=dict(named))
            run(copied, attempt, tensors)
        except (KeyboardInterrupt, KernelInterrupted):
            raise
        except BaseException as failure:
            parted = failure if isinstance(failure, TracedNumberError) else attempt.parted
            if parted is None or not parted.groups:
                return None
            groups = _refined(groups, parted.groups)
            continue
        values = (*launch.args, *launch.kwargs.values())
        return attempt.tape if _is_as_before(values, (*copied.args, *copied.kwargs.values())) else None
    return None


def _own(value: Any) -> Any:
    """Return a copy of a value with lists of its own, so that changes have no effect outside."""
    if type(value) is tuple or type(value) is list:
        return type(value)([_own(item) for item in value])
    if type(value) in (dict, set):
        raise TracedNumberError
    return value


def _is_as_before(value: Any, copy: Any) -> bool:
    if type(value) is not tuple and type(value) is not list:
        return value is copy
    return len(value) == len(copy) and all(map(_is_as_before, value, copy))


def _refined(groups: Sequence[tuple[int, ...]], parts: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the groups, sorted by their first nodes, with each group that was parted replaced by its parts."""
    gone = {node for part in parts for node in part}
    return sorted([*parts, *(group for group in groups if group[0] not in gone)])


def is_worthwhile(launch: Launch) -> bool:
    """Whether a launch has nodes that might be alike, and more data on each than it takes to read its code."""
    nodes = prod(launch.grid)
    elements = sum(arg.volume() for arg in (*launch.args, *launch.kwargs.values()) if isinstance(arg, Tensor))
    return control.NATIVE and nodes >= _LEAST_NODES and elements >= nodes * _LEAST_ELEMENTS
