"""The rounding of numbers on their way through a core: in a source register, in DST, and in memory.

The reference computes in float64. With a precision, it rounds where the chip does, so that its results are those of the
chip's kernels: bit by bit if an operation is one step of arithmetic, within one rounding step if sums are added in
another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from tt_model.reference.formats import Values
from ttl.rows.dtypes import BFLOAT16

# Bits of a float32 that a source register keeps: TF32; the others are cut off.
_KEPT = np.uint32(0xFFFFE000)
_FACE = 16
# The comparison of the second number with the first that decides whether the second one is the result.
_CHOOSING = MappingProxyType({"binary_max_tile": np.greater, "binary_min_tile": np.less})


@dataclass(frozen=True, slots=True)
class ChipPrecision:
    """The precision of a kernel. ``wide``: DST holds 32 bits, otherwise 16."""

    wide: bool

    def source(self, values: Values) -> Values:
        """Numbers after rounding in a source register."""
        bits = _float32(values).view(np.uint32) & _KEPT
        return bits.view(np.float32).astype(np.float64)

    def register(self, values: Values) -> Values:
        """Numbers after rounding in DST."""
        single = _float32(values)
        if not self.wide:
            single = np.asarray(BFLOAT16.load(BFLOAT16.store(single)), np.float32)
        return single.astype(np.float64)

    def function(self, name: str, tiles: Sequence[Values]) -> Values | None:
        """Return the result of a register function if the chip deviates from mathematics; None if it does not.

        The larger or smaller of two numbers is the first one if one of them is NaN.
        """
        if len(tiles) != 2 or name not in _CHOOSING:
            return None
        first, second = tiles
        with np.errstate(all="ignore"):
            return np.where(_CHOOSING[name](second, first), second, first)

    def product(self, left: Values, right: Values, before: Values | None) -> Values:
        """A product of tiles, added to the contents of DST, one face after the other."""
        total = np.zeros((left.shape[0], right.shape[1])) if before is None else before
        for start in range(0, left.shape[1], _FACE):
            inner = slice(start, start + _FACE)
            with np.errstate(all="ignore"):
                total = self.register(total + _float32(left[:, inner] @ right[inner]))
        return total


def _float32(values: Values) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(values, np.float32)
