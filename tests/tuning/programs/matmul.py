"""Two-dimensional multicast: what blocks, and how many of them."""

import torch
import ttnn

import ttl

SIZE = 512
device = ttnn.open_device(device_id=0)


def fits(a, b, M, N, K, count):
    return a.shape[0] // 32 % (8 * M) == 0 and b.shape[1] // 32 % (8 * N) == 0 and a.shape[1] // 32 % K == 0


@ttl.tunable(M=[1, 2], N=[1, 2], K=[1, 2, 4, 8, 16], count=[2, 3, 4, 1, 6], where=fits)
@ttl.operation(grid=(8, 8))
def mm(a, b, y, *, M, N, K, count):
    grid_x, grid_y = ttl.grid_size(dims=2)
    node_x, node_y = ttl.node(dims=2)
    m_per_node = a.shape[0] // 32 // M // grid_y
    n_per_node = b.shape[1] // 32 // N // grid_x
    k_blocks = a.shape[1] // 32 // K
    own_m = range(node_y * m_per_node, (node_y + 1) * m_per_node)
    own_n = range(node_x * n_per_node, (node_x + 1) * n_per_node)
    a_net = ttl.PipeNet([ttl.Pipe(src=(0, row), dst=(slice(1, grid_x), row)) for row in range(grid_y)])
    b_net = ttl.PipeNet([ttl.Pipe(src=(col, 0), dst=(col, slice(1, grid_y))) for col in range(grid_x)])
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(M, K), block_count=count)
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(K, N), block_count=count)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(M, N), block_count=2)

    @ttl.datamovement()
    def read_b():
        for _ in own_m:
            for n in own_n:
                for k in range(k_blocks):
                    with b_dfb.reserve() as b_blk:

                        def send(pipe):
                            ttl.copy(b[k * K : (k + 1) * K, n * N : (n + 1) * N], b_blk).wait()
                            ttl.copy(b_blk, pipe).wait()

                        def receive(pipe):
                            ttl.copy(pipe, b_blk).wait()

                        b_net.if_src(send)
                        b_net.if_dst(receive)

    @ttl.compute()
    def compute():
        for _ in own_m:
            for _ in own_n:
                with y_dfb.reserve() as y_blk:
                    total = ttl.block.fill(0, shape=(M, N))
                    for _ in range(k_blocks):
                        with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                            total += a_blk @ b_blk
                    y_blk.store(total)

    @ttl.datamovement()
    def read_a():
        for m in own_m:
            for n in own_n:
                for k in range(k_blocks):
                    with a_dfb.reserve() as a_blk:

                        def send(pipe):
                            ttl.copy(a[m * M : (m + 1) * M, k * K : (k + 1) * K], a_blk).wait()
                            ttl.copy(a_blk, pipe).wait()

                        def receive(pipe):
                            ttl.copy(pipe, a_blk).wait()

                        a_net.if_src(send)
                        a_net.if_dst(receive)
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[m * M : (m + 1) * M, n * N : (n + 1) * N]).wait()


torch.manual_seed(0)


def t(*s):
    return ttnn.from_torch(torch.randn(*s), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


a, b = t(SIZE, SIZE), t(SIZE, SIZE)
y = ttnn.zeros((SIZE, SIZE), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
mm(a, b, y)
