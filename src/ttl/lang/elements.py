"""Single elements of blocks (0.18, "Raw element access"; 0.21, "Reading an index")."""

from __future__ import annotations

from typing import Any

from ttl.lang.arguments import match_page
from ttl.lang.check import fail
from ttl.lang.context import current
from ttl.lang.transfers import Transfer
from ttl.rows.types import TILE, Layout
from ttl.rules import elements

_MISSING: Any = object()


def raw_element_read(block: Any, *coords: Any) -> float:
    """One element of a block, as a float: ``ttl.raw_element_read(blk, row, column)``.

    One coordinate for each dimension, in elements, over all tiles of the block. Element types are float32 and
    bfloat16. The block must have data: it was waited for, or a copy into it has completed. Only in data movement kernels. The value may be
    compared, computed with and written; arithmetic is that of Python, in software on the chip.

    Raises ``ProgramError``: TTL0350 not in a data movement kernel, TTL0351 not a block of such elements, TTL0352 the element
    does not exist, and the errors of block states (TTL0301, TTL0305).
    """
    return current("ttl.raw_element_read()").element_read(block, coords)


def raw_element_write(block: Any, *coords: Any, value: Any = _MISSING) -> None:
    """Write one element of a block: ``ttl.raw_element_write(blk, row, column, value)``, or with ``value=``.

    The value is a float, or the result of ``raw_element_read``. It is rounded to float32; a bfloat16 element takes
    the high half of that, which cuts off. Elements that are not written have undefined values (zeros in the simulator).
    The block must be reserved, or was read. Only in data movement kernels.

    Raises ``ProgramError``: TTL0350 not in a data movement kernel, TTL0351 no block of such elements, TTL0352 no element of
    it, TTL0353 no number, and those of block states (TTL0304, TTL0306).
    """
    if value is _MISSING:
        if not coords:
            fail(elements.no_value(None, 0))
        *coords, value = coords  # type: ignore[assignment]
    current("ttl.raw_element_write()").element_write(block, tuple(coords), value)


def read_index(block: Any, *coords: Any) -> int:
    """One element of a block as an integer, for use as a bound of a slice or loop, or as the number of a page.

    The block was acquired with ``wait``; its elements are float32, bfloat16 (fractions are cut off), uint8, uint16 or uint32.
    The value must be finite and from 0 to 2**31 - 1; any other value ends the program (TTL0354). Only in data
    movement kernels.

    Raises ``ProgramError``: TTL0350 not in a data movement kernel, TTL0351 no block of such elements, TTL0352 no element of
    it, TTL0354 no index, and those of block states.
    """
    return current("ttl.read_index()").index_read(block, coords)


def copy_tensor_page(tensor: Any, page_id: Any, block: Any) -> Transfer:
    """Start to copy one page of a tensor into a block: ``ttl.copy_tensor_page(table, page, blk).wait()``.

    A page is a tile of a tiled tensor, a row of a row-major one; pages are numbered in row-major order, over all dimensions. The
    block holds one page. The number may be a result of ``ttl.read_index``. Only in data movement kernels.

    Raises ``ProgramError``: TTL0501 not in a data movement kernel, TTL0502 not a tensor or not a block, TTL0506 the page
    is not an integer, TTL0507 the tensor has no such page, TTL0515 the block is not one page, and the errors of ``ttl.copy``.
    """
    execution = current("ttl.copy_tensor_page()")
    match_page(execution, tensor, page_id, block)
    shape: tuple[Any, ...] = tuple(tensor.shape)
    pages = shape[:-1] or (1,)
    if tensor.layout is Layout.TILE:
        pages = (*shape[:-2], *(-(-extent // TILE) for extent in shape[-2:]))
    index: list[Any] = []
    for extent in reversed(pages[1:]):
        index.insert(0, page_id % extent)
        page_id = page_id // extent
    index.insert(0, page_id)
    if len(shape) == 1:
        index = [slice(page_id * shape[0], (page_id + 1) * shape[0])]
    elif tensor.layout is not Layout.TILE:
        index.append(slice(None))
    return execution.copy(tensor[tuple(index)], block)
