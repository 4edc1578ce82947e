"""The distribution of the iterations of a ``ttir.generic`` over cores, and over the tiles of each core's shards.

Indexing maps are over dimensions of tensors. Shards are matrices: all dimensions but the last are rows, the last is
columns. ``AxisMap`` is an indexing map in these terms: the axes of the iterations along which the rows and columns of
an operand run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap

from tt_model.attributes.tt import IteratorTypeAttr
from tt_model.layouts.enums import IteratorType
from tt_model.layouts.values import dimensions_text
from tt_model.operations.tensors import shape_of
from tt_model.operations.ttir import TTIRGenericOp
from ttl.ir.affine import constant, dims, make_map, map_text
from ttl.ir.refusals import Refused


class Axis(Enum):
    """A direction of the iterations: the rows or columns of the result, or the dimension that a matrix product sums."""

    ROWS = 0
    COLUMNS = 1
    DEPTH = 2


@dataclass(frozen=True, slots=True)
class AxisMap:
    """The axes along which rows and columns of an operand run. None: a single row or column that all iterations use."""

    rows: Axis | None
    columns: Axis | None

    def place(self, core: tuple[int, int], reduced: frozenset[Axis]) -> tuple[int, int]:
        """Return the shard that a core needs, of an operand that is divided over the shards of ``grid``."""
        at = {Axis.ROWS: core[0], Axis.COLUMNS: core[1]}
        rows, columns = (
            0 if axis is None or axis in reduced else at.get(axis, 0) for axis in (self.rows, self.columns)
        )
        return rows, columns

    def grid(self, cores: tuple[int, int], reduced: frozenset[Axis]) -> tuple[int, int]:
        """Return the number of shards of an operand, in rows and columns, so that a core needs one only."""
        rows, columns = self.place((cores[0] - 1, cores[1] - 1), reduced)
        return rows + 1, columns + 1


@dataclass(frozen=True, slots=True)
class Iterations:
    """The axes of a generic: a map for each operand, destinations last, and the axes that are reduced."""

    maps: tuple[AxisMap, ...]
    reduced: frozenset[Axis]


def iterations_of(generic: TTIRGenericOp) -> Iterations:
    """The axes of a ``ttir.generic``. Raises ``Refused`` if its maps are not those of matrices."""
    maps = [item.data for item in generic.indexing_maps]
    iterators = [item.data for item in generic.iterator_types]
    shapes = [shape_of(operand) for operand in (*generic.inputs, *generic.outputs)]
    return axes_of(maps, iterators, shapes)


def axes_of(
    maps: Sequence[AffineMap], iterators: Sequence[IteratorType], shapes: Sequence[tuple[int, ...]]
) -> Iterations:
    """The axes of indexing maps. Raises ``Refused`` if rows or columns of an operand do not run along an axis."""
    if len(maps) != len(shapes):
        raise Refused(
            f"it has {len(maps)} indexing maps for {len(shapes)} operands",
            "what works: an indexing map for each input and output",
        )
    extents: dict[int, int] = {}
    for map, shape in zip(maps, shapes):
        if len(map.results) != len(shape):
            raise Refused(
                f"{map_text(map)} is not a map of a tensor {dimensions_text(shape)}",
                "what works: indexing maps with a result for each dimension",
            )
        for expr, extent in zip(map.results, shape):
            if isinstance(expr, AffineDimExpr):
                extents[expr.position] = max(extent, extents.get(expr.position, 1))
            elif not isinstance(expr, AffineConstantExpr):
                raise Refused(
                    f"{map_text(map)} has a result that is not a dimension",
                    "what works: indexing maps whose results are dimensions or 0",
                )
    sums = {dim for dim, kind in enumerate(iterators) if kind is IteratorType.Reduction}

    def live(exprs: Sequence[object]) -> tuple[int, ...]:
        positions = (expr.position for expr in exprs if isinstance(expr, AffineDimExpr))
        return tuple(dim for dim in positions if extents[dim] > 1)

    # The input of a reduction has all dimensions; in other work, the dimensions of the result are rows and columns.
    base = maps[0] if sums else maps[-1]
    known: dict[tuple[int, ...], Axis] = {}
    rows, columns = live(base.results[:-1]), live(base.results[-1:])
    for part, axis in ((columns, Axis.COLUMNS), (rows, Axis.ROWS)):
        if part:
            known[part] = axis
    rest = tuple(dim for dim in sorted(extents) if extents[dim] > 1 and dim not in (*rows, *columns))
    if rest:
        known.setdefault(rest, Axis.DEPTH)

    def axis_of(exprs: Sequence[object], map: AffineMap) -> Axis | None:
        part = live(exprs)
        if part and part not in known:
            raise Refused(
                f"{map_text(map)} repeats only some of the dimensions that form the rows of a matrix",
                "what works: operands whose dimensions but the last are all those of the result, or all of extent 1",
            )
        return known[part] if part else None

    operands = tuple(AxisMap(axis_of(map.results[:-1], map), axis_of(map.results[-1:], map)) for map in maps)
    reduced = set()
    for part, axis in known.items():
        if axis is not Axis.DEPTH and sums & set(part):
            if not set(part) <= sums:
                raise Refused(
                    "it reduces only some of the dimensions that form the rows of a matrix",
                    "what works: reductions of the last dimension, of all but the last, or of all",
                )
            reduced.add(axis)
    return Iterations(operands, frozenset(reduced))


def identity(rank: int) -> AffineMap:
    """``(d0, d1) -> (d0, d1)``."""
    return make_map(rank, dims(rank))


def broadcast_map(shape: tuple[int, ...], result: tuple[int, ...]) -> AffineMap:
    """The map of an operand that is repeated to the shape of the result, as NumPy does."""
    axes = dims(len(result))[len(result) - len(shape) :]
    wide = result[len(result) - len(shape) :]
    return make_map(
        len(result),
        [axis if extent == other else constant(0) for axis, extent, other in zip(axes, shape, wide)],
    )


def matmul_maps(rank: int) -> tuple[AffineMap, AffineMap, AffineMap]:
    """The maps of a matrix product of tensors of equal rank: of both sides and the result, over one more dimension."""
    axes = dims(rank + 1)
    *batch, row, column, depth = axes
    return (
        make_map(rank + 1, [*batch, row, depth]),
        make_map(rank + 1, [*batch, depth, column]),
        make_map(rank + 1, [*batch, row, column]),
    )


def maps_attribute(maps: Sequence[AffineMap]) -> ArrayAttr[AffineMapAttr]:
    """Indexing maps as an attribute."""
    return ArrayAttr([AffineMapAttr(map) for map in maps])


def iterators_attribute(iterators: Sequence[IteratorType]) -> ArrayAttr[IteratorTypeAttr]:
    """Iterator types as an attribute."""
    return ArrayAttr([IteratorTypeAttr(kind) for kind in iterators])
