"""Random inputs that fit a program: rows of a table, truth values, numbers with a root or a logarithm.

The purpose of an input follows from the TTNN operations that read it, also after it was moved. It is a guess about a
user's inputs, and reported as a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from tt_model.layouts.enums import DataType
from tt_model.operations import elementwise
from tt_model.operations.ttnn import TTNNEmbeddingOp, TTNNFullOp
from tt_model.runtime.executor import PreparedProgram, PreparedStep
from tt_model.runtime.operands import tensors_read
from tt_model.runtime.tensors import description_of

if TYPE_CHECKING:
    import torch

# The number of consecutive whole numbers from 0 on that bf16 represents exactly.
_WHOLE_OF_BF16 = 257
# Operations whose result is near an operand, so that a row number stays a row number.
_NUMBERS_OF_ROWS = (
    elementwise.TTNNAddOp,
    elementwise.TTNNSubtractOp,
    elementwise.TTNNMaximumOp,
    elementwise.TTNNMinimumOp,
    elementwise.TTNNWhereOp,
    elementwise.TTNNAbsOp,
)
_NEED_POSITIVE = (elementwise.TTNNRsqrtOp, elementwise.TTNNSqrtOp, elementwise.TTNNLogOp)
_OF_TRUTHS = (
    elementwise.TTNNLogicalAndOp,
    elementwise.TTNNLogicalOrOp,
    elementwise.TTNNLogicalNotOp,
    elementwise.TTNNLogicalXorOp,
)
# Operations that, with a constant operand, keep a number away from zero, or subtract a probability from one.
_SHIFT = (elementwise.TTNNAddOp, elementwise.TTNNSubtractOp, elementwise.TTNNMaximumOp)


@dataclass(frozen=True)
class Fit:
    """The distribution of an input.

    ``rows`` is the number of rows of a table; 0 where the input is not a row number.
    """

    kind: str
    rows: int = 0

    def __str__(self) -> str:
        if self.kind == "rows":
            return f"whole numbers from 0 to {self.rows - 1}, as rows of a table"
        return (
            "0 and 1, as truth values"
            if self.kind == "truth"
            else "between 0 and 1, as a variance or a probability"
        )

    def drawn(self, shape: list[int], generator: torch.Generator) -> torch.Tensor:
        """Return a tensor of random numbers that the type of the input can hold."""
        import torch

        if self.kind == "positive":
            return torch.rand(shape, generator=generator) * 0.9 + 0.05
        return torch.randint(0, self.rows or 2, shape, generator=generator)


def fits(program: PreparedProgram) -> dict[int, Fit]:
    """Return the distributions, by number, of inputs on which operations have requirements."""
    wanted: dict[int, Fit] = {}
    filled = {_id(step.fields.get("out")) for step in program.steps if step.kind is TTNNFullOp}
    for step in reversed(program.steps):
        fit = wanted.get(_id(step.fields.get("out")))
        if fit is not None:
            for number in _passed_on(step, fit, filled):
                _want(wanted, number, fit)
        for number, own in _of_step(step):
            _want(wanted, number, own)
    numbers = {described.id: number for number, described in enumerate(program.inputs)}
    return {numbers[one]: fit for one, fit in wanted.items() if one in numbers}


def _want(wanted: dict[int, Fit], tensor: int, fit: Fit) -> None:
    """Record a requirement on a tensor; row numbers take precedence, and of two tables the one with fewer rows."""
    known = wanted.get(tensor)
    if known is None or (fit.kind == "rows" and (known.kind != "rows" or fit.rows < known.rows)):
        wanted[tensor] = fit


def _of_step(step: PreparedStep) -> Iterator[tuple[int, Fit]]:
    fields, kind = step.fields, step.kind
    operands = [_id(one) for one in fields.get("ins", [])]
    if kind is TTNNEmbeddingOp:
        rows = prod(fields["weight"]["desc"]["shape"][:-1])
        if description_of(fields["input"]).data_type is DataType.BFloat16:
            rows = min(rows, _WHOLE_OF_BF16)
        yield _id(fields["input"]), Fit("rows", rows)
    elif kind in _NEED_POSITIVE:
        yield operands[0], Fit("positive")
    elif kind is elementwise.TTNNWhereOp:
        yield operands[0], Fit("truth")
    elif kind in _OF_TRUTHS:
        yield from ((one, Fit("truth")) for one in operands)


def _passed_on(step: PreparedStep, fit: Fit, filled: set[int]) -> list[int]:
    """Return the operands that need the same distribution as the result."""
    kind, operands = step.kind, [_id(one) for _, one in tensors_read(step.fields)]
    if kind.ROW.passes_on != "nothing":
        return operands
    if fit.kind == "truth":
        return []
    if fit.kind == "rows":
        return operands[kind is elementwise.TTNNWhereOp :] if kind in _NUMBERS_OF_ROWS else []
    # A constant is added to the operand of a root or logarithm.
    others = [one for one in operands if one not in filled]
    return others if kind in _SHIFT and len(others) < len(operands) else []


def _id(reference: Any) -> int:
    return int(reference.get("global_id", -1)) if isinstance(reference, Mapping) else -1


def said(program: PreparedProgram, name_of: Callable[[int], str]) -> str:
    """Return the distributions of inputs, as text, except the normal distribution and arbitrary numbers."""
    several = sorted(fits(program).items())
    return "; ".join(f"{name_of(number)}: {fit}" for number, fit in several if number in program.free_inputs)
