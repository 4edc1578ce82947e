"""Matrix multiplication that reads every block from memory once: two-dimensional multicast over pipes.

Node (x, y) computes the part of y = a @ b in its column and row. The first node of a row reads the blocks of
``a`` that the row needs and multicasts them along it; the first node of a column does it for ``b``.

    a:  (0, y) => (1, y) (2, y) ...        b:  (x, 0) => (x, 1) (x, 2) ...
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

GRID = (8, 8)
M_BLOCK_SIZE, N_BLOCK_SIZE, K_BLOCK_SIZE = 2, 2, 4  # in tiles; a node has one block of y

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=GRID)
def __matmul(a: ttnn.Tensor, b: ttnn.Tensor, y: ttnn.Tensor) -> None:
    grid_x, grid_y = ttl.grid_size(dims=2)
    node_x, node_y = ttl.node(dims=2)

    k_blocks = a.shape[1] // ttl.TILE_SHAPE[1] // K_BLOCK_SIZE
    m_slice = slice(node_y * M_BLOCK_SIZE, (node_y + 1) * M_BLOCK_SIZE)
    n_slice = slice(node_x * N_BLOCK_SIZE, (node_x + 1) * N_BLOCK_SIZE)

    a_net = ttl.PipeNet([ttl.Pipe(src=(0, y), dst=(slice(1, grid_x), y)) for y in range(grid_y)])
    b_net = ttl.PipeNet([ttl.Pipe(src=(x, 0), dst=(x, slice(1, grid_y))) for x in range(grid_x)])

    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(M_BLOCK_SIZE, K_BLOCK_SIZE))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(K_BLOCK_SIZE, N_BLOCK_SIZE))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(M_BLOCK_SIZE, N_BLOCK_SIZE))

    @ttl.datamovement()
    def read_a():
        for k_block in range(k_blocks):
            k_slice = slice(k_block * K_BLOCK_SIZE, (k_block + 1) * K_BLOCK_SIZE)
            with a_dfb.reserve() as a_blk:

                def send(pipe):
                    a_xf = ttl.copy(a[m_slice, k_slice], a_blk)
                    a_xf.wait()
                    xf = ttl.copy(a_blk, pipe)
                    xf.wait()

                def receive(pipe):
                    xf = ttl.copy(pipe, a_blk)
                    xf.wait()

                a_net.if_src(send)
                a_net.if_dst(receive)

    @ttl.compute()
    def compute():
        with y_dfb.reserve() as y_blk:
            total = ttl.block.fill(0, shape=(M_BLOCK_SIZE, N_BLOCK_SIZE))
            for _ in range(k_blocks):
                with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                    total += a_blk @ b_blk
            y_blk.store(total)

    @ttl.datamovement()
    def read_b_and_write():
        for k_block in range(k_blocks):
            k_slice = slice(k_block * K_BLOCK_SIZE, (k_block + 1) * K_BLOCK_SIZE)
            with b_dfb.reserve() as b_blk:

                def send(pipe):
                    b_xf = ttl.copy(b[k_slice, n_slice], b_blk)
                    b_xf.wait()
                    xf = ttl.copy(b_blk, pipe)
                    xf.wait()

                def receive(pipe):
                    xf = ttl.copy(pipe, b_blk)
                    xf.wait()

                b_net.if_src(send)
                b_net.if_dst(receive)

        with y_dfb.wait() as y_blk:
            y_xf = ttl.copy(y_blk, y[m_slice, n_slice])
            y_xf.wait()


def matmul(a: ttnn.Tensor, b: ttnn.Tensor) -> ttnn.Tensor:
    """``ttnn.matmul(a, b)``, for as many blocks of the result as there are nodes."""
    y = ttnn.zeros((a.shape[0], b.shape[1]), dtype=a.dtype, layout=ttnn.TILE_LAYOUT, device=device)
    __matmul(a, b, y)
    return y


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
a = torch.randn(GRID[1] * M_BLOCK_SIZE * 32, 512).bfloat16()
b = torch.randn(512, GRID[0] * N_BLOCK_SIZE * 32).bfloat16()
y = matmul(to_device(a), to_device(b))

# One rounding to bfloat16, when y is stored; atol for sums that cancel, where float32 is what is left.
compare("matmul, multicast", ttnn.to_torch(y), a.double() @ b.double(), rtol=BFLOAT16, atol=1e-4)
ttnn.close_device(device)
