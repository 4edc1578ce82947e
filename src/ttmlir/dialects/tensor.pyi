"""The operations of ``tensor``. Written by scripts/update_ttmlir_stubs.py from the rows."""

from collections.abc import Sequence
from typing import Any

from ttmlir.bindings.operations import Operation, OpResultList, OpView, Value
from ttmlir.bindings.scope import InsertionPoint, Location
from ttmlir.bindings.types import Type

_Value = Value | Operation | OpView

class CastOp(OpView):
    """Tensor cast operation."""

    def __init__(
        self,
        dest: Type,
        source: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def source(self) -> Value: ...
    @property
    def dest(self) -> Value: ...

def cast(
    dest: Type,
    source: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class CollapseShapeOp(OpView):
    """Operation to produce a tensor with a smaller rank."""

    def __init__(
        self,
        result: Type,
        src: _Value,
        reassociation: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def src(self) -> Value: ...
    reassociation: Any

def collapse_shape(
    result: Type,
    src: _Value,
    reassociation: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ConcatOp(OpView):
    """Tensor concatenation operation."""

    def __init__(
        self,
        result: Type,
        inputs: Sequence[_Value],
        dim: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def inputs(self) -> OpResultList: ...
    dim: Any

def concat(
    result: Type,
    inputs: Sequence[_Value],
    dim: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class DimOp(OpView):
    """Dimension index operation."""

    def __init__(
        self,
        result: Type,
        source: _Value,
        index: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def source(self) -> Value: ...
    @property
    def index(self) -> Value: ...

def dim(
    result: Type,
    source: _Value,
    index: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class EmptyOp(OpView):
    """Empty tensor operation."""

    def __init__(
        self,
        tensor: Type,
        dynamic_sizes: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def dynamic_sizes(self) -> OpResultList: ...
    @property
    def tensor(self) -> Value: ...

def empty(
    tensor: Type,
    dynamic_sizes: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ExpandShapeOp(OpView):
    """Operation to produce a tensor with a higher rank."""

    def __init__(
        self,
        result: Type,
        src: _Value,
        dynamic_output_shape: Sequence[_Value],
        reassociation: Any,
        static_output_shape: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def src(self) -> Value: ...
    @property
    def dynamic_output_shape(self) -> OpResultList: ...
    reassociation: Any
    static_output_shape: Any

def expand_shape(
    result: Type,
    src: _Value,
    dynamic_output_shape: Sequence[_Value],
    reassociation: Any,
    static_output_shape: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ExtractOp(OpView):
    """Element extraction operation."""

    def __init__(
        self,
        result: Type,
        tensor: _Value,
        indices: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def tensor(self) -> Value: ...
    @property
    def indices(self) -> OpResultList: ...

def extract(
    result: Type,
    tensor: _Value,
    indices: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ExtractSliceOp(OpView):
    """Extract slice operation."""

    def __init__(
        self,
        result: Type,
        source: _Value,
        offsets: Sequence[_Value],
        sizes: Sequence[_Value],
        strides: Sequence[_Value],
        static_offsets: Any,
        static_sizes: Any,
        static_strides: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def source(self) -> Value: ...
    @property
    def offsets(self) -> OpResultList: ...
    @property
    def sizes(self) -> OpResultList: ...
    @property
    def strides(self) -> OpResultList: ...
    static_offsets: Any
    static_sizes: Any
    static_strides: Any

def extract_slice(
    result: Type,
    source: _Value,
    offsets: Sequence[_Value],
    sizes: Sequence[_Value],
    strides: Sequence[_Value],
    static_offsets: Any,
    static_sizes: Any,
    static_strides: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class FromElementsOp(OpView):
    """Tensor from elements operation."""

    def __init__(
        self,
        result: Type,
        elements: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def elements(self) -> OpResultList: ...

def from_elements(
    result: Type,
    elements: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class InsertOp(OpView):
    """Element insertion operation."""

    def __init__(
        self,
        result: Type,
        scalar: _Value,
        dest: _Value,
        indices: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def scalar(self) -> Value: ...
    @property
    def dest(self) -> Value: ...
    @property
    def indices(self) -> OpResultList: ...

def insert(
    result: Type,
    scalar: _Value,
    dest: _Value,
    indices: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class InsertSliceOp(OpView):
    """Insert_slice operation."""

    def __init__(
        self,
        result: Type,
        source: _Value,
        dest: _Value,
        offsets: Sequence[_Value],
        sizes: Sequence[_Value],
        strides: Sequence[_Value],
        static_offsets: Any,
        static_sizes: Any,
        static_strides: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def source(self) -> Value: ...
    @property
    def dest(self) -> Value: ...
    @property
    def offsets(self) -> OpResultList: ...
    @property
    def sizes(self) -> OpResultList: ...
    @property
    def strides(self) -> OpResultList: ...
    static_offsets: Any
    static_sizes: Any
    static_strides: Any

def insert_slice(
    result: Type,
    source: _Value,
    dest: _Value,
    offsets: Sequence[_Value],
    sizes: Sequence[_Value],
    strides: Sequence[_Value],
    static_offsets: Any,
    static_sizes: Any,
    static_strides: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ReshapeOp(OpView):
    """Tensor reshape operation."""

    def __init__(
        self,
        result: Type,
        source: _Value,
        shape: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def source(self) -> Value: ...
    @property
    def shape(self) -> Value: ...

def reshape(
    result: Type,
    source: _Value,
    shape: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SplatOp(OpView):
    """Tensor splat or broadcast operation."""

    def __init__(
        self,
        result: Type,
        input: _Value,
        dynamicSizes: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def input(self) -> Value: ...
    @property
    def dynamicSizes(self) -> OpResultList: ...

def splat(
    result: Type,
    input: _Value,
    dynamicSizes: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class PadOp(OpView):
    """Tensor pad operation."""

    def __init__(
        self,
        result: Type,
        source: _Value,
        low: Sequence[_Value],
        high: Sequence[_Value],
        static_low: Any,
        static_high: Any,
        *,
        nofold: Any = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def source(self) -> Value: ...
    @property
    def low(self) -> OpResultList: ...
    @property
    def high(self) -> OpResultList: ...
    static_low: Any
    static_high: Any
    nofold: Any

def pad(
    result: Type,
    source: _Value,
    low: Sequence[_Value],
    high: Sequence[_Value],
    static_low: Any,
    static_high: Any,
    *,
    nofold: Any = None,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class YieldOp(OpView):
    def __init__(
        self,
        arguments: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def arguments(self) -> OpResultList: ...

def yield_(
    arguments: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...
