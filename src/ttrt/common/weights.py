"""Which inputs of a program are weights, and how large those of a trained model would be.

A matrix product of unit-variance operands has the variance of its inner extent: after some layers, numbers are so large that
rounding in bf16 adds up to more than a result may be off. Weights that are divided by the square root of their fan-in (the
number of terms in a sum) keep the variance, as those of trained models do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod, sqrt
from typing import Any

from ttmlir.runtime.executor import PreparedProgram

# What gives a tensor another place, type or shape, and leaves its numbers as they are.
_MOVES = frozenset(
    {"ToLayoutOp", "ToDeviceOp", "FromDeviceOp", "ToMemoryConfigOp", "TypecastOp", "TransposeOp", "ReshapeOp"}
)
_KEEP = frozenset({"DeallocateOp", "GetDeviceOp", "EmptyOp"})


def weight_scales(program: PreparedProgram) -> dict[int, float]:
    """By the numbers of inputs that are weights and nothing else: one by the square root of their fan-in."""
    numbers = {described.id: number for number, described in enumerate(program.inputs)}
    # Tensors that are inputs, wherever they have been brought to.
    source = dict(numbers.items())
    scales: dict[int, float] = {}
    others: set[int] = set()
    for step in program.steps:
        kind, fields = step.at.kind, step.fields
        for name, reference in _operands(fields):
            number = source.get(int(reference.get("global_id", -1)))
            if number is None or kind in _KEEP or kind in _MOVES:
                continue
            shape = reference.get("desc", {}).get("shape", [])
            fan_in = 0
            if kind == "MatmulOp" and name == "in1":
                fan_in = shape[-2] if len(shape) > 1 else prod(shape)
            elif kind == "Conv2dOp" and name == "weight":
                fan_in = prod(shape[1:])
            if fan_in > 0:
                scales[number] = 1 / sqrt(fan_in)
            else:
                others.add(number)
        out = fields.get("out")
        if isinstance(out, Mapping) and "global_id" in out:
            origin = source.get(_first_operand(fields)) if kind in _MOVES else None
            if origin is None:
                source.pop(int(out["global_id"]), None)
            else:
                source[int(out["global_id"])] = origin
    return {number: scale for number, scale in scales.items() if number not in others}


def _operands(fields: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, value in fields.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Mapping) and "desc" in one and not name.startswith(("out", "further_outs")):
                yield name, one


def _first_operand(fields: Mapping[str, Any]) -> int:
    return next((int(reference.get("global_id", -1)) for _, reference in _operands(fields)), -1)
