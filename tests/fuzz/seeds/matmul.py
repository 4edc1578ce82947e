"""``y = relu(a @ b)``, accumulated in an expression, on a ragged grid."""

import torch
import ttl
import ttnn

K_TILES = 3
device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(2, 2))
def matmul(a, b, y):
    grid_x, grid_y = ttl.grid_size()
    node_x, node_y = ttl.node()
    m_tiles, n_tiles = y.shape[0] // 32, y.shape[1] // 32
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 2))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 2))
    mine = [(m, n) for m in range(node_y, m_tiles, grid_y) for n in range(2 * node_x, n_tiles, 2 * grid_x)]

    @ttl.datamovement()
    def read():
        for m, n in mine:
            for k in range(K_TILES):
                with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                    group = ttl.GroupTransfer()
                    group.add(ttl.copy(a[m, k], a_blk))
                    group.add(ttl.copy(b[k, n : n + 2], b_blk))
                    group.wait_all()

    @ttl.compute()
    def compute():
        for _ in mine:
            with y_dfb.reserve() as y_blk:
                total = ttl.block.fill(0, shape=(1, 2))
                for _ in range(K_TILES):
                    with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                        total += a_blk @ b_blk
                y_blk.store(ttl.math.relu(total))

    @ttl.datamovement()
    def write():
        for m, n in mine:
            with y_dfb.wait() as y_blk:
                xf = ttl.copy(y_blk, y[m : m + 1, n : n + 2])
                xf.wait()


a_data = torch.linspace(-1, 1, 96 * 96).reshape(96, 96)
b_data = torch.linspace(1, -2, 96 * 128).reshape(96, 128)
a, b = (
    ttnn.from_torch(t, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device) for t in (a_data, b_data)
)
y = ttnn.zeros((96, 128), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
matmul(a, b, y)
assert torch.allclose(ttnn.to_torch(y), torch.relu(a_data @ b_data), atol=1e-3)
