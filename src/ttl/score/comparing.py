"""What kernels computed against what a reference says: the stage ``right``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ttl.score.accuracy import Accuracy, accuracy_of
from ttl.score.arrays import Array, named
from ttl.score.model import ScoreStage
from ttl.score.references import ScoreReference


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
    """Compare what the kernels computed with what a reference says."""
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
                f"{operation} only copies an input to {tensor}, and nothing shows who computed it",
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
        return wrong_stage("the reference says nothing about what the kernels write", advice)
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
    """Which shape that was asked for no call has."""
    if not reference.shapes:
        return ""
    asked = ", ".join(f"{name}: {'x'.join(map(str, shape))}" for name, shape in reference.shapes.items())
    for call in calls:
        there = {tensor["name"]: tuple(tensor["shape"]) for tensor in call["tensors"]}
        if call["function"] and all(there.get(name) == shape for name, shape in reference.shapes.items()):
            return ""
    return f"no call has the shapes that are asked for ({asked})"


def wrong_stage(why: str, help: str = "") -> ScoreStage:
    """The stage ``right``, not passed."""
    return ScoreStage(name="right", passed=False, why=why, help=help)


def distance(results: Mapping[str, Array], call: int, tensor: str, reference: Array) -> float:
    """How far a result is from a reference in all; infinite where they have other sizes."""
    result = results.get(named(call, tensor, "result"))
    if result is None or result.size != reference.size:
        return float("inf")
    with np.errstate(all="ignore"):
        return float(np.nan_to_num(np.abs(result.reshape(-1) - reference.reshape(-1)), nan=0.0).sum())


def _is_constant(values: Array) -> bool:
    return bool(values.size) and bool((values == values.flat[0]).all())
