"""Operations on rows, each row alone: softmax, normalizations, and rotary embeddings."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import ttl
from ttl.lang.library import TILE, require_fit, require_shapes


def softmax_reference(x: Any) -> Any:
    """The softmax of every row of an array, in float64."""
    values = np.asarray(x, np.float64)
    powers = np.exp(values - values.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def make_softmax(sizes: tuple[int, int], grid: tuple[int, int], blocks: tuple[int] = (1,)) -> ttl.Operation:
    """``y = exp(x - max) / sum`` of every row, for ``x`` and ``y`` of ``sizes`` (rows, columns) elements.

    The rows need not fill a tile. A block is ``blocks`` (rows,) tiles high and has whole rows; the nodes of ``grid`` take
    blocks in turn. The operation is called with ``x`` and ``y``, its stage with a dataflow buffer for each and ``count``,
    a number of blocks.

    Raises ``ProgramError``: TTL1650 not positive integers, TTL1651 sizes that are not multiples of the blocks, TTL1652 other shapes of tensors. Source: PyTorch, ``torch.softmax`` with ``dim=-1``.
    """
    require_fit("softmax", (sizes, "rows columns"), grid, (blocks, "rows"), padded="rows", whole="columns")
    padded = -(-sizes[0] // TILE) * TILE
    (height,) = blocks
    shape = (height, sizes[1] // TILE)
    total = padded // TILE // height

    @ttl.operation()
    def stage(x_dfb: ttl.DFB, y_dfb: ttl.DFB, count: int) -> None:
        for _ in range(count):
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                largest = ttl.math.reduce_max(x_blk, dims=[-1], shape=(height, 1))
                powers = ttl.math.exp(x_blk - ttl.block.broadcast(largest, dims=[-1], shape=shape))
                scale = ttl.math.recip(ttl.math.reduce_sum(powers, dims=[-1], shape=(height, 1)))
                y_blk.store(powers * ttl.block.broadcast(scale, dims=[-1], shape=shape))

    @ttl.operation(grid=grid)
    def softmax(x: Any, y: Any) -> None:
        require_shapes("softmax", x=(x, sizes), y=(y, sizes))
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=shape)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=shape)
        for block in range(ttl.node(dims=1), total, ttl.grid_size(dims=1)):
            row = block * height
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[row : row + height, :], x_blk).wait()
            stage(x_dfb, y_dfb, 1)
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[row : row + height, :]).wait()

    softmax.stage, softmax.reference = stage, softmax_reference
    return softmax


def rmsnorm_reference(x: Any, gamma: Any, epsilon: float = 1e-5) -> Any:
    """``x / sqrt(mean(x * x) + epsilon) * gamma`` of every row of an array, in float64."""
    values = np.asarray(x, np.float64)
    return (
        values / np.sqrt(np.square(values).mean(-1, keepdims=True) + epsilon) * np.asarray(gamma, np.float64)
    )


def make_rmsnorm(
    sizes: tuple[int, int], grid: tuple[int, int], blocks: tuple[int] = (1,), epsilon: float = 1e-5
) -> ttl.Operation:
    """``y = x / sqrt(mean(x * x) + epsilon) * gamma`` of every row; ``x`` and ``y`` are of ``sizes`` (rows, columns) elements.

    ``gamma`` is of (1, columns); a node reads it once. The rows need not fill a tile. A block is ``blocks`` (rows,) tiles
    high and has whole rows; the nodes of ``grid`` take blocks in turn. The operation is called with ``x``, ``gamma`` and
    ``y``. Its stage is called with a dataflow buffer for each and ``count``: it takes one block of ``gamma`` and
    ``count`` blocks of ``x``.

    Raises ``ProgramError``: TTL1650 not positive integers, TTL1651 sizes that are not multiples of the blocks, TTL1652 other shapes of tensors. Source: Zhang and Sennrich, "Root Mean Square Layer Normalization" (2019).
    """
    require_fit("rmsnorm", (sizes, "rows columns"), grid, (blocks, "rows"), padded="rows", whole="columns")
    padded = -(-sizes[0] // TILE) * TILE
    (height,) = blocks
    width = sizes[1] // TILE
    shape = (height, width)
    total = padded // TILE // height

    @ttl.operation()
    def stage(x_dfb: ttl.DFB, gamma_dfb: ttl.DFB, y_dfb: ttl.DFB, count: int) -> None:
        with gamma_dfb.wait() as gamma_blk:
            for _ in range(count):
                with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                    squares = ttl.math.reduce_sum(ttl.math.square(x_blk), dims=[-1], shape=(height, 1))
                    scale = ttl.math.rsqrt(squares * (1 / sizes[1]) + epsilon)
                    scales = ttl.block.broadcast(scale, dims=[-1], shape=shape)
                    y_blk.store(x_blk * scales * ttl.block.broadcast(gamma_blk, dims=[0], shape=shape))

    @ttl.operation(grid=grid)
    def rmsnorm(x: Any, gamma: Any, y: Any) -> None:
        require_shapes("rmsnorm", x=(x, sizes), gamma=(gamma, (1, sizes[1])), y=(y, sizes))
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=shape)
        gamma_dfb = ttl.make_dataflow_buffer_like(gamma, shape=(1, width), block_count=1)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=shape)
        own = range(ttl.node(dims=1), total, ttl.grid_size(dims=1))
        if len(own) > 0:
            with gamma_dfb.reserve() as gamma_blk:
                ttl.copy(gamma[:, :], gamma_blk).wait()
            stage(x_dfb, gamma_dfb, y_dfb, len(own))
            for block in own:
                row = block * height
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[row : row + height, :], x_blk).wait()
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[row : row + height, :]).wait()

    rmsnorm.stage, rmsnorm.reference = stage, partial(rmsnorm_reference, epsilon=epsilon)
    return rmsnorm


def layernorm_reference(x: Any, gamma: Any, beta: Any, epsilon: float = 1e-5) -> Any:
    """``(x - mean) / sqrt(variance + epsilon) * gamma + beta`` of every row of an array, in float64."""
    values = np.asarray(x, np.float64)
    centred = values - values.mean(-1, keepdims=True)
    scaled = centred / np.sqrt(np.square(centred).mean(-1, keepdims=True) + epsilon)
    return scaled * np.asarray(gamma, np.float64) + np.asarray(beta, np.float64)


def make_layernorm(
    sizes: tuple[int, int], grid: tuple[int, int], blocks: tuple[int] = (1,), epsilon: float = 1e-5
) -> ttl.Operation:
    """``y = (x - mean) / sqrt(variance + epsilon) * gamma + beta`` of every row; ``x`` and ``y`` of ``sizes`` (rows, columns).

    The variance is that of the row, divided by its number of columns. ``gamma`` and ``beta`` are of (1, columns); a node
    reads them once. The rows need not fill a tile. A block is ``blocks`` (rows,) tiles high and has whole rows; the nodes
    of ``grid`` take blocks in turn. The operation is called with ``x``, ``gamma``, ``beta`` and ``y``. Its stage is called
    with a dataflow buffer for each and ``count``: it takes one block of ``gamma`` and ``beta``, and ``count`` of ``x``.

    Raises ``ProgramError``: TTL1650 not positive integers, TTL1651 sizes that are not multiples of the blocks, TTL1652 other shapes of tensors. Source: Ba, Kiros and Hinton, "Layer Normalization" (2016).
    """
    require_fit("layernorm", (sizes, "rows columns"), grid, (blocks, "rows"), padded="rows", whole="columns")
    padded = -(-sizes[0] // TILE) * TILE
    (height,) = blocks
    width = sizes[1] // TILE
    shape = (height, width)
    total = padded // TILE // height

    @ttl.operation()
    def stage(x_dfb: ttl.DFB, gamma_dfb: ttl.DFB, beta_dfb: ttl.DFB, y_dfb: ttl.DFB, count: int) -> None:
        with gamma_dfb.wait() as gamma_blk, beta_dfb.wait() as beta_blk:
            for _ in range(count):
                with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                    mean = ttl.math.reduce_sum(x_blk, dims=[-1], shape=(height, 1)) * (1 / sizes[1])
                    centred = x_blk - ttl.block.broadcast(mean, dims=[-1], shape=shape)
                    squares = ttl.math.reduce_sum(ttl.math.square(centred), dims=[-1], shape=(height, 1))
                    scale = ttl.math.rsqrt(squares * (1 / sizes[1]) + epsilon)
                    scaled = centred * ttl.block.broadcast(scale, dims=[-1], shape=shape)
                    gammas = ttl.block.broadcast(gamma_blk, dims=[0], shape=shape)
                    y_blk.store(scaled * gammas + ttl.block.broadcast(beta_blk, dims=[0], shape=shape))

    @ttl.operation(grid=grid)
    def layernorm(x: Any, gamma: Any, beta: Any, y: Any) -> None:
        weights = (1, sizes[1])
        require_shapes("layernorm", x=(x, sizes), gamma=(gamma, weights), beta=(beta, weights), y=(y, sizes))
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=shape)
        gamma_dfb = ttl.make_dataflow_buffer_like(gamma, shape=(1, width), block_count=1)
        beta_dfb = ttl.make_dataflow_buffer_like(beta, shape=(1, width), block_count=1)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=shape)
        own = range(ttl.node(dims=1), total, ttl.grid_size(dims=1))
        if len(own) > 0:
            with gamma_dfb.reserve() as gamma_blk, beta_dfb.reserve() as beta_blk:
                ttl.copy(gamma[:, :], gamma_blk).wait()
                ttl.copy(beta[:, :], beta_blk).wait()
            stage(x_dfb, gamma_dfb, beta_dfb, y_dfb, len(own))
            for block in own:
                row = block * height
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[row : row + height, :], x_blk).wait()
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[row : row + height, :]).wait()

    layernorm.stage, layernorm.reference = stage, partial(layernorm_reference, epsilon=epsilon)
    return layernorm


def rope_rotation(head_dim: int) -> Any:
    """The matrix of (head_dim, head_dim) that makes (-second half, first half) of the halves of a row, ``x @ rotation``."""
    half = head_dim // 2
    rotation = np.zeros((head_dim, head_dim), np.float32)
    rotation[np.arange(half) + half, np.arange(half)] = -1
    rotation[np.arange(half), np.arange(half) + half] = 1
    return rotation


def rope_reference(x: Any, cosines: Any, sines: Any, rotation: Any) -> Any:
    """``x * cosines + (x @ rotation) * sines`` for every head in the rows of an array, in float64."""
    cosines, sines, rotation = (np.asarray(array, np.float64) for array in (cosines, sines, rotation))
    heads = np.asarray(x, np.float64).reshape(cosines.shape[0], -1, cosines.shape[1])
    return (heads * cosines[:, None] + heads @ rotation * sines[:, None]).reshape(np.shape(x))


def make_rope(sizes: tuple[int, int, int], grid: tuple[int, int], blocks: tuple[int] = (1,)) -> ttl.Operation:
    """Rotary position embedding, ``y = x * cosines + (x @ rotation) * sines`` for every head; ``sizes`` is (rows, heads, head_dim).

    ``x`` and ``y`` are of (rows, heads * head_dim), ``cosines`` and ``sines`` of (rows, head_dim), for the positions of
    the rows; ``rotation`` is of (head_dim, head_dim): ``ttl.ops.rope_rotation`` for halves of a head, or that of pairs of
    neighbours. The rows need not fill a tile. A block is ``blocks`` (rows,) tiles high and has one head; the nodes of
    ``grid`` take blocks of rows in turn. The operation is called with ``x``, ``cosines``, ``sines``, ``rotation`` and
    ``y``. Its stage is called with a dataflow buffer for each and ``count``: it takes one block of the tables and
    ``count`` of ``x``.

    Raises ``ProgramError``: TTL1650 not positive integers, TTL1651 sizes that are not multiples of the blocks, TTL1652 other shapes of tensors. Source: Su et al., "RoFormer" (2021).
    """
    require_fit(
        "rope", (sizes, "rows heads head_dim"), grid, (blocks, "rows"), padded="rows", whole="head_dim"
    )
    rows, heads, head_dim = sizes
    padded = -(-rows // TILE) * TILE
    (height,) = blocks
    width = head_dim // TILE
    total = padded // TILE // height

    @ttl.operation()
    def stage(
        x_dfb: ttl.DFB,
        cosines_dfb: ttl.DFB,
        sines_dfb: ttl.DFB,
        rotation_dfb: ttl.DFB,
        y_dfb: ttl.DFB,
        count: int,
    ) -> None:
        with (
            cosines_dfb.wait() as cosines_blk,
            sines_dfb.wait() as sines_blk,
            rotation_dfb.wait() as rotation_blk,
        ):
            for _ in range(count):
                with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(x_blk * cosines_blk + x_blk @ rotation_blk * sines_blk)

    @ttl.operation(grid=grid)
    def rope(x: Any, cosines: Any, sines: Any, rotation: Any, y: Any) -> None:
        whole, table = (rows, heads * head_dim), (rows, head_dim)
        require_shapes(
            "rope",
            x=(x, whole),
            cosines=(cosines, table),
            sines=(sines, table),
            rotation=(rotation, (head_dim, head_dim)),
            y=(y, whole),
        )
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(height, width))
        cosines_dfb = ttl.make_dataflow_buffer_like(cosines, shape=(height, width))
        sines_dfb = ttl.make_dataflow_buffer_like(sines, shape=(height, width))
        rotation_dfb = ttl.make_dataflow_buffer_like(rotation, shape=(width, width), block_count=1)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(height, width))
        for block in range(ttl.node(dims=1), total, ttl.grid_size(dims=1)):
            row = block * height
            with cosines_dfb.reserve() as cosines_blk, sines_dfb.reserve() as sines_blk:
                ttl.copy(cosines[row : row + height, :], cosines_blk).wait()
                ttl.copy(sines[row : row + height, :], sines_blk).wait()
            with rotation_dfb.reserve() as rotation_blk:
                ttl.copy(rotation[:, :], rotation_blk).wait()
            stage(x_dfb, cosines_dfb, sines_dfb, rotation_dfb, y_dfb, heads)
            for head in range(heads):
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[row : row + height, head * width : (head + 1) * width], x_blk).wait()
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[row : row + height, head * width : (head + 1) * width]).wait()

    rope.stage, rope.reference = stage, rope_reference
    return rope
