"""A random schedule gives the results of the simulator, or is refused with one of the codes of schedules."""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path

from support.random_schedules import BUFFERS, LOOPS, random_chain, random_sequence
from support.scheduled_kernels import KERNELS
from ttl.diag import ProgramError
from ttl.settings import override

# TTL_SCHEDULES_TRIED=200 tries all that were tried when this was written.
TRIED = int(os.environ.get("TTL_SCHEDULES_TRIED", "30"))
# A schedule; and buffers that do not fit any more.
CLEAN = {"TTL1462", "TTL1463", "TTL1464", "TTL1430", "TTL1431"}


def names_of(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The buffers that a kernel fills or empties, and its loops."""
    loops = {"multiply": ("n",), "chain": ("n",), "matmul": ("m", "k"), "once": LOOPS}
    buffers = ("a", "b", "y") if name in ("multiply", "chain", "matmul") else ("x", "y")
    return buffers, loops.get(name, ("row",))


def outcome(number: int, folder: Path) -> str:
    """What becomes of a kernel under one random schedule: ``same``, or the code with which it is refused."""
    random_ = random.Random(number)
    name = random_.choice(sorted(KERNELS))
    operation, arguments = KERNELS[name]()
    names = (BUFFERS, LOOPS) if number % 10 == 0 else names_of(name)
    file = folder / f"{number}.mlir"
    if number % 3:
        file.write_text(random_sequence(random_, *names), encoding="utf-8")
        schedule = str(file)
    else:
        schedule = random_chain(random_, *names)
    try:
        with override(target="emu", compare=True, schedule=schedule, verify_each=True):
            operation(*arguments)
    except ProgramError as refused:
        codes = {finding.code for finding in refused.diagnostics}
        assert codes <= CLEAN, f"number {number}, {name}: {refused}"
        return codes.pop()
    return "same"


def test_random_schedules_are_right_or_refused(tmp_path: Path) -> None:
    seen = Counter(outcome(number, tmp_path) for number in range(TRIED))
    print(dict(seen))
    assert seen["same"] >= TRIED // 10
    assert seen["TTL1463"] + seen["TTL1464"] >= TRIED // 10
