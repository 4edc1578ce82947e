"""``--stats``: what passed through each buffer and pipe of a launch."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ttl.diag import report
from ttl.diag.words import counted

if TYPE_CHECKING:
    from ttl.sim.buffer import SimBuffer
    from ttl.sim.engine import Engine


def emit_stats(engine: Engine, name: str) -> None:
    """Print the table of a launch to stderr."""
    report.write(render(engine, name))


def render(engine: Engine, name: str) -> str:
    """Per buffer and pipe: blocks, bytes, high-water mark, waits; summed over nodes."""
    groups: dict[object, list[SimBuffer]] = defaultdict(list)
    for node in engine.nodes:
        for buffer in node.buffers:
            groups[buffer.site].append(buffer)
    rows: list[tuple[str, ...]] = [("buffer", "blocks", "bytes", "high-water", "reserve waits", "data waits")]
    for buffers in groups.values():
        first = buffers[0]
        pushed = sum(buffer.pushed for buffer in buffers)
        rows.append(
            (
                first.name,
                str(pushed),
                str(pushed * first.type.nbytes),
                f"{max(buffer.high_water for buffer in buffers)} of {first.block_count}",
                str(sum(buffer.space_waits for buffer in buffers)),
                str(sum(buffer.data_waits for buffer in buffers)),
            )
        )
    lines = [
        f"statistics of {name} on {counted(len(engine.nodes), 'node')}, {engine.scheduler.switches} switches",
        *_table(rows),
    ]
    pipes: list[tuple[str, ...]] = [("pipe", "sends", "bytes", "receives", "waits")]
    for net in engine.pipes.nets:
        for pipe in net.pipes:
            channel = pipe.channel
            pipes.append(
                (repr(pipe.pipe), str(channel.sent), str(pipe.bytes), str(channel.received), str(pipe.waits))
            )
    if len(pipes) > 1:
        lines += _table(pipes)
    return "\n".join(lines)


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
