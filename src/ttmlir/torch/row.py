"""A row of the table of ATen: overloads, the TTIR that they become, and the cases that are refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    from ttmlir.builder_operations import Operand

# Makes the operations, from the current lowering and the arguments in the order of the overload's schema. It returns a
# value of TTIR, an ``AtenValue``, or a list of them if the overload has several results.
Rule = Callable[..., Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class AtenRow:
    """Overloads with the same lowering.

    ``overloads`` are names such as ``add.Tensor``; ``becomes`` describes the lowering in words; ``refused`` lists the
    cases that are refused, with the way out.
    """

    overloads: tuple[str, ...]
    make: Rule
    becomes: str
    refused: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class AtenValue:
    """A tensor of the graph with torch's shape and type.

    ``operand`` is its value in TTIR, of extent one for a tensor without dimensions; ``known`` are its elements,
    where they are known when the model is compiled. ``spans`` are the intervals of its numbers, one for each bound of
    the arguments; None if they are not followed (``ttmlir.torch.spans``).
    """

    shape: tuple[int, ...]
    dtype: torch.dtype
    operand: Operand | None = None
    known: torch.Tensor | None = None
    spans: tuple[tuple[int, int], ...] | None = None

    @property
    def rank(self) -> int:
        """The rank in torch."""
        return len(self.shape)

    @classmethod
    def of(cls, known: torch.Tensor) -> AtenValue:
        """Return a tensor of known elements."""
        return cls(tuple(known.shape), known.dtype, known=known)


# An operand: a tensor of the graph, or a number.
Scalar = AtenValue | float


def common_type(left: Scalar, right: Scalar) -> torch.dtype:
    """The type that torch computes two operands in: of tensors with dimensions, of those without, and of numbers."""
    import torch

    first, second = (
        torch.empty([1] if one.shape else [], dtype=one.dtype, device="meta")
        if isinstance(one, AtenValue)
        else one
        for one in (left, right)
    )
    return torch.result_type(first, second)


def rows(*given: tuple[str, Rule, str] | tuple[str, Rule, str, str]) -> tuple[AtenRow, ...]:
    """Rows of a table in its written form: overloads separated by blanks, rule, description, refused cases."""
    return tuple(
        AtenRow(overloads=tuple(row[0].split()), make=row[1], becomes=row[2], refused="".join(row[3:]))
        for row in given
    )
