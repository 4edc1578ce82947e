"""A layer of experts: every token goes to the TOP experts that a router chooses, and their outputs are added by its weights.

A node has an expert. It routes all tokens, as every node does, runs its expert on them (SwiGLU and a product), and scales
each token's output by the weight that the router gave it, 0 for most. The first node adds what the others send to it.
Router, SwiGLU and product are operations of ``ttl.ops``, composed in one launch.
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

TOKENS, WIDTH, HIDDEN, EXPERTS, TOP = 32, 64, 128, 4, 2
TILE = ttl.TILE_SHAPE[0]
W, H = WIDTH // TILE, HIDDEN // TILE

device = ttnn.open_device(device_id=0)

route = ttl.ops.make_moe_router(sizes=(TOKENS, WIDTH, EXPERTS), grid=(EXPERTS, 1), top=TOP)
gated = ttl.ops.make_swiglu(sizes=(TOKENS, WIDTH, HIDDEN), grid=(EXPERTS, 1), blocks=(1, W, H))
project = ttl.ops.make_gemv(sizes=(TOKENS, HIDDEN, WIDTH), grid=(EXPERTS, 1), blocks=(W,))


@ttl.operation(grid=(EXPERTS, 1))
def experts(
    x: ttnn.Tensor,
    router: ttnn.Tensor,
    numbers: ttnn.Tensor,
    gate: ttnn.Tensor,
    up: ttnn.Tensor,
    down: ttnn.Tensor,
    y: ttnn.Tensor,
) -> None:
    """``x`` and ``y`` are of (TOKENS, WIDTH); the weights of the experts are one below the other."""
    expert = ttl.node(dims=1)
    net = ttl.PipeNet([ttl.Pipe((other, 0), (0, 0)) for other in range(1, EXPERTS)])
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, W))
    router_dfb = ttl.make_dataflow_buffer_like(router, shape=(W, 1), block_count=1)
    numbers_dfb = ttl.make_dataflow_buffer_like(numbers, shape=(1, 1))
    weights_dfb = ttl.make_dataflow_buffer_like(numbers, shape=(1, 1))
    gate_dfb = ttl.make_dataflow_buffer_like(gate, shape=(W, H), block_count=1)
    up_dfb = ttl.make_dataflow_buffer_like(up, shape=(W, H), block_count=1)
    hidden_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, H))
    down_dfb = ttl.make_dataflow_buffer_like(down, shape=(H, W), block_count=1)
    out_dfb = ttl.make_dataflow_buffer_like(numbers, shape=(1, W))
    sent_dfb = ttl.make_dataflow_buffer_like(numbers, shape=(1, W))
    received_dfb = ttl.make_dataflow_buffer_like(numbers, shape=(1, W))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, W))

    for _ in range(2):  # for the router and for the expert
        with x_dfb.reserve() as x_blk, numbers_dfb.reserve() as numbers_blk:
            ttl.copy(x[:, :], x_blk).wait()
            ttl.copy(numbers[:, :], numbers_blk).wait()
    with router_dfb.reserve() as router_blk:
        ttl.copy(router[:, :], router_blk).wait()
    with gate_dfb.reserve() as gate_blk, up_dfb.reserve() as up_blk, down_dfb.reserve() as down_blk:
        ttl.copy(gate[expert * W : (expert + 1) * W, :], gate_blk).wait()
        ttl.copy(up[expert * W : (expert + 1) * W, :], up_blk).wait()
        ttl.copy(down[expert * H : (expert + 1) * H, :], down_blk).wait()

    route.stage(x_dfb, router_dfb, numbers_dfb, weights_dfb, 1)
    gated.stage(x_dfb, gate_dfb, up_dfb, hidden_dfb, 1)
    project.stage(hidden_dfb, down_dfb, out_dfb, 1)

    with weights_dfb.wait() as weights_blk, numbers_dfb.wait() as numbers_blk, out_dfb.wait() as out_blk:
        is_own = ttl.math.eq(ttl.block.broadcast(numbers_blk, dims=[0], shape=(1, 1)), expert)
        weight = ttl.math.reduce_sum(weights_blk * is_own, dims=[-1], shape=(1, 1))
        total = out_blk * ttl.block.broadcast(weight, dims=[-1], shape=(1, W))
        if expert > 0:
            with sent_dfb.reserve() as sent_blk:
                sent_blk.store(total)
        else:
            for _ in range(EXPERTS - 1):
                with received_dfb.wait() as received_blk:
                    total += received_blk
            with y_dfb.reserve() as y_blk:
                y_blk.store(total)

    def send(pipe):
        with sent_dfb.wait() as sent_blk:
            ttl.copy(sent_blk, pipe).wait()

    def receive(pipe):
        with received_dfb.reserve() as received_blk:
            ttl.copy(pipe, received_blk).wait()

    net.if_src(send)
    net.if_dst(receive)
    if expert == 0:
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[:, :]).wait()


def to_device(tensor: torch.Tensor, dtype: ttnn.DataType = ttnn.bfloat16) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
x = torch.randn(TOKENS, WIDTH).bfloat16()
router = (torch.randn(WIDTH, EXPERTS) / 8).bfloat16()
gate, up = (torch.randn(EXPERTS, WIDTH, HIDDEN).bfloat16() / 8 for _ in range(2))
down = torch.randn(EXPERTS, HIDDEN, WIDTH).bfloat16() / 8
numbers = torch.from_numpy(ttl.ops.column_numbers(EXPERTS))
y = to_device(torch.zeros(TOKENS, WIDTH))
experts(
    to_device(x),
    to_device(router),
    to_device(numbers, ttnn.float32),
    to_device(gate.reshape(-1, HIDDEN)),
    to_device(up.reshape(-1, HIDDEN)),
    to_device(down.reshape(-1, WIDTH)),
    y,
)

values, chosen = torch.topk(x.double() @ router.double(), TOP, dim=-1)
weights = torch.zeros(TOKENS, EXPERTS).double().scatter(-1, chosen, torch.softmax(values, dim=-1))
outputs = [
    (torch.nn.functional.silu(x.double() @ gate[e].double()) * (x.double() @ up[e].double()))
    @ down[e].double()
    for e in range(EXPERTS)
]
expected = sum(weights[:, e : e + 1] * outputs[e] for e in range(EXPERTS))
# The hidden values and the result are rounded to bfloat16: the former by a part of what is added in a product.
compare(
    "layer of experts",
    ttnn.to_torch(y),
    expected,
    rtol=2 * BFLOAT16,
    atol=BFLOAT16 * expected.abs().max().item(),
)
ttnn.close_device(device)
