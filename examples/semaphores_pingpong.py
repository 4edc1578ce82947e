"""Two nodes take turns with semaphores: each adds one to a tile in memory, sixteen times.

A node may touch the tile only when it is its turn. Its reader waits for the turn; its writer, when the new
tile is in memory, passes the turn to the other node by incrementing that node's semaphore.
"""

import torch
import ttl
import ttnn

from checking import compare

ROUNDS = 16

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(2, 1))
def ping_pong(tile: ttnn.Tensor) -> None:
    """Adds ``2 * ROUNDS`` to ``tile``."""
    node = ttl.node(dims=1)
    turn = ttl.Semaphore()
    turn_of_the_other = turn.get_remote((1 - node, 0))

    in_dfb = ttl.make_dataflow_buffer_like(tile, shape=(1, 1))
    out_dfb = ttl.make_dataflow_buffer_like(tile, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for round_number in range(ROUNDS):
            # Node 0 begins: in round n it waits for n turns of node 1, which waits for n + 1 of node 0
            turn.wait_ge(round_number + node)
            with in_dfb.reserve() as in_blk:
                xf = ttl.copy(tile[0, 0], in_blk)
                xf.wait()

    @ttl.compute()
    def add_one():
        for _ in range(ROUNDS):
            with in_dfb.wait() as in_blk, out_dfb.reserve() as out_blk:
                out_blk.store(in_blk + 1)

    @ttl.datamovement()
    def write():
        for _ in range(ROUNDS):
            with out_dfb.wait() as out_blk:
                xf = ttl.copy(out_blk, tile[0, 0])
                xf.wait()
            turn_of_the_other.inc(1)


tile = ttnn.from_torch(torch.zeros(32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
ping_pong(tile)

# Whole numbers up to 256 are exact in bfloat16: nothing may differ.
compare("ping-pong", ttnn.to_torch(tile), torch.full((32, 32), 2.0 * ROUNDS).bfloat16())
ttnn.close_device(device)
