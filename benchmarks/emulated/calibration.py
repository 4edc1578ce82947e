"""Published measurements of cards, and what the emulated chip says about the same programs.

A row is *in sample* where a cost was set with its number in view, else *held out*: no cost of ``ttl.arch.costs`` was
changed for it. The classification is part of the claim, so a row never changes sides.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from ttl.arch import chip_named
from ttl.emu import rectangle

import handwritten
import micro

Sample = Literal["in sample", "held out"]

NOC = "tt-metal, noc_latencies.yaml"
ISA = "tt-isa-documentation, DRAM tiles"
MATH = "tt-metal, FPU math kernel audit"
CSV = "tt-perf-report, profiles of cards"


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One measurement. ``published``: least and most, the same where there is one number."""

    name: str
    chip: str
    published: tuple[float, float]
    unit: str
    source: str
    sample: Sample
    measure: Callable[[], float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A row and what came out."""

    row: Row
    value: float

    @property
    def error(self) -> float:
        """Relative to the nearest published value; 0 inside their range."""
        least, most = self.row.published
        if self.value > most:
            return self.value / most - 1
        return self.value / least - 1 if self.value < least else 0.0


def rows() -> list[Row]:
    """All of them."""
    return [*_transfers(), *_memory(), *_functions(), *_programs()]


def claim(found: Iterable[Found]) -> str:
    """What is said beside every estimate."""
    held_out = [each for each in found if each.row.sample == "held out"]
    single = [abs(each.error) for each in held_out if each.row.name.endswith("and a barrier")]
    whole = [abs(each.error) for each in held_out if not each.row.name.endswith("and a barrier")]
    return (
        "Cycles are estimates: published measurements that set none of their costs are met within "
        f"{100 * max(single):.0f} % for single transfers ({len(single)}), and for programs and loaded memory ({len(whole)}) "
        f"within {100 * max(whole):.0f} %, half of them within {100 * statistics.median(whole):.0f} %."
    )


# Size, then what was published: L1 read, L1 write and barrier, DRAM read of a bank, DRAM write.
_SINGLE = {
    "wormhole": {64: (293, 296, 381, 426), 2048: (366, 369, 470, 511), 8192: (589, 624, 893, 756)},
    "blackhole": {64: (373, 360, 486, 399), 2048: (404, 401, 582, 435), 8192: (499, 509, 834, 538)},
}
_AXIS = {64: 205, 2048: 286, 8192: 501}


def _transfers() -> list[Row]:
    found = []
    kinds: tuple[tuple[str, Any, Any], ...] = (
        ("read of L1 of another node", "read", "across"),
        ("write to L1 of another node", "write", "across"),
        ("read of a bank of DRAM", "read", "dram"),
        ("write to a bank of DRAM", "write", "dram"),
    )
    for chip, sizes in _SINGLE.items():
        for size, published in sizes.items():
            for (name, kind, place), cycles in zip(kinds, published, strict=True):
                found.append(
                    Row(
                        name=f"{name}, {_bytes(size)}, and a barrier",
                        chip=chip,
                        published=(cycles, cycles),
                        unit="cycles",
                        source=NOC,
                        sample="in sample" if size == 64 else "held out",
                        measure=partial(micro.transfer, chip, size, kind=kind, place=place),
                    )
                )
    for size, cycles in _AXIS.items():
        found.append(
            Row(
                name=f"read of L1 along an axis, {_bytes(size)}, and a barrier",
                chip="wormhole",
                published=(cycles, cycles),
                unit="cycles",
                source=NOC,
                sample="held out",
                measure=partial(micro.transfer, "wormhole", size, kind="read", place="axis"),
            )
        )
    return found


def _memory() -> list[Row]:
    tiles = 256
    found = [
        Row(
            name=f"{tiles} tiles from all banks, one node",
            chip=chip,
            published=(cycles, cycles),
            unit="cycles",
            source=NOC,
            sample="in sample",
            measure=partial(micro.interleaved, chip, tiles),
        )
        for chip, cycles in (("wormhole", 17269), ("blackhole", round(tiles * 2048 / 57.7)))
    ]
    whole: tuple[tuple[Any, Any, tuple[int, int]], ...] = (
        ("read", 0, (190, 200)),
        ("read", 1, (78, 82)),
        ("write", 0, (52, 57)),
        ("write", 1, (134, 155)),
    )
    for kind, noc, published in whole:
        found.append(
            Row(
                name=f"all 64 nodes {kind} DRAM on NoC {noc}",
                chip="wormhole",
                published=published,
                unit="GB/s",
                source=ISA,
                sample="held out",
                measure=partial(micro.bandwidth, "wormhole", kind=kind, noc=noc),
            )
        )
    return found


def _functions() -> list[Row]:
    products = (("LoFi", (33.25, 33.25)), ("HiFi2", (34.5, 36.9)), ("HiFi4", (68.3, 68.3)))
    found = [
        Row(
            name=f"matmul_tiles, {fidelity}, a tile",
            chip="blackhole",
            published=published,
            unit="cycles",
            source=MATH,
            sample="in sample",
            measure=partial(
                micro.tile_function,
                "blackhole",
                "matmul_init(0, 1);",
                "matmul_tiles(0, 1, 0, 0, d);",
                fidelity=fidelity,
            ),
        )
        for fidelity, published in products
    ]
    sums = (("add", "HiFi4", 37.9), ("mul", "LoFi", 37.9), ("mul", "HiFi4", 82.5))
    for name, fidelity, cycles in sums:
        found.append(
            Row(
                name=f"{name}_tiles, {fidelity}, a tile",
                chip="blackhole",
                published=(cycles, cycles),
                unit="cycles",
                source=MATH,
                sample="in sample",
                measure=partial(
                    micro.tile_function,
                    "blackhole",
                    f"{name}_tiles_init(0, 1);",
                    f"{name}_tiles(0, 1, 0, 0, d);",
                    fidelity=fidelity,
                ),
            )
        )
    return found


def _programs() -> list[Row]:
    twenty = rectangle(5, 4)

    def binary(chip: str, *arguments: Any, **options: Any) -> Callable[[], float]:
        return lambda: handwritten.binary(chip_named(chip), *arguments, **options)[0].cycles

    def relu() -> float:
        chain = "relu_tile_init(); relu_tile(0);"
        return handwritten.unary(chip_named("blackhole"), chain, 317 * 20, twenty).cycles

    table: tuple[tuple[str, str, int, Sample, Callable[[], float]], ...] = (
        ("add, 20 nodes, 316 tiles each, DRAM", "blackhole", 243_935, "in sample",
         binary("blackhole", "add", 316 * 20, twenty)),
        ("add, 20 nodes, 202 tiles each, in L1", "blackhole", 16_066, "in sample",
         binary("blackhole", "add", 202 * 20, twenty, sharded=True)),
        ("mul, 20 nodes, 202 tiles each, in L1", "blackhole", 21_747, "in sample",
         binary("blackhole", "mul", 202 * 20, twenty, sharded=True)),
        ("add, 40 nodes, one tile each, DRAM", "wormhole", 2_803, "in sample",
         binary("wormhole", "add", 40, rectangle(8, 5))),
        ("add, 24 nodes, one tile each, DRAM", "blackhole", 2_219, "in sample",
         binary("blackhole", "add", 24, rectangle(6, 4))),
        ("mul, 64 nodes, 2 or 3 tiles each, DRAM", "wormhole", 8_986, "in sample",
         binary("wormhole", "mul", 160, rectangle(8, 8))),
        ("mul, 64 nodes, 1 or 2 tiles each, DRAM", "blackhole", 4_135, "in sample",
         binary("blackhole", "mul", 96, rectangle(8, 8))),
        ("relu, 20 nodes, 317 tiles each, DRAM", "blackhole", 204_732, "held out", relu),
    )  # fmt: skip
    product = Row(
        name="matmul 512 x 512 x 512, HiFi2, 64 nodes, two-dimensional multicast",
        chip="wormhole",
        published=(10_800, 11_500),
        unit="cycles",
        source="tt-metal, tech_reports/GEMM_FLOPS, from its utilisation",
        sample="held out",
        measure=lambda: _multicast(512),
    )
    programs = [
        Row(
            name=name,
            chip=chip,
            published=(cycles, cycles),
            unit="cycles",
            source=CSV,
            sample=sample,
            measure=measure,
        )
        for name, chip, cycles, sample, measure in table
    ]
    return [*programs, product]


def _multicast(size: int) -> float:
    """The better of the sizes of a block along K that TT-NN may choose."""
    tiles = size // 32 // 8
    chip = chip_named("wormhole")
    return min(
        handwritten.matmul_multicast(
            chip,
            (size, size, size),
            (8, 8),
            handwritten.Blocks(m=tiles, n=tiles, k=k, sub_m=tiles, sub_n=tiles),
            fidelity="HiFi2",
        )[0].cycles
        for k in (2, 4, 8)
    )


def _bytes(size: int) -> str:
    return f"{size} B" if size < 1024 else f"{size // 1024} KiB"
