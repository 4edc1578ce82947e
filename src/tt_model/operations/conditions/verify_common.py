"""The building blocks of conditions: shapes by the name of the operand, and conditions on each dimension."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue

from tt_model.operations.tensors import tensor_type_of

if TYPE_CHECKING:
    from tt_model.operations.operation import RowOperation

OpT = TypeVar("OpT")
CaseT = TypeVar("CaseT")


@dataclass(frozen=True, slots=True)
class ForEach(Generic[OpT, CaseT]):
    """Conditions that are checked in order for each case, such as each dimension."""

    cases: Callable[[OpT], Iterable[CaseT]]
    conditions: tuple[Callable[[CaseT], str | None], ...]

    def __call__(self, op: OpT) -> str | None:
        for case in self.cases(op):
            for condition in self.conditions:
                problem = condition(case)
                if problem is not None:
                    return problem
        return None


class HasInput(Protocol):
    """An operation with one operand that is called its input."""

    @property
    def input(self) -> SSAValue: ...


class HasResults(Protocol):
    """An operation with results."""

    @property
    def operands(self) -> Sequence[SSAValue]: ...
    @property
    def results(self) -> Sequence[SSAValue]: ...
    @property
    def result(self) -> SSAValue: ...


class OnInput(HasInput, HasResults, Protocol):
    """An operation that computes its result from its input."""


def input_type(op: HasInput) -> TensorType[Attribute]:
    return tensor_type_of(op.input)


def input_shape(op: HasInput) -> tuple[int, ...]:
    return input_type(op).get_shape()


def output_type(op: HasResults) -> TensorType[Attribute]:
    """The type of the result, which is also that of the destination if there is one."""
    return tensor_type_of(op.results[0])


def output_shape(op: HasResults) -> tuple[int, ...]:
    return output_type(op).get_shape()


def keeps_the_shape(op: OnInput) -> str | None:
    if input_shape(op) == output_shape(op):
        return None
    return "Input and output shapes must be the same"


def scatter_attribute(op: RowOperation) -> str:
    """The name of the attribute for the dimension of which each chip gets a part; it differs between TTIR and TTNN."""
    return "scatter_dim" if "scatter_dim" in op.ROW.attribute_named else "scatter_split_dim"


def shape_text(shape: Iterable[int]) -> str:
    return f"({', '.join('?' if extent < 0 else str(extent) for extent in shape)})"


def from_the_front(index: int, count: int) -> int:
    """Convert an index that may count from the end to one that counts from the front."""
    return index + count if index < 0 else index
