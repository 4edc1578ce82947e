"""Values that are recorded and not yet computed, and the moment when they are computed.

A store records an expression and continues; values are computed together when a program reads data, when the operation ends, or
when enough are pending. The executor knows how they are computed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ttl.lang.arguments import match_store, refuse_store
from ttl.protocol.blocks import Step
from ttl.rows.dtypes import Array
from ttl.rows.row import Op, Params
from ttl.rows.table import MUL, TYPECAST
from ttl.rows.types import BlockType
from ttl.sim.block import SimBlock
from ttl.sim.values import Expr, Value

if TYPE_CHECKING:
    from ttl.sim.kernel import RunningLaunch

# An expression larger than this is computed in parts, so that memory and time per step stay flat.
LARGEST_EXPRESSION = 256
# An expression of this size that is used again is computed once, by itself, for all its uses.
SHARED_EXPRESSION = 8
# Pending work that triggers a flush: operations, bytes of results. Few enough to stay in the cache.
_PENDING_OPERATIONS = 1024
_PENDING_BYTES = 64 << 20


class Pending:
    """The pending values of one launch.

    While it is ``suspended``, nothing is computed and nothing written. ``on_flush`` is called after each flush, for the
    progress that long launches show.
    """

    __slots__ = ("_bytes", "_engine", "_operations", "_values", "on_flush", "suspended")

    def __init__(self, engine: RunningLaunch) -> None:
        self._engine = engine
        self._values: list[Value] = []
        self._operations = 0
        self._bytes = 0
        self.suspended = False
        self.on_flush: Callable[[], None] | None = None

    def __len__(self) -> int:
        return len(self._values)

    def stored(self, expr: Any, target: SimBlock) -> Value:
        """The value that storing ``expr`` into a block puts there; checks type and shape."""
        type_ = target.buffer.type
        kind = type(expr)
        if kind is Expr:
            if expr.type is not type_:
                match_store(self._engine, expr.type, target)
            if expr.value is None and expr.used and expr.size >= SHARED_EXPRESSION:
                self.fold(expr)
            expr.used = True
            if expr.value is not None:
                return self._converted(expr.value, type_)
            value = Value(type_, expr.valid, None, expr)
            # As in ``_record``; a store is the hot path.
            self._values.append(value)
            self._operations += expr.size
            self._bytes += type_.nbytes
            if self._operations > _PENDING_OPERATIONS or self._bytes > _PENDING_BYTES:
                self.flush()
            return value
        if kind is SimBlock:
            if expr.kernel is not target.kernel:
                expr.illegal(Step.READ)
            stored: Value = expr.read()
            if stored.type is type_:
                return stored
            match_store(self._engine, stored.type, target)
            return self._converted(stored, type_)
        refuse_store(self._engine, expr, target)

    def fold(self, expr: Expr) -> Value:
        """Make a large expression a value of its own, unrounded."""
        value = expr.value = Value(expr.type, expr.valid, None, expr, exact=True)
        self._record(value, expr.size)
        return value

    def flush(self) -> None:
        """Compute everything pending and carry out all writes to tensors."""
        if self.suspended:
            return
        engine = self._engine
        self.suspended = True
        try:
            values, self._values = self._values, []
            self._operations = self._bytes = 0
            if values:
                engine.executor.run(values, engine.memory)
            engine.memory.commit()
        finally:
            self.suspended = False
        if self.on_flush is not None:
            self.on_flush()

    def drop(self) -> None:
        """Forget the recorded values: the launch is over."""
        self._values.clear()

    def value_of(self, expr: Expr) -> Value:
        """The value of an expression, computed now and not rounded."""
        self.flush()
        value = expr.value
        if value is None:
            value = Value(expr.type, expr.valid, None, expr, exact=True)
            self._engine.executor.run([value], self._engine.memory)
        return value

    def array_of(self, value: Value) -> Array:
        """Data of a value in element shape, in arithmetic type; flushes."""
        if value.array is None:
            self.flush()
        array: Array = self._engine.executor.load(value, self._engine.memory)
        return array

    def _record(self, value: Value, operations: int) -> None:
        self._values.append(value)
        self._operations += operations
        self._bytes += value.type.nbytes
        if self._operations > _PENDING_OPERATIONS or self._bytes > _PENDING_BYTES:
            self.flush()

    def _converted(self, value: Value, type_: BlockType) -> Value:
        expr = converted(self._engine, value, type_)
        stored = Value(type_, value.valid, None, expr)
        self._record(stored, 1)
        return stored


def converted(engine: RunningLaunch, value: Value, type_: BlockType) -> Expr:
    """A value in another element type; rounded, if it was not yet."""
    args: list[Any] = [value]
    op: Op = TYPECAST
    params: Params = (type_.dtype,)
    keeps_float32 = engine.settings.precision == "fp32"
    if keeps_float32 and type_.dtype.is_float and value.type.dtype.is_float:
        op, params, args = MUL, (), [value, 1]  # changes the type and no element
    return Expr(engine, op, args, params, type_, value.valid, 1, False, None)
