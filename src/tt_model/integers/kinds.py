"""The integer types of the frameworks, and how tensors of the device hold them.

The formats of the device are numbers of 8, 16 and 32 bits without a sign. An integer with a sign is held as its bits
(two's complement); one of 64 bits as its lowest 32 bits, which are a number with a sign. Sums, differences and products
of bits are those of the numbers, modulo the width; ``tt_model.integers.arithmetic`` has the operations that depend on
the sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy.typing as npt
from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Attribute

if TYPE_CHECKING:
    import torch

# The widest format of the device.
WIDEST = 32


@dataclass(frozen=True, slots=True)
class IntegerKind:
    """An integer type of a framework: ``width`` in bits, 8 to 64, and whether it has a sign."""

    width: int
    is_signed: bool

    @property
    def held_width(self) -> int:
        """The number of bits that the device has for the type."""
        return min(self.width, WIDEST)

    @property
    def least(self) -> int:
        """The least number of the type that the device holds."""
        return -(1 << (self.held_width - 1)) if self.is_signed else 0

    @property
    def most(self) -> int:
        """The greatest number of the type that the device holds."""
        return (1 << (self.held_width - self.is_signed)) - 1

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest number that the device holds."""
        return self.least, self.most

    @property
    def element(self) -> IntegerType:
        """The element type in TTIR: signless for integers with a sign, as in StableHLO."""
        return IntegerType(self.held_width, Signedness.SIGNLESS if self.is_signed else Signedness.UNSIGNED)

    def __str__(self) -> str:
        return f"{'' if self.is_signed else 'u'}int{self.width}"


@lru_cache(maxsize=64)
def kind_of(element: Attribute) -> IntegerKind | None:
    """The integer type of an element type; None for truth values, floats, and widths that no framework has."""
    if not isinstance(element, IntegerType) or element.width.data not in (8, 16, 32, 64):
        return None
    return IntegerKind(element.width.data, element.signedness.data is not Signedness.UNSIGNED)


def kind_of_dtype(dtype: Any) -> IntegerKind | None:
    """The integer type of a dtype of NumPy or torch; None for truth values and floats."""
    name = str(dtype).removeprefix("torch.")
    digits = name.removeprefix("u").removeprefix("int")
    if not digits.isdigit() or not name.removeprefix("u").startswith("int"):
        return None
    return IntegerKind(int(digits), not name.startswith("u"))


def held(values: npt.NDArray[Any], kind: IntegerKind) -> npt.NDArray[Any]:
    """Convert integers of NumPy to the form of the device: their lowest bits.

    Raises ``ValueError`` for numbers that do not fit into 32 bits.
    """
    if kind.width > WIDEST and values.size:
        least, most = int(values.min()), int(values.max())
        if least < kind.least or most > kind.most:
            raise ValueError(
                f"numbers from {least} to {most}: the device has {WIDEST} bits, which hold {kind.least} to {kind.most}"
            )
    return values.astype(f"u{values.dtype.itemsize}", order="C").astype(
        f"u{kind.held_width // 8}", copy=False
    )


def as_given(values: npt.NDArray[Any], kind: IntegerKind) -> npt.NDArray[Any]:
    """Convert values that ``held`` made, or that the device computed, to integers of the framework."""
    bits = values.astype(f"u{kind.held_width // 8}", order="C")
    own = bits.view(f"i{kind.held_width // 8}") if kind.is_signed else bits
    return own.astype(f"{'i' if kind.is_signed else 'u'}{kind.width // 8}", copy=False)


def held_tensor(values: torch.Tensor, kind: IntegerKind) -> torch.Tensor:
    """``held`` for a tensor of torch."""
    import torch

    return torch.from_numpy(held(values.numpy(), kind))


def tensor_as_given(values: torch.Tensor, kind: IntegerKind) -> torch.Tensor:
    """``as_given`` for a tensor of torch."""
    import torch

    return torch.from_numpy(as_given(values.numpy(), kind))
