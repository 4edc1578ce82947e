"""Finds steps of loops that put padding into a result, where the compiler cannot keep it out.

Where an extent is not a whole number of tiles, the last block of a loop has padding and the others do not. Padding of
zeros does not change a sum; otherwise the operand of a reduction, or of a product along the sum, has to have the same
padding in every iteration (TTL1406). The compiler decides (``analysis.padding``, ``passes.padding``); the designer
prefers plans that it is known to accept.
"""

from __future__ import annotations

from ttl.design.graph import Compute, Graph, GraphValue, Load, Loop, Operand, items
from ttl.rows.lowering import is_elementwise, value_of_numbers
from ttl.rows.table import MUL

# The number that fills the padding of a value; None if there are several.
_Number = float | None


def may_enter(graph: Graph) -> bool:
    """Whether padding that varies with the iteration of a loop may enter a sum, a maximum or a product."""
    if not any(
        _differs(extent)
        for item in items(graph.body)
        if isinstance(item, Load)
        for extent in item.value.extents
    ):
        return False
    numbers = _numbers(graph)
    return any(_enters(item, numbers) for item in items(graph.body) if isinstance(item, Compute))


def _differs(extent: int) -> bool:
    """Whether an extent differs in the last iteration of a loop."""
    key = getattr(extent, "key", None)
    return key is not None and key[1] is not None


def _enters(item: Compute, numbers: dict[GraphValue, _Number]) -> bool:
    values = [operand for operand in item.operands if isinstance(operand, GraphValue)]
    is_zero = [numbers.get(value) == 0 for value in values]
    if item.op.family == "product":
        return (_differs(values[0].extents[-1]) or _differs(values[1].extents[-2])) and not any(is_zero)
    if item.op.family == "reduction":
        (value,) = values
        reduced = any(_differs(value.extents[axis]) for axis in item.params[0])
        return reduced and not (item.op.adds_up and is_zero[0])
    return False


def _numbers(graph: Graph) -> dict[GraphValue, _Number]:
    """Return the number in the padding of every value; values that loops carry are followed until nothing changes."""
    numbers: dict[GraphValue, _Number] = {}
    before = None
    while before != numbers:
        before = dict(numbers)
        for item in items(graph.body):
            match item:
                case Load():
                    numbers[item.value] = 0.0
                case Compute():
                    numbers[item.value] = _computed(item, numbers)
                case Loop():
                    for carried in item.carried:
                        known = _of(carried.before, numbers)
                        if numbers.get(carried.after, known) != known:
                            known = None
                        numbers[carried.inside] = numbers[carried.result] = known
    return numbers


def _of(operand: Operand, numbers: dict[GraphValue, _Number]) -> _Number:
    return numbers.get(operand) if isinstance(operand, GraphValue) else float(operand)


def _computed(item: Compute, numbers: dict[GraphValue, _Number]) -> _Number:
    extents = item.value.extents[-2:]
    # A value that is broadcast along an extent has no padding there.
    spread = [
        operand
        for operand in item.operands
        if not isinstance(operand, GraphValue) or item.op.is_view or operand.extents[-2:] == extents
    ]
    given = [_of(operand, numbers) for operand in spread]
    of_values = [
        number for operand, number in zip(spread, given, strict=True) if isinstance(operand, GraphValue)
    ]
    if (
        of_values
        and all(number == 0 for number in of_values)
        and (item.op.is_view or item.op.adds_up or item.op is MUL)
    ):
        return 0.0
    if item.op.is_view:
        return of_values[0]
    if len(spread) < len(item.operands) or not is_elementwise(item.op):
        return None
    known = [number for number in given if number is not None]
    return (
        value_of_numbers(item.op, known, item.params, item.value.type) if len(known) == len(given) else None
    )
