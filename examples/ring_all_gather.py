"""All-gather around a ring of pipes: every node ends up with the parts of all nodes.

A node starts with its own part. In each step it passes on what it got in the previous one and receives the
next part from its predecessor; after as many steps as there are other nodes, all parts came by. A second
kernel writes them to memory meanwhile.
"""

import torch
import ttl
import ttnn

from checking import compare

NODES = 8
ROW_TILES, COL_TILES = 2, 2  # of a part

device = ttnn.open_device(device_id=0)


@ttl.operation(grid=(1, NODES))
def ring_all_gather(parts: ttnn.Tensor, gathered: ttnn.Tensor) -> None:
    """Node n holds ``parts[n]``; ``gathered[n]`` becomes what node n collected."""
    nodes = ttl.grid_size(dims=1)
    node = ttl.node(dims=1)

    net = ttl.PipeNet([ttl.Pipe(src=(0, n), dst=(0, (n + 1) % nodes)) for n in range(nodes)])

    part_dfb = ttl.make_dataflow_buffer_like(parts, shape=(ROW_TILES, COL_TILES))

    @ttl.datamovement()
    def forward():
        for step in range(nodes):
            with part_dfb.reserve() as part_blk:

                def receive(pipe):
                    xf = ttl.copy(pipe, part_blk)
                    xf.wait()

                def send(pipe):
                    xf = ttl.copy(part_blk, pipe)
                    xf.wait()

                if step == 0:
                    part_xf = ttl.copy(parts[node, :, :], part_blk)
                    part_xf.wait()
                else:
                    net.if_dst(receive)

                if step < nodes - 1:
                    net.if_src(send)

    @ttl.datamovement()
    def write():
        for step in range(nodes):
            origin = (node - step) % nodes
            with part_dfb.wait() as part_blk:
                xf = ttl.copy(part_blk, gathered[node, origin, :, :])
                xf.wait()


def to_device(tensor: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


torch.manual_seed(0)
parts = torch.randn(NODES, ROW_TILES * 32, COL_TILES * 32).bfloat16()
gathered = to_device(torch.zeros(NODES, NODES, ROW_TILES * 32, COL_TILES * 32))
ring_all_gather(to_device(parts), gathered)

# Data only moves: nothing may differ.
compare("ring all-gather", ttnn.to_torch(gathered), parts[None].expand(NODES, -1, -1, -1))
ttnn.close_device(device)
