"""The emulated chip of this process: its nodes, where they are in the network, its memory."""

from __future__ import annotations

import gc
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, TypeVar

from ttl.arch import Chip, chip_named
from ttl.arch.costs import COPY, Costs, Number, estimate, other_function
from ttl.arch.systems import System
from ttl.diag import ProgramError, error
from ttl.emu.functions import numbered
from ttl.emu.runtime import require, runtime
from ttl.protocol.chips import chip_name
from ttl.rows.on_hardware import known_cost
from ttl.rows.row import Op, TileCall
from ttl.rows.table import OPS
from ttl.settings import costed, current
from ttl.source.spans import user_span


def costs_of(chip: Chip) -> dict[str, Any]:
    """The costs of a chip by name, and those of the vector unit's functions in the order of the runtime."""
    exact = vector_costs(chip)
    fast = {
        row.hardware["0.81"][0].function.name: row.approximation.cycles
        for row in OPS
        if row.approximation is not None and row.approximation.cycles is not None
    }
    return {
        **{name: number.value for name, number in chip.costs.by_name().items()},
        "eth_rate": round(1024 * chip.ethernet.bytes_per_second / chip.clock_hz),
        "eth_hop": round(chip.ethernet.hop_nanoseconds * chip.clock_hz / 1_000_000_000),
        "vector": _words(number.value for number in exact.values()),
        "vector_approximate": _words(fast.get(name, number.value) for name, number in exact.items()),
    }


def vector_costs(chip: Chip) -> Mapping[str, Number]:
    """The cycles of every function of the vector unit for one tile, by its name in the kernel API, including the copy into DST."""
    known = {call.function.name: estimate(call.instructions) for row in OPS for call in _functions(row)}
    for row in OPS:
        cost = known_cost(row, chip)
        if cost is not None and row.hardware["0.81"]:
            known[row.hardware["0.81"][0].function.name] = cost
    return {name: known.get(name) or other_function(name) for name in runtime().VECTORS}


def _functions(row: Op) -> Iterator[TileCall]:
    """The functions of a row that read registers."""
    for calls in row.hardware.values():
        yield from (call for call in calls if call.reads_registers)


def _words(cycles: Iterable[int]) -> bytes:
    """Cycles as 32-bit words, without the copy into DST, which is counted by itself."""
    return array("I", (max(cycle - COPY, 1) for cycle in cycles)).tobytes()


T = TypeVar("T")

# The address of the semaphores in L1: below the memory that programs may use.
SEMAPHORES = 16 * 1024
# The bytes of one semaphore.
SEMAPHORE_BYTES = 16
# Below this offset of a bank nothing is placed.
DRAM_BEGIN = 1 << 20
# The bytes of each bank: more than any program of a test or an example uses, and few enough to map twelve times.
_DRAM_BYTES = 1 << 30
# The bytes of each bank where there are many chips: memory that is not used takes addresses, but no memory.
DRAM_BYTES_OF_MANY = 1 << 28


@dataclass(frozen=True, kw_only=True, slots=True)
class EmulatedLink:
    """One port of a chip and the wire from it to another chip, in one direction.

    ``plane``: the number of the port among those to that chip.
    """

    source: int
    target: int
    plane: int


@dataclass(frozen=True, kw_only=True, slots=True)
class EmulatedChip:
    """One chip, or the chips of a system, whose grids of nodes follow each other by rows.

    ``handle`` is the runtime's.
    """

    chip: Chip
    handle: object
    columns: int
    rows: int
    """The rows of the grid of each chip."""
    workers: tuple[tuple[int, int], ...]
    """NoC coordinates of the nodes of a chip, row by row."""
    banks: int
    index_of: Mapping[tuple[int, int], int] = field(repr=False)
    """Number of the node of a chip at NoC coordinates."""
    system: System | None = None
    """The system of the chips; None for one chip without links."""
    links: tuple[EmulatedLink, ...] = ()
    """The links, by their numbers in the runtime."""

    def index(self, core: tuple[int, int]) -> int:
        """Number of the node at a column and row of the grid."""
        x, y = core
        return y * self.columns + x

    def place(self, index: int) -> tuple[int, int]:
        """Column and row of the grid of a node by its number."""
        return index % self.columns, index // self.columns

    def at(self, chip: int, core: tuple[int, int]) -> tuple[int, int]:
        """The column and row of a core of a chip among the cores of all chips."""
        x, y = core
        return x, chip * self.rows + y

    def l1(self, index: int) -> int:
        """Address in this process of the L1 of a node. Raises ``ProgramError`` TTL1520 where there is no room for it."""
        return self.with_room(lambda: int(runtime().l1(self.handle, index)))

    def with_room(self, work: Callable[[], T]) -> T:
        """Return the result of ``work``, which takes memory for nodes.

        Raises ``ProgramError`` TTL1520 where there is too little.
        """
        return with_room(work, self.chip, self.chips)

    @property
    def chips(self) -> int:
        """The number of chips."""
        return 1 if self.system is None else self.system.chips

    def chip_of(self, index: int) -> int:
        """The chip that a node is on."""
        return index // (self.columns * self.rows)

    def name(self, index: int, word: str = "core") -> str:
        """``core (2, 3)``; of a system ``chip (0, 1), core (2, 3)``."""
        *_, x, y = self.coordinate(index)
        chip = "" if self.system is None else f"{self.chip_name(self.chip_of(index))}, "
        return f"{chip}{word} ({x}, {y})"

    def coordinate(self, index: int) -> tuple[int, ...]:
        """Column and row of a node; of a system row and column of its chip before them."""
        x, y = self.place(index)
        if self.system is None:
            return x, y
        return *self.system.coordinate(self.chip_of(index)), x, y % self.rows

    def chip_name(self, chip: int) -> str:
        """``chip (0, 1)``, by its place in the system."""
        return chip_name(self.system.coordinate(chip)) if self.system is not None else "the chip"

    def link_name(self, link: int) -> str:
        """``link 0 from chip (0, 0) to chip (0, 1)``."""
        it = self.links[link]
        return f"link {it.plane} from {self.chip_name(it.source)} to {self.chip_name(it.target)}"

    def node(self, x: int, y: int) -> tuple[int, int]:
        """NoC coordinates of the node at a column and row of the grid."""
        return self.workers[y * self.columns + x]


def emulated(name: str) -> EmulatedChip:
    """The one emulated chip of a name in this process. Its memory lasts as long as the process.

    Raises ``ProgramError`` TTL1505 where this installation has no emulated chip, and as ``opened`` does.
    """
    require()
    chosen, chip = current(), chip_named(name)
    return _emulated(name).with_costs(chip if chosen.costs is None else costed(chip, chosen))


@dataclass(slots=True)
class _PricedChip:
    """The emulated chip of a name, and the costs that it has now: its own, or those of the user's card."""

    emulated: EmulatedChip
    costs: Costs

    def with_costs(self, chip: Chip) -> EmulatedChip:
        """Return the emulated chip, which has the costs of ``chip`` from now on."""
        if self.costs is not chip.costs and self.costs != chip.costs:
            runtime().price(self.emulated.handle, costs_of(chip))
            self.costs = chip.costs
        return self.emulated


@cache
def _emulated(name: str) -> _PricedChip:
    chip = chip_named(name)
    return _PricedChip(opened(chip, layout_of(chip)), chip.costs)


def layout_of(chip: Chip, dram_bytes: int = _DRAM_BYTES) -> ChipLayout:
    """The usual layout, with so many bytes of each bank of DRAM."""
    plan = chip.floorplan
    columns, rows = chip.max_grid
    return ChipLayout(
        columns=columns,
        rows=rows,
        workers=tuple((x, y) for y in plan.translated_rows[:rows] for x in plan.translated_columns[:columns]),
        banks=plan.translated_banks,
        l1_reserved=chip.l1_reserved_bytes,
        semaphores=SEMAPHORES,
        dram_bytes=dram_bytes,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class ChipLayout:
    """The layout of a chip for its programs: its grid, coordinates in the network as (x, y), and the parts of its memories.

    ``l1_reserved`` bytes from the beginning of each L1 are the firmware's, with the semaphores from ``semaphores`` on.
    """

    columns: int
    rows: int
    workers: tuple[tuple[int, int], ...]
    banks: tuple[tuple[int, int], ...]
    l1_reserved: int
    semaphores: int
    dram_bytes: int


def opened(chip: Chip, layout: ChipLayout, chips: int = 1) -> EmulatedChip:
    """A chip, or several that are alike, with memory of its own, which is freed with it.

    Raises ``ProgramError`` TTL1520 where this process has no room for it, and ``ValueError`` for coordinates that no
    network has.
    """
    given = (
        layout.columns,
        layout.rows,
        bytes(number for pair in layout.workers for number in pair),
        bytes(number for pair in layout.banks for number in pair),
        chip.l1_bytes,
        layout.l1_reserved,
        layout.dram_bytes,
        layout.semaphores,
        chip.noc.max_packet_bytes,
        costs_of(chip),
        *chip.noc.torus,
        bytes(number for pair in _places(chip, layout) for number in pair),
        chips,
    )
    handle = with_room(lambda: runtime().open(*given), chip, chips)
    runtime().inits(handle, numbered())
    return EmulatedChip(
        chip=chip,
        handle=handle,
        columns=layout.columns,
        rows=layout.rows,
        workers=layout.workers,
        banks=len(layout.banks),
        index_of={xy: number for number, xy in enumerate(layout.workers)},
    )


@lru_cache(maxsize=1)
def last(make: Callable[..., Any], *given: Hashable) -> Any:
    """Return ``make(*given)``, which opens chips. It is kept until other chips are opened, or memory runs short."""
    return make(*given)


def with_room(work: Callable[[], T], chip: Chip, chips: int) -> T:
    """Return the result of ``work``, which takes memory for chips; chips of ``last`` that no launch uses make room.

    Raises ``ProgramError`` TTL1520 where there is too little.
    """
    try:
        return work()
    except MemoryError:
        last.cache_clear()
        gc.collect()
    try:
        return work()
    except MemoryError as problem:
        raise no_room(chip, chips) from problem


def no_room(chip: Chip, chips: int = 1) -> ProgramError:
    """The error of a process that has no room for the memory of a chip, or of the nodes that are used of several."""
    if chips > 1:
        return ProgramError(
            error(
                "TTL1520",
                f"this process has no room for the memory of the nodes that are used of {chips} emulated chips ({chip.name})",
                notes=("their addresses have to be below 2 GiB, 2 MiB for each: some 700 nodes",),
                help="use fewer nodes of each chip, or allow the process more memory (ulimit -v)",
            ).at(user_span())
        )
    return ProgramError(
        error(
            "TTL1520",
            f"this process has no room for the memory of the emulated chip ({chip.name})",
            notes=(
                "its addresses have to be below 2 GiB, in one piece of some 300 MB, since kernels keep them in 32 bits",
            ),
            help="allow the process more memory (ulimit -v), or launch the operation before libraries and data that take those addresses",
        ).at(user_span())
    )


def _places(chip: Chip, layout: ChipLayout) -> list[tuple[int, int]]:
    """Column and row on the chip of the nodes, of the banks on NoC 0, and of those on NoC 1."""
    nodes = [chip.floorplan.node(x, y) for y in range(layout.rows) for x in range(layout.columns)]
    plan, count = chip.floorplan, len(layout.banks)
    return [
        *nodes,
        *(plan.banks[bank % len(plan.banks)] for bank in range(count)),
        *((plan.banks_of_noc_1 or plan.banks)[bank % len(plan.banks)] for bank in range(count)),
    ]
