"""Which inputs of a program are weights, and how large those of a trained model would be.

A matrix product of unit-variance operands has the variance of its inner extent: after some layers, numbers are so large that
rounding in bf16 adds up to more than a result may be off. Weights that are divided by the square root of their fan-in (the
number of terms in a sum) keep the variance, as those of trained models do.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod, sqrt

from ttmlir.cost.operations import WITHOUT_WORK
from ttmlir.operations.shared import TTNNMatmulOp
from ttmlir.operations.ttnn import TTNNConv2dOp
from ttmlir.runtime.executor import PreparedProgram
from ttmlir.runtime.operands import first_read, tensors_read


def weight_scales(program: PreparedProgram) -> dict[int, float]:
    """By the numbers of inputs that are weights and nothing else: one by the square root of their fan-in."""
    numbers = {described.id: number for number, described in enumerate(program.inputs)}
    # Tensors that are inputs, wherever they have been brought to.
    source = dict(numbers.items())
    scales: dict[int, float] = {}
    others: set[int] = set()
    for step in program.steps:
        kind, fields = step.kind, step.fields
        passes_on = kind.ROW.passes_on == "everything"
        for name, reference in tensors_read(fields):
            number = source.get(int(reference.get("global_id", -1)))
            if number is None or passes_on or issubclass(kind, WITHOUT_WORK):
                continue
            shape = reference.get("desc", {}).get("shape", [])
            fan_in = 0
            if kind is TTNNMatmulOp and name == "in1":
                fan_in = shape[-2] if len(shape) > 1 else prod(shape)
            elif kind is TTNNConv2dOp and name == "weight":
                fan_in = prod(shape[1:])
            if fan_in > 0:
                scales[number] = 1 / sqrt(fan_in)
            else:
                others.add(number)
        out = fields.get("out")
        if isinstance(out, Mapping) and "global_id" in out:
            origin = source.get(first_read(fields)) if passes_on else None
            if origin is None:
                source.pop(int(out["global_id"]), None)
            else:
                source[int(out["global_id"])] = origin
    return {number: scale for number, scale in scales.items() if number not in others}
