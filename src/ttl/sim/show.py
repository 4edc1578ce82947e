"""The text that print and the debugger show of blocks, expressions, buffers and tensors (specification, "Debug printing")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ttl.protocol.blocks import State
from ttl.rows.types import TILE, Layout

if TYPE_CHECKING:
    from ttl.host.tensor import Tensor
    from ttl.rows.types import BlockType
    from ttl.sim.kernel import RunningLaunch
    from ttl.sim.transfer import HeldBuffer

_STATES = {
    State.MUST_BE_WRITTEN: "not written yet",
    State.MUST_BE_READ: "filled",
    State.READ_WRITE: "filled",
    State.READ_ONLY_WHILE_READING: "being copied from",
    State.NO_ACCESS_WHILE_WRITING: "being copied into",
    State.OUT_OF_SCOPE: "released",
    State.UNREAD: "filled",
    State.IN_PARTS: "used in parts",
}


def block(name: str, type: BlockType, state: State, array: Any) -> str:
    """A block of a buffer ``name``: its description, and the ``array`` that it holds; None if nothing can be shown."""
    head = f"block of {name}, {type.describe()}, {type.dtype.name}, {_STATES[state]}"
    return f"<{head}>" if array is None else f"<{head}>\n{_array(array)}"


def expression(operation: str, type: BlockType, array: Any) -> str:
    """A block expression: its operation, shape and value."""
    return f"<expression {operation}, {type.describe()}, {type.dtype.name}>\n{_array(array)}"


def buffer(shown: HeldBuffer) -> str:
    """A dataflow buffer: metadata and pointers, in bytes and tiles from the start of the buffer."""
    type_ = shown.type
    page = type_.dtype.tile_bytes if type_.layout is Layout.TILE else type_.nbytes
    pages = type_.nbytes // page if page else 1
    read, write = shown.popped % shown.block_count, shown.reserved % shown.block_count
    if shown.held_reserved:
        write = shown.pushed % shown.block_count
    return (
        f"<{shown.name}: shape={type_.shape} dtype={type_.dtype.name} block_count={shown.block_count} "
        f"size={shown.nbytes} page_size={page} num_pages={pages * shown.block_count} "
        f"rd_ptr={read * type_.nbytes} wr_ptr={write * type_.nbytes} wr_tile_ptr={write * pages} "
        f"reserved={len(shown.held_reserved)} filled={shown.filled()}>"
    )


def tensor(engine: RunningLaunch, shown: Tensor, num_pages: int = 1) -> str:
    """The first pages of a tensor: tiles of a tiled one, rows of a row-major one."""
    engine.pending.flush()
    storage = engine.memory.storage(shown)
    array = storage.dtype.load(storage.array)
    head = f"tensor {list(shown.shape)} {storage.dtype.name} {storage.layout.value}"
    lines = [f"<{head}>"]
    if storage.layout is Layout.ROW_MAJOR:
        rows = array.reshape(-1, array.shape[-1])
        for page in range(min(num_pages, rows.shape[0])):
            lines.append(f"page {page}:\n{_array(rows[page])}")
        return "\n".join(lines)
    matrices = array.reshape(-1, *array.shape[-2:])
    tile_rows, tile_columns = storage.extents[-2], storage.extents[-1]
    for page in range(min(num_pages, matrices.shape[0] * tile_rows * tile_columns)):
        matrix, rest = divmod(page, tile_rows * tile_columns)
        row, column = divmod(rest, tile_columns)
        tile = matrices[matrix, row * TILE : (row + 1) * TILE, column * TILE : (column + 1) * TILE]
        lines.append(f"page {page}:\n{_array(tile)}")
    return "\n".join(lines)


def _array(array: Any) -> str:
    return np.array2string(np.asarray(array), threshold=64, edgeitems=3, precision=4)
