"""Specification, "Debug printing": tensors, blocks and the state of dataflow buffers, printed from a kernel.

The specification prints a block before anything is in it; this program prints blocks after their data came.
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

TILE_SIZE = 32
I_TILES, M_TILES, N_TILES, K_TILES = 1, 1, 2, 2

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(1, 1))
def batched_matmul_bias(a: ttnn.Tensor, b: ttnn.Tensor, c: ttnn.Tensor, y: ttnn.Tensor) -> None:
    """``y[i] = a[i] @ b + c``, one tile at a time."""
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1, 1))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1))
    c_dfb = ttl.make_dataflow_buffer_like(c, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1, 1))

    @ttl.datamovement()
    def matmul_read():
        # Print first two pages of c

        print("c: ", c, num_pages=2)

        # Print first page of a and b

        print("a: ", a)
        print("b: ", b)

        for i_tile in range(I_TILES):
            for m_tile in range(M_TILES):
                for n_tile in range(N_TILES):
                    with c_dfb.reserve() as c_blk:
                        # Print state of c_dfb dataflow buffer after reserve

                        print("c_dfb after reserve: ", c_dfb)

                        c_xf = ttl.copy(c[m_tile, n_tile], c_blk)
                        c_xf.wait()

                        # Print iteration state and the content of c_blk block

                        print("i_tile=", i_tile, " m_tile=", m_tile, "n_tile=", n_tile, " c_blk: ", c_blk)

                    # Print state of c_dfb dataflow buffer after push

                    print("c_dfb after push: ", c_dfb)

                    for k_tile in range(K_TILES):
                        with (
                            a_dfb.reserve() as a_blk,
                            b_dfb.reserve() as b_blk,
                        ):
                            # Print iteration state

                            print("k_tile=", k_tile)

                            a_xf = ttl.copy(a[i_tile, m_tile, k_tile], a_blk)
                            b_xf = ttl.copy(b[k_tile, n_tile], b_blk)

                            a_xf.wait()
                            b_xf.wait()

                            # Print the content of a_blk block

                            print("a_blk:")
                            print(a_blk)

                            # Print the content of b_blk block

                            print("b_blk:")
                            print(b_blk)

    @ttl.compute()
    def matmul_compute():
        for _ in range(I_TILES * M_TILES * N_TILES):
            with c_dfb.wait() as c_blk, y_dfb.reserve() as y_blk:
                y_final = ttl.block.unsqueeze(c_blk, dims=[0])

                for _ in range(K_TILES):
                    with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                        y_final += a_blk @ ttl.block.unsqueeze(b_blk, dims=[0])

                y_blk.store(y_final)

    @ttl.datamovement()
    def matmul_write():
        for i_tile in range(I_TILES):
            for m_tile in range(M_TILES):
                for n_tile in range(N_TILES):
                    with y_dfb.wait() as y_blk:
                        y_xf = ttl.copy(y_blk, y[i_tile, m_tile, n_tile])
                        y_xf.wait()


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
a = torch.randn(I_TILES, M_TILES * TILE_SIZE, K_TILES * TILE_SIZE).bfloat16()
b = torch.randn(K_TILES * TILE_SIZE, N_TILES * TILE_SIZE).bfloat16()
c = torch.randn(M_TILES * TILE_SIZE, N_TILES * TILE_SIZE).bfloat16()
y = to_device(torch.zeros(I_TILES, M_TILES * TILE_SIZE, N_TILES * TILE_SIZE))
batched_matmul_bias(to_device(a), to_device(b), to_device(c), y)

# One rounding to bfloat16, when y is stored; atol for sums that cancel, where float32 is what is left.
expected = a.double() @ b.double() + c.double()
compare("debug print", ttnn.to_torch(y), expected, rtol=BFLOAT16, atol=1e-4)
ttnn.close_device(device)
