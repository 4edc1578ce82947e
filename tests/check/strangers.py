"""Faulty programs as people write them who have not read our documentation: three programs, and what is wrong in each."""

from __future__ import annotations

ADD = """import torch
import ttnn
import ttl

TILE = 32


@ttl.operation(grid=(2, 2))
def vector_add(a: ttnn.Tensor, b: ttnn.Tensor, out: ttnn.Tensor):
    grid_y, grid_x = ttl.grid_size(dims=2)
    m_tiles = a.shape[0] // TILE
    n_tiles = a.shape[1] // TILE
    rows_per_core = m_tiles // grid_y
    cols_per_core = n_tiles // grid_x

    a_cb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
    b_cb = ttl.make_dataflow_buffer_like(b, shape=(1, 1), block_count=2)
    out_cb = ttl.make_dataflow_buffer_like(out, shape=(1, 1), block_count=2)

    @ttl.datamovement()
    def reader():
        y, x = ttl.node(dims=2)
        for r in range(rows_per_core):
            for c in range(cols_per_core):
                row = y * rows_per_core + r
                col = x * cols_per_core + c
                with a_cb.reserve() as a_blk, b_cb.reserve() as b_blk:
                    tx_a = ttl.copy(a[row, col], a_blk)
                    tx_b = ttl.copy(b[row, col], b_blk)
                    tx_a.wait()
                    tx_b.wait()

    @ttl.compute()
    def compute():
        for _ in range(rows_per_core):
            for _ in range(cols_per_core):
                with a_cb.wait() as a_blk, b_cb.wait() as b_blk, out_cb.reserve() as o_blk:
                    o_blk.store(a_blk + b_blk)

    @ttl.datamovement()
    def writer():
        y, x = ttl.node(dims=2)
        for r in range(rows_per_core):
            for c in range(cols_per_core):
                row = y * rows_per_core + r
                col = x * cols_per_core + c
                with out_cb.wait() as o_blk:
                    tx = ttl.copy(o_blk, out[row, col])
                    tx.wait()


device = ttnn.open_device(device_id=0)
shape = (128, 128)
a = ttnn.from_torch(torch.randn(shape), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
b = ttnn.from_torch(torch.randn(shape), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
out = ttnn.from_torch(torch.zeros(shape), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
vector_add(a, b, out)
print(ttnn.to_torch(out))
"""
MATMUL = """import torch
import ttnn
import ttl


@ttl.operation(grid=(2, 2))
def matmul(a, b, c):
    Mt, Kt = a.shape[0] // 32, a.shape[1] // 32
    Nt = b.shape[1] // 32
    nx, ny = ttl.grid_size(dims=2)
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1))
    acc_dfb = ttl.make_dataflow_buffer_like(c, shape=(1, 1), block_count=2)
    c_dfb = ttl.make_dataflow_buffer_like(c, shape=(1, 1))

    @ttl.datamovement()
    def read():
        x, y = ttl.node(dims=2)
        for m in range(x, Mt, nx):
            for n in range(y, Nt, ny):
                for k in range(Kt):
                    with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                        ttl.copy(a[m, k], a_blk).wait()
                        ttl.copy(b[k, n], b_blk).wait()

    @ttl.compute()
    def compute():
        x, y = ttl.node(dims=2)
        for m in range(x, Mt, nx):
            for n in range(y, Nt, ny):
                with acc_dfb.reserve() as acc_blk:
                    acc_blk.store(ttl.block.fill(0, shape=(1, 1)))
                for k in range(Kt):
                    with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, acc_dfb.wait() as old, acc_dfb.reserve() as new:
                        new.store(old + a_blk @ b_blk)
                with acc_dfb.wait() as acc_blk, c_dfb.reserve() as c_blk:
                    c_blk.store(acc_blk)

    @ttl.datamovement()
    def write():
        x, y = ttl.node(dims=2)
        for m in range(x, Mt, nx):
            for n in range(y, Nt, ny):
                with c_dfb.wait() as c_blk:
                    ttl.copy(c_blk, c[m, n]).wait()


dev = ttnn.open_device(device_id=0)
mk = lambda t: ttnn.from_torch(t, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=dev)
a, b, c = mk(torch.rand(64, 96)), mk(torch.rand(96, 64)), mk(torch.zeros(64, 64))
matmul(a, b, c)
print(ttnn.to_torch(c)[0, 0])
"""
BROADCAST = """import torch
import ttnn
import ttl


@ttl.operation(grid=(4, 1))
def bcast(x, y):
    nx, _ = ttl.grid_size(dims=2)
    ix, _ = ttl.node(dims=2)
    net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(slice(0, nx), 0))])
    src_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def dm0():
        def send(pipe):
            with src_dfb.reserve() as blk:
                ttl.copy(x[0, 0], blk).wait()
                ttl.copy(blk, pipe).wait()

        def recv(pipe):
            with x_dfb.reserve() as blk:
                ttl.copy(pipe, blk).wait()

        net.if_src(send)
        net.if_dst(recv)

    @ttl.compute()
    def math():
        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
            y_blk.store(ttl.math.exp(x_blk))

    @ttl.datamovement()
    def dm1():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[0, ix]).wait()


dev = ttnn.open_device(device_id=0)
x = ttnn.from_torch(torch.rand(32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=dev)
y = ttnn.from_torch(torch.zeros(32, 128), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=dev)
bcast(x, y)
print(ttnn.to_torch(y)[0])
"""

# Name of a fault: the program, and what of its text is replaced by what.
FAULTS: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "torch_exp": (ADD, (("a_blk + b_blk", "torch.exp(a_blk) + b_blk"),)),
    "np_exp": (BROADCAST, (("import torch", "import numpy as np\nimport torch"), ("ttl.math.exp", "np.exp"))),
    "math_exp": (BROADCAST, (("import torch", "import math as m\nimport torch"), ("ttl.math.exp", "m.exp"))),
    "elements_not_tiles": (
        ADD,
        (
            (
                "row = y * rows_per_core + r\n                col = x * cols_per_core + c\n                with a_cb",
                "row = (y * rows_per_core + r) * TILE\n                col = (x * cols_per_core + c) * TILE\n                with a_cb",
            ),
        ),
    ),
    "element_slices": (
        ADD,
        (("a[row, col]", "a[row * TILE : (row + 1) * TILE, col * TILE : (col + 1) * TILE]"),),
    ),
    "elements_shape": (
        ADD,
        (("make_dataflow_buffer_like(a, shape=(1, 1)", "make_dataflow_buffer_like(a, shape=(32, 32)"),),
    ),
    "l1_overflow": (
        ADD,
        (
            (
                "make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)",
                "make_dataflow_buffer_like(a, shape=(16, 32), block_count=2)",
            ),
        ),
    ),
    "assign_block": (ADD, (("o_blk.store(a_blk + b_blk)", "o_blk = a_blk + b_blk"),)),
    "assign_block_sub": (ADD, (("o_blk.store(a_blk + b_blk)", "o_blk[:] = a_blk + b_blk"),)),
    "swap_copy_read": (ADD, (("ttl.copy(a[row, col], a_blk)", "ttl.copy(a_blk, a[row, col])"),)),
    "swap_copy_write": (ADD, (("ttl.copy(o_blk, out[row, col])", "ttl.copy(out[row, col], o_blk)"),)),
    "swap_copy_send": (BROADCAST, (("ttl.copy(blk, pipe)", "ttl.copy(pipe, blk)"),)),
    "swap_copy_recv": (BROADCAST, (("ttl.copy(pipe, blk)", "ttl.copy(blk, pipe)"),)),
    "node_xy": (BROADCAST, (("ix, _ = ttl.node", "_, ix = ttl.node"),)),
    "grid_too_large": (ADD, (("grid=(2, 2)", "grid=(12, 2)"),)),
    "pipe_xy": (BROADCAST, (("dst=(slice(0, nx), 0)", "dst=(0, slice(0, nx))"),)),
    "misspelt_buffer": (ADD, (("with a_cb.wait() as a_blk", "with a_bc.wait() as a_blk"),)),
    "misspelt_local": (
        ADD,
        (
            (
                "y * rows_per_core + r\n                col = x * cols_per_core + c\n                with a_cb",
                "y * rows_per_cor + r\n                col = x * cols_per_core + c\n                with a_cb",
            ),
        ),
    ),
    "misspelt_method": (ADD, (("a_cb.reserve()", "a_cb.reserv()"),)),
    "misspelt_ttl": (BROADCAST, (("ttl.math.exp", "ttl.math.expp"),)),
    "misspelt_body": (ADD, (("m_tiles // grid_y", "m_tile // grid_y"),)),
    "range_tensor": (
        ADD,
        (
            (
                "for r in range(rows_per_core):\n            for c in range(cols_per_core):\n                row = y * rows_per_core + r\n                col = x * cols_per_core + c\n                with a_cb",
                "for r in range(a):\n            for c in range(cols_per_core):\n                row = y * rows_per_core + r\n                col = x * cols_per_core + c\n                with a_cb",
            ),
        ),
    ),
    "range_shape": (ADD, (("m_tiles = a.shape[0] // TILE", "m_tiles = a.shape // TILE"),)),
    "range_slash": (ADD, (("m_tiles = a.shape[0] // TILE", "m_tiles = a.shape[0] / TILE"),)),
    "host_tensor": (
        ADD,
        (
            (
                "a = ttnn.from_torch(torch.randn(shape), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)",
                "a = ttnn.from_torch(torch.randn(shape), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)",
            ),
        ),
    ),
    "torch_argument": (ADD, (("vector_add(a, b, out)", "vector_add(torch.randn(shape), b, out)"),)),
    "row_major": (
        ADD,
        (
            (
                "a = ttnn.from_torch(torch.randn(shape), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)",
                "a = ttnn.from_torch(torch.randn(shape), dtype=ttnn.bfloat16, device=device)",
            ),
        ),
    ),
    "no_layout_out": (
        ADD,
        (
            (
                "out = ttnn.from_torch(torch.zeros(shape), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)",
                "out = ttnn.empty(shape, dtype=ttnn.bfloat16, device=device)",
            ),
        ),
    ),
    "copy_in_compute": (
        ADD,
        (
            (
                "o_blk.store(a_blk + b_blk)",
                "o_blk.store(a_blk + b_blk)\n                    ttl.copy(o_blk, out[0, 0]).wait()",
            ),
        ),
    ),
    "math_in_reader": (
        ADD,
        (("tx_b.wait()", "tx_b.wait()\n                    a_blk.store(a_blk + b_blk)"),),
    ),
    "if_block": (
        ADD,
        (
            (
                "o_blk.store(a_blk + b_blk)",
                "if a_blk > 0:\n                        o_blk.store(a_blk + b_blk)",
            ),
        ),
    ),
    "matmul_shapes": (
        MATMUL,
        (
            (
                "b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1))",
                "b_dfb = ttl.make_dataflow_buffer_like(b, shape=(2, 1))",
            ),
        ),
    ),
    "python_sum": (MATMUL, (("new.store(old + a_blk @ b_blk)", "new.store(sum(old, a_blk @ b_blk))"),)),
    "float_index": (
        ADD,
        (
            (
                "row = y * rows_per_core + r\n                col = x * cols_per_core + c\n                with out_cb",
                "row = y * rows_per_core / 1 + r\n                col = x * cols_per_core + c\n                with out_cb",
            ),
        ),
    ),
    "missing_wait": (
        MATMUL,
        (
            (
                "with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk, acc_dfb",
                "with a_dfb as a_blk, b_dfb.wait() as b_blk, acc_dfb",
            ),
        ),
    ),
    "dfb_in_expr": (ADD, (("o_blk.store(a_blk + b_blk)", "o_blk.store(a_cb + b_blk)"),)),
    "store_two": (ADD, (("o_blk.store(a_blk + b_blk)", "o_blk.store(a_blk, b_blk)"),)),
    "three_dm": (
        ADD,
        (
            (
                "    @ttl.compute()",
                "    @ttl.datamovement()\n    def reader2():\n        pass\n\n    @ttl.compute()",
            ),
        ),
    ),
    "return_value": (
        ADD,
        (("o_blk.store(a_blk + b_blk)", "o_blk.store(a_blk + b_blk)\n        return o_blk"),),
    ),
    "missing_arg": (ADD, (("vector_add(a, b, out)", "vector_add(a, b)"),)),
    "dtype_mix": (
        ADD,
        (
            (
                "out = ttnn.from_torch(torch.zeros(shape), dtype=ttnn.bfloat16",
                "out = ttnn.from_torch(torch.zeros(shape), dtype=ttnn.float32",
            ),
            ("make_dataflow_buffer_like(out", "make_dataflow_buffer_like(a"),
        ),
    ),
    "item": (ADD, (("o_blk.store(a_blk + b_blk)", "o_blk.store(a_blk[0, 0] + b_blk)"),)),
    "never_primed": (
        MATMUL,
        (
            (
                "                with acc_dfb.reserve() as acc_blk:\n                    acc_blk.store(ttl.block.fill(0, shape=(1, 1)))\n",
                "",
            ),
        ),
    ),
    "pipe_directly": (
        BROADCAST,
        (
            (
                "net.if_dst(recv)",
                "with x_dfb.reserve() as blk:\n            ttl.copy(net.pipes[0], blk).wait()",
            ),
        ),
    ),
    "reduce_kw": (BROADCAST, (("ttl.math.exp(x_blk)", "ttl.math.reduce_sum(x_blk, dim=0)"),)),
    "broadcast_missing": (
        MATMUL,
        (("c_blk.store(acc_blk)", "c_blk.store(ttl.math.reduce_sum(acc_blk, axis=1))"),),
    ),
}


def faulty(name: str) -> str:
    """The source of a faulty program."""
    source, edits = FAULTS[name]
    for old, new in edits:
        assert old in source, f"{name}: {old!r}"
        source = source.replace(old, new)
    return source
