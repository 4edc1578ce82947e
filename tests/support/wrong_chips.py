"""Programs over several chips that are wrong, one mistake each: what is said about them, and by whom."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import indent


@dataclass(frozen=True, kw_only=True)
class Wrong:
    """A program, the mesh it is called on, and what is said: a code, words of the message or its notes, who says it."""

    text: str
    mesh: tuple[int, int] = (1, 2)
    code: str
    words: tuple[str, ...] = ("chip (0, ",)
    rows: int = 64
    columns: int = 8


BUFFERS = """
out_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
r, c, i, j = ttl.node(dims=4)
"""
RING = "net = ttl.PipeNet([ttl.Pipe(src=(0, k, 0, 0), dst=(0, (k + 1) % N, 0, 0)) for k in range(N)])\n"
LINE = "net = ttl.PipeNet([ttl.Pipe(src=(0, k, 0, 0), dst=(0, k + 1, 0, 0)) for k in range(N - 1)])\n"
# A chip's block, sent; and one received, with another name of the net where there are several.
SEND = """
with out_dfb.reserve() as out_blk:
    ttl.copy(a[0, 0], out_blk).wait()
    net.if_src(lambda pipe: ttl.copy(out_blk, pipe).wait())
with out_dfb.wait() as own_blk:
    ttl.copy(own_blk, y[0, 0]).wait()
"""
RECEIVE = """
def receive(pipe):
    with in_dfb.reserve() as in_blk:
        ttl.copy(pipe, in_blk).wait()
    with in_dfb.wait() as in_blk:
        ttl.copy(in_blk, y[1, 0]).wait()
net.if_dst(receive)
"""
TAKE = """
def take(pipe):
    with in_dfb.reserve() as in_blk:
        ttl.copy(pipe, in_blk).wait()
net.if_dst(take)
"""


def loop(count: str, body: str) -> str:
    """The lines of a body in a loop."""
    return f"for k in range({count}):\n" + indent(body, "    ")


def when(condition: str, body: str, other: str = "") -> str:
    """The lines of a body under a condition, others otherwise."""
    text = f"if {condition}:\n" + indent(body, "    ")
    return text + (f"else:\n{indent(other, '    ')}" if other else "")


def net(name: str, body: str) -> str:
    """Lines of a body for a net, and for buffers, of another name."""
    return body.replace("net.", f"{name}.").replace("receive", f"receive_{name}")


def over(grid: str, shared: str, read: str, write: str = "", compute: str = "", chips: int = 2) -> str:
    """A program with these lines before the kernels and in them."""
    kernels = [
        ("datamovement", "read", read),
        ("compute", "compute", compute),
        ("datamovement", "write", write),
    ]
    text = f"import ttl\nimport ttnn\nN = {chips}\n\n\n@ttl.operation(grid={grid})\ndef op(a, y):\n"
    text += indent(BUFFERS + shared, "    ")
    for kind, name, body in kernels:
        if body:
            text += f"\n    @ttl.{kind}()\n    def {name}():\n" + indent(body.strip("\n") + "\n", "        ")
    return text


def over_domain(graph: str, read: str, write: str = "", chips: int = 3) -> str:
    """A program over a device domain of chips in a row, whose net is over a graph, with these lines in its kernels."""
    text = f"import ttl\nN = {chips}\ndomain = ttl.DeviceDomain(N)\nnet = ttl.PipeNet(graph=ttl.TransferGraph.{graph})\n"
    text += "\n\n@ttl.operation(grid=(1, 1), device_domain=domain)\ndef op(a, y):\n"
    text += indent("\n".join(BUFFERS.splitlines()[:3]) + "\n", "    ")
    for name, body in (("read", read), ("write", write)):
        if body:
            text += f"\n    @ttl.datamovement()\n    def {name}():\n" + indent(
                body.strip("\n") + "\n", "        "
            )
    return text


ROW = "(1, N, 1, 1)"
SEMAPHORE = "go = ttl.Semaphore()\nnext_go = go.get_remote((0, (c + 1) % N, 0, 0))\n"
MULTICAST = "net = ttl.PipeNet([ttl.Pipe(src=(0, 0, 0, 0), dst=(0, slice(1, N), 0, 0))])\n"
TWO_NETS = RING.replace("net", "first") + RING.replace("net", "second").replace("k + 1", "k - 1")
BIG_DFB = "wide_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2))\n"

WRONG: dict[str, Wrong] = {
    # --- counts -------------------------------------------------------------------------------------------
    "sent twice, received once": Wrong(
        text=over(ROW, RING, loop("2", SEND) + RECEIVE), code="TTL0919", words=("chip (0, 0)", "chip (0, 1)")
    ),
    "received twice, sent once": Wrong(
        text=over(ROW, RING, SEND + loop("2", RECEIVE)), code="TTL0918", words=("chip (0, 0)", "chip (0, 1)")
    ),
    "one chip sends once less than it is received": Wrong(
        text=over(ROW, RING, loop("3 - (c == 1)", SEND), loop("3", RECEIVE)),
        code="TTL0918",
        words=("chip (0, 0)",),
    ),
    "a gather of N steps in which the last chip makes N - 1": Wrong(
        text=over(ROW, RING, loop("N - (c == N - 1)", SEND + RECEIVE), chips=4),
        mesh=(1, 4),
        code="TTL0918",
        words=("chip (0, 3)",),
    ),
    "the first chip of a line sends nothing": Wrong(
        text=over(ROW, LINE, when("c > 0", SEND) + RECEIVE, chips=3),
        mesh=(1, 3),
        code="TTL0918",
        words=("chip (0, 0)", "chip (0, 1)"),
    ),
    "nobody receives": Wrong(text=over(ROW, RING, SEND), code="TTL0903"),
    "nobody sends": Wrong(text=over(ROW, RING, RECEIVE), code="TTL0918"),
    "a broadcast that one chip does not receive": Wrong(
        text=over(ROW, MULTICAST, SEND + when("c != 2", RECEIVE), chips=4),
        mesh=(1, 4),
        code="TTL0903",
        words=("chip (0, 2)",),
    ),
    "two broadcasts of which the chips receive one": Wrong(
        text=over(ROW, MULTICAST, loop("2", SEND) + RECEIVE, chips=4),
        mesh=(1, 4),
        code="TTL0903",
    ),
    "a gather that the root receives from all but one": Wrong(
        text=over(
            ROW,
            "net = ttl.PipeNet([ttl.Pipe(src=(0, k, 0, 0), dst=(0, 0, 0, 0)) for k in range(1, N)])\n",
            when("c != 3", SEND) + RECEIVE,
            chips=4,
        ),
        mesh=(1, 4),
        code="TTL0918",
        words=("chip (0, 3)", "chip (0, 0)"),
    ),
    "blocks of a neighbour that the boundary chip has not got": Wrong(
        text=over(
            ROW, LINE, SEND + TAKE, "with in_dfb.wait() as in_blk:\n    ttl.copy(in_blk, y[1, 0]).wait()\n"
        ),
        code="TTL0911",
        words=("chip (0, 0)",),
    ),
    # --- orders -------------------------------------------------------------------------------------------
    "a ring in which every chip receives first": Wrong(
        text=over(ROW, RING, RECEIVE + SEND), code="TTL0917", words=("chip (0, 0)", "chip (0, 1)")
    ),
    "a ring of a mesh in which every chip receives first": Wrong(
        text=over(
            "(2, 2, 1, 1)",
            "ring = ((0, 0), (0, 1), (1, 1), (1, 0))\n"
            "net = ttl.PipeNet([ttl.Pipe(src=(*ring[k], 0, 0), dst=(*ring[(k + 1) % 4], 0, 0)) for k in range(4)])\n",
            RECEIVE + SEND,
        ),
        mesh=(2, 2),
        code="TTL0917",
        words=("chip (0, 0)", "chip (1, 1)"),
    ),
    "two exchanges in opposite orders on two chips": Wrong(
        text=over(
            ROW,
            TWO_NETS,
            when(
                "c == 0",
                net("first", RECEIVE) + net("first", SEND),
                net("second", RECEIVE) + net("second", SEND),
            )
            + when(
                "c == 0",
                net("second", SEND) + net("second", RECEIVE),
                net("first", SEND) + net("first", RECEIVE),
            ),
        ),
        code="TTL0917",
        words=("chip (0, 0)", "chip (0, 1)", "use first and second in the same order"),
    ),
    "two collectives in opposite orders on the chips of a ring": Wrong(
        text=over(
            ROW,
            TWO_NETS,
            when(
                "c % 2 == 0",
                net("first", loop("3", SEND + RECEIVE)) + net("second", loop("3", SEND + RECEIVE)),
                net("second", loop("3", SEND + RECEIVE)) + net("first", loop("3", SEND + RECEIVE)),
            ),
            chips=4,
        ),
        mesh=(1, 4),
        code="TTL0917",
        words=("chip (0, 0)", "chip (0, 1)"),
    ),
    "a reduction of rows and columns that every other chip begins with columns": Wrong(
        text=over(
            "(2, 2, 1, 1)",
            "ALL = [(k, m) for k in range(2) for m in range(2)]\n"
            "along = ttl.PipeNet([ttl.Pipe(src=(k, m, 0, 0), dst=(k, 1 - m, 0, 0)) for k, m in ALL])\n"
            "down = ttl.PipeNet([ttl.Pipe(src=(k, m, 0, 0), dst=(1 - k, m, 0, 0)) for k, m in ALL])\n",
            when(
                "(r + c) % 2 == 0",
                net("along", SEND + RECEIVE) + net("down", SEND + RECEIVE),
                net("down", SEND + RECEIVE) + net("along", SEND + RECEIVE),
            ),
        ),
        mesh=(2, 2),
        code="TTL0917",
        words=("chip (0, 0)", "chip (1, 1)", "use along and down in the same order on all of them"),
    ),
    "a semaphore that is waited for before the message that it comes after": Wrong(
        text=over(
            ROW,
            LINE + "done = ttl.Semaphore()\nback = done.get_remote((0, 0, 0, 0))\n",
            when("c == 0", "done.wait_ge(1)\n" + SEND, RECEIVE + "back.inc(1)\n"),
        ),
        code="TTL0917",
        words=("chip (0, 0)", "chip (0, 1)"),
    ),
    "a barrier of semaphores in two orders": Wrong(
        text=over(
            ROW,
            "one = ttl.Semaphore()\ntwo = ttl.Semaphore()\nfar_one = one.get_remote((0, 1 - c, 0, 0))\nfar_two = two.get_remote((0, 1 - c, 0, 0))\n",
            when("c == 0", "one.wait_ge(1)\nfar_two.inc(1)\n", "two.wait_ge(1)\nfar_one.inc(1)\n"),
        ),
        code="TTL0917",
        words=("chip (0, 0)", "chip (0, 1)"),
    ),
    # --- credits ------------------------------------------------------------------------------------------
    "a gather in a buffer of one block: no room for what comes": Wrong(
        text=over(
            ROW,
            RING + "one_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)\n",
            "with one_dfb.reserve() as blk:\n    ttl.copy(a[0, 0], blk).wait()\n"
            "with one_dfb.wait() as blk:\n    with one_dfb.reserve() as next_blk:\n"
            "        net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())\n        net.if_dst(lambda pipe: ttl.copy(pipe, next_blk).wait())\n",
        ),
        code="TTL0916",
        words=("chip (0, 0)",),
    ),
    "a receiver that never gives its block back": Wrong(
        text=over(ROW, LINE, loop("4", SEND), loop("4", TAKE)),
        code="TTL0914",
        words=("chip (0, 1)",),
    ),
    "a credit that is given once for two messages": Wrong(
        text=over(
            ROW,
            LINE + "credit = ttl.Semaphore(1)\nback = credit.get_remote((0, 0, 0, 0))\n",
            when(
                "c == 0",
                loop("3", "credit.wait_ge(k + 1)\n" + SEND),
                loop("3", RECEIVE + "if k == 0:\n    back.inc(1)\n"),
            ),
        ),
        code="TTL0920",
        words=("chip (0, 0)",),
    ),
    # --- semaphores ---------------------------------------------------------------------------------------
    "an increment on the wrong chip": Wrong(
        text=over(
            ROW,
            "go = ttl.Semaphore()\nfar = go.get_remote((0, 2, 0, 0))\n",
            when("c == 0", "far.inc(1)\n") + when("c == 1", "go.wait_ge(1)\n"),
            chips=3,
        ),
        mesh=(1, 3),
        code="TTL0920",
        words=("chip (0, 1)",),
    ),
    "a wait for as many increments as there are chips": Wrong(
        text=over(
            ROW,
            "go = ttl.Semaphore()\nroot = go.get_remote((0, 0, 0, 0))\n",
            when("c == 0", "go.wait_eq(N)\n", "root.inc(1)\n"),
            chips=4,
        ),
        mesh=(1, 4),
        code="TTL0920",
        words=("chip (0, 0)",),
    ),
    "a wait for the semaphore of another chip": Wrong(
        text=over(ROW, SEMAPHORE, "next_go.wait_ge(1)\n"),
        code="TTL0224",
        words=("it has inc, set",),
    ),
    "an increment on all chips at once": Wrong(
        text=over(
            ROW,
            "go = ttl.Semaphore()\nall_go = go.get_remote_multicast()\n",
            "all_go.inc(1)\ngo.wait_ge(1)\n",
        ),
        code="TTL0701",
        words=("for each node",),
    ),
    "a semaphore beyond the mesh": Wrong(
        text=over(
            ROW,
            "go = ttl.Semaphore()\nnext_go = go.get_remote((0, c + 1, 0, 0))\n",
            "next_go.inc(1)\ngo.wait_ge(1)\n",
        ),
        code="TTL0603",
        words=("no chip (0, 2)",),
    ),
    "semaphores of a range beyond the mesh": Wrong(
        text=over(
            ROW,
            "go = ttl.Semaphore()\nothers = go.get_remote_multicast((0, slice(1, N + 1), 0, 0))\n",
            when("c == 0", "others.set(1)\n"),
        ),
        code="TTL0603",
        words=("no chip (0, slice(1, 3))",),
    ),
    # --- places -------------------------------------------------------------------------------------------
    "a wrap that is no wrap": Wrong(
        text=over(ROW, RING.replace(" % N", "").replace("(k + 1)", "k + 1"), SEND + RECEIVE),
        code="TTL0603",
        words=("no chip (0, 2)",),
    ),
    "a pipe from a chip that is not there": Wrong(
        text=over(ROW, RING.replace("src=(0, k", "src=(1, k"), SEND + RECEIVE),
        code="TTL0603",
        words=("no chip (1, 0)",),
    ),
    "a broadcast over more rows of chips than there are": Wrong(
        text=over(ROW, MULTICAST.replace("dst=(0,", "dst=(slice(0, 2),"), SEND + RECEIVE),
        code="TTL0603",
        words=("no chip (slice(0, 2), slice(1, 2))",),
    ),
    "three coordinates that mean another chip": Wrong(
        text=over(
            "(2, 2, 2, 2)", "net = ttl.PipeNet([ttl.Pipe(src=(0, 0, 0), dst=(0, 2, 1))])\n", SEND + RECEIVE
        ),
        mesh=(2, 2),
        code="TTL0603",
        words=("(0, 2, 1) is outside",),
    ),
    "a node that its chip has not got": Wrong(
        text=over("(1, N, 2, 2)", RING.replace("% N, 0, 0)", "% N, 2, 0)"), SEND + RECEIVE),
        code="TTL0603",
        words=("a chip has 2 x 2 nodes, and no node (2, 0)",),
    ),
    "more chips than the mesh has": Wrong(
        text=over("(2, N, 1, 1)", RING, SEND + RECEIVE),
        code="TTL0221",
        words=("spans 4 devices", "a mesh of 2"),
    ),
    "more nodes than a chip has": Wrong(
        text=over("(1, N, 16, 16)", RING, SEND + RECEIVE),
        code="TTL0220",
        words=("larger than the device's",),
    ),
    # --- what is sent -------------------------------------------------------------------------------------
    "a block of two tiles into one of one": Wrong(
        text=over(
            ROW,
            RING + BIG_DFB,
            SEND.replace("out_dfb", "wide_dfb")
            .replace("a[0, 0]", "y[2, 0:2]")
            .replace("y[0, 0]", "y[0, 0:2]")
            + RECEIVE,
        ),
        code="TTL0611",
        words=("chip (0, 0)",),
    ),
    "bfloat16 into float32": Wrong(
        text=over(
            ROW,
            RING + "f_dfb = ttl.make_dfb('float32', (1, 1))\n",
            SEND + RECEIVE.replace("in_dfb", "f_dfb").replace("ttl.copy(in_blk, y[1, 0]).wait()", "pass"),
        ),
        code="TTL0611",
        words=("chip (0, 0)",),
    ),
    # --- shards -------------------------------------------------------------------------------------------
    "a shard indexed by the number of the chip": Wrong(
        text=over(ROW, RING, SEND.replace("a[0, 0]", "a[c, 0]") + RECEIVE),
        code="TTL0507",
        words=("chip (0, 1)",),
    ),
    "a result with no row for every chip": Wrong(
        text=over(ROW, RING, SEND + RECEIVE.replace("y[1, 0]", "y[c + 1, 0]"), chips=4),
        mesh=(1, 4),
        rows=3,
        code="TTL0507",
        words=("chip (0, 2)",),
    ),
    # --- over graphs --------------------------------------------------------------------------------------
    "a ring over a graph in which every chip receives first": Wrong(
        text=over_domain("axis_neighbor(domain, wrap=True)", RECEIVE + SEND),
        mesh=(1, 3),
        code="TTL0917",
        words=("chip 0, node (0, 0)", "chip 2, node (0, 0)"),
    ),
    "a ring that is a line, and its first chip waits": Wrong(
        text=over_domain(
            "axis_neighbor(domain)",
            SEND + TAKE,
            "with in_dfb.wait() as in_blk:\n    ttl.copy(in_blk, y[1, 0]).wait()\n",
        ),
        mesh=(1, 3),
        code="TTL0911",
        words=("write on chip 0, node (0, 0)",),
    ),
    "a gather over a graph to which one chip sends nothing": Wrong(
        text=over_domain(
            "gather(domain, ttl.DeviceRef(0))",
            "if not domain.is_current(ttl.DeviceRef(2)):\n" + indent(SEND, "    ") + RECEIVE,
        ),
        mesh=(1, 3),
        code="TTL0918",
        words=("chip 0, node (0, 0)", "chip 2, node (0, 0)"),
    ),
    "a scatter over a graph of which one chip takes nothing": Wrong(
        text=over_domain(
            "scatter(domain, ttl.DeviceRef(0))",
            SEND + "if not domain.is_current(ttl.DeviceRef(1)):\n" + indent(RECEIVE, "    "),
        ),
        mesh=(1, 3),
        code="TTL0903",
        words=("chip 1, node (0, 0)",),
    ),
    "all to all over a graph, once more on one chip": Wrong(
        text=over_domain(
            "all_to_all(domain)",
            SEND + RECEIVE + "if domain.is_current(ttl.DeviceRef(1)):\n" + indent(SEND, "    "),
        ),
        mesh=(1, 3),
        code="TTL0903",
        words=("chip 1, node (0, 0)",),
    ),
    "a shard indexed by the chip's number": Wrong(
        text=over_domain(
            "axis_neighbor(domain, wrap=True)",
            SEND.replace("a[0, 0]", "a[domain.current_index(), 0]") + RECEIVE,
        ),
        mesh=(1, 3),
        code="TTL0507",
        words=("chip 1, node (0, 0)",),
    ),
    # --- orders of accesses -------------------------------------------------------------------------------
    "a read that nothing makes wait for a write by way of another chip": Wrong(
        text=over(
            "(1, N, 2, 1)",
            "go = ttl.Semaphore()\nfar = go.get_remote((0, 1, 0, 0))\n",
            "with out_dfb.reserve() as blk:\n"
            + indent(
                when(
                    "c == 0 and i == 0",
                    "ttl.copy(a[0, 0], blk).wait()\nttl.copy(blk, y[0, 0]).wait()\nfar.inc(1)\n",
                    when(
                        "c == 1 and i == 0",
                        "go.wait_ge(1)\nttl.copy(a[0, 0], blk).wait()\n",
                        "ttl.copy(y[0, 0], blk).wait()\n",
                    ),
                ),
                "    ",
            )
            + "with out_dfb.wait() as blk:\n    ttl.copy(blk, y[1 + i, 1]).wait()\n",
        ),
        code="TTL1101",
        words=("chip (0, 0), node (0, 0)", "chip (0, 0), node (1, 0)"),
    ),
    "two nodes of a chip that write what they got from other chips to one place": Wrong(
        text=over(
            "(1, N, 2, 1)",
            "net = ttl.PipeNet([ttl.Pipe(src=(0, k, x, 0), dst=(0, 1 - k, x, 0)) for k in range(2) for x in range(2)])\n",
            SEND.replace("y[0, 0]", "y[i, 0]") + RECEIVE.replace("y[1, 0]", "y[2, 0]"),
        ),
        code="TTL0906",
        words=("chip (0, 0), node (0, 0)", "chip (0, 0), node (1, 0)"),
    ),
}
