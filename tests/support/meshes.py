"""Programs over several chips as text, and how they are read, checked and run: on a mesh of the host library, tensors replicated."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import ttnn

from support.removal import load
from ttl import settings
from ttl.check.module import check_module
from ttl.diag import Diagnostic, Severity, TTLError
from ttl.dialects import ttl as dialect
from ttl.frontend.live import lower_call

Shape = tuple[int, int]


def halo(rows: int, columns: int, x: int = 1, y: int = 1) -> str:
    """Every node sends its tile to the same node of up to four neighbouring chips, and receives theirs."""
    return f"""
import ttl
R, C, X, Y = {rows}, {columns}, {x}, {y}
STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0))

@ttl.operation(grid=(R, C, X, Y))
def op(a, y):
    out_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    net = ttl.PipeNet([ttl.Pipe(src=(r, c, i, j), dst=(r + dr, c + dc, i, j))
        for r in range(R) for c in range(C) for i in range(X) for j in range(Y)
        for dr, dc in STEPS if 0 <= r + dr < R and 0 <= c + dc < C])
    r, c, i, j = ttl.node(dims=4)
    count = int(r > 0) + int(r < R - 1) + int(c > 0) + int(c < C - 1)

    @ttl.datamovement()
    def read():
        with out_dfb.reserve() as out_blk:
            ttl.copy(a[0, 0], out_blk).wait()
            def send(pipe):
                ttl.copy(out_blk, pipe).wait()
            net.if_src(send)

        def receive(pipe):
            with in_dfb.reserve() as in_blk:
                ttl.copy(pipe, in_blk).wait()
        net.if_dst(receive)

    @ttl.compute()
    def compute():
        with out_dfb.wait() as own_blk, y_dfb.reserve() as y_blk:
            y_blk.store(own_blk)
        for _ in range(count):
            with in_dfb.wait() as in_blk, y_dfb.reserve() as y_blk:
                y_blk.store(in_blk)

    @ttl.datamovement()
    def write():
        for k in range(count + 1):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[i * Y + j, k]).wait()
"""


_SEND = """
            with own_dfb.wait() as blk:
                ttl.copy(blk, y[(c - k) % N, 0]).wait()
                net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())"""
_RECEIVE = """
            with own_dfb.reserve() as blk:
                net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())"""


def gather(chips: int, *, order: str = "send first") -> str:
    """The ring all-gather: every chip passes on what it got last, N - 1 times."""
    steps = (_SEND, _RECEIVE) if order == "send first" else (_RECEIVE, _SEND)
    return f"""
import ttl
N = {chips}

@ttl.operation(grid=(1, N, 1, 1))
def op(a, y):
    own_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    net = ttl.PipeNet([ttl.Pipe(src=(0, c, 0, 0), dst=(0, (c + 1) % N, 0, 0)) for c in range(N)])
    _, c, _, _ = ttl.node(dims=4)

    @ttl.datamovement()
    def move():
        with own_dfb.reserve() as blk:
            ttl.copy(a[0, 0], blk).wait()
        for k in range(N - 1):{steps[0]}{steps[1]}
        with own_dfb.wait() as blk:
            ttl.copy(blk, y[(c + 1) % N, 0]).wait()
"""


def line(chips: int) -> str:
    """A chain: every chip but the first waits for the one before it, every chip but the last passes on what it got."""
    return f"""
import ttl
N = {chips}

@ttl.operation(grid=(1, N, 1, 1))
def op(a, y):
    own_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    net = ttl.PipeNet([ttl.Pipe(src=(0, c, 0, 0), dst=(0, c + 1, 0, 0)) for c in range(N - 1)])
    _, c, _, _ = ttl.node(dims=4)

    @ttl.datamovement()
    def move():
        with own_dfb.reserve() as blk:
            if c == 0:
                ttl.copy(a[0, 0], blk).wait()
            net.if_dst(lambda pipe: ttl.copy(pipe, blk).wait())
        with own_dfb.wait() as blk:
            net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
            ttl.copy(blk, y[0, 0]).wait()
"""


def graph_gather(chips: int, nodes: tuple[int, int] = (1, 1), *, order: str = "send first") -> str:
    """The ring all-gather over a device domain: the graph is not listed."""
    send = _SEND.replace("(c - k) % N, 0", "i, j")
    steps = send + _RECEIVE if order == "send first" else _RECEIVE + send
    return f"""
import ttl
N = {chips}
domain = ttl.DeviceDomain(N)
net = ttl.PipeNet(graph=ttl.TransferGraph.axis_neighbor(domain, wrap=True))

@ttl.operation(grid={nodes}, device_domain=domain)
def op(a, y):
    own_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    i, j = ttl.node()

    @ttl.datamovement()
    def move():
        c = domain.current_index()
        with own_dfb.reserve() as blk:
            ttl.copy(a[0, 0], blk).wait()
        for k in range(N - 1):{steps}
        with own_dfb.wait() as blk:
            ttl.copy(blk, y[i, j]).wait()
"""


def graph_halo(rows: int, columns: int, nodes: tuple[int, int] = (1, 1)) -> str:
    """The halo exchange over a device domain: a stencil that ends at the edges of the mesh."""
    return f"""
import ttl
domain = ttl.DeviceDomain(({rows}, {columns}))
STEPS = [(0, 1), (0, -1), (1, 0), (-1, 0)]
net = ttl.PipeNet(graph=ttl.TransferGraph.stencil(domain, offsets=STEPS))

@ttl.operation(grid={nodes}, device_domain=domain)
def op(a, y):
    out_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    i, j = ttl.node()

    @ttl.datamovement()
    def read():
        with out_dfb.reserve() as out_blk:
            ttl.copy(a[0, 0], out_blk).wait()
            net.if_src(lambda pipe: ttl.copy(out_blk, pipe).wait())

        def receive(pipe):
            with in_dfb.reserve() as in_blk:
                ttl.copy(pipe, in_blk).wait()
        net.if_dst(receive)

    @ttl.datamovement()
    def write():
        with out_dfb.wait() as own_blk:
            ttl.copy(own_blk, y[i, j]).wait()

        def drain(pipe):
            with in_dfb.wait() as in_blk:
                ttl.copy(in_blk, y[8 + i, j]).wait()
        net.if_dst(drain)
"""


# --- reading, checking and running them ------------------------------------------------------------------------


@contextmanager
def called(text: str, shape: Shape, rows: int = 64) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """``op`` of a program, and arguments for it: a tile of ones and zeros of ``rows`` x 8 tiles, on every chip."""
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(*shape))
    try:
        with TemporaryDirectory() as folder:
            names = load(text, Path(folder) / "program.py")
            tensors = tuple(
                ttnn.from_numpy(
                    np.full((32 * height, 32 * width), value, np.float32),
                    ttnn.bfloat16,
                    layout=ttnn.TILE_LAYOUT,
                    device=mesh,
                    mesh_mapper=ttnn.ReplicateTensorToMesh(mesh),
                )
                for height, width, value in ((1, 1, 1), (rows, 8, 0))
            )
            yield names["op"], tensors
    finally:
        ttnn.close_mesh_device(mesh)


def read_operation(text: str, shape: Shape) -> dialect.OperationOp:
    """``op`` of a program over a mesh, as IR."""
    with called(text, shape) as (operation, tensors):
        lowered = lower_call(operation, tensors, {})
    assert not lowered.diagnostics, [item.message for item in lowered.diagnostics]
    (whole,) = (op for op in lowered.module.body.block.ops if isinstance(op, dialect.OperationOp))
    return whole


def checked(text: str, shape: Shape, rows: int = 64) -> tuple[list[Diagnostic], list[str]]:
    """What reading and checking say of a program that they do not like, and what could not be checked."""
    not_checked: list[str] = []
    with called(text, shape, rows) as (operation, tensors):
        lowered = lower_call(operation, tensors, {})
        found = [*lowered.diagnostics, *check_module(lowered.module, not_checked=not_checked)]
    return [item for item in found if item.severity is not Severity.NOTE], not_checked


def simulated(text: str, shape: Shape, rows: int = 64, **chosen: Any) -> Diagnostic | None:
    """What the simulator stops a program with, unchecked; None where it ends."""
    with (
        called(text, shape, rows) as (operation, tensors),
        settings.override(check="off", **chosen),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        try:
            operation(*tensors)
        except TTLError as raised:
            return raised.diagnostic
    return None
