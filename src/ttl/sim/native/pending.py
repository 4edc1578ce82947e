"""The Python side of pending values, recorded and not yet computed, under the native core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, cast

from ttl import control, native
from ttl.lang.arguments import match_store, refuse_store
from ttl.protocol.blocks import Step
from ttl.rows.dtypes import FLOAT32, Array
from ttl.rows.types import BlockType
from ttl.sim.block import SimBlock
from ttl.sim.native import instruction_sets, lowering
from ttl.sim.pending import SHARED_EXPRESSION, converted
from ttl.sim.program import GivenNumber, Key, decode
from ttl.sim.values import Expr, Value, fail_uncomputed

if TYPE_CHECKING:
    from ttl._core import Pending as _PENDING
    from ttl.sim.kernel import RunningLaunch
    from ttl.sim.native.memory import NativeMemory
else:
    _PENDING = control.base("Pending") if control.NATIVE else object


class NativePending(_PENDING):
    """The pending values of one launch."""

    __slots__ = ("_engine",)

    def __init__(self, engine: RunningLaunch) -> None:
        super().__init__(engine)
        self._engine = engine
        settings = engine.settings
        spec = settings.precision == "spec" and not settings.sanitize
        self.natively = spec and settings.executor != "numpy"
        self.unrounded = settings.precision == "fp32"
        self.limit_bytes = settings.pending_mb << 20
        self.threads = native.threads(settings)
        if self.natively:
            instruction_sets.use(settings)
        self.prepare = _prepare
        self.compute = self._compute
        self.commit_view = cast("NativeMemory", engine.memory).commit_view

    def stored(self, expr: Any, target: SimBlock) -> Value:
        """The value that storing ``expr`` into a block puts there; checks type and shape."""
        type_ = target.buffer.type
        kind = type(expr)
        if kind is Expr:
            if expr.type is not type_:
                match_store(self._engine, expr.type, target)
            if expr.value is None and expr.used and (expr.heavy or expr.size >= SHARED_EXPRESSION):
                self.fold(expr)
            expr.used = True
            if expr.value is not None:
                return self._converted(expr.value, type_)
            return self.record(expr, type_)
        if kind is SimBlock:
            if expr.kernel is not target.kernel:
                expr.illegal(Step.READ)
            stored: Value = expr.read()
            if stored.type is type_:
                return stored
            match_store(self._engine, stored.type, target)
            return self._converted(stored, type_)
        refuse_store(self._engine, expr, target)

    def begin_tape(self) -> None:
        """Record computations on a tape from now on."""
        self.tape = control.tape()
        if not self.natively:
            self.tape.refuse("blocks are not computed by the native machine")

    def refuse_tape(self, reason: str = "somebody looks at data while it runs") -> None:
        """Refuse the tape: the launch cannot be kept."""
        if self.tape is not None:
            self.tape.refuse(reason)

    def end_tape(self, ranges: list[tuple[int, int, int, bool]]) -> Any:
        """Return the tape, or the reason why it was refused.

        ``ranges``: address, bytes and position of each tensor's memory, and whether it is written.
        """
        tape, self.tape = self.tape, None
        return tape.finish(ranges) or tape

    def value_of(self, expr: Expr) -> Value:
        """The value of an expression, computed now and not rounded."""
        value = expr.value
        if value is None:
            one = Expr(
                self._engine, expr.op, expr.args, expr.params, expr.type, expr.valid, expr.size, False, None
            )
            value = self.fold(one)
        self.flush()
        return value

    def array_of(self, value: Value) -> Array:
        """Data of a value in element shape, in arithmetic type; flushes."""
        self.refuse_tape()
        if value.array is None:
            self.flush()
        array: Array = self._engine.executor.load(value, self._engine.memory)
        return array

    def refuse_uncomputed(self) -> NoReturn:
        """Raise the error for an operand without data; called by the native core."""
        fail_uncomputed(self._engine)

    def _converted(self, value: Value, type_: BlockType) -> Value:
        return self.record(converted(self._engine, value, type_), type_)

    def _compute(
        self, key: Key, type_: BlockType, exact: int, members: list[tuple[Value, list[Value]]]
    ) -> None:
        self._engine.executor.run_group(key, type_, bool(exact), members, self._engine.memory)


# The code of a program; or the code, the offset of its numbers, and the ids and places of those that may differ between
# calls, like ``Family`` in native/core/pending.h.
Prepared = bytes | tuple[bytes, int, tuple[tuple[int, int], ...]]
_NOWHERE, _FORMAT = -1, -2


def _prepare(key: Key, type_: BlockType, wide: int, wide_leaves: tuple[bool, ...]) -> Prepared | None:
    """Return the machine's code for a program; None where NumPy has to compute it.

    ``wide`` and ``wide_leaves``: whether the result, and each leaf, is stored as float32 whatever its type.
    """
    leaves = [
        (entry[0] if isinstance(entry, tuple) else entry, is_wide)
        for entry, is_wide in zip(key[0][::2], wide_leaves, strict=True)
    ]
    instructions = decode(key)
    code = lowering.code_of(
        instructions, leaves, type_, FLOAT32 if wide and type_.dtype.is_float else type_.dtype
    )
    if code is None:
        return None
    given = {
        content.id
        for instruction in instructions
        for _, content in instruction.args
        if type(content) is GivenNumber
    }
    if not given:
        return code.content
    places = {id: place for place, id in enumerate(code.ids) if id >= 0}
    uses = [(id, places.get(id, _NOWHERE)) for id in sorted(given)]
    return code.content, code.numbers, (*uses, *((id, _FORMAT) for id in sorted(code.asked)))
