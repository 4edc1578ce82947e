"""The operations in the body of a compute region, which work on tiles at one point of the iteration space.

The iteration space of a region is the shape of the blocks that it computes, in tiles. Where a block is read or written,
``strides`` has one entry for each dimension of the space: the number of the tile is the sum of position times stride. A
dimension along which the block is repeated has stride 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import (
    I64,
    BoolAttr,
    DenseArrayBase,
    IntegerAttr,
    StringAttr,
    i64,
)
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, Pure
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.buffers import BlockViewOp
from ttl.dialects.compute import (
    attributes_for,
    is_filled_later,
    params_of,
    parse_operands,
    parse_signature,
    print_operands,
    print_signature,
)
from ttl.dialects.elements import DTYPE_OF_NAME, TileType
from ttl.dialects.registers import ComputeRegionOp, most_registers
from ttl.dialects.types import BlockMemoryType
from ttl.ir.syntax import I64_ARRAY, i64_array, ints_of, number_of, numbers_of, word_of
from ttl.rows.dtypes import DType
from ttl.rows.row import Op, Params
from ttl.rows.table import OPS
from ttl.rows.table import op as row_named

# How a tile is changed when it is read from the circular buffer: not at all, its column 0, row 0 or element (0, 0)
# repeated, or rows and columns exchanged.
MODES = ("plain", "column", "row", "scalar", "transposed")
# The elements of a tile that a reduction combines: those of a row (result in column 0), of a column (result in row 0),
# or all.
REDUCED = ("columns", "rows", "all")
POOLS = tuple(dict.fromkeys(row.pool for row in OPS if row.pool is not None))
# How a tile is computed: by the matrix unit from buffers, from buffers with one of them broadcast, or from a register
# and a buffer; by the vector unit from registers; by a copy from a buffer; or not at all, because it is zero, or
# because it is a sum whose product was added in place to the other operand when the product was computed.
UNITS = ("fpu", "fpu_bcast", "reuse", "sfpu", "unpack", "zero", "added")


class TileOp(IRDLOperation):
    """An operation of a region's body. ``place`` is the place of its result in DST, counted in sub-blocks."""

    result = result_def(TileType)
    place_number = opt_prop_def(IntegerAttr[I64], prop_name="place")
    unit_word = opt_prop_def(StringAttr, prop_name="unit")
    traits = traits_def(Pure(), HasParent(ComputeRegionOp))

    @property
    def place(self) -> int | None:
        """The place of the result; None before it is decided, and for operands that their user reads."""
        return None if self.place_number is None else self.place_number.value.data

    @place.setter
    def place(self, place: int | None) -> None:
        self.place_number = None if place is None else IntegerAttr(place, i64)

    @property
    def unit(self) -> str | None:
        """The unit that computes it, one of ``UNITS``; None before it is decided."""
        return None if self.unit_word is None else self.unit_word.data

    @unit.setter
    def unit(self, unit: str | None) -> None:
        self.unit_word = None if unit is None else StringAttr(unit)

    @property
    def dtype(self) -> DType:
        """The element type of the result."""
        return dtype_of(self.result)

    def verify_(self) -> None:
        if self.unit is not None and self.unit not in UNITS:
            raise VerifyException(f"a unit is one of {', '.join(UNITS)}, not {self.unit}")
        if self.place is not None and not 0 <= self.place < most_registers():
            raise VerifyException(
                f"a place in the registers is 0 to {most_registers() - 1}, not {self.place}"
            )


def dtype_of(tile: SSAValue) -> DType:
    """The element type of a tile."""
    assert isinstance(tile.type, TileType)
    return DTYPE_OF_NAME[tile.type.element]


def _check_input(
    op: Operation,
    source: SSAValue,
    strides: Sequence[int],
    steps: Sequence[tuple[int, int]] = (),
    offset: int = 0,
) -> None:
    """Raise ``VerifyException`` if the source of a read is not an input of the region, or does not have the tiles.

    ``steps`` are further extents besides those of the space, each with its stride in tiles.
    """
    region = op.parent_op()
    if not isinstance(region, ComputeRegionOp):
        return
    if (
        not isinstance(source, BlockArgument)
        or source.owner is not region.body.block
        or source.index >= len(region.inputs)
    ):
        raise VerifyException("a tile is read from an argument of the region that stands for an input")
    if (space := space_of(region)) is None:
        return
    if len(strides) != len(space):
        raise VerifyException(f"a space of {len(space)} dimensions has no strides {list(strides)}")
    ends = [(extent - 1) * step for extent, step in (*zip(space, strides, strict=True), *steps)]
    first, last = offset + sum(end for end in ends if end < 0), offset + sum(end for end in ends if end > 0)
    block = region.inputs[source.index]
    while isinstance(block.owner, BlockViewOp):
        block = block.owner.block
    type_ = block.type
    if isinstance(type_, BlockMemoryType) and isinstance(type_.element_type, TileType):
        tiles = prod(type_.shape)
        if first < 0 or last >= tiles:
            raise VerifyException(f"tiles {first} to {last} are read, and {type_} has {tiles}")


def _check_extents(extents: Sequence[int]) -> None:
    if min(extents, default=1) < 1:
        raise VerifyException(f"at least one tile is combined along each dimension, not {list(extents)}")


def space_of(region: ComputeRegionOp) -> tuple[int, ...] | None:
    """The iteration space of a region, in tiles."""
    space = region.attributes.get("space")
    return ints_of(space) if isinstance(space, DenseArrayBase) else None


@irdl_op_definition
class TileReadOp(TileOp):
    """A tile of an input."""

    name = "ttl.tile_read"
    irdl_options = (ParsePropInAttrDict(),)
    source = operand_def(TileType)
    stride_numbers = prop_def(I64_ARRAY, prop_name="strides")
    strides = numbers_of("strides", "Tiles from one point of the space to the next, along each dimension.")
    offset_number = prop_def(IntegerAttr[I64], prop_name="offset")
    offset = number_of("offset", "The tile that the first point of the space reads.")
    mode_word = prop_def(StringAttr, prop_name="mode")
    mode = word_of("mode", "One of ``MODES``.")
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(
        self, source: SSAValue, strides: Sequence[int], mode: str = "plain", offset: int = 0
    ) -> None:
        super().__init__(
            operands=[source],
            result_types=[source.type],
            properties={
                "strides": i64_array(strides),
                "mode": StringAttr(mode),
                "offset": IntegerAttr(offset, i64),
            },
        )

    def verify_(self) -> None:
        super().verify_()
        _check_input(self, self.source, self.strides, offset=self.offset)
        if self.source.type != self.result.type:
            raise VerifyException(f"a tile of {self.source.type} is read as it is, not as {self.result.type}")
        if self.mode not in MODES:
            raise VerifyException(f"a tile is read {', '.join(MODES)}, not {self.mode}")


@irdl_op_definition
class TileComputeOp(TileOp):
    """A row of the table of operations, on tiles and numbers: ``ttl.tile_compute mul %a, %number``."""

    name = "ttl.tile_compute"
    inputs = var_operand_def()
    row_name = prop_def(StringAttr, prop_name="row")

    def __init__(self, row: str, operands: Sequence[SSAValue], params: Params, result: TileType) -> None:
        super().__init__(
            operands=[operands],
            result_types=[result],
            properties={"row": StringAttr(row)},
            attributes=attributes_for(row_named(row), params),
        )

    @property
    def row(self) -> Op:
        """The row."""
        return row_named(self.row_name.data)

    @property
    def params(self) -> Params:
        """Its parameters, in the order of the row."""
        return params_of(self, self.row)

    @classmethod
    def parse(cls, parser: Parser) -> TileComputeOp:
        row = parser.parse_identifier()
        unresolved = parse_operands(parser)
        place = unit = None
        if parser.parse_optional_keyword("at"):
            place = IntegerAttr(parser.parse_integer(), i64)
        if parser.parse_optional_keyword("by"):
            unit = StringAttr(parser.parse_identifier())
        attributes, operands, result = parse_signature(parser, unresolved)
        return cls.create(
            operands=operands,
            result_types=[result],
            properties={
                name: attribute
                for name, attribute in (("row", StringAttr(row)), ("place", place), ("unit", unit))
                if attribute is not None
            },
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.row_name.data}")
        print_operands(printer, self)
        if self.place is not None:
            printer.print_string(f" at {self.place}")
        if self.unit is not None:
            printer.print_string(f" by {self.unit}")
        print_signature(printer, self)

    def verify_(self) -> None:
        super().verify_()
        if len(self.operands) != len(self.row.operands) and not is_filled_later(self):
            raise VerifyException(
                f"{self.row.name} takes {len(self.row.operands)} operands, not {len(self.operands)}"
            )


@irdl_op_definition
class TileMatmulOp(TileOp):
    """A tile of a matrix product: the sum over ``depth`` of tiles of the left input times tiles of the right one.

    With an ``initial`` tile, the product is added to that tile, which is in DST, in place. A transposed right input is
    read along its rows, and each of its tiles is transposed.
    """

    name = "ttl.tile_matmul"
    irdl_options = (ParsePropInAttrDict(),)
    left = operand_def(TileType)
    right = operand_def(TileType)
    initial = var_operand_def(TileType)
    depth_number = prop_def(IntegerAttr[I64], prop_name="depth")
    depth = number_of("depth", "Tiles along the dimension that is summed over.")
    left_numbers = prop_def(I64_ARRAY, prop_name="left_strides")
    left_strides = numbers_of("left_strides", "Of the left input, over the space.")
    right_numbers = prop_def(I64_ARRAY, prop_name="right_strides")
    right_strides = numbers_of("right_strides", "Of the right input, over the space.")
    left_step = prop_def(IntegerAttr[I64])
    right_step = prop_def(IntegerAttr[I64])
    transposed = prop_def(BoolAttr)
    assembly_format = (
        "$left `,` $right (`onto` $initial^)? attr-dict `:` type($left) `,` type($right) (`,` type($initial)^)? "
        "`->` type($result)"
    )

    def __init__(
        self,
        left: SSAValue,
        right: SSAValue,
        initial: SSAValue | None,
        *,
        depth: int,
        left_strides: Sequence[int],
        right_strides: Sequence[int],
        left_step: int,
        right_step: int,
        transposed: bool,
        result: TileType,
    ) -> None:
        super().__init__(
            operands=[left, right, [] if initial is None else [initial]],
            result_types=[result],
            properties={
                "depth": IntegerAttr(depth, i64),
                "left_strides": i64_array(left_strides),
                "right_strides": i64_array(right_strides),
                "left_step": IntegerAttr(left_step, i64),
                "right_step": IntegerAttr(right_step, i64),
                "transposed": BoolAttr.from_bool(transposed),
            },
        )

    @property
    def is_transposed(self) -> bool:
        """Whether the right input is read transposed."""
        return bool(self.transposed)

    def verify_(self) -> None:
        super().verify_()
        _check_extents((self.depth,))
        for source, strides, step in (
            (self.left, self.left_strides, self.left_step),
            (self.right, self.right_strides, self.right_step),
        ):
            _check_input(self, source, strides, [(self.depth, step.value.data)])
        if len(self.initial) > 1 or any(not dtype_of(tile).is_float for tile in self.initial):
            raise VerifyException("a product is added to one tile of floats at most")


class TileCombiningOp(TileOp):
    """Combines ``extents`` tiles of an input along the reduced dimensions, at distances of ``steps`` tiles."""

    stride_numbers = prop_def(I64_ARRAY, prop_name="strides")
    strides = numbers_of("strides", "Of the input, over the space.")
    extent_numbers = prop_def(I64_ARRAY, prop_name="extents")
    extents = numbers_of("extents", "Tiles along each reduced dimension.")
    step_numbers = prop_def(I64_ARRAY, prop_name="steps")
    steps = numbers_of("steps", "Tiles of the input from one to the next along each reduced dimension.")

    def _check_combined(self, source: SSAValue) -> None:
        if len(self.extents) != len(self.steps):
            raise VerifyException(f"{len(self.extents)} reduced dimensions have {len(self.steps)} steps")
        _check_extents(self.extents)
        _check_input(self, source, self.strides, list(zip(self.extents, self.steps, strict=True)))


@irdl_op_definition
class TileReduceOp(TileCombiningOp):
    """Reduces tiles of an input to one tile.

    The tiles are multiplied with a scaler; if there are two scalers, the last tile along a row with the second one.
    """

    name = "ttl.tile_reduce"
    irdl_options = (ParsePropInAttrDict(),)
    source = operand_def(TileType)
    scalers = var_operand_def(TileType)
    pool_word = prop_def(StringAttr, prop_name="pool")
    pool = word_of("pool", "``sum`` or ``max``.")
    within_word = prop_def(StringAttr, prop_name="within")
    within = word_of("within", "One of ``REDUCED``.")
    assembly_format = (
        "$source (`scaled` $scalers^)? attr-dict `:` type($source) (`,` type($scalers)^)? `->` type($result)"
    )

    def __init__(
        self,
        source: SSAValue,
        scalers: Sequence[SSAValue],
        *,
        pool: str,
        within: str,
        strides: Sequence[int],
        extents: Sequence[int],
        steps: Sequence[int],
        result: TileType,
    ) -> None:
        super().__init__(
            operands=[source, scalers],
            result_types=[result],
            properties={
                "pool": StringAttr(pool),
                "within": StringAttr(within),
                "strides": i64_array(strides),
                "extents": i64_array(extents),
                "steps": i64_array(steps),
            },
        )

    def verify_(self) -> None:
        super().verify_()
        self._check_combined(self.source)
        if self.pool not in POOLS:
            raise VerifyException(f"tiles are reduced to their {' or '.join(POOLS)}, not {self.pool}")
        if not 1 <= len(self.scalers) <= 2:
            raise VerifyException(
                f"a reduction multiplies with one scaler, or with two, not {len(self.scalers)}"
            )
        if self.within not in REDUCED:
            raise VerifyException(f"{', '.join(REDUCED)} of a tile are reduced, not {self.within}")


@irdl_op_definition
class TileFoldOp(TileCombiningOp):
    """Combines tiles of an input to one tile, element by element, in the registers, with ``add`` or ``max``.

    ``beside`` is the place of the tile that is combined next.
    """

    name = "ttl.tile_fold"
    irdl_options = (ParsePropInAttrDict(),)
    source = operand_def(TileType)
    row_name = prop_def(StringAttr, prop_name="row")
    beside_number = opt_prop_def(IntegerAttr[I64], prop_name="beside")
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(
        self,
        source: SSAValue,
        row: str,
        *,
        strides: Sequence[int],
        extents: Sequence[int],
        steps: Sequence[int],
        result: TileType,
    ) -> None:
        super().__init__(
            operands=[source],
            result_types=[result],
            properties={
                "row": StringAttr(row),
                "strides": i64_array(strides),
                "extents": i64_array(extents),
                "steps": i64_array(steps),
            },
        )

    @property
    def row(self) -> Op:
        """The operation that combines two tiles."""
        return row_named(self.row_name.data)

    @property
    def beside(self) -> int | None:
        """The place of the tile that is combined next; None before it is decided."""
        return None if self.beside_number is None else self.beside_number.value.data

    @beside.setter
    def beside(self, place: int | None) -> None:
        self.beside_number = None if place is None else IntegerAttr(place, i64)

    def verify_(self) -> None:
        super().verify_()
        self._check_combined(self.source)
        if self.beside is not None and not 0 <= self.beside < most_registers():
            raise VerifyException(
                f"a place in the registers is 0 to {most_registers() - 1}, not {self.beside}"
            )
        pairwise = [row.pairwise for row in OPS if row.pairwise is not None]
        if self.row.name not in pairwise:
            raise VerifyException(f"tiles are folded with {' or '.join(pairwise)}, not {self.row.name}")


TILE_OPERATIONS: tuple[type[Operation], ...] = (
    TileReadOp,
    TileComputeOp,
    TileMatmulOp,
    TileReduceOp,
    TileFoldOp,
)
