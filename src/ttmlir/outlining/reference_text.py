"""The reference of an operation in NumPy, which computes golden results of the model."""

from __future__ import annotations

from collections.abc import Sequence

from tt_model.operations.shared import TTIRMatmulOp, TTIRReductionOp, TTIRSoftmaxOp
from ttmlir.outlining.axes import RegionAxes
from ttmlir.outlining.lines import Lines
from ttmlir.outlining.region import (
    Operand,
    OutlinedRegion,
    RegionNumber,
    RegionRead,
    RegionStep,
    RegionTensor,
)
from ttmlir.outlining.spelling import ELEMENTWISE, in_numpy, number
from ttmlir.outlining.views import ElementPlace, View, axes_of


def reference_lines(
    name: str, region: OutlinedRegion, inputs: Sequence[str], steps: Sequence[str]
) -> list[str]:
    """The lines of a function that takes arrays of float64, one for each input."""
    arranged = _Arrangement(region, inputs)
    lines = Lines()
    with lines.block(f"def {name}_reference({', '.join(inputs)}):"):
        texts = [arranged.read(lines, name, one) for name, one in zip(inputs, region.inputs, strict=True)]
        for step, result in zip(region.steps, steps, strict=True):
            operands = [_operand(operand, texts, steps) for operand in step.operands]
            lines(f"{result} = {_expression(step, operands)}")
        arranged.give(lines, steps[len(region.steps) - 1])
    return lines.text().splitlines()


class _Arrangement:
    """Arrays as the steps see them, with the axes of the region as dimensions, and as they lie in memory."""

    def __init__(self, region: OutlinedRegion, inputs: Sequence[str]) -> None:
        self._region = region
        rank = len(region.domain)
        self._names = {rank - 2: "row", rank - 1: "column", rank: "inner", rank + 1: "place"}
        self._dimensions = 0  # of the arrays that the steps see
        self._names |= {axis: name for axis, (name, _) in RegionAxes(region, inputs).leading.items()}

    def read(self, lines: Lines, name: str, tensor: RegionTensor) -> str:
        """Write the lines that an array needs, and return the expression of the array as the steps see it."""
        dimensions = len(self._region.domain)
        if self._is_in_order(tensor.view, tensor):
            text, dimensions = name, len(tensor.shape)
        elif self._is_in_order((*tensor.view[:-2], tensor.view[-1], tensor.view[-2]), tensor):
            text, dimensions = f"np.swapaxes({name}, -2, -1)", len(tensor.shape)
        elif axes_of(tensor.view):
            text = name
            lines(self._grid(tensor), f"{name} = {name}[{self._index(tensor)}]")
        else:
            text = f"{name}[{self._index(tensor)}].reshape({', '.join('1' * dimensions)})"
        self._dimensions = max(self._dimensions, dimensions)
        return text

    def give(self, lines: Lines, name: str) -> None:
        """Write statements that return the result as it lies in memory."""
        output = self._region.output
        if axes_of(output.view) and not self._is_in_order(output.view, output):
            lines(
                self._grid(output),
                f"y = np.empty({output.shape})",
                f"y[{self._index(output)}] = {name}",
                "return y",
            )
        elif self._dimensions == len(output.shape):
            lines(f"return {name}")
        else:
            lines(f"return {name}.reshape({', '.join(map(str, output.shape))})")

    def _is_in_order(self, view: View, tensor: RegionTensor) -> bool:
        """Whether the dimensions are the last axes of the region, so that NumPy repeats the array by itself."""
        axes = self._axes(tensor)
        missing = len(axes) - len(view)
        return (
            missing >= 0
            and all(
                place.axis == axis or place == ElementPlace()
                for place, axis in zip(view, axes[missing:], strict=True)
            )
            and self._is_whole(tensor)
        )

    def _is_whole(self, tensor: RegionTensor) -> bool:
        extents = self._region.extents
        return all(
            extent == (1 if place.axis is None else extents[place.axis])
            for place, extent in zip(tensor.view, tensor.shape, strict=True)
        )

    def _axes(self, tensor: RegionTensor) -> list[int]:
        return [*range(len(self._region.domain) - 2), tensor.rows, tensor.columns]

    def _grid(self, tensor: RegionTensor) -> str:
        axes = self._axes(tensor)
        names = ", ".join(self._names.get(axis, "_") for axis in axes)
        extents = ", ".join(f":{self._region.extents[axis] if tensor.has(axis) else 1}" for axis in axes)
        return f"{names} = np.ogrid[{extents}]"

    def _index(self, tensor: RegionTensor) -> str:
        return ", ".join(self._position(place) for place in tensor.view)

    def _position(self, place: ElementPlace) -> str:
        parts = [str(place.offset)] if place.offset or not place.terms else []
        for axis, stride in place.terms:
            parts.append(self._names[axis] if stride == 1 else f"{stride} * {self._names[axis]}")
        return " + ".join(parts)


def _operand(operand: Operand, inputs: Sequence[str], steps: Sequence[str]) -> str:
    match operand:
        case RegionRead(position):
            return inputs[position]
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
    if issubclass(step.kind, TTIRReductionOp):
        return f"{first}.{step.mnemonic}(-1, keepdims=True)"
    return first  # a movement: the read array has its elements in the new order
