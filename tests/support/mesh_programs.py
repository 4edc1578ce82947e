"""Small programs over several chips, as text: what they send, and to whom, is what differs."""

from __future__ import annotations

from ttl.host.importer import install

install()

_HEAD = """\
import torch
import ttl
import ttnn

ROWS, COLUMNS = {mesh}
X, Y = {grid}
CHIPS = ROWS * COLUMNS


def whole(tensor, device):
    return ttnn.from_torch(
        tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, mesh_mapper=ttnn.ShardTensorToMesh(device, dim=0)
    )

"""
_TAIL = """

mesh = ttnn.open_mesh_device(ttnn.MeshShape(ROWS, COLUMNS))
torch.manual_seed(1)
given = torch.randn(CHIPS * {tiles} * 32, {wide} * 32).bfloat16()
x = whole(given, mesh)
y = whole(torch.zeros(CHIPS * {left} * 32, {wide} * 32), mesh)
{name}(x, y)
result = ttnn.to_torch(y, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0)).float().reshape(CHIPS, {left} * 32, {wide} * 32)
parts = given.float().reshape(CHIPS, {tiles} * 32, {wide} * 32)
expected = {expected}
assert torch.equal(result, expected), (result - expected).abs().max()
ttnn.close_mesh_device(mesh)
"""

# Blocks, one after the other, over all pipes of ``net``.
_STREAM = """
@ttl.operation(grid=(ROWS, COLUMNS, X, Y))
def {name}(x, y):
    chips = [(number // COLUMNS, number % COLUMNS) for number in range(CHIPS)]
    net = ttl.PipeNet([{pipes}])
    out_dfb = ttl.make_dataflow_buffer_like(x, shape=({block}, 1))
    in_dfb = ttl.make_dataflow_buffer_like(y, shape=({block}, 1))
    nx, ny = ttl.node(dims=4)[2:]

    @ttl.datamovement()
    def read():
        def send(pipe):
            for turn in range({turns}):
                with out_dfb.reserve() as out:
                    ttl.copy(x[turn * {block} : (turn + 1) * {block}, {column}], out).wait()
                with out_dfb.wait() as out:
                    ttl.copy(out, pipe).wait()
            # sent

        net.if_src(send)

    @ttl.datamovement()
    def write():
        def receive(pipe):
            for turn in range({turns}):
                with in_dfb.reserve() as came:
                    ttl.copy(pipe, came).wait()
                with in_dfb.wait() as came:
                    ttl.copy(came, y[turn * {block} : (turn + 1) * {block}, nx * Y + ny : nx * Y + ny + 1]).wait()

        net.if_dst(receive)
"""


def shift(mesh: tuple[int, int], grid: tuple[int, int] = (1, 1), *, block: int = 1) -> str:
    """Every chip sends its blocks of tiles, one after the other, to the next one, and the last one to the first."""
    pipes = """
        ttl.Pipe(src=(*chips[number], nx, ny), dst=(*chips[(number + 1) % CHIPS], nx, ny))
        for number in range(CHIPS) for nx in range(X) for ny in range(Y)
    """
    body = _STREAM.replace("{pipes}", pipes).replace("{column}", "nx * Y + ny : nx * Y + ny + 1")
    return _program(body, "shift", mesh, grid, block=block, turns=2, expected="parts.roll(1, 0)")


def broadcast(
    mesh: tuple[int, int], grid: tuple[int, int] = (1, 1), *, block: int = 1, turns: int = 2
) -> str:
    """One pipe from the first node of the first chip to all nodes of all chips, its own among them."""
    to = "slice(0, ROWS), slice(0, COLUMNS), slice(0, X), slice(0, Y)"
    body = _STREAM.replace("{pipes}", f"ttl.Pipe(src=(0, 0, 0, 0), dst=({to}))").replace("{column}", "0:1")
    expected = "parts[:1, :, :32].repeat(CHIPS, 1, X * Y)"
    return _program(body, "broadcast", mesh, grid, block=block, turns=turns, expected=expected)


_LATER = """\
for turn in range(32):
                with kept_dfb.reserve() as kept:
                    ttl.copy(x[turn % {turns}, 0], kept).wait()
                with kept_dfb.wait() as kept:
                    ttl.copy(kept, y[turn % {turns}, 0]).wait()"""


def late(columns: int, *, turns: int) -> str:
    """The first chip of a line sends to all others, and works on long after its messages are received."""
    to = "1" if columns == 2 else f"slice(1, {columns})"
    body = _STREAM.replace("{pipes}", f"ttl.Pipe(src=(0, 0, 0, 0), dst=(0, {to}, 0, 0))").replace(
        "# sent", _LATER
    )
    kept = "    kept_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))\n    nx, ny ="
    body = body.replace("{column}", "0:1").replace("    nx, ny =", kept)
    expected = "parts[:1].repeat(CHIPS, 1, 1)"
    return _program(body, "late", (1, columns), (1, 1), block=1, turns=turns, expected=expected)


_RELAY = """
@ttl.operation(grid=(ROWS, COLUMNS, 2, 1))
def relay(x, y):
    \"\"\"The first node of every chip gets the blocks of the chip before, and hands them to the second one, which writes them.\"\"\"
    chips = [(number // COLUMNS, number % COLUMNS) for number in range(CHIPS)]
    net = ttl.PipeNet([ttl.Pipe(src=(*chips[number], 0, 0), dst=(*chips[(number + 1) % CHIPS], 0, 0)) for number in range(CHIPS)])
    beside = ttl.PipeNet([ttl.Pipe(src=(*chip, 0, 0), dst=(*chip, 1, 0)) for chip in chips])
    out_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    came_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    in_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=1)
    nx = ttl.node(dims=4)[2]

    @ttl.datamovement()
    def read():
        if nx == 0:
            for turn in range({turns}):
                with out_dfb.reserve() as out:
                    ttl.copy(x[turn, 0], out).wait()
                with out_dfb.wait() as out:
                    net.if_src(lambda pipe: ttl.copy(out, pipe).wait())
        else:
            for turn in range({turns}):
                with in_dfb.wait() as came:
                    ttl.copy(came, y[turn, 0]).wait()

    @ttl.datamovement()
    def hand():
        for turn in range({turns}):
            if nx == 0:
                with came_dfb.reserve() as came:
                    net.if_dst(lambda pipe: ttl.copy(pipe, came).wait())
                with came_dfb.wait() as came:
                    beside.if_src(lambda pipe: ttl.copy(came, pipe).wait())
            else:
                with in_dfb.reserve() as came:
                    beside.if_dst(lambda pipe: ttl.copy(pipe, came).wait())
"""


def relay(mesh: tuple[int, int]) -> str:
    """Every chip sends its blocks to the next one, where they go from node to node."""
    return _program(_RELAY, "relay", mesh, (1, 1), block=1, turns=5, expected="parts.roll(1, 0)")


_GATHER = """
@ttl.operation(grid=(ROWS, COLUMNS, X, Y))
def gather(x, y):
    chips = [(number // COLUMNS, number % COLUMNS) for number in range(CHIPS)]
    net = ttl.PipeNet([
        ttl.Pipe(src=(*one, 0, 0), dst=(*other, 0, 0)) for one in chips for other in chips if one != other
    ])
    out_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    in_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    row, column = ttl.node(dims=4)[:2]

    @ttl.datamovement()
    def move():
        with out_dfb.reserve() as out:
            ttl.copy(x[0, 0], out).wait()
        with out_dfb.wait() as out:
            ttl.copy(out, y[row * COLUMNS + column, 0]).wait()

            def send(pipe):
                ttl.copy(out, pipe).wait()

            net.if_src(send)

        def receive(pipe):
            with in_dfb.reserve() as came:
                ttl.copy(pipe, came).wait()
            with in_dfb.wait() as came:
                ttl.copy(came, y[pipe.src[0] * COLUMNS + pipe.src[1], 0]).wait()

        net.if_dst(receive)
"""


def gather(mesh: tuple[int, int]) -> str:
    """Every chip sends to every other one."""
    expected = "parts.reshape(1, CHIPS * 32, 32).repeat(CHIPS, 1, 1)"
    return _program(_GATHER, "gather", mesh, (1, 1), block=1, turns=1, expected=expected, left="CHIPS")


_SEMAPHORES = """
@ttl.operation(grid=(ROWS, COLUMNS, X, Y))
def signals(x, y):
    \"\"\"Chips write their block one after the other: each is told by the one before, and the last one tells the first.\"\"\"
    turn = ttl.Semaphore()
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    row, column, nx, ny = ttl.node(dims=4)
    after = (row * COLUMNS + column + 1) % CHIPS

    @ttl.datamovement()
    def read():
        with dfb.reserve() as blk:
            ttl.copy(x[0, 0], blk).wait()

    @ttl.datamovement()
    def write():
        if row + column > 0:
            turn.wait_ge(1)
        with dfb.wait() as blk:
            ttl.copy(blk, y[0, 0]).wait()
        turn.get_remote((after // COLUMNS, after % COLUMNS, 0, 0)).{change}(1)
        if row + column == 0:
            turn.wait_ge(1)
"""


def signals(mesh: tuple[int, int], *, change: str = "inc") -> str:
    """Semaphores of other chips: ``change`` is ``inc`` or ``set``."""
    return _program(
        _SEMAPHORES.replace("{change}", change), "signals", mesh, (1, 1), block=1, turns=1, expected="parts"
    )


_START = """
@ttl.operation(grid=(ROWS, COLUMNS, X, Y))
def start(x, y):
    \"\"\"The first node of the first chip lets all nodes of some chips begin, when it has read its block.\"\"\"
    go = ttl.Semaphore()
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    row, column, nx, ny = ttl.node(dims=4)

    @ttl.datamovement()
    def read():
        with dfb.reserve() as blk:
            ttl.copy(x[0, nx * Y + ny], blk).wait()
        if row + column + nx + ny == 0:
            go.get_remote_multicast({range}).set(1)

    @ttl.datamovement()
    def write():
        if {waits}:
            go.wait_eq(1)
        with dfb.wait() as blk:
            ttl.copy(blk, y[0, nx * Y + ny]).wait()
"""


def start(
    mesh: tuple[int, int],
    grid: tuple[int, int] = (1, 1),
    *,
    of: str = "",
    waits: str = "row + column + nx + ny >= 0",
) -> str:
    """One node sets a semaphore of all nodes, or of a range ``of`` them."""
    text = _START.replace("{range}", of).replace("{waits}", waits)
    return _program(text, "start", mesh, grid, block=1, turns=1, expected="parts")


_DOMAIN = """
domain = ttl.DeviceDomain((2, 2))
NEXT = [1, 3, 0, 2]
ring = ttl.PipeNet(graph=ttl.TransferGraph.edges(domain, [((0, 0), (0, 1)), ((0, 1), (1, 1)), ((1, 1), (1, 0)), ((1, 0), (0, 0))]))


@ttl.operation(grid=(X, Y), device_domain=domain)
def next_chip(x, y):
    out_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    in_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    nx, ny = ttl.node()

    @ttl.datamovement()
    def send():
        with out_dfb.reserve() as blk:
            ttl.copy(x[0, nx], blk).wait()
        with out_dfb.wait() as blk:
            def pass_on(pipe):
                ttl.copy(blk, pipe).wait()
                ttl.copy(blk, y[pipe.destination_device_index, nx]).wait()

            ring.if_src(pass_on)

    @ttl.datamovement()
    def receive():
        def take(pipe):
            with in_dfb.reserve() as blk:
                ttl.copy(pipe, blk).wait()
            with in_dfb.wait() as blk:
                ttl.copy(blk, y[pipe.source_device_index, nx]).wait()

        ring.if_dst(take)
"""


def domain() -> str:
    """A net over a graph of a domain of chips: each gets the block of the one before it, at its place, and keeps its own at that of the next one."""
    row = "parts[chip] if NEXT[chip] == at else parts[at] if NEXT[at] == chip else 0 * parts[at]"
    expected = f"torch.stack([torch.cat([{row} for at in range(4)]) for chip in range(4)])"
    return _program(_DOMAIN, "next_chip", (2, 2), (2, 1), block=1, turns=1, expected=expected, left="CHIPS")


def _program(
    body: str,
    name: str,
    mesh: tuple[int, int],
    grid: tuple[int, int],
    *,
    block: int,
    turns: int,
    expected: str,
    left: str = "",
) -> str:
    numbers = {
        "{mesh}": str(mesh), "{grid}": str(grid), "{block}": str(block), "{turns}": str(turns), "{name}": name,
        "{tiles}": str(block * turns), "{left}": left or str(block * turns), "{wide}": str(grid[0] * grid[1]), "{expected}": expected,
    }  # fmt: skip
    text = _HEAD + body + _TAIL
    for key, value in numbers.items():
        text = text.replace(key, value)
    return text
