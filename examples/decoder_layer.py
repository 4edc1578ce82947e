"""One token through a decoder layer, in one launch: attention to a cache, and a gated feed-forward network.

A node has a head and its share of the hidden values. It projects the normalized token to key, query and value, turns key and
query by their position, puts key and value into the cache, attends to it, and projects what comes out; the parts of all nodes
are added by pipes. So it goes for the feed-forward network. Whatever is computed is an operation of ``ttl.ops``, composed
over dataflow buffers; only the sums over the nodes are written here.
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

HEADS, HEAD_DIM, LENGTH, POSITION = 4, 32, 64, 37
HIDDEN = WIDTH = HEADS * HEAD_DIM  # so that the same buffers serve attention and the network behind it
TILE = ttl.TILE_SHAPE[0]
W, D, L = WIDTH // TILE, HEAD_DIM // TILE, LENGTH // TILE
GRID = (HEADS, 1)

device = ttnn.open_device(device_id=0)

norm = ttl.ops.make_rmsnorm((1, WIDTH), GRID)
project = ttl.ops.make_gemv((1, WIDTH, 3 * HEAD_DIM), GRID, (D,))  # key, query and value of a head
turn = ttl.ops.make_rope((1, 2, HEAD_DIM), GRID)
append = ttl.ops.make_kv_append((HEADS, LENGTH, HEAD_DIM), GRID, (D,))
attend = ttl.ops.make_flash_decode((1, 1, LENGTH, HEAD_DIM), (1, 1), (L,))
project_back = ttl.ops.make_gemv((1, HEAD_DIM, WIDTH), GRID, (W,))
gated = ttl.ops.make_swiglu((1, WIDTH, HEAD_DIM), GRID, (1, W, D))
add = ttl.ops.make_elementwise(lambda a, b: a + b, (TILE, WIDTH), GRID, (1, W), inputs=2)


@ttl.operation()
def load(source, rows, columns, dfb: ttl.DFB):
    with dfb.reserve() as blk:
        ttl.copy(source[rows, columns], blk).wait()


@ttl.operation()
def over_nodes(
    part_dfb: ttl.DFB,
    received_dfb: ttl.DFB,
    total_dfb: ttl.DFB,
    sum_dfb: ttl.DFB,
    gather: ttl.PipeNet,
    spread: ttl.PipeNet,
    copies,
):
    """The sum of one block of all nodes, ``copies`` times on each: the first node adds them and sends the sum to all."""
    if ttl.node(dims=1) == 0:
        with total_dfb.reserve() as total_blk:
            total = ttl.block.fill(0, shape=(1, W))
            for _ in range(HEADS):
                with received_dfb.wait() as received_blk:
                    total += received_blk
            total_blk.store(total)

    def send_part(pipe):
        with part_dfb.wait() as blk:
            ttl.copy(blk, pipe).wait()

    def receive_part(pipe):
        with received_dfb.reserve() as blk:
            ttl.copy(pipe, blk).wait()

    def send_sum(pipe):
        with total_dfb.wait() as blk:
            for _ in range(copies):
                ttl.copy(blk, pipe).wait()

    def receive_sum(pipe):
        for _ in range(copies):
            with sum_dfb.reserve() as blk:
                ttl.copy(pipe, blk).wait()

    gather.if_src(send_part)
    gather.if_dst(receive_part)
    spread.if_src(send_sum)
    spread.if_dst(receive_sum)


@ttl.operation(grid=GRID)
def decoder_layer(
    x,
    gamma,
    kqv,
    cosines,
    sines,
    rotation,
    rows,
    keys,
    values,
    mask,
    out,
    gamma_2,
    gate,
    up,
    down,
    y,
    position,
):
    """``x`` is of (1, WIDTH), ``y`` has that of every node; weights of heads and shares of hidden values are side by side."""
    node = ttl.node(dims=1)
    gather = ttl.PipeNet([ttl.Pipe((other, 0), (0, 0)) for other in range(HEADS)])
    spread = ttl.PipeNet([ttl.Pipe((0, 0), (slice(0, HEADS), 0))])
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, W))
    gamma_dfb = ttl.make_dataflow_buffer_like(gamma, shape=(1, W))
    normed_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, W))
    weights_dfb = ttl.make_dataflow_buffer_like(kqv, shape=(W, D))
    head_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, D), block_count=3)
    turned_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, D))
    cosines_dfb = ttl.make_dataflow_buffer_like(cosines, shape=(1, D))
    sines_dfb = ttl.make_dataflow_buffer_like(sines, shape=(1, D))
    rotation_dfb = ttl.make_dataflow_buffer_like(rotation, shape=(D, D))
    rows_dfb = ttl.make_dataflow_buffer_like(rows, shape=(1, 1))
    old_dfb = ttl.make_dataflow_buffer_like(keys, shape=(1, D))
    new_dfb = ttl.make_dataflow_buffer_like(keys, shape=(1, D))
    k_dfb = ttl.make_dataflow_buffer_like(keys, shape=(L, D))
    v_dfb = ttl.make_dataflow_buffer_like(values, shape=(L, D))
    mask_dfb = ttl.make_dataflow_buffer_like(mask, shape=(1, L))
    head_out_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, D))
    back_dfb = ttl.make_dataflow_buffer_like(out, shape=(D, W))
    part_dfb = ttl.make_dataflow_buffer_like(mask, shape=(1, W))
    received_dfb = ttl.make_dataflow_buffer_like(mask, shape=(1, W))
    total_dfb = ttl.make_dataflow_buffer_like(mask, shape=(1, W))
    sum_dfb = ttl.make_dataflow_buffer_like(mask, shape=(1, W))
    middle_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, W))
    up_dfb = ttl.make_dataflow_buffer_like(up, shape=(W, D))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, W))

    # Key, query and value
    load(x, 0, slice(0, W), x_dfb)
    load(gamma, 0, slice(0, W), gamma_dfb)
    norm.stage(x_dfb, gamma_dfb, normed_dfb, 1)
    project.stage(normed_dfb, weights_dfb, head_dfb, 3)
    for part in range(3):
        load(kqv, slice(0, W), slice((node * 3 + part) * D, (node * 3 + part + 1) * D), weights_dfb)
    load(cosines, 0, slice(0, D), cosines_dfb)
    load(sines, 0, slice(0, D), sines_dfb)
    load(rotation, slice(0, D), slice(0, D), rotation_dfb)
    turn.stage(head_dfb, cosines_dfb, sines_dfb, rotation_dfb, turned_dfb, 2)

    # The cache, and attention to it
    row_of_tiles = position // TILE
    load(rows, 0, slice(0, 1), rows_dfb)
    load(rows, 0, slice(0, 1), rows_dfb)
    with old_dfb.reserve() as blk:
        ttl.copy(keys[node, row_of_tiles, :], blk).wait()
    append.stage(turned_dfb, rows_dfb, old_dfb, new_dfb, position % TILE, 1)
    with new_dfb.wait() as blk:
        ttl.copy(blk, keys[node, row_of_tiles, :]).wait()
    with old_dfb.reserve() as blk:
        ttl.copy(values[node, row_of_tiles, :], blk).wait()
    append.stage(head_dfb, rows_dfb, old_dfb, new_dfb, position % TILE, 1)
    with new_dfb.wait() as blk:
        ttl.copy(blk, values[node, row_of_tiles, :]).wait()
    with k_dfb.reserve() as k_blk, v_dfb.reserve() as v_blk, mask_dfb.reserve() as mask_blk:
        ttl.copy(keys[node, :, :], k_blk).wait()
        ttl.copy(values[node, :, :], v_blk).wait()
        ttl.copy(mask[:, :], mask_blk).wait()
    attend.stage(turned_dfb, k_dfb, v_dfb, mask_dfb, head_out_dfb, 1)
    load(out, slice(node * D, (node + 1) * D), slice(0, W), back_dfb)
    project_back.stage(head_out_dfb, back_dfb, part_dfb, 1)
    over_nodes(part_dfb, received_dfb, total_dfb, sum_dfb, gather, spread, 2)
    for _ in range(2):
        load(x, 0, slice(0, W), x_dfb)
    add.stage(x_dfb, sum_dfb, middle_dfb, 2)  # to be normalized, and to be added to

    # The feed-forward network
    load(gamma_2, 0, slice(0, W), gamma_dfb)
    norm.stage(middle_dfb, gamma_dfb, normed_dfb, 1)
    load(gate, slice(0, W), slice(node * D, (node + 1) * D), weights_dfb)
    load(up, slice(0, W), slice(node * D, (node + 1) * D), up_dfb)
    gated.stage(normed_dfb, weights_dfb, up_dfb, head_out_dfb, 1)
    load(down, slice(node * D, (node + 1) * D), slice(0, W), back_dfb)
    project_back.stage(head_out_dfb, back_dfb, part_dfb, 1)
    over_nodes(part_dfb, received_dfb, total_dfb, sum_dfb, gather, spread, 1)
    add.stage(middle_dfb, sum_dfb, y_dfb, 1)
    with y_dfb.wait() as y_blk:
        ttl.copy(y_blk, y[node, :, :]).wait()


def to_device(tensor: torch.Tensor, dtype: ttnn.DataType = ttnn.bfloat16) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)


def rms(values: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    return values * torch.rsqrt(values.square().mean(dim=-1, keepdim=True) + 1e-5) * weights


def turned(heads: torch.Tensor, cosines: torch.Tensor, sines: torch.Tensor) -> torch.Tensor:
    first, second = heads.chunk(2, dim=-1)
    return heads * cosines + torch.cat((-second, first), dim=-1) * sines


torch.manual_seed(0)
x = torch.randn(1, WIDTH).bfloat16()
gamma, gamma_2 = (torch.rand(1, WIDTH).bfloat16() for _ in range(2))
kqv = (torch.randn(WIDTH, HEADS, 3, HEAD_DIM) / 8).bfloat16()
angles = POSITION / 10000 ** (torch.arange(HEAD_DIM) % (HEAD_DIM // 2) * 2 / HEAD_DIM)
cosines, sines = angles.cos().bfloat16()[None], angles.sin().bfloat16()[None]
keys, values = (torch.randn(HEADS, LENGTH, HEAD_DIM).bfloat16() for _ in range(2))
out = (torch.randn(WIDTH, WIDTH) / 8).bfloat16()
gate, up = ((torch.randn(WIDTH, HIDDEN) / 8).bfloat16() for _ in range(2))
down = (torch.randn(HIDDEN, WIDTH) / 8).bfloat16()
keys_on_device, values_on_device, y = (
    to_device(keys),
    to_device(values),
    to_device(torch.zeros(HEADS, 1, WIDTH)),
)
decoder_layer(
    to_device(x),
    to_device(gamma),
    to_device(kqv.reshape(WIDTH, -1)),
    to_device(cosines),
    to_device(sines),
    to_device(torch.from_numpy(ttl.ops.rope_rotation(HEAD_DIM))),
    to_device(torch.from_numpy(ttl.ops.tile_rows())),
    keys_on_device,
    values_on_device,
    to_device(torch.from_numpy(ttl.ops.length_mask(LENGTH, POSITION)), ttnn.float32),
    to_device(out),
    to_device(gamma_2),
    to_device(gate),
    to_device(up),
    to_device(down),
    y,
    POSITION,
)

k, q, v = torch.einsum("tw,whpd->phtd", rms(x.double(), gamma.double()), kqv.double())
k, q = turned(k, cosines.double(), sines.double()), turned(q, cosines.double(), sines.double())
keys, values = keys.double(), values.double()
keys[:, POSITION : POSITION + 1], values[:, POSITION : POSITION + 1] = k, v
attended = torch.nn.functional.scaled_dot_product_attention(
    q, keys[:, : POSITION + 1], values[:, : POSITION + 1]
)
middle = x.double() + attended.transpose(0, 1).reshape(1, WIDTH) @ out.double()
normed = rms(middle, gamma_2.double())
hidden = torch.nn.functional.silu(normed @ gate.double()) * (normed @ up.double())
expected = middle + hidden @ down.double()

# What goes from one operation to the next is rounded to bfloat16: each part of a sum is off by as much of the largest.
largest = expected.abs().max().item()
compare(
    "decoder layer",
    ttnn.to_torch(y),
    expected.expand(HEADS, 1, WIDTH),
    rtol=2 * BFLOAT16,
    atol=2 * BFLOAT16 * largest,
)
for name, cache, wanted in (("keys", keys_on_device, keys), ("values", values_on_device, values)):
    atol = 4 * BFLOAT16 * wanted[:, POSITION].abs().max().item()
    compare(f"  its {name}", ttnn.to_torch(cache), wanted, atol=atol)
ttnn.close_device(device)
