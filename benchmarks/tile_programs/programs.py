"""The twelve programs: what is computed, and nothing about buffers, kernels and nodes."""

from __future__ import annotations

import math

import ttl


@ttl.tile_operation()
def chain(a, b, y):
    """Five elementwise steps."""
    for m in ttl.spatial(a.rows):
        for n in ttl.spatial(a.columns):
            u = ttl.load(a[m, n])
            v = ttl.math.exp(u * 0.5) + ttl.load(b[m, n])
            ttl.store(y[m, n], ttl.math.tanh(v) - u)


@ttl.tile_operation()
def matmul(a, b, y):
    """``a @ b``."""
    for m in ttl.spatial(a.rows):
        for n in ttl.spatial(b.columns):
            total = 0
            for k in ttl.temporal(a.columns):
                total += ttl.load(a[m, k]) @ ttl.load(b[k, n])
            ttl.store(y[m, n], total)


@ttl.tile_operation()
def linear_gelu(a, b, bias, y):
    """``gelu(a @ b + bias)``."""
    for m in ttl.spatial(a.rows):
        for n in ttl.spatial(b.columns):
            total = 0
            for k in ttl.temporal(a.columns):
                total += ttl.load(a[m, k]) @ ttl.load(b[k, n])
            ttl.store(y[m, n], ttl.math.gelu(total + ttl.load(bias[:, n])))


@ttl.tile_operation()
def batched_matmul(a, b, y):
    """``a @ b`` for each of a batch."""
    for h in ttl.spatial(a.axis(0)):
        for m in ttl.spatial(a.rows):
            for n in ttl.spatial(b.columns):
                total = 0
                for k in ttl.temporal(a.columns):
                    total += ttl.load(a[h, m, k]) @ ttl.load(b[h, k, n])
                ttl.store(y[h, m, n], total)


@ttl.tile_operation()
def softmax(x, y):
    """The softmax of every row."""
    for m in ttl.spatial(x.rows):
        row = ttl.load(x[m])
        powers = ttl.math.exp(row - row.max())
        ttl.store(y[m], powers * ttl.math.recip(powers.sum()))


@ttl.tile_operation()
def layernorm(x, gamma, beta, y):
    """Every row, normalized, scaled and shifted."""
    for m in ttl.spatial(x.rows):
        row = ttl.load(x[m])
        centred = row - row.mean()
        scale = ttl.math.rsqrt((centred * centred).mean() + 1e-5)
        ttl.store(y[m], centred * scale * ttl.load(gamma) + ttl.load(beta))


@ttl.tile_operation()
def rmsnorm_matmul(x, gamma, w, y):
    """A product with rows that are normalized before."""
    for m in ttl.spatial(x.rows):
        row = ttl.load(x[m])
        normal = row * ttl.math.rsqrt((row * row).mean() + 1e-5) * ttl.load(gamma)
        for n in w.columns:
            ttl.store(y[m, n], normal @ ttl.load(w[:, n]))


@ttl.tile_operation()
def flash_attention(q, k, v, o):
    """``softmax(q @ k.T / sqrt(d)) @ v`` without the scores as a whole."""
    for h in ttl.spatial(q.axis(0)):
        for m in ttl.spatial(q.rows):
            queries = ttl.load(q[h, m]) * (1 / math.sqrt(q.shape[-1]))
            largest, total, output = -math.inf, 0, 0
            for n in ttl.temporal(k.rows):
                scores = queries @ ttl.load(k[h, n]).T
                before = largest
                largest = ttl.math.max(before, scores.max())
                rescale = ttl.math.exp(before - largest)
                weights = ttl.math.exp(scores - largest)
                total = total * rescale + weights.sum()
                output = output * rescale + weights @ ttl.load(v[h, n])
            ttl.store(o[h, m], output / total)


@ttl.tile_operation()
def cross_entropy(logits, target, y):
    """Of every row, ``log(sum(exp(logits))) - sum(logits * target)``."""
    for m in ttl.spatial(logits.rows):
        row = ttl.load(logits[m])
        largest = row.max()
        total = ttl.math.exp(row - largest).sum()
        ttl.store(y[m], ttl.math.log(total) + largest - (row * ttl.load(target[m])).sum())


@ttl.tile_operation()
def transpose(x, y):
    """``x.T``."""
    for m in ttl.spatial(x.rows):
        for n in ttl.spatial(x.columns):
            ttl.store(y[n, m], ttl.load(x[m, n]).T)


@ttl.tile_operation()
def convolution(left, centre, right, w, y):
    """3x3, of rows of pixels that are shifted by one to both sides, with a border: ``w`` is of (9, channels, filters)."""
    for row in ttl.spatial(y.axis(0)):
        for pixels in ttl.spatial(y.rows):
            for filters in ttl.spatial(y.columns):
                total = 0
                for down in range(3):
                    for number, shifted in enumerate((left, centre, right)):
                        weights = ttl.load(w[3 * down + number, :, filters])
                        total += ttl.load(shifted[row + down, pixels]) @ weights
                ttl.store(y[row, pixels, filters], total)


@ttl.tile_operation()
def argmax(x, columns, y):
    """Of every row, the first column with the largest element; ``columns`` has their numbers, which fit the element type."""
    for m in ttl.spatial(x.rows):
        row = ttl.load(x[m])
        is_largest = ttl.math.ge(row, row.max())
        # The smallest number is what is left of the largest opposite one.
        ttl.store(y[m], -(ttl.block.where(is_largest, -ttl.load(columns), -65536.0)).max())
