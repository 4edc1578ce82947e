"""Specification, "Block": batched matrix multiplication with bias.

    y[i, m, n] = sum over k of a[i, m, k] * b[k, n], plus c[m, n]

    Tensor   Torch shape   Note
    a        I, M, K       batch of matrices (activations)
    b        K, N          one matrix (weights)
    c        M, N          one matrix (bias)
    y        I, M, N       batch of matrices

Only the last two dimensions of a tensor are tiled, so I counts matrices. (The specification divides it by
the tile size too, which its own section on shapes contradicts.)
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

TILE_SIZE = 32
I, M, N, K = 4, 128, 96, 256  # noqa: E741
I_BLOCK_SIZE, M_BLOCK_SIZE, N_BLOCK_SIZE, K_BLOCK_SIZE = 2, 2, 3, 4

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(1, 1))
def batched_matmul_bias(a: ttnn.Tensor, b: ttnn.Tensor, c: ttnn.Tensor, y: ttnn.Tensor) -> None:
    # Shape in tiles (M, N and K are evenly divisible by TILE_SIZE)
    M_TILES = M // TILE_SIZE
    N_TILES = N // TILE_SIZE
    K_TILES = K // TILE_SIZE

    # Shape in blocks (I, M_TILES, N_TILES and K_TILES are evenly divisible by the block sizes)
    I_BLOCKS = I // I_BLOCK_SIZE
    M_BLOCKS = M_TILES // M_BLOCK_SIZE
    N_BLOCKS = N_TILES // N_BLOCK_SIZE
    K_BLOCKS = K_TILES // K_BLOCK_SIZE

    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(I_BLOCK_SIZE, M_BLOCK_SIZE, K_BLOCK_SIZE))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(K_BLOCK_SIZE, N_BLOCK_SIZE))
    c_dfb = ttl.make_dataflow_buffer_like(c, shape=(M_BLOCK_SIZE, N_BLOCK_SIZE))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(I_BLOCK_SIZE, M_BLOCK_SIZE, N_BLOCK_SIZE))

    @ttl.datamovement()
    def matmul_read():
        for i_block in range(I_BLOCKS):
            i_slice = slice(i_block * I_BLOCK_SIZE, (i_block + 1) * I_BLOCK_SIZE)

            for m_block in range(M_BLOCKS):
                m_slice = slice(m_block * M_BLOCK_SIZE, (m_block + 1) * M_BLOCK_SIZE)

                for n_block in range(N_BLOCKS):
                    n_slice = slice(n_block * N_BLOCK_SIZE, (n_block + 1) * N_BLOCK_SIZE)

                    with c_dfb.reserve() as c_blk:
                        c_xf = ttl.copy(c[m_slice, n_slice], c_blk)
                        c_xf.wait()

                    for k_block in range(K_BLOCKS):
                        k_slice = slice(k_block * K_BLOCK_SIZE, (k_block + 1) * K_BLOCK_SIZE)

                        with (
                            a_dfb.reserve() as a_blk,
                            b_dfb.reserve() as b_blk,
                        ):
                            a_xf = ttl.copy(a[i_slice, m_slice, k_slice], a_blk)
                            b_xf = ttl.copy(b[k_slice, n_slice], b_blk)

                            a_xf.wait()
                            b_xf.wait()

    @ttl.compute()
    def matmul_compute():
        for _ in range(I_BLOCKS):
            for _ in range(M_BLOCKS):
                for _ in range(N_BLOCKS):
                    with y_dfb.reserve() as y_blk:
                        # Zero-initialize the accumulator before summing K_BLOCKS partial products
                        y_final = ttl.block.fill(0, shape=(I_BLOCK_SIZE, M_BLOCK_SIZE, N_BLOCK_SIZE))

                        for _ in range(K_BLOCKS):
                            with (
                                a_dfb.wait() as a_blk,
                                b_dfb.wait() as b_blk,
                            ):
                                # b_blk has no batch dimension: give it one and repeat it along it
                                b_bcast = ttl.block.broadcast(
                                    ttl.block.unsqueeze(b_blk, dims=[0]),
                                    dims=[0],
                                    shape=(I_BLOCK_SIZE, K_BLOCK_SIZE, N_BLOCK_SIZE),
                                )

                                y_final += a_blk @ b_bcast

                        with c_dfb.wait() as c_blk:
                            c_bcast = ttl.block.broadcast(
                                ttl.block.unsqueeze(c_blk, dims=[0]),
                                dims=[0],
                                shape=(I_BLOCK_SIZE, M_BLOCK_SIZE, N_BLOCK_SIZE),
                            )

                            y_final = y_final + c_bcast

                        y_blk.store(y_final)

    @ttl.datamovement()
    def matmul_write():
        for i_block in range(I_BLOCKS):
            for m_block in range(M_BLOCKS):
                for n_block in range(N_BLOCKS):
                    with y_dfb.wait() as y_blk:
                        y_xf = ttl.copy(
                            y_blk,
                            y[
                                i_block * I_BLOCK_SIZE : (i_block + 1) * I_BLOCK_SIZE,
                                m_block * M_BLOCK_SIZE : (m_block + 1) * M_BLOCK_SIZE,
                                n_block * N_BLOCK_SIZE : (n_block + 1) * N_BLOCK_SIZE,
                            ],
                        )
                        y_xf.wait()


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
a = torch.randn(I, M, K).bfloat16()
b = torch.randn(K, N).bfloat16()
c = torch.randn(M, N).bfloat16()

y = to_device(torch.zeros(I, M, N))
batched_matmul_bias(to_device(a), to_device(b), to_device(c), y)

# One rounding to bfloat16, when y is stored; atol for sums that cancel, where float32 is what is left.
compare(
    "batched matmul with bias",
    ttnn.to_torch(y),
    a.double() @ b.double() + c.double(),
    rtol=BFLOAT16,
    atol=1e-4,
)
ttnn.close_device(device)
