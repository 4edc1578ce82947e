"""What things cost on the emulated chip, in cycles, as the runtime takes it.

The numbers are those of ``ttl.arch``, each with its source; functions that nobody measured have instructions in their rows.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ttl.arch import Chip
from ttl.arch.costs import COPY, Number, estimate, other_function
from ttl.emu.runtime import runtime
from ttl.ops.on_hardware import known_cost
from ttl.ops.row import Op, TileCall
from ttl.ops.table import OPS


def costs_of(chip: Chip) -> dict[str, Any]:
    """Numbers by name, and the functions of the vector unit in the order of the runtime."""
    exact = vector_costs(chip)
    fast = {
        row.hardware["0.81"][0].function.name: row.approximation.cycles
        for row in OPS
        if row.approximation is not None and row.approximation.cycles is not None
    }
    return {
        **{name: number.value for name, number in chip.costs.by_name().items()},
        "vector": _words(number.value for number in exact.values()),
        "vector_approximate": _words(fast.get(name, number.value) for name, number in exact.items()),
    }


def vector_costs(chip: Chip) -> Mapping[str, Number]:
    """Of every function of the vector unit, by its name in the kernel API, one tile, the copy into DST included."""
    known = {call.function.name: estimate(call.instructions) for row in OPS for call in _functions(row)}
    for row in OPS:
        cost = known_cost(row, chip)
        if cost is not None and row.hardware["0.81"]:
            known[row.hardware["0.81"][0].function.name] = cost
    return {name: known.get(name) or other_function(name) for name in runtime().VECTORS}


def _functions(row: Op) -> Iterator[TileCall]:
    """The functions of registers."""
    for calls in row.hardware.values():
        yield from (call for call in calls if call.reads_registers)


def _words(cycles: Iterable[int]) -> bytes:
    """Without the copy into DST, which is counted by itself."""
    return array("I", (max(cycle - COPY, 1) for cycle in cycles)).tobytes()
