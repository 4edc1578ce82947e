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
    """absolute value"""

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
    """sum of two tensors"""

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
    """gathering of the parts on all chips"""

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

def all_gather(
    result: Type,
    input: _Value,
    output: _Value,
    dim: Any,
    operand_constraints: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class AllocOp(OpView):
    """allocation of a tensor at an address"""

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
    """repetition along dimensions"""

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
    """cube root"""

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
    """next integer above"""

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
    """limits"""

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
    """tensors one after another"""

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
    """tensor of known values"""

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
    """convolution over height and width"""

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
    """convolution in any number of dimensions and any order of them"""

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
    """cosine"""

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
    """end of an allocation"""

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
    """quotient of two tensors"""

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
    """rows of a table by their numbers"""

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
    """whether elements are equal"""

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
    """exponential"""

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
    """exponential less one"""

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
    """tensor filled with a value"""

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
    """next integer below"""

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
    """slices at given offsets"""

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
    """whether elements are greater or equal"""

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
    """Gaussian error linear unit"""

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
    """region that is applied to the tiles of its operands"""

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
    """extent of a dimension"""

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
    """whether elements are greater"""

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
    """range of a dimension"""

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
    """whether elements are finite"""

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
    """kernel by its name"""

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
    """whether elements are less or equal"""

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
    """rectifier with a slope below zero"""

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
    """natural logarithm"""

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
    """natural logarithm of one more"""

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
    """whether both elements are non-zero"""

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
    """whether the element is zero"""

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
    """whether one of the elements is non-zero"""

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
    """whether exactly one of the elements is non-zero"""

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
    """whether elements are less"""

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
    """matrix product"""

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
    """maximum over dimensions"""

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
    """maximum of windows over height and width"""

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
    """greater of two elements"""

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
    """mean over dimensions"""

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

class MinimumOp(OpView):
    """lesser of two elements"""

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
    """product of two tensors"""

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
    """whether elements differ"""

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
    """opposite"""

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
    """combination of windows in any dimensions"""

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
    """reciprocal"""

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

class ReluOp(OpView):
    """rectifier"""

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
    """remainder of a division"""

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
    """same elements in another shape"""

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
    """reciprocal of the square root"""

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
    """logistic function"""

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
    """sign"""

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
    """sine"""

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
    """range of every dimension"""

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
    """normalised exponentials along a dimension"""

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
    """square root"""

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
    """removal of a dimension of extent one"""

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
    """difference of two tensors"""

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
    """sum over dimensions"""

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
    """same elements in another layout"""

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
    """exchange of two dimensions"""

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

class TypecastOp(OpView):
    """conversion to the element type of the result"""

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
    """insertion of a dimension of extent one"""

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
    """choice between two tensors by a third"""

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
    """values of a region"""

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
