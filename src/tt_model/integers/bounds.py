"""The largest bound of a model's inputs with which no 64-bit integer needs more than the 32 bits that the device has.

Sums of integers may need more bits than their operands, which depends on the inputs. So intervals are computed for one
bound of the inputs after the other, the largest first, until no integer needs more than 32 bits: the model takes inputs
within that bound. If even the smallest bound is not enough, the model is refused.
"""

from __future__ import annotations

from typing import Final

from tt_model.integers.intervals import UNKNOWN, Interval
from tt_model.integers.kinds import WIDEST, IntegerKind

# Inputs are from -2**n to 2**n - 1. The first exponent means no bound: integers have the range of their type, floats
# any.
EXPONENTS: Final = (32, 31, 30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8)
# The code of the error for integers that the device cannot hold, reported when a model is compiled.
CODE: Final = "TTL1710"
WAY_OUT: Final = (
    "integers of 32 bits, which wrap as those of the framework do (tensor.int(), jnp.int32); floats; or limits before: clamp, "
    "a remainder"
)


def of_argument(kind: IntegerKind | None, exponent: int) -> Interval:
    """The interval of an argument under the bound ``exponent``; ``kind`` is None for floats."""
    low, high = -(1 << exponent), (1 << exponent) - 1
    if exponent == EXPONENTS[0]:
        return UNKNOWN if kind is None else kind.limits
    return (low, high) if kind is None else (max(low, kind.least), min(high, kind.most))


def limits_of(kind: IntegerKind | None, exponent: int) -> Interval | None:
    """Return the interval of an argument under the bound ``exponent``; None if the bound excludes nothing."""
    within = of_argument(kind, exponent)
    return None if within == of_argument(kind, EXPONENTS[0]) else within


def is_held(interval: Interval, kind: IntegerKind) -> bool:
    """Whether the device holds all numbers of an interval."""
    return kind.least <= interval[0] and interval[1] <= kind.most


def beyond(kind: IntegerKind, interval: Interval) -> str:
    """Return why integers of this interval are refused, with the numbers that the device holds of their type."""
    low, high = interval
    reach = f"numbers from {low:,} to {high:,}" if max(-low, high) <= 1 << 63 else "any number"
    return (
        f"its {kind} may need more than {WIDEST} bits, which is what the device has: it may be {reach}, and these hold "
        f"{kind.least:,} to {kind.most:,}"
    )


def for_any_input(kind: IntegerKind, interval: Interval) -> str:
    """Return why a result is refused, whatever the bound of the inputs."""
    low, high = of_argument(None, EXPONENTS[-1])
    return f"{beyond(kind, interval)}, also for inputs from {low} to {high} [{CODE}]"


def known_beyond(kind: IntegerKind, interval: Interval) -> str:
    """Return why numbers whose values are known are refused."""
    return f"{beyond(kind, interval)} [{CODE}]"
