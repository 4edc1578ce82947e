"""Rules about the traffic on the NoCs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ttl.codegen.variants import Variant
from ttl.diag.words import counted
from ttl.emu.advice.facts import RunFacts
from ttl.emu.advice.piece import Advice
from ttl.emu.advice.traffic import READ, chips_of, nodes_of, reads_of
from ttl.emu.advice.trial import TrialRun, Trials
from ttl.emu.program import ROLES, KernelLine
from ttl.rows.dtypes import BFLOAT16, Array
from ttl.sim.diaries import READS

# The least factor by which an estimate must be better to be advised.
_CLEARLY = 1.5
# The bytes in flight with which the latency of DRAM is hidden: 400 cycles at 20 bytes in each.
_ENOUGH_IN_FLIGHT = 8192
# A transfer of fewer bytes takes as long to issue as to carry.
_TINY = 512
_USUAL = BFLOAT16.tile_bytes
# The least share of the bytes on one NoC for which the other one is advised.
_LOPSIDED = 0.85


def multicast(facts: RunFacts, trials: Trials | None) -> Iterator[Advice]:
    """Advise to multicast a tensor of which several nodes read the same bytes."""
    if facts.sends:
        return  # the nodes agree on when each of them may read
    for name, transfers in facts.tensors.items():
        reads = reads_of(facts.record, facts.chip, transfers)
        if reads.nodes < 2 or reads.repeated_on_other_nodes * 2 < reads.total:
            continue
        which = transfers[facts.record.transfers["kind"][transfers] == READ]
        lines = facts.issued_at(which)
        on_path = _reading(facts, which)
        after = _multicast_cycles(facts, which, reads.by_node // reads.nodes)
        if on_path < _CLEARLY * after:
            continue
        # The bytes that stay move no faster than those of this run.
        transfers_of_run = facts.record.transfers
        moved = int(transfers_of_run["size"][transfers_of_run["dram"] == 1].sum())
        most = int((facts.cycles - facts.fixed) * (reads.total - reads.unique) / max(moved, 1))
        share = f"{100 * reads.repeated_on_other_nodes / reads.total:.0f} %"
        sharing, pattern = _sharing(facts, which)
        yield Advice(
            name="multicast",
            sentence=f"{counted(reads.nodes, 'node')} read {reads.total:,} bytes of {name}, of which {reads.unique:,} are different: "
            f"{share} were read by another node, too",
            change=f"read every block of {name} on one node and multicast it to {sharing}: {pattern}",
            lines=facts.users(lines),
            cycles=min(on_path - after, most),
            basis="estimated",
            how=f"reading {name} is {on_path:,} cycles of the critical path; one node that reads it and sends it on needs about {after:,}"
            + (
                f", and the {moved - reads.total + reads.unique:,} bytes left from and to DRAM go no faster than now"
                if most < on_path - after
                else ""
            ),
        )


def _reading(facts: RunFacts, which: Array) -> int:
    """Cycles of the critical path for some reads: their share, by bytes, of all reads over their NoCs.

    A wait may be for several reads.
    """
    transfers = facts.record.transfers
    nocs = np.unique(transfers["noc"][which])
    alike = np.flatnonzero((transfers["kind"] == READ) & np.isin(transfers["noc"], nocs))
    cycles = facts.path_of(facts.issued_at(alike), alike.tolist())
    return int(cycles * int(transfers["size"][which].sum()) / int(transfers["size"][alike].sum()))


def _multicast_cycles(facts: RunFacts, which: Array, size: int) -> int:
    """Return the cycles of reading ``size`` bytes once and multicasting them, block by block, as soon as the nodes have room."""
    costs = facts.chip.costs
    carried = size / costs.multicast_rate.per_cycle + size / costs.niu_in_rate.per_cycle
    hops = max(facts.chip.grid)
    read = costs.dram_read.value + costs.read_fixed.value + 2 * hops * costs.hop.value
    agreed = 2 * (costs.arrive_fixed.value + hops * costs.arrive_hop.value)
    return int(carried + _blocks(facts, which) * (read + agreed))


def _blocks(facts: RunFacts, which: Array) -> float:
    """The number of waits for some reads, in the mean over the processors that wait."""
    diaries = facts.record.diaries
    taken, times, fibers = set(which.tolist()), 0, set()
    for number, diary in diaries.items():
        spans = diary.spans[diary.spans["reason"] == READS]
        waits = sum(by in taken for by in spans["by"].tolist())
        if waits:
            times += waits
            fibers.add(number)
    return times / max(len(fibers), 1)


def _sharing(facts: RunFacts, which: Array) -> tuple[str, str]:
    """The nodes that read the same bytes, in words and as a pipe."""
    transfers = facts.record.transfers[which]
    nodes = nodes_of(facts.record, which)
    same: defaultdict[tuple[int, int, int, int], set[int]] = defaultdict(set)
    for chip, place, there, noc, node in zip(
        chips_of(facts.record, facts.chip, which).tolist(),
        transfers["from"].tolist(),
        transfers["there"].tolist(),
        transfers["noc"].tolist(),
        nodes.tolist(),
        strict=True,
    ):
        same[chip, place, there, noc].add(node)
    groups = [group for group in same.values() if len(group) > 1]
    columns = all(len({node >> 16 for node in group}) == 1 for group in groups)
    rows = all(len({node & 0xFFFF for node in group}) == 1 for group in groups)
    if rows and not columns:
        return "the others of its row", "ttl.Pipe(src=(0, row), dst=(slice(1, grid_x), row)) for each row"
    if columns and not rows:
        return (
            "the others of its column",
            "ttl.Pipe(src=(col, 0), dst=(col, slice(1, grid_y))) for each column",
        )
    return "the others that need it", "ttl.Pipe(src=(0, 0), dst=(slice(0, grid_x), slice(0, grid_y)))"


def few_in_flight(facts: RunFacts, trials: Trials | None) -> Iterator[Advice]:
    """Advise more transfers at a time where a wait is for so few bytes that the latency exceeds the time that they are carried."""
    transfers, per_cycle = facts.record.transfers, facts.chip.noc.read_bytes_per_cycle
    if facts.sends:
        return  # the nodes agree on how much is sent at a time
    largest: Advice | None = None
    lines, together = list[int](), 0
    for (line, reason), waits in facts.barriers.items():
        if not waits.flown or not waits.transfers or waits.times < 4 * len(facts.busy_cores):
            continue
        flown, took = waits.flown / waits.times, waits.cycles / waits.times
        if flown > _ENOUGH_IN_FLIGHT:
            continue
        steps = [step for step in facts.path.steps if step.line == line and step.transfer >= 0]
        issued = [step.transfer for step in steps if _of(reason, int(transfers["kind"][step.transfer]))]
        if not issued:
            continue
        on_path = sum(step.ends - step.begins for step in steps)
        own = transfers[issued]
        alone = int((own["arrives"] - own["issued"]).min()) - int(own["size"].min() / per_cycle)
        # A transfer that waits for a busy bank or link waits as long for larger blocks.
        cycles = int(on_path * min(1.0, alone / took) * (1 - facts.busiest) * 3 / 4)
        copies = facts.issued_at(np.array(sorted(set(issued))))
        per_wait = waits.transfers / waits.times
        together += cycles
        lines += [*copies, line]
        if largest is None or cycles > largest.cycles:
            largest = Advice(
                name="few-in-flight",
                sentence=f"{_on_the_way(per_wait, waits.flown / waits.transfers)} at each of {waits.times:,} waits: "
                f"{took:,.0f} cycles each, of which the bytes take {flown / per_cycle:,.0f}",
                change="copy larger blocks (four times as many tiles where L1 has room), or start several copies before the first wait",
                lines=facts.users([*copies, line]),
                cycles=cycles,
                basis="estimated",
                how="blocks of four times the size: a quarter of the waits",
            )
    if largest is not None:
        others = facts.users(lines)
        yield replace(
            largest,
            lines=(*largest.lines, *(line for line in others if line not in largest.lines)),
            cycles=together,
        )


def _of(reason: int, kind: int) -> bool:
    return (kind == READ) == (reason == READS)


def tiny_transfers(facts: RunFacts, trials: Trials | None) -> Iterator[Advice]:
    """Advise larger transfers where issuing them takes longer than carrying them."""
    transfers = facts.record.transfers
    moving = (transfers["kind"] <= 2) & (transfers["size"] > 4)
    for line in np.unique(transfers["line"][moving]).tolist():
        which = np.flatnonzero(moving & (transfers["line"] == line))
        sizes = transfers["size"][which]
        mean, per_node = float(sizes.mean()), len(which) / len(facts.busy_cores)
        if mean > _TINY or per_node < 16:
            continue
        cycles = int(facts.path_of([line]) * (1 - mean / _USUAL))
        issue = facts.chip.costs.read_issue.value
        yield Advice(
            name="tiny-transfers",
            sentence=f"{len(which):,} transfers of {mean:,.0f} bytes: a processor needs about {issue} cycles to issue one, and the NoC "
            f"{mean / facts.chip.noc.read_bytes_per_cycle:,.0f} to carry it",
            change="make each transfer longer: blocks that are wider along the rows of a row-major tensor, or tensors in tiles",
            lines=facts.users([line]),
            cycles=cycles,
            basis="estimated",
            how=f"issuing the same bytes in transfers of {_USUAL:,}",
        )


def unbalanced_nocs(facts: RunFacts, trials: Trials | None) -> Iterator[Advice]:
    """Advise other NoCs where one carries most bytes, or each carries traffic for which the other is better."""
    if trials is None or facts.path_share("NoC", "DRAM", "data movement") < 0.2:
        return
    yield from _on_other_nocs(facts, trials)
    if trials.description.shares_noc:
        return
    transfers = facts.record.transfers
    moving = (transfers["kind"] <= 2) & (transfers["size"] > 4)
    sizes = np.bincount(transfers["noc"][moving], transfers["size"][moving], 2)
    total, noc = float(sizes.sum()), int(sizes.argmax())
    if sizes[noc] < total * _LOPSIDED:
        return
    read = {name: numbers for name, numbers in facts.tensors.items() if _reads_over(facts, numbers, noc)}
    if len(read) < 2:
        return  # nothing that the other kernel could take over as it is
    # Of the tensors that are read over this NoC, try the two whose move would balance the NoCs best.
    bytes_of = {name: int(transfers["size"][numbers].sum()) for name, numbers in read.items()}
    best: tuple[TrialRun, str] | None = None
    for name in sorted(bytes_of, key=lambda name: (abs(sizes[noc] - bytes_of[name] - total / 2), name))[:2]:
        result = trials.recompiled(Variant(reads_over=(name, 1 - noc)))
        if (
            result is not None
            and not result.deviation.beyond
            and (best is None or result.cycles < best[0].cycles)
        ):
            best = result, name
    if best is None:
        return
    result, name = best
    yield Advice(
        name="unbalanced-nocs",
        sentence=f"NoC {noc} carries {100 * sizes[noc] / total:.0f} % of {int(total):,} bytes: one data movement kernel issues nearly all "
        "transfers",
        change=f"copy {name} in the other data movement kernel, whose transfers go over NoC {1 - noc}",
        lines=facts.users(facts.issued_at(read[name])),
        cycles=facts.cycles - result.cycles,
        basis="emulated",
        how=f"{result.cycles:,} cycles when the same kernel reads {name} over NoC {1 - noc}",
    )


def _reads_over(facts: RunFacts, which: Array, noc: int) -> bool:
    transfers = facts.record.transfers[which]
    return bool(((transfers["kind"] == READ) & (transfers["noc"] == noc)).any())


def _on_other_nocs(facts: RunFacts, trials: Trials) -> Iterator[Advice]:
    """Advise other NoCs for two kernels whose NoCs were decided by their order in the program, or by its author."""
    choices, kernels = (
        trials.choices,
        [kernel for kernel in trials.description.kernels if kernel.thread == "noc"],
    )
    alike = _both_alike(facts)
    if choices is None or len(choices.movement) < 2 or not (choices.pinned or alike):
        return
    nocs = tuple(kernel.noc or 0 for kernel in kernels)
    others = [(0, 1), (1, 0)] + [(0, 0)] * alike  # of reads NoC 0 carries more than twice as many
    tried = [
        (result.cycles, other)
        for other in others
        if other != nocs
        and (result := trials.recompiled(Variant(nocs=other))) is not None
        and not result.deviation.beyond
    ]
    if not tried:
        return
    cycles, best = min(tried)
    first, second = (kernel.name for kernel in kernels)
    yield Advice(
        name="unbalanced-nocs",
        sentence=f"{first} uses NoC {nocs[0]} and {second} NoC {nocs[1]}; with NoC {best[0]} and NoC {best[1]} their transfers get in each "
        "other's way less",
        change=f"write @ttl.datamovement(noc={best[0]}) at {first} and @ttl.datamovement(noc={best[1]}) at {second}",
        lines=tuple(
            KernelLine.at(span, kernel.name) for span, kernel in zip(choices.movement, kernels, strict=True)
        ),
        cycles=facts.cycles - cycles,
        basis="emulated",
        how=f"{cycles:,} cycles with this change",
    )


def _both_alike(facts: RunFacts) -> bool:
    """Whether both kernels read tensors: then their order in the program decides which NoC each has."""
    transfers = facts.record.transfers
    reads = (transfers["kind"] == READ) & (transfers["dram"] == 1)
    return len(np.unique(transfers["fiber"][reads] % len(ROLES))) == 2


def _on_the_way(count: float, size: float) -> str:
    if count < 1.5:
        return f"one transfer of {size:,.0f} bytes is on its way"
    return f"{count:,.0f} transfers of {size:,.0f} bytes are on their way"
