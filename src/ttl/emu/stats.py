"""``--stats`` on the emulated chip: the traffic of each circular buffer and pipe net of a recorded run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ttl.codegen.declared import DeclaredBuffer, DeclaredNet, DeclaredObjects
from ttl.codegen.description import CircularBufferDescription, ProgramDescription
from ttl.emu.chip import SEMAPHORE_BYTES, SEMAPHORES
from ttl.emu.launch import ChipRun, place_of
from ttl.emu.record import KINDS, Record
from ttl.lang.launches import LaunchName
from ttl.rows.dtypes import Array
from ttl.sim.diaries import OF_SEMAPHORES, PAGES, SPACE
from ttl.sim.stats import BufferStats, LaunchStats, PipeStats


def stats_of(
    run: ChipRun, description: ProgramDescription, declared: DeclaredObjects, launch: LaunchName
) -> LaunchStats:
    """The statistics of a recorded run."""
    assert run.record is not None, "the run was not recorded"
    record = run.record
    known = {buffer.name: buffer for buffer in declared.buffers}
    return LaunchStats(
        launch=launch,
        target="emu",
        chip=description.chip,
        nodes=len({diary.core for diary in record.diaries.values()}),
        switches=run.switches,
        buffers=tuple(
            _buffer(record, buffer, known.get(buffer.name)) for buffer in in_order(description, declared)
        ),
        pipes=tuple(_pipes(run, record, description, declared)),
    )


def in_order(
    description: ProgramDescription, declared: DeclaredObjects | None
) -> list[CircularBufferDescription]:
    """The program's own buffers as it makes them, then those of the compiler."""
    known = () if declared is None else declared.buffers
    order = {buffer.name: number for number, buffer in enumerate(known)}
    return sorted(
        description.circular_buffers, key=lambda buffer: (order.get(buffer.name, len(order)), buffer.index)
    )


def _buffer(record: Record, buffer: CircularBufferDescription, known: DeclaredBuffer | None) -> BufferStats:
    steps = record.steps[record.steps["buffer"] == buffer.index]
    pages = steps["pages"].astype(np.int64)
    pushed = int(pages[pages > 0].sum())
    block = 1 if known is None else known.pages
    span = None if known is None else known.span
    reserves, reserve_cycles = _waits(record, (SPACE,), {buffer.index})
    waits, wait_cycles = _waits(record, (PAGES,), {buffer.index})
    return BufferStats(
        name=buffer.name if known is None else known.shown,
        file=None if span is None else span.file,
        line=None if span is None else span.line,
        made_by="compiler" if known is None else "user",
        blocks=pushed // block,
        bytes=pushed * buffer.page_bytes if known is None else pushed // block * known.nbytes,
        high_water=-(-_most(steps) // block),
        block_count=buffer.pages if known is None else known.block_count,
        reserve_waits=reserves,
        data_waits=waits,
        reserve_wait_cycles=reserve_cycles,
        data_wait_cycles=wait_cycles,
    )


def _most(steps: Array) -> int:
    """The most pages that lay in a buffer on one node; steps are in the order in which they happened."""
    return max(
        (int(np.cumsum(steps["pages"][steps["core"] == core]).max()) for core in np.unique(steps["core"])),
        default=0,
    )


def _waits(record: Record, reasons: tuple[int, ...], what: set[int]) -> tuple[int, int]:
    """How often, and how many cycles, processors waited for some buffers or semaphores."""
    count, cycles = 0, 0
    for diary in record.diaries.values():
        spans = diary.spans
        chosen = spans[np.isin(spans["reason"], reasons) & np.isin(spans["what"], list(what))]
        count += len(chosen)
        cycles += int((chosen["ends"] - chosen["begins"]).sum())
    return count, cycles


def _pipes(
    run: ChipRun, record: Record, description: ProgramDescription, declared: DeclaredObjects
) -> Iterator[PipeStats]:
    """A row for each net; nets that share their semaphores, being used one after the other, share a row."""
    for nets, semaphores in nets_of(description, declared):
        yield _net(run, record, description, nets, semaphores)


def nets_of(
    description: ProgramDescription, declared: DeclaredObjects
) -> Iterator[tuple[list[DeclaredNet], dict[int, str]]]:
    """Yield the nets with semaphores, together those that share them, and the purpose of each semaphore by number."""
    for net in declared.nets:
        own = {
            item.id: item.signal
            for item in description.semaphores
            if item.signal is not None and item.signal.nets[0] == net.name
        }
        if own:
            together = {name for signal in own.values() for name in signal.nets}
            yield (
                [one for one in declared.nets if one.name in together],
                {number: signal.says for number, signal in own.items()},
            )


def messages_of(
    run: ChipRun, record: Record, description: ProgramDescription, semaphores: dict[int, str]
) -> tuple[Array, Array]:
    """Return which transfers carry the messages of a net with some semaphores, and which announce a message."""
    transfers = record.transfers
    targets = (transfers["there"].astype(np.int64) - SEMAPHORES) // SEMAPHORE_BYTES
    valid = [number for number, kind in semaphores.items() if kind == "valid"]
    small = (transfers["size"] <= SEMAPHORE_BYTES) & (transfers["dram"] == 0)
    signals = small & np.isin(targets, valid) & (transfers["there"] >= SEMAPHORES)
    places = [place_of(line, run, description) for line in record.lines]
    sending = {places[line] for line in np.unique(transfers["line"][signals])}
    of_sends = np.array([place in sending for place in places], bool)
    kinds = [KINDS.index("write"), KINDS.index("multicast")]
    messages = (
        ~small & (transfers["dram"] == 0) & np.isin(transfers["kind"], kinds) & of_sends[transfers["line"]]
        if len(places)
        else np.zeros(0, bool)
    )
    return messages, signals


def _net(
    run: ChipRun,
    record: Record,
    description: ProgramDescription,
    nets: list[DeclaredNet],
    semaphores: dict[int, str],
) -> PipeStats:
    transfers = record.transfers
    messages, signals = messages_of(run, record, description, semaphores)
    # A message to several nodes is as many words on their way, sent at one time.
    sends = np.unique(transfers[signals][["fiber", "issued"]])
    waits, cycles = _waits(record, OF_SEMAPHORES, set(semaphores))
    first = nets[0].span
    return PipeStats(
        name=" and ".join(net.shown for net in nets),
        file=None if first is None else first.file,
        line=None if first is None else first.line,
        pipes=sum(net.pipes for net in nets),
        sends=len(sends),
        bytes=int(transfers["size"][messages].sum()),
        receives=int(transfers["receivers"][signals].sum()),
        waits=waits,
        wait_cycles=cycles,
    )
