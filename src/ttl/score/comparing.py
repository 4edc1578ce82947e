"""The comparison of a program's results with a reference: the stage ``right``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ttl.rows.comparison import finite_alike
from ttl.rows.dtypes import Array
from ttl.score.arrays import named
from ttl.score.references import ScoreReference
from ttl.score.stages import ScoreStage
from ttl.utils.correctness import pcc, ulp

# The least correlation; and the largest difference of an element, relative to its size plus the usual size of elements:
# the error that rounding to the type, at every step of a long sum, may cause.
LEAST_PCC = 0.999
TOLERANCE = {"bfloat16": 0.02, "float32": 0.02, "bfloat8_b": 0.05, "bfloat4_b": 0.3}
_ULPS_OF = ("bfloat16", "float32")


@dataclass(frozen=True, kw_only=True, slots=True)
class Accuracy:
    """The accuracy of one result compared with its reference."""

    tensor: str
    pcc: float
    ulp: float | None
    """The largest difference, in units in the last place of the reference in the type of the result.

    None unless the type is bfloat16 or float32, and where infinities or NaNs differ.
    """
    relative: float
    """The largest difference, relative to the element's size plus the root mean square of the reference."""
    right: bool

    def to_object(self) -> dict[str, Any]:
        """Return an object that ``json.dumps`` takes."""
        values = asdict(self)
        for name in ("pcc", "ulp", "relative"):
            value = values[name]
            values[name] = None if value is None or not np.isfinite(value) else float(f"{value:.6g}")
        return values


def accuracy_of(
    tensor: str, dtype: str, values: Array, expected: Array, tolerance: float | None = None
) -> Accuracy:
    """Compare a result with its reference of the same shape; infinities and NaNs must be at the same places in both."""
    values, expected = values.astype(np.float64), expected.astype(np.float64)
    usual = np.isfinite(expected)
    first, second = expected[usual], values[usual]
    if not finite_alike(values, expected) or not first.size:
        return Accuracy(tensor=tensor, pcc=float("nan"), ulp=None, relative=float("inf"), right=False)
    apart = np.abs(second - first)
    scale = np.abs(first) + np.sqrt(np.mean(first**2))
    relative = float((apart / np.where(scale > 0, scale, 1)).max())
    correlation = float(pcc(first, second))
    ulps = float((apart / ulp(first, dtype)).max()) if dtype in _ULPS_OF else None
    if "int" in dtype:
        right = not apart.any()
    else:
        allowed = TOLERANCE.get(dtype, 0.02) if tolerance is None else tolerance
        right = correlation >= (0.99 if dtype == "bfloat4_b" else LEAST_PCC) and relative <= allowed
    return Accuracy(tensor=tensor, pcc=correlation, ulp=ulps, relative=relative, right=right)


def compared(
    read: Mapping[str, Any],
    data: Mapping[str, Any],
    results: Mapping[str, Array],
    expected: Mapping[str, Array],
    advice: str,
    *,
    tolerance: float | None,
    own: bool = False,
    need_depends: bool = False,
) -> ScoreStage:
    """Compare the results of the kernels with those of a reference; return the stage ``right``.

    ``own`` means that the program itself provides the reference, which is trusted less.
    """
    accuracies: list[Accuracy] = []
    for name, values in expected.items():
        number, _, tensor = name.split("|", 2)
        call = data["calls"][int(number)]
        operation = read["calls"][int(number)]["operation"]
        if tensor not in call["outputs"]:
            return wrong_stage(f"the kernels of {operation} do not write {tensor}", advice)
        result = results[named(int(number), tensor, "result")]
        if values.size != result.size:
            return wrong_stage(
                f"the reference of {tensor} has shape {values.shape}, the result {result.shape}", advice
            )
        if own and tensor in call["copies"]:
            return wrong_stage(
                f"{operation} only copies an input to {tensor}, and it is not known what computed it",
                "declare a function 'reference' in the program, or give one with --reference",
            )
        if own and tensor in call["left"]:
            return wrong_stage(f"{operation} leaves a part of {tensor} as it was before the call", advice)
        if own and _is_constant(values):
            return wrong_stage(
                f"all of {tensor} is the same number: wrong results would look right", "use random inputs"
            )
        if need_depends and not call["depends"]:
            return wrong_stage(
                f"what {operation} computes does not depend on its inputs", "compute from the inputs"
            )
        dtype = next(item["dtype"] for item in call["tensors"] if item["name"] == tensor)
        shaped = values.reshape(result.shape)
        accuracies.append(accuracy_of(tensor, dtype, result, shaped, tolerance))
    if not accuracies:
        return wrong_stage("the reference does not cover the outputs of the kernels", advice)
    facts = {"results": [accuracy.to_object() for accuracy in accuracies]}
    wrong = next((accuracy for accuracy in accuracies if not accuracy.right), None)
    shown = wrong or min(accuracies, key=lambda accuracy: accuracy.pcc)
    ulps = "" if shown.ulp is None else f", {shown.ulp:.3g} ULP"
    text = f"{shown.tensor}: PCC {shown.pcc:.6f}{ulps}, at most {shown.relative:.2g} off"
    if wrong is not None:
        return ScoreStage(
            name="right", passed=False, why=text, help="compute what the reference does", facts=facts
        )
    return ScoreStage(name="right", passed=True, why=text, facts=facts)


def other_shapes(calls: Sequence[Mapping[str, Any]], reference: ScoreReference) -> str:
    """Return a message if no call has the shapes that the reference requires; empty if a call has them."""
    if not reference.shapes:
        return ""
    asked = ", ".join(f"{name}: {'x'.join(map(str, shape))}" for name, shape in reference.shapes.items())
    for call in calls:
        there = {tensor["name"]: tuple(tensor["shape"]) for tensor in call["tensors"]}
        if call["function"] and all(there.get(name) == shape for name, shape in reference.shapes.items()):
            return ""
    return f"no call has the requested shapes ({asked})"


def wrong_stage(why: str, help: str = "") -> ScoreStage:
    """The stage ``right``, which was not passed."""
    return ScoreStage(name="right", passed=False, why=why, help=help)


def distance(results: Mapping[str, Array], call: int, tensor: str, reference: Array) -> float:
    """Return the sum of the differences of a result and a reference; infinite if their sizes differ."""
    result = results.get(named(call, tensor, "result"))
    if result is None or result.size != reference.size:
        return float("inf")
    with np.errstate(all="ignore"):
        return float(np.nan_to_num(np.abs(result.reshape(-1) - reference.reshape(-1)), nan=0.0).sum())


def _is_constant(values: Array) -> bool:
    return bool(values.size) and bool((values == values.flat[0]).all())
