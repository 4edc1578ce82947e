"""Which operations of a block become one operation of TT-Lang.

From the last operation to the first: one joins the group of its users if all of them are in that group, and if the group can
still be computed block by block. So a group has one result, nothing outside needs what is inside, and it can stand where its last
operation stands.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from xdsl.dialects.builtin import BFloat16Type, Float32Type, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ttmlir.operations import kinds
from ttmlir.operations.constants import splat_of
from ttmlir.operations.operation import TTIROperation
from ttmlir.operations.ttir import (
    TTIRConstantOp,
    TTIRMatmulOp,
    TTIRReductionOp,
    TTIRSoftmaxOp,
    TTIRTransposeOp,
)
from ttmlir.operations.value_names import name_of
from ttmlir.outlining.region import (
    Input,
    Operand,
    OutlinedRegion,
    Pattern,
    RegionNames,
    RegionNumber,
    RegionRead,
    RegionStep,
    Result,
    Shape,
    broadcast,
)
from ttmlir.outlining.spelling import ELEMENTWISE, takes_number

_ELEMENTS: Mapping[type[Attribute], str] = MappingProxyType({Float32Type: "f32", BFloat16Type: "bf16"})
# Buffers of a node: each input has one, and the compiler needs some for values in between.
_MOST_INPUTS = 10
_MOST_STEPS = 40


@dataclass(eq=False, slots=True)
class OperationGroup:
    """Operations that belong together, the last one first."""

    root: TTIROperation
    domain: Shape
    pattern: Pattern = Pattern.POINTWISE
    operations: list[TTIROperation] = field(default_factory=list)

    def __contains__(self, op: Operation) -> bool:
        return op in self.operations


@dataclass(frozen=True, eq=False, slots=True)
class GroupOutline:
    """A group as a region, with the values of the model that it reads, in the order of the region's inputs."""

    region: OutlinedRegion
    names: RegionNames
    reads: tuple[SSAValue, ...]
    operations: tuple[TTIROperation, ...]
    """In the order of the model; the last one is the root."""

    @property
    def root(self) -> TTIROperation:
        return self.operations[-1]


def outlines_of(block: Block, *, fuse: bool = True) -> list[GroupOutline]:
    """The regions of a block that are worth an operation of their own, in the order of the model.

    Without ``fuse``, every operation that can be one is a region by itself, but for transposes that a product reads through.
    """
    groups: dict[Operation, OperationGroup] = {}
    for op in reversed(list(block.ops)):
        if not isinstance(op, TTIROperation) or not _is_computable(op):
            continue
        group = _group_of_users(op, groups)
        if group is None or not (fuse or _is_read_turned(op)) or not _joins(op, group):
            group = _new_group(op)
        group.operations.append(op)
        groups[op] = group
    different = dict.fromkeys(reversed(groups.values()))
    return sorted(
        (_outline(group) for group in different if not fuse or _is_worth_it(group)),
        key=lambda outline: list(block.ops).index(outline.root),
    )


def _is_read_turned(op: TTIROperation) -> bool:
    users = [use.operation for use in op.result.uses]
    return isinstance(op, TTIRTransposeOp) and all(isinstance(user, TTIRMatmulOp) for user in users)


def _is_worth_it(group: OperationGroup) -> bool:
    """A single elementwise operation is as well where it is: TTNN has the same, and nothing is saved."""
    return len(group.operations) > 1 or not _is_elementwise(group.root)


# Which operations can be steps.


def _is_computable(op: TTIROperation) -> bool:
    if len(op.results) != 1:
        return False
    values = [op.result, *_inputs(op)]
    if any(_element(value) is None for value in values):
        return False
    shapes = [_shape(value) for value in values]
    rank = len(shapes[0])
    if rank < 2 or any(len(shape) != rank or 0 in shape for shape in shapes):
        return False
    match op:
        case TTIRSoftmaxOp():
            return op.dimension % rank == rank - 1
        case TTIRReductionOp():
            dims = op.dim_arg or ()
            return op.keeps_rank and [dim % rank for dim in dims] == [rank - 1]
        case TTIRTransposeOp():
            return {op.dim0 % rank, op.dim1 % rank} == {rank - 2, rank - 1}
        case TTIRMatmulOp():
            return shapes[1][:-2] == shapes[2][:-2] == shapes[0][:-2]
    return _is_elementwise(op)


def _is_elementwise(op: TTIROperation) -> bool:
    return type(op) in ELEMENTWISE


def _inputs(op: TTIROperation) -> tuple[SSAValue, ...]:
    """The operands that it computes with."""
    inits = op.inits
    return tuple(op.operands[: len(op.operands) - len(inits)])


def _element(value: SSAValue) -> str | None:
    type = value.type
    if not isinstance(type, TensorType) or -1 in type.get_shape():
        return None
    return _ELEMENTS.get(type.element_type.__class__)


def _shape(value: SSAValue) -> Shape:
    type = value.type
    assert isinstance(type, TensorType)
    return type.get_shape()


# Which groups they can join.


def _new_group(op: TTIROperation) -> OperationGroup:
    shape = _shape(op.result)
    match op:
        case TTIRMatmulOp():
            return OperationGroup(op, shape, Pattern.MATMUL)
        case TTIRSoftmaxOp():
            return OperationGroup(op, shape, Pattern.ROWS)
        case TTIRReductionOp():
            return OperationGroup(op, _shape(_inputs(op)[0]), Pattern.ROWS)
    return OperationGroup(op, shape)


def _group_of_users(op: TTIROperation, groups: Mapping[Operation, OperationGroup]) -> OperationGroup | None:
    """The group that all users of the result are in."""
    uses = list(op.result.uses)
    group = groups.get(uses[0].operation) if uses else None
    for use in uses:
        user = use.operation
        is_read = isinstance(user, TTIROperation) and use.index < len(_inputs(user))
        if not is_read or groups.get(user) is not group:
            return None
    return group


def _joins(op: TTIROperation, group: OperationGroup) -> bool:
    """Whether an operation can be computed with a group; then the group's domain and pattern say so."""
    users = [use.operation for use in op.result.uses]
    by_a_product = any(isinstance(user, TTIRMatmulOp) for user in users)
    turned = any(isinstance(user, TTIRTransposeOp) for user in users)
    if turned or (by_a_product and not isinstance(op, TTIRTransposeOp)):
        return False  # what these read comes from memory, in the order of their own blocks
    if len(group.operations) >= _MOST_STEPS or len(_external([*group.operations, op])) > _MOST_INPUTS:
        return False
    shape = _shape(op.result)
    if isinstance(op, TTIRTransposeOp):
        return by_a_product or _within(shape, group.domain)
    if isinstance(op, TTIRMatmulOp):
        if group.pattern is not Pattern.POINTWISE or shape != group.domain:
            return False
        if _reads_transposed(group):
            return False
        group.pattern = Pattern.MATMUL
        return True
    if _is_elementwise(op):
        return _within(shape, group.domain)
    wide = _shape(_inputs(op)[0])
    if group.pattern is Pattern.MATMUL or group.domain[-1] not in (1, wide[-1]):
        return False
    domain = (*group.domain[:-1], wide[-1])
    if not _within(wide, domain) or (group.domain[-1] == 1 and _reads_transposed(group)):
        return False
    group.domain = domain
    group.pattern = Pattern.ROWS
    return True


def _reads_transposed(group: OperationGroup) -> bool:
    return any(isinstance(op, TTIRTransposeOp) for op in group.operations)


def _within(shape: Shape, domain: Shape) -> bool:
    return len(shape) == len(domain) and all(
        extent in (1, whole) for extent, whole in zip(shape, domain, strict=True)
    )


def _external(operations: Sequence[TTIROperation]) -> list[SSAValue]:
    inside = {op.result for op in operations}
    return list(dict.fromkeys(value for op in operations for value in _inputs(op) if value not in inside))


# A group as a region.


def _outline(group: OperationGroup) -> GroupOutline:
    operations = tuple(reversed(group.operations))
    builder = _GroupBuilder(group.root)
    for op in operations:
        builder.add(op)
    region = OutlinedRegion(
        pattern=group.pattern,
        domain=group.domain,
        inputs=tuple(builder.inputs),
        steps=tuple(builder.steps),
        element=_element(group.root.result) or "f32",
    )
    names = RegionNames(inputs=tuple(builder.input_names), steps=tuple(builder.step_names))
    reads = tuple(value for value, _, _ in builder.reads)
    return GroupOutline(region, names, reads, operations)


class _GroupBuilder:
    """The inputs and steps of a region so far."""

    def __init__(self, root: TTIROperation) -> None:
        self._root = root
        self.inputs: list[Input] = []
        self.input_names: list[str] = []
        self.steps: list[RegionStep] = []
        self.step_names: list[str] = []
        self.reads: dict[tuple[SSAValue, bool, int | None], int] = {}
        self._operands: dict[SSAValue, Operand] = {}
        self._turned: dict[SSAValue, SSAValue] = {}

    def add(self, op: TTIROperation) -> None:
        values = _inputs(op)
        if isinstance(op, TTIRTransposeOp):
            self._turned[op.result] = values[0]
            if op is not self._root:
                return
            values = (op.result,)  # nothing else is done: the tensor is only turned
        if isinstance(op, TTIRMatmulOp):
            operands = tuple(self._value(value, factor) for factor, value in enumerate(values))
        else:
            operands = tuple(
                self._number(op, position, value) or self._value(value)
                for position, value in enumerate(values)
            )
        self._step(op, operands, _params(op))

    def _value(self, value: SSAValue, factor: int | None = None) -> Operand:
        if value in self._operands:
            return self._operands[value]
        turned = self._turned.get(value)
        return self._read(turned or value, transposed=turned is not None, factor=factor)

    def _step(self, op: TTIROperation, operands: tuple[Operand, ...], params: tuple[float, ...]) -> None:
        self._operands[op.result] = Result(len(self.steps))
        self.steps.append(RegionStep(type(op), operands, params, _shape(op.result)))
        self.step_names.append(name_of(op.result))

    def _read(self, value: SSAValue, *, transposed: bool, factor: int | None = None) -> RegionRead:
        key = (value, transposed, factor)
        if key not in self.reads:
            self.reads[key] = len(self.inputs)
            self.inputs.append(Input(_shape(value), _element(value) or "f32", transposed, factor))
            self.input_names.append(name_of(value))
        return RegionRead(self.reads[key])

    def _number(self, op: TTIROperation, position: int, value: SSAValue) -> RegionNumber | None:
        """A constant that can stand in the expression as a number: the result is as large without it."""
        owner = value.owner
        if not _is_elementwise(op) or not takes_number(type(op), position):
            return None
        if not isinstance(owner, TTIRConstantOp):
            return None
        splat = splat_of(owner)
        others = [_shape(other) for place, other in enumerate(_inputs(op)) if place != position]
        constants = [_is_constant(other) for place, other in enumerate(_inputs(op)) if place != position]
        if splat is None or not math.isfinite(splat) or all(constants):
            return None
        return RegionNumber(splat) if broadcast(others) == _shape(op.result) else None


def _is_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, TTIRConstantOp)


def _params(op: TTIROperation) -> tuple[float, ...]:
    """The numbers that an elementwise operation has, in the order of its row."""
    numbers = [attribute for attribute in op.ROW.attributes if attribute.kind is kinds.F32]
    return tuple(op.value_of(attribute) for attribute in numbers)
