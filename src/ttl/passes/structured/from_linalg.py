"""``linalg-to-ttl``: functions of ``linalg.generic`` that were compute regions become compute regions again.

Expects: calls of functions that have ``ttl.region``, as ``ttl-to-linalg`` makes them, also after passes of MLIR that
stay in ``linalg`` (generalisation of named operations, canonicalisation, common subexpressions). Guarantees: a region
in the place of each call, and none of these functions. A generic is refused if tiles cannot compute it: its maps do not
read tiles in one of the modes, or its body is not in the table of operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    DictionaryAttr,
    FloatAttr,
    MemRefType,
    ModuleOp,
    f64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass

from ttl.analysis.dominance import walked
from ttl.dialects import ttl as dialect
from ttl.dialects.elements import SHORT_NAMES, TileType
from ttl.dialects.structured import StructuredCallOp
from ttl.dialects.tiles import TileComputeOp, TileFoldOp, TileMatmulOp, TileReadOp, TileReduceOp
from ttl.ir.affine import coefficients, dims
from ttl.ir.conversion import OpBuilder
from ttl.ir.failure import NotLegalized
from ttl.ir.refusals import Refusal, Refused, reports_of
from ttl.ir.syntax import i64_array
from ttl.passes.building import erase
from ttl.passes.compute.views import shape_around, strides_of, tile_shape
from ttl.passes.structured.scalars import ROW, row_of
from ttl.passes.structured.to_linalg import MODES, REGION, memref_of
from ttl.rows.dtypes import FLOAT32
from ttl.rows.table import FILL, OPS
from ttl.rows.types import TILE

_WAY_OUT = "give generics of the forms that ttl-to-linalg makes"
_FLOAT32 = TileType(TILE, TILE, SHORT_NAMES[FLOAT32])


@dataclass(frozen=True)
class FromLinalg(ModulePass):
    """Convert functions of ``linalg.generic`` that were compute regions to compute regions."""

    name = "linalg-to-ttl"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {item.sym_name.data: item for item in op.body.block.ops if isinstance(item, func.FuncOp)}
        refused: list[tuple[Operation, Refusal]] = []
        for call in [item for item in walked(op) if isinstance(item, StructuredCallOp)]:
            try:
                function = functions.get(call.callee)
                if function is None or not function.body.blocks:
                    raise Refused(f"the module has no function {call.callee} with a body", _WAY_OUT, call)
                _RegionReader(op, function, call).read()
            except Refused as problem:
                refused.append((problem.op or call, problem.refusal))
        if refused:
            raise NotLegalized(reports_of(refused))
        for function in functions.values():
            if REGION in function.attributes or ROW in function.attributes:
                erase(function)


class _RegionReader:
    def __init__(self, module: ModuleOp, function: func.FuncOp, call: StructuredCallOp) -> None:
        self._module = module
        self._function = function
        self._call = call
        self._block = Block()
        self._build = OpBuilder(self._block, location=call.location)
        # For memory: the argument of the region and the block of the call that it stands for, and the tile or number in
        # it.
        self._argument: dict[SSAValue, SSAValue] = {}
        self._outside: dict[SSAValue, SSAValue] = {}
        self._tile: dict[SSAValue, SSAValue | float] = {}
        self._space: tuple[int, ...] = ()

    def read(self) -> None:
        """Put a region in the place of the call."""
        body = self._function.body.block
        written = {
            out for op in body.ops if isinstance(op, linalg.GenericOp | linalg.FillOp) for out in op.outputs
        }
        outputs = [value for value in body.args if value in written]
        inputs = [value for value in body.args if value not in written]
        if not outputs:
            raise Refused("the function writes to none of its arguments", _WAY_OUT, self._function)
        if [value.type for value in body.args] != [memref_of(block) for block in self._call.blocks]:
            raise Refused(
                "the arguments of the function are not the blocks of its call", _WAY_OUT, self._call
            )
        self._outside.update(zip(body.args, self._call.blocks, strict=True))
        for value in (*inputs, *outputs):
            type_ = self._outside[value].type
            assert isinstance(type_, dialect.BlockMemoryType)
            self._argument[value] = self._block.insert_arg(type_.element_type, len(self._block.args))
        first = self._outside[outputs[0]].type
        assert isinstance(first, dialect.BlockMemoryType)
        self._space = tile_shape(first.block_type)
        for op in body.ops:
            self._operation(op)
        tiles = [self._made_tile(value) for value in outputs]
        self._build.add(dialect.YieldTilesOp(*tiles))
        region = dialect.ComputeRegionOp(
            [self._outside[value] for value in inputs],
            [self._outside[value] for value in outputs],
            Region(self._block),
        )
        region.attributes["space"] = i64_array(self._space)
        said = self._function.attributes[REGION]
        region.attributes |= said.data if isinstance(said, DictionaryAttr) else {}
        OpBuilder(_block_of(self._call), anchor=self._call, location=self._call.location).add(region)
        erase(self._call)

    def _operation(self, op: Operation) -> None:
        match op:
            case linalg.FillOp():
                self._tile[op.outputs[0]] = _constant(op.inputs[0])
            case linalg.GenericOp() if all(kind.data.value == "parallel" for kind in op.iterator_types):
                self._elementwise(op)
            case linalg.GenericOp():
                self._combination(op)
            case memref.AllocOp() | memref.DeallocOp() | arith.ConstantOp() | func.ReturnOp():
                pass
            case _:
                raise Refused(f"{op.name} has no meaning for tiles", _WAY_OUT, op)

    # --- element by element ----------------------------------------------------------------------------------------

    def _elementwise(self, op: linalg.GenericOp) -> None:
        body = op.body.block
        maps = [given.data for given in op.indexing_maps]
        is_fill = not any(isinstance(value.type, MemRefType) for value in op.inputs)
        points = dims(maps[-1].num_dims if is_fill else len(self._space) + 2)
        if any(map_.results != points for map_ in maps[len(op.inputs) :]):
            raise Refused("an output is not written in the order of the points", _WAY_OUT, op)
        known: dict[SSAValue, SSAValue | float] = {}
        for argument, memory, map_ in zip(body.args, op.inputs, maps, strict=False):
            if argument.uses:
                known[argument] = self._element(op, memory, map_)
        for item in body.ops:
            match item:
                case arith.ExtFOp() | arith.TruncFOp():
                    known[item.results[0]] = self._value(item.operands[0], known)
                case linalg.YieldOp():
                    for memory, value in zip(op.outputs, item.operands, strict=True):
                        self._tile[memory] = self._value(value, known)
                case arith.ConstantOp():
                    pass
                case _:
                    known[item.results[0]] = self._computed(item, known)

    def _value(self, value: SSAValue, known: dict[SSAValue, SSAValue | float]) -> SSAValue | float:
        return known[value] if value in known else _constant(value)

    def _element(self, op: Operation, memory: SSAValue, map_: AffineMap) -> SSAValue | float:
        if not isinstance(memory.type, MemRefType):
            return _constant(memory)
        if memory not in self._argument or memory in self._tile:
            return self._made_tile(memory)
        rank = len(self._space)
        *outer, r, c = dims(rank + 2)
        *place, row, column = map_.results
        mode = next((name for name, make in MODES.items() if make(r, c) == (row, column)), None)
        if mode is None:
            raise Refused(f"elements ({row}, {column}) of a tile cannot be read in any mode", _WAY_OUT, op)
        strides, offset = self._strides(op, memory, place, outer)
        return self._add(TileReadOp(self._argument[memory], strides, mode, offset))

    def _computed(self, op: Operation, known: dict[SSAValue, SSAValue | float]) -> SSAValue:
        row_and_params = row_of(op, self._module)
        if row_and_params is None:
            raise Refused(f"{op.name} is not in the table of operations", _WAY_OUT, op)
        row, params = row_and_params
        values = [self._value(value, known) for value in op.operands]
        types = [value.type for value in values if isinstance(value, SSAValue)]
        operands = [
            value
            if isinstance(value, SSAValue)
            else self._number(value)
            if kind.scalar and types
            else self._fill(value)
            for value, kind in zip(values, row.operands, strict=True)
        ]
        return self._add(TileComputeOp(row.name, operands, params, _widest(types)))

    # --- products and reductions -----------------------------------------------------------------------------------

    def _combination(self, op: linalg.GenericOp) -> None:
        maps = [given.data for given in op.indexing_maps]
        kinds = [kind.data.value == "parallel" for kind in op.iterator_types]
        rank = len(self._space)
        row = self._combining_row(op)
        memory = op.outputs[0]
        if len(op.outputs) != 1 or [*maps[-1].results[:rank]] != [*dims(rank)]:
            raise Refused("an output is not written in the order of the points", _WAY_OUT, op)
        kept = maps[-1].results[rank:]
        sources = [
            (value, map_) for value, map_ in zip(op.inputs, maps, strict=False) if not _is_scaler(map_)
        ]
        if len(sources) == 2 and row == "add":
            self._matmul(op, sources, memory, kept)
            return
        ((source, map_),) = sources if len(sources) == 1 else [(None, None)]
        if source is None or map_ is None:
            raise Refused("its body is neither a product of matrices nor a reduction", _WAY_OUT, op)
        if len(map_.results) < rank + 2 and source in self._tile:
            raise Refused("a reduced dimension is reduced again", _WAY_OUT, op)
        *place, r, c = map_.results
        combined = "".join(name for name, dim in (("r", r), ("c", c)) if dim not in kept)
        factors = [value for value, given in zip(op.inputs, maps, strict=False) if _is_scaler(given)]
        if not all(value in self._argument for value in factors):
            raise Refused("it multiplies with a value that is not a block", _WAY_OUT, op)
        scalers = [self._argument[value] for value in factors]
        if source in self._tile:
            dim = -2 if combined == "r" else -1
            name = next(one.name for one in OPS if one.pairwise == row)
            tile = self._made_tile(source)
            self._tile[memory] = self._add(TileComputeOp(name, [tile], ((dim,), None), _widest([tile.type])))
            return
        over = range(rank, len(kinds) - 2)
        strides, offset = self._strides(op, source, place, dims(len(kinds))[: len(kinds) - 2])
        extents = [self._extent(source, place, dims(len(kinds))[at]) for at in over]
        if offset:
            raise Refused("a reduction begins in the middle of a block", _WAY_OUT, op)
        own, steps = strides[:rank], strides[rank:]
        result = _widest([self._argument[source].type])
        if not combined:
            combined_tile: Operation = TileFoldOp(
                self._argument[source], row, strides=own, extents=extents, steps=steps, result=result
            )
        else:
            within = {"rc": "all", "c": "columns", "r": "rows"}[combined]
            pool = "sum" if row == "add" else "max"
            combined_tile = TileReduceOp(
                self._argument[source], scalers, pool=pool, within=within, strides=own, extents=extents,
                steps=steps, result=result,
            )  # fmt: skip
        self._tile[memory] = self._add(combined_tile)

    def _combining_row(self, op: linalg.GenericOp) -> str:
        """The name of the row that combines the computed element with the output."""
        end = op.body.block.last_op
        assert end is not None
        owner = end.operands[0].owner
        row = row_of(owner, self._module) if isinstance(owner, Operation) else None
        total = op.body.block.args[-1]
        if (
            row is None
            or row[0].name not in ("add", "max")
            or all(use.operation is not owner for use in total.uses)
        ):
            raise Refused("iterations are combined with neither a sum nor a maximum", _WAY_OUT, op)
        return row[0].name

    def _matmul(
        self, op: linalg.GenericOp, sources: Sequence[tuple[SSAValue, AffineMap]], memory: SSAValue, kept: Sequence[AffineExpr]
    ) -> None:  # fmt: skip
        rank = len(self._space)
        count = sources[0][1].num_dims
        k, *_, kk = dims(count)[rank:]
        (left, left_map), (right, right_map) = sorted(
            sources, key=lambda pair: pair[1].results[-2] != kept[0]
        )
        elements = right_map.results[-2:]
        if left_map.results[-2:] != (kept[0], kk) or elements not in ((kk, kept[1]), (kept[1], kk)):
            raise Refused("its elements are not combined as those of a product of matrices", _WAY_OUT, op)
        axes = [*dims(rank), k]
        left_strides, _ = self._strides(op, left, left_map.results[:-2], axes)
        right_strides, _ = self._strides(op, right, right_map.results[:-2], axes)
        initial = self._tile.get(memory)
        self._tile[memory] = self._add(
            TileMatmulOp(
                self._argument[left], self._argument[right], None if initial == 0.0 else self._made_tile(memory),
                depth=self._extent(left, left_map.results[:-2], k),
                left_strides=left_strides[:rank], right_strides=right_strides[:rank],
                left_step=left_strides[rank], right_step=right_strides[rank],
                transposed=elements == (kept[1], kk),
                result=_widest([self._argument[left].type, self._argument[right].type]),
            )
        )  # fmt: skip

    # --- blocks ------------------------------------------------------------------------------------------------------

    def _strides(
        self, op: Operation, memory: SSAValue, place: Sequence[AffineExpr], axes: Sequence[AffineExpr]
    ) -> tuple[list[int], int]:
        """Tiles of a block from one position along each axis to the next, and the tile where they begin."""
        if memory not in self._outside:
            raise Refused("tiles are read from memory that is not a block", _WAY_OUT, op)
        around = shape_around(self._outside[memory])
        tiles = strides_of(around, tuple(range(len(around))), len(around))
        strides, offset = [0] * len(axes), 0
        for expr, step in zip(place, tiles, strict=True):
            steps = coefficients(expr, len(axes))
            if steps is None:
                raise Refused(f"tile {expr} of a block is not a sum of multiples", _WAY_OUT, op)
            offset += expr.eval([0] * len(axes), []) * step
            strides = [own + factor * step for own, factor in zip(strides, steps, strict=True)]
        return strides, offset

    def _extent(self, memory: SSAValue, place: Sequence[AffineExpr], dim: AffineExpr) -> int:
        assert isinstance(memory.type, MemRefType)
        if dim not in place:
            raise Refused("a reduced dimension is not a dimension of a block", _WAY_OUT)
        return int(memory.type.get_shape()[[*place].index(dim)])

    def _made_tile(self, memory: SSAValue) -> SSAValue:
        """The tile that was computed into a memref."""
        value = self._tile.get(memory)
        if value is None:
            raise Refused("memory is read before it is written", _WAY_OUT, self._function)
        if not isinstance(value, SSAValue):
            value = self._tile[memory] = self._fill(value)
        return value

    def _add(self, op: Operation) -> SSAValue:
        return self._build.add(op).results[0]

    def _number(self, number: float) -> SSAValue:
        before = OpBuilder(_block_of(self._call), anchor=self._call, location=self._call.location)
        return before.add(arith.ConstantOp(FloatAttr(number, f64))).results[0]

    def _fill(self, number: float) -> SSAValue:
        result = self._block.args[-1].type
        assert isinstance(result, TileType)
        return self._add(TileComputeOp(FILL.name, [], (number, self._space, None), result))


def _constant(value: SSAValue) -> float:
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, FloatAttr):
        return float(op.value.value.data)
    where = op if isinstance(op, Operation) else None
    raise Refused("a number is not known before the kernel runs", _WAY_OUT, where)


def _is_scaler(map_: AffineMap) -> bool:
    return not any(isinstance(result, AffineDimExpr) for result in map_.results)


def _widest(types: Sequence[object]) -> TileType:
    """The type of tiles that are computed from others: float32 if one of them is."""
    tiles = [type_ for type_ in types if isinstance(type_, TileType)]
    return next((tile for tile in tiles if tile.element == _FLOAT32.element), tiles[0] if tiles else _FLOAT32)


def _block_of(op: Operation) -> Block:
    assert op.parent is not None
    return op.parent
