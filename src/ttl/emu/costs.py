"""What things cost on the emulated chip, in cycles, as the runtime takes it.

The numbers are those of ``ttl.arch``, each with its source, and of the operations that have one of their own.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from typing import Any

from ttl.arch import Chip
from ttl.arch.chip import Number
from ttl.arch.vector_costs import APPROXIMATE, COPY, MEASURED, estimate
from ttl.emu.runtime import runtime
from ttl.ops.row import Op
from ttl.ops.table import OPS


def costs_of(chip: Chip) -> dict[str, Any]:
    """Numbers by name, and the functions of the vector unit in the order of the runtime."""
    names: tuple[str, ...] = runtime().VECTORS
    exact = vector_costs(chip)
    return {
        **{name: number.value for name, number in chip.costs.items()},
        "vector": _words(max(exact[name].value - COPY, 1) for name in names),
        "vector_approximate": _words(
            max(APPROXIMATE.get(name, exact[name]).value - COPY, 1) for name in names
        ),
    }


def vector_costs(chip: Chip) -> Mapping[str, Number]:
    """Of every function of the vector unit, one tile, the copy into DST included."""
    known = dict(MEASURED)
    for row in OPS:
        if row.cost:
            known |= dict.fromkeys(_functions(row), _of(row, chip))
    return {name: known.get(name) or estimate(name) for name in runtime().VECTORS}


def _of(row: Op, chip: Chip) -> Number:
    """What is known of a row; that of the other chip where there is nothing of this one."""
    cost = next((cost for cost in row.cost if cost.arch == chip.name), row.cost[0])
    return Number(cost.cycles, "measured" if cost.arch == chip.name else "deduced", cost.source)


def _functions(row: Op) -> Iterator[str]:
    """The functions of the vector unit that a row's numbers are about: those for one operand, and division."""
    for calls in row.hardware.values():
        for call in calls:
            if call.form == "unary" or row.name == "truediv":
                yield call.function.name.removesuffix("_tile").removesuffix("_binary")


def _words(values: Iterator[int]) -> bytes:
    return array("I", values).tobytes()
