"""The operations of ``ttnn``. Written by scripts/update_ttmlir_stubs.py from the rows."""

from collections.abc import Sequence
from typing import Any

from ttmlir.bindings import ttnn_ir
from ttmlir.bindings.operations import Operation, OpResultList, OpView, Value
from ttmlir.bindings.registration import register_dialect as register_dialect
from ttmlir.bindings.scope import InsertionPoint, Location
from ttmlir.bindings.types import Type

_Value = Value | Operation | OpView
ir = ttnn_ir

class AbsOp(OpView):
    """Absolute value."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def abs(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class AddOp(OpView):
    """Sum of two tensors."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def add(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class AllGatherOp(OpView):
    """Gathers the parts of a tensor that lie on several chips."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        dim: Any,
        *,
        num_links: Any = None,
        cluster_axis: Any = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    dim: Any
    num_links: Any
    cluster_axis: Any

def all_gather(
    result: Type,
    input: _Value,
    dim: Any,
    *,
    num_links: Any = None,
    cluster_axis: Any = None,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class AllocOp(OpView):
    """Allocates a tensor at an address."""

    def __init__(
        self,
        result: Type,
        address: Any,
        size: Any,
        buffer_type: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    address: Any
    size: Any
    buffer_type: Any

def alloc(
    result: Type,
    address: Any,
    size: Any,
    buffer_type: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class CbrtOp(OpView):
    """Cube root, which negative numbers have, too."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def cbrt(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class CeilOp(OpView):
    """Least integer that is not less."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def ceil(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ClampOp(OpView):
    """Limits elements to a range."""

    def __init__(
        self,
        result: Sequence[Type],
        inputs: Sequence[_Value],
        min: Any,
        max: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    min: Any
    max: Any

def clamp(
    result: Sequence[Type],
    inputs: Sequence[_Value],
    min: Any,
    max: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ConcatOp(OpView):
    """Joins tensors along a dimension."""

    def __init__(
        self,
        result: Type,
        inputs: Sequence[_Value],
        output: _Value,
        dim: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def output(self) -> Value: ...
    dim: Any

def concat(
    result: Type,
    inputs: Sequence[_Value],
    output: _Value,
    dim: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class Conv2dOp(OpView):
    """Convolution over height and width."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        weight: _Value,
        output: _Value,
        device: _Value,
        in_channels: Any,
        out_channels: Any,
        batch_size: Any,
        input_height: Any,
        input_width: Any,
        kernel_height: Any,
        kernel_width: Any,
        stride_height: Any,
        stride_width: Any,
        padding_height: Any,
        padding_width: Any,
        dilation_height: Any,
        dilation_width: Any,
        groups: Any,
        *,
        bias: _Value | None = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def weight(self) -> Value: ...
    @property
    def bias(self) -> Value | None: ...
    @property
    def output(self) -> Value: ...
    @property
    def device(self) -> Value: ...
    in_channels: Any
    out_channels: Any
    batch_size: Any
    input_height: Any
    input_width: Any
    kernel_height: Any
    kernel_width: Any
    stride_height: Any
    stride_width: Any
    padding_height: Any
    padding_width: Any
    dilation_height: Any
    dilation_width: Any
    groups: Any

def conv2d(
    result: Type,
    input: _Value,
    weight: _Value,
    output: _Value,
    device: _Value,
    in_channels: Any,
    out_channels: Any,
    batch_size: Any,
    input_height: Any,
    input_width: Any,
    kernel_height: Any,
    kernel_width: Any,
    stride_height: Any,
    stride_width: Any,
    padding_height: Any,
    padding_width: Any,
    dilation_height: Any,
    dilation_width: Any,
    groups: Any,
    *,
    bias: _Value | None = None,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class CosOp(OpView):
    """Cosine of an angle in radians."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def cos(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class DeallocateOp(OpView):
    """Frees the memory of a tensor."""

    def __init__(
        self,
        input: _Value,
        *,
        force: Any = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    force: Any

def deallocate(
    input: _Value,
    *,
    force: Any = None,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class DivOp(OpView):
    """Quotient of two tensors."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def div(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class EmbeddingOp(OpView):
    """Looks up rows of a table by their numbers."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        output: _Value,
        weight: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    @property
    def weight(self) -> Value: ...

def embedding(
    result: Type,
    input: _Value,
    output: _Value,
    weight: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class EmptyOp(OpView):
    """A tensor for results."""

    def __init__(
        self,
        result: Type,
        shape: Any,
        *,
        device: _Value | None = None,
        dtype: Any = None,
        layout: Any = None,
        memory_config: Any = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def device(self) -> Value | None: ...
    shape: Any
    dtype: Any
    layout: Any
    memory_config: Any

def empty(
    result: Type,
    shape: Any,
    *,
    device: _Value | None = None,
    dtype: Any = None,
    layout: Any = None,
    memory_config: Any = None,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class EqualOp(OpView):
    """Whether elements are equal."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def eq(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ExpOp(OpView):
    """Exponential function."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def exp(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class Expm1Op(OpView):
    """Exponential function less one."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def expm1(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class FloorOp(OpView):
    """Greatest integer that is not greater."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def floor(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class FromDeviceOp(OpView):
    """Copies a tensor to the host."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...

def from_device(
    result: Type,
    input: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class FullOp(OpView):
    """A tensor filled with one number."""

    def __init__(
        self,
        result: Type,
        device: _Value,
        fillValue: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def device(self) -> Value: ...
    fillValue: Any

def full(
    result: Type,
    device: _Value,
    fill_value: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class GreaterEqualOp(OpView):
    """Whether elements are greater than others or equal."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def ge(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class GeluOp(OpView):
    """Gaussian error linear unit."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def gelu(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class GenericOp(OpView):
    """Runs kernels that are written out."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        program: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...
    program: Any

def generic(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    program: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class GetDeviceOp(OpView):
    """The chips that the program runs on."""

    def __init__(
        self,
        device: Type,
        *,
        mesh_shape: Any = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def device(self) -> Value: ...
    mesh_shape: Any

def get_device(
    device: Type,
    *,
    mesh_shape: Any = None,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class GreaterThanOp(OpView):
    """Whether elements are greater than others."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def gt(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class IsFiniteOp(OpView):
    """Whether elements are finite."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def isfinite(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class LessEqualOp(OpView):
    """Whether elements are less than others or equal."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def le(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class LeakyReluOp(OpView):
    """Rectifier with a slope for negative numbers."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        parameter: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...
    parameter: Any

def leaky_relu(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    parameter: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class LogOp(OpView):
    """Natural logarithm."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def log(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class Log1pOp(OpView):
    """Natural logarithm of the element and one."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def log1p(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class LogicalAndOp(OpView):
    """Whether both elements are true."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def logical_and(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class LogicalNotOp(OpView):
    """Whether the element is not true."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def logical_not(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class LogicalOrOp(OpView):
    """Whether one of the elements is true, or both."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def logical_or(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class LogicalXorOp(OpView):
    """Whether exactly one of the elements is true."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def logical_xor(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class LessThanOp(OpView):
    """Whether elements are less than others."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def lt(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MatmulOp(OpView):
    """Matrix product."""

    def __init__(
        self,
        result: Type,
        a: _Value,
        b: _Value,
        output: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def a(self) -> Value: ...
    @property
    def b(self) -> Value: ...
    @property
    def output(self) -> Value: ...

def matmul(
    result: Type,
    a: _Value,
    b: _Value,
    output: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MaxOp(OpView):
    """Maximum over dimensions."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        keep_dim: Any,
        *,
        dim_arg: Any = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    keep_dim: Any
    dim_arg: Any

def max(
    result: Type,
    input: _Value,
    keep_dim: Any,
    *,
    dim_arg: Any = None,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MaxPool2dOp(OpView):
    """Maximum of windows over height and width."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        output: _Value,
        device: _Value,
        batch_size: Any,
        input_height: Any,
        input_width: Any,
        channels: Any,
        kernel_height: Any,
        kernel_width: Any,
        stride_height: Any,
        stride_width: Any,
        dilation_height: Any,
        dilation_width: Any,
        ceil_mode: Any,
        padding_height: Any,
        padding_width: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    @property
    def device(self) -> Value: ...
    batch_size: Any
    input_height: Any
    input_width: Any
    channels: Any
    kernel_height: Any
    kernel_width: Any
    stride_height: Any
    stride_width: Any
    dilation_height: Any
    dilation_width: Any
    ceil_mode: Any
    padding_height: Any
    padding_width: Any

def max_pool2d(
    result: Type,
    input: _Value,
    output: _Value,
    device: _Value,
    batch_size: Any,
    input_height: Any,
    input_width: Any,
    channels: Any,
    kernel_height: Any,
    kernel_width: Any,
    stride_height: Any,
    stride_width: Any,
    dilation_height: Any,
    dilation_width: Any,
    ceil_mode: Any,
    padding_height: Any,
    padding_width: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MaximumOp(OpView):
    """Greater of two elements."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def maximum(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MeanOp(OpView):
    """Mean over dimensions."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        keep_dim: Any,
        *,
        dim_arg: Any = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    keep_dim: Any
    dim_arg: Any

def mean(
    result: Type,
    input: _Value,
    keep_dim: Any,
    *,
    dim_arg: Any = None,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MeshShardOp(OpView):
    """Distributes a whole tensor over the chips of a mesh, or makes the whole of what they have."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        device: _Value,
        shard_type: Any,
        shard_direction: Any,
        shard_shape: Any,
        shard_dims: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def device(self) -> Value: ...
    shard_type: Any
    shard_direction: Any
    shard_shape: Any
    shard_dims: Any

def mesh_shard(
    result: Type,
    input: _Value,
    device: _Value,
    shard_type: Any,
    shard_direction: Any,
    shard_shape: Any,
    shard_dims: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MinimumOp(OpView):
    """Lesser of two elements."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def minimum(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MultiplyOp(OpView):
    """Product of two tensors, element by element."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def multiply(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class NotEqualOp(OpView):
    """Whether elements differ."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def ne(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class NegOp(OpView):
    """Opposite number."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def neg(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ReciprocalOp(OpView):
    """One divided by the element."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def reciprocal(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ReduceScatterOp(OpView):
    """Combines the tensors of several chips, and leaves one part of that on each."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        scatter_split_dim: Any,
        math_op: Any,
        *,
        num_links: Any = None,
        cluster_axis: Any = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    scatter_split_dim: Any
    math_op: Any
    num_links: Any
    cluster_axis: Any

def reduce_scatter(
    result: Type,
    input: _Value,
    scatter_split_dim: Any,
    math_op: Any,
    *,
    num_links: Any = None,
    cluster_axis: Any = None,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ReluOp(OpView):
    """Rectifier: negative elements become zero."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def relu(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class RemainderOp(OpView):
    """Remainder of a division that is rounded towards zero."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def remainder(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ReshapeOp(OpView):
    """The same elements in another shape."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        shape: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    shape: Any

def reshape(
    result: Type,
    input: _Value,
    shape: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class RsqrtOp(OpView):
    """One divided by the square root."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def rsqrt(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SigmoidOp(OpView):
    """Logistic function."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def sigmoid(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SignOp(OpView):
    """Sign: one, zero or minus one."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def sign(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SinOp(OpView):
    """Sine of an angle in radians."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def sin(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SliceOp(OpView):
    """A range of every dimension."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        output: _Value,
        begins: Any,
        ends: Any,
        step: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    begins: Any
    ends: Any
    step: Any

def slice(
    result: Type,
    input: _Value,
    output: _Value,
    begins: Any,
    ends: Any,
    step: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SoftmaxOp(OpView):
    """Exponentials along a dimension, divided by their sum."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        dimension: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    dimension: Any

def softmax(
    result: Type,
    input: _Value,
    dimension: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SqrtOp(OpView):
    """Square root."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def sqrt(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SubtractOp(OpView):
    """Difference of two tensors."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def subtract(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SumOp(OpView):
    """Sum over dimensions."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        keep_dim: Any,
        *,
        dim_arg: Any = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    keep_dim: Any
    dim_arg: Any

def sum(
    result: Type,
    input: _Value,
    keep_dim: Any,
    *,
    dim_arg: Any = None,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ToDeviceOp(OpView):
    """Copies a tensor to the device."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        device: _Value,
        *,
        memory_config: Any = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def device(self) -> Value: ...
    memory_config: Any

def to_device(
    result: Type,
    input: _Value,
    device: _Value,
    *,
    memory_config: Any = None,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ToLayoutOp(OpView):
    """The same elements in another layout."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        layout: Any,
        *,
        device: _Value | None = None,
        dtype: Any = None,
        memory_config: Any = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def device(self) -> Value | None: ...
    layout: Any
    dtype: Any
    memory_config: Any

def to_layout(
    result: Type,
    input: _Value,
    layout: Any,
    *,
    device: _Value | None = None,
    dtype: Any = None,
    memory_config: Any = None,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ToMemoryConfigOp(OpView):
    """The same elements in another memory of the device, or spread otherwise over its cores."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        memory_config: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    memory_config: Any

def to_memory_config(
    result: Type,
    input: _Value,
    memory_config: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class TransposeOp(OpView):
    """Exchanges two dimensions."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        dim0: Any,
        dim1: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    dim0: Any
    dim1: Any

def transpose(
    result: Type,
    input: _Value,
    dim0: Any,
    dim1: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class TTLangOp(OpView):
    """Runs an operation of TT-Lang."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        kernel_id: Any,
        version_tag: Any,
        arg_roles: Any,
        *,
        shard_spec: Any = None,
        kernel_artifact: Any = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...
    kernel_id: Any
    version_tag: Any
    arg_roles: Any
    shard_spec: Any
    kernel_artifact: Any

def tt_lang_op(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    kernel_id: Any,
    version_tag: Any,
    arg_roles: Any,
    *,
    shard_spec: Any = None,
    kernel_artifact: Any = None,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class TypecastOp(OpView):
    """Conversion to another data type."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        dtype: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    dtype: Any

def typecast(
    result: Type,
    input: _Value,
    dtype: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class WhereOp(OpView):
    """Choice between two tensors by a third."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...

def where(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...
