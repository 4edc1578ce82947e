"""The operations of TTIR as methods of ``TTIRBuilder``: operands, shape of the result, and golden function.

The shape of a result is that of its golden tensor, so that both cannot differ; without golden tensors torch computes shapes
only. A result has the element type of the first input unless the method says otherwise. Errors are ``ValueError``s with the
name of the operation and the shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from tt_model.operations import elementwise
from ttmlir.bindings.operations import OperationHandle, OpView, ValueHandle
from ttmlir.bindings.scope import Type
from ttmlir.bindings.types import RankedTensorType
from ttmlir.dialects import tensor, tt, ttir
from ttmlir.ir import Attribute, Context, DenseElementsAttr, FloatAttr, IntegerAttr, IntegerType, Location

if TYPE_CHECKING:
    import torch

Operand = ValueHandle | OpView | OperationHandle
Shape = list[int] | tuple[int, ...]
MethodT = TypeVar("MethodT", bound=Callable[..., Any])


_ON_HOST = tt.OperandConstraint.System | tt.OperandConstraint.Scalar | tt.OperandConstraint.None_


def _of_one(
    kind: type[elementwise.TTIRElementwiseOp], torch_name: str = ""
) -> Callable[[BuilderOperations, Operand], Any]:
    """Make the method for an operation on one tensor; the golden function is torch's, by default of the same name."""

    def method(self: BuilderOperations, in0: Operand) -> Any:
        return self.golden_eltwise(kind, torch_name, [in0])

    return _documented(method, kind)


def _of_two(
    kind: type[elementwise.TTIRElementwiseOp], torch_name: str = ""
) -> Callable[[BuilderOperations, Operand, Operand], Any]:
    """Make the method for an operation on two tensors, which broadcast to one shape by NumPy's rule."""

    def method(self: BuilderOperations, in0: Operand, in1: Operand) -> Any:
        return self.golden_eltwise(kind, torch_name, [in0, in1])

    return _documented(method, kind)


def _documented(method: MethodT, kind: type[elementwise.TTIRElementwiseOp]) -> MethodT:
    method.__name__, method.__doc__ = kind.ROW.mnemonic, kind.ROW.summary
    return method


class BuilderOperations:
    """One method for each operation that computes on tensors."""

    if TYPE_CHECKING:
        # Methods of the builder.
        _ctx: Context
        _loc: Location

        def _keep(self, name: str, operand: Operand, values: torch.Tensor) -> None: ...
        def _location(self, name: str) -> Location: ...
        def _next_name(self) -> str: ...
        def eltwise_proxy(self, golden: Any, op: Any, inputs: Sequence[Operand]) -> Any: ...
        def get_shape(self, input: Operand) -> Shape: ...
        def _computed(self, name: str, function: Any, inputs: Sequence[Operand]) -> Any: ...
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
        ) -> Any: ...
        def _tensor_type(self, operand: Operand) -> RankedTensorType: ...
        def ranked_tensor_type(self, shape: Shape, data_type: Any = None, encoding: Any = None) -> Any: ...

    def golden_eltwise(
        self, kind: type[elementwise.TTIRElementwiseOp], torch_name: str, inputs: Sequence[Operand]
    ) -> Any:
        """Add an elementwise operation; the golden function is torch's, by default of the same name."""
        import torch

        golden = getattr(torch, torch_name or kind.ROW.mnemonic)
        return self.eltwise_proxy(golden, getattr(ttir, f"{kind.ROW.class_name}Op"), inputs)

    # One input, one output of its shape.

    abs = _of_one(elementwise.TTIRAbsOp)
    ceil = _of_one(elementwise.TTIRCeilOp)
    cos = _of_one(elementwise.TTIRCosOp)
    exp = _of_one(elementwise.TTIRExpOp)
    expm1 = _of_one(elementwise.TTIRExpm1Op)
    floor = _of_one(elementwise.TTIRFloorOp)
    isfinite = _of_one(elementwise.TTIRIsFiniteOp)
    log = _of_one(elementwise.TTIRLogOp)
    log1p = _of_one(elementwise.TTIRLog1pOp)
    logical_not = _of_one(elementwise.TTIRLogicalNotOp)
    neg = _of_one(elementwise.TTIRNegOp)
    reciprocal = _of_one(elementwise.TTIRReciprocalOp)
    relu = _of_one(elementwise.TTIRReluOp)
    rsqrt = _of_one(elementwise.TTIRRsqrtOp)
    sigmoid = _of_one(elementwise.TTIRSigmoidOp)
    sign = _of_one(elementwise.TTIRSignOp)
    sin = _of_one(elementwise.TTIRSinOp)
    sqrt = _of_one(elementwise.TTIRSqrtOp)

    def cbrt(self, in0: Operand) -> Any:
        """Cube roots, of negative numbers too."""
        import torch

        return self.eltwise_proxy(lambda x: torch.sign(x) * torch.abs(x).pow(1 / 3), ttir.CbrtOp, [in0])

    def gelu(self, in0: Operand) -> Any:
        """GELU, with the error function."""
        import torch

        return self.eltwise_proxy(torch.nn.functional.gelu, ttir.GeluOp, [in0])

    def leaky_relu(self, in0: Operand, parameter: float = 0.01) -> Any:
        """Multiply numbers below zero by ``parameter``."""
        import torch

        function = partial(torch.nn.functional.leaky_relu, negative_slope=parameter)
        return self._listed("LeakyRelu", function, ttir.LeakyReluOp, [in0], parameter)

    def typecast(self, in0: Operand, data_type: Type) -> Any:
        """Convert the numbers to another element type."""

        def converted(values: torch.Tensor) -> torch.Tensor:
            whole = isinstance(data_type, IntegerType)
            if whole == values.dtype.is_floating_point:
                # Golden tensors are int64 or float32; fractions are truncated.
                return values.long() if whole else values.float()
            return values

        return self._listed("Typecast", converted, ttir.TypecastOp, [in0], element=data_type)

    def clamp(self, in0: Operand, min: float, max: float) -> Any:
        """Limit numbers to ``min`` and ``max``. Raises ``ValueError`` if ``min`` is greater than ``max``."""
        import torch

        if min > max:
            raise ValueError(f"Clamp: min is {min}, greater than max, {max}")
        return self._one(
            "Clamp", lambda x: torch.clamp(x, min, max), ttir.ClampOp, [in0], min, max, tiles=True
        )

    # Two and three inputs, broadcast to one shape by NumPy's rule.

    add = _of_two(elementwise.TTIRAddOp)
    div = _of_two(elementwise.TTIRDivOp)
    eq = _of_two(elementwise.TTIREqualOp)
    ge = _of_two(elementwise.TTIRGreaterEqualOp)
    gt = _of_two(elementwise.TTIRGreaterThanOp)
    le = _of_two(elementwise.TTIRLessEqualOp)
    lt = _of_two(elementwise.TTIRLessThanOp)
    logical_and = _of_two(elementwise.TTIRLogicalAndOp)
    logical_or = _of_two(elementwise.TTIRLogicalOrOp)
    logical_xor = _of_two(elementwise.TTIRLogicalXorOp)
    maximum = _of_two(elementwise.TTIRMaximumOp)
    minimum = _of_two(elementwise.TTIRMinimumOp)
    multiply = _of_two(elementwise.TTIRMultiplyOp)
    ne = _of_two(elementwise.TTIRNotEqualOp)
    remainder = _of_two(elementwise.TTIRRemainderOp, "fmod")
    subtract = _of_two(elementwise.TTIRSubtractOp)

    def where(self, condition: Operand, in0: Operand, in1: Operand) -> Any:
        """Choose ``in0`` where the condition is not zero, else ``in1``. The element type is that of ``in0``."""
        import torch

        element = self._tensor_type(in0).element_type
        inputs = [condition, in0, in1]
        return self._listed(
            "Where", lambda c, a, b: torch.where(c != 0, a, b), ttir.WhereOp, inputs, element=element
        )

    def _listed(
        self,
        name: str,
        golden: Callable[..., torch.Tensor],
        op: Any,
        inputs: Sequence[Operand],
        *attributes: Any,
        element: Type | None = None,
    ) -> Any:
        """Add an operation whose inputs, destinations and results are lists."""

        def make(outputs: Any, constraints: Any, loc: Any) -> Any:
            types = [self._tensor_type(one) for one in outputs]
            return op(types, list(inputs), outputs, *attributes, constraints, loc=loc)

        values = self._computed(name, golden, inputs)
        return self._operation(inputs, [values], make, types=None if element is None else [element])

    # Operations with one result and attributes.

    def _one(
        self,
        name: str,
        golden: Callable[..., torch.Tensor],
        op: Any,
        inputs: Sequence[Operand],
        *attributes: Any,
        element: Type | None = None,
        tiles: bool = False,
        host: bool = False,
        **more: Any,
    ) -> Any:
        """Add an operation with one result; ``more`` are optional parts: attributes, and a bias, which is an input."""

        def make(outputs: Any, constraints: Any, loc: Any) -> Any:
            result = self._tensor_type(outputs[0])
            return op(result, *operands, outputs[0], *attributes, constraints, loc=loc, **more)

        operands, bias = inputs, more.get("bias")
        inputs = inputs if bias is None else [*inputs, bias]
        values = self._computed(name, golden, inputs)
        constraint = tt.OperandConstraint.AnyDeviceTile if tiles else _ON_HOST if host else None
        types = None if element is None else [element]
        return self._operation(inputs, [values], make, types=types, constraint=constraint)

    def matmul(self, in0: Operand, in1: Operand) -> Any:
        """Matrix products: of shapes (..., M, K) and (..., K, N) to (..., M, N); vectors as in NumPy."""
        import torch

        def product(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
            result = torch.matmul(left, right)
            return result.reshape(1) if result.dim() == 0 else result

        return self._one("Matmul", product, ttir.MatmulOp, [in0, in1])

    def _reduction(
        self, name: str, op: Any, in0: Operand, dim_arg: int | Sequence[int] | None, keep_dim: bool
    ) -> Any:
        import torch

        functions: dict[str, Callable[..., torch.Tensor]] = {
            "Sum": torch.sum,
            "Mean": torch.mean,
            "Max": torch.amax,
        }
        function = functions[name]
        rank = len(self.get_shape(in0))
        dims = None if dim_arg is None else [dim_arg] if isinstance(dim_arg, int) else list(dim_arg)
        along = list(range(rank)) if dims is None else dims

        def of_rank(values: torch.Tensor) -> torch.Tensor:
            result = function(values, dim=along, keepdim=keep_dim)
            # A layout has at least one dimension.
            return result.reshape(1) if result.dim() == 0 else result

        return self._one(name, of_rank, op, [in0], keep_dim, dim_arg=dims)

    def sum(self, in0: Operand, dim_arg: int | Sequence[int] | None = None, keep_dim: bool = False) -> Any:
        """Sums over dimensions; over all if none is named."""
        return self._reduction("Sum", ttir.SumOp, in0, dim_arg, keep_dim)

    def mean(self, in0: Operand, dim_arg: int | Sequence[int] | None = None, keep_dim: bool = False) -> Any:
        """Means over dimensions; over all if none is named."""
        return self._reduction("Mean", ttir.MeanOp, in0, dim_arg, keep_dim)

    def max(self, in0: Operand, dim_arg: int | Sequence[int] | None = None, keep_dim: bool = False) -> Any:
        """Maxima over dimensions; over all if none is named."""
        return self._reduction("Max", ttir.MaxOp, in0, dim_arg, keep_dim)

    def softmax(self, in0: Operand, dimension: int = -1) -> Any:
        """Exponentials along a dimension, divided by their sum."""
        import torch

        def of_dimension(values: torch.Tensor) -> torch.Tensor:
            return torch.softmax(with_dimension(values, dimension), dimension)

        return self._one("Softmax", of_dimension, ttir.SoftmaxOp, [in0], dimension)

    # Shapes.

    def reshape(self, in0: Operand, shape: Sequence[int]) -> Any:
        """Give the same elements another shape of at most five dimensions; one extent may be -1."""

        def reshaped(values: torch.Tensor) -> torch.Tensor:
            return values.reshape(list(shape))

        result = list(self._computed("Reshape", reshaped, [in0]).shape)
        return self._one("Reshape", reshaped, ttir.ReshapeOp, [in0], result)

    def transpose(self, in0: Operand, dim0: int = -2, dim1: int = -1) -> Any:
        """Exchange two dimensions."""
        return self._one("Transpose", lambda x: x.transpose(dim0, dim1), ttir.TransposeOp, [in0], dim0, dim1)

    def squeeze(self, in0: Operand, dim: int) -> Any:
        """Remove a dimension of extent one. Raises ``ValueError`` for another extent."""

        def squeezed(values: torch.Tensor) -> torch.Tensor:
            if values.shape[dim] != 1:
                raise ValueError(f"dimension {dim} has extent {values.shape[dim]}, not 1")
            return values.squeeze(dim)

        return self._one("Squeeze", squeezed, ttir.SqueezeOp, [in0], dim)

    def unsqueeze(self, in0: Operand, dim: int) -> Any:
        """Insert a dimension of extent one at ``dim`` of the result."""
        return self._one("Unsqueeze", lambda x: x.unsqueeze(dim), ttir.UnsqueezeOp, [in0], dim)

    def broadcast(self, in0: Operand, shape: Sequence[int]) -> Any:
        """Broadcast to ``shape``; the conversion to TTNN removes it, because TTNN's operations broadcast themselves."""
        old = list(self.get_shape(in0))
        new = list(shape)
        dimensions = [
            dim
            for dim in range(len(new))
            if dim < len(new) - len(old) or old[dim - len(new) + len(old)] != new[dim]
        ]
        return self._one("Broadcast", lambda x: x.expand(new), ttir.BroadcastOp, [in0], dimensions)

    def concat(self, ins: Sequence[Operand], dim: int = 0) -> Any:
        """Concatenate tensors along a dimension."""
        import torch

        inputs = list(ins)
        if not inputs:
            raise ValueError("Concat: expected at least one tensor")
        golden = self._computed("Concat", lambda *values: torch.cat(values, dim), inputs)

        def make(outputs: Any, constraints: Any, loc: Any) -> Any:
            result = self._tensor_type(outputs[0])
            return ttir.ConcatOp(result, inputs, outputs[0], dim, constraints, loc=loc)

        return self._operation(inputs, [golden], make)

    def slice(
        self, in0: Operand, begins: Sequence[int], ends: Sequence[int], step: Sequence[int] | None = None
    ) -> Any:
        """Slice every dimension, as in Python. Raises ``ValueError`` for an empty slice."""
        steps = [1] * len(begins) if step is None else list(step)
        rank = len(self.get_shape(in0))
        if not len(begins) == len(ends) == len(steps) == rank:
            raise ValueError(
                f"Slice: the tensor has {rank} dimensions; give one begin, end and step for each"
            )

        def cut(values: torch.Tensor) -> torch.Tensor:
            for dim, (begin, end, by) in enumerate(zip(begins, ends, steps, strict=True)):
                values = _taken(values, dim, begin, end, by)
            return values

        return self._one("Slice", cut, ttir.SliceOp, [in0], list(begins), list(ends), steps)

    def index(self, in0: Operand, dim: int, begin: int, end: int, step: int = 1) -> Any:
        """Slice one dimension."""

        def cut(values: torch.Tensor) -> torch.Tensor:
            return _taken(values, dim, begin, end, step)

        return self._one("Index", cut, ttir.IndexOp, [in0], dim, begin, end, step)

    def tt_lang_op(
        self,
        inputs: Sequence[Operand],
        kernel_id: str,
        version_tag: str,
        arg_roles: str,
        types: Sequence[Type],
        golden: Callable[..., Sequence[torch.Tensor]],
    ) -> Any:
        """An operation of TT-Lang.

        ``types`` are the element types of the results; ``golden`` makes the results' golden tensors, or their shapes.
        """
        goldens = self._computed("TTLang", golden, inputs)

        def make(outputs: Any, constraints: Any, loc: Any) -> Any:
            results = [self._tensor_type(one) for one in outputs]
            return ttir.TTLangOp(
                results, list(inputs), outputs, kernel_id, version_tag, arg_roles, shard_spec="", loc=loc
            )

        return self._operation(inputs, goldens, make, types=types)

    def to_layout(
        self, in0: Operand, encoding: Attribute | None = None, data_type: Type | None = None
    ) -> Any:
        """Give the same elements another layout or another element type."""
        with self._ctx, self._loc:
            old = self._tensor_type(in0)
            type_ = self.ranked_tensor_type(list(old.shape), data_type or old.element_type, encoding)
            golden = self._computed("ToLayout", lambda x: x, [in0])
            output = self._destination(type_)
            name = self._next_name()
            operation = ttir.ToLayoutOp(type_, in0, output, loc=self._location(name))
            self._keep(name, operation, golden)
            return operation

    # Operations without inputs.

    def constant(self, value: float, shape: Shape, data_type: Type | None = None) -> Any:
        """Make a tensor of one number; the default type is float32. Large tables of different numbers are inputs."""
        return self._source(
            lambda type_, splat, loc: ttir.ConstantOp(type_, splat, loc=loc), value, shape, data_type
        )

    def fill(self, value: float, shape: Shape, data_type: Type | None = None) -> Any:
        """Fill a destination with one number, as ``constant`` makes a new tensor."""

        def make(type_: Any, splat: Any, loc: Any) -> Any:
            output = self._destination(type_)
            one = tt.ir.OperandConstraintAttr.get(self._ctx, tt.OperandConstraint.Any)
            constraints = tt.ir.OperandConstraintAttr.get(self._ctx, [one])
            return ttir.FillOp(type_, output, splat, constraints, loc=loc)

        return self._source(make, value, shape, data_type)

    def get_dimension_size(self, in0: Operand, dimension: int) -> Any:
        """The extent of a dimension, as a tensor of one integer.

        Raises ``ValueError`` for a dimension that does not exist.
        """
        shape = list(self.get_shape(in0))
        if not 0 <= dimension < len(shape):
            raise ValueError(f"GetDimensionSize: there is no dimension {dimension} of {len(shape)}")

        def make(type_: Any, splat: Any, loc: Any) -> Any:
            return ttir.GetDimensionSizeOp(type_, in0, dimension, loc=loc)

        with self._ctx:
            return self._source(make, shape[dimension], [1], IntegerType.get_signless(32))

    def _source(self, make: Any, value: float, shape: Shape, data_type: Type | None) -> Any:
        import torch

        with self._ctx, self._loc:
            type_ = self.ranked_tensor_type(list(shape), data_type)
            element = type_.element_type
            whole = isinstance(element, IntegerType)
            number = IntegerAttr.get(element, int(value)) if whole else FloatAttr.get(element, float(value))
            name = self._next_name()
            splat = DenseElementsAttr.get_splat(type_, number)
            operation = make(type_, splat, self._location(name))
            self._keep(name, operation, torch.full(list(shape), int(value) if whole else float(value)))
            return operation

    def _destination(self, type_: Any) -> Any:
        return tensor.EmptyOp(list(type_.shape), type_.element_type, encoding=type_.encoding)


def with_dimension(values: torch.Tensor, dim: int) -> torch.Tensor:
    """Return the tensor. Raises ``ValueError`` where it has no such dimension."""
    if not -values.dim() <= dim < values.dim():
        raise ValueError(f"there is no dimension {dim} of {values.dim()}")
    return values


def _taken(values: torch.Tensor, dim: int, begin: int, end: int, step: int) -> torch.Tensor:
    """Slice one dimension; the step may be negative."""
    import torch

    if step == 0:
        raise ValueError(f"the step of dimension {dim} is zero")
    positions = range(values.shape[dim])[begin:end:step]
    if not positions:
        raise ValueError(f"the range {begin}:{end}:{step} of dimension {dim} is empty")
    index = torch.tensor(list(positions), device=values.device)
    return values.index_select(dim, index)
