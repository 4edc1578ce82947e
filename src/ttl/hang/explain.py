"""The report about a dump: the diagnostic, and the evidence behind it.

If the debug information of the program is there, the program runs again on the emulated chip. If it stands still with
the counts of the dump, the report is that of the emulated chip, whose experiments find the cause; if not, the
difference is reported, and the report rests on the dump alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ttl.check.network.static import only_operation
from ttl.codegen.debug_info import DebugInfo
from ttl.deadlock.report import report
from ttl.diag import Diagnostic, error
from ttl.diag.words import counted, listed
from ttl.dialects import ttl as dialect
from ttl.dialects.text import parse_module
from ttl.emu.stalled import StalledChip, explained
from ttl.emu.standing import RUNS, TRANSFERS
from ttl.emu.stuck import ChipDeadlockError
from ttl.frontend.lowered import Lowered
from ttl.hang.dump_content import Dump
from ttl.hang.replay import Replay, ReplayComparison, compared, replayed
from ttl.hang.state import DumpedChip, DumpedStanding, kernel_of, program_of, program_of_names
from ttl.ir.reports import InvalidIR
from ttl.sim.diaries import PAGES, SEMAPHORE, SPACE

# The most that is shown of each: differences, cores, transfers that have not ended.
_MOST = 6


@dataclass(frozen=True, kw_only=True, slots=True)
class DeviceExplanation:
    """The report about some devices; ``finding`` is None where no kernel of theirs stands still."""

    devices: tuple[int, ...]
    """One device, or the devices of the chips of a mesh."""
    finding: Diagnostic | None
    basis: tuple[str, ...]
    """The evidence that the report rests on."""
    missing: tuple[str, ...]
    """The facts that the dump lacks."""


def explain(
    dump: Dump, device: int, infos: list[DebugInfo], sources: Mapping[str, str], *, again: bool = True
) -> DeviceExplanation:
    """Explain a device of a dump. ``again``: the program may run again on the emulated chip."""
    info = chosen(dump, device, infos)
    program, texts = program_of_names(dump, device, sources) if info is None else program_of(info)
    chip = DumpedChip(dump=dump, device=device, program=program, texts=texts, info=info)
    standing = chip.standing()
    devices = tuple(one for one in dump.devices if one == device or chip.chip.system is not None)
    basis, alarms = _alarms(dump, device), list(dump.alarms[:_MOST])
    if all(one.done for one in standing.processors) and not dump.broken:
        return DeviceExplanation(
            devices=devices, finding=None, basis=tuple(alarms), missing=_missing(dump, chip, None)
        )
    lowered = None if info is None else _lowered(info)
    replay = replayed(info) if again and info is not None and lowered is not None else None
    told, how = _told(standing, lowered, replay)
    if info is not None and info.module and lowered is None:
        how.append("the program was compiled by another version of ttl: only its names are used")
    if dump.broken:
        told = _dead(dump, devices, told)
    notes = [*how, *basis, *alarms]
    if info is not None and info.changed:
        notes.append(
            f"{listed(info.changed)} changed since the program was compiled: line numbers may differ"
        )
    return DeviceExplanation(
        devices=devices, finding=told, basis=tuple(notes), missing=_missing(dump, chip, replay)
    )


def chosen(dump: Dump, device: int, infos: list[DebugInfo]) -> DebugInfo | None:
    """The debug information that fits the kernels of a device best; None if no information fits."""

    def fits(info: DebugInfo) -> int:
        program, _ = program_of(info)
        of_files = {kernel.file_name for kernel in program.kernels}
        result = 0
        for (at, role), risc in dump.riscs.items():
            if at[0] != device:
                continue
            number = kernel_of(program, role, risc.kernel)
            by_file = any(frame.file.rpartition("/")[2] in of_files for frame in risc.frames if frame.file)
            known = number is not None and program.kernels[number].name in risc.kernel
            result += by_file or known or not risc.kernel
        return result

    best = max(infos, key=fits, default=None)
    return best if best is not None and (fits(best) or len(infos) == 1) else None


def _lowered(info: DebugInfo) -> Lowered | None:
    """Return the operation; None for kernels written by hand, and where another version compiled it."""
    try:
        return Lowered(module=parse_module(info.module)) if info.module else None
    except InvalidIR:
        return None


def _told(
    standing: DumpedStanding, lowered: Lowered | None, replay: Replay | None
) -> tuple[Diagnostic, list[str]]:
    """Return the diagnostic, and the evidence that it rests on."""
    if replay is not None and replay.deadlock is not None and lowered is not None:
        comparison = compared(standing, replay.deadlock.standing)
        if comparison.agreed and not comparison.differences:
            agrees = f"the emulated chip reaches the same state: {counted(comparison.agreed, 'fact')} of the dump agree"
            return explained(replay.deadlock, lowered).diagnostic, [agrees]
        return _from_dump(standing, lowered), _differences(comparison)
    basis = []
    if replay is not None:
        basis = [
            f"the emulated chip does not get stuck with this program and tensors of zeros: {replay.how}; look for what depends "
            "on values, on time, or on the card"
        ]
    return _from_dump(standing, lowered), basis


def _differences(comparison: ReplayComparison) -> list[str]:
    if not comparison.differences:
        return ["the dump has no facts that can be compared with the state of the emulated chip"]
    shown = "\n".join(f"  {one}" for one in comparison.differences[:_MOST])
    more = len(comparison.differences) - _MOST
    text = f"the emulated chip stands still in another state:\n{shown}"
    return [text + (f"\n  and {counted(more, 'more difference')}" if more > 0 else "")]


def _from_dump(standing: DumpedStanding, lowered: Lowered | None) -> Diagnostic:
    """Return the finding from the dump alone, in buffers and semaphores of the operation where all waits are for these."""
    alone = ChipDeadlockError(standing, lambda: None)
    if lowered is None:
        return alone.diagnostic
    operation = only_operation(lowered.module)
    simple = not any(isinstance(op, dialect.CreatePipeNetOp) for op in operation.walk())
    known = all(
        one.done
        or one.waits not in (PAGES, SPACE, SEMAPHORE, TRANSFERS, RUNS)
        or (one.what >= 0 and one.waits < TRANSFERS)
        for one in standing.processors
    )
    counted_ = standing.rings or not any(isinstance(op, dialect.CreateDfbOp) for op in operation.walk())
    if not simple or not known or not counted_:
        return alone.diagnostic
    network = StalledChip(lowered, standing)
    return report(network).noting(alone.on_the_chip) if network.is_explained else alone.diagnostic


# --- causes that are not the wait of a kernel -----------------------------------------------------------------------


def _dead(dump: Dump, devices: tuple[int, ...], told: Diagnostic) -> Diagnostic:
    """TTL0148: cores that do not answer; every other wait follows from that."""
    dead = {core: what for (of, core), what in dump.broken.items() if of in devices}
    if not dead:
        return told
    names = listed(f"({x}, {y})" for x, y in sorted(dead)[:_MOST])
    subject = f"core {names} does" if len(dead) == 1 else f"cores {names} do"
    notes = tuple(f"on core ({x}, {y}): {what}" for (x, y), what in sorted(dead.items())[:_MOST])
    return error(
        "TTL0148",
        f"{subject} not answer, and kernels wait",
        notes=(*notes, f"the others, {told.code}: {told.message}", *told.notes),
        help="reset the card (tt-smi -r) and run again; if the same core hangs again, check what its kernels write before, or the card",
    ).at(told.primary.span if told.primary else None, "a kernel waits here")


def _alarms(dump: Dump, device: int) -> list[str]:
    """Transfers that have not come to their end."""
    return [
        f"{one.where}: {one.variable} is {one.begun}, {one.register} is {one.ended}"
        + (
            f": {counted(one.begun - one.ended, 'transfer')} of this core did not end"
            if one.begun > one.ended
            else ""
        )
        for one in dump.noc[:_MOST]
    ]


def _missing(dump: Dump, chip: DumpedChip, replay: Replay | None) -> tuple[str, ...]:
    """Return the facts that the dump lacks, each with the way to get it."""
    result = []
    agreed = replay is not None and replay.deadlock is not None
    if chip.info is None:
        result.append(
            "what the kernels were compiled from: run with --dump FOLDER, and put what the tools wrote into that folder"
        )
    if not any(wait.line for wait in chip.waits):
        result.append("lines: the watcher logs none; tt-triage prints call stacks (--run=dump_callstacks)")
    if not dump.buffers and (chip.info is None or chip.info.description.circular_buffers):
        result.append(
            "counts of circular buffers: tt-triage of ttnn 0.81 has them (--run=dump_circular_buffers)"
        )
    if not dump.semaphores and (chip.info is None or chip.info.description.semaphores):
        result.append("values of semaphores: tt-triage of ttnn 0.81 has them (--run=dump_semaphores)")
    if not dump.noc_checked:
        result.append("whether transfers are under way: --run=check_noc_status")
    if chip.missing:
        cores = listed(f"({x}, {y})" for x, y in chip.missing[:_MOST])
        more = f" and {len(chip.missing) - _MOST} more" if len(chip.missing) > _MOST else ""
        result.append(
            f"core {cores}{more}: taken for ended, as tt-triage leaves such out without --all-cores"
        )
    if not agreed:
        result.append(
            "which blocks are reserved or waited for, and in which order things happened: no tool writes that"
        )
    return tuple(result)
