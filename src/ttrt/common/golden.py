"""Golden results: what each operation should give, in float64, beside what it gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ttmlir.layouts.enums import DataType
from ttrt.binary import Binary

if TYPE_CHECKING:
    import torch

    from ttmlir.runtime.executor import PreparedStep
    from ttmlir.runtime.pool import TensorPool

Values = npt.NDArray[np.float64]
# Bits of a mantissa, the leading one included: what one unit in the last place is.
_PRECISION = {
    DataType.Float32: 24,
    DataType.Float16: 11,
    DataType.BFloat16: 8,
    DataType.BFP_BFloat8: 7,
    DataType.BFP_Float8: 7,
    DataType.BFP_BFloat4: 3,
    DataType.BFP_Float4: 3,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """One result beside the golden one. ``worst`` is the index of the element with the largest absolute error."""

    operation: str
    location: str
    pcc: float
    absolute: float
    relative: float
    ulp: float
    worst: tuple[int, ...]
    values: tuple[float, float]

    def diverges(self, pcc: float) -> bool:
        """Whether it is worse than the tolerance."""
        return not self.pcc >= pcc

    def __str__(self) -> str:
        got, wanted = self.values
        return (
            f"{self.operation}: PCC {self.pcc:.6f}, largest absolute error {self.absolute:.3g}, relative "
            f"{self.relative:.3g}, {self.ulp:.3g} ULP; worst at {list(self.worst)}: {got:.6g} for {wanted:.6g}"
        )


def correlation(wanted: Values, got: Values) -> float:
    """Pearson's coefficient; what has none is 1 where both are the same and 0 where they are not."""
    if wanted.size == 0:
        return 1.0
    both_nan = np.isnan(wanted) & np.isnan(got)
    same = (wanted == got) | both_nan
    if same.all():
        return 1.0
    usable = np.isfinite(wanted) & np.isfinite(got)
    if not (usable | same).all() or wanted.size == 1:
        return 0.0
    a, b = wanted[usable], got[usable]
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return 1.0 if np.allclose(a, b, rtol=1e-2, atol=1e-8) else 0.0
    a, b = a - a.mean(), b - b.mean()
    scale = float(np.sqrt((a * a).sum()) * np.sqrt((b * b).sum()))
    return float((a * b).sum() / scale) if scale else 0.0


def compared(operation: str, location: str, wanted: Values, got: Values, data_type: DataType) -> Comparison:
    """A result beside the golden one; both have one shape."""
    with np.errstate(all="ignore"):
        difference = np.abs(np.where(wanted == got, 0.0, got - wanted))
        difference = np.where(np.isnan(wanted) & np.isnan(got), 0.0, np.nan_to_num(difference, nan=np.inf))
        size = np.abs(wanted)
        relative = difference / np.where(size == 0, 1.0, size)
        unit = np.exp2(np.floor(np.log2(np.where(size == 0, 1.0, size))) - _PRECISION.get(data_type, 24) + 1)
    at = int(difference.argmax()) if difference.size else 0
    worst = tuple(int(index) for index in np.unravel_index(at, wanted.shape)) if wanted.size else ()
    return Comparison(
        operation=operation,
        location=location,
        pcc=correlation(wanted.reshape(-1), got.reshape(-1)),
        absolute=float(difference.max(initial=0.0)),
        relative=float(relative.max(initial=0.0)),
        ulp=float((difference / unit).max(initial=0.0)),
        worst=worst,
        values=(float(got[worst]), float(wanted[worst])) if wanted.size else (0.0, 0.0),
    )


class NoGolden(Exception):
    """There is nothing to compare with; the text says why."""


def reference_results(binary: Binary, index: int, inputs: Sequence[torch.Tensor]) -> dict[int, Values]:
    """What each operation of a program should give, by its number. Raises ``NoGolden``.

    It is computed in float64 from the module's text in the binary.
    """
    import torch

    from ttl.ir.context import make_context
    from ttl.ir.parser import parse_text
    from ttl.ir.reports import InvalidText
    from ttmlir.operations.dialects import DIALECTS
    from ttmlir.reference.interpreter import NotInterpretable, interpret

    program = binary.programs[index]
    text = program.get("debug_info", {}).get("mlir", {}).get("source", "")
    if not text:
        raise NoGolden("the binary has no text of its module; write it with debug information")
    try:
        module = parse_text(make_context(DIALECTS), text, "<binary>")
    except InvalidText as problem:
        raise NoGolden(f"the text of the module in the binary cannot be read: {problem}") from None
    name = str(program.get("name", ""))
    numbers = _numbers(module, name)
    results: dict[int, Values] = {}

    def keep(op: Any, values: Sequence[Any]) -> None:
        number = numbers.get(op)
        if number is not None and len(values) == 1:
            results[number] = np.array(values[0], dtype=np.float64)

    arrays = [tensor.to(torch.float64).numpy() for tensor in inputs]
    try:
        interpret(module, name, arrays, watch=keep)
    except NotInterpretable as problem:
        raise NoGolden(str(problem)) from None
    return results


def _numbers(module: Any, name: str) -> Mapping[Any, int]:
    """The operations of a function by their numbers in the file."""
    for function in module.body.block.ops:
        symbol = function.properties.get("sym_name")
        if symbol is not None and symbol.data == name:
            operations = [op for op in function.body.block.ops if op.name.startswith("ttnn.")]
            return {op: number for number, op in enumerate(operations)}
    raise NoGolden(f"the module in the binary has no function {name}")


class GoldenCheck:
    """Compares each operation of a run; use as the observer of ``run_program``."""

    def __init__(self, results: Mapping[int, Values]) -> None:
        self._results = results
        self.comparisons: list[Comparison] = []

    def __call__(self, pool: TensorPool, step: PreparedStep) -> None:
        import torch

        wanted = self._results.get(step.at.index)
        if wanted is None or step.out is None:
            return
        tensor = pool.read(step.out)
        got = tensor.values.to(torch.float64).numpy()
        if got.shape != wanted.shape:
            if got.size != wanted.size:
                return
            got = got.reshape(wanted.shape)
        word = step.fields.get("type", "")
        name = f"{step.at.kind} {word}".strip() if isinstance(word, str) else step.at.kind
        self.comparisons.append(
            compared(f"{step.at.index} {name}", step.at.location, wanted, got, tensor.data_type)
        )

    def first_bad(self, pcc: float) -> Comparison | None:
        """The first operation that is worse than the tolerance."""
        return next((one for one in self.comparisons if one.diverges(pcc)), None)
