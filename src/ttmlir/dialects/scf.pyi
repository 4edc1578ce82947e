"""The operations of ``scf``. Written by scripts/update_ttmlir_stubs.py from the rows."""

from collections.abc import Sequence
from typing import Any

from ttmlir.bindings.operations import Operation, OpResultList, OpView, Value
from ttmlir.bindings.scope import InsertionPoint, Location
from ttmlir.bindings.types import Type

_Value = Value | Operation | OpView

class IfOp(OpView):
    def __init__(
        self,
        output: Sequence[Type],
        cond: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def cond(self) -> Value: ...
    @property
    def output(self) -> OpResultList: ...

def if_(
    output: Sequence[Type],
    cond: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ForOp(OpView):
    def __init__(
        self,
        res: Sequence[Type],
        lb: _Value,
        ub: _Value,
        step: _Value,
        iter_args: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def lb(self) -> Value: ...
    @property
    def ub(self) -> Value: ...
    @property
    def step(self) -> Value: ...
    @property
    def iter_args(self) -> OpResultList: ...
    @property
    def res(self) -> OpResultList: ...

def for_(
    res: Sequence[Type],
    lb: _Value,
    ub: _Value,
    step: _Value,
    iter_args: Sequence[_Value],
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

class ExecuteRegionOp(OpView):
    """Operation that executes its region exactly once."""

    def __init__(
        self,
        outs: Sequence[Type],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def outs(self) -> OpResultList: ...

def execute_region(
    outs: Sequence[Type],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ConditionOp(OpView):
    def __init__(
        self,
        condition: _Value,
        args: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def condition(self) -> Value: ...
    @property
    def args(self) -> OpResultList: ...

def condition(
    condition: _Value,
    args: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ParallelOp(OpView):
    def __init__(
        self,
        res: Sequence[Type],
        lowerBound: Sequence[_Value],
        upperBound: Sequence[_Value],
        step: Sequence[_Value],
        initVals: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def lowerBound(self) -> OpResultList: ...
    @property
    def upperBound(self) -> OpResultList: ...
    @property
    def step(self) -> OpResultList: ...
    @property
    def initVals(self) -> OpResultList: ...
    @property
    def res(self) -> OpResultList: ...

def parallel(
    res: Sequence[Type],
    lowerBound: Sequence[_Value],
    upperBound: Sequence[_Value],
    step: Sequence[_Value],
    initVals: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ReduceOp(OpView):
    def __init__(
        self,
        args: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def args(self) -> OpResultList: ...

def reduce(
    args: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ReduceReturnOp(OpView):
    def __init__(
        self,
        result: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def reduce_return(
    result: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class WhileOp(OpView):
    def __init__(
        self,
        res: Sequence[Type],
        arguments: Sequence[_Value],
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def arguments(self) -> OpResultList: ...
    @property
    def res(self) -> OpResultList: ...

def while_(
    res: Sequence[Type],
    arguments: Sequence[_Value],
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class IndexSwitchOp(OpView):
    def __init__(
        self,
        output: Sequence[Type],
        arg: _Value,
        cases: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def arg(self) -> Value: ...
    @property
    def output(self) -> OpResultList: ...
    cases: Any

def index_switch(
    output: Sequence[Type],
    arg: _Value,
    cases: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...
