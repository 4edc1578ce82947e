"""The values that may be stored into a block, and the places where expressions may stand (specification, "Block")."""

from __future__ import annotations

from dataclasses import replace

from ttl.diag import Diagnostic, error
from ttl.diag.model import Remedy
from ttl.diag.remedies import Argument, BufferOfBlock, Wrap
from ttl.rows.dtypes import WHOLE_NUMBER
from ttl.rows.rules import OTHER_TILES, SHAPES_DIFFER
from ttl.rows.types import BlockType
from ttl.rules.words import describe
from ttl.source.spans import Span

# The shape, or the layout, of a value differs from that of the block into which it is stored.
OTHER_SHAPE, _OTHER_LAYOUT = "TTL0332", "TTL0333"


def match_store(given: BlockType, buffer: str, block: BlockType) -> Diagnostic | None:
    """Return why an expression of type ``given`` cannot be stored into a block of ``buffer``; None when it fits."""
    if given.shape != block.shape:
        return error(
            OTHER_SHAPE,
            f"store of an expression of {given.describe()} into a block of {buffer} of {block.describe()}",
            help=f"make {buffer} with shape={given.shape}, or change the shape of the expression "
            "(ttl.block.broadcast, ttl.math.reduce_sum, ...)",
        ).remedied_by(_made_with_shape(buffer, given.shape))
    if given.layout is not block.layout:
        return error(
            _OTHER_LAYOUT,
            f"store of an expression in {given.layout.word} layout into a block of {buffer} in {block.layout.word} layout",
            help="make the buffer like a tensor with the operands' layout",
        )
    if given.tile != block.tile:
        return error(
            OTHER_TILES,
            f"store of an expression of {given.describe()} into a block of {buffer} of {block.describe()}",
            notes=("tiles of different sizes order their elements differently, and there is no conversion",),
            help=f"make {buffer} with tile={given.tile}",
        ).remedied_by(_made_with_tile(buffer, given.tile))
    if given.dtype is WHOLE_NUMBER:
        return None  # a block filled with a whole number has no type of its own yet
    if given.dtype.is_float is not block.dtype.is_float:
        return error(
            "TTL0334",
            f"store of an expression of {given.dtype.name} into a block of {buffer} of {block.dtype.name}",
            notes=("floats and integers are converted only on request",),
            help=f"write blk.store(ttl.math.typecast(expr, ttnn.{block.dtype.name}))",
        ).remedied_by(Wrap(template=f"ttl.math.typecast({{}}, ttnn.{block.dtype.name})", operand=0))
    return None


def _made_with_shape(buffer: str, shape: tuple[int, ...]) -> Remedy:
    """The remedy that makes the buffer of the target block with another shape."""
    other = Argument(name="shape", value=str(shape), position=1, function="make_dataflow_buffer_like")
    return BufferOfBlock(description=f"make {buffer} with shape={shape}", remedy=other)


def _made_with_tile(buffer: str, tile: tuple[int, int]) -> Remedy:
    other = Argument(name="tile", value=str(tile), position=3, function="make_dfb")
    return BufferOfBlock(description=f"make {buffer} with tile={tile}", remedy=other)


def row_major_by_default(finding: Diagnostic, function: str, span: Span | None) -> Diagnostic:
    """Add to an error about layouts (TTL0333) that the buffer is like a tensor made without a layout, at ``span``."""
    if finding.code != _OTHER_LAYOUT:
        return finding
    fix = (
        None
        if span is None
        else Argument(name="layout", value="ttnn.TILE_LAYOUT", function=function).fix(span)
    )
    default = f"ttnn.{function} makes a row-major tensor if no layout is passed, here and on a card"
    advice = f"give layout=ttnn.TILE_LAYOUT to ttnn.{function}"
    told = (
        replace(finding, help=(advice,))
        .noting(default)
        .also(span, "the tensor is made here, without a layout")
    )
    return told if fix is None else told.fixed_by(replace(fix, description=advice))


def into_the_block(finding: Diagnostic, buffer: str) -> Diagnostic:
    """Add to an error of ``acc += expr`` that ``acc`` is a block of ``buffer``, into which the sum would be stored."""
    if finding.code not in (OTHER_SHAPE, SHAPES_DIFFER):
        return finding
    told = f"the left side of += is a block of {buffer} itself, and the sum would be stored into it"
    return replace(finding, notes=(told, *finding.notes))


def no_expression(value: object, block: BlockType) -> Diagnostic:
    """The error for a store of a value that is not an expression into a block of type ``block`` (TTL0330)."""
    return error(
        "TTL0330",
        f"store takes a block expression, not {describe(value)}",
        help=f"to fill a block with a number: blk.store(ttl.block.fill({value}, shape={block.shape}))"
        if isinstance(value, int | float)
        else "build the value from blocks with operators and ttl.math functions",
    ).remedied_by(
        Wrap(template=f"ttl.block.fill({{}}, shape={block.shape})", operand=0)
        if isinstance(value, int | float)
        else None
    )


def arithmetic_outside(spelling: str, what: str) -> Diagnostic:
    """The error for an expression in ``what`` instead of a compute kernel (TTL0331)."""
    return error(
        "TTL0331",
        f"{spelling} used in {what}",
        notes=("only the compute kernel has a math engine",),
        help="move the expression into the function decorated with @ttl.compute()",
    )


def used_after_the_end(what: str) -> Diagnostic:
    """The error for a block, or an expression, that a program kept beyond its launch (TTL0335)."""
    return error(
        "TTL0335",
        f"{what} used after its operation ended",
        notes=("a block is memory of a node, and the operation has given it back",),
        help="copy what is needed later into an output tensor: ttl.copy(blk, out[...])",
    )
