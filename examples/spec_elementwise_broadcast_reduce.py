"""Specification, "Block": tiled element-wise with broadcast and reduce.

    y[n] = sum over m of sqrt(a[n, m]² + b[n]² + c[m]² + d²)
    z[m] = sum over n of sqrt(a[n, m]² - b[n]² - c[m]² - d²)

    Tensor   Torch shape   Note
    a        N, M          N >> M
    b        N, 1          column vector: broadcast to match a along M
    c        M             row vector: broadcast to match a along N
    d        ()            scalar: broadcast to match a along N and M
    y        N, 1
    z        M

The specification's writer takes z before y. z is complete only after the last block of y, of which the
dataflow buffer holds two: with more than two blocks the program would stop forever. This one takes y first.
(examples/errors/deadlock_output_order.py shows what happens otherwise.)
"""

import torch
import ttl
import ttnn

from checking import BFLOAT16, compare

TILE_SIZE = 32
N, M = 512, 96
N_BLOCK_SIZE = 4

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(1, 1))
def elementwise(
    a: ttnn.Tensor, b: ttnn.Tensor, c: ttnn.Tensor, d: ttnn.Tensor, y: ttnn.Tensor, z: ttnn.Tensor
) -> None:
    # Shape in tiles (N and M are evenly divisible by TILE_SIZE)
    N_TILES = N // TILE_SIZE
    M_TILES = M // TILE_SIZE

    # Shape in blocks (N_TILES is evenly divisible by N_BLOCK_SIZE)
    N_BLOCKS = N_TILES // N_BLOCK_SIZE

    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(N_BLOCK_SIZE, M_TILES))

    # A tiled dataflow buffer has at least two dimensions. The vector b of shape (N, 1) is column 0 of a
    # column of tiles, the vector c of shape M is row 0 of a row of tiles, the scalar d is element (0, 0) of a tile
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(N_BLOCK_SIZE, 1))
    c_dfb = ttl.make_dataflow_buffer_like(c, shape=(1, M_TILES))
    d_dfb = ttl.make_dataflow_buffer_like(d, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(N_BLOCK_SIZE, 1))
    z_dfb = ttl.make_dataflow_buffer_like(z, shape=(1, M_TILES))

    @ttl.datamovement()
    def elwise_read():
        with (
            c_dfb.reserve() as c_blk,
            d_dfb.reserve() as d_blk,
        ):
            c_xf = ttl.copy(c[0, :], c_blk)
            d_xf = ttl.copy(d[0, 0], d_blk)

            c_xf.wait()
            d_xf.wait()

        for n_block in range(N_BLOCKS):
            with (
                a_dfb.reserve() as a_blk,
                b_dfb.reserve() as b_blk,
            ):
                a_xf = ttl.copy(a[n_block * N_BLOCK_SIZE : (n_block + 1) * N_BLOCK_SIZE, :], a_blk)
                b_xf = ttl.copy(b[n_block * N_BLOCK_SIZE : (n_block + 1) * N_BLOCK_SIZE, 0], b_blk)

                a_xf.wait()
                b_xf.wait()

    @ttl.compute()
    def elwise_compute():
        with (
            c_dfb.wait() as c_blk,
            d_dfb.wait() as d_blk,
            z_dfb.reserve() as z_blk,
        ):
            c_squared = c_blk**2
            d_squared = d_blk**2

            # Row 0 of c's tiles fills all rows, then the row of tiles is repeated N_BLOCK_SIZE times
            c_squared_bcast = ttl.block.broadcast(c_squared, dims=[0], shape=(N_BLOCK_SIZE, M_TILES))

            # Element (0, 0) fills the tile, then the tile is repeated
            d_squared_bcast = ttl.block.broadcast(d_squared, dims=[0, 1], shape=(N_BLOCK_SIZE, M_TILES))

            # Zero-initialize the accumulator before summing N_BLOCKS partial sums
            z_final = ttl.block.fill(0, shape=(1, M_TILES))

            for _ in range(N_BLOCKS):
                with (
                    a_dfb.wait() as a_blk,
                    b_dfb.wait() as b_blk,
                    y_dfb.reserve() as y_blk,
                ):
                    a_squared = a_blk**2
                    b_squared = b_blk**2

                    # Column 0 of b's tiles fills all columns, then the column of tiles is repeated M_TILES times
                    b_squared_bcast = ttl.block.broadcast(b_squared, dims=[-1], shape=(N_BLOCK_SIZE, M_TILES))

                    expanded_y = ttl.math.sqrt(
                        a_squared + b_squared_bcast + c_squared_bcast + d_squared_bcast
                    )
                    expanded_z = ttl.math.sqrt(
                        a_squared - b_squared_bcast - c_squared_bcast - d_squared_bcast
                    )

                    # Sums of the rows, in column 0 of each tile
                    y_final = ttl.math.reduce_sum(expanded_y, dims=[-1], shape=(N_BLOCK_SIZE, 1))

                    # Sums of the columns, in row 0 of each tile
                    z_partial = ttl.math.reduce_sum(expanded_z, dims=[0], shape=(1, M_TILES))

                    y_blk.store(y_final)

                    z_final += z_partial

            z_blk.store(z_final)

    @ttl.datamovement()
    def elwise_write():
        for n_block in range(N_BLOCKS):
            n_slice = slice(n_block * N_BLOCK_SIZE, (n_block + 1) * N_BLOCK_SIZE)

            with y_dfb.wait() as y_blk:
                # The vector y is column 0 of each tile in a column of N_TILES tiles
                y_xf = ttl.copy(y_blk, y[n_slice, :])
                y_xf.wait()

        with z_dfb.wait() as z_blk:
            # The vector z is row 0 of each tile in a row of M_TILES tiles
            z_xf = ttl.copy(z_blk, z[0, :])
            z_xf.wait()


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
a = (2 + 3 * torch.rand(N, 1) + 3 * torch.rand(M)).bfloat16()  # a² is above b² + c² + d²
b = torch.rand(N, 1).bfloat16()
c = torch.rand(M).bfloat16()
d = torch.rand(()).bfloat16()

y = to_device(torch.zeros(N, 1))
z = to_device(torch.zeros(M))
elementwise(to_device(a), to_device(b), to_device(c), to_device(d), y, z)

a, b, c, d = a.double(), b.double(), c.double(), d.double()
# One rounding to bfloat16, when the sum is stored; the rest is float32.
compare(
    "y",
    ttnn.to_torch(y),
    torch.sqrt(a**2 + b**2 + c**2 + d**2).sum(dim=1, keepdim=True),
    rtol=1.01 * BFLOAT16,
)
compare("z", ttnn.to_torch(z), torch.sqrt(a**2 - b**2 - c**2 - d**2).sum(dim=0), rtol=1.01 * BFLOAT16)
ttnn.close_device(device)
