"""``TTIRBuilder``: TTIR written from Python, each operation with a golden tensor. Needs torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ttmlir.bindings.goldens import GoldenDataType, GoldenTensor, create_golden_tensor
from ttmlir.bindings.operations import ValueHandle
from ttmlir.builder_layers import BuilderLayers
from ttmlir.builder_operations import Operand, Shape
from ttmlir.dialects import tensor, tt, ttir
from ttmlir.ir import (
    Attribute,
    Context,
    F32Type,
    IntegerType,
    Location,
    RankedTensorType,
    Type,
)

if TYPE_CHECKING:
    import torch

__all__ = ["Golden", "Operand", "TTIRBuilder"]

# Golden integers are drawn from 0 up to this number.
_DRAWN_INTEGERS = 8


class Golden:
    """A golden tensor of torch, and its seed if it was drawn at random."""

    def __init__(self, tensor: torch.Tensor, seed: int | None = None) -> None:
        self.tensor = tensor
        self.seed = seed

    def __repr__(self) -> str:
        seed = f"\nRandom seed: {self.seed}" if self.seed is not None else ""
        return f"{seed}\nGolden tensor:\n{self.tensor}"


class TTIRBuilder(BuilderLayers):
    """Makes operations at the current insertion point; keeps a golden tensor for each value.

    Args:
        ctx: the context.
        location: where the operations come from.
        goldens: whether golden tensors are computed; without them only shapes are.
        constraint: the operand constraint of operations without one of their own.

    Methods are in ``ttmlir.builder_operations`` and ``ttmlir.builder_layers``. Errors of shapes and attributes are ``ValueError``s that name the operation.
    """

    def __init__(
        self,
        ctx: Context,
        location: Location,
        *,
        goldens: bool = True,
        constraint: int = tt.OperandConstraint.Any,
    ) -> None:
        self._has_goldens = goldens
        self._constraint = constraint
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
        values = drawn(self.get_shape(operand), self._seed, is_whole=self._is_integer(operand))
        golden = Golden(values, self._seed)
        self._seed += 1
        self._goldens[operand] = golden
        return golden

    def generate_input_golden(self, operand: Operand, index: int) -> None:
        """Draw the golden tensor of an input and keep it as ``input_<index>``."""
        self._id_goldens[f"input_{index}"] = self.generate_and_store_random_golden(operand)

    def get_golden_map(self) -> dict[str, GoldenTensor]:
        """Golden tensors by name, as float32, for the file."""
        return {name: _golden_tensor(name, golden.tensor) for name, golden in self._id_goldens.items()}

    def get_permuted_golden_map(self, orders: Mapping[str, Sequence[int]]) -> dict[str, GoldenTensor]:
        """Return the golden tensors for a module whose results were permuted, by name: the first dimension was ``order[0]``."""
        return {
            name: _golden_tensor(
                name, golden.tensor.permute(*orders[name]) if name in orders else golden.tensor
            )
            for name, golden in self._id_goldens.items()
        }

    def ranked_tensor_type(
        self, shape: Shape, data_type: Type | None = None, encoding: Attribute | None = None
    ) -> RankedTensorType:
        """Return a tensor type; the default element type is float32."""
        with self._ctx, self._loc:
            return RankedTensorType.get(list(shape), data_type or F32Type.get(self._ctx), encoding)

    def empty(self, shape: Shape, data_type: Type | None = None) -> Any:
        """A ``tensor.empty`` with a golden tensor."""
        with self._ctx, self._loc:
            operation = tensor.EmptyOp(list(shape), data_type or F32Type.get(self._ctx))
            if self._has_goldens:
                self.generate_and_store_random_golden(operation)
            return operation

    def eltwise_proxy(
        self,
        op_golden_function: Callable[..., Any],
        op_ttir_class: Callable[..., Any],
        inputs: Sequence[Operand],
    ) -> Any:
        """Add an elementwise operation: its destination, the operation, its golden tensor.

        The inputs broadcast to the result's shape; its element type is the first input's. Raises ``ValueError`` for
        shapes that do not broadcast. As in the real project there are three operand constraints, however many
        operands there are.
        """
        name = op_ttir_class.__name__.removesuffix("Op")
        golden = self._computed(name, op_golden_function, inputs)

        def make(outputs: Sequence[Any], constraints: Any, location: Location) -> Any:
            types = [self._tensor_type(one) for one in outputs]
            return op_ttir_class(types, list(inputs), outputs, constraints, loc=location)

        return self._operation(inputs, [golden], make, constraints=3)

    # Building blocks of the methods for single operations.

    def _computed(self, name: str, function: Callable[..., Any], inputs: Sequence[Operand]) -> Any:
        """Return the result of a torch function for the golden tensors of the inputs, or only for their shapes.

        Raises ``ValueError`` with the name of the operation, the shapes, and torch's message.
        """
        try:
            return function(*(self._value(one) for one in inputs))
        except (RuntimeError, IndexError, TypeError, ValueError) as problem:
            shapes = ", ".join("x".join(map(str, self.get_shape(one))) or "scalar" for one in inputs)
            reason = str(problem).splitlines()[0]
            raise ValueError(f"{name} of {shapes}: {reason}") from None

    def _value(self, operand: Operand) -> torch.Tensor:
        import torch

        golden = self._goldens.get(operand)
        if golden is not None:
            return golden.tensor
        if self._has_goldens:
            return self.generate_and_store_random_golden(operand).tensor
        dtype = torch.int64 if self._is_integer(operand) else torch.float32
        return torch.empty(list(self.get_shape(operand)), dtype=dtype, device="meta")

    def _operation(
        self,
        inputs: Sequence[Operand],
        goldens: Sequence[torch.Tensor],
        make: Callable[[Sequence[Any], Any, Location], Any],
        *,
        types: Sequence[Type] | None = None,
        constraints: int | None = None,
        constraint: int | None = None,
        destinations: Sequence[Any] | None = None,
    ) -> Any:
        """Add destinations of the golden tensors' shapes and the operation; keep its golden tensors under its number.

        ``destinations`` are existing ones to use instead of new ones.
        """
        name = self._next_name()
        with self._ctx, self._loc:
            element = self._tensor_type(inputs[0]).element_type if inputs else F32Type.get(self._ctx)
            wanted = types or [element] * len(goldens)
            outputs = (
                [self.empty(list(golden.shape), type) for golden, type in zip(goldens, wanted, strict=True)]
                if destinations is None
                else destinations
            )
            count = constraints or len(inputs) + len(outputs)
            allowed = self._constraint if constraint is None else constraint
            one = tt.ir.OperandConstraintAttr.get(self._ctx, allowed)
            array = tt.ir.OperandConstraintAttr.get(self._ctx, [one] * count)
            operation = make(outputs, array, self._location(name))
            for output, golden in zip(outputs, goldens):
                self._keep(name, output, golden)
            self._keep(name, operation, goldens[0])
            return operation

    def _next_name(self) -> str:
        """The name of the next operation, for its location and its golden tensor."""
        return str(self.get_next_global_id())

    def _location(self, name: str) -> Location:
        return Location.name(name, context=self._ctx)

    def _keep(self, name: str, operand: Operand, values: torch.Tensor) -> None:
        if self._has_goldens:
            self._goldens[operand] = self._id_goldens[name] = Golden(values)

    def _is_integer(self, operand: Operand) -> bool:
        return isinstance(self._tensor_type(operand).element_type, IntegerType)

    def _tensor_type(self, operand: Operand) -> RankedTensorType:
        type = operand.type if isinstance(operand, ValueHandle) else operand.results[0].type
        assert isinstance(type, RankedTensorType)
        return type


def drawn(shape: Shape, seed: int, *, is_whole: bool) -> torch.Tensor:
    """Draw random numbers in float32, or integers in int64: small ones, so that they can index small tables."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    if is_whole:
        return torch.randint(0, _DRAWN_INTEGERS, list(shape), generator=generator)
    return torch.randn(list(shape), generator=generator, dtype=torch.float32)


def _golden_tensor(name: str, values: torch.Tensor) -> GoldenTensor:
    import torch

    stored = values.to(torch.float32).contiguous()
    return create_golden_tensor(
        name, list(stored.shape), list(stored.stride()), GoldenDataType.Float32, stored.data_ptr()
    )
