"""The published experiments as programs for the emulated chip, and what is published of them: a number for each row."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import kernels
import moving
import numpy as np
from published import CHIPS, Row
from ttl.arch import Chip, chip_named
from ttl.arch.costs import Number
from ttl.emu import CircularBuffer, Kernel, Program, Run, Semaphore, run_program
from ttl.emu.chip import DRAM_BEGIN, EmulatedChip, layout_of, opened
from ttl.emu.memory import ChipMemory, Placed
from ttl.emu.signposts import signposts
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import BFLOAT16, FLOAT32

_BYTES = {"bf16": 2048, "fp32": 4096}
_DTYPES = {"bf16": ("bfloat16", BFLOAT16), "fp32": ("float32", FLOAT32)}
IN, OTHER, SCALE, ACC, OUT, LOOP = 0, 1, 2, 3, 16, 24
ORIGIN = ((0, 0),)

# Numbers that take the place of a chip's, by chip and name: of its costs, or ``vector.NAME`` of the functions of its operations.
Costs = Mapping[str, Mapping[str, int]]
_changed: dict[str, Mapping[str, int]] = {}


def use(costs: Costs) -> None:
    """Run with other costs than the chip's. Before the first run of a process."""
    _changed.update(costs)


@cache
def chip(name: str) -> EmulatedChip:
    """The emulated chip, with the costs that are in use."""
    plain = chip_named(CHIPS[name])
    changed = _changed.get(CHIPS[name], {})
    vector = {
        key.removeprefix("vector."): value for key, value in changed.items() if key.startswith("vector.")
    }
    costs = {key: value for key, value in changed.items() if not key.startswith("vector.")}
    return opened(_with(plain, costs, vector), layout_of(plain, DRAM_BEGIN << 8))


def _with(plain: Chip, costs: Mapping[str, int], vector: Mapping[str, int]) -> Chip:
    def fitted(numbers: Mapping[str, int]) -> dict[str, Number]:
        return {key: Number(value, "fitted", "given to this run") for key, value in numbers.items()}

    return dataclasses.replace(
        plain,
        costs=dataclasses.replace(plain.costs, **fitted(costs)),
        operations={**plain.operations, **fitted(vector)},
    )


class Parts:
    """A program being put together, on one core unless it says otherwise."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self.dtype = row.get("dtype", "bf16")
        self.tile = _BYTES[self.dtype]
        self.memory = ChipMemory(chip(row.chip))
        self.kernels: list[Kernel] = []
        self.buffers: list[CircularBuffer] = []
        self.semaphores: tuple[Semaphore, ...] = ()
        self.random = np.random.default_rng(39)

    def tensor(self, tiles: int, plus: float = 0.0) -> Placed:
        """A tensor of tiles in DRAM."""
        import ttnn

        values = (self.random.standard_normal((32, 32 * tiles)) * 0.1 + plus).astype(np.float32)
        made: Tensor = ttnn.Tensor(values, _DTYPES[self.dtype][1], layout=ttnn.TILE_LAYOUT)
        return self.memory.place(made)

    def buffer(self, index: int, pages: int) -> None:
        """A circular buffer."""
        self.buffers.append(
            CircularBuffer(
                index=index, pages=pages, page_bytes=self.tile, dtype=_DTYPES[self.dtype][0], cores=ORIGIN,
                unwanted=True,
            )
        )  # fmt: skip

    def mover(
        self, name: str, source: str, tensors: Sequence[Placed], *args: int, core: Any = (0, 0)
    ) -> None:
        """A kernel that moves data: the reader is on NCRISC and NoC 0, every other one on BRISC and NoC 1."""
        reads = name == "reader"
        self.kernels.append(
            Kernel(
                name=name, source=source, processor="ncrisc" if reads else "brisc", noc=0 if reads else 1,
                cores=(core,), compile_time_args=tuple(word for each in tensors for word in each.accessor),
                args={core: (*(each.address for each in tensors), self.tile, *args)},
            )
        )  # fmt: skip

    def seeds(self, parts: Sequence[tuple[int, int, float]]) -> None:
        """A reader that fills buffers in turn: index, tiles, and what is added to the values."""
        tensors = [self.tensor(tiles, plus) for _, tiles, plus in parts]
        calls = [
            f"seed({index}, t{number}, 0, {tiles}, bytes);" for number, (index, tiles, _) in enumerate(parts)
        ]
        self.mover("reader", moving.reader(len(parts), "\n  ".join(calls)), tensors)

    def drain(self, tiles: int) -> None:
        """A writer of one block."""
        self.mover("writer", moving.drain(OUT), [self.tensor(tiles)], tiles)

    def compute(self, source: str, *args: int) -> None:
        """The compute kernel."""
        row = self.row
        wide = self.dtype == "fp32" or row.get("fp32dst", "0") == "1"
        self.kernels.append(
            Kernel(
                name="compute", source=source, processor="compute", cores=ORIGIN, args={(0, 0): args},
                fidelity=row.get("fidelity", "HiFi4"), fp32_dst=wide, full_sync=full_sync(row),
            )
        )  # fmt: skip

    def run(self) -> Run:
        """Run it."""
        program = Program(
            generation="0.81",
            kernels=tuple(self.kernels),
            circular_buffers=tuple(self.buffers),
            semaphores=self.semaphores,
        )
        return run_program(program, self.memory, recorded=True)


def full_sync(row: Row) -> bool:
    """Whether DST is one section."""
    return row.get("full", "0") == "1" or row.get("sync", "half") == "full"


def capacity(row: Row) -> int:
    """Tiles of a section of DST."""
    wide = row.get("dtype", "bf16") == "fp32" or row.get("fp32dst", "0") == "1"
    return 8 * (2 if full_sync(row) else 1) // (2 if wide else 1)


def zone(run: Run, *roles: str) -> int:
    """Cycles of the zone: the longest of its processors, or of some of them."""
    return max(cost.cycles for key, cost in signposts(run).items() if not roles or key.role in roles)


def measure(row: Row) -> float:
    """What the emulated chip says where a row has its published value, in the unit of the row."""
    cycles = _EXPERIMENTS[row.set](row)
    if row.unit.startswith("percent"):
        return cycles
    return cycles / chip_named(CHIPS[row.chip]).clock_hz * (1e9 if row.unit.startswith("ns") else 1e6)


def _mb1(row: Row) -> float:
    return _moves(row, int(row.at["tiles"]), capacity(row), kernels.SELF, turns=128)


def _mb5a(row: Row) -> float:
    tiles, section, turns = int(row.at["tiles"]), int(row.at["c"]), int(row.get("iters", "128"))
    variant = row.at["variant"]
    if variant in ("copy", "exp"):
        return _unary(row, kernels.unary(variant, warm=True), tiles, section, turns) / turns
    source = {"self": kernels.SELF, "hoisted": kernels.HOISTED, "twocb": kernels.TWO_BUFFERS}[variant]
    return _moves(row, tiles, section, source, turns)


def _moves(row: Row, tiles: int, section: int, source: str, turns: int) -> float:
    parts = Parts(row)
    for index, pages in ((IN, tiles), (LOOP, 2 * tiles), (OUT, tiles)):
        parts.buffer(index, pages)
    parts.seeds([(IN, tiles, 0)])
    parts.drain(tiles)
    parts.compute(source, tiles, section, turns)
    return zone(parts.run()) / turns


def _unary(row: Row, source: str, tiles: int, section: int, turns: int, *roles: str) -> float:
    parts = Parts(row)
    parts.buffer(IN, 2 * tiles)
    parts.buffer(OUT, 2 * tiles)
    parts.seeds([(IN, tiles, 1)])
    parts.drain(tiles)
    parts.compute(source, tiles, section, turns)
    return zone(parts.run(), *roles)


def _mb2(row: Row) -> float:
    acc, iters, blocks = int(row.at["acc"]), int(row.at["iters"]), int(row.get("blocks", "2"))
    dram, how, what = row.at["source"] == "dram", row.at["how"], row.at["expr"]
    groups = iters if dram else 1
    parts = Parts(row)
    for index, pages in ((IN, acc), (OTHER, blocks * acc), (OUT, blocks * acc)):
        parts.buffer(index, pages)
    body = f"""seed({IN}, t0, 0, {acc}, bytes);
  const uint32_t groups = arg(3);
  for (uint32_t g = 0; g < groups; ++g) seed({OTHER}, t1, g * {acc}, {acc}, bytes);"""
    parts.mover("reader", moving.reader(2, body), [parts.tensor(acc), parts.tensor(acc * groups)], groups)
    parts.drain(acc)
    source = (
        kernels.in_registers(dram=dram, gelu=what == "gelu")
        if how == "reg"
        else kernels.by_the_packer(dram=dram, how=what)
    )
    parts.compute(source, acc, iters, min(acc, capacity(row)))
    return zone(parts.run())


_BINARY = {
    "add": ("add_init(IN, OTHER);", "add_tiles(IN, OTHER, i, i, i);"),
    "mul": ("mul_init(IN, OTHER);", "mul_tiles(IN, OTHER, i, i, i);"),
    "sub_bcast": ("sub_bcast_cols_init(IN, OTHER);", "sub_tiles_bcast_cols(IN, OTHER, i, 0, i);"),
    "mul_bcast": ("mul_bcast_cols_init(IN, OTHER);", "mul_tiles_bcast_cols(IN, OTHER, i, 0, i);"),
}


def _mb4(row: Row) -> float:
    tiles, turns, op = 4, 64, row.at["op"]
    if op == "copy" or row.at["kind"] == "margin":
        taken = _unary(row, kernels.unary(op, warm=False), tiles, tiles, turns, "math")
        less = (
            _unary(row, kernels.unary("copy", warm=False), tiles, tiles, turns, "math") if op != "copy" else 0
        )
        return (taken - less) / turns / tiles
    single = op not in ("add", "mul")
    parts = Parts(row)
    reduces = op.startswith("reduce")
    parts.buffer(IN, 2 * tiles)
    parts.buffer(OTHER, 2 if single else 2 * tiles)
    parts.buffer(OUT, 2 if reduces else 2 * tiles)
    parts.seeds([(IN, tiles, 1), (OTHER, 1 if single else tiles, 1)])
    parts.drain(1 if reduces else tiles)
    if reduces:
        how = f"<PoolType::{op.removeprefix('reduce_').upper()}, ReduceDim::REDUCE_ROW>"
        source = kernels.operation(
            f"reduce_init{how}(IN, OTHER, OUT);", f"reduce_tile{how}(IN, OTHER, i, 0, 0);",
            result="1", after="reduce_uninit();", other="1",
        )  # fmt: skip
    else:
        init, call = _BINARY[op]
        source = kernels.operation(init, call, other="1" if single else "count")
    parts.compute(source, tiles, turns)
    return zone(parts.run(), "math") / turns / tiles


def _mb5b(row: Row) -> float:
    n, h, w = (int(row.at[key]) for key in "nhw")
    turns = 32  # each is as long as the others: 128 on the card
    parts = Parts(row)
    parts.buffer(IN, n * n)
    parts.buffer(OUT, n * n)
    parts.seeds([(IN, n * n, 1)])
    parts.drain(n * n)
    parts.compute(kernels.square(row.at["op"]), n, h, w, turns)
    return zone(parts.run()) / turns


def _mb5c(row: Row) -> float:
    kt, h, w, how = int(row.at["kt"]), int(row.at["h"]), int(row.at["w"]), row.at["how"]
    parts = Parts(row)
    for index, pages in ((IN, 8 * kt), (OTHER, 8 * kt), (OUT, 128)):
        parts.buffer(index, pages)
    body = f"""const uint32_t kt = arg(3);
  for (uint32_t k = 0; k < kt; ++k) {{
    cb_reserve_back({IN}, 8);
    const uint32_t a = get_write_ptr({IN});
    for (uint32_t i = 0; i < 8; ++i) noc_async_read_page(i * kt + k, t0, a + i * bytes);
    noc_async_read_barrier();
    cb_push_back({IN}, 8);
    seed({OTHER}, t1, k * 8, 8, bytes);
  }}"""
    parts.mover("reader", moving.reader(2, body), [parts.tensor(8 * kt), parts.tensor(8 * kt)], kt)
    parts.drain(64)
    parts.compute(kernels.product(how), kt, h, w)
    return zone(parts.run())


def _ratio(row: Row) -> float:
    def cycles(h: int, w: int) -> float:
        return _mb5c(dataclasses.replace(row, at={**row.at, "h": str(h), "w": str(w)}))

    shapes = (
        [(1, 8), (8, 1), (2, 4), (4, 2)] if row.get("dtype", "bf16") == "bf16" else [(1, 4), (4, 1), (2, 2)]
    )
    return 100 * (cycles(int(row.at["h"]), int(row.at["w"])) / min(cycles(*shape) for shape in shapes) - 1)


def _mb5d(row: Row) -> float:
    kt, h, w = int(row.at["kt"]), int(row.at["h"]), int(row.at["w"])
    parts = Parts(row)
    for index, pages in ((IN, 8 * kt), (OTHER, 8 * kt), (SCALE, 64), (ACC, 64), (OUT, 128)):
        parts.buffer(index, pages)
    parts.seeds([(IN, 8 * kt, 0), (OTHER, 8 * kt, 0), (SCALE, 64, 0), (ACC, 64, 0)])
    parts.drain(64)
    parts.compute(kernels.SCALED, kt, h, w)
    return zone(parts.run())


def _pipes(row: Row) -> float:
    """The slope of a straight line through the durations of the sender's kernel."""
    kind, _, slots = row.at["variant"].partition(" ")
    size = int(slots or 1)
    counts = [
        count
        for count in (1, 2, 4, 8, 16, 32, 64, 128, 256)
        if count >= size and (kind != "bulk" or count <= 128)
    ]
    return float(np.polyfit(counts, [_pipe(row, kind, size, count) for count in counts], 1)[0])


def _pipe(row: Row, kind: str, slots: int, count: int) -> int:
    parts = Parts(row)
    parts.semaphores = tuple(Semaphore(id=number, cores=((0, 0), (1, 0))) for number in range(2))
    if kind == "dfb":
        parts.buffer(0, 2)
    source, result = parts.tensor(count), parts.tensor(count)
    here, there = parts.memory.chip.node(0, 0), parts.memory.chip.node(1, 0)
    parts.mover("sender", moving.sender(kind), [source], count, *there, slots)
    parts.mover("receiver", moving.receiver(kind), [result], count, *here, slots, core=(1, 0))
    run = parts.run()
    moved = np.array_equal(_stored(source.tensor), _stored(result.tensor))
    assert moved, f"{row.name}: what came out of the pipe is not what went in"
    return next(fiber.cycles for fiber in run.fibers if fiber.core == (0, 0))


def _stored(tensor: Tensor) -> Any:
    import ttnn

    return np.asarray(ttnn.to_torch(tensor).float())


_EXPERIMENTS: Mapping[str, Callable[[Row], float]] = {
    "MB1": _mb1,
    "MB2": _mb2,
    "MB2.blocks": _mb2,
    "MB2.rerun": _mb2,
    "MB4": _mb4,
    "MB5.A": _mb5a,
    "MB5.B": _mb5b,
    "MB5.C": _mb5c,
    "MB5.C.ratio": _ratio,
    "MB5.D": _mb5d,
    "pipes": _pipes,
}


def runs(row: Row) -> bool:
    """Whether there is a kernel of ours for a row. The pipes of another compiler's programs are compared with ours elsewhere."""
    return row.set in _EXPERIMENTS and not row.get("variant", "").startswith("pipe")
