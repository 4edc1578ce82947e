"""``TTIRBuilder``: TTIR written from Python, each operation with a golden tensor. Needs torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ttmlir.bindings.goldens import DataType, GoldenTensor, create_golden_tensor
from ttmlir.bindings.operations import Operation, OpView, Value
from ttmlir.dialects import tensor, tt, ttir
from ttmlir.ir import (
    Attribute,
    Context,
    F32Type,
    Location,
    RankedTensorType,
    Type,
)

if TYPE_CHECKING:
    import torch

__all__ = ["Golden", "Operand", "TTIRBuilder"]

Operand = Value | OpView | Operation
Shape = list[int] | tuple[int, ...]


class Golden:
    """A golden tensor of torch, and the seed it was drawn with where it was."""

    def __init__(self, tensor: torch.Tensor, seed: int | None = None) -> None:
        self.tensor = tensor
        self.seed = seed

    def __repr__(self) -> str:
        seed = f"\nRandom seed: {self.seed}" if self.seed is not None else ""
        return f"{seed}\nGolden tensor:\n{self.tensor}"


class TTIRBuilder:
    """Makes operations at the current insertion point; keeps a golden tensor for each value.

    Args:
        ctx: the context.
        location: where the operations come from.
    """

    def __init__(self, ctx: Context, location: Location) -> None:
        self._ctx = ctx
        self._loc = location
        tt.register_dialect(ctx)
        ttir.register_dialect(ctx)
        self._seed = 0
        self._goldens: dict[Operand, Golden] = {}
        self._id_goldens: dict[str, Golden] = {}
        self._global_id = -1

    @property
    def goldens(self) -> dict[Operand, Golden]:
        """Golden tensors by value."""
        return self._goldens

    def get_next_global_id(self) -> int:
        """The next number, from 0."""
        self._global_id += 1
        return self._global_id

    def print_goldens(self) -> None:
        """Print every value and its golden tensor."""
        for operand, golden in self._goldens.items():
            print(f"{operand}{golden}\n")

    def get_shape(self, input: Operand) -> Shape:
        """The shape of a value."""
        return self._tensor_type(input).shape

    def generate_and_store_random_golden(self, operand: Operand) -> Golden:
        """Draw a golden tensor for a value; each call has the next seed."""
        import torch

        generator = torch.Generator().manual_seed(self._seed)
        drawn = torch.randn(list(self.get_shape(operand)), generator=generator, dtype=torch.float32)
        golden = Golden(drawn, self._seed)
        self._seed += 1
        self._goldens[operand] = golden
        return golden

    def generate_input_golden(self, operand: Operand, index: int) -> None:
        """Draw the golden tensor of an input and keep it as ``input_<index>``."""
        self._id_goldens[f"input_{index}"] = self.generate_and_store_random_golden(operand)

    def get_golden_map(self) -> dict[str, GoldenTensor]:
        """Golden tensors by name, as float32, for the file."""
        return {name: _golden_tensor(name, golden.tensor) for name, golden in self._id_goldens.items()}

    def ranked_tensor_type(
        self, shape: Shape, data_type: Type | None = None, encoding: Attribute | None = None
    ) -> RankedTensorType:
        """A tensor type; float32 unless said otherwise."""
        with self._ctx, self._loc:
            return RankedTensorType.get(list(shape), data_type or F32Type.get(self._ctx), encoding)

    def empty(self, shape: Shape, data_type: Type | None = None) -> Any:
        """A ``tensor.empty`` with a golden tensor."""
        with self._ctx, self._loc:
            operation = tensor.EmptyOp(list(shape), data_type or F32Type.get(self._ctx))
            self.generate_and_store_random_golden(operation)
            return operation

    def eltwise_proxy(
        self,
        op_golden_function: Callable[..., Any],
        op_ttir_class: Callable[..., Any],
        inputs: Sequence[Operand],
    ) -> Any:
        """An elementwise operation: its destination, the operation, its golden tensor."""
        name = str(self.get_next_global_id())
        with self._ctx, self._loc:
            output = self.empty(self.get_shape(inputs[0]))
            any_ = tt.ir.OperandConstraintAttr.get(self._ctx, tt.OperandConstraint.Any)
            constraints = tt.ir.OperandConstraintAttr.get(self._ctx, [any_, any_, any_])
            operation = op_ttir_class(
                [self._tensor_type(output)],
                list(inputs),
                [output],
                constraints,
                loc=Location.name(name, context=self._ctx),
            )
            golden = Golden(op_golden_function(*(self._goldens[one].tensor for one in inputs)))
            self._goldens[operation] = golden
            self._goldens[output] = golden
            self._id_goldens[name] = golden
            return operation

    def _unary(self, torch_name: str, view: str, operand: Operand) -> Any:
        import torch

        return self.eltwise_proxy(getattr(torch, torch_name), getattr(ttir, view), [operand])

    def _binary(self, torch_name: str, view: str, left: Operand, right: Operand) -> Any:
        import torch

        return self.eltwise_proxy(getattr(torch, torch_name), getattr(ttir, view), [left, right])

    def exp(self, in0: Operand) -> Any:
        return self._unary("exp", "ExpOp", in0)

    def abs(self, in0: Operand) -> Any:
        return self._unary("abs", "AbsOp", in0)

    def logical_not(self, in0: Operand) -> Any:
        return self._unary("logical_not", "LogicalNotOp", in0)

    def neg(self, in0: Operand) -> Any:
        return self._unary("neg", "NegOp", in0)

    def relu(self, in0: Operand) -> Any:
        return self._unary("relu", "ReluOp", in0)

    def sqrt(self, in0: Operand) -> Any:
        return self._unary("sqrt", "SqrtOp", in0)

    def rsqrt(self, in0: Operand) -> Any:
        return self._unary("rsqrt", "RsqrtOp", in0)

    def sigmoid(self, in0: Operand) -> Any:
        return self._unary("sigmoid", "SigmoidOp", in0)

    def reciprocal(self, in0: Operand) -> Any:
        return self._unary("reciprocal", "ReciprocalOp", in0)

    def add(self, in0: Operand, in1: Operand) -> Any:
        return self._binary("add", "AddOp", in0, in1)

    def multiply(self, in0: Operand, in1: Operand) -> Any:
        return self._binary("multiply", "MultiplyOp", in0, in1)

    def logical_and(self, in0: Operand, in1: Operand) -> Any:
        return self._binary("logical_and", "LogicalAndOp", in0, in1)

    def logical_or(self, in0: Operand, in1: Operand) -> Any:
        return self._binary("logical_or", "LogicalOrOp", in0, in1)

    def subtract(self, in0: Operand, in1: Operand) -> Any:
        return self._binary("subtract", "SubtractOp", in0, in1)

    def eq(self, in0: Operand, in1: Operand) -> Any:
        return self._binary("eq", "EqualOp", in0, in1)

    def ne(self, in0: Operand, in1: Operand) -> Any:
        return self._binary("ne", "NotEqualOp", in0, in1)

    def ge(self, in0: Operand, in1: Operand) -> Any:
        return self._binary("ge", "GreaterEqualOp", in0, in1)

    def gt(self, in0: Operand, in1: Operand) -> Any:
        return self._binary("gt", "GreaterThanOp", in0, in1)

    def le(self, in0: Operand, in1: Operand) -> Any:
        return self._binary("le", "LessEqualOp", in0, in1)

    def lt(self, in0: Operand, in1: Operand) -> Any:
        return self._binary("lt", "LessThanOp", in0, in1)

    def div(self, in0: Operand, in1: Operand) -> Any:
        return self._binary("div", "DivOp", in0, in1)

    def maximum(self, in0: Operand, in1: Operand) -> Any:
        return self._binary("maximum", "MaximumOp", in0, in1)

    def _tensor_type(self, operand: Operand) -> RankedTensorType:
        type = operand.type if isinstance(operand, Value) else operand.results[0].type
        assert isinstance(type, RankedTensorType)
        return type


def _golden_tensor(name: str, values: torch.Tensor) -> GoldenTensor:
    import torch

    stored = values.to(torch.float32).contiguous()
    return create_golden_tensor(
        name, list(stored.shape), list(stored.stride()), DataType.Float32, stored.data_ptr()
    )
