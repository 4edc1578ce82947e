"""Rules about the matrix and vector units and their registers."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, log2

from ttl.arch.costs import Costs
from ttl.codegen.variants import Variant
from ttl.diag.words import counted, listed
from ttl.emu.advice.facts import RunFacts
from ttl.emu.advice.piece import Advice
from ttl.emu.advice.trial import Deviation, TrialRun, Trials
from ttl.emu.program import KernelLine

# The least share of the critical path for which changes of the computation are tried.
_COMPUTES = 0.15
# The fidelity with fewer passes of the multiplier.
_LOWER = {"HiFi4": "HiFi2", "HiFi3": "HiFi2", "HiFi2": "LoFi"}


def narrow_registers(facts: RunFacts, trials: Trials | None) -> Iterator[Advice]:
    """Advise against 32-bit registers where every buffer has elements of 16 bits or fewer."""
    if trials is None or not _computes(facts):
        return
    configs = [kernel.config for kernel in trials.description.kernels if kernel.config is not None]
    own = [buffer for buffer in trials.description.circular_buffers if buffer.made_by == "user"]
    if not any(config.fp32_dest_acc_en for config in configs) or not own:
        return
    if any(buffer.dtype in ("float32", "int32", "uint32") for buffer in own):
        return
    result = trials.recompiled(Variant(fp32_dest=False))
    if result is None:
        return
    dst = facts.chip.dst
    types = listed(sorted({buffer.dtype for buffer in own}))
    yield _of_results(
        facts,
        result,
        name="narrow-registers",
        sentence=f"registers hold {dst.half_32bit} tiles of 32 bits at a time, or {dst.half_16bit} of 16, and every buffer is of {types}",
        change="@ttl.operation(fp32_dest_acc_en=False)",
        lines=_of_operation(trials),
    )


def approximate_math(facts: RunFacts, trials: Trials | None) -> Iterator[Advice]:
    """Advise faster, coarser variants of the vector unit's functions, and products in fewer passes."""
    choices = None if trials is None else trials.choices
    if trials is None or choices is None or facts.path_share("math") < _COMPUTES:
        return
    if choices.approximable:
        result = trials.recompiled(Variant(approximate=True))
        if result is not None:
            calls = list(dict.fromkeys((call.label, call.parameter) for call in choices.approximable))
            worst = max(call.worst for call in choices.approximable)
            yield _of_results(
                facts,
                result,
                name="approximate-math",
                sentence=f"mathematics is {_percent(facts.path_share('math'))} of the critical path, and {listed(name for name, _ in calls)} "
                f"{'has' if len(calls) == 1 else 'have'} a faster variant, off by up to {_percent(worst)}",
                change=listed(f"{name}(..., {parameter}=True)" for name, parameter in calls),
                lines=tuple(
                    KernelLine.at(call.span) for call in choices.approximable if call.span is not None
                ),
            )
    used = choices.fidelity or "HiFi4"
    if choices.products and used in _LOWER:
        lower = _LOWER[used]
        result = trials.recompiled(Variant(fidelity=lower))
        if result is not None:
            yield _of_results(
                facts,
                result,
                name="approximate-math",
                sentence=f"mathematics is {_percent(facts.path_share('math'))} of the critical path, and products go through the matrix unit "
                f"in the passes of {used}",
                change=f'@ttl.operation(math_fidelity="{lower}")',
                lines=tuple(KernelLine.at(span) for span in choices.products),
            )


def _handing(costs: Costs) -> dict[str, int]:
    """Return, by unit, the cycles of handing over registers and blocks once."""
    blocks = costs.compute_wait.value + costs.compute_push.value
    return {
        "math": costs.acquire.value + costs.commit.value,
        "unpack": costs.unpack_section.value + blocks,
        "pack": costs.acquire.value + costs.release.value + blocks,
    }


def half_empty_registers(facts: RunFacts, trials: Trials | None) -> Iterator[Advice]:
    """Advise fuller sections of the registers: those with few tiles are handed from unit to unit as often as full ones."""
    nodes = max(sum(diary.role == "pack" for diary in facts.record.diaries.values()), 1)
    sections = facts.record.sections
    few = sections[
        (sections["tiles"] * 2 <= sections["count"] * sections["room"]) & (sections["count"] >= 8 * nodes)
    ]
    if not len(few):
        return
    saved = 0.0
    handing = _handing(facts.chip.costs)
    for line, room, count, tiles in few.tolist():
        fewer = (count - ceil(tiles / room)) / nodes
        # The units work at the same time: the cycles of handing over count as far as the program waits for a unit.
        for role, cost in handing.items():
            saved += fewer * cost * facts.on_path(line, role)
    order = few[few["count"].argsort()[::-1]]
    count, tiles, room = int(few["count"].sum()), int(few["tiles"].sum()), int(few["room"].max())
    yield Advice(
        name="half-empty-registers",
        sentence=f"{count:,} times the registers are handed from unit to unit with {tiles / count:.2g} of {room} tiles in them, on "
        f"{counted(nodes, 'node')}",
        change=f"compute larger blocks: of {room} tiles or a multiple of that",
        lines=facts.users(order["line"].tolist()),
        cycles=int(saved),
        basis="estimated",
        how=f"handing over full registers: {tiles / room:,.0f} times",
    )


def _computes(facts: RunFacts) -> bool:
    return facts.path_share("math", "unpack", "pack") >= _COMPUTES


def _of_results(
    facts: RunFacts,
    result: TrialRun,
    *,
    name: str,
    sentence: str,
    change: str,
    lines: tuple[KernelLine, ...],
) -> Advice:
    """Return advice from a trial that may have changed the results of the program."""
    return Advice(
        name=name,
        sentence=sentence,
        change=change,
        lines=tuple(dict.fromkeys(lines)),
        cycles=facts.cycles - result.cycles,
        basis="emulated",
        how=f"{result.cycles:,} cycles with this change",
        results=_results(result.deviation),
        wrong=bool(result.deviation.beyond),
    )


def _results(deviation: Deviation) -> str:
    if not deviation.differ:
        return "with these tensors the results are the same bit for bit"
    bits = f"2^{ceil(log2(deviation.largest))}" if 0 < deviation.largest < 1 else f"{deviation.largest:.3g}"
    off = f"{deviation.differ:,} of {deviation.elements:,} elements differ, by up to {bits} of the largest value"
    if deviation.beyond:
        pcc = "" if deviation.pcc is None else f"; PCC {deviation.pcc:.6f} with the results as they are"
        return f"less accurate: with these tensors {off}, {deviation.beyond:,} of them by more than rounding explains{pcc}"
    return f"with these tensors {off}, which is within rounding"


def _of_operation(trials: Trials) -> tuple[KernelLine, ...]:
    place = trials.recompiler.place if trials.recompiler is not None else None
    return () if place is None else (place,)


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %"
