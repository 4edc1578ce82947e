"""What blocks hold in the records of kernels: one number each, so that what is stored can be compared.

Integers are computed as the chip computes int32, with Python's operators. What an operation is that nobody needs to the digit is
some number that depends on its operands and their order.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

Number = int | float
_OF_NUMBERS: Mapping[str, Callable[..., Number]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "floordiv": operator.floordiv, "mod": operator.mod, "xor": operator.xor,
    "truediv": operator.truediv, "pow": lambda a, b: pow(a, b, 2**32) if isinstance(b, int) and isinstance(a, int) and b >= 0 else a**b, "rsub": lambda a, b: b - a, "max": max, "min": min, "abs": abs, "neg": operator.neg,
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "square": lambda a: a * a, "relu": lambda a: max(a, 0), "sign": lambda a: (a > 0) - (a < 0),
    "where": lambda condition, a, b: a if condition else b,
}  # fmt: skip


def value_of(name: str, params: Sequence[Any], operands: Sequence[Any]) -> Number:
    """What an operation of the table makes of what blocks hold, and of numbers."""
    if name == "fill":
        return wrapped((*operands, *params)[0])
    if name == "typecast":
        (operand,) = operands
        return float(operand) if params[0].is_float else wrapped(round(operand))
    try:
        return wrapped(_OF_NUMBERS[name](*operands))
    except (KeyError, ArithmeticError, TypeError):
        return crc32(repr([name, *map(float, operands)]).encode()) % 997


def wrapped(number: Number) -> Number:
    """A float as it is, an integer in 32 bits."""
    return number if isinstance(number, float) else (int(number) + 2**31) % 2**32 - 2**31


def loaded(bounds: Sequence[tuple[int, int]]) -> int:
    """What a block holds that a slice of a tensor was copied to: its tiles are numbered from 1 on, by their places."""
    return 1 + sum(start for start, _ in bounds)


@dataclass
class Slot:
    """The memory of a block."""

    value: Number = 0

    def add(self, value: Number) -> None:
        """What ``+=`` does."""
        self.value = wrapped(self.value + value)


@dataclass
class Ring:
    """The blocks of a dataflow buffer on a node, in the order in which they are reserved."""

    number: int
    filled: list[Slot] = field(default_factory=list)
    waits: int = 0

    def reserve(self) -> Slot:
        """The next one."""
        self.filled.append(Slot())
        return self.filled[-1]

    def wait(self) -> Slot:
        """The first that nobody waited for; one of some value where the kernel that fills it has not run yet."""
        self.waits += 1
        return self.filled.pop(0) if self.filled else Slot(2 + (5 * self.number + 3 * self.waits) % 7)
