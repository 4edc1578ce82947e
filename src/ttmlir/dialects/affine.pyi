"""The operations of ``affine``. Written by scripts/update_ttmlir_stubs.py from the rows."""

from collections.abc import Sequence
from typing import Any

from ttmlir.bindings.operations import Operation, OpResultList, OpView, Value
from ttmlir.bindings.scope import InsertionPoint, Location
from ttmlir.bindings.types import Type

_Value = Value | Operation | OpView

class ApplyOp(OpView):
    def __init__(
        self,
        result: Type,
        mapOperands: Sequence[_Value],
        map: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def mapOperands(self) -> OpResultList: ...
    map: Any

def apply(
    result: Type,
    map_operands: Sequence[_Value],
    map: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ForOp(OpView):
    def __init__(
        self,
        res: Sequence[Type],
        lowerBoundOperands: Sequence[_Value],
        upperBoundOperands: Sequence[_Value],
        inits: Sequence[_Value],
        lowerBoundMap: Any,
        upperBoundMap: Any,
        step: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def lowerBoundOperands(self) -> OpResultList: ...
    @property
    def upperBoundOperands(self) -> OpResultList: ...
    @property
    def inits(self) -> OpResultList: ...
    @property
    def res(self) -> OpResultList: ...
    lowerBoundMap: Any
    upperBoundMap: Any
    step: Any

def for_(
    res: Sequence[Type],
    lower_bound_operands: Sequence[_Value],
    upper_bound_operands: Sequence[_Value],
    inits: Sequence[_Value],
    lower_bound_map: Any,
    upper_bound_map: Any,
    step: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ParallelOp(OpView):
    """See external [documentation](https://mlir.llvm.org/docs/Dialects/Affine/#affineparallel-affineaffineparallelop)."""

    def __init__(
        self,
        res: Sequence[Type],
        map_operands: Sequence[_Value],
        reductions: Any,
        lowerBoundsMap: Any,
        lowerBoundsGroups: Any,
        upperBoundsMap: Any,
        upperBoundsGroups: Any,
        steps: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def map_operands(self) -> OpResultList: ...
    @property
    def res(self) -> OpResultList: ...
    reductions: Any
    lowerBoundsMap: Any
    lowerBoundsGroups: Any
    upperBoundsMap: Any
    upperBoundsGroups: Any
    steps: Any

def parallel(
    res: Sequence[Type],
    map_operands: Sequence[_Value],
    reductions: Any,
    lower_bounds_map: Any,
    lower_bounds_groups: Any,
    upper_bounds_map: Any,
    upper_bounds_groups: Any,
    steps: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class IfOp(OpView):
    """See external [documentation](https://mlir.llvm.org/docs/Dialects/Affine/#affineif-affineaffineifop)."""

    def __init__(
        self,
        res: Sequence[Type],
        args: Sequence[_Value],
        condition: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def args(self) -> OpResultList: ...
    @property
    def res(self) -> OpResultList: ...
    condition: Any

def if_(
    res: Sequence[Type],
    args: Sequence[_Value],
    condition: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class StoreOp(OpView):
    def __init__(
        self,
        value: _Value,
        memref: _Value,
        indices: Sequence[_Value],
        map: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def value(self) -> Value: ...
    @property
    def memref(self) -> Value: ...
    @property
    def indices(self) -> OpResultList: ...
    map: Any

def store(
    value: _Value,
    memref: _Value,
    indices: Sequence[_Value],
    map: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class LoadOp(OpView):
    def __init__(
        self,
        result: Type,
        memref: _Value,
        indices: Sequence[_Value],
        map: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def memref(self) -> Value: ...
    @property
    def indices(self) -> OpResultList: ...
    map: Any

def load(
    result: Type,
    memref: _Value,
    indices: Sequence[_Value],
    map: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MinOp(OpView):
    def __init__(
        self,
        result: Type,
        arguments: Sequence[_Value],
        map: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def arguments(self) -> OpResultList: ...
    map: Any

def min(
    result: Type,
    arguments: Sequence[_Value],
    map: Any,
    *,
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

class VectorLoadOp(OpView):
    """Reads a slice from a MemRef into a vector."""

    def __init__(
        self,
        result: Type,
        memref: _Value,
        indices: Sequence[_Value],
        map: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def memref(self) -> Value: ...
    @property
    def indices(self) -> OpResultList: ...
    map: Any

def vector_load(
    result: Type,
    memref: _Value,
    indices: Sequence[_Value],
    map: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class VectorStoreOp(OpView):
    """Writes a vector into a slice within a MemRef."""

    def __init__(
        self,
        value: _Value,
        memref: _Value,
        indices: Sequence[_Value],
        map: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def value(self) -> Value: ...
    @property
    def memref(self) -> Value: ...
    @property
    def indices(self) -> OpResultList: ...
    map: Any

def vector_store(
    value: _Value,
    memref: _Value,
    indices: Sequence[_Value],
    map: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...
