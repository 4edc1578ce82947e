"""What a call takes on the emulated chip: never less than a bound, and about as much as an estimate.

The bound is a roofline: nothing waits, and each part of the chip does what it has to at its peak, by the costs that the
emulated chip counts with (``ttl.arch``). The estimate has latencies, and what follows what; it only says what is worth trying first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ttl.arch import Chip
from ttl.tuner.work import CallWork, CopyWork, Counts, KernelWork

# Routers that a transfer passes there and back, on average, and words that two nodes exchange before one sends a block to the other.
_HOPS = 20
_WORDS = 2
# Of the peak of all banks, what programs get that read and write as they come.
_DRAM_SHARE = 0.75


@dataclass(frozen=True, kw_only=True, slots=True)
class CallCost:
    """In cycles."""

    bound: int
    """The call takes as many at least."""
    estimate: int
    limited_by: str
    """What the bound is from: ``DRAM``, ``data movement``, ``math`` or ``pack``."""


def cost_of(work: CallWork, chip: Chip) -> CallCost:
    """The bound and the estimate of a call."""
    rates = _Rates(chip)
    parts = {
        "DRAM": _dram(work, rates),
        "data movement": max((float(_moving(kernel, rates).max()) for kernel in work.kernels), default=0.0),
        "math": max((float(_math(kernel, work, rates).max()) for kernel in work.kernels), default=0.0),
        "pack": max((float(_packing(kernel, rates).max()) for kernel in work.kernels), default=0.0),
    }
    limited_by = max(parts, key=lambda name: parts[name])
    bound = rates["launch"] + int(parts[limited_by])
    estimate = rates["launch"] + max(_estimated(work, rates), parts["DRAM"] / _DRAM_SHARE)
    return CallCost(bound=bound, estimate=max(int(estimate), bound), limited_by=limited_by)


class _Rates:
    """The costs of a chip, by name; rates in bytes a cycle."""

    def __init__(self, chip: Chip) -> None:
        self._costs = chip.costs
        self.banks = len(chip.floorplan.banks)

    def __getitem__(self, name: str) -> int:
        return self._costs[name].value

    def rate(self, name: str) -> float:
        return self._costs[name].value / 1024


def _none(kernel: KernelWork) -> Counts:
    known = [copy.times for copy in kernel.copies] + [step.times for step in kernel.steps]
    return np.zeros_like(known[0]) if known else np.zeros(1)


# --- the bound ------------------------------------------------------------------------------------------------


def _dram(work: CallWork, rates: _Rates) -> float:
    """All banks at their peak."""
    moved = sum(
        float(copy.times.sum()) * copy.nbytes
        for kernel in work.kernels
        for copy in kernel.copies
        if copy.in_dram
    )
    return moved / (rates.banks * rates.rate("dram_rate"))


def _moving(kernel: KernelWork, rates: _Rates) -> Counts:
    """Of each node: what its processor takes to ask for its transfers, or the port of its NoC to let them through."""
    asking, through_in, through_out = _none(kernel), _none(kernel), _none(kernel)
    for copy in kernel.copies:
        if not copy.in_dram:
            continue
        # A page goes in one request; it may be in several, which takes longer.
        if copy.kind == "read":
            asking = asking + copy.times * (copy.pages * rates["read_issue"])
            through_in = through_in + copy.times * (copy.nbytes / rates.rate("niu_in_rate"))
        else:
            asking = asking + copy.times * (copy.pages * rates["write_issue"])
            through_out = through_out + copy.times * (copy.nbytes / rates.rate("niu_out_rate"))
    return np.maximum(asking, np.maximum(through_in, through_out))


def _math(kernel: KernelWork, work: CallWork, rates: _Rates) -> Counts:
    """Of each node: products of tiles, of which no other unit can do any."""
    tile = rates["matmul_phase"] * work.phases + rates["matmul_overhead"]
    total = _none(kernel)
    for step in kernel.steps:
        if step.kind == "matmul":
            total = total + step.times * (step.tiles * tile)
    return total


def _packing(kernel: KernelWork, rates: _Rates) -> Counts:
    """Of each node: tiles that are stored, in whichever way is fastest."""
    fastest = min(rates[name] for name in ("pack_narrow", "pack_wide", "pack_untilize", "pack_fast_untilize"))
    total = _none(kernel)
    for step in kernel.steps:
        if step.kind == "store":
            total = total + step.times * (step.tiles * fastest)
    return total


# --- the estimate ---------------------------------------------------------------------------------------------


def _estimated(work: CallWork, rates: _Rates) -> float:
    """The slowest node: the slowest of its kernels, and what does not overlap with it."""
    takes = [
        _computing(kernel, work, rates) if kernel.steps and _computes(kernel) else _copying(kernel, rates)
        for kernel in work.kernels
    ]
    if not takes:
        return 0.0
    sizes = np.broadcast_arrays(*takes)
    slowest = np.max(sizes, axis=0)
    for kernel, own in zip(work.kernels, sizes, strict=True):
        for other, its in zip(work.kernels, sizes, strict=True):
            if kernel is not other and kernel.fills & other.empties & work.single:
                slowest = np.maximum(slowest, own + its)
    # The first blocks are read before anything is computed, and the last ones written behind.
    begin = max((_first(kernel, rates) for kernel in work.kernels), default=0.0)
    return float(slowest.max()) + begin


def _computes(kernel: KernelWork) -> bool:
    return any(step.kind in ("matmul", "vector", "matrix", "store") for step in kernel.steps)


def _one(copy: CopyWork, rates: _Rates) -> float:
    """One copy, waited for."""
    if copy.kind == "receive":
        return rates["semaphore"] + rates["poll"]
    if copy.kind == "send":
        exchange = _WORDS * (rates["arrive_fixed"] + rates["arrive_hop"] * _HOPS / 2)
        return exchange + rates["barrier"] + copy.nbytes / rates.rate("multicast_rate")
    issue = rates["address"] + rates["read_issue" if copy.kind == "read" else "write_issue"]
    port = rates.rate("niu_in_rate" if copy.kind == "read" else "niu_out_rate")
    latency = rates["read_fixed" if copy.kind == "read" else "write_fixed"] + rates["hop"] * _HOPS
    if copy.in_dram:
        latency += rates["dram_read" if copy.kind == "read" else "dram_write"]
        latency += int(copy.nbytes / max(copy.pages, 1) / rates.rate("dram_stream_rate"))
    return max(copy.pages * issue, copy.nbytes / port) + latency + rates["barrier"]


def _first(kernel: KernelWork, rates: _Rates) -> float:
    return sum(_one(copy, rates) for copy in kernel.copies[:2])


def _copying(kernel: KernelWork, rates: _Rates) -> Counts:
    total = _none(kernel)
    for copy in kernel.copies:
        total = total + copy.times * _one(copy, rates)
    for step in kernel.steps:
        total = total + step.times * (rates["dm_wait"] + rates["dm_push"])
    return total


def _computing(kernel: KernelWork, work: CallWork, rates: _Rates) -> Counts:
    """The slowest of the three processors, and what each step begins with."""
    math, unpack, pack, begin = _none(kernel), _none(kernel), _none(kernel), _none(kernel)
    product = rates["matmul_phase"] * work.phases + rates["matmul_overhead"]
    section = rates["acquire"] + rates["commit"] + rates["release"]
    for step in kernel.steps:
        if step.kind == "handover":
            begin = begin + step.times * (rates["compute_wait"] + rates["compute_push"])
            continue
        begin = begin + step.times * (rates["init"] + section)
        tiles = step.times * step.tiles
        match step.kind:
            case "matmul":
                math = math + tiles * product
                unpack = unpack + tiles * (2 * rates["unpack_matmul"])
                spilled = step.times * step.spilled
                math = math + spilled * rates["math_copy"]
                unpack = unpack + spilled * 2 * rates["unpack_one"]
                pack = pack + spilled * rates["pack_wide"]
            case "vector":
                math = math + tiles * step.cycles
                unpack = unpack + tiles * rates["unpack_one"]
            case "matrix":
                math = math + tiles * rates["math_multiply"]
                unpack = unpack + tiles * rates["unpack_two"]
            case "store":
                pack = pack + tiles * rates["pack_wide" if step.wide else "pack_narrow"]
    return np.maximum(math, np.maximum(unpack, pack)) + begin
