"""Device domains, transfer graphs and nets over chips (the newer language, section 9), against graphs spelled out by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ttl
from support.chip_programs import every_node, exchanged, mesh_tensor, value_of, whole
from support.failing import deadlocks, fails
from ttl.protocol.devices import ChipDomain, ChipGraph

LINE = ttl.DeviceDomain(4)
MESH = ttl.DeviceDomain.product(row=ttl.DeviceDomain(2), column=ttl.DeviceDomain(3))
PLANE = ttl.DeviceDomain((2, 3), name="plane")
T = ttl.TransferGraph


def at(row: int, column: int) -> int:
    return row * 3 + column


IN_PLANE = [(row, column) for row in range(2) for column in range(3)]
# A graph, and its edges as somebody writes them down who knows what the words mean.
GRAPHS: dict[str, tuple[Any, list[tuple[int, int]]]] = {
    "edges": (T.edges(LINE, [(3, 0), (ttl.DeviceRef(0), ttl.DeviceRef(device=2))]), [(3, 0), (0, 2)]),
    "axis_neighbor": (T.axis_neighbor(LINE), [(0, 1), (1, 2), (2, 3)]),
    "axis_neighbor around": (T.axis_neighbor(LINE, wrap=True), [(0, 1), (1, 2), (2, 3), (3, 0)]),
    "axis_neighbor by two": (T.axis_neighbor(LINE, offset=2), [(0, 2), (1, 3)]),
    "axis_neighbor of a component": (
        T.axis_neighbor(MESH, component="column", wrap=True),
        [(at(row, column), at(row, (column + 1) % 3)) for row, column in IN_PLANE],
    ),
    "axis_neighbor on an axis": (
        T.axis_neighbor(PLANE, axis=0),
        [(at(0, column), at(1, column)) for column in range(3)],
    ),
    "stencil": (T.stencil(LINE, offsets=[-1, 1]), [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)]),
    "stencil of two axes": (
        T.stencil(PLANE, offsets=[(1, 1)], wrap=True),
        [(at(row, column), at((row + 1) % 2, (column + 1) % 3)) for row, column in IN_PLANE],
    ),
    "gather": (T.gather(LINE, 2), [(0, 2), (1, 2), (3, 2)]),
    "gather in each row": (
        T.gather(MESH, ttl.DeviceRef(column=1), component="column"),
        [(at(row, column), at(row, 1)) for row in range(2) for column in (0, 2)],
    ),
    "scatter": (T.scatter(LINE, ttl.DeviceRef(0)), [(0, 1), (0, 2), (0, 3)]),
    "scatter in each column": (
        T.scatter(MESH, 1, component="row"),
        [(at(1, column), at(0, column)) for column in range(3)],
    ),
    "all_to_all": (T.all_to_all(LINE), [(s, d) for s in range(4) for d in range(4) if s != d]),
    "all_to_all in each row": (
        T.all_to_all(MESH, component="column"),
        [(at(row, s), at(row, d)) for row in range(2) for s in range(3) for d in range(3) if s != d],
    ),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_every_edge_of_a_graph_carries_every_nodes_message(name: str) -> None:
    """``PipeNet(graph=)``: node (x, y) to node (x, y), and nothing else arrives anywhere; the check agrees."""
    graph, edges = GRAPHS[name]
    count = graph.graph.domain.count
    assert list(graph.graph.edges()) == sorted(edges, key=lambda edge: edge[0]) or name == "edges"
    assert graph.graph.count == len(edges)
    for chip in range(count):
        assert sorted(graph.graph.into(chip)) == sorted(s for s, d in edges if d == chip)
        assert sorted(graph.graph.out_of(chip)) == sorted(d for s, d in edges if s == chip)
    assert exchanged(ttl.PipeNet(graph=graph), count, (1, 2)) == every_node(edges, (1, 2))


def test_pipes_of_nodes_on_every_edge() -> None:
    graph, edges = GRAPHS["axis_neighbor around"]
    net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(0, 1)), ttl.Pipe(src=(0, 1), dst=(0, 0))], graph=graph)
    sent = exchanged(net, 4, (1, 2))
    assert sent == {(s, (0, y), d, (0, 1 - y)) for s, d in edges for y in range(2)}


def test_mappings_are_one_after_the_other() -> None:
    first, second = GRAPHS["gather"], GRAPHS["scatter"]
    net = ttl.PipeNet(
        mappings=[
            ttl.PipeMapping(graph=first[0], pipes=[ttl.Pipe(src=(0, 1), dst=(0, 0))]),
            ttl.PipeMapping(graph=second[0]),
        ]
    )
    expected = {(s, (0, 1), d, (0, 0)) for s, d in first[1]} | every_node(second[1], (1, 2))
    assert exchanged(net, 4, (1, 2)) == expected


def test_pipes_between_selected_chips() -> None:
    """Views with fixed, negative and stepped entries, lists, unions; single pipes and pairs."""
    net = ttl.PipeNet(
        [
            ttl.Pipe.pairwise(src=PLANE[0, :].at_node(0, 0), dst=PLANE[-1, ::-1].at_node(0, 1)),
            ttl.Pipe(src=PLANE[1, 2].at_node(0, 1), dst=PLANE.select([(0, 0)]).at_node(0, 0)),
        ]
    )
    expected = {
        (0, (0, 0), 5, (0, 1)),
        (1, (0, 0), 4, (0, 1)),
        (2, (0, 0), 3, (0, 1)),
        (5, (0, 1), 0, (0, 0)),
    }
    assert exchanged(net, 6, (1, 2)) == expected
    joined = PLANE[0, 0] | PLANE.select([ttl.DeviceRef(1, 1)]) | PLANE[0, :]
    assert [ref.coords for ref in joined] == [(0, 0), (1, 1), (0, 1), (0, 2)]
    apart = ttl.PipeNet([ttl.Pipe.pairwise(src=joined.at_node(0, 0), dst=PLANE[:, 1:].at_node(0, 1))])
    assert exchanged(apart, 6, (1, 2)) == {
        (source, (0, 0), destination, (0, 1))
        for source, destination in zip((0, 4, 1, 2), (1, 2, 4, 5), strict=True)
    }


def test_a_domain_counts_its_chips() -> None:
    assert (MESH.flattened_extent, PLANE.flattened_extent) == (6, 6)
    assert [ref.coords for ref in PLANE.iter_device_refs()] == IN_PLANE
    assert MESH.index_order(ttl.DeviceRef(column=2, row=1)) == PLANE.index_order((1, 2)) == 5
    assert repr(MESH) == "DeviceDomain(row=2, column=3)" and MESH != PLANE
    assert repr(ttl.DeviceRef(row=1, column=2)) == "DeviceRef(row=1, column=2)"


def test_a_node_knows_its_chip_and_counts_on_it() -> None:
    """``ttl.node``, ``grid_size``, ``current_index`` and ``is_current``; pipes without a graph stay on each chip."""

    @ttl.operation(grid=(2, 2), device_domain=LINE)
    def place(out: Any) -> None:
        x, y = ttl.node()
        assert ttl.grid_size() == (2, 2) and ttl.grid_size(dims=1) == 4 and ttl.grid_size(dims=3) == (2, 2, 1)
        assert ttl.node(dims=1) == x * 2 + y and ttl.node(dims=3) == (x, y, 0)
        on_chip = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(slice(0, 2), 1))])
        ready = ttl.Semaphore()
        dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as blk:
                if y == 0:
                    ttl.raw_element_write(blk, 0, 0, value=1.0)
                on_chip.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
                on_chip.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
                if LINE.is_current(2):
                    ttl.copy(blk, out[x, y]).wait()
            if ttl.node(dims=1) == 3:
                ready.get_remote((0, 0)).inc(1)
                ready.get_remote_multicast((slice(0, 2), 0)).set(1)
            if y == 0:
                ready.wait_ge(1)

    out = mesh_tensor(np.zeros((4 * 64, 64), np.float32), 4)
    place(out)
    corners = whole(out)[::32, ::32]
    assert np.array_equal(corners[4:6], [[1, 1], [1, 1]]) and not corners[:4].any() and not corners[6:].any()


def test_the_domain_of_a_graph_that_is_made_in_the_body() -> None:
    @ttl.operation(grid=(1, 1))
    def turn(a: Any, out: Any) -> None:
        net = ttl.PipeNet(graph=ttl.TransferGraph.axis_neighbor(LINE, wrap=True))
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as mine, dfb.reserve() as theirs:
                ttl.copy(a[0, 0], mine).wait()
                net.if_src(lambda pipe: ttl.copy(mine, pipe).wait())
                net.if_dst(lambda pipe: ttl.copy(pipe, theirs).wait())
                ttl.copy(theirs, out[0, 0]).wait()

    values = np.repeat(np.arange(4, dtype=np.float32), 32)[:, None].repeat(32, 1)
    out = mesh_tensor(np.zeros((128, 32), np.float32), 4)
    turn(mesh_tensor(values, 4), out)
    assert whole(out)[::32, 0].tolist() == [3, 0, 1, 2]


def test_one_body_over_chips() -> None:
    """The same in one function, which is divided into kernels."""
    graph, _ = GRAPHS["axis_neighbor around"]
    net = ttl.PipeNet(graph=graph)

    @ttl.operation(grid=(1, 1))
    def turn(a: Any, out: Any) -> None:
        mine = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        theirs = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        result = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        chip = LINE.current_index()

        def send(pipe: Any) -> None:
            with mine.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()
                ttl.copy(blk, pipe).wait()

        def receive(pipe: Any) -> None:
            with theirs.reserve() as blk:
                ttl.copy(pipe, blk).wait()

        net.if_src(send)
        net.if_dst(receive)
        if chip >= 0:
            with theirs.wait() as blk, result.reserve() as out_blk:
                out_blk.store(blk + blk)
            with result.wait() as out_blk:
                ttl.copy(out_blk, out[0, 0]).wait()

    values = np.repeat(np.arange(4, dtype=np.float32), 32)[:, None].repeat(32, 1)
    out = mesh_tensor(np.zeros((128, 32), np.float32), 4)
    turn(mesh_tensor(values, 4), out)
    assert whole(out)[::32, 0].tolist() == [6, 0, 2, 4]


def test_an_operation_over_chips_is_called_in_another_one() -> None:
    """The domain comes with the net of the one that is called."""
    graph, _ = GRAPHS["axis_neighbor around"]
    ring = ttl.PipeNet([ttl.Pipe(src=0, dst=1), ttl.Pipe(src=1, dst=0)], graph=graph)

    @ttl.operation(grid=(1, 2))
    def pass_on(a: Any, out: Any) -> None:
        y = ttl.node(dims=1)
        mine = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        theirs = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        with mine.reserve() as blk:
            ttl.copy(a[0, y], blk).wait()

        def send(pipe: Any) -> None:
            with mine.wait() as blk:
                ttl.copy(blk, pipe).wait()

        def take(pipe: Any) -> None:
            with theirs.reserve() as blk:
                ttl.copy(pipe, blk).wait()

        ring.if_src(send)
        ring.if_dst(take)
        with theirs.wait() as blk:
            ttl.copy(blk, out[0, y]).wait()

    @ttl.operation(grid=(1, 2))
    def twice(a: Any, between: Any, out: Any) -> None:
        pass_on(a, between)
        pass_on(between, out)

    numbers = np.arange(8, dtype=np.float32).reshape(4, 2)
    tensors = [
        mesh_tensor(values.repeat(32, 0).repeat(32, 1), 4) for values in (numbers, 0 * numbers, 0 * numbers)
    ]
    twice(*tensors)
    once = np.roll(numbers, 1, axis=0)[:, ::-1]
    assert np.array_equal(whole(tensors[1])[::32, ::32], once)
    assert np.array_equal(whole(tensors[2])[::32, ::32], np.roll(once, 1, axis=0)[:, ::-1])


def test_the_same_edges_in_both_spellings() -> None:
    """A grid that spans the mesh and a device domain: one exchange, and the same messages."""
    edges = [(chip, (chip + 1) % 4) for chip in range(4)]
    results = []
    listed = ttl.PipeNet([ttl.Pipe(src=(s, 0, y), dst=(d, 0, y)) for s, d in edges for y in range(2)])
    for net, grid, chip_of in (
        (listed, (4, 1, 2), lambda: ttl.node(dims=3)[0]),
        (ttl.PipeNet(graph=ttl.TransferGraph.axis_neighbor(LINE, wrap=True)), (1, 2), LINE.current_index),
    ):
        results.append(_shifted(net, grid, chip_of))
    assert np.array_equal(*results) and results[0][::32, ::32].tolist() == [
        [value_of(3, (0, y)) for y in range(2)]
    ] + [[value_of(chip, (0, y)) for y in range(2)] for chip in range(3)]


def _shifted(net: Any, grid: tuple[int, ...], chip_of: Callable[[], int]) -> Any:
    @ttl.operation(grid=grid)
    def shift(a: Any, out: Any) -> None:
        y = ttl.node(dims=1) - chip_of() * 2 if len(grid) > 2 else ttl.node(dims=1)
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as mine, dfb.reserve() as theirs:
                ttl.copy(a[0, y], mine).wait()

                def send(pipe: Any) -> None:
                    assert pipe.destination_device_index == (chip_of() + 1) % 4
                    ttl.copy(mine, pipe).wait()

                net.if_src(send)
                net.if_dst(lambda pipe: ttl.copy(pipe, theirs).wait())
                ttl.copy(theirs, out[0, y]).wait()

    numbers = np.array([[value_of(chip, (0, y)) for y in range(2)] for chip in range(4)], np.float32)
    out = mesh_tensor(np.zeros((128, 64), np.float32), 4)
    shift(mesh_tensor(numbers.repeat(32, 0).repeat(32, 1), 4), out)
    return whole(out)


# --- what is refused --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "wrong", "says"),
    [
        ("TTL0622", lambda: ttl.DeviceDomain(0), "positive"),
        ("TTL0622", lambda: ttl.DeviceDomain("4"), "positive"),
        ("TTL0622", lambda: ttl.DeviceDomain.product(), "no components"),
        ("TTL0622", lambda: ttl.DeviceDomain.product(a=4), "not a ttl.DeviceDomain"),
        ("TTL0622", lambda: ttl.DeviceDomain.product(a=MESH), "product itself"),
        ("TTL0623", lambda: LINE.index_order(4), "outside"),
        ("TTL0623", lambda: LINE.index_order((0, 0)), "2 coordinates"),
        ("TTL0623", lambda: LINE.index_order("a"), "ints"),
        ("TTL0623", lambda: MESH.index_order(ttl.DeviceRef(row=1)), "component column"),
        ("TTL0623", lambda: MESH.index_order(ttl.DeviceRef(row=1, column=1, depth=0)), "no component depth"),
        ("TTL0623", lambda: PLANE[2, :], "outside"),
        ("TTL0623", lambda: T.gather(LINE, 4), "outside"),
        ("TTL0624", lambda: T.edges(LINE, [(1, 1)]), "chip 1 to itself"),
        ("TTL0624", lambda: T.axis_neighbor(LINE, offset=8, wrap=True), "itself"),
        ("TTL0624", lambda: T.stencil(PLANE, offsets=[(2, 3)], wrap=True), "itself"),
        ("TTL0624", lambda: ttl.Pipe.pairwise(src=PLANE[0, :].at_node(0, 0), dst=PLANE[0, ::-1].at_node(0, 0)), r"chip \(0, 1\)"),
        ("TTL0625", lambda: ttl.PipeNet(graph=T.edges(LINE, [(0, ttl.DeviceRange(1, 3))])), "DeviceRange"),
        ("TTL0626", lambda: T.axis_neighbor(MESH), "row and column"),
        ("TTL0626", lambda: T.all_to_all(MESH, component="depth"), "no component 'depth'"),
        ("TTL0626", lambda: T.gather(MESH, 0), "row and column"),
        ("TTL0627", lambda: T.axis_neighbor(LINE, offset=0), "positive"),
        ("TTL0627", lambda: T.axis_neighbor(LINE, offset=-1), "positive"),
        ("TTL0627", lambda: T.axis_neighbor(LINE, axis=1), "axis 1"),
        ("TTL0627", lambda: T.stencil(LINE, offsets=[1, 1]), "different"),
        ("TTL0627", lambda: T.stencil(LINE, offsets=[0]), "zero"),
        ("TTL0627", lambda: T.stencil(LINE, offsets=[]), "at least one"),
        ("TTL0627", lambda: T.stencil(PLANE, offsets=[1]), "2 ints"),
        ("TTL0629", lambda: PLANE[0, 0] | LINE[0], "two"),
        ("TTL0629", lambda: ttl.operation(grid=(1, 1), device_domain=4), "not int 4"),
        ("TTL0629", lambda: ttl.PipeNet(mappings=[ttl.PipeMapping(graph=T.axis_neighbor(LINE)),
                                                  ttl.PipeMapping(graph=T.axis_neighbor(PLANE))]), "two"),
        ("TTL0630", lambda: ttl.operation(grid=(4, 1, 1), device_domain=LINE), "two dimensions"),
        ("TTL0631", lambda: ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(0, slice(0, 2)))], graph=T.axis_neighbor(LINE)), "range"),
        ("TTL0632", lambda: ttl.Pipe.pairwise(src=LINE[:2].at_node(0, 0), dst=LINE[1:].at_node(0, 0)), "2 chips to 3"),
        ("TTL0632", lambda: ttl.PipeNet([ttl.Pipe(src=LINE[:2].at_node(0, 0), dst=LINE[2:].at_node(0, 0))]), "pairwise"),
        ("TTL0633", lambda: ttl.PipeNet(), "made of"),
        ("TTL0633", lambda: ttl.PipeNet(graph=LINE), "TransferGraph"),
        ("TTL0633", lambda: ttl.PipeNet([], mappings=[]), "made of"),
        ("TTL0633", lambda: ttl.PipeNet(mappings=[LINE]), "PipeMapping"),
        ("TTL0633", lambda: T.axis_neighbor(4), "DeviceDomain"),
        ("TTL0633", lambda: LINE[0, 0], "names 2 of the 1 dimension"),
        ("TTL0633", lambda: LINE[3:1], "no chip"),
        ("TTL0633", lambda: ttl.DeviceRef(), "coordinates"),
        ("TTL0633", lambda: T.edges(LINE, [1, 2]), "a pair of chips"),
        ("TTL0633", lambda: T.edges(LINE, 5), "a list"),
        ("TTL0633", lambda: T.stencil(LINE, offsets=5), "a list"),
        ("TTL0633", lambda: LINE.select(5), "a list"),
        ("TTL0633", lambda: LINE[0:2:0], "a slice of ints"),
        ("TTL0633", lambda: LINE[0].at_node("a"), "its coordinates"),
        ("TTL0633", lambda: ttl.DeviceDomain(2, name="a b"), "name"),
        ("TTL0633", lambda: ttl.PipeNet(mappings=[ttl.PipeMapping(graph=T.axis_neighbor(LINE), pipes=5)]), "a list"),
        ("TTL0633", lambda: ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=LINE[0].at_node(0, 0))]), "an end of a pipe"),
        ("TTL0223", lambda: T.scatter(LINE), "source"),
        ("TTL0627", lambda: T.stencil(LINE, offsets=[True]), "ints"),
        ("TTL0633", lambda: ttl.Pipe.pairwise(src=(0, 0), dst=LINE[0].at_node(0, 0)), "at_node"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_domain_graph_or_net_is_said_where_it_is_made(
    code: str, wrong: Callable[[], Any], says: str
) -> None:
    with fails(code, match=says):
        wrong()


def test_nets_and_domains_that_do_not_fit_an_operation() -> None:
    net, other = ttl.PipeNet(graph=T.axis_neighbor(LINE)), ttl.PipeNet(graph=T.axis_neighbor(PLANE))

    def launch(
        *, grid: tuple[int, ...] = (1, 1), domain: Any = None, chips: int = 4, nets: Any = (net,)
    ) -> None:
        @ttl.operation(grid=grid, device_domain=domain)
        def use(a: Any) -> None:
            @ttl.datamovement()
            def move() -> None:
                for one in nets:
                    one.is_src()

        use(mesh_tensor(np.zeros((32 * chips, 32), np.float32), chips))

    launch()
    with fails("TTL0628", match="4 chips.*mesh of 2"):
        launch(chips=2)
    with fails("TTL0629", match="two"):
        launch(nets=(net, other))
    with fails("TTL0629", match="two"):
        launch(domain=ttl.DeviceDomain((2, 2)))
    with fails("TTL0630", match=r"write grid=\(1, 1\)"):
        launch(grid=(4, 1, 1))


def test_what_needs_a_domain_in_an_operation_without_one() -> None:
    @ttl.operation(grid=(4, 1, 1))
    def asks(a: Any) -> None:
        domain = ttl.DeviceDomain(4)

        @ttl.datamovement()
        def move() -> None:
            domain.current_index()

    with fails("TTL0629", match="without a device domain"):
        asks(mesh_tensor(np.zeros((128, 32), np.float32), 4))


def test_a_deadlock_names_chips_and_nodes() -> None:
    net = ttl.PipeNet(graph=T.axis_neighbor(LINE, wrap=True))

    @ttl.operation(grid=(1, 2))
    def ring(a: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as blk:
                net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
                net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())

    with deadlocks(match=r"chip 3, node \(0, 0\).*sent by move on chip") as caught:
        ring(mesh_tensor(np.zeros((128, 32), np.float32), 4))
    assert "pipe from chip 3, node (0, 0) to chip 0, node (0, 0)" in str(caught.value)


# --- graphs are not listed --------------------------------------------------------------------------------------


def test_a_graph_over_many_chips_is_a_few_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 1,048,576 chips, the edges of one are worked out from the numbers of the graph."""
    million = ttl.DeviceDomain((1024, 1024))
    monkeypatch.setattr(ChipGraph, "edges", _never)
    ring = T.axis_neighbor(million, axis=1, wrap=True).graph
    assert ring == ChipGraph(million.domain, "stencil", ((0, 1),), (), True) and ring.count == 1 << 20
    assert ring.out_of(1023) == (0,) and ring.into(0) == (1023,)
    halo = T.stencil(million, offsets=[(0, 1), (0, -1), (1, 0), (-1, 0)]).graph
    assert halo.out_of(0) == (1, 1024) and halo.count == 4 * 1024 * 1023 and halo.every("src") is None
    gather = T.gather(million, (0, 0)).graph
    assert gather.out_of(5) == (0,) and gather.count == (1 << 20) - 1
    pairs = ttl.PipeNet(
        [ttl.Pipe.pairwise(src=million[:, 0].at_node(0, 0), dst=million[::-1, 1].at_node(0, 0))]
    )
    assert pairs.parts[0].graph.out_of(0) == (1023 * 1024 + 1,) and pairs.parts[0].graph.out_of(1) == ()


def _never(graph: ChipGraph) -> None:
    raise AssertionError(f"the edges of {graph} are listed")


def test_an_operation_over_many_chips_is_read_without_listing_its_pipes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from ttl.dialects import pipes
    from ttl.dialects.ttl import CreatePipeNetOp
    from ttl.frontend.live import lower_call

    monkeypatch.setattr(ChipGraph, "edges", _never)
    monkeypatch.setattr(pipes, "_all_pipes", _never)
    domain = ttl.DeviceDomain(1024)
    net = ttl.PipeNet(graph=T.stencil(domain, offsets=[-1, 1]))

    @ttl.operation(grid=(8, 8))
    def halo(a: Any, out: Any) -> None:
        mine = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def move() -> None:
            if net.is_src() and domain.current_index() % 2 == 0:
                with mine.reserve() as blk:
                    net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())

        @ttl.datamovement()
        def take() -> None:
            with mine.reserve() as blk:

                def receive(pipe: Any) -> None:
                    ttl.copy(pipe, blk).wait()
                    ttl.copy(blk, out[pipe.source_device_index % 2, pipe.src[0]]).wait()

                net.if_dst(receive)

    tensor = mesh_tensor(np.zeros((1024 * 64, 256), np.float32), 1024)
    lowered = lower_call(halo, (tensor, tensor), {})
    assert not lowered.diagnostics
    (made,) = [op for op in lowered.module.walk() if isinstance(op, CreatePipeNetOp)]
    assert str(made.parts[0]) == "#ttl.over<stencil [1024] by [[-1], [1]] each [8, 8]>"
    assert made.pipe_count == 2 * 1023 * 64


def test_domains_are_plain_data() -> None:
    assert ChipDomain((("a", (2,)), ("b", (3, 4)))).axes("b") == (1, 2)
    assert ttl.DeviceDomain(4) == LINE and hash(T.axis_neighbor(LINE)) == hash(
        T.axis_neighbor(ttl.DeviceDomain(4))
    )
