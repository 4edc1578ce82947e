"""The cycles of a call on the emulated chip: a lower bound, and an estimate.

The bound is a roofline: nothing waits, and each part of the chip does its work at its peak, by the costs that the emulated chip
counts with (``ttl.arch``). The estimate adds latencies and the order of steps; it only ranks configurations for trial.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ttl.arch import Chip
from ttl.arch.costs import Costs
from ttl.tuner.work import CallWork, CopyWork, Counts, KernelWork

# Routers on the way of a transfer there and back, on average; words that two nodes exchange before a block is sent.
_HOPS = 20
_WORDS = 2
# The share of the banks' peak that programs with their usual access patterns get.
_DRAM_SHARE = 0.75


@dataclass(frozen=True, kw_only=True, slots=True)
class CallCost:
    """The cost of a call, in cycles."""

    bound: int
    """A lower bound of the cycles of the call."""
    estimate: int
    limited_by: str
    """The part that limits the bound: ``DRAM``, ``data movement``, ``math`` or ``pack``."""


def cost_of(work: CallWork, chip: Chip) -> CallCost:
    """The bound and the estimate of a call."""
    costs = chip.costs
    parts = {
        "DRAM": _dram(work, chip),
        "data movement": max((float(_moving(kernel, costs).max()) for kernel in work.kernels), default=0.0),
        "math": max((float(_math(kernel, work, costs).max()) for kernel in work.kernels), default=0.0),
        "pack": max((float(_packing(kernel, costs).max()) for kernel in work.kernels), default=0.0),
    }
    limited_by = max(parts, key=lambda name: parts[name])
    bound = costs.launch.value + int(parts[limited_by])
    estimate = costs.launch.value + max(_estimated(work, costs), parts["DRAM"] / _DRAM_SHARE)
    return CallCost(bound=bound, estimate=max(int(estimate), bound), limited_by=limited_by)


def _none(kernel: KernelWork) -> Counts:
    known = [copy.times for copy in kernel.copies] + [step.times for step in kernel.steps]
    return np.zeros_like(known[0]) if known else np.zeros(1)


# --- the bound ------------------------------------------------------------------------------------------------


def _dram(work: CallWork, chip: Chip) -> float:
    """Return the cycles of the DRAM traffic with all banks at their peak."""
    moved = sum(
        float(copy.times.sum()) * copy.nbytes
        for kernel in work.kernels
        for copy in kernel.copies
        if copy.in_dram
    )
    return moved / (chip.dram_bytes_per_cycle)


def _moving(kernel: KernelWork, costs: Costs) -> Counts:
    """Return each node's cycles for issuing its transfers, or for the port of its NoC to pass them, whichever is more."""
    asking, through_in, through_out = _none(kernel), _none(kernel), _none(kernel)
    for copy in kernel.copies:
        if not copy.in_dram:
            continue
        # A page is one request at least; several requests for a page take longer.
        if copy.kind == "read":
            asking = asking + copy.times * (copy.pages * costs.read_issue.value)
            through_in = through_in + copy.times * (copy.nbytes / costs.niu_in_rate.per_cycle)
        else:
            asking = asking + copy.times * (copy.pages * costs.write_issue.value)
            through_out = through_out + copy.times * (copy.nbytes / costs.niu_out_rate.per_cycle)
    return np.maximum(asking, np.maximum(through_in, through_out))


def _math(kernel: KernelWork, work: CallWork, costs: Costs) -> Counts:
    """Return each node's cycles for products of tiles, which only the matrix unit computes."""
    tile = costs.matmul_phase.value * work.phases + costs.matmul_overhead.value
    total = _none(kernel)
    for step in kernel.steps:
        if step.kind == "matmul":
            total = total + step.times * (step.tiles * tile)
    return total


def _packing(kernel: KernelWork, costs: Costs) -> Counts:
    """Return each node's cycles for storing tiles, in the fastest way."""
    ways = (costs.pack_narrow, costs.pack_wide, costs.pack_untilize, costs.pack_fast_untilize)
    fastest = min(way.value for way in ways)
    total = _none(kernel)
    for step in kernel.steps:
        if step.kind == "store":
            total = total + step.times * (step.tiles * fastest)
    return total


# --- the estimate ---------------------------------------------------------------------------------------------


def _estimated(work: CallWork, costs: Costs) -> float:
    """Return the cycles of the slowest node: its slowest kernel, plus the work that does not overlap with it."""
    takes = [
        _computing(kernel, work, costs) if kernel.steps and _computes(kernel) else _copying(kernel, costs)
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
    # The first blocks are read before anything is computed, and the last ones written after everything.
    begin = max((_first(kernel, costs) for kernel in work.kernels), default=0.0)
    return float(slowest.max()) + begin


def _computes(kernel: KernelWork) -> bool:
    return any(step.kind in ("matmul", "vector", "matrix", "store") for step in kernel.steps)


def _one(copy: CopyWork, costs: Costs) -> float:
    """Return the cycles of one copy, including the wait for it."""
    if copy.kind == "receive":
        return costs.semaphore.value + costs.poll.value
    if copy.kind == "send":
        exchange = _WORDS * (costs.arrive_fixed.value + costs.arrive_hop.value * _HOPS / 2)
        return exchange + costs.barrier.value + copy.nbytes / costs.multicast_rate.per_cycle
    issue = costs.address.value + (costs.read_issue if copy.kind == "read" else costs.write_issue).value
    port = (costs.niu_in_rate if copy.kind == "read" else costs.niu_out_rate).per_cycle
    latency = (costs.read_fixed if copy.kind == "read" else costs.write_fixed).value + costs.hop.value * _HOPS
    if copy.in_dram:
        latency += (costs.dram_read if copy.kind == "read" else costs.dram_write).value
        latency += int(copy.nbytes / max(copy.pages, 1) / costs.dram_stream_rate.per_cycle)
    return max(copy.pages * issue, copy.nbytes / port) + latency + costs.barrier.value


def _first(kernel: KernelWork, costs: Costs) -> float:
    return sum(_one(copy, costs) for copy in kernel.copies[:2])


def _copying(kernel: KernelWork, costs: Costs) -> Counts:
    total = _none(kernel)
    for copy in kernel.copies:
        total = total + copy.times * _one(copy, costs)
    for step in kernel.steps:
        total = total + step.times * (costs.dm_wait.value + costs.dm_push.value)
    return total


def _computing(kernel: KernelWork, work: CallWork, costs: Costs) -> Counts:
    """Return the cycles of the slowest of the three processors, plus the overhead at the start of each step."""
    math, unpack, pack, begin = _none(kernel), _none(kernel), _none(kernel), _none(kernel)
    product = costs.matmul_phase.value * work.phases + costs.matmul_overhead.value
    section = costs.acquire.value + costs.commit.value + costs.release.value
    for step in kernel.steps:
        if step.kind == "handover":
            begin = begin + step.times * (costs.compute_wait.value + costs.compute_push.value)
            continue
        begin = begin + step.times * (costs.init.value + section)
        tiles = step.times * step.tiles
        match step.kind:
            case "matmul":
                math = math + tiles * product
                unpack = unpack + tiles * (2 * costs.unpack_matmul.value)
                spilled = step.times * step.spilled
                math = math + spilled * costs.math_copy.value
                unpack = unpack + spilled * 2 * costs.unpack_one.value
                pack = pack + spilled * costs.pack_wide.value
            case "vector":
                math = math + tiles * step.cycles
                unpack = unpack + tiles * costs.unpack_one.value
            case "matrix":
                math = math + tiles * costs.math_multiply.value
                unpack = unpack + tiles * costs.unpack_two.value
            case "store":
                pack = pack + tiles * (costs.pack_wide if step.wide else costs.pack_narrow).value
    return np.maximum(math, np.maximum(unpack, pack)) + begin
