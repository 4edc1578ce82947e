"""The results of a ``ttir.generic``: on whole tensors, or on each core's part if its region has buffers of cores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast, get_args

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation
from xdsl.ir.affine import AffineDimExpr, AffineMap

from tt_model.attributes.tt import BufferAttr
from tt_model.layouts.layout import LayoutRecord
from tt_model.operations.elementwise import BODIES_OF_MLIR
from tt_model.operations.ttir import TTIR, TTIRGenericOp, TTIRKernelOp
from tt_model.reference import contractions, reductions
from tt_model.reference.elementwise import OWN, elementwise
from tt_model.reference.formats import FORMATS, Values, converted
from tt_model.reference.metal.placement import Place, from_shards, shards_of


def values_of_work(op: TTIRGenericOp, inputs: Sequence[Values]) -> Sequence[Values]:
    """The results of a ``ttir.generic``. Raises ``ValueError`` for work that has no meaning here."""
    body = _body(op)
    maps = [item.data for item in op.indexing_maps]
    access = [_access(argument.type) for argument in op.regions[0].blocks[0].args]
    if not all(access):
        return [_on_tensors(op, body, inputs, maps)]
    return [_on_cores(op, body, inputs, maps, access)]


def _body(op: TTIRGenericOp) -> Operation:
    block = op.regions[0].blocks[0]
    inside = list(block.ops)
    body, end = inside[0], inside[-1]
    if len(inside) != 2 or end.operands[0] is not body.results[0]:
        raise ValueError("has more than one operation in its region")
    arguments = list(block.args)
    if list(body.operands) not in (arguments, arguments[:-1]):
        raise ValueError("does not use the arguments of its region in order")
    return body


def _access(type: Any) -> str:
    """``alias`` or ``stream``; empty if the type is not a buffer of a core."""
    encoding = type.encoding if isinstance(type, TensorType) else None
    return encoding.data.access.keyword if isinstance(encoding, BufferAttr) else ""


def _name(body: Operation) -> tuple[str, str]:
    if type(body) in BODIES_OF_MLIR:
        return BODIES_OF_MLIR[type(body)], "eltwise"
    if not isinstance(body, TTIRKernelOp):
        raise ValueError(f"does '{body.name}' in its region, which has no meaning in the reference")
    return body.op, body.kind


def _on_tensors(
    op: TTIRGenericOp, body: Operation, inputs: Sequence[Values], maps: Sequence[AffineMap]
) -> Values:
    shape = op.result.type.get_shape()  # type: ignore[attr-defined]
    name, kind = _name(body)
    match name:
        case "reduce":
            iterators = [item.data.keyword for item in op.iterator_types]
            dims = [dim for dim, word in enumerate(iterators) if word == "reduction"]
            value = reductions.reduced(inputs[0], _reduction(kind), dims, keep=len(shape) == inputs[0].ndim)
            return _widened(value, shape)
        case "matmul":
            return contractions.matmul(*inputs)
    return _computed(op, body, name, [_mapped(x, map, shape) for x, map in zip(inputs, maps)])


def _reduction(kind: str) -> reductions.Kind:
    known = next((one for one in get_args(reductions.Kind) if one == kind), None)
    if known is None:
        raise ValueError(f"reduces by '{kind}', which has no meaning in the reference")
    return cast("reductions.Kind", known)


def _widened(value: Values, shape: tuple[int, ...]) -> Values:
    """Extend a reduced tensor to the shape of its type with zeros, as the packer does."""
    whole = np.zeros(shape)
    whole[tuple(slice(0, extent) for extent in value.shape)] = value
    return whole


def _mapped(x: Values, map: AffineMap, shape: tuple[int, ...]) -> Values:
    """Arrange an operand over the shape of the result, by its indexing map."""
    kept = [expr.position for expr in map.results if isinstance(expr, AffineDimExpr)]
    taken = x[tuple(slice(None) if isinstance(expr, AffineDimExpr) else 0 for expr in map.results)]
    ordered = taken.transpose(np.argsort(kept)) if kept else taken
    extents = iter(ordered.shape)
    wide = ordered.reshape([next(extents) if dim in kept else 1 for dim in range(len(shape))])
    return np.array(np.broadcast_to(wide, shape))


def _computed(op: TTIRGenericOp, body: Operation, name: str, operands: Sequence[Values]) -> Values:
    """The result of an elementwise body."""
    result = FORMATS[str(op.result.type.element_type)]  # type: ignore[attr-defined]
    if name in ("copy", "transpose"):
        return operands[0]
    if name == "typecast":
        return converted(operands[0], result)
    kind = TTIR.classes.get(f"ttir.{name}")
    if kind is None or not (kind.ROW.function or OWN.of(kind)):
        raise ValueError(f"calls a kernel @{name}, which has no meaning in the reference")
    params = [
        float(body.attributes[key].value.data)  # type: ignore[attr-defined]
        for key in ("min", "max", "parameter")
        if key in body.attributes
    ]
    return elementwise(kind, operands, result, params)


# On cores


def _on_cores(
    op: TTIRGenericOp,
    body: Operation,
    inputs: Sequence[Values],
    maps: Sequence[AffineMap],
    access: Sequence[str],
) -> Values:
    """Compute on the shards of each core.

    A core's shard of a streamed operand follows from the circular buffer's layout.
    """
    cbs, mapping = op.cbs, op.operand_cb_mapping
    operands = (*op.inputs, *op.outputs)
    layouts: list[LayoutRecord] = []
    for operand, number, word in zip(operands, mapping, access):
        if (number >= 0) != (word == "stream"):
            raise ValueError(f"has an operand that is mapped to {number} and a buffer that is {word}")
        layouts.append((cbs[number] if number >= 0 else operand).type.encoding.data)  # type: ignore[attr-defined]
    shards = [shards_of(x, layout) for x, layout in zip(inputs, layouts)]
    output = layouts[-1]
    grid = tuple(op.grid.shape)
    if output.grid.shape != grid or any(
        number < 0 and layout.grid.shape != grid for number, layout in zip(mapping, layouts)
    ):
        raise ValueError("works in place on an operand whose grid is not its own")
    shape = op.result.type.get_shape()  # type: ignore[attr-defined]
    shards_of_result = {}
    for y in range(grid[0]):
        for x in range(grid[1]):
            own = [
                held[_place((y, x), layout, map, maps[-1], number >= 0)]
                for held, layout, map, number in zip(shards, layouts, maps, mapping)
            ]
            with np.errstate(all="ignore"):
                shards_of_result[y, x] = _on_core(op, body, own, maps, output.scalar_shard_shape)
    return from_shards(shards_of_result, output, shape)


def _dims(exprs: Sequence[object], extents: Sequence[int]) -> set[int]:
    return {
        expr.position
        for expr, extent in zip(exprs, extents)
        if isinstance(expr, AffineDimExpr) and extent > 1
    }


def _place(core: Place, layout: LayoutRecord, map: AffineMap, result: AffineMap, streamed: bool) -> Place:
    """Return the place of the operand's shard that a core works on.

    It is that of the core, or, in a circular buffer, that of the rows or columns that the core needs.
    """
    if not streamed:
        return core
    rows = {expr.position for expr in map.results[:-1] if isinstance(expr, AffineDimExpr)}
    of_core = {expr.position for expr in result.results[-1:] if isinstance(expr, AffineDimExpr)}
    columns = {expr.position for expr in map.results[-1:] if isinstance(expr, AffineDimExpr)}
    y = core[1] if rows and rows <= of_core else core[0]
    x = core[1] if not columns or columns & of_core else core[0]
    return (y if layout.grid.shape[0] > 1 else 0, x if layout.grid.shape[1] > 1 else 0)


def _on_core(
    op: TTIRGenericOp,
    body: Operation,
    own: Sequence[Values],
    maps: Sequence[AffineMap],
    shape: tuple[int, ...],
) -> Values:
    name, kind = _name(body)
    operands = (*op.inputs, *op.outputs)
    extents = [operand.type.get_shape() for operand in operands]  # type: ignore[attr-defined]
    match name:
        case "reduce":
            iterators = [item.data.keyword for item in op.iterator_types]
            dims = {dim for dim, word in enumerate(iterators) if word == "reduction"}
            live = [
                _dims(part, own_extents) & dims
                for part, own_extents in (
                    (maps[0].results[:-1], extents[0][:-1]),
                    (maps[0].results[-1:], extents[0][-1:]),
                )
            ]
            axes = [axis for axis in (0, 1) if live[axis]]
            return _widened(reductions.reduced(own[0], _reduction(kind), axes, keep=True), shape)
        case "matmul":
            return contractions.matmul(*own)
    return _computed(
        op,
        body,
        name,
        [
            _tile_by_tile(x, map, maps[-1], extent, extents[-1], shape)
            for x, map, extent in zip(own, maps, extents)
        ],
    )


def _tile_by_tile(
    x: Values,
    map: AffineMap,
    result: AffineMap,
    extents: tuple[int, ...],
    wanted: tuple[int, ...],
    shape: tuple[int, ...],
) -> Values:
    """A shard, transposed if its columns are rows of the result, and repeated if it has one row or column."""
    rows, columns = _dims(map.results[:-1], extents[:-1]), _dims(map.results[-1:], extents[-1:])
    rows_of_result = _dims(result.results[:-1], wanted[:-1])
    columns_of_result = _dims(result.results[-1:], wanted[-1:])
    if (columns and columns <= rows_of_result) or (rows and rows <= columns_of_result):
        x, rows, columns = x.T, columns, rows
    if not rows and rows_of_result:
        x = x[:1]
    if not columns and columns_of_result:
        x = x[:, :1]
    return np.array(np.broadcast_to(x, shape))
