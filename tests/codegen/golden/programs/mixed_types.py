"""float32 and bfloat8_b operands, a result in bfloat16, and integers beside them."""

import ttnn

import ttl


@ttl.operation(grid=(1, 1))
def mixed_types(a, b, n, y, m):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 2))
    n_dfb = ttl.make_dataflow_buffer_like(n, shape=(1, 2))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 2))
    m_dfb = ttl.make_dataflow_buffer_like(m, shape=(1, 2))

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk, n_dfb.reserve() as n_blk:
            a_xf = ttl.copy(a[0, 0:2], a_blk)
            b_xf = ttl.copy(b[0, 0:2], b_blk)
            n_xf = ttl.copy(n[0, 0:2], n_blk)
            a_xf.wait()
            b_xf.wait()
            n_xf.wait()

    @ttl.compute()
    def compute():
        with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, y_dfb.reserve() as y_blk:
            y_blk.store(ttl.math.typecast(a_blk * ttl.math.typecast(b_blk, ttnn.float32), ttnn.bfloat16))
        with n_dfb.wait() as n_blk, m_dfb.reserve() as m_blk:
            m_blk.store(n_blk + n_blk)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk, m_dfb.wait() as m_blk:
            y_xf = ttl.copy(y_blk, y[0, 0:2])
            m_xf = ttl.copy(m_blk, m[0, 0:2])
            y_xf.wait()
            m_xf.wait()


def tensor(dtype):
    return ttnn.ones((32, 64), dtype=dtype, layout=ttnn.TILE_LAYOUT)


mixed_types(*map(tensor, (ttnn.float32, ttnn.bfloat8_b, ttnn.int32, ttnn.bfloat16, ttnn.int32)))
