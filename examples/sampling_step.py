"""One step of sampling: logits of a token, the largest of them, and one drawn by its probability (Gumbel's way).

The logits are a product on all nodes. Then one node composes operations of ``ttl.ops``: the TOP largest, their order with
noise at a temperature, the largest of these, and which word of the vocabulary that is.
"""

import numpy as np
import torch
import ttl
import ttnn

from checking import compare

WIDTH, VOCABULARY, TOP, TEMPERATURE = 128, 512, 8, 0.8
TILE = ttl.TILE_SHAPE[1]

device = ttnn.open_device(device_id=0)

project = ttl.ops.make_gemv(sizes=(1, WIDTH, VOCABULARY), grid=(4, 2), blocks=(2,))
largest = ttl.ops.make_topk(sizes=(1, VOCABULARY), grid=(1, 1), k=TOP)
with_noise = ttl.ops.make_elementwise(
    lambda values, noise: values * (1 / TEMPERATURE) + noise, sizes=(TILE, TILE), grid=(1, 1), inputs=2
)
first = ttl.ops.make_argmax(sizes=(1, TILE), grid=(1, 1))


@ttl.operation(grid=(1, 1))
def sample(logits: ttnn.Tensor, numbers: ttnn.Tensor, noise: ttnn.Tensor, word: ttnn.Tensor) -> None:
    """``noise`` is Gumbel's for the TOP largest, and hides the other columns of their tile."""
    columns = VOCABULARY // TILE
    logits_dfb = ttl.make_dataflow_buffer_like(logits, shape=(1, columns))
    numbers_dfb = ttl.make_dataflow_buffer_like(numbers, shape=(1, columns), block_count=1)
    first_dfb = ttl.make_dataflow_buffer_like(numbers, shape=(1, 1), block_count=3)
    values_dfb = ttl.make_dataflow_buffer_like(logits, shape=(1, 1))
    places_dfb = ttl.make_dataflow_buffer_like(word, shape=(1, 1))
    noise_dfb = ttl.make_dataflow_buffer_like(noise, shape=(1, 1))
    noisy_dfb = ttl.make_dataflow_buffer_like(logits, shape=(1, 1))
    rank_dfb = ttl.make_dataflow_buffer_like(word, shape=(1, 1))
    word_dfb = ttl.make_dataflow_buffer_like(word, shape=(1, 1))

    with logits_dfb.reserve() as logits_blk, numbers_dfb.reserve() as numbers_blk:
        ttl.copy(logits[:, :], logits_blk).wait()
        ttl.copy(numbers[:, :], numbers_blk).wait()
    for _ in range(3):  # for the largest, for the first of the noisy ones, and to find its word
        with first_dfb.reserve() as first_blk:
            ttl.copy(numbers[:, 0:1], first_blk).wait()
    with noise_dfb.reserve() as noise_blk:
        ttl.copy(noise[:, :], noise_blk).wait()

    largest.stage(logits_dfb, numbers_dfb, first_dfb, values_dfb, places_dfb, 1)
    with_noise.stage(values_dfb, noise_dfb, noisy_dfb, 1)
    first.stage(noisy_dfb, first_dfb, rank_dfb, 1)
    with (
        rank_dfb.wait() as rank_blk,
        first_dfb.wait() as first_blk,
        places_dfb.wait() as places_blk,
        word_dfb.reserve() as word_blk,
    ):
        ranks = ttl.block.broadcast(first_blk, dims=[0], shape=(1, 1))
        is_drawn = ttl.math.eq(ranks, ttl.block.broadcast(rank_blk, dims=[-1], shape=(1, 1)))
        word_blk.store(ttl.math.reduce_sum(places_blk * is_drawn, dims=[-1], shape=(1, 1)))

    with word_dfb.wait() as word_blk:
        ttl.copy(word_blk, word[:, :]).wait()


def to_device(tensor: torch.Tensor, dtype: ttnn.DataType = ttnn.bfloat16) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
hidden, weights = torch.randn(1, WIDTH).bfloat16(), torch.randn(WIDTH, VOCABULARY).bfloat16() / 8
logits = to_device(torch.zeros(1, VOCABULARY))
project(to_device(hidden), to_device(weights), logits)

numbers = to_device(torch.from_numpy(ttl.ops.column_numbers(VOCABULARY)), ttnn.float32)
values, order = torch.sort(ttnn.to_torch(logits).float(), dim=-1, descending=True, stable=True)
drawn, expected = [], []
for _ in range(4):
    noise = torch.full((1, TILE), -1e9)
    noise[0, :TOP] = -torch.log(-torch.log(torch.rand(TOP)))
    noise = noise.bfloat16()
    word = to_device(torch.zeros(1, 1), ttnn.float32)
    sample(logits, numbers, to_device(noise), word)
    drawn.append(ttnn.to_torch(word))
    noisy = (values[0, :TOP] * (1 / TEMPERATURE) + noise[0, :TOP].float()).bfloat16()
    expected.append(order[0, int(np.argmax(noisy.float().numpy()))].reshape(1, 1))

# Words are numbers of columns: the same ones, or wrong.
compare("sampling, 4 words", torch.cat(drawn), torch.cat(expected).double())
ttnn.close_device(device)
