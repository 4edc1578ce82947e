"""Checks of the numbers with which the library's operations are made, and of the tensors with which they are called."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any, NoReturn

from ttl.diag import Diagnostic, ProgramError
from ttl.diag.values import is_int
from ttl.lang.block import Block, BlockView
from ttl.lang.check import fail
from ttl.lang.expr import BlockExpr
from ttl.lang.operation import Operation
from ttl.lang.types import TILE_SHAPE
from ttl.rows.dtypes import BFLOAT16, UINT16
from ttl.rows.params import flag
from ttl.rules import library as rules
from ttl.rules.words import describe
from ttl.source.spans import CALLED, PACKAGE_FOLDER, READING, Span, span_of_site, user_span

TILE = TILE_SHAPE[0]


def require_choice(operation: str, parameter: str, value: object, choices: Sequence[int]) -> None:
    """Raise an error (TTL1650) unless a parameter is one of some numbers."""
    if not is_int(value) or value not in choices:
        _fail(rules.not_of_choices(operation, parameter, value, choices))


def require_fit(
    operation: str,
    sizes: tuple[object, str],
    grid: object,
    blocks: tuple[object, str],
    *,
    padded: str = "",
    whole: str = "",
    unit: int = TILE,
    of_grid: Sequence[str] = ("columns", "rows"),
) -> None:
    """Raise an error unless sizes, grid and blocks are positive integers (TTL1650), and fit each other (TTL1651).

    Sizes must be whole numbers of blocks and tiles.

    Sizes, in elements, and blocks, in tiles, come with the names of their parts. Parts that blocks have, and ``whole``,
    must be whole tiles; ``padded`` need not fill its last tile. With ``unit`` 1, blocks are counted in elements and
    there are no tiles. The extents of the grid have the names ``of_grid``.
    """
    extents = require_numbers(operation, "sizes", sizes[0], sizes[1].split())
    require_numbers(operation, "grid", grid, of_grid)
    of_block = require_numbers(operation, "blocks", blocks[0], blocks[1].split())
    for name in (*of_block, *whole.split()):
        elements, tiles = extents[name], of_block.get(name, 1)
        if name == padded:
            elements = -(-elements // unit) * unit
        if elements % unit:
            below = elements // TILE * TILE
            near = [below, below + TILE] if below else [TILE]
            _fail(rules.not_divided(operation, f"the size {name}", elements, TILE, "tiles", near, "sizes"))
        count = elements // unit
        if count % tiles:
            measure = " in tiles" if unit == TILE else ""
            what, into = f"the size {name}{measure}", f"blocks of {tiles:,}{measure.replace(' in', '')}"
            near = _divisors(count, tiles)
            _fail(rules.not_divided(operation, what, count, tiles, into, near, f"blocks of {name}"))


def require_numbers(operation: str, parameter: str, value: object, names: Sequence[str]) -> dict[str, int]:
    """The numbers of a parameter by name.

    Raises an error (TTL1650) unless there is a positive integer for each name.
    """
    if not isinstance(value, tuple | list) or len(value) != len(names):
        _fail(rules.not_extents(operation, parameter, names, value))
    if not all(is_int(item) and item > 0 for item in value):
        _fail(rules.not_extents(operation, parameter, names, value))
    return dict(zip(names, value, strict=True))


def require_parts(operation: str, name: str, extent: int, chips: int, unit: int = TILE) -> None:
    """Raise an error (TTL1651) unless an extent, in elements, divides into parts of whole tiles for all chips.

    A tile has ``unit`` elements in this dimension.
    """
    whole = chips * unit
    if extent % whole:
        below = extent // whole * whole
        into = f"parts of whole tiles for {chips:,} chips" if unit > 1 else f"parts for {chips:,} chips"
        near = [below, below + whole] if below else [whole]
        _fail(rules.not_divided(operation, f"the size {name}", extent, whole, into, near, "sizes"))


def require_topk(
    expr: Any, k: Any, indices: Any, largest: Any, stable: Any
) -> tuple[BlockExpr, int, int, tuple[int, int]]:
    """Check the arguments of ``ttl.math.topk``. Return the block to sort, its shape in tiles, and the shape of the results.

    Raises TTL0433, and TTL0415 for other options.
    """
    for name, given in (("largest", largest), ("stable", stable)):
        option = flag(name, "", default=False).check(given)
        if isinstance(option, Diagnostic):
            fail(option)
    if not isinstance(expr, BlockExpr):
        fail(rules.not_sorted("expr", describe(expr)))
    shape, dtype = expr.shape, expr.dtype
    if len(shape) != 2 or shape[1] not in rules.WIDTHS or dtype != BFLOAT16:
        fail(rules.not_sorted("expr", f"{dtype.name} of shape {shape}"))
    if not is_int(k) or k not in rules.COUNTS:
        fail(rules.not_sorted("k", describe(k)))
    if not isinstance(indices, Block | BlockView) or (indices.shape, indices.dtype) != (shape, UINT16):
        is_block = isinstance(indices, Block | BlockView)
        given = f"{indices.dtype.name} of shape {indices.shape}" if is_block else describe(indices)
        fail(rules.not_sorted("indices", given))
    return expr, shape[0], shape[1], (shape[0], -(-k // TILE))


def require_shares(operation: str, **shares: tuple[int, int]) -> None:
    """Raise an error (TTL1651) unless all nodes along a direction of the grid get equally many blocks."""
    for name, (blocks, nodes) in shares.items():
        if blocks % nodes:
            what, into = f"the number of blocks of {name}", f"shares of {nodes:,} nodes"
            near = _divisors(blocks, nodes)
            _fail(rules.not_divided(operation, what, blocks, nodes, into, near, "nodes"))


def require_equal(operation: str, name: str, value: int, other_name: str, other: int) -> None:
    """Raise an error (TTL1650) unless two numbers are equal."""
    if value != other:
        _fail(rules.not_equal(operation, name, value, other_name, other))


def require_shapes(operation: str, **tensors: tuple[Any, tuple[int, ...]]) -> None:
    """Raise an error (TTL1652) unless every tensor has the shape for which the operation was made."""
    wanted = {name: shape for name, (_, shape) in tensors.items()}
    for name, (tensor, shape) in tensors.items():
        given = tuple(tensor.shape)
        if given != shape:
            _fail(rules.other_tensor(operation, wanted, name, given))


def require_type(operation: str, name: str, tensor: Any, dtype: Any) -> None:
    """Raise an error (TTL1652) unless a tensor has an element type."""
    if tensor.dtype is not dtype:
        _fail(rules.other_type(operation, name, dtype.name, tensor.dtype.name))


def _divisors(count: int, near: int) -> list[int]:
    """The two divisors of a number that are nearest to ``near``."""
    divisors = [part for part in range(1, count + 1) if count % part == 0]
    return sorted(sorted(divisors, key=lambda part: abs(part - near))[:2])


def _fail(diagnostic: Diagnostic) -> NoReturn:
    raise ProgramError(diagnostic.at(user_span()).called_from((_call(),)))


def _call() -> Span | None:
    """Return the location where the program calls the library to make an operation, or calls the running operation."""
    is_read = READING.get() is not None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if is_read and frame.f_code is Operation.__call__.__code__:  # the operation is about to run
            frame = frame.f_back
            break
        if not is_read and not frame.f_code.co_filename.startswith(PACKAGE_FOLDER):
            break
        frame = frame.f_back
    return CALLED.get() if frame is None else span_of_site((frame.f_code, frame.f_lasti))
