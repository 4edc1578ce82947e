"""Programs over several chips that are wrong, one mistake each: what is said about them, and by whom."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import indent


@dataclass(frozen=True, kw_only=True)
class Wrong:
    """A program, the mesh it is called on, rows of its result in tiles, and what is said: a code, words of the message or its notes."""

    text: str
    mesh: tuple[int, int]
    rows: int
    code: str
    words: tuple[str, ...]


BUFFERS = """
out_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
"""
RING = "net = ttl.PipeNet([ttl.Pipe(src=(0, k, 0, 0), dst=(0, (k + 1) % N, 0, 0)) for k in range(N)])\n"
LINE = "net = ttl.PipeNet([ttl.Pipe(src=(0, k, 0, 0), dst=(0, k + 1, 0, 0)) for k in range(N - 1)])\n"
GATHER = "net = ttl.PipeNet([ttl.Pipe(src=(0, k, 0, 0), dst=(0, 0, 0, 0)) for k in range(1, N)])\n"
MULTICAST = "net = ttl.PipeNet([ttl.Pipe(src=(0, 0, 0, 0), dst=(0, slice(1, N), 0, 0))])\n"
TWO_NETS = RING.replace("net", "first") + RING.replace("net", "second").replace("k + 1", "k - 1")
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
DRAIN = "with in_dfb.wait() as in_blk:\n    ttl.copy(in_blk, y[1, 0]).wait()\n"


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


def over(shared: str, read: str, write: str = "", *, grid: str = "(1, N, 1, 1)", chips: int = 2) -> str:
    """A program with these lines before its two kernels and in them."""
    text = f"import ttl\nimport ttnn\nN = {chips}\n\n\n@ttl.operation(grid={grid})\ndef op(a, y):\n"
    return text + indent(f"{BUFFERS}r, c, i, j = ttl.node(dims=4)\n{shared}", "    ") + _kernels(read, write)


def _kernels(read: str, write: str) -> str:
    return "".join(
        f"\n    @ttl.datamovement()\n    def {name}():\n" + indent(body.strip("\n") + "\n", "        ")
        for name, body in (("read", read), ("write", write))
        if body
    )


def row(
    code: str,
    *words: str,
    shared: str,
    read: str,
    write: str = "",
    grid: str = "(1, N, 1, 1)",
    chips: int = 2,
    mesh: tuple[int, int] | None = None,
    rows: int = 64,
) -> Wrong:
    """A program over a row of chips, or another ``mesh``; without ``words``, some chip is named."""
    text = over(shared, read, write, grid=grid, chips=chips)
    return Wrong(text=text, mesh=mesh or (1, chips), rows=rows, code=code, words=words or ("chip (0, ",))


def graph(code: str, *words: str, of: str, read: str, write: str = "") -> Wrong:
    """A program over a device domain of three chips in a row, whose net is over a graph."""
    text = (
        f"import ttl\nN = 3\ndomain = ttl.DeviceDomain(N)\nnet = ttl.PipeNet(graph=ttl.TransferGraph.{of})\n"
    )
    text += "\n\n@ttl.operation(grid=(1, 1), device_domain=domain)\ndef op(a, y):\n"
    text += indent(BUFFERS, "    ") + _kernels(read, write)
    return Wrong(text=text, mesh=(1, 3), rows=64, code=code, words=words)


WRONG: dict[str, Wrong] = {
    # --- counts -------------------------------------------------------------------------------------------
    "sent twice, received once": row(
        "TTL0919", "chip (0, 0)", "chip (0, 1)", shared=RING, read=loop("2", SEND) + RECEIVE
    ),
    "received twice, sent once": row(
        "TTL0918", "chip (0, 0)", "chip (0, 1)", shared=RING, read=SEND + loop("2", RECEIVE)
    ),
    "one chip sends once less than it is received": row(
        "TTL0918", "chip (0, 0)", shared=RING, read=loop("3 - (c == 1)", SEND), write=loop("3", RECEIVE)
    ),
    "a gather of N steps in which the last chip makes N - 1": row(
        "TTL0918", "chip (0, 3)", shared=RING, read=loop("N - (c == N - 1)", SEND + RECEIVE), chips=4
    ),
    "the first chip of a line sends nothing": row(
        "TTL0918", "chip (0, 0)", "chip (0, 1)", shared=LINE, read=when("c > 0", SEND) + RECEIVE, chips=3
    ),
    "nobody receives": row("TTL0903", shared=RING, read=SEND),
    "nobody sends": row("TTL0918", shared=RING, read=RECEIVE),
    "a broadcast that one chip does not receive": row(
        "TTL0903", "chip (0, 2)", shared=MULTICAST, read=SEND + when("c != 2", RECEIVE), chips=4
    ),
    "two broadcasts of which the chips receive one": row(
        "TTL0903", shared=MULTICAST, read=loop("2", SEND) + RECEIVE, chips=4
    ),
    "a gather that the root receives from all but one": row(
        "TTL0918", "chip (0, 3)", "chip (0, 0)", shared=GATHER, read=when("c != 3", SEND) + RECEIVE, chips=4
    ),
    "blocks of a neighbour that the boundary chip has not got": row(
        "TTL0911", "chip (0, 0)", shared=LINE, read=SEND + TAKE, write=DRAIN
    ),
    # --- orders -------------------------------------------------------------------------------------------
    "a ring in which every chip receives first": row(
        "TTL0917", "chip (0, 0)", "chip (0, 1)", shared=RING, read=RECEIVE + SEND
    ),
    "a ring of a mesh in which every chip receives first": row(
        "TTL0917", "chip (0, 0)", "chip (1, 1)", grid="(2, 2, 1, 1)", mesh=(2, 2), read=RECEIVE + SEND,
        shared="ring = ((0, 0), (0, 1), (1, 1), (1, 0))\n"
        "net = ttl.PipeNet([ttl.Pipe(src=(*ring[k], 0, 0), dst=(*ring[(k + 1) % 4], 0, 0)) for k in range(4)])\n",
    ),
    "two exchanges in opposite orders on two chips": row(
        "TTL0917", "chip (0, 0)", "chip (0, 1)", "use first and second in the same order", shared=TWO_NETS,
        read=when("c == 0", net("first", RECEIVE) + net("first", SEND), net("second", RECEIVE) + net("second", SEND))
        + when("c == 0", net("second", SEND) + net("second", RECEIVE), net("first", SEND) + net("first", RECEIVE)),
    ),
    "two collectives in opposite orders on the chips of a ring": row(
        "TTL0917", "chip (0, 0)", "chip (0, 1)", shared=TWO_NETS, chips=4,
        read=when(
            "c % 2 == 0",
            net("first", loop("3", SEND + RECEIVE)) + net("second", loop("3", SEND + RECEIVE)),
            net("second", loop("3", SEND + RECEIVE)) + net("first", loop("3", SEND + RECEIVE)),
        ),
    ),
    "a reduction of rows and columns that every other chip begins with columns": row(
        "TTL0917", "chip (0, 0)", "chip (1, 1)", "use along and down in the same order on all of them",
        grid="(2, 2, 1, 1)", mesh=(2, 2),
        shared="ALL = [(k, m) for k in range(2) for m in range(2)]\n"
        "along = ttl.PipeNet([ttl.Pipe(src=(k, m, 0, 0), dst=(k, 1 - m, 0, 0)) for k, m in ALL])\n"
        "down = ttl.PipeNet([ttl.Pipe(src=(k, m, 0, 0), dst=(1 - k, m, 0, 0)) for k, m in ALL])\n",
        read=when(
            "(r + c) % 2 == 0",
            net("along", SEND + RECEIVE) + net("down", SEND + RECEIVE),
            net("down", SEND + RECEIVE) + net("along", SEND + RECEIVE),
        ),
    ),
    "a semaphore that is waited for before the message that it comes after": row(
        "TTL0917", "chip (0, 0)", "chip (0, 1)",
        shared=LINE + "done = ttl.Semaphore()\nback = done.get_remote((0, 0, 0, 0))\n",
        read=when("c == 0", "done.wait_ge(1)\n" + SEND, RECEIVE + "back.inc(1)\n"),
    ),
    "a barrier of semaphores in two orders": row(
        "TTL0917", "chip (0, 0)", "chip (0, 1)",
        shared="one = ttl.Semaphore()\ntwo = ttl.Semaphore()\n"
        "far_one = one.get_remote((0, 1 - c, 0, 0))\nfar_two = two.get_remote((0, 1 - c, 0, 0))\n",
        read=when("c == 0", "one.wait_ge(1)\nfar_two.inc(1)\n", "two.wait_ge(1)\nfar_one.inc(1)\n"),
    ),
    # --- credits ------------------------------------------------------------------------------------------
    "a gather in a buffer of one block: no room for what comes": row(
        "TTL0916", "chip (0, 0)",
        shared=RING + "one_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)\n",
        read="with one_dfb.reserve() as blk:\n    ttl.copy(a[0, 0], blk).wait()\n"
        "with one_dfb.wait() as blk:\n    with one_dfb.reserve() as next_blk:\n"
        "        net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())\n        net.if_dst(lambda pipe: ttl.copy(pipe, next_blk).wait())\n",
    ),
    "a receiver that never gives its block back": row(
        "TTL0914", "chip (0, 1)", shared=LINE, read=loop("4", SEND), write=loop("4", TAKE)
    ),
    "a credit that is given once for two messages": row(
        "TTL0920", "chip (0, 0)",
        shared=LINE + "credit = ttl.Semaphore(1)\nback = credit.get_remote((0, 0, 0, 0))\n",
        read=when(
            "c == 0",
            loop("3", "credit.wait_ge(k + 1)\n" + SEND),
            loop("3", RECEIVE + "if k == 0:\n    back.inc(1)\n"),
        ),
    ),
    # --- semaphores ---------------------------------------------------------------------------------------
    "an increment on the wrong chip": row(
        "TTL0920", "chip (0, 1)", chips=3, shared="go = ttl.Semaphore()\nfar = go.get_remote((0, 2, 0, 0))\n",
        read=when("c == 0", "far.inc(1)\n") + when("c == 1", "go.wait_ge(1)\n"),
    ),
    "a wait for as many increments as there are chips": row(
        "TTL0920", "chip (0, 0)", chips=4, shared="go = ttl.Semaphore()\nroot = go.get_remote((0, 0, 0, 0))\n",
        read=when("c == 0", "go.wait_eq(N)\n", "root.inc(1)\n"),
    ),
    "a wait for the semaphore of another chip": row(
        "TTL0224", "it has inc, set", read="next_go.wait_ge(1)\n",
        shared="go = ttl.Semaphore()\nnext_go = go.get_remote((0, (c + 1) % N, 0, 0))\n",
    ),
    "an increment on all chips at once": row(
        "TTL0701", "for each node", read="all_go.inc(1)\ngo.wait_ge(1)\n",
        shared="go = ttl.Semaphore()\nall_go = go.get_remote_multicast()\n",
    ),
    "a semaphore beyond the mesh": row(
        "TTL0603", "no chip (0, 2)", read="next_go.inc(1)\ngo.wait_ge(1)\n",
        shared="go = ttl.Semaphore()\nnext_go = go.get_remote((0, c + 1, 0, 0))\n",
    ),
    "semaphores of a range beyond the mesh": row(
        "TTL0603", "no chip (0, slice(1, 3))", read=when("c == 0", "others.set(1)\n"),
        shared="go = ttl.Semaphore()\nothers = go.get_remote_multicast((0, slice(1, N + 1), 0, 0))\n",
    ),
    # --- places -------------------------------------------------------------------------------------------
    "a wrap that is no wrap": row(
        "TTL0603", "no chip (0, 2)", read=SEND + RECEIVE,
        shared=RING.replace(" % N", "").replace("(k + 1)", "k + 1"),
    ),
    "a pipe from a chip that is not there": row(
        "TTL0603", "no chip (1, 0)", shared=RING.replace("src=(0, k", "src=(1, k"), read=SEND + RECEIVE
    ),
    "a broadcast over more rows of chips than there are": row(
        "TTL0603", "no chip (slice(0, 2), slice(1, 2))", read=SEND + RECEIVE,
        shared=MULTICAST.replace("dst=(0,", "dst=(slice(0, 2),"),
    ),
    "three coordinates that mean another chip": row(
        "TTL0603", "(0, 2, 1) is outside", grid="(2, 2, 2, 2)", mesh=(2, 2), read=SEND + RECEIVE,
        shared="net = ttl.PipeNet([ttl.Pipe(src=(0, 0, 0), dst=(0, 2, 1))])\n",
    ),
    "a node that its chip has not got": row(
        "TTL0603", "a chip has 2 x 2 nodes, and no node (2, 0)", grid="(1, N, 2, 2)", read=SEND + RECEIVE,
        shared=RING.replace("% N, 0, 0)", "% N, 2, 0)"),
    ),
    "more chips than the mesh has": row(
        "TTL0221", "spans 4 devices", "a mesh of 2", grid="(2, N, 1, 1)", shared=RING, read=SEND + RECEIVE
    ),
    "more nodes than a chip has": row(
        "TTL0220", "larger than the device's", grid="(1, N, 16, 16)", shared=RING, read=SEND + RECEIVE
    ),
    # --- what is sent -------------------------------------------------------------------------------------
    "a block of two tiles into one of one": row(
        "TTL0611", "chip (0, 0)", shared=RING + "wide_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2))\n",
        read=SEND.replace("out_dfb", "wide_dfb").replace("a[0, 0]", "y[2, 0:2]").replace("y[0, 0]", "y[0, 0:2]") + RECEIVE,
    ),
    "bfloat16 into float32": row(
        "TTL0611", "chip (0, 0)", shared=RING + "f_dfb = ttl.make_dfb('float32', (1, 1))\n",
        read=SEND + RECEIVE.replace("in_dfb", "f_dfb").replace("ttl.copy(in_blk, y[1, 0]).wait()", "pass"),
    ),
    # --- shards -------------------------------------------------------------------------------------------
    "a shard indexed by the number of the chip": row(
        "TTL0507", "chip (0, 1)", shared=RING, read=SEND.replace("a[0, 0]", "a[c, 0]") + RECEIVE
    ),
    "a result with no row for every chip": row(
        "TTL0507", "chip (0, 2)", shared=RING, read=SEND + RECEIVE.replace("y[1, 0]", "y[c + 1, 0]"), chips=4, rows=3
    ),
    # --- over graphs --------------------------------------------------------------------------------------
    "a ring over a graph in which every chip receives first": graph(
        "TTL0917", "chip 0, node (0, 0)", "chip 2, node (0, 0)", of="axis_neighbor(domain, wrap=True)", read=RECEIVE + SEND
    ),
    "a ring that is a line, and its first chip waits": graph(
        "TTL0911", "write on chip 0, node (0, 0)", of="axis_neighbor(domain)", read=SEND + TAKE, write=DRAIN
    ),
    "a gather over a graph to which one chip sends nothing": graph(
        "TTL0918", "chip 0, node (0, 0)", "chip 2, node (0, 0)", of="gather(domain, ttl.DeviceRef(0))",
        read=when("not domain.is_current(ttl.DeviceRef(2))", SEND) + RECEIVE,
    ),
    "a scatter over a graph of which one chip takes nothing": graph(
        "TTL0903", "chip 1, node (0, 0)", of="scatter(domain, ttl.DeviceRef(0))",
        read=SEND + when("not domain.is_current(ttl.DeviceRef(1))", RECEIVE),
    ),
    "all to all over a graph, once more on one chip": graph(
        "TTL0903", "chip 1, node (0, 0)", of="all_to_all(domain)",
        read=SEND + RECEIVE + when("domain.is_current(ttl.DeviceRef(1))", SEND),
    ),
    "a shard indexed by the chip's number": graph(
        "TTL0507", "chip 1, node (0, 0)", of="axis_neighbor(domain, wrap=True)",
        read=SEND.replace("a[0, 0]", "a[domain.current_index(), 0]") + RECEIVE,
    ),
    # --- orders of accesses -------------------------------------------------------------------------------
    "a read that nothing makes wait for a write by way of another chip": row(
        "TTL1101", "chip (0, 0), node (0, 0)", "chip (0, 0), node (1, 0)", grid="(1, N, 2, 1)",
        shared="go = ttl.Semaphore()\nfar = go.get_remote((0, 1, 0, 0))\n",
        read="with out_dfb.reserve() as blk:\n"
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
    "two nodes of a chip that write what they got from other chips to one place": row(
        "TTL0906", "chip (0, 0), node (0, 0)", "chip (0, 0), node (1, 0)", grid="(1, N, 2, 1)",
        shared="net = ttl.PipeNet([ttl.Pipe(src=(0, k, x, 0), dst=(0, 1 - k, x, 0)) for k in range(2) for x in range(2)])\n",
        read=SEND.replace("y[0, 0]", "y[i, 0]") + RECEIVE.replace("y[1, 0]", "y[2, 0]"),
    ),
}  # fmt: skip
