"""Programs of growing size, as text: what the growth of checking, compiling and emulation is measured of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

_HEAD = """import ttl
import ttnn

"""
_CALL = """
x = ttnn.ones((64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((ROWS, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
NAME(x, y)
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Series:
    """Programs with more and more of something. ``text`` makes the one with so many."""

    name: str
    title: str
    text: Callable[[int], str]
    sizes: tuple[int, ...]
    emulated: tuple[int, ...]
    """Sizes for the emulated chip, whose kernels have to be compiled as C++ first."""


def _operation(
    name: str, reader: str, compute: str, writer: str, *, grid: str = "(1, 1)", before: str = ""
) -> str:
    def body(text: str) -> str:
        return "\n".join(f"        {line}" for line in text.splitlines())

    return f"""
@ttl.operation(grid={grid})
def {name}(x, y):
    node = ttl.node(dims=1)
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
{"".join(f"    {line}{chr(10)}" for line in before.splitlines())}
    @ttl.datamovement()
    def read():
{body(reader)}

    @ttl.compute()
    def compute():
{body(compute)}

    @ttl.datamovement()
    def write():
{body(writer)}
"""


def _program(operation: str, *, rows: int, name: str = "grown") -> str:
    return _HEAD + operation + _CALL.replace("ROWS", str(32 * rows)).replace("NAME", name)


_READ = "with x_dfb.reserve() as x_blk:\n    ttl.copy(x[0, 0], x_blk).wait()"


def _written(count: int, row: str = "row") -> str:
    return f"for row in range({count}):\n    with y_dfb.wait() as y_blk:\n        ttl.copy(y_blk, y[{row}, 0]).wait()"


def statements(count: int) -> str:
    """One kernel of so many stores, each with a sum and a broadcast."""
    stores = "\n".join(
        "    with y_dfb.reserve() as y_blk:\n"
        f"        sums = ttl.math.reduce_sum(ttl.math.exp(x_blk * {number + 1}), dims=[1])\n"
        "        y_blk.store(x_blk + ttl.block.broadcast(sums, dims=[1], shape=(1, 1)))"
        for number in range(count)
    )
    return _program(
        _operation("grown", _READ, f"with x_dfb.wait() as x_blk:\n{stores}", _written(count)), rows=count
    )


def branches(count: int) -> str:
    """One kernel of so many branches on the node, one after the other, whose values cannot be one."""
    chosen = "\n".join(
        f'if node == {number}:\n    side_{number} = "left"\nelse:\n    side_{number} = "right"'
        for number in range(count)
    )
    compute = f"{chosen}\nwith x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:\n    y_blk.store(x_blk)"
    return _program(_operation("grown", _READ, compute, _written(1), grid="(8, 8)"), rows=1)


def buffers(count: int) -> str:
    """One operation of so many dataflow buffers."""
    made = "\n".join(
        f"b{number} = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=1)"
        for number in range(count)
    )
    read = "\n".join(
        f"with b{number}.reserve() as blk:\n    ttl.copy(x[0, 0], blk).wait()" for number in range(count)
    )
    compute = "\n".join(
        f"with b{number}.wait() as blk, y_dfb.reserve() as y_blk:\n    y_blk.store(blk * 2)"
        for number in range(count)
    )
    # The buffer of the others' is used, too.
    read, compute = (
        f"{_READ}\n{read}",
        f"with x_dfb.wait() as blk, y_dfb.reserve() as y_blk:\n    y_blk.store(blk)\n{compute}",
    )
    return _program(_operation("grown", read, compute, _written(count + 1), before=made), rows=count + 1)


def _grid(count: int) -> tuple[int, int]:
    columns = min(count, 8)
    return columns, count // columns


def pipes(count: int) -> str:
    """A ring of so many pipes, on as many nodes."""
    columns, rows = _grid(count)
    ring = [(number // rows, number % rows) for number in range(count)]
    ends = ", ".join(f"ttl.Pipe({ring[number]}, {ring[(number + 1) % count]})" for number in range(count))
    read = (
        "with x_dfb.reserve() as x_blk:\n"
        "    ttl.copy(x[0, 0], x_blk).wait()\n"
        "    def send(pipe):\n        ttl.copy(x_blk, pipe).wait()\n"
        "    net.if_src(send)\n"
        "def receive(pipe):\n    with got_dfb.reserve() as got:\n        ttl.copy(pipe, got).wait()\n"
        "net.if_dst(receive)"
    )
    compute = (
        "with x_dfb.wait() as x_blk, got_dfb.wait() as got, y_dfb.reserve() as y_blk:\n"
        "    y_blk.store(x_blk + got)"
    )
    before = f"net = ttl.PipeNet([{ends}])\ngot_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))"
    operation = _operation(
        "grown", read, compute, _written(1, "node"), grid=str((columns, rows)), before=before
    )
    return _program(operation, rows=count)


def nodes(count: int) -> str:
    """Four blocks on each of so many nodes."""
    read = (
        "for i in range(4):\n    with x_dfb.reserve() as x_blk:\n        ttl.copy(x[0, i % 2], x_blk).wait()"
    )
    compute = (
        "for i in range(4):\n    with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:\n"
        "        y_blk.store(x_blk * 2)"
    )
    operation = _operation("grown", read, compute, _written(4, "4 * node + row"), grid=str(_grid(count)))
    return _program(operation, rows=4 * count)


def operations(count: int) -> str:
    """A file of so many operations, each called."""
    compute = "with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:\n    y_blk.store(x_blk * 2)"
    text = _HEAD + "".join(
        _operation(f"grown_{number}", _READ, compute, _written(1)) for number in range(count)
    )
    call = _CALL.replace("ROWS", "32")
    head, _, last = call.rpartition("NAME(x, y)")
    return text + head + "\n".join(f"grown_{number}(x, y)" for number in range(count)) + last


def _series(
    text: Callable[[int], str], title: str, sizes: tuple[int, ...], emulated: tuple[int, ...] | None = None
) -> Series:
    return Series(name=text.__name__, title=title, text=text, sizes=sizes, emulated=emulated or sizes)


SERIES = (
    _series(
        statements, "stores with a sum and a broadcast, in one kernel", (16, 32, 64, 128), (4, 8, 16, 32)
    ),
    _series(branches, "branches on the node, in one kernel", (16, 32, 64, 128)),
    _series(buffers, "dataflow buffers (a node has 32)", (4, 8, 16, 30)),
    _series(pipes, "pipes of a ring, and nodes", (8, 16, 32, 64)),
    _series(nodes, "nodes, four blocks each", (8, 16, 32, 64)),
    _series(operations, "operations in a file", (8, 16, 32, 64), (2, 4, 8, 16)),
)
