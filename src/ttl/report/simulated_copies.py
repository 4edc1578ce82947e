"""The copies of a simulated launch: between blocks, tensors and pipes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ttl.diag.words import counted
from ttl.emu.trace_slices import lanes_of
from ttl.host.tensor import Tensor
from ttl.report.records import ChipPlan, PipeUse, TransferColumns, TransferEnd
from ttl.report.simulated_launch import SimulatedLaunch
from ttl.rows.dtypes import Array
from ttl.sim.event_log import CopyRow
from ttl.sim.pipes import SimPipe
from ttl.sim.placement import Launch
from ttl.sim.storage import Storage

KINDS = ("read", "write", "multicast")


class Copies:
    """The copies of a launch."""

    def __init__(self, of: SimulatedLaunch) -> None:
        self._of = of

    def transfers(self, plan: ChipPlan, labels: Array) -> tuple[TransferColumns, tuple[TransferEnd, ...]]:
        """The copies, with their sources and destinations; ``labels`` has the label of every line of the log."""
        copies = self._of.log.copies
        tensors = _tensor_names(self._of.launched)
        cells: dict[int | None, int] = {
            cell.node: number for number, cell in enumerate(plan.cells) if cell.node is not None
        }
        numbers: dict[TransferEnd, int] = {}

        def end(text: str, node: int | None) -> int:
            place = TransferEnd(text=text, cell=cells.get(node), node=node)
            return numbers.setdefault(place, len(numbers))

        columns: list[tuple[int, ...]] = []
        for copy in copies:
            node = self._of.node[copy.buffer.node.index]
            near = end(copy.buffer.name, node)
            far = end(*self._far(copy, tensors))
            kind = 0 if copy.writes else 1
            receivers = 1
            if isinstance(copy.other, SimPipe) and not copy.writes:
                receivers = len(copy.other.channel.dsts)
                kind = 2 if receivers > 1 else 1
            source, destination = (far, near) if copy.writes else (near, far)
            columns.append(
                (copy.begin, copy.end - copy.begin, node, source, destination, copy.nbytes, receivers, int(labels[copy.line]), kind)
            )  # fmt: skip
        table = np.array(columns, np.int64).reshape(-1, 9).T
        begins, lengths, nodes, sources, destinations, nbytes, several, label, kinds = table
        return (
            TransferColumns(
                begin=begins,
                length=lengths,
                node=nodes,
                source=sources,
                destination=destinations,
                bytes=nbytes,
                count=np.ones_like(begins),
                receivers=several,
                noc=np.zeros_like(begins),
                lane=lanes_of(nodes, begins, begins + lengths),
                label=label,
                kind=kinds,
            ),
            tuple(numbers),
        )

    def _far(self, copy: CopyRow, tensors: Mapping[int, str]) -> tuple[str, int | None]:
        match copy.other:
            case SimPipe() as pipe:
                name = self._of.engine.pipes.name_of(pipe)
                if copy.writes:
                    return f"{name}, from {self._of.engine.nodes[pipe.channel.src]}", self._of.node[
                        pipe.channel.src
                    ]
                if len(pipe.channel.dsts) == 1:
                    (node,) = pipe.channel.dsts
                    return f"{name}, to {self._of.engine.nodes[node]}", self._of.node[node]
                return f"{name}, to {counted(len(pipe.channel.dsts), 'node')}", None
            case Storage() as storage:
                name = tensors.get(id(storage.tensor), "a tensor")
                return f"{name}, in {'DRAM' if in_dram(storage) else 'L1'}", None
            case _:
                return "a tensor", None

    def pipes(self) -> tuple[PipeUse, ...]:
        """The pipes, net by net."""
        result = []
        for number, net in enumerate(self._of.engine.pipes.nets):
            file, line = self._of.place(net.site)
            for pipe in net.pipes:
                result.append(
                    PipeUse(
                        net=number,
                        name=self._of.engine.pipes.name_of(pipe),
                        source=self._of.node[pipe.channel.src],
                        destinations=tuple(sorted(self._of.node[node] for node in pipe.channel.dsts)),
                        bytes=pipe.bytes,
                        transfers=pipe.channel.sent,
                        file=file,
                        line=line,
                    )
                )
        return tuple(result)


def in_dram(storage: object) -> bool:
    """Whether the other end of a copy is a tensor in DRAM."""
    if not isinstance(storage, Storage):
        return False
    config = storage.tensor.memory_config()
    return config is None or config.buffer_type.name == "DRAM"


def _tensor_names(launched: Launch) -> dict[int, str]:
    """The parameter that each tensor is an argument for, by identity."""
    bound = launched.operation.signature.bind_partial(*launched.args, **launched.kwargs)
    result: dict[int, str] = {}
    for name, value in bound.arguments.items():
        values: Sequence[Any] = value if isinstance(value, list | tuple) else [value]
        for tensor in values:
            if isinstance(tensor, Tensor):
                for part in (tensor, *(tensor.shards or ())):
                    result.setdefault(id(part), name)
    return result
