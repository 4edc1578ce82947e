"""The pipes of a recorded run: the bytes and messages that each carried, and the pipes of transfers and waits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ttl.arch import Chip
from ttl.codegen.declared import DeclaredNet
from ttl.codegen.description import ProgramDescription
from ttl.emu.launch import ChipRun
from ttl.emu.program import Core
from ttl.emu.stats import messages_of, nets_of
from ttl.report.records import PipeUse
from ttl.report.sources import SourceTable
from ttl.rows.dtypes import Array
from ttl.rules.pipes import pipe_name


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PipeTable:
    """The pipes of a run. Positions of pipes are those of ``uses``; -1: no pipe, or the pipe is not known."""

    uses: tuple[PipeUse, ...]
    ends: tuple[tuple[Core, tuple[Core, ...]], ...]
    """The source and the destinations of every pipe."""
    names: tuple[str, ...]
    """The name of every pipe: ``net's pipe from (0, 0) to (1, 0)``."""
    of_transfer: Array
    """The pipe of every transfer that carries a message or signals that a message has arrived."""
    nets: Mapping[int, int]
    """The net of each semaphore, by its number; the first if several nets share it."""
    kinds: Mapping[int, str]
    """The meaning of each semaphore: ``valid``: a message has arrived; ``ready`` or ``free``: there is room for one."""
    waited: Mapping[tuple[int, int], int]
    """The pipe that a node waits for at a semaphore, by the numbers of both, where only one pipe is possible."""

    def named(self, net: int, pipe: int) -> str:
        """Return the name of a pipe; the name of its net where the pipe is not known."""
        if pipe >= 0:
            return self.names[pipe]
        return next((use.name for use in self.uses if use.net == net), "a net of pipes")

    def position(self, ends: tuple[Core, tuple[Core, ...]]) -> int:
        """The position of the first pipe with these ends; -1 if no pipe has them."""
        return self.ends.index(ends) if ends in self.ends else -1


def pipe_table(
    run: ChipRun, description: ProgramDescription, chip: Chip, nodes: Mapping[Core, int], sources: SourceTable
) -> PipeTable:
    """The pipes of a recorded run; ``nodes`` maps cores to the positions of their nodes."""
    assert run.record is not None, "the run was not recorded"
    builder = _PipeTableBuilder(run, description, chip, nodes, sources)
    return builder.build()


class _PipeTableBuilder:
    def __init__(
        self,
        run: ChipRun,
        description: ProgramDescription,
        chip: Chip,
        nodes: Mapping[Core, int],
        sources: SourceTable,
    ) -> None:
        assert run.record is not None, "the run was not recorded"
        self._run, self._record, self._description = run, run.record, description
        self._chip, self._nodes, self._sources = chip, nodes, sources
        self._uses: list[PipeUse] = []
        self._ends: list[tuple[Core, tuple[Core, ...]]] = []
        self._of_transfer = np.full(len(self._record.transfers), -1, np.int64)

    def build(self) -> PipeTable:
        known = self._run.declared
        nets: dict[int, int] = {}
        kinds: dict[int, str] = {}
        waited: dict[tuple[int, int], int] = {}
        number = {} if known is None else {net.name: at for at, net in enumerate(known.nets)}
        for group, semaphores in [] if known is None else nets_of(self._description, known):
            first = len(self._uses)
            self._add(group, number, semaphores)
            nets.update(dict.fromkeys(semaphores, number[group[0].name]))
            kinds.update(semaphores)
            waited |= self._waited(range(first, len(self._uses)), semaphores)
        return PipeTable(
            uses=tuple(self._uses),
            ends=tuple(self._ends),
            names=tuple(
                pipe_name(use.name, *_written(ends)) for use, ends in zip(self._uses, self._ends, strict=True)
            ),
            of_transfer=self._of_transfer,
            nets=nets,
            kinds=kinds,
            waited=waited,
        )

    def _add(self, group: list[DeclaredNet], number: dict[str, int], semaphores: dict[int, str]) -> None:
        transfers = self._record.transfers
        messages, signals = messages_of(self._run, self._record, self._description, semaphores)
        for net in group:
            file = None if net.span is None else self._sources.number(net.span.file)
            for source, destinations in net.ends:
                if source not in self._nodes or any(core not in self._nodes for core in destinations):
                    continue
                own = transfers["from"] == self._router(source)
                own &= np.isin(transfers["to"], [self._router(core) for core in destinations])
                self._of_transfer[own & (messages | signals)] = len(self._uses)
                self._ends.append((source, destinations))
                self._uses.append(
                    PipeUse(
                        net=number[net.name],
                        name=net.shown,
                        source=self._nodes[source],
                        destinations=tuple(self._nodes[core] for core in destinations),
                        bytes=int(transfers["size"][messages & own].sum()),
                        transfers=len(np.unique(transfers[signals & own][["fiber", "issued"]])),
                        file=file,
                        line=net.span.line if net.span is not None and file is not None else None,
                    )
                )
                messages, signals = messages & ~own, signals & ~own

    def _router(self, core: Core) -> int:
        x, y = self._chip.floorplan.node(*core)
        return x << 8 | y

    def _waited(self, pipes: Iterable[int], semaphores: dict[int, str]) -> dict[tuple[int, int], int]:
        """The pipe that a node waits for: the pipe that it receives from, or, for room, the pipe that it sends on."""
        receives: dict[Core, list[int]] = {}
        sends: dict[Core, list[int]] = {}
        for pipe in pipes:
            source, destinations = self._ends[pipe]
            sends.setdefault(source, []).append(pipe)
            for core in destinations:
                receives.setdefault(core, []).append(pipe)
        result = {}
        for semaphore, kind in semaphores.items():
            for core, own in (receives if kind == "valid" else sends).items():
                if len(own) == 1:
                    result[self._nodes[core], semaphore] = own[0]
        return result


def _written(ends: tuple[Core, tuple[Core, ...]]) -> tuple[Core, object]:
    """Both ends as a program may write them: several destinations as one rectangle of slices."""
    source, destinations = ends
    columns, rows = ({core[axis] for core in destinations} for axis in (0, 1))
    spans = [
        min(axis) if len(axis) == 1 else slice(min(axis), max(axis) + 1) for axis in (columns, rows) if axis
    ]
    return source, tuple(spans)
