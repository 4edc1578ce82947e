"""Numbers without an element type of their own that loops carry and branches choose: they take the type of their uses.

A result of ``ttl.block.fill``, and a value computed only from such results, takes the element type of the value it is
combined with or stored to. Here this type is chosen for loops and branches, for all values that they pass on to each
other: integers are computed as integers of one type, and converted where another one is required. If no use requires
integers, the numbers stay as they are: the registers hold them as floats.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ttl.diag.model import Diagnostic
from ttl.dialects.compute import COMPUTE, BlockComputeOp
from ttl.dialects.elements import RetypeOp, value_type
from ttl.ir.failure import NotLowered, placed
from ttl.ir.rewriting import replace_type
from ttl.passes.compute.carried import LOOPS, carried
from ttl.passes.compute.temporaries import stored_as
from ttl.passes.compute.views import type_of
from ttl.rows.dtypes import FLOAT32, INT32, REAL_NUMBER, WHOLE_NUMBER, DType
from ttl.rows.lowering import is_modular
from ttl.rows.table import TYPECAST

_BRANCHES = (scf.IfOp, affine.IfOp)
_CONTROL = (*LOOPS, *_BRANCHES, scf.WhileOp)


def settle_carried_numbers(ops: Iterable[Operation]) -> None:
    """Give numbers that loops and branches of a kernel pass on integer types, where uses require these.

    Raises ``NotLowered`` where a function cannot compute with that type.
    """
    groups = _Groups()
    for op in ops:
        if isinstance(op, _CONTROL):
            for tied in _handed_on(op):
                groups.tie([value for value in tied if _is_whole(value)], carried=True)
        elif isinstance(op, BlockComputeOp | RetypeOp) and _is_computed(op.results[0]):
            groups.tie([op.results[0], *filter(_is_computed, op.operands)], carried=False)
    for values in groups.carried():
        chosen = _integer_for(values)
        if chosen is not None:
            _become(values, chosen)


class _Groups:
    """Groups of values that have to have the same element type."""

    def __init__(self) -> None:
        self._group: dict[SSAValue, list[SSAValue]] = {}
        self._carried: set[SSAValue] = set()

    def tie(self, values: list[SSAValue], *, carried: bool) -> None:
        """Require values to have the same type; ``carried``: since a loop or branch passes them on.

        Fills stay apart, since each use has a fill of its own.
        """
        members = [value for value in values if _is_computed(value)]
        if carried:
            self._carried.update(members)
        for value in members:
            first, other = self._group.setdefault(members[0], [members[0]]), self._group.get(value, [value])
            if first is not other:
                first += other
                self._group.update(dict.fromkeys(other, first))

    def carried(self) -> list[list[SSAValue]]:
        """The groups with values that a loop or branch passes on."""
        by_identity = {id(group): group for group in self._group.values()}
        return [group for group in by_identity.values() if not self._carried.isdisjoint(group)]


def _handed_on(op: Operation) -> Iterator[tuple[SSAValue, ...]]:
    """Yield, for each value that a loop carries or a branch chooses, all values that it is passed on as."""
    if isinstance(op, scf.WhileOp):
        before, after = op.before_region.block, op.after_region.block
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp) and after.last_op is not None
        yield from zip(op.arguments, before.args, after.last_op.operands, strict=True)
        yield from zip(condition.args, after.args, op.res, strict=True)
        return
    if isinstance(op, _BRANCHES):
        yield from zip(op.results, *(end.operands for end in _ends(op)), strict=True) if op.results else ()
        return
    for value in (carried(op, index) for index in range(len(op.results))):
        yield value.initial, value.argument, value.result, value.yielded


def _integer_for(values: list[SSAValue]) -> DType | None:
    """Return the integer type that a group is computed in; None where no use requires integers.

    If a single type is required, and only the last bits of values count, it is that type; else int32, which holds the
    signs of intermediate results.
    """
    users = [use.operation for value in values for use in value.uses]
    integers = {dtype for op in users if (dtype := _asked_by(op)) is not None and not dtype.is_float}
    if not integers:
        return None
    owners = [value.owner for value in values]
    is_safe = all(is_modular(op.row) for op in owners if isinstance(op, BlockComputeOp))
    return integers.pop() if len(integers) == 1 and is_safe else INT32


def _asked_by(op: Operation) -> DType | None:
    """The element type in which an operation takes numbers; None if it has no element type, either."""
    if (stored := stored_as(op)) is not None:
        return stored
    if not isinstance(op, BlockComputeOp | RetypeOp):
        return None
    dtypes = [type_of(value).dtype for value in (*op.operands, *op.results) if _is_block(value)]
    typed = [dtype for dtype in dtypes if dtype not in (WHOLE_NUMBER, REAL_NUMBER)]
    if typed and not (isinstance(op, BlockComputeOp) and op.row is TYPECAST):
        return typed[0]
    return FLOAT32 if REAL_NUMBER in dtypes else None


def _become(values: list[SSAValue], chosen: DType) -> None:
    """Give the values of a group an integer type; convert them for operations that take another type."""
    asked = {use.operation: _asked_by(use.operation) for value in values for use in value.uses}
    control = {op: None for value in values if (op := _hands_on(value)) is not None}
    computed = {value.owner: None for value in values if isinstance(value.owner, BlockComputeOp | RetypeOp)}
    retyped = {replace_type(value, _typed(value, chosen)) for value in values}
    for op in computed:
        _own_numbers(op, range(len(op.operands)), chosen)
        inferred = op.inferred() if isinstance(op, BlockComputeOp) else type_of(op.results[0])
        if isinstance(inferred, Diagnostic):
            raise NotLowered([placed(inferred, op)])
        assert inferred.dtype is chosen, f"{op.name} of {chosen} gives {inferred.dtype}"
    for op in control:
        for tied in _handed_on(op):
            if not retyped.isdisjoint(tied):
                for end in (op, *_ends(op)):
                    places = [at for at, value in enumerate(end.operands) if value in tied]
                    _own_numbers(end, places, chosen)
    for op, dtype in asked.items():
        if dtype is not None and dtype is not chosen and op not in computed:
            for at, value in enumerate(op.operands):
                if value in retyped:
                    convert = COMPUTE[TYPECAST.name]([value], (dtype,), type_of(value).with_dtype(dtype))
                    _insert(convert, op)
                    op.operands[at] = convert.result


def _own_numbers(op: Operation, places: Iterable[int], chosen: DType) -> None:
    """Retype operands of an operation that are whole numbers to the chosen type."""
    for at in places:
        value = op.operands[at]
        if _is_whole(value):
            retype = RetypeOp(value, type_of(value).with_dtype(chosen))
            _insert(retype, op)
            op.operands[at] = retype.result


def _hands_on(value: SSAValue) -> Operation | None:
    """The loop or branch of which a value is an argument or a result; None for other values."""
    owner = value.owner
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    return op if isinstance(op, _CONTROL) else None


def _ends(op: Operation) -> list[Operation]:
    return [end for region in op.regions if region.blocks and (end := region.block.last_op) is not None]


def _insert(op: Operation, before: Operation) -> None:
    op.location = before.location
    Rewriter.insert_op(op, InsertPoint.before(before))


def _is_block(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType)


def _is_whole(value: SSAValue) -> bool:
    return _is_block(value) and type_of(value).dtype is WHOLE_NUMBER


def _is_computed(value: SSAValue) -> bool:
    """Whether a value consists of whole numbers, and is not the direct result of a fill."""
    owner = value.owner
    return _is_whole(value) and not (isinstance(owner, BlockComputeOp) and owner.row.family == "fill")


def _typed(value: SSAValue, dtype: DType) -> TensorType:
    return value_type(type_of(value).with_dtype(dtype))
