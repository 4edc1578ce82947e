"""``--stats``: the traffic through each buffer and pipe of a launch, in the simulator or on the emulated chip."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from ttl.diag import report
from ttl.diag.words import counted
from ttl.lang.launches import LaunchName, name_of
from ttl.source.spans import Site, span_of_site

if TYPE_CHECKING:
    from ttl.sim.buffer import SimBuffer
    from ttl.sim.engine import Engine
    from ttl.sim.pipes import SimNet, SimPipe
    from ttl.sim.placement import Launch

SCHEMA = 1
KIND = "stats"


@dataclass(frozen=True, kw_only=True, slots=True)
class BufferStats:
    """One buffer, over all nodes."""

    name: str
    file: str | None
    line: int | None
    """The place where it is made."""
    made_by: Literal["user", "compiler"] = "user"
    blocks: int
    """The blocks that were pushed; for a buffer that the compiler made, the pages."""
    bytes: int
    high_water: int
    """The most blocks that lay in it on one node."""
    block_count: int
    reserve_waits: int
    """The number of times that a kernel waited for a free block."""
    data_waits: int
    """The number of times that a kernel waited for a block with data."""
    reserve_wait_cycles: int | None = None
    """The cycles of waits in ``reserve`` of all nodes together; the simulator does not count them."""
    data_wait_cycles: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PipeStats:
    """One pipe, or on the emulated chip all pipes of a net."""

    name: str
    file: str | None
    line: int | None
    """The place where it is made."""
    pipes: int
    """How many there are."""
    sends: int
    bytes: int
    """The bytes that were sent, each message once."""
    receives: int
    waits: int
    """The number of times that a sender or a receiver waited for the other."""
    wait_cycles: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class LaunchStats:
    """One launch."""

    launch: LaunchName
    target: Literal["sim", "emu"]
    chip: str
    nodes: int
    switches: int
    """The number of times that another kernel, or another processor, continued."""
    buffers: tuple[BufferStats, ...]
    pipes: tuple[PipeStats, ...]


def emit_stats(engine: Engine, launched: Launch) -> None:
    """Write the statistics of a launch in the simulator to standard error."""
    emit(of_engine(engine, launched), launched.settings.format)


def emit(stats: LaunchStats, wanted: str) -> None:
    """Write statistics to standard error, as text or as ``json``."""
    report.write(as_json(stats) if wanted == "json" else render(stats))


def emit_story(launched: Launch, story: str) -> None:
    """Write whether a launch was replayed, and the reason if it was not."""
    name = launched.operation.function.__name__
    if launched.settings.format != "json":
        report.write(f"statistics of {name}: {story}")
        return
    told = {"schema": SCHEMA, "kind": "replay", "name": name, "launch": launched.number, "story": story}
    report.write(json.dumps(told, ensure_ascii=False))


def of_engine(engine: Engine, launched: Launch) -> LaunchStats:
    """The statistics of a launch in the simulator that has ended."""
    groups: dict[object, list[SimBuffer]] = defaultdict(list)
    for node in engine.nodes:
        for buffer in node.buffers:
            groups[buffer.site].append(buffer)
    return LaunchStats(
        launch=name_of(
            launched.operation,
            launched.args,
            launched.kwargs,
            number=launched.number,
            device=launched.device,
        ),
        target="sim",
        chip=launched.chip.name,
        nodes=len(engine.nodes),
        switches=engine.scheduler.switches,
        buffers=tuple(map(_buffer, groups.values())),
        pipes=tuple(_pipe(engine, pipe, net) for net in engine.pipes.nets for pipe in net.pipes),
    )


def _buffer(buffers: list[SimBuffer]) -> BufferStats:
    first = buffers[0]
    pushed = sum(buffer.pushed for buffer in buffers)
    file, line = _place(first.site)
    return BufferStats(
        name=first.name,
        file=file,
        line=line,
        blocks=pushed,
        bytes=pushed * first.type.nbytes,
        high_water=max(buffer.high_water for buffer in buffers),
        block_count=first.block_count,
        reserve_waits=sum(buffer.space_waits for buffer in buffers),
        data_waits=sum(buffer.data_waits for buffer in buffers),
    )


def _pipe(engine: Engine, pipe: SimPipe, net: SimNet) -> PipeStats:
    channel = pipe.channel
    file, line = _place(net.site)
    return PipeStats(
        name=engine.pipes.between(pipe),
        file=file,
        line=line,
        pipes=1,
        sends=channel.sent,
        bytes=pipe.bytes,
        receives=channel.received,
        waits=pipe.waits,
    )


def _place(site: Site | None) -> tuple[str | None, int | None]:
    if site is None:
        return None, None
    span = span_of_site(site)
    return span.file, span.line


def to_object(stats: LaunchStats) -> dict[str, Any]:
    """The statistics as an object that ``json.dumps`` accepts."""
    return {
        "schema": SCHEMA,
        "kind": KIND,
        "name": stats.launch.operation,
        **stats.launch.to_object(),
        "target": stats.target,
        "chip": stats.chip,
        "nodes": stats.nodes,
        "switches": stats.switches,
        "buffers": [asdict(buffer) for buffer in stats.buffers],
        "pipes": [asdict(pipe) for pipe in stats.pipes],
    }


def as_json(stats: LaunchStats) -> str:
    """The statistics as one line of JSON."""
    return json.dumps(to_object(stats), ensure_ascii=False)


def render(stats: LaunchStats) -> str:
    """Per buffer and pipe: blocks, bytes, high-water mark, waits; summed over nodes."""
    of_chip = stats.target == "emu"
    where = f" of {stats.chip}, emulated" if of_chip else ""
    number = f"launch {stats.launch.number}"
    if stats.launch.device is not None:
        number += f" on device {stats.launch.device}"
    lines = [
        f"statistics of {stats.launch.operation} on {counted(stats.nodes, 'node')}{where}, {stats.switches} switches",
        f"  {number}: {stats.launch.values}",
    ]
    buffers: list[tuple[str, ...]] = [
        ("buffer", "blocks", "bytes", "high-water", "reserve waits", "data waits")
    ]
    for buffer in stats.buffers:
        row = (
            buffer.name,
            str(buffer.blocks),
            str(buffer.bytes),
            f"{buffer.high_water} of {buffer.block_count}",
            str(buffer.reserve_waits),
            str(buffer.data_waits),
        )
        buffers.append(
            (*row, _cycles(buffer.reserve_wait_cycles), _cycles(buffer.data_wait_cycles)) if of_chip else row
        )
    pipes: list[tuple[str, ...]] = [("pipe", "sends", "bytes", "receives", "waits")]
    for pipe in stats.pipes:
        cells = (pipe.name, str(pipe.sends), str(pipe.bytes), str(pipe.receives), str(pipe.waits))
        pipes.append((*cells, _cycles(pipe.wait_cycles)) if of_chip else cells)
    if of_chip:
        buffers[0] += ("reserve cycles", "data cycles")
        pipes[0] += ("cycles",)
    lines += _table(buffers)
    if len(pipes) > 1:
        lines += _table(pipes)
    return "\n".join(lines)


def _cycles(cycles: int | None) -> str:
    return "" if cycles is None else str(cycles)


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  "
        + "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
