"""Matrix multiplication, bias and ReLU, y = relu(a @ b + c), with the running sum in a dataflow buffer.

The compute kernel is producer and consumer of ``acc_dfb``: it waits for the sum so far and reserves a block
for the next one. Two blocks are needed, since both are held at once. The sum is a float32 tensor's
likeness: in bfloat16 each of the steps would round it.
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

M_BLOCK_SIZE, N_BLOCK_SIZE, K_BLOCK_SIZE = 2, 2, 2  # in tiles

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(4, 4))
def __linear_relu(
    a: ttnn.Tensor, b: ttnn.Tensor, c: ttnn.Tensor, acc_like: ttnn.Tensor, y: ttnn.Tensor
) -> None:
    grid_x, grid_y = ttl.grid_size(dims=2)
    node_x, node_y = ttl.node(dims=2)

    m_blocks = a.shape[0] // ttl.TILE_SHAPE[0] // M_BLOCK_SIZE // grid_y
    n_blocks = b.shape[1] // ttl.TILE_SHAPE[1] // N_BLOCK_SIZE // grid_x
    k_blocks = a.shape[1] // ttl.TILE_SHAPE[1] // K_BLOCK_SIZE

    own_m_blocks = range(node_y * m_blocks, (node_y + 1) * m_blocks)
    own_n_blocks = range(node_x * n_blocks, (node_x + 1) * n_blocks)

    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(M_BLOCK_SIZE, K_BLOCK_SIZE))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(K_BLOCK_SIZE, N_BLOCK_SIZE))
    c_dfb = ttl.make_dataflow_buffer_like(c, shape=(M_BLOCK_SIZE, N_BLOCK_SIZE))
    acc_dfb = ttl.make_dataflow_buffer_like(acc_like, shape=(M_BLOCK_SIZE, N_BLOCK_SIZE), block_count=2)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(M_BLOCK_SIZE, N_BLOCK_SIZE))

    @ttl.datamovement()
    def read():
        for m_block in own_m_blocks:
            m_slice = slice(m_block * M_BLOCK_SIZE, (m_block + 1) * M_BLOCK_SIZE)
            for n_block in own_n_blocks:
                n_slice = slice(n_block * N_BLOCK_SIZE, (n_block + 1) * N_BLOCK_SIZE)
                with c_dfb.reserve() as c_blk:
                    c_xf = ttl.copy(c[m_slice, n_slice], c_blk)
                    c_xf.wait()
                for k_block in range(k_blocks):
                    k_slice = slice(k_block * K_BLOCK_SIZE, (k_block + 1) * K_BLOCK_SIZE)
                    with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                        a_xf = ttl.copy(a[m_slice, k_slice], a_blk)
                        b_xf = ttl.copy(b[k_slice, n_slice], b_blk)
                        a_xf.wait()
                        b_xf.wait()

    @ttl.compute()
    def compute():
        for _ in range(m_blocks * n_blocks):
            # The bias is the first sum
            with c_dfb.wait() as c_blk, acc_dfb.reserve() as acc_blk:
                acc_blk.store(c_blk)

            for _ in range(k_blocks):
                with (
                    a_dfb.wait() as a_blk,
                    b_dfb.wait() as b_blk,
                    acc_dfb.wait() as previous_blk,
                    acc_dfb.reserve() as acc_blk,
                ):
                    acc_blk.store(previous_blk + a_blk @ b_blk)

            with acc_dfb.wait() as acc_blk, y_dfb.reserve() as y_blk:
                y_blk.store(ttl.math.relu(acc_blk))

    @ttl.datamovement()
    def write():
        for m_block in own_m_blocks:
            m_slice = slice(m_block * M_BLOCK_SIZE, (m_block + 1) * M_BLOCK_SIZE)
            for n_block in own_n_blocks:
                n_slice = slice(n_block * N_BLOCK_SIZE, (n_block + 1) * N_BLOCK_SIZE)
                with y_dfb.wait() as y_blk:
                    y_xf = ttl.copy(y_blk, y[m_slice, n_slice])
                    y_xf.wait()


def linear_relu(a: ttnn.Tensor, b: ttnn.Tensor, c: ttnn.Tensor) -> ttnn.Tensor:
    """``ttnn.relu(ttnn.add(ttnn.matmul(a, b), c))``"""
    y = ttnn.zeros(c.shape, dtype=a.dtype, layout=ttnn.TILE_LAYOUT, device=device)
    acc_like = ttnn.zeros((32, 32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
    __linear_relu(a, b, c, acc_like, y)
    return y


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
a = torch.randn(512, 512).bfloat16()
b = torch.randn(512, 256).bfloat16()
c = torch.randn(512, 256).bfloat16()
y = linear_relu(to_device(a), to_device(b), to_device(c))

# One rounding to bfloat16, when y is stored; atol for sums that cancel, where float32 is what is left.
expected = (a.double() @ b.double() + c.double()).relu()
compare("matmul through a buffer", ttnn.to_torch(y), expected, rtol=BFLOAT16, atol=1e-4)
ttnn.close_device(device)
