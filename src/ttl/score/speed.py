"""How fast calls are, against what no program can do without and against the best known: the stage ``speed``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ttl.arch import Chip
from ttl.ops.types import TILE
from ttl.score.best import BestTable
from ttl.score.model import ScoreStage


def speed_of(
    read: Sequence[Mapping[str, Any]], tried: Sequence[Mapping[str, Any]], chip: Chip, known: BestTable | None
) -> tuple[list[dict[str, Any]], ScoreStage]:
    """What a score has of calls, and the stage; ``read`` is what is known of each call, ``tried`` what its trials gave."""
    cycles = floor = best = 0
    complete = known is not None
    calls = []
    for about, call in zip(read, tried, strict=True):
        spent = call["profile"]["cycles"]
        least = _least_cycles(call, chip)
        entry = known.find(about["operation"], chip.name, about["arguments"]) if known is not None else None
        complete = complete and entry is not None
        cycles, floor, best = cycles + spent, floor + least, best + (entry or 0)
        calls.append(
            {
                "operation": about["operation"],
                "arguments": about["arguments"],
                "line": about["line"],
                "cycles": spent,
                "least_cycles": least,
                "best_cycles": entry,
                "l1_bytes": call["l1_bytes"],
                "headline": call["profile"]["headline"],
                "verdict": call["profile"]["verdict"],
                "of_own_work": call["profile"]["roof"]["share"],
                "advice": call["profile"]["advice"],
            }
        )
    of_roofline = min(floor / cycles, 1.0)
    of_best = min(best / cycles, 1.0) if complete else None
    beside = (
        f"{of_best:.0%} of the best known" if of_best is not None else f"{of_roofline:.0%} of the roofline"
    )
    facts = {
        "cycles": cycles,
        "of_roofline": round(of_roofline, 4),
        "of_best": None if of_best is None else round(of_best, 4),
    }
    stage = ScoreStage(
        name="speed",
        passed=True,
        why=f"{cycles:,} cycles, {beside}",
        facts=facts,
        share=of_roofline if of_best is None else of_best,
    )
    return calls, stage


def _least_cycles(call: Mapping[str, Any], chip: Chip) -> int:
    """What no program can do without: a launch, or every tensor over the DRAM once, or the products of the reference on all nodes.

    It does not depend on what the program does: work that nobody needs brings it no nearer.
    """
    moved = sum(tensor["bytes"] for tensor in call["tensors"])
    transfers = int(moved / chip.dram_bytes_per_cycle)
    nodes = chip.grid[0] * chip.grid[1]
    tiles = call.get("flops", 0) / (2 * TILE**3)
    products = int(tiles * chip.costs.matmul_phase.value / nodes)
    return int(max(chip.costs.launch.value, transfers, products))
