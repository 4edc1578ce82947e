"""The instruction set that the machine computes with: the requested one, or the fastest on this processor.

The newest instructions need not be the fastest: products of pairs of bfloat16 take an AMD Zen 4 half as long as products of
float32, and some Intel processors longer. So a product is timed with each set, once per processor, and the answer is kept in
the cache folder. The sets differ in the last bits of products, never in anything else.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import time
from functools import cache

import numpy as np

from ttl.diag import ProgramError
from ttl.native import machine
from ttl.rows.dtypes import BFLOAT16
from ttl.rows.table import op
from ttl.rows.types import BlockType, Layout
from ttl.session.switches import Settings, WrongValueError, folder_of_results, setting
from ttl.settings import cache_failed, write_kept, wrong_value
from ttl.sim.native.lowering import lower
from ttl.sim.program import Instruction

# The sets that ``auto`` chooses from, where the processor has them. AMX is left out: it was compiled and its movement
# of data emulated, but it ran on no processor of ours; so is BFMMLA, which ran under an emulator of ARM only.
_TRIED = ("plain", "avx2", "avx512", "avx512bf16")
# How many times faster than the best set before it a set must be: so the same set is chosen every time, whatever else
# the machine does.
_FASTER = 1.1
_ROUNDS = 7
# Rows, columns and summed extent of the product, in tiles.
_PRODUCT = (4, 4, 16)


def use(settings: Settings) -> None:
    """Make the machine compute with the set of ``settings``. Raises ``ProgramError`` TTL0101 if it is unavailable."""
    name = instruction_set(settings)
    if machine().isa() == name:
        return
    try:
        machine().set_isa(name)
    except ValueError:  # the processor has it: the system has to allow the tiles of AMX only
        raise _refused(settings, "this system gives programs no tile registers") from None


def instruction_set(settings: Settings) -> str:
    """The instruction set of ``settings``. Raises ``ProgramError`` TTL0101 when this processor lacks it."""
    if settings.isa == "auto":
        return fastest(settings.cache_dir)
    there = machine().isas()
    if settings.isa not in there:
        raise _refused(settings, f"this processor has {', '.join(there)}")
    return settings.isa


def _refused(settings: Settings, reason: str) -> ProgramError:
    return wrong_value(WrongValueError(setting("isa"), settings.isa, settings.origin("isa"), reason))


@cache
def fastest(cache_dir: str | None) -> str:
    """The fastest of the sets that were tried; found out once and kept in the cache folder, if there is one."""
    there = [name for name in _TRIED if name in machine().isas()]
    candidates = there[1:] or there  # plain C++ is slower than any other
    if len(candidates) == 1:
        return candidates[0]
    identity = [machine().SOURCES_HASH, _processor(), candidates]
    name = f"{hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:16]}.json"
    folder = folder_of_results(cache_dir)
    path = None if folder is None else os.path.join(folder, "instruction-set", name)
    kept = None if path is None else _kept(path)
    if kept in candidates:
        return kept
    seconds = measured(candidates)
    best = candidates[0]
    for candidate in candidates[1:]:
        if seconds[candidate] * _FASTER < seconds[best]:
            best = candidate
    if path is not None:
        _keep(path, {"processor": identity[1], "seconds": seconds, "instruction_set": best})
    return best


def measured(names: list[str]) -> dict[str, float]:
    """Return how many seconds a product of bfloat16 takes with each set, at best: a few milliseconds of work in all."""
    m, n, k = _PRODUCT
    left, right, result = (BlockType.of(shape, BFLOAT16, Layout.TILE) for shape in ((m, k), (k, n), (m, n)))
    product = Instruction(op("matmul"), (), (("leaf", 0), ("leaf", 1)), result, (None, None))
    code = lower([product], [(left, False), (right, False)], result, BFLOAT16)
    assert code is not None
    arrays = [BFLOAT16.store(np.ones(block.elements, np.float32)) for block in (left, right, result)]
    program, tasks = machine().compile(code), [(arrays[:2], arrays[2])]
    before = machine().isa()
    seconds = dict.fromkeys(names, float("inf"))
    for _ in range(_ROUNDS):
        for name in names:
            machine().set_isa(name)
            start = time.perf_counter()
            machine().run(program, tasks)
            seconds[name] = min(seconds[name], time.perf_counter() - start)
    machine().set_isa(before)
    return seconds


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            return next(line.strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def _kept(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return str(json.load(file)["instruction_set"])
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _keep(path: str, content: dict[str, object]) -> None:
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        write_kept(path, json.dumps(content).encode())
    except OSError as problem:
        cache_failed(problem)
