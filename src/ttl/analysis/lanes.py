"""The elements that are needed in the tiles of a value: those that are defined, and that a use reads.

A reduction leaves its results in column 0 or row 0 of each tile, and a broadcast reads nothing else. Values between them are
needed there only. Two analyses find this: forward, the elements that an operation defines, and backward, those that its users
read; both follow values through branches and loops. A user that is not known to read fewer elements reads all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from ttl.analysis.dominance import walked
from ttl.analysis.fixed_point import LOOPS, iterations
from ttl.analysis.loops import incoming
from ttl.dialects import ttl as dialect
from ttl.rows.rules import elementwise_valid, negative
from ttl.rows.types import Layout

ROW, COLUMN = -2, -1
Dims = frozenset[int]
"""The dimensions, of -2 and -1, in which only the first element of a tile matters: {-1} is column 0, {-2} row 0."""

_ALL: Dims = frozenset()
_ONE: Dims = frozenset({ROW, COLUMN})


class NeededLanes:
    """The needed lanes of the block values of a kernel."""

    def __init__(self, kernel: Operation) -> None:
        self._values = list(_values(kernel))
        self._sources = {value: incoming(value) for value in self._values}
        self._handed: defaultdict[SSAValue, list[SSAValue]] = defaultdict(list)
        for value, sources in self._sources.items():
            for source in sources:
                self._handed[source].append(value)
        # The initial assumption is the strongest; it is weakened until nothing changes.
        self._undefined = dict.fromkeys(self._values, _ONE)
        self._unread = dict.fromkeys(self._values, _ONE)
        _settle("finding undefined lanes", self._undefined, self._left_undefined, self._values)
        _settle("finding lanes that are read", self._unread, self._not_read, self._values[::-1])

    def needed(self, value: SSAValue) -> Dims:
        """Return the dimensions in which only the first elements of a value's tiles are needed."""
        return self._unread[value] | self._undefined[value]

    # --- which elements are defined, from operands to results ---

    def _left_undefined(self, value: SSAValue) -> Dims:
        if sources := self._sources[value]:
            return _in_all(self._undefined[source] for source in sources)
        op = value.owner
        if isinstance(op, dialect.RetypeOp) and _is_same_shape(op):
            return self._undefined[op.value]
        if not isinstance(op, dialect.BlockComputeOp) or not _has_tiles(value):
            return _ALL
        blocks = [operand for operand in op.operands if operand in self._undefined]
        match op.row.family:
            case "reduction":
                return self._undefined[blocks[0]] | _dims(op)
            case "repetition":
                return self._undefined[blocks[0]] - _dims(op)
            case "transposition":
                return _exchanged(self._undefined[blocks[0]])
        # A choice may take an element from the operand in which it is defined.
        if not _is_elementwise(op) or op.row.conditions or op.row.valid_rule is not elementwise_valid:
            return _ALL
        return _ALL.union(*(self._undefined[block] for block in blocks))

    # --- which elements are read, from results to operands ---

    def _not_read(self, value: SSAValue) -> Dims:
        users = (use.operation for use in value.uses)
        return _in_all(
            [
                *(self._unread[item] for item in self._handed[value]),
                *(self._not_read_by(op, value) for op in users if not _hands_on(op)),
            ]
        )

    def _not_read_by(self, op: Operation, value: SSAValue) -> Dims:
        if not _has_tiles(value):
            return _ALL
        if isinstance(op, dialect.RetypeOp):
            return self.needed(op.result) if _is_same_shape(op) else _ALL
        if not isinstance(op, dialect.BlockComputeOp):
            return _ALL
        match op.row.family:
            case "repetition":
                return self.needed(op.result) | _dims(op)
            case "transposition":
                return _exchanged(self.needed(op.result))
        return self.needed(op.result) if _is_elementwise(op) else _ALL


def _settle(
    what: str, known: dict[SSAValue, Dims], of: Callable[[SSAValue], Dims], order: Sequence[SSAValue]
) -> None:
    """Repeat the computation for all values until nothing changes."""
    for _ in iterations(what):
        before = dict(known)
        for value in order:
            known[value] = of(value)
        if known == before:
            return


def _values(kernel: Operation) -> Iterator[SSAValue]:
    """Yield the values of blocks in a kernel, in program order."""
    for op in walked(kernel):
        for result in op.results:
            if isinstance(result.type, TensorType):
                yield result
        for region in op.regions:
            for block in region.blocks:
                yield from (argument for argument in block.args if isinstance(argument.type, TensorType))


def _hands_on(op: Operation) -> bool:
    """Whether an operation only passes values on to values that control flow defines."""
    owner = op.parent_op() if op.has_trait(IsTerminator) else op
    return isinstance(owner, (*LOOPS, scf.IfOp))


def _is_elementwise(op: dialect.BlockComputeOp) -> bool:
    return op.row.family in ("elementwise", "conversion")


def _is_same_shape(op: dialect.RetypeOp) -> bool:
    given, result = dialect.block_type_of(op.value.type), dialect.block_type_of(op.result.type)
    return given.layout is result.layout is Layout.TILE and given.shape == result.shape


def _has_tiles(value: SSAValue) -> bool:
    return dialect.block_type_of(value.type).layout is Layout.TILE


def _dims(op: dialect.BlockComputeOp) -> Dims:
    """Return the tile dimensions along which a reduction or a broadcast works."""
    rank = len(dialect.block_type_of(op.operands[0].type).shape)
    return _ONE & frozenset(negative(op.params[0], rank))


def _exchanged(dims: Dims) -> Dims:
    return frozenset({ROW: COLUMN, COLUMN: ROW}[dim] for dim in dims)


def _in_all(states: Iterable[Dims]) -> Dims:
    result = _ONE
    for dims in states:
        result &= dims
    return result
