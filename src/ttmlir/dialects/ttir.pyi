"""The operations of ``ttir``. Written by scripts/update_ttmlir_stubs.py from the rows."""

from collections.abc import Sequence
from typing import Any

from ttmlir.bindings import ttir_ir
from ttmlir.bindings.operations import Operation, OpResultList, OpView, Value
from ttmlir.bindings.registration import register_dialect as register_dialect
from ttmlir.bindings.scope import InsertionPoint, Location
from ttmlir.bindings.types import Type

_Value = Value | Operation | OpView
ir = ttir_ir

class AbsOp(OpView):
    """Absolute value."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        operand_constraints: Any,
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
    operand_constraints: Any

def abs(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def add(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        output: _Value,
        dim: Any,
        operand_constraints: Any,
        *,
        cluster_axis: Any = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    dim: Any
    cluster_axis: Any
    operand_constraints: Any

def all_gather(
    result: Type,
    input: _Value,
    output: _Value,
    dim: Any,
    operand_constraints: Any,
    *,
    cluster_axis: Any = None,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class AllReduceOp(OpView):
    """Combines the tensors of several chips; all of them get the result."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        output: _Value,
        reduce_type: Any,
        operand_constraints: Any,
        *,
        cluster_axis: Any = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    reduce_type: Any
    cluster_axis: Any
    operand_constraints: Any

def all_reduce(
    result: Type,
    input: _Value,
    output: _Value,
    reduce_type: Any,
    operand_constraints: Any,
    *,
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
        memory_space: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    address: Any
    size: Any
    memory_space: Any

def alloc(
    result: Type,
    address: Any,
    size: Any,
    memory_space: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class BroadcastOp(OpView):
    """Repeats a tensor along dimensions."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        output: _Value,
        dimension: Any,
        operand_constraints: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    dimension: Any
    operand_constraints: Any

def broadcast(
    result: Type,
    input: _Value,
    output: _Value,
    dimension: Any,
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def cbrt(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def ceil(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ClampOp(OpView):
    """Limits elements to a range."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        output: _Value,
        min: Any,
        max: Any,
        operand_constraints: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    min: Any
    max: Any
    operand_constraints: Any

def clamp(
    result: Type,
    input: _Value,
    output: _Value,
    min: Any,
    max: Any,
    operand_constraints: Any,
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
        operand_constraints: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def output(self) -> Value: ...
    dim: Any
    operand_constraints: Any

def concat(
    result: Type,
    inputs: Sequence[_Value],
    output: _Value,
    dim: Any,
    operand_constraints: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ConstantOp(OpView):
    """A tensor of known values."""

    def __init__(
        self,
        result: Type,
        value: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    value: Any

def constant(
    result: Type,
    value: Any,
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
        stride_height: Any,
        stride_width: Any,
        dilation_height: Any,
        dilation_width: Any,
        groups: Any,
        padding_left: Any,
        padding_right: Any,
        padding_top: Any,
        padding_bottom: Any,
        operand_constraints: Any,
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
    stride_height: Any
    stride_width: Any
    dilation_height: Any
    dilation_width: Any
    groups: Any
    padding_left: Any
    padding_right: Any
    padding_top: Any
    padding_bottom: Any
    operand_constraints: Any

def conv2d(
    result: Type,
    input: _Value,
    weight: _Value,
    output: _Value,
    stride_height: Any,
    stride_width: Any,
    dilation_height: Any,
    dilation_width: Any,
    groups: Any,
    padding_left: Any,
    padding_right: Any,
    padding_top: Any,
    padding_bottom: Any,
    operand_constraints: Any,
    *,
    bias: _Value | None = None,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ConvolutionOp(OpView):
    """Convolution over any number of dimensions, in any order of them."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        weight: _Value,
        output: _Value,
        window_strides: Any,
        padding: Any,
        input_dilation: Any,
        weight_dilation: Any,
        window_reversal: Any,
        convolution_layout: Any,
        feature_group_count: Any,
        batch_group_count: Any,
        operand_constraints: Any,
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
    window_strides: Any
    padding: Any
    input_dilation: Any
    weight_dilation: Any
    window_reversal: Any
    convolution_layout: Any
    feature_group_count: Any
    batch_group_count: Any
    operand_constraints: Any

def convolution(
    result: Type,
    input: _Value,
    weight: _Value,
    output: _Value,
    window_strides: Any,
    padding: Any,
    input_dilation: Any,
    weight_dilation: Any,
    window_reversal: Any,
    convolution_layout: Any,
    feature_group_count: Any,
    batch_group_count: Any,
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def cos(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class DeallocOp(OpView):
    """Ends an allocation."""

    def __init__(
        self,
        result: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def dealloc(
    result: _Value,
    *,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def div(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        weight: _Value,
        output: _Value,
        operand_constraints: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def weight(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    operand_constraints: Any

def embedding(
    result: Type,
    input: _Value,
    weight: _Value,
    output: _Value,
    operand_constraints: Any,
    *,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def eq(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def exp(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def expm1(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class FillOp(OpView):
    """Fills a tensor with known values."""

    def __init__(
        self,
        result: Type,
        output: _Value,
        value: Any,
        operand_constraints: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def output(self) -> Value: ...
    value: Any
    operand_constraints: Any

def fill(
    result: Type,
    output: _Value,
    value: Any,
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def floor(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class GatherOp(OpView):
    """Collects slices that begin at given places."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        start_indices: _Value,
        output: _Value,
        offset_dims: Any,
        collapsed_slice_dims: Any,
        operand_batching_dims: Any,
        start_indices_batching_dims: Any,
        start_index_map: Any,
        index_vector_dim: Any,
        slice_sizes: Any,
        indices_are_sorted: Any,
        operand_constraints: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def start_indices(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    offset_dims: Any
    collapsed_slice_dims: Any
    operand_batching_dims: Any
    start_indices_batching_dims: Any
    start_index_map: Any
    index_vector_dim: Any
    slice_sizes: Any
    indices_are_sorted: Any
    operand_constraints: Any

def gather(
    result: Type,
    input: _Value,
    start_indices: _Value,
    output: _Value,
    offset_dims: Any,
    collapsed_slice_dims: Any,
    operand_batching_dims: Any,
    start_indices_batching_dims: Any,
    start_index_map: Any,
    index_vector_dim: Any,
    slice_sizes: Any,
    indices_are_sorted: Any,
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def ge(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def gelu(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class GenericOp(OpView):
    """Does the work of its region on every core of a grid."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        cbs: Sequence[_Value],
        outputs: Sequence[_Value],
        grid: Any,
        indexing_maps: Any,
        iterator_types: Any,
        operand_constraints: Any,
        *,
        operand_cb_mapping: Any = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    @property
    def cbs(self) -> OpResultList: ...
    @property
    def outputs(self) -> OpResultList: ...
    @property
    def results_(self) -> OpResultList: ...
    grid: Any
    indexing_maps: Any
    iterator_types: Any
    operand_constraints: Any
    operand_cb_mapping: Any

def generic(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    cbs: Sequence[_Value],
    outputs: Sequence[_Value],
    grid: Any,
    indexing_maps: Any,
    iterator_types: Any,
    operand_constraints: Any,
    *,
    operand_cb_mapping: Any = None,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class GetDimensionSizeOp(OpView):
    """The extent of a dimension, as a tensor."""

    def __init__(
        self,
        result: Type,
        operand: _Value,
        dimension: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def operand(self) -> Value: ...
    dimension: Any

def get_dimension_size(
    result: Type,
    operand: _Value,
    dimension: Any,
    *,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def gt(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class IndexOp(OpView):
    """A range of one dimension."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        output: _Value,
        dim: Any,
        begin: Any,
        end: Any,
        step: Any,
        operand_constraints: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    dim: Any
    begin: Any
    end: Any
    step: Any
    operand_constraints: Any

def index(
    result: Type,
    input: _Value,
    output: _Value,
    dim: Any,
    begin: Any,
    end: Any,
    step: Any,
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def isfinite(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class KernelOp(OpView):
    """Calls a kernel by its name."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        op: Any,
        kind: Any,
        operand_constraints: Any,
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
    op: Any
    kind: Any
    operand_constraints: Any

def kernel(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    op: Any,
    kind: Any,
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def le(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def leaky_relu(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    parameter: Any,
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def log(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def log1p(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def logical_and(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def logical_not(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def logical_or(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def logical_xor(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def lt(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def matmul(
    result: Type,
    a: _Value,
    b: _Value,
    output: _Value,
    operand_constraints: Any,
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
        output: _Value,
        keep_dim: Any,
        operand_constraints: Any,
        *,
        dim_arg: Any = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    keep_dim: Any
    dim_arg: Any
    operand_constraints: Any

def max(
    result: Type,
    input: _Value,
    output: _Value,
    keep_dim: Any,
    operand_constraints: Any,
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
        kernel_height: Any,
        kernel_width: Any,
        stride_height: Any,
        stride_width: Any,
        dilation_height: Any,
        dilation_width: Any,
        ceil_mode: Any,
        padding_left: Any,
        padding_right: Any,
        padding_top: Any,
        padding_bottom: Any,
        operand_constraints: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    kernel_height: Any
    kernel_width: Any
    stride_height: Any
    stride_width: Any
    dilation_height: Any
    dilation_width: Any
    ceil_mode: Any
    padding_left: Any
    padding_right: Any
    padding_top: Any
    padding_bottom: Any
    operand_constraints: Any

def max_pool2d(
    result: Type,
    input: _Value,
    output: _Value,
    kernel_height: Any,
    kernel_width: Any,
    stride_height: Any,
    stride_width: Any,
    dilation_height: Any,
    dilation_width: Any,
    ceil_mode: Any,
    padding_left: Any,
    padding_right: Any,
    padding_top: Any,
    padding_bottom: Any,
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def maximum(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        output: _Value,
        keep_dim: Any,
        operand_constraints: Any,
        *,
        dim_arg: Any = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    keep_dim: Any
    dim_arg: Any
    operand_constraints: Any

def mean(
    result: Type,
    input: _Value,
    output: _Value,
    keep_dim: Any,
    operand_constraints: Any,
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
        output: _Value,
        shard_type: Any,
        shard_direction: Any,
        shard_shape: Any,
        shard_dims: Any,
        operand_constraints: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    shard_type: Any
    shard_direction: Any
    shard_shape: Any
    shard_dims: Any
    operand_constraints: Any

def mesh_shard(
    result: Type,
    input: _Value,
    output: _Value,
    shard_type: Any,
    shard_direction: Any,
    shard_shape: Any,
    shard_dims: Any,
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def minimum(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def multiply(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def ne(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def neg(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class PoolingOp(OpView):
    """Maximum or mean of windows over any dimensions."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        pooling_method: Any,
        window_dimensions: Any,
        window_strides: Any,
        base_dilations: Any,
        window_dilations: Any,
        padding: Any,
        operand_constraints: Any,
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
    pooling_method: Any
    window_dimensions: Any
    window_strides: Any
    base_dilations: Any
    window_dilations: Any
    padding: Any
    operand_constraints: Any

def pooling(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    pooling_method: Any,
    window_dimensions: Any,
    window_strides: Any,
    base_dilations: Any,
    window_dilations: Any,
    padding: Any,
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def reciprocal(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        output: _Value,
        scatter_dim: Any,
        reduce_type: Any,
        operand_constraints: Any,
        *,
        cluster_axis: Any = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    scatter_dim: Any
    reduce_type: Any
    cluster_axis: Any
    operand_constraints: Any

def reduce_scatter(
    result: Type,
    input: _Value,
    output: _Value,
    scatter_dim: Any,
    reduce_type: Any,
    operand_constraints: Any,
    *,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def relu(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def remainder(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        output: _Value,
        shape: Any,
        operand_constraints: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    shape: Any
    operand_constraints: Any

def reshape(
    result: Type,
    input: _Value,
    output: _Value,
    shape: Any,
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def rsqrt(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def sigmoid(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def sign(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def sin(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def slice(
    result: Type,
    input: _Value,
    output: _Value,
    begins: Any,
    ends: Any,
    step: Any,
    operand_constraints: Any,
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
        output: _Value,
        dimension: Any,
        operand_constraints: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    dimension: Any
    operand_constraints: Any

def softmax(
    result: Type,
    input: _Value,
    output: _Value,
    dimension: Any,
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def sqrt(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SqueezeOp(OpView):
    """Takes away a dimension of extent one."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        output: _Value,
        dim: Any,
        operand_constraints: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    dim: Any
    operand_constraints: Any

def squeeze(
    result: Type,
    input: _Value,
    output: _Value,
    dim: Any,
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def subtract(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
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
        output: _Value,
        keep_dim: Any,
        operand_constraints: Any,
        *,
        dim_arg: Any = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    keep_dim: Any
    dim_arg: Any
    operand_constraints: Any

def sum(
    result: Type,
    input: _Value,
    output: _Value,
    keep_dim: Any,
    operand_constraints: Any,
    *,
    dim_arg: Any = None,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ToLayoutOp(OpView):
    """The same elements in another layout."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        output: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def output(self) -> Value: ...

def to_layout(
    result: Type,
    input: _Value,
    output: _Value,
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
        output: _Value,
        dim0: Any,
        dim1: Any,
        operand_constraints: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    dim0: Any
    dim1: Any
    operand_constraints: Any

def transpose(
    result: Type,
    input: _Value,
    output: _Value,
    dim0: Any,
    dim1: Any,
    operand_constraints: Any,
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
        operand_constraints: Any = None,
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
    operand_constraints: Any

def tt_lang_op(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    kernel_id: Any,
    version_tag: Any,
    arg_roles: Any,
    *,
    shard_spec: Any = None,
    operand_constraints: Any = None,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class TypecastOp(OpView):
    """Conversion to the element type of the result."""

    def __init__(
        self,
        results_: Sequence[Type],
        inputs: Sequence[_Value],
        outputs: Sequence[_Value],
        operand_constraints: Any,
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
    operand_constraints: Any

def typecast(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class UnsqueezeOp(OpView):
    """Inserts a dimension of extent one."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        output: _Value,
        dim: Any,
        operand_constraints: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def output(self) -> Value: ...
    dim: Any
    operand_constraints: Any

def unsqueeze(
    result: Type,
    input: _Value,
    output: _Value,
    dim: Any,
    operand_constraints: Any,
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
        operand_constraints: Any,
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
    operand_constraints: Any

def where(
    results_: Sequence[Type],
    inputs: Sequence[_Value],
    outputs: Sequence[_Value],
    operand_constraints: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class YieldOp(OpView):
    """Ends a region and gives its values."""

    def __init__(
        self,
        values: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def values(self) -> OpResultList: ...

def yield_(
    values: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...
