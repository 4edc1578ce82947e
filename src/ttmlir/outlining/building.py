"""Groups of operations as regions: the inputs and output of each, and their names in the text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from tt_model.operations import kinds
from tt_model.operations.constants import splat_of
from tt_model.operations.emission import Emission, constraints_of_tiles
from tt_model.operations.operation import TTIROperation
from tt_model.operations.result_shapes import exchanged
from tt_model.operations.shared import TTIRReshapeOp, TTIRTransposeOp
from tt_model.operations.tensors import shape_of, tensor_type_of
from tt_model.operations.ttir import TTIRConstantOp
from tt_model.operations.value_names import name_of
from ttmlir.outlining.group import (
    Arrangement,
    OperationGroup,
    SeenValue,
    arrangement,
    inputs_of,
    plain_view,
    read_through,
)
from ttmlir.outlining.grouping import is_elementwise
from ttmlir.outlining.region import (
    Operand,
    OutlinedRegion,
    RegionNames,
    RegionNumber,
    RegionRead,
    RegionStep,
    RegionTensor,
    Result,
    broadcast,
    is_in_tiles,
)
from ttmlir.outlining.spelling import takes_number
from ttmlir.outlining.tiles import TILE
from ttmlir.outlining.views import MOVEMENTS, Shape, after


@dataclass(frozen=True, slots=True)
class ReadValue:
    """A value of the model that a region reads, and the arrangement that it gets before, if any."""

    value: SSAValue
    arrangement: Arrangement | None = None


@dataclass(frozen=True, eq=False, slots=True)
class GroupOutline:
    """A group as a region, with the values of the model that it reads, in the order of the region's inputs."""

    region: OutlinedRegion
    names: RegionNames
    reads: tuple[ReadValue, ...]
    operations: tuple[TTIROperation, ...]
    """In the order of the model; the last one is the root."""
    output: SSAValue
    """The result of the region: that of the root, or that of the movements after it."""

    @property
    def root(self) -> TTIROperation:
        return self.operations[-1]


def outlines_of(groups: Sequence[OperationGroup], *, fuse: bool) -> list[GroupOutline]:
    """The regions of groups, in their order.

    A result whose blocks are not blocks of tiles gets a reshape behind it, and one back: another region can read the
    value between them.
    """
    outputs = {group: _output(group, fuse=fuse) for group in groups}
    given = {output.value for output in outputs.values()}
    return [_GroupBuilder(group, output, given, fuse=fuse).outline() for group, output in outputs.items()]


def arranged(value: SSAValue, arrangement: Arrangement, emission: Emission) -> SSAValue:
    """Emit the movements of an arrangement and return the arranged value."""
    for exchange in arrangement.exchanges:
        value = _exchanged(value, exchange, emission)
    return _reshaped(value, arrangement.shape, emission)


def _exchanged(value: SSAValue, dims: tuple[int, int], emission: Emission) -> SSAValue:
    one, two = dims
    return _moved(TTIRTransposeOp.name, value, exchanged(shape_of(value), dims), emission, dim0=one, dim1=two)


def _reshaped(value: SSAValue, shape: Shape, emission: Emission) -> SSAValue:
    return (
        value if shape_of(value) == shape else _moved(TTIRReshapeOp.name, value, shape, emission, shape=shape)
    )


def _moved(name: str, value: SSAValue, result: Shape, emission: Emission, **attributes: Any) -> SSAValue:
    type = TensorType(tensor_type_of(value).element_type, result)
    return emission.into_empty(name, [value], type, operand_constraints=constraints_of_tiles(2), **attributes)


def _output(group: OperationGroup, *, fuse: bool) -> SeenValue:
    """Return the value that the kernels of a group write: its result, or that of a movement behind it.

    With ``fuse`` it is the last of these that can be written in blocks of tiles; without one the result is arranged.
    """
    result = group.root.result
    seen = SeenValue(result, group.views[result], group.rows, group.output_columns)
    best = seen if _is_written(seen, group) else None
    while fuse and len(uses := list(seen.value.uses)) == 1:
        (use,) = uses
        mover = use.operation
        if not isinstance(mover, MOVEMENTS) or use.index != 0:
            break
        view = after(mover, seen.view, shape_of(seen.value), shape_of(mover.result), group.extents)
        if view is None:
            break
        seen = SeenValue(mover.result, view, group.rows, group.output_columns)
        best = seen if _is_written(seen, group) else best
    return best if best is not None else _arranged_output(group)


def _is_written(seen: SeenValue, group: OperationGroup) -> bool:
    tensor = seen.tensor()
    return is_in_tiles(tensor, group.extents, TILE) and not tensor.transposed


def _arranged_output(group: OperationGroup) -> SeenValue:
    """Give the result a dimension for each axis of the group; its users get it moved back to the old dimensions."""
    result = group.root.result
    seen = SeenValue(result, group.views[result], group.rows, group.output_columns)
    chosen = arrangement(seen, group)
    following = group.root.next_op
    assert chosen is not None and following is not None  # plain view, and not the last of a block
    users = {use.operation for use in result.uses}
    emission = Emission(following)
    output = arranged(result, chosen, emission)
    back = _reshaped(output, exchanged(shape_of(result), *chosen.exchanges), emission)
    for exchange in reversed(chosen.exchanges):
        back = _exchanged(back, exchange, emission)
    created = {use.operation for use in result.uses} - users
    result.replace_uses_with_if(back, lambda use: use.operation not in created)
    axes = (*range(group.rows + 1), group.output_columns)
    return SeenValue(output, plain_view(axes, chosen.shape), group.rows, group.output_columns)


class _GroupBuilder:
    """Builds the inputs and steps of a group's region."""

    def __init__(self, group: OperationGroup, output: SeenValue, given: set[SSAValue], *, fuse: bool) -> None:
        """``given``: the results of regions. They are read as they are."""
        self._group = group
        self._output = output
        self._given = given
        self._fuse = fuse
        self._inputs: list[RegionTensor] = []
        self._input_names: list[str] = []
        self._steps: list[RegionStep] = []
        self._step_names: list[str] = []
        self._reads: dict[tuple[ReadValue, RegionTensor], int] = {}
        self._results: dict[SSAValue, Operand] = {}

    def outline(self) -> GroupOutline:
        group = self._group
        operations = tuple(reversed(group.operations))
        for op in operations:
            self._step(op)
        region = OutlinedRegion(
            pattern=group.pattern,
            domain=group.domain,
            inner=group.inner,
            inputs=tuple(self._inputs),
            steps=tuple(self._steps),
            output=self._output.tensor(),
            width=group.width,
        )
        names = RegionNames(inputs=tuple(self._input_names), steps=tuple(self._step_names))
        reads = tuple(read for read, _ in self._reads)
        return GroupOutline(region, names, reads, operations, self._output.value)

    def _step(self, op: TTIROperation) -> None:
        operands = tuple(
            self._number(op, position, seen) or self._operand(seen)
            for position, seen in enumerate(self._group.operands[op])
        )
        self._results[op.result] = Result(len(self._steps))
        self._steps.append(RegionStep(type(op), operands, _params(op), self._group.step_shape(op)))
        self._step_names.append(name_of(op.result))

    def _operand(self, seen: SeenValue) -> Operand:
        for moved in self._group.through(seen):
            if moved is not None and moved.value in self._results:
                return self._results[moved.value]
        return self._read(read_through(self._group, seen, self._given, fuse=self._fuse))

    def _read(self, seen: SeenValue) -> RegionRead:
        tensor, chosen = seen.tensor(), None
        if not is_in_tiles(tensor, self._group.extents, TILE):
            chosen = arrangement(seen, self._group)
            assert chosen is not None  # as checked when an operation joins a group
            axes = (*range(len(self._group.domain) - 2), seen.rows, seen.columns)
            view = plain_view(axes, chosen.shape)
            tensor = RegionTensor(chosen.shape, tensor.element, view, seen.rows, seen.columns)
        key = (ReadValue(seen.value, chosen), tensor)
        if key not in self._reads:
            self._reads[key] = len(self._inputs)
            self._inputs.append(tensor)
            self._input_names.append(name_of(seen.value))
        return RegionRead(self._reads[key])

    def _number(self, op: TTIROperation, position: int, seen: SeenValue) -> RegionNumber | None:
        """Return a constant as a number of the expression if the result has the same shape without it; else None."""
        if not is_elementwise(op) or not takes_number(type(op), position):
            return None
        others = [value for place, value in enumerate(inputs_of(op)) if place != position]
        constant = seen.value.owner
        if not isinstance(constant, TTIRConstantOp) or all(
            isinstance(other.owner, TTIRConstantOp) for other in others
        ):
            return None
        splat = splat_of(constant)
        if splat is None or not math.isfinite(splat):
            return None
        whole = shape_of(op.result)
        shapes = [(*(1 for _ in whole[len(shape_of(other)) :]), *shape_of(other)) for other in others]
        return RegionNumber(splat) if broadcast(shapes) == whole else None


def _params(op: TTIROperation) -> tuple[float, ...]:
    """The numbers that an elementwise operation has, in the order of its row."""
    numbers = [attribute for attribute in op.ROW.attributes if attribute.kind is kinds.F32]
    return tuple(op.value_of(attribute) for attribute in numbers)
