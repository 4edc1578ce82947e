"""The step of an operation without one of its own: the reference computes it in float64, and the result is rounded.

The result is rounded to the type that it is stored in. A golden check of such an operation finds the effect of rounding
only, because it is compared with itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block

from tt_model.layouts.elements import host_type_of
from tt_model.operations.dialects import build
from tt_model.operations.fields import OperandField
from tt_model.operations.file_fields import fields_of
from tt_model.operations.operation import TTNNOperation
from tt_model.operations.row import AttributeDefinition, OperandDefinition
from tt_model.reference.meanings import MEANINGS
from tt_model.runtime.numbers import working_dtype
from tt_model.runtime.operands import Fields, Step, computed, result_of
from tt_model.runtime.pool import TensorPool
from tt_model.runtime.problems import RuntimeProblem
from tt_model.runtime.tensors import TensorDescription, description_of

if TYPE_CHECKING:
    import torch


def step_by_reference(kind: type[TTNNOperation], fields: Fields) -> Step:
    """The step of an operation with one result. Raises ``RuntimeProblem`` if the reference cannot compute it either."""
    meaning, out = MEANINGS.of(kind), result_of(fields)
    if meaning is None:
        raise RuntimeProblem(f"nothing computes {kind.name}: {MEANINGS.reason(kind)}")
    groups = {
        one.part.name: [description_of(said) for said in _listed(fields.get(one.name))]
        for one in fields_of(kind)
        if isinstance(one.part, OperandDefinition)
    }
    op = _operation(kind, fields, groups, out)
    given = [value for group in kind.ROW.operands if group.name in groups for value in op.operands_of(group)]

    def function(*values: torch.Tensor) -> torch.Tensor:
        import torch

        known = {value: one.to(torch.float64).numpy() for value, one in zip(given, values, strict=True)}
        (result,) = meaning(op, known.__getitem__)
        return torch.from_numpy(result).to(working_dtype(out.data_type))

    def run(pool: TensorPool) -> None:
        tensors = [
            tensor
            for name, described in groups.items()
            for tensor in pool.operands([one.id for one in described], _field(kind, name))
        ]
        values = computed(pool, function, lambda *shards: None, *tensors)
        data_type = out.data_type if kind.ROW.result_type_is_free else tensors[0].data_type
        pool.put_result(out, values, data_type, kind, *tensors)

    return run


def _listed(said: Any) -> list[Fields]:
    return [] if said is None else said if isinstance(said, list) else [said]


def _operation(
    kind: type[TTNNOperation],
    fields: Fields,
    groups: dict[str, list[TensorDescription]],
    out: TensorDescription,
) -> TTNNOperation:
    """Build the operation that a table describes, by itself. Its destination is not read."""
    described = [groups.get(group.name, [out]) for group in kind.ROW.operands]
    block = Block(arg_types=[_type(one) for group in described for one in group])
    values = iter(block.args)
    operands = [[next(values) for _ in group] for group in described]
    attributes = {
        one.part.name: tuple(value) if isinstance(value, list) else value
        for one in fields_of(kind)
        if isinstance(one.part, AttributeDefinition)
        and (value := fields.get(one.name, one.default)) is not None
    }
    op = build(kind.name, operands, [_type(out)], attributes)
    assert isinstance(op, kind)
    return op


def _type(described: TensorDescription) -> TensorType[Any]:
    return TensorType(host_type_of(described.data_type), described.shape)


def _field(kind: type[TTNNOperation], name: str) -> OperandField[Any]:
    """The field of a class by its name in text."""
    members = (member for base in kind.__mro__ for member in vars(base).values())
    return next(one for one in members if isinstance(one, OperandField) and one.name == name)
