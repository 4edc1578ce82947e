"""The parts of a simulated launch in its report: nodes, kernels, buffers and pipes by their positions."""

from __future__ import annotations

import numpy as np

from ttl.protocol.chips import NODE_DIMS
from ttl.report.sources import SourceTable
from ttl.rows.dtypes import Array
from ttl.sim.diaries import SPAN, Diary
from ttl.sim.engine import Engine
from ttl.sim.event_log import EventLog
from ttl.sim.kernel import Kernel
from ttl.sim.pipes import SimPipe
from ttl.sim.placement import Launch
from ttl.sim.transfer import HeldBuffer
from ttl.source.spans import Site, Span, span_of_site


class SimulatedLaunch:
    """A launch that has ended, whose engine still has all its state."""

    def __init__(self, engine: Engine, launched: Launch, log: EventLog) -> None:
        self.engine, self.launched, self.log = engine, launched, log
        self.sources = SourceTable()
        self._spans: dict[Site, Span] = {}
        # The nodes of a launch on a mesh are placed as on their own devices.
        columns, rows = engine.chip.max_grid
        grid = (*engine.grid, 1)[:2]
        self.fits = len(engine.nodes) == grid[0] * grid[1] and grid[0] <= columns and grid[1] <= rows
        """Whether its nodes are nodes of one chip."""
        self.order = sorted(range(len(engine.nodes)), key=lambda index: self.core(index)[::-1])
        """The nodes by their index in the engine, row by row."""
        self.node = {index: position for position, index in enumerate(self.order)}
        """The position of every node by its index."""
        self.cores = {self.core(index): position for index, position in self.node.items()}
        """The position of a node, by its column and row."""
        self.kernels = sorted(
            log.kernels, key=lambda kernel: (self.node[kernel.node.index], kernel.node.kernels.index(kernel))
        )
        """The kernels by node, and on each node in the order of their definition."""
        self.names = list(dict.fromkeys(kernel.name for kernel in self.kernels))
        track_of = np.array([self.kernels.index(kernel) for kernel in log.kernels], np.int64)
        self.lines = [(place, self.kernels[track_of[place.kernel]]) for place in log.lines]
        """The place of each line number of the log, and the kernel of that place."""
        self.last = int(track_of[log.last]) if log.last >= 0 else -1
        """The diary of the kernel that ended last."""
        self.diaries = {
            track: self._diary(kernel, log.spans[log.kernels[kernel]], track_of)
            for track, kernel in enumerate(self.kernels)
        }
        pipes = [(number, pipe) for number, net in enumerate(engine.pipes.nets) for pipe in net.pipes]
        self.nets = {pipe: number for number, pipe in pipes}
        self.pipes = {pipe: position for position, (_, pipe) in enumerate(pipes)}
        self._buffers: dict[object, int] = {}
        for node in engine.nodes:
            for buffer in node.buffers:
                self._buffers.setdefault(buffer.site or (buffer.ordinal,), len(self._buffers))

    def _diary(self, kernel: Kernel, rows: list[tuple[int, ...]], track_of: Array) -> Diary:
        spans = np.array(rows, SPAN)
        ended = spans["by"] >= 0
        spans["by"][ended] = track_of[spans["by"][ended]]
        return Diary(
            core=self.core(kernel.node.index),
            role=kernel.name,
            kernel=self.names.index(kernel.name),
            started=0,
            ended=int(spans["ends"].max(initial=0)),
            spans=spans,
        )

    def core(self, index: int) -> tuple[int, int]:
        """The column and row of a node in the grid."""
        rows = (*self.engine.grid, 1)[1] if self.fits else 1
        return index // rows, index % rows

    def router(self, index: int) -> tuple[int, int] | tuple[None, None]:
        """Return the coordinates of a node's router on its chip; None for both in a grid that no chip has."""
        columns, rows = self.engine.chip.max_grid
        x, y = (*self.engine.nodes[index].coord[-NODE_DIMS:], 0)[:2]
        fits = self.fits or len(self.engine.grid) > NODE_DIMS
        return self.engine.chip.floorplan.node(x, y) if fits and x < columns and y < rows else (None, None)

    def buffer(self, buffer: HeldBuffer) -> int:
        """The position of a buffer's name; buffers that are made at one place of the program share it."""
        return self._buffers[buffer.site or (buffer.ordinal,)]

    def pipe(self, about: object) -> tuple[int | None, int | None]:
        """The positions of a pipe's net and of the pipe; None for both if ``about`` is not a pipe."""
        return (self.nets.get(about), self.pipes.get(about)) if isinstance(about, SimPipe) else (None, None)

    def span(self, site: Site | None) -> Span | None:
        """Return the span of a site in the source."""
        if site is None:
            return None
        if site not in self._spans:
            self._spans[site] = span_of_site(site)
        return self._spans[site]

    def place(self, site: Site | None) -> tuple[int | None, int | None]:
        """The position of the file of a site, and the line there; None for both where no source is known."""
        span = self.span(site)
        file = None if span is None else self.sources.number(span.file)
        return (None, None) if span is None or file is None else (file, span.line)
