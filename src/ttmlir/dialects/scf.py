"""The operations of ``scf``: loops and conditions, and a class and a function for each other one that is known here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from xdsl.dialects import scf as xdsl_scf
from xdsl.ir import Block as XdslBlock
from xdsl.ir import Region as XdslRegion

from ttmlir.bindings.insertion import InsertionPoint
from ttmlir.bindings.operations import (
    BlockHandle,
    OperationHandle,
    OpResultList,
    OpView,
    ValueHandle,
    value_of,
)
from ttmlir.bindings.scope import Location, Type, location_or_current
from ttmlir.bindings.types import IndexType
from ttmlir.bindings.views import member_of, namespace_of
from ttmlir.dialects.arith import constant


class ForOp(OpView):
    """``scf.for``: ``body`` has the induction variable, then the values that are carried from one iteration to the next."""

    OPERATION_NAME = "scf.for"

    def __init__(
        self,
        lower_bound: ValueHandle | OperationHandle | OpView,
        upper_bound: ValueHandle | OpView | None = None,
        step: ValueHandle | OpView | None = None,
        iter_args: Sequence[ValueHandle] | OpView | None = None,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None:
        if isinstance(lower_bound, OperationHandle) and upper_bound is None:
            super().__init__(lower_bound)
            return
        bounds = [value_of(one) for one in (lower_bound, upper_bound, step)]
        carried = [value_of(one) for one in _values(iter_args)]
        place = location_or_current(loc)
        block = XdslBlock(arg_types=[bounds[0].type, *(value.type for value in carried)])
        for argument in block.args:
            argument.location = place.xdsl
        first, last, by = bounds
        operation = xdsl_scf.ForOp(first, last, by, carried, XdslRegion(block))
        self._write(operation, place, ip)

    @property
    def body(self) -> BlockHandle:
        """The operations of each iteration; the block must end with ``scf.yield``."""
        return _only_block(self, 0)

    @property
    def induction_variable(self) -> ValueHandle:
        """The number of the iteration."""
        variable: ValueHandle = self.body.arguments[0]
        return variable

    @property
    def inner_iter_args(self) -> OpResultList:
        """The carried values, as the body sees them."""
        return OpResultList(list(self.body.arguments)[1:])


class IfOp(OpView):
    """``scf.if``. With ``hasElse`` there is a second block; an operation with results has to have one."""

    OPERATION_NAME = "scf.if"

    def __init__(
        self,
        cond: ValueHandle | OperationHandle | OpView,
        results_: Sequence[Type] | None = None,
        *,
        hasElse: bool = False,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None:
        if isinstance(cond, OperationHandle) and cond.name == self.OPERATION_NAME:
            super().__init__(cond)
            return
        place = location_or_current(loc)
        types = [one.xdsl for one in results_ or ()]
        otherwise = XdslRegion(XdslBlock()) if hasElse else XdslRegion()
        operation = xdsl_scf.IfOp(value_of(cond), types, XdslRegion(XdslBlock()), otherwise)
        self._write(operation, place, ip)

    @property
    def then_block(self) -> BlockHandle:
        """The operations that run where the condition holds."""
        return _only_block(self, 0)

    @property
    def else_block(self) -> BlockHandle:
        """The block that runs if the condition is false. Raises ``IndexError`` if there is no such block."""
        return _only_block(self, 1)


class YieldOp(OpView):
    """``scf.yield``: what a body gives to its loop or condition."""

    OPERATION_NAME = "scf.yield"

    def __init__(
        self,
        results_: Sequence[ValueHandle] | OperationHandle | OpView | None = None,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None:
        if isinstance(results_, OperationHandle) and results_.name == self.OPERATION_NAME:
            super().__init__(results_)
            return
        place = location_or_current(loc)
        operation = xdsl_scf.YieldOp(*(value_of(one) for one in _values(results_)))
        self._write(operation, place, ip)


def yield_(
    results_: Sequence[ValueHandle] | None = None,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> YieldOp:
    """End a body."""
    return YieldOp(results_, loc=loc, ip=ip)


def for_(
    start: int | ValueHandle,
    stop: int | ValueHandle | None = None,
    step: int | ValueHandle | None = None,
    iter_args: Sequence[ValueHandle] | None = None,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Iterator[Any]:
    """``for i in for_(0, 8):`` makes a loop; what is made in the body of the ``for`` is in the loop.

    Yields the induction variable; with carried values also those (one, or a tuple), and the results of the loop.
    """
    first, last = (0, start) if stop is None else (start, stop)
    index = IndexType.get(loc.context if loc is not None else None)
    bounds = [
        constant(index, bound, loc=loc, ip=ip) if isinstance(bound, int) else bound
        for bound in (first, last, 1 if step is None else step)
    ]
    loop = ForOp(bounds[0], bounds[1], bounds[2], iter_args, loc=loc, ip=ip)
    carried = tuple(loop.inner_iter_args)
    with InsertionPoint(loop.body):
        if not carried:
            yield loop.induction_variable
        elif len(carried) == 1:
            yield loop.induction_variable, carried[0], loop.results[0]
        else:
            yield loop.induction_variable, carried, loop.results


def _only_block(view: OpView, region: int) -> BlockHandle:
    block: BlockHandle = view.regions[region].blocks[0]
    return block


def _values(values: Any) -> list[Any]:
    if values is None:
        return []
    if isinstance(values, OperationHandle | OpView):
        return list(values.results)
    return [values] if isinstance(values, ValueHandle) else list(values)


WRITTEN = (ForOp, IfOp, YieldOp)


def __getattr__(name: str) -> Any:
    return member_of("scf", name)


def __dir__() -> list[str]:
    return sorted({*namespace_of("scf"), *(view.__name__ for view in WRITTEN), "for_", "yield_"})
