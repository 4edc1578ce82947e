"""The operations that passes make from block expressions: fused regions, and tiles in the register file (DST)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I64, IndexType, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator, Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from ttl.arch import all_chips
from ttl.dialects.buffers import StrippedBlock
from ttl.dialects.effects import DST, L1, Effects, changes, reads, writes
from ttl.dialects.elements import SHORT_NAMES, TileType, dtype_and_layout
from ttl.dialects.structure import COMPUTING
from ttl.dialects.types import BlockMemoryType
from ttl.ir.rewriting import RegionBranchOp
from ttl.ir.syntax import number_of, operation_definition, parse_stripped, print_stripped
from ttl.rows.types import TILE


@operation_definition
class ComputeRegionOp(IRDLOperation, RegionBranchOp):
    """Expressions that are computed together, tile by tile.

    The region has an argument for each input and each output, which is a tile of it.
    """

    name = "ttl.compute_region"
    ENDS: ClassVar = base(TensorType) | base(BlockMemoryType)

    inputs = var_operand_def(ENDS)
    outputs = var_operand_def(ENDS)
    body = region_def("single_block")
    values = var_result_def(TensorType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(
        COMPUTING,
        RecursiveMemoryEffect(),
        Effects(reads(L1, of=lambda op: op.inputs), writes(L1, of=lambda op: op.outputs), changes(DST)),
    )

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        body: Region,
        result_types: Sequence[Attribute] = (),
    ) -> None:
        super().__init__(operands=[inputs, outputs], result_types=[result_types], regions=[body])

    @classmethod
    def parse(cls, parser: Parser) -> ComputeRegionOp:
        inputs = _parse_group(parser, "ins")
        outputs = _parse_group(parser, "outs")
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region()
        results: Sequence[Attribute] = ()
        if parser.parse_optional_punctuation("->"):
            results = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        op = cls(inputs, outputs, body, results)
        op.attributes |= attributes.data if attributes is not None else {}
        return op

    def print(self, printer: Printer) -> None:
        for word, values in (("ins", self.inputs), ("outs", self.outputs)):
            printer.print_string(f" {word}(")
            if values:
                printer.print_list(values, printer.print_operand)
                printer.print_string(" : ")
                printer.print_list([value.type for value in values], printer.print_attribute)
            printer.print_string(")")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body)
        if self.values:
            printer.print_string(" -> ")
            printer.print_list([value.type for value in self.values], printer.print_attribute)

    def verify_(self) -> None:
        expected = len(self.inputs) + len(self.outputs)
        if len(self.body.block.args) != expected:
            raise VerifyException(
                f"the region has an argument for each of {expected} inputs and outputs, not {len(self.body.block.args)}"
            )
        for number, (value, argument) in enumerate(
            zip((*self.inputs, *self.outputs), self.body.block.args, strict=True)
        ):
            if argument.type != (tile := tile_of(value)):
                raise VerifyException(
                    f"argument {number} of the region is {tile}, a tile of {value.type}, not {argument.type}"
                )
        last = self.body.block.last_op
        given = len(last.values) if isinstance(last, YieldTilesOp) else 0
        if given != len(self.outputs) + len(self.values):
            raise VerifyException(
                f"the region yields a tile for each of {len(self.outputs)} outputs and {len(self.values)} results, not {given}"
            )


def tile_of(value: SSAValue) -> TileType:
    """The type of a whole tile with the element type of a block, or of its value.

    Raises ``VerifyException`` for an element type that is not one of the language.
    """
    type_ = value.type
    assert isinstance(type_, BlockMemoryType | TensorType)
    try:
        dtype, _ = dtype_and_layout(type_.element_type)
    except ValueError as problem:
        raise VerifyException(str(problem)) from problem
    return TileType(TILE, TILE, SHORT_NAMES[dtype])


def _parse_group(parser: Parser, word: str) -> Sequence[SSAValue]:
    parser.parse_keyword(word)
    position = parser.pos
    types: Sequence[Attribute] = ()
    with parser.in_parens():
        values = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        if values:
            parser.parse_punctuation(":")
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    return parser.resolve_operands(values or (), types, position)


@operation_definition
class YieldTilesOp(IRDLOperation):
    """The tiles that a region computes."""

    name = "ttl.yield"
    values = var_operand_def(TileType)
    assembly_format = "($values^ `:` type($values))? attr-dict"
    traits = traits_def(IsTerminator(), HasParent(ComputeRegionOp), Pure())

    def __init__(self, *values: SSAValue) -> None:
        super().__init__(operands=[values])


def most_registers() -> int:
    """Return the largest number of tiles in a register file, over all chips and modes."""
    return max(chip.dst.full_16bit for chip in all_chips())


@operation_definition
class RequireDstOp(IRDLOperation):
    """Marks that tiles are needed in the register file from here to the end of the block."""

    name = "ttl.require_dst"
    count = prop_def(IntegerAttr[I64], prop_name="tiles")
    tiles = number_of("tiles", "How many.")
    assembly_format = "$tiles attr-dict"
    traits = traits_def(COMPUTING, Effects(changes(DST)))

    def __init__(self, tiles: int) -> None:
        super().__init__(properties={"tiles": IntegerAttr(tiles, i64)})

    def verify_(self) -> None:
        if self.tiles < 1:
            raise VerifyException(f"at least one tile is needed, not {self.tiles}")
        if self.tiles > most_registers():
            raise VerifyException(
                f"the register file holds {most_registers()} tiles at most, not {self.tiles}"
            )


@operation_definition
class AcquireDstOp(IRDLOperation):
    """Acquires a place for a tile in the register file; its number is decided later, unless ``register`` has it."""

    name = "ttl.acquire_dst"
    register = opt_prop_def(IntegerAttr[I64], prop_name="index")
    result = result_def(IndexType())
    assembly_format = "(`at` $index^)? attr-dict"
    traits = traits_def(COMPUTING, Effects(changes(DST)))

    def __init__(self, index: int | None = None) -> None:
        super().__init__(
            result_types=[IndexType()],
            properties={"index": None if index is None else IntegerAttr(index, i64)},
        )

    @property
    def index(self) -> int | None:
        """The number of the place; None before it is decided."""
        return None if self.register is None else self.register.value.data

    def verify_(self) -> None:
        if self.index is not None and not 0 <= self.index < most_registers():
            raise VerifyException(
                f"a place in the register file is 0 to {most_registers() - 1}, not {self.index}"
            )


@operation_definition
class ReleaseDstOp(IRDLOperation):
    """Frees a place in the register file."""

    name = "ttl.release_dst"
    register = operand_def(IndexType())
    assembly_format = "$register attr-dict"
    traits = traits_def(COMPUTING, Effects(changes(DST)))

    def __init__(self, register: SSAValue) -> None:
        super().__init__(operands=[register])


@operation_definition
class SpillTileOp(IRDLOperation):
    """Moves a tile from the register file to L1."""

    name = "ttl.spill_tile"
    tile = operand_def(TileType)
    register = operand_def(IndexType())
    result = result_def(IndexType())
    assembly_format = "$tile `from` $register attr-dict `:` type($tile)"
    traits = traits_def(COMPUTING, Effects(reads(DST), writes(L1)))

    def __init__(self, tile: SSAValue, register: SSAValue) -> None:
        super().__init__(operands=[tile, register], result_types=[IndexType()])


@operation_definition
class RestoreTileOp(IRDLOperation):
    """Moves a spilled tile back to the register file."""

    name = "ttl.restore_tile"
    spilled = operand_def(IndexType())
    result = result_def(TileType)
    assembly_format = "$spilled attr-dict `:` type($result)"
    traits = traits_def(COMPUTING, Effects(reads(L1), writes(DST)))

    def __init__(self, spilled: SSAValue, tile: TileType) -> None:
        super().__init__(operands=[spilled], result_types=[tile])


@operation_definition
class GetTileOp(IRDLOperation):
    """A tile of a block, at a position along each dimension."""

    name = "ttl.get_tile"
    block = operand_def(BlockMemoryType)
    position = var_operand_def(IndexType())
    result = result_def(TileType)
    traits = traits_def(COMPUTING, Effects(reads(L1), writes(DST)))

    def __init__(self, block: SSAValue, position: Sequence[SSAValue]) -> None:
        assert isinstance(block.type, BlockMemoryType)
        super().__init__(operands=[block, position], result_types=[block.type.element_type])

    @classmethod
    def parse(cls, parser: Parser) -> GetTileOp:
        block = parser.parse_unresolved_operand()
        position = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE,
            lambda: parser.resolve_operand(parser.parse_unresolved_operand(), IndexType()),
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(parser.resolve_operand(block, parse_stripped(parser, BlockMemoryType)), position)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.block)
        with printer.in_square_brackets():
            printer.print_list(self.position, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        print_stripped(printer, self.block.type)

    def verify_(self) -> None:
        _check_tile(self.block, self.position, self.result)


@operation_definition
class PackTileOp(IRDLOperation):
    """Stores a tile into a block, at a position along each dimension."""

    name = "ttl.pack_tile"
    tile = operand_def(TileType)
    block = operand_def(BlockMemoryType)
    position = var_operand_def(IndexType())
    assembly_format = "$tile `to` $block `[` $position `]` attr-dict `:` type($tile) `,` custom<StrippedBlock>(type($block))"
    custom_directives = (StrippedBlock,)
    traits = traits_def(COMPUTING, Effects(reads(DST), writes(L1)))

    def __init__(self, tile: SSAValue, block: SSAValue, position: Sequence[SSAValue]) -> None:
        super().__init__(operands=[tile, block, position])

    def verify_(self) -> None:
        _check_tile(self.block, self.position, None)


def _check_tile(block: SSAValue, position: Sequence[SSAValue], tile: SSAValue | None) -> None:
    type_ = block.type
    assert isinstance(type_, BlockMemoryType)
    if len(position) != len(type_.shape):
        raise VerifyException(f"a place in {type_} has {len(type_.shape)} coordinates, not {len(position)}")
    if tile is not None and tile.type != type_.element_type:
        raise VerifyException(f"a tile of {type_} is {type_.element_type}, not {tile.type}")
