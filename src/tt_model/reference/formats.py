"""Element types in the reference: values are float64, and a type determines the effect of a conversion to it.

Nothing is rounded between operations, so that a module before a pass can be compared with the module after it. Integers
are exact up to 2^53; arithmetic on them is modulo their width (``wrapped``), a conversion to them saturates
(``converted``).
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ttl.rows.dtypes import round_to_bfloat16, round_to_block_float, saturated

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """One element type.

    ``bits`` is the width of an integer, or the number of magnitude bits that a block float keeps.
    """

    name: str
    kind: Literal["float", "block_float", "signed", "unsigned", "boolean"]
    bits: int

    @property
    def is_integer(self) -> bool:
        """Whether arithmetic on the type is that of whole numbers."""
        return self.kind in ("signed", "unsigned", "boolean")

    @property
    def limits(self) -> tuple[int, int]:
        """The smallest and the largest integer of the type."""
        if self.kind == "signed":
            return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1
        return 0, (1 << self.bits) - 1


# ``tt.supportedDataTypes`` by keyword, and MLIR's scalar types. A block float with an exponent of five bits
# (``bfp_f*``) is rounded like one with eight bits: the smaller range of its exponent is not modelled.
FORMATS: MappingProxyType[str, NumberFormat] = MappingProxyType(
    {
        format.name: format
        for format in (
            *(NumberFormat(name, "float", bits) for name, bits in (("f64", 64), ("f32", 32), ("f16", 16), ("bf16", 16))),
            *(
                NumberFormat(f"bfp_{prefix}{bits}", "block_float", bits - 1)
                for prefix in ("f", "bf")
                for bits in (8, 4, 2)
            ),
            *(NumberFormat(f"{prefix}{bits}", "unsigned", bits) for prefix in ("u", "ui") for bits in (8, 16, 32, 64)),
            *(NumberFormat(f"{prefix}{bits}", "signed", bits) for prefix in ("i", "si") for bits in (8, 16, 32, 64)),
            NumberFormat("i1", "boolean", 1),
        )
    }
)  # fmt: skip


def converted(values: Values, format: NumberFormat) -> Values:
    """Convert values to the type.

    Floats are rounded to nearest, ties to even, and overflow to an infinity. Integers are truncated towards zero and
    saturate; NaN becomes 0. Numbers other than 0 are true.
    """
    match format.kind:
        case "boolean":
            truth: Values = (values != 0).astype(np.float64)
            return truth
        case "block_float":
            with np.errstate(over="ignore"):
                return round_to_block_float(values.astype(np.float32), format.bits).astype(np.float64)
        case "float":
            return _rounded(values, format.name)
        case _:
            low, high = format.limits
            return saturated(values, low, high)


def _rounded(values: Values, name: str) -> Values:
    if name == "f64":
        return values
    with np.errstate(over="ignore"):
        if name == "f16":
            return values.astype(np.float16).astype(np.float64)
        single = values.astype(np.float32)
    if name == "f32":
        return single.astype(np.float64)
    # Rounded twice, as on hardware without float64.
    bits = round_to_bfloat16(single).astype(np.uint32) << np.uint32(16)
    return bits.view(np.float32).astype(np.float64).reshape(values.shape)


def wrapped(values: npt.NDArray[Any], format: NumberFormat) -> Values:
    """Whole numbers in the range of the type: int64 values modulo its width, float64 values as ``converted``."""
    if format.kind == "boolean":
        truth: Values = (values != 0).astype(np.float64)
        return truth
    if values.dtype.kind == "f":
        return converted(values, format)
    if format.bits == 64:
        return values.astype(np.float64)
    low, _ = format.limits
    span = 1 << format.bits
    whole: Values = ((values.astype(np.int64) - low) % span + low).astype(np.float64)
    return whole
