"""``ttl-to-linalg``: compute regions become functions of ``linalg.generic`` over elements.

Expects: compute regions without places (``ttl-form-regions``). Guarantees: each region is a ``ttl.structured_call`` of
a function ``OPERATION_NUMBER``, whose arguments are its blocks as memrefs: the extents of the block in tiles, then
those of a tile. The function has one ``linalg.generic`` for each product, reduction and fill, into memory of its own,
and one for all elementwise operations that lead to the outputs. Elements are computed in float32, and rounded where
they are stored. ``linalg-to-ttl`` is the way back. A region that has no such form is refused with the reason; the
others are still converted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from types import MappingProxyType

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    DictionaryAttr,
    MemRefType,
    ModuleOp,
    TensorType,
    bf16,
    f16,
    f32,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.passes import ModulePass

from ttl.analysis.dominance import outermost
from ttl.dialects import ttl as dialect
from ttl.dialects.elements import TileType
from ttl.dialects.filled import WriteScalerOp
from ttl.dialects.structured import StructuredCallOp
from ttl.dialects.tiles import (
    TileComputeOp,
    TileFoldOp,
    TileMatmulOp,
    TileOp,
    TileReadOp,
    TileReduceOp,
    space_of,
)
from ttl.ir.affine import add, constant, dims, make_map
from ttl.ir.conversion import OpBuilder
from ttl.ir.failure import NotLegalized
from ttl.ir.refusals import Refusal, Refused, reports_of
from ttl.passes.building import erase
from ttl.passes.choices import operations_of
from ttl.passes.compute.views import shape_around, strides_of, tile_shape
from ttl.passes.structured.scalars import computed, number_in
from ttl.rows.table import op as row_named
from ttl.rows.types import TILE

REGION = "ttl.region"
FLOATS: Mapping[str, AnyFloat] = MappingProxyType({"f32": f32, "bf16": bf16, "f16": f16})
_LEAVE = "leave the region as it is"
# Which elements of a tile are read for the element in row r and column c.
MODES: Mapping[str, Callable[[AffineExpr, AffineExpr], tuple[AffineExpr, AffineExpr]]] = MappingProxyType(
    {
        "plain": lambda r, c: (r, c),
        "column": lambda r, c: (r, constant(0)),
        "row": lambda r, c: (constant(0), c),
        "scalar": lambda r, c: (constant(0), constant(0)),
        "transposed": lambda r, c: (c, r),
    }
)


@dataclass(frozen=True)
class ToLinalg(ModulePass):
    """Convert compute regions to functions of ``linalg.generic`` over elements."""

    name = "ttl-to-linalg"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refused: list[tuple[Operation, Refusal]] = []
        for operation in operations_of(op):
            for number, region in enumerate(outermost(operation, dialect.ComputeRegionOp)):
                try:
                    _RegionWriter(op, region).write(f"{operation.sym_name.data}_{number}")
                except Refused as problem:
                    refused.append((region, problem.refusal))
        if refused:
            raise NotLegalized(reports_of(refused))


def memref_of(block: SSAValue) -> MemRefType[AnyFloat]:
    """The elements of a block: its extents in tiles, then rows and columns of a tile. Raises ``Refused``."""
    assert isinstance(block.type, dialect.BlockMemoryType)
    tile = block.type.element_type
    if not isinstance(tile, TileType):
        raise Refused("a row-major block has no rows and columns of tiles", _LEAVE)
    if tile.element not in FLOATS:
        raise Refused(f"elements of {tile.element} are no floats of MLIR", _LEAVE)
    return MemRefType(FLOATS[tile.element], [*tile_shape(block.type.block_type), *tile.extents])


@dataclass(frozen=True, slots=True)
class _Axis:
    """A dimension of the iteration space along which a block is read: tiles from one position to the next, and how many."""

    dim: AffineExpr
    step: int
    extent: int


class _RegionWriter:
    def __init__(self, module: ModuleOp, region: dialect.ComputeRegionOp) -> None:
        self._module = module
        self._region = region
        space = space_of(region)
        assert space is not None
        self._space = space
        self._blocks = (*region.inputs, *region.outputs)
        self._outside: dict[SSAValue, SSAValue] = dict(zip(region.body.block.args, self._blocks, strict=True))
        self._entry = Block()
        self._build = OpBuilder(self._entry, location=region.location)
        # For each tile that is in memory already: the memory, and the dimensions of its elements that are kept, some of
        # "rc".
        self._stored: dict[SSAValue, tuple[SSAValue, str]] = {}
        # For each argument of the region, its memory.
        self._memory: dict[SSAValue, SSAValue] = {}

    def write(self, name: str) -> None:
        """Write the function, and call it in the place of the region."""
        region = self._region
        if region.values or any(isinstance(value.type, TensorType) for value in region.inputs):
            raise Refused("values stay in the registers around the region, over a loop", _LEAVE)
        if any(isinstance(op, TileOp) and op.unit is not None for op in region.body.block.ops):
            raise Refused("its tiles have places in the registers", "run ttl-to-linalg before ttl-assign-dst")
        types = [memref_of(block) for block in self._blocks]
        for argument, type_ in zip(region.body.block.args, types, strict=True):
            self._memory[argument] = self._entry.insert_arg(type_, len(self._entry.args))
        yielded = region.body.block.last_op
        assert isinstance(yielded, dialect.YieldTilesOp)
        outputs = self._entry.args[len(region.inputs) :]
        self._elementwise(list(zip(yielded.values, outputs, strict=True)))
        self._build.add(func.ReturnOp())
        function = func.FuncOp(name, (types, []), Region(self._entry))
        function.location = region.location
        function.attributes[REGION] = DictionaryAttr(
            {key: given for key, given in region.attributes.items() if key != "space"}
        )
        self._module.body.block.add_op(function)
        before = OpBuilder(_block_of(region), anchor=region, location=region.location)
        before.add(StructuredCallOp(name, self._blocks))
        erase(region)

    # --- generics ----------------------------------------------------------------------------------------------------

    def _elementwise(self, values: Sequence[tuple[SSAValue, SSAValue]]) -> None:
        """Compute tiles into memory, element by element, by one ``linalg.generic``."""
        for tile, _ in values:
            self._prepare(tile)
        rank = len(self._space)
        *outer, r, c = dims(rank + 2)
        inputs: dict[tuple[SSAValue, AffineMapAttr], SSAValue] = {}
        block = Block()
        build = OpBuilder(block, location=self._build.location)
        known: dict[SSAValue, SSAValue] = {}

        def read(memory: SSAValue, place: Sequence[AffineExpr]) -> SSAValue:
            key = memory, AffineMapAttr(make_map(rank + 2, place))
            if key not in inputs:
                inputs[key] = block.insert_arg(_element_of(memory), len(inputs))
            return _widened(build, inputs[key])

        def element(tile: SSAValue) -> SSAValue:
            if tile not in known:
                known[tile] = compute(tile)
            return known[tile]

        def compute(tile: SSAValue) -> SSAValue:
            if tile in self._stored:
                memory, kept = self._stored[tile]
                return read(memory, [*outer, *(dim for name, dim in (("r", r), ("c", c)) if name in kept)])
            op = tile.owner
            if isinstance(op, TileReadOp):
                place = self._place(op.source, _axes(outer, op.strides, self._space), op.offset)
                return read(self._memory[op.source], [*place, *MODES[op.mode](r, c)])
            assert isinstance(op, TileComputeOp)
            operands = [
                element(value) if isinstance(value.type, TileType) else number_in(build, _number(value))
                for value in op.operands
            ]
            return computed(op.row, op.params, operands, build, self._module)

        results = [element(tile) for tile, _ in values]
        for _, memory in values:
            block.insert_arg(_element_of(memory), len(block.args))
        narrow = [
            _narrowed(build, value, _element_of(memory))
            for value, (_, memory) in zip(results, values, strict=True)
        ]
        build.add(linalg.YieldOp(*narrow))
        identity = AffineMapAttr(make_map(rank + 2, dims(rank + 2)))
        self._generic(
            [memory for memory, _ in inputs], [memory for _, memory in values], block,
            [*(map_ for _, map_ in inputs), *(identity for _ in values)], "p" * (rank + 2),
        )  # fmt: skip

    def _prepare(self, tile: SSAValue) -> None:
        """Compute the parts of a tile's expression that are not elementwise, such as products, into memory."""
        op = tile.owner
        if tile in self._stored or not isinstance(op, TileOp):
            return
        match op:
            case TileMatmulOp():
                self._matmul(op)
            case TileReduceOp():
                self._reduce(op)
            case TileFoldOp():
                self._combine(
                    op, op.row.name, self._memory[op.source], op.strides, op.extents, op.steps, "rc"
                )
            case TileComputeOp() if op.row.family == "fill":
                if not op.params or op.operands:
                    raise Refused("it fills with a number that is known only when the kernel runs", _LEAVE)
                self._stored[tile] = self._filled(float(op.params[0]), "rc"), "rc"
            case TileComputeOp() if op.row.family == "reduction":
                self._reduce_in_tile(op)
            case TileComputeOp():
                for operand in op.operands:
                    self._prepare(operand)

    def _matmul(self, op: TileMatmulOp) -> None:
        rank = len(self._space)
        *outer, k, r, c, kk = dims(rank + 4)
        if op.initial:
            memory = self._filled(None, "rc")
            self._elementwise([(op.initial[0], memory)])
        else:
            memory = self._filled(0.0, "rc")
        places = []
        for source, strides, step, elements in (
            (op.left, op.left_strides, op.left_step.value.data, (r, kk)),
            (op.right, op.right_strides, op.right_step.value.data, (c, kk) if op.is_transposed else (kk, c)),
        ):
            axes = [*_axes(outer, strides, self._space), _Axis(k, step, op.depth)]
            places.append([*self._place(source, axes), *elements])
        sources = [self._memory[op.left], self._memory[op.right]]
        self._accumulate(sources, memory, [*places, [*outer, r, c]], "p" * rank + "rppr", "mul", "add")
        self._stored[op.result] = memory, "rc"

    def _reduce(self, op: TileReduceOp) -> None:
        if len(op.scalers) != 1 or not self._scales_all(op.scalers[0]):
            raise Refused("padding is kept out of a reduction by a scaler of its own", _LEAVE)
        row = "add" if op.pool == "sum" else "max"
        kept = {"columns": "r", "rows": "c", "all": ""}[op.within]
        scaler = self._memory[op.scalers[0]]
        self._combine(op, row, self._memory[op.source], op.strides, op.extents, op.steps, kept, scaler)

    def _scales_all(self, argument: SSAValue) -> bool:
        """Whether a scaler is 1 for every element of a tile."""
        block = self._outside[argument]
        users = (use.operation for use in (dialect.dfb_of(block) or block).uses)
        return all(user.count == TILE for user in users if isinstance(user, WriteScalerOp))

    def _combine(
        self, op: TileFoldOp | TileReduceOp, row: str, source: SSAValue, strides: Sequence[int],
        extents: Sequence[int], steps: Sequence[int], kept: str, scaler: SSAValue | None = None,
    ) -> None:  # fmt: skip
        rank, over = len(self._space), len(extents)
        all_dims = dims(rank + over + 2)
        outer, reduced, (r, c) = all_dims[:rank], all_dims[rank : rank + over], all_dims[rank + over :]
        memory = self._filled(0.0 if row == "add" else -inf, kept)
        axes = [
            *_axes(outer, strides, self._space),
            *(_Axis(*parts) for parts in zip(reduced, steps, extents, strict=True)),
        ]
        places = [[*self._place(op.source, axes), r, c]]
        sources = [source]
        if scaler is not None:
            sources.append(scaler)
            places.append([constant(0)] * _rank_of(scaler))
        elements = [dim for name, dim in (("r", r), ("c", c)) if name in kept]
        kinds = "p" * rank + "r" * over + "".join("p" if name in kept else "r" for name in "rc")
        self._accumulate(sources, memory, [*places, [*outer, *elements]], kinds, "mul", row)
        self._stored[op.result] = memory, kept

    def _reduce_in_tile(self, op: TileComputeOp) -> None:
        rank = len(self._space)
        before = self._filled(None, "rc")
        self._elementwise([(op.operands[0], before)])
        *outer, r, c = dims(rank + 2)
        (dim,) = op.params[0]
        row = op.row.pairwise
        assert row is not None
        kept, element, kinds = ("c", c, "rp") if dim == -2 else ("r", r, "pr")
        memory = self._filled(0.0 if row == "add" else -inf, kept)
        self._accumulate(
            [before], memory, [[*outer, r, c], [*outer, element]], "p" * rank + kinds, "mul", row
        )
        self._stored[op.result] = memory, kept

    def _accumulate(
        self, sources: Sequence[SSAValue], memory: SSAValue, places: Sequence[Sequence[AffineExpr]], kinds: str,
        times: str, row: str,
    ) -> None:  # fmt: skip
        """Combine the product of sources with the contents of memory, over all points."""
        block = Block(arg_types=[*map(_element_of, sources), f32])
        build = OpBuilder(block, location=self._build.location)
        *factors, total = (_widened(build, argument) for argument in block.args)
        product_ = factors[0]
        for factor in factors[1:]:
            product_ = computed(row_named(times), (), [product_, factor], build, self._module)
        build.add(linalg.YieldOp(computed(row_named(row), (), [total, product_], build, self._module)))
        maps = [AffineMapAttr(make_map(len(kinds), place)) for place in places]
        self._generic(sources, [memory], block, maps, kinds)

    def _generic(
        self, sources: Sequence[SSAValue], outputs: Sequence[SSAValue], block: Block, maps: Sequence[AffineMapAttr], kinds: str
    ) -> None:  # fmt: skip
        iterators = [
            IteratorTypeAttr.parallel() if kind == "p" else IteratorTypeAttr.reduction() for kind in kinds
        ]
        self._build.add(linalg.GenericOp(sources, outputs, Region(block), maps, iterators))

    def _filled(self, number: float | None, kept: str) -> SSAValue:
        """Memory for a tile at each point, filled with a number where there is one."""
        shape = [*self._space, *(TILE for _ in kept)]
        memory = self._build.add(memref.AllocOp.get(f32, shape=shape)).results[0]
        if number is not None:
            value = number_in(self._build, number)
            self._build.add(linalg.FillOp([value], [memory], []))
        return memory

    def _place(self, argument: SSAValue, axes: Sequence[_Axis], offset: int = 0) -> list[AffineExpr]:
        """The position in a block that is read, in tiles. Raises ``Refused``."""
        block = self._outside[argument]
        assert isinstance(block.type, dialect.BlockMemoryType)
        own = tile_shape(block.type.block_type)
        around = shape_around(block)
        place: list[AffineExpr | None] = [None] * len(own)
        tiles = strides_of(around, tuple(range(len(around))), len(around))
        free = [at for at, extent in enumerate(own) if extent == 1]
        for axis in axes:
            fitting = [
                at
                for at, extent in enumerate(own)
                if tiles[at] == axis.step and extent > 1 and place[at] is None
            ]
            if axis.step and fitting:
                place[fitting[0]] = axis.dim
            elif axis.step:
                raise Refused("a block is read along two of its dimensions at once", _LEAVE)
            elif axis in axes[len(self._space) :] and axis.extent == 1 and free:
                place[free.pop()] = axis.dim
            elif axis in axes[len(self._space) :]:
                raise Refused("the same tiles are combined again and again", _LEAVE)
        expressions = [constant(0) if dim is None else dim for dim in place]
        for at in sorted(range(len(own)), key=lambda at: -tiles[at]):
            if tiles[at]:
                expressions[at] = add(expressions[at], constant(offset // tiles[at]))
                offset %= tiles[at]
        return expressions


def _axes(dims_: Sequence[AffineExpr], strides: Sequence[int], space: Sequence[int]) -> list[_Axis]:
    return [_Axis(*parts) for parts in zip(dims_, strides, space, strict=True)]


def _element_of(memory: SSAValue) -> AnyFloat:
    assert isinstance(memory.type, MemRefType)
    element: AnyFloat = memory.type.element_type
    return element


def _rank_of(memory: SSAValue) -> int:
    assert isinstance(memory.type, MemRefType)
    return len(memory.type.get_shape())


def _widened(build: OpBuilder, value: SSAValue) -> SSAValue:
    return value if value.type == f32 else build.add(arith.ExtFOp(value, f32)).results[0]


def _narrowed(build: OpBuilder, value: SSAValue, type_: AnyFloat) -> SSAValue:
    return value if type_ == f32 else build.add(arith.TruncFOp(value, type_)).results[0]


def _number(value: SSAValue) -> float:
    number = dialect.constant_of(value)
    if number is None:
        raise Refused("a number is known only when the kernel runs", _LEAVE)
    return float(number)


def _block_of(op: Operation) -> Block:
    assert op.parent is not None
    return op.parent
