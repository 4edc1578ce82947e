"""Rows of a table by their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

import ttl
from ttl.lang.library import require_fit, require_shapes, require_type
from ttl.rows.dtypes import UINT32


def embedding_gather_reference(ids: Any, table: Any) -> Any:
    """The rows of an array that ``ids`` of (1, tokens) name, in float64."""
    return np.asarray(table, np.float64)[np.asarray(ids)[0].astype(np.int64)]


def make_embedding_gather(
    sizes: tuple[int, int, int], grid: tuple[int, int], blocks: tuple[int] = (1,)
) -> ttl.Operation:
    """The rows of a table that ``ids`` name; ``sizes`` is (tokens, rows, columns).

    ``ids`` is of (1, tokens), ``table`` of (rows, columns), ``y`` of (tokens, columns), all of them row-major; ``ids`` of uint32.
    The nodes of ``grid`` take tokens in turn, and read ``blocks`` (tokens,) rows at a time. The operation is called with
    ``ids``, ``table`` and ``y``. Its stage is called with a dataflow buffer for ``ids``, the table, and a dataflow
    buffer for rows of ``y`` that has at least as many blocks as are read at a time: it takes one block of ``ids``.

    Errors: numbers that are not positive integers (TTL1650), tokens that are not multiples of the blocks (TTL1651), and tensors of
    other shapes or types (TTL1652). Source: PyTorch, ``torch.nn.functional.embedding``.
    """
    require_fit("embedding_gather", (sizes, "tokens rows columns"), grid, (blocks, "tokens"), unit=1)
    tokens, words, columns = sizes
    (height,) = blocks
    total = tokens // height

    @ttl.operation()
    def stage(ids_dfb: ttl.DFB, table: Any, y_dfb: ttl.DFB) -> None:
        with ids_dfb.wait() as ids_blk:
            rows = []
            for token in ttl.static_range(height):
                y_blk = y_dfb.reserve()
                row = ttl.read_index(ids_blk, 0, token)
                rows.append((y_blk, ttl.copy_tensor_page(table, row, y_blk)))
            for y_blk, copied in rows:
                copied.wait()
                y_blk.push()

    @ttl.operation(grid=grid)
    def embedding_gather(ids: Any, table: Any, y: Any) -> None:
        require_type("embedding_gather", "ids", ids, UINT32)
        require_shapes(
            "embedding_gather",
            ids=(ids, (1, tokens)),
            table=(table, (words, columns)),
            y=(y, (tokens, columns)),
        )
        ids_dfb = ttl.make_dataflow_buffer_like(ids, shape=(1, height))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, columns), block_count=2 * height)
        for block in range(ttl.node(dims=1), total, ttl.grid_size(dims=1)):
            first = block * height
            with ids_dfb.reserve() as ids_blk:
                ttl.copy(ids[:, first : first + height], ids_blk).wait()
            stage(ids_dfb, table, y_dfb)
            for token in range(first, first + height):
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[token, :]).wait()

    embedding_gather.stage, embedding_gather.reference = stage, embedding_gather_reference
    return embedding_gather
