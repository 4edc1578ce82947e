"""Tile programs: loads, mathematics and stores on tensors, without buffers, kernels and waits (principles 2.1 to 2.5).

The meaning of a tile program is defined here; ``ttl.design`` turns it into an explicit operation. The same objects
stand for values while a program is read and while its function runs over arrays (``TileOperation.reference``): both use
the classes in this module.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from types import FunctionType
from typing import Any, NoReturn, Protocol

from ttl.lang.check import fail, is_int, public, require_function, right
from ttl.lang.expr import BlockExpr
from ttl.lang.kernels import require_plain
from ttl.lang.nests import LoopNest, nest_of
from ttl.lang.operation import Operation, _check_grid
from ttl.rows.dtypes import DType
from ttl.rows.row import Op, Params
from ttl.rows.table import MUL, REDUCE_MAX, REDUCE_SUM, TRANSPOSE
from ttl.rows.types import TILE
from ttl.rules import tiles as rules
from ttl.session import Session
from ttl.session import current as current_session
from ttl.settings import current as settings
from ttl.settings import current_chip

_DESIGNS = "ttl.design.operation"
_REFERENCE = "ttl.design.reference"


class TileValue(BlockExpr):
    """A value of a tile program: part of a tensor, or the result of a computation with such parts.

    ``shape`` is in elements. Operators and the functions of ``ttl.math`` and ``ttl.block`` take values whose extents
    are equal or 1, as NumPy does; reductions keep the dimension that they reduce, with extent 1.
    """

    __slots__ = ()

    @property
    def T(self) -> Any:
        """The transpose: rows become columns."""
        return self._apply(TRANSPOSE, (self,), ())

    def sum(self, axis: int = -1) -> Any:
        """The sum along a dimension, which is kept with extent 1."""
        return self._apply(REDUCE_SUM, (self,), ((axis,), None))

    def max(self, axis: int = -1) -> Any:
        """The largest element along a dimension, which is kept with extent 1."""
        return self._apply(REDUCE_MAX, (self,), ((axis,), None))

    def mean(self, axis: int = -1) -> Any:
        """The mean along a dimension, which is kept with extent 1."""
        return self._apply(MUL, (self.sum(axis), 1 / self.shape[axis]), ())


class TileInMemory(BlockExpr):
    """A tensor, or part of one: it has no value before it is loaded, and computing with it is an error (TTL1802)."""

    __slots__ = ()

    def _apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> NoReturn:
        fail(rules.not_loaded(self, next(at for at, operand in enumerate(operands) if operand is self)))

    def __iter__(self) -> NoReturn:
        fail(rules.no_axis("", self, is_tensor=True))

    @property
    def T(self) -> NoReturn:
        """The transposed value. Only for loaded values, like the methods below: here it is an error."""
        fail(rules.not_loaded(self))

    def sum(self, axis: int = -1) -> NoReturn:
        """The sum along an axis. Only for loaded values: here it is an error."""
        fail(rules.not_loaded(self))

    max = mean = sum


class TileTensor(TileInMemory):
    """A tensor in a tile program: its extents, and parts of it to load and store.

    The index of a part has an entry for each dimension: ``:``, the variable of a loop, a slice in tiles of the last two
    dimensions, or a number in the others. Dimensions without an entry are taken whole.
    """

    __slots__ = ("execution", "name", "tensor")

    def __init__(self, execution: TileExecution, name: str, of: Any) -> None:
        self.execution, self.name, self.tensor = execution, name, of

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents in elements."""
        return tuple(self.tensor.shape)

    @property
    def dtype(self) -> DType:
        """Element type."""
        dtype: DType = self.tensor.dtype
        return dtype

    @property
    def rows(self) -> TileAxis:
        """The second to last dimension, to loop over in blocks of tiles."""
        return self.axis(-2)

    @property
    def columns(self) -> TileAxis:
        """The last dimension, to loop over in blocks of tiles."""
        return self.axis(-1)

    def axis(self, dimension: int) -> TileAxis:
        """A dimension, to loop over: the last two in blocks of tiles, others one by one. Raises TTL1801."""
        rank = len(self.shape)
        if not is_int(dimension) or not -rank <= dimension < rank:
            fail(rules.no_dimension(self.name, dimension, rank))
        dimension %= rank
        return TileAxis(
            self.shape[dimension], TILE if dimension >= rank - 2 else 1, f"{self.name}.shape[{dimension}]"
        )

    def __getitem__(self, index: Any) -> TilePart:
        entries = index if isinstance(index, tuple) else (index,)
        if len(entries) > len(self.shape):
            fail(rules.too_many_entries(self.name, len(entries), len(self.shape)))
        return TilePart(self, (*entries, *[slice(None)] * (len(self.shape) - len(entries))))


class TilePart(TileInMemory):
    """Part of a tensor, to be loaded or stored to."""

    __slots__ = ("index", "tensor")

    def __init__(self, tensor: TileTensor, index: tuple[Any, ...]) -> None:
        self.tensor, self.index = tensor, index


class TileAxis:
    """An axis to loop over: ``extent`` elements, in blocks that are multiples of ``unit``."""

    __slots__ = ("extent", "name", "unit")

    def __init__(self, extent: int, unit: int, name: str) -> None:
        self.extent, self.unit, self.name = extent, unit, name

    @property
    def units(self) -> int:
        """The number of tiles in the axis, or of elements if its blocks consist of elements."""
        return -(-self.extent // self.unit)

    def __iter__(self) -> Iterator[Any]:
        return iter(TileLoop(self, None, None))

    def _use(self, *_: Any) -> NoReturn:
        fail(rules.axis_as_number(self.name))

    __bool__ = __index__ = __int__ = __float__ = __str__ = __format__ = __len__ = __round__ = _use
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _use
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = __pow__ = __rpow__ = _use
    __neg__ = __pos__ = __abs__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = _use
    __contains__ = __getitem__ = _use


class Fraction:
    """A step as large as a share of a node's memory allows."""

    __slots__ = ("share",)

    def __init__(self, share: float) -> None:
        self.share = share


class TileLoop:
    """A loop over blocks of an axis. ``kind`` is ``"spatial"``, ``"temporal"``, or None: the designer decides."""

    __slots__ = ("axis", "kind", "step")

    def __init__(self, axis: TileAxis, step: int | Fraction | None, kind: str | None) -> None:
        self.axis, self.step, self.kind = axis, step, kind

    def __iter__(self) -> Iterator[Any]:
        return _execution("a loop over blocks").blocks(self)


class TileExecution(Protocol):
    """Runs the function of a tile program: the designer, which reads it, or NumPy."""

    def load(self, part: TilePart) -> TileValue:
        """Part of a tensor as a value."""

    def store(self, part: TilePart, value: Any) -> None:
        """Write a value to part of a tensor."""

    def choice(self, values: tuple[Any, ...]) -> Any:
        """One of several values."""

    def blocks(self, loop: TileLoop) -> Iterator[Any]:
        """Yield the members for the iterations of a loop."""


TILES: ContextVar[TileExecution | None] = ContextVar("ttl_tile_program", default=None)


def _execution(what: str) -> TileExecution:
    execution = TILES.get()
    if execution is None:
        fail(rules.outside(what))
    return execution


def load(part: Any) -> TileValue:
    """Part of a tensor, ``ttl.load(x[m, n])``, as a value. In tile programs only.

    Raises ``ProgramError``: TTL1802 not part of a tensor, TTL1803 an index that does not fit.
    """
    execution = _execution("ttl.load()")
    if isinstance(part, TileTensor):
        part = part[:]
    if not isinstance(part, TilePart):
        fail(rules.no_part("load", part))
    return execution.load(part)


def store(part: Any, value: Any) -> None:
    """Write a value to part of a tensor, ``ttl.store(y[m, n], value)``, rounded once to its element type.

    In tile programs only. Raises ``ProgramError``: TTL1802 not part of a tensor, TTL1803 an index that does not fit,
    TTL1804 a value of another shape.
    """
    execution = _execution("ttl.store()")
    if isinstance(part, TileTensor):
        part = part[:]
    if not isinstance(part, TilePart):
        fail(rules.no_part("store", part))
    execution.store(part, value)


def choice(values: tuple[Any, ...]) -> Any:
    """``ttl.tunable(1, 2, 4)`` in a tile program: one of the values."""
    execution = _execution("ttl.tunable() with values")
    if not values or not all(is_int(value) and value > 0 for value in values):
        fail(rules.no_choices(values))
    return execution.choice(values)


def fraction(share: Any) -> Fraction:
    """A step of a loop: the largest with which the loads and stores fit in a share of a node's memory.

    ``share`` is above 0 and at most 1. Raises ``ProgramError``: TTL1805 not such a number. Principle 2.5.
    """
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
        fail(rules.no_share(share))
    return Fraction(float(share))


def spatial(axis: Any, step: Any = None) -> TileLoop:
    """A loop over blocks of an axis that is spread over the nodes; ``step`` is the size of a block in tiles.

    Without a step, the designer chooses it. ``axis`` is ``x.rows``, ``x.columns``, ``x.axis(n)``, or a number of iterations.
    Raises ``ProgramError``: TTL1801 not an axis, TTL1805 not a step.
    """
    return _loop(axis, step, "spatial")


def temporal(axis: Any, step: Any = None) -> TileLoop:
    """A loop over blocks of an axis in which every node runs all iterations. Arguments and errors are those of ``ttl.spatial``."""
    return _loop(axis, step, "temporal")


def _loop(axis: Any, step: Any, kind: str) -> TileLoop:
    if is_int(axis) and axis > 0:
        axis = TileAxis(int(axis), 1, str(axis))
    if not isinstance(axis, TileAxis):
        fail(rules.no_axis(kind, axis, is_tensor=isinstance(axis, TileTensor)))
    if step is not None and not isinstance(step, Fraction) and not (is_int(step) and step > 0):
        fail(rules.no_step(step))
    if axis.unit == 1 and step not in (None, 1):
        fail(rules.no_step(step, single=axis.name))
    return TileLoop(axis, step, kind)


class TileOperation(Operation):
    """An operation that is written as a tile program. A call designs the explicit program for its arguments and runs it."""

    def __init__(self, function: FunctionType, grid: Any, nest: LoopNest | None = None) -> None:
        super().__init__(function, grid, {})
        self.nest = nest
        self.has_kernels = True
        # The designs, by kind of arguments.
        self.designed: dict[Any, Any] = {}

    @property
    def reference(self) -> Callable[..., None]:  # type: ignore[override]
        """The function itself over arrays of NumPy, in float64: ``operation.reference(a, b, y)`` writes to ``y``."""
        result: Callable[..., None] = importlib.import_module(_REFERENCE).over_arrays(self.written, self.nest)
        return result

    def explicit(self, *args: Any, **kwargs: Any) -> Operation:
        """The explicit operation for a call, with its design. Raises ``ProgramError`` if it cannot be designed."""
        result: Operation = self._call(args, kwargs, current_session()).explicit()
        return result

    def designs(self, *args: Any, **kwargs: Any) -> tuple[Operation, ...]:
        """The explicit operations that ``ttl tune`` tries for a call, the best by the estimate first; at most 32."""
        call = self._call(args, kwargs, current_session())
        return tuple(call.explicit(label) for label in call.labels)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any], session: Session) -> Any:
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return importlib.import_module(_DESIGNS).call_of(
            self, dict(bound.arguments), current_chip(settings(session))
        )

    def _run_in(self, session: Session, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._call(args, kwargs, session)._run_in(session, args, kwargs)

    def __repr__(self) -> str:
        return f"<ttl.tile_operation {self.function.__qualname__}>"


@public
def tile_operation(
    grid: Any = "auto", *, indexing_maps: Any = None, iterator_types: Any = None, block_factors: Any = None
) -> Callable[[Callable[..., None]], TileOperation]:
    """Make a function a tile program: loads, mathematics and stores, from which an explicit operation is designed.

    ``grid`` is a tuple of the largest extents, or ``"auto"``: as many nodes of the device as make it faster. The
    function takes TT-NN tensors and numbers, and returns None; it is read once for each kind of arguments.

    With ``indexing_maps``, one for each parameter, and ``iterator_types``, the loops are generated, and the function is
    the body of an iteration: it gets blocks of the inputs and the outputs so far (0 at first), and returns the new
    outputs. ``block_factors`` are steps in tiles, or None for those that the designer chooses.

    Raises ``ProgramError`` TTL1816 for metadata that do not describe a loop nest.
    """
    if isinstance(grid, FunctionType):
        require_plain(grid, f"operation {grid.__name__}")
        return TileOperation(grid, "auto")  # type: ignore[return-value]  # written without parentheses
    checked = _check_grid(grid)
    nest = None
    if indexing_maps is not None or iterator_types is not None or block_factors is not None:
        nest = right(nest_of(indexing_maps, iterator_types, block_factors))

    def decorate(function: Callable[..., None]) -> TileOperation:
        plain = require_function(function, "operation")
        require_plain(plain, f"operation {plain.__name__}")
        count = plain.__code__.co_argcount
        if nest is not None and plain.__name__ != "_placeholder" and count != len(nest.maps):
            fail(rules.operands_of_nest(plain.__name__, len(nest.maps), count))
        return TileOperation(plain, checked, nest)

    return decorate
