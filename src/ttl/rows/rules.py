"""Shape and element-type rules shared by rows. A rule returns a type or a diagnostic without a location."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ttl.diag.model import Diagnostic, Remedy, error
from ttl.diag.remedies import Argument, CombinedRemedy, Rewrite, Wrap
from ttl.diag.words import listed
from ttl.rows.dtypes import FLOAT32, REAL_NUMBER, WHOLE_NUMBER, DType, promote
from ttl.rows.row import Accepts, OperandType, Params, Valid, is_whole
from ttl.rows.types import BlockType, Layout

# The limits of whole numbers in the arithmetic of integers and of floats.
_INTEGERS, _FLOATS = 1 << 63, 1 << 1023
# A number with a fraction as an operand together with a block of integers.
NOT_WHOLE = "TTL0419"
# A number beyond the limits of the arithmetic of blocks.
_NUMBER_TOO_LARGE = "TTL0426"
# Operands of different shapes.
SHAPES_DIFFER = "TTL0405"
# Operands, tensors or buffers with tiles of different sizes.
OTHER_TILES = "TTL0342"

Rule = Callable[[tuple[OperandType, ...], Params], BlockType | Diagnostic]


def elementwise(
    label: str, names: tuple[str, ...], accepts: Accepts = "all", *, any_dtype: tuple[int, ...] = ()
) -> Rule:
    """Return the rule that all block operands have the same shape and layout, which the result has too.

    ``any_dtype`` are the operands whose element type does not affect that of the result (a condition, a mask).
    """

    def rule(operands: tuple[OperandType, ...], params: Params) -> BlockType | Diagnostic:
        blocks = [(name, operand) for name, operand in zip(names, operands) if isinstance(operand, BlockType)]
        if not blocks:
            return no_block(label, names)
        _, first = blocks[0]
        for _, other in blocks[1:]:
            if other.layout is not first.layout:
                return layouts_differ(label, blocks)
            if other.tile != first.tile:
                return tiles_differ(label, blocks)
            if other.shape != first.shape:
                return shapes_differ(label, blocks, names)
        dtype: DType | None = None
        numbers: list[float] = []
        for index, operand in enumerate(operands):
            if index in any_dtype:
                continue
            if not isinstance(operand, BlockType):
                numbers.append(operand)
                continue
            shared = operand.dtype if dtype is None else common_dtype(label, dtype, operand.dtype)
            if isinstance(shared, Diagnostic):
                return shared.remedied_by(_converted(shared, operands) or shared.remedy)
            dtype = shared
        if dtype is None:  # a choice between numbers
            dtype = WHOLE_NUMBER if all(is_whole(number) for number in numbers) else REAL_NUMBER
        wrong = checked_dtype(label, dtype, accepts) or checked_numbers(label, dtype, numbers)
        if wrong is not None:
            return wrong.remedied_by(_converted(wrong, operands))
        return first.with_dtype(dtype)

    return rule


def common_dtype(label: str, first: DType, second: DType) -> DType | Diagnostic:
    """The common element type of two operands, or the error if they have no common type."""
    dtype = promote(first, second)
    if dtype is not None:
        return dtype
    if first.is_float is second.is_float:
        return error(
            "TTL0420",
            f"{label}: {first} and {second} do not mix, neither holds all values of the other",
            help=f"convert one of them first: ttl.math.typecast(x, ttnn.{first}) or ttl.math.typecast(x, ttnn.{second})",
        ).remedied_by(Wrap(template=f"ttl.math.typecast({{}}, ttnn.{first})", operand=1))
    return error(
        "TTL0403",
        f"{label}: {first} and {second} do not mix, floats and integers are not converted silently",
        help=f"convert the integer one first: ttl.math.typecast(x, ttnn.{first if first.is_float else second})",
    )


def checked_dtype(label: str, dtype: DType, accepts: Accepts) -> Diagnostic | None:
    """Return an error if an operation that accepts only floats or only integers does not accept the element type."""
    if accepts == "float" and not dtype.is_float:
        return error(
            "TTL0404",
            f"{label}: not defined on {dtype} blocks, only on floats",
            help=f"convert first: ttl.math.typecast(x, ttnn.float32){_instead(label)}",
        )
    if accepts == "integer" and dtype.is_float:
        return error(
            "TTL0421",
            f"{label}: bitwise, defined on integer blocks only, not on {dtype}",
            help="a power is written a ** b; for bits convert first: ttl.math.typecast(x, ttnn.int32)",
        ).remedied_by(Rewrite(template="{0} ** {1}") if label == "a ^ b" else None)
    return None


def checked_numbers(label: str, dtype: DType, numbers: Sequence[float]) -> Diagnostic | None:
    """Return an error if a number cannot be combined with a block of an element type."""
    for number in numbers:
        if type(number) is int and abs(number) >= (_INTEGERS if not dtype.is_float else _FLOATS):
            return error(
                _NUMBER_TOO_LARGE,
                f"{label}: a number of {number.bit_length()} bits is beyond what {dtype} blocks are combined with",
                notes=("integers are computed in 64 bits, floats in float32",),
                help="convert the block first: ttl.math.typecast(x, ttnn.float32), and write the number as a float",
            )
        if not dtype.is_float and not is_whole(number):
            return error(
                NOT_WHOLE,
                f"{label}: {number!r} is not a whole number, the block has {dtype} elements",
                help=f"convert the block first: ttl.math.typecast(x, ttnn.float32), or use a whole number{_near(number)}",
            )
    return None


def blocks_of(operands: tuple[OperandType, ...]) -> tuple[BlockType, ...]:
    """The operands of a row whose operands must be blocks: ``Op.infer`` has refused numbers."""
    blocks = tuple(operand for operand in operands if isinstance(operand, BlockType))
    assert len(blocks) == len(operands)
    return blocks


def no_block(label: str, names: tuple[str, ...]) -> Diagnostic:
    """The error for operands that are all numbers."""
    return error(
        "TTL0406",
        f"{label}: at least one of {listed(names)} must be a block, all are numbers",
        help="ttl.block.fill(value, shape=...) makes a block of one number; Python's own functions compute numbers",
    )


def layouts_differ(label: str, blocks: Sequence[tuple[str, BlockType]]) -> Diagnostic:
    """The error for tiled and row-major operands together."""
    return error(
        "TTL0402",
        f"{label}: blocks of different layouts, {_described(blocks)}",
        help="make both dataflow buffers like tensors of the same layout: ttnn.to_layout(tensor, ttnn.TILE_LAYOUT) "
        "before the operation",
    )


def tiles_differ(label: str, blocks: Sequence[tuple[str, BlockType]]) -> Diagnostic:
    """The error for operands with tiles of different sizes."""
    return error(
        OTHER_TILES,
        f"{label}: blocks of tiles of different sizes, {_described(blocks)}",
        notes=("a tile has its own order of elements, and nothing converts one into another",),
        help="make both dataflow buffers with the same tile=",
    )


def shapes_differ(label: str, blocks: Sequence[tuple[str, BlockType]], names: Sequence[str]) -> Diagnostic:
    """The error for element-wise operands of different shapes; says which broadcast to write."""
    return error(
        SHAPES_DIFFER,
        f"{label}: blocks of different shapes, {_described(blocks)}",
        notes=("element-wise operations broadcast nothing silently",),
        help=_broadcasts(blocks) or ("give the dataflow buffers one shape",),
    ).remedied_by(_broadcast_operands(blocks, names))


def row_major_unsupported(label: str, operand: BlockType) -> Diagnostic:
    """Return the error for an operation on tiles with a row-major block (TTL0410)."""
    return error(
        "TTL0410",
        f"{label}: works on tiles, the block is row-major with shape {operand.describe()}",
        help="make the dataflow buffer like a tiled tensor: ttnn.to_layout(tensor, ttnn.TILE_LAYOUT) before the operation",
    )


def checked_dims(
    label: str, dims: tuple[int, ...], rank: int, what: str = "the block"
) -> tuple[int, ...] | Diagnostic:
    """Dimensions as sorted negative indexes for a rank, or their error."""
    if not dims:
        return error(
            "TTL0407", f"{label}: dims is empty", help="name at least one dimension, such as dims=[-1]"
        )
    for dim in dims:
        if not -rank <= dim < rank:
            return error(
                "TTL0407",
                f"{label}: dims={list(dims)}: {dim} is out of range, {what} has {rank} dimensions",
                help=f"dims go from 0 (outermost) to {rank - 1}, or from -1 (innermost) to {-rank}",
            )
    result = negative(dims, rank)
    if len(set(result)) != len(result):
        return error(
            "TTL0407",
            f"{label}: dims={list(dims)} names a dimension twice, {what} has {rank} dimensions",
            help="name each dimension once, from 0 (outermost) or from -1 (innermost)",
        ).remedied_by(Argument(name="dims", value=str(list(dict.fromkeys(result))), position=1))
    return result


def negative(dims: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """Checked dimensions as sorted negative indexes."""
    return tuple(sorted(dim if dim < 0 else dim - rank for dim in dims))


def elementwise_valid(valids: Sequence[Valid], params: Params, result: BlockType) -> Valid:
    """The extent in which every operand has data."""
    extent: Valid = None
    for valid in valids:
        if valid is not None:
            extent = valid if extent is None else (min(extent[0], valid[0]), min(extent[1], valid[1]))
    return extent


def _broadcasts(blocks: Sequence[tuple[str, BlockType]]) -> tuple[str, ...]:
    """The broadcasts that make the shapes equal, in words, or an empty text if no broadcast does."""
    return tuple(
        f"write {template.replace('{}', name)} in place of {name}"
        for name, template in _broadcast_templates(blocks)
    )


def _broadcast_operands(blocks: Sequence[tuple[str, BlockType]], names: Sequence[str]) -> Remedy | None:
    wrapped = tuple(
        Wrap(template=template, operand=names.index(name)) for name, template in _broadcast_templates(blocks)
    )
    return CombinedRemedy(remedies=wrapped) if wrapped else None


def _broadcast_templates(blocks: Sequence[tuple[str, BlockType]]) -> tuple[tuple[str, str], ...]:
    """Return the operands to broadcast to make the shapes equal, and the text of each; empty if it is impossible."""
    if any(kind.layout is Layout.ROW_MAJOR for _, kind in blocks):
        return ()
    rank = max(len(kind.shape) for _, kind in blocks)
    padded = [(1,) * (rank - len(kind.shape)) + kind.shape for _, kind in blocks]
    target = tuple(max(extents) for extents in zip(*padded))
    templates = []
    for (name, kind), shape in zip(blocks, padded):
        missing = rank - len(kind.shape)
        dims = [dim - rank for dim in range(rank) if shape[dim] != target[dim]]
        if any(shape[dim] != 1 for dim in dims):
            return ()
        text = f"ttl.block.unsqueeze({{}}, dims={list(range(missing))})" if missing else "{}"
        if dims:
            text = f"ttl.block.broadcast({text}, dims={dims}, shape={target})"
        if text != "{}":
            templates.append((name, text))
    return tuple(templates)


def _converted(wrong: Diagnostic, operands: Sequence[OperandType]) -> Remedy | None:
    """The ``typecast`` of the operand of integers as a remedy of ``wrong``, if there is exactly one such operand."""
    blocks = [
        (index, operand.dtype) for index, operand in enumerate(operands) if isinstance(operand, BlockType)
    ]
    floats = [dtype for _, dtype in blocks if dtype.is_float]
    whole = [index for index, dtype in blocks if not dtype.is_float]
    if len(whole) != 1 or wrong.code == _NUMBER_TOO_LARGE:
        return None
    target = floats[0] if floats else FLOAT32
    return Wrap(template=f"ttl.math.typecast({{}}, ttnn.{target})", operand=whole[0])


def _described(blocks: Sequence[tuple[str, BlockType]]) -> str:
    return " and ".join(f"{name}: {kind.describe()}" for name, kind in blocks)


def _instead(label: str) -> str:
    return "; for whole quotients write a // b" if label == "a / b" else ""


def _near(number: float) -> str:
    return f" such as {round(number)}" if 1 <= abs(number) < 2.0**63 else ""
