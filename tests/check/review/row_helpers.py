"""What ``helper_module`` uses."""

import ttl

TILE = ttl.TILE_SHAPE[0]


def ceil_div(a, b):
    return -(-a // b)


def share(count):
    """First and last of what the node does."""
    per = ceil_div(count, ttl.grid_size(dims=1))
    start = ttl.node(dims=1) * per
    return min(start, count), min(start + per, count)


def stream_in(tensor, dfb, first, last):
    for i in range(first, last):
        with dfb.reserve() as blk:
            ttl.copy(tensor[i, :], blk).wait()


def stream_out(dfb, tensor, first, last):
    for i in range(first, last):
        with dfb.wait() as blk:
            ttl.copy(blk, tensor[i, :]).wait()


def softmax(x, cols):
    def wide(value):
        return ttl.block.broadcast(value, dims=[-1], shape=(1, cols))

    e = ttl.math.exp(x - wide(ttl.math.reduce_max(x, dims=[-1], shape=(1, 1))))
    return e * ttl.math.recip(wide(ttl.math.reduce_sum(e, dims=[-1], shape=(1, 1))))
