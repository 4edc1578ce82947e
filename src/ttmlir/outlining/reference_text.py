"""What an operation computes, in NumPy: by which golden results of the model are made."""

from __future__ import annotations

from collections.abc import Sequence

from ttmlir.operations.ttir import TTIRMatmulOp, TTIRSoftmaxOp, TTIRTransposeOp
from ttmlir.outlining.lines import Lines
from ttmlir.outlining.region import Operand, OutlinedRegion, RegionNumber, RegionRead, RegionStep
from ttmlir.outlining.spelling import ELEMENTWISE, in_numpy, number


def reference_lines(
    name: str, region: OutlinedRegion, inputs: Sequence[str], steps: Sequence[str]
) -> list[str]:
    """A function of arrays of float64, one for each input, as lines."""
    arrays = list(dict.fromkeys(inputs))
    lines = Lines()
    with lines.block(f"def {name}_reference({', '.join(arrays)}):"):
        for step, result in zip(region.steps, steps, strict=True):
            operands = [_operand(operand, region, inputs, steps) for operand in step.operands]
            lines(f"{result} = {_expression(step, operands)}")
        lines(f"return {steps[len(region.steps) - 1]}")
    return lines.text().splitlines()


def _operand(operand: Operand, region: OutlinedRegion, inputs: Sequence[str], steps: Sequence[str]) -> str:
    match operand:
        case RegionRead(position):
            text = inputs[position]
            return f"np.swapaxes({text}, -2, -1)" if region.inputs[position].transposed else text
        case RegionNumber(value):
            return number(value)
    return steps[operand.number]


def _expression(step: RegionStep, operands: Sequence[str]) -> str:
    if step.kind in ELEMENTWISE:
        return in_numpy(step.kind, operands, step.params)
    (first, *others) = operands
    if step.kind is TTIRMatmulOp:
        return f"{first} @ {others[0]}"
    if step.kind is TTIRSoftmaxOp:
        return f"softmax({first})"
    if step.kind is TTIRTransposeOp:
        return first
    return f"{first}.{step.mnemonic}(-1, keepdims=True)"
