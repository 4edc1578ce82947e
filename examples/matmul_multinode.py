"""Matrix multiplication on a grid of nodes: node (x, y) computes the part of y = a @ b in its column and row.

Every node reads what it needs from memory, so a block of ``a`` is read by all nodes of a row: matmul_multicast.py
shows how to read it once.
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

M_BLOCK_SIZE, N_BLOCK_SIZE, K_BLOCK_SIZE = 2, 2, 4  # in tiles

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(4, 8))
def __matmul(a: ttnn.Tensor, b: ttnn.Tensor, y: ttnn.Tensor) -> None:
    grid_x, grid_y = ttl.grid_size(dims=2)
    node_x, node_y = ttl.node(dims=2)

    # Blocks of a node; the tensors divide evenly
    m_blocks = a.shape[0] // ttl.TILE_SHAPE[0] // M_BLOCK_SIZE // grid_y
    n_blocks = b.shape[1] // ttl.TILE_SHAPE[1] // N_BLOCK_SIZE // grid_x
    k_blocks = a.shape[1] // ttl.TILE_SHAPE[1] // K_BLOCK_SIZE

    own_m_blocks = range(node_y * m_blocks, (node_y + 1) * m_blocks)
    own_n_blocks = range(node_x * n_blocks, (node_x + 1) * n_blocks)

    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(M_BLOCK_SIZE, K_BLOCK_SIZE))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(K_BLOCK_SIZE, N_BLOCK_SIZE))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(M_BLOCK_SIZE, N_BLOCK_SIZE))

    @ttl.datamovement()
    def read():
        for m_block in own_m_blocks:
            m_slice = slice(m_block * M_BLOCK_SIZE, (m_block + 1) * M_BLOCK_SIZE)
            for n_block in own_n_blocks:
                n_slice = slice(n_block * N_BLOCK_SIZE, (n_block + 1) * N_BLOCK_SIZE)
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
            with y_dfb.reserve() as y_blk:
                total = ttl.block.fill(0, shape=(M_BLOCK_SIZE, N_BLOCK_SIZE))
                for _ in range(k_blocks):
                    with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                        total += a_blk @ b_blk
                y_blk.store(total)

    @ttl.datamovement()
    def write():
        for m_block in own_m_blocks:
            m_slice = slice(m_block * M_BLOCK_SIZE, (m_block + 1) * M_BLOCK_SIZE)
            for n_block in own_n_blocks:
                n_slice = slice(n_block * N_BLOCK_SIZE, (n_block + 1) * N_BLOCK_SIZE)
                with y_dfb.wait() as y_blk:
                    y_xf = ttl.copy(y_blk, y[m_slice, n_slice])
                    y_xf.wait()


def matmul(a: ttnn.Tensor, b: ttnn.Tensor) -> ttnn.Tensor:
    """``ttnn.matmul(a, b)``"""
    y = ttnn.zeros((a.shape[0], b.shape[1]), dtype=a.dtype, layout=ttnn.TILE_LAYOUT, device=device)
    __matmul(a, b, y)
    return y


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
a = torch.randn(512, 512).bfloat16()
b = torch.randn(512, 512).bfloat16()
y = matmul(to_device(a), to_device(b))

# One rounding to bfloat16, when y is stored; atol for sums that cancel, where float32 is what is left.
compare("matmul, many nodes", ttnn.to_torch(y), a.double() @ b.double(), rtol=BFLOAT16, atol=1e-4)
ttnn.close_device(device)
