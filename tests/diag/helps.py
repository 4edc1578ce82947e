"""What the helps of the pages' codes say, applied to the programs of the pages: edits by hand, where there is no fix.

A help that is not here is applied by the page's own "Instead" program: it differs from the failing one by what the help
says. Here are the second and third ways out that a help names, and helps that the "Instead" programs go past.
"""

from __future__ import annotations

from collections.abc import Mapping

Edits = tuple[tuple[str, str], ...]
# What of a help is applied, in its words, and the edits: old and new text, each old text once in the program.
Way = tuple[str, Edits]

_X = "y_blk.store(2 * x_blk)"
_READ = "        with x_dfb.reserve() as x_blk:\n            ttl.copy(x[0, 0], x_blk).wait()\n"
_WRITE = "        with y_dfb.wait() as y_blk:\n            ttl.copy(y_blk, y[0, 0]).wait()\n"

WAYS: Mapping[tuple[str, int], tuple[Way, ...]] = {
    ("TTL0209", 0): (
        ("directly above a def", (("    @ttl.datamovement()\n    @ttl.compute()", "    @ttl.compute()"),)),
    ),
    ("TTL0221", 0): (
        (
            "open a mesh with ttnn.open_mesh_device",
            (
                ("x = ttnn.ones(", "mesh = ttnn.open_mesh_device(ttnn.MeshShape(2, 2))\nx = ttnn.ones("),
                (
                    "dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)\ny",
                    "dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=mesh)\ny",
                ),
                ("layout=ttnn.TILE_LAYOUT)\ndouble", "layout=ttnn.TILE_LAYOUT, device=mesh)\ndouble"),
            ),
        ),
    ),
    ("TTL0225", 1): (
        ("with dfb.wait() as blk: to read one", (("with x_dfb as x_blk", "with x_dfb.wait() as x_blk"),)),
    ),
    ("TTL0242", 0): (
        (
            "declare the tunable values as parameters of the operation",
            (("@ttl.tunable(block_count=[1, 2])", "@ttl.tunable(count=[1, 2])"),),
        ),
    ),
    ("TTL0242", 2): (("has a value for each", (("ttl.Config()]", "ttl.Config(count=2)]"),)),),
    ("TTL0243", 0): (
        ("declare smaller values", (("count=[3, 5]", "count=[1, 2]"),)),
        ("pass the tunable parameters in the call", (("double(x, y)\n", "double(x, y, count=4)\n"),)),
    ),
    ("TTL0301", 0): (
        (
            "write the block first: store(...)",
            (("y_blk.store(y_blk + x_blk)", "y_blk.store(x_blk)\n            y_blk.store(y_blk + x_blk)"),),
        ),
    ),
    ("TTL0303", 0): (
        (
            "use the block in an expression that is stored",
            (("ttl.block.fill(2, shape=(1, 1))", "2 * x_blk"),),
        ),
        (
            "leave x_dfb out",
            (
                ("with x_dfb.wait() as x_blk, y_dfb", "with y_dfb"),
                (_READ, "        pass\n"),
                ("    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))\n", ""),
            ),
        ),
    ),
    ("TTL0303", 1): (
        (
            "store the result into a block of reserve()",
            (("            y_blk.store(x_blk)\n            x_blk.store(2 * x_blk)", f"            {_X}"),),
        ),
        (
            "read the block before the pop",
            (
                (
                    "            y_blk.store(x_blk)\n            x_blk.store(2 * x_blk)",
                    "            x_blk.store(2 * x_blk)\n            y_blk.store(x_blk)",
                ),
            ),
        ),
    ),
    ("TTL0304", 0): (
        ("read the block first", ((_X, "y_blk.store(y_blk + 2 * x_blk)"),)),
        (
            "remove one of the two writes",
            (("            y_blk.store(ttl.block.fill(0, shape=(1, 1)))\n", ""),),
        ),
    ),
    ("TTL0312", 0): (("compute there", (("            doubled = 2 * x_blk\n", ""),)),),
    ("TTL0316", 0): (
        (
            "use one buffer per pair of kernels",
            (
                (
                    "    y_dfb = ",
                    "    plain_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))\n    y_dfb = ",
                ),
                (f"{_READ}{_READ}", f"{_READ}{_READ.replace('x_dfb', 'plain_dfb')}"),
                ("        with x_dfb.wait() as x_blk:\n", "        with plain_dfb.wait() as x_blk:\n"),
            ),
        ),
    ),
    ("TTL0333", 0): (
        (
            "convert with ttnn.to_layout",
            (("double(x, y, z)\n", "double(x, y, ttnn.to_layout(z, ttnn.TILE_LAYOUT))\n"),),
        ),
    ),
    ("TTL0336", 0): (
        (
            "`a == b`",
            (
                (
                    "            if x_blk in (0, 1):\n                y_blk.store(x_blk)\n            else:\n                y_blk.store(2 * x_blk)",
                    "            y_blk.store(x_blk == 0)",
                ),
            ),
        ),
    ),
    ("TTL0337", 0): (
        ("to look at data, print the block", (("print(np.asarray(x_blk).sum())", "print(x_blk)"),)),
    ),
    ("TTL0401", 0): (("copy a slice into a reserved block", (("a_blk + a)", "a_blk + a_blk)"),)),),
    ("TTL0406", 0): (
        (
            "ttl.block.fill(value, shape=...)",
            (("ttl.math.max(0.5, 2)", "ttl.math.max(ttl.block.fill(0.5, shape=(1, 1)), 2)"),),
        ),
        ("Python's own functions compute numbers", (("ttl.math.max(0.5, 2)", "a_blk + max(0.5, 2)"),)),
    ),
    ("TTL0407", 0): (
        ("0 (outermost)", (("dims=[2]", "dims=[1]"),)),
        ("-1 (innermost)", (("dims=[2]", "dims=[-1]"),)),
    ),
    ("TTL0423", 1): (
        (
            "ttl.block.fill(value, shape=...)",
            (("ttl.math.exp(2)", "ttl.math.exp(ttl.block.fill(2, shape=(1, 1)))"),),
        ),
    ),
    ("TTL0431", 0): (("ttl.block.transpose", (("a_blk @ b_blk", "a_blk @ ttl.block.transpose(b_blk)"),)),),
    ("TTL0502", 0): (
        ("a[row, column]", (("ttl.copy(x, x_blk)", "ttl.copy(x[0, 0], x_blk)"),)),
        ("a[r0:r1, c0:c1]", (("ttl.copy(x, x_blk)", "ttl.copy(x[0:1, 0:1], x_blk)"),)),
    ),
    ("TTL0516", 0): (
        (
            "slice the tensor in a data movement kernel",
            (
                ("with y_dfb.reserve() as y_blk:", "with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:"),
                ("2 * x[0, 0]", "2 * x_blk"),
            ),
        ),
    ),
    ("TTL0602", 0): (("count upwards", (("slice(1, 0, -1)", "slice(1, 2)"),)),),
    ("TTL0603", 0): (
        (
            "derive coordinates from ttl.grid_size(...)",
            (("range(2)", "range(ttl.grid_size(dims=2)[0] - 1)"),),
        ),
        ("launch on a larger grid", (("grid=(2, 1)", "grid=(3, 1)"),)),
    ),
    ("TTL0612", 0): (("check how the list is made", (("range(2, 2)", "range(1, 2)"),)),),
    ("TTL0701", 0): (
        (
            "get_remote(node).inc(value) for each node",
            (
                (
                    "            ready.get_remote_multicast((slice(0, 2), 0)).inc(1)",
                    "            for x in range(2):\n                ready.get_remote((x, 0)).inc(1)",
                ),
            ),
        ),
        ("set() a value on all of them", (("(slice(0, 2), 0)).inc(1)", "(slice(0, 2), 0)).set(1)"),)),
    ),
    ("TTL0705", 0): (
        (
            "make the semaphore in the body",
            (
                (
                    "    if not made:\n        made.append(ttl.Semaphore())\n    ready = made[0]\n",
                    "    ready = ttl.Semaphore()\n",
                ),
            ),
        ),
    ),
    ("TTL0801", 0): (
        (
            "shape=(8, 8) for x_dfb would fit with block_count=2",
            (
                (
                    "make_dataflow_buffer_like(x, shape=(ROWS, 8))",
                    "make_dataflow_buffer_like(x, shape=(8, 8), block_count=2)",
                ),
                (
                    "        for row in range(0, 64, ROWS):\n            with x_dfb",
                    "        for row in range(0, 64, 8):\n            with x_dfb",
                ),
                ("x[row : row + ROWS, 0:8]", "x[row : row + 8, 0:8]"),
            ),
        ),
    ),
    ("TTL0821", 0): (("begin at multiples of 8", (("y[row, 20:52]", "y[row, 16:48]"),)),),
    ("TTL0901", 0): (
        (
            "push the block on every path",
            (("        if x.shape[0] > 32:\n            x_blk.push()", "        x_blk.push()"),),
        ),
        (
            "use: with x_dfb.reserve() as blk:",
            (
                (
                    "        x_blk = x_dfb.reserve()\n        ttl.copy(x[0, 0], x_blk).wait()\n        if x.shape[0] > 32:\n            x_blk.push()\n",
                    _READ,
                ),
            ),
        ),
    ),
    ("TTL0902", 0): (
        (
            "pop the block on every path",
            (("        if y.shape[0] > 32:\n            y_blk.pop()", "        y_blk.pop()"),),
        ),
        (
            "use: with y_dfb.wait() as blk:",
            (
                (
                    "        y_blk = y_dfb.wait()\n        ttl.copy(y_blk, y[0, 0]).wait()\n        if y.shape[0] > 32:\n            y_blk.pop()\n",
                    _WRITE,
                ),
            ),
        ),
    ),
    ("TTL0910", 0): (
        (
            "try block_count=3 for a_dfb",
            (
                (
                    "a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))",
                    "a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=3)",
                ),
            ),
        ),
    ),
    ("TTL0913", 0): (
        (
            "make their loops",
            (
                (
                    "        for row in range(3):\n            with a_dfb",
                    "        for row in range(4):\n            with a_dfb",
                ),
            ),
        ),
    ),
    ("TTL0918", 0): (("from those pipes only on which something is sent", (("range(1, 4)])", "(1, 3)])"),)),),
    ("TTL0919", 0): (
        ("leave node (0, 3) out of the pipe's destinations", (("slice(1, 4)", "slice(1, 3)"),)),
    ),
    ("TTL1012", 0): (
        (
            "add mesh_composer=",
            (("ttnn.exp(x))", "ttnn.exp(x), mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0))"),),
        ),
        ("ttnn.get_device_tensors", (("ttnn.exp(x))", "ttnn.get_device_tensors(ttnn.exp(x))[0])"),)),
    ),
    ("TTL1013", 0): (
        ("use ttnn.ROW_MAJOR_LAYOUT", (("layout=ttnn.TILE_LAYOUT", "layout=ttnn.ROW_MAJOR_LAYOUT"),)),
    ),
    ("TTL1016", 0): (
        ("ttnn.empty of the result's shape", (("y = ttnn.zeros((128, 64)", "y = ttnn.empty((64, 128)"),)),
    ),
    ("TTL1315", 1): (("in elements", (("64 / 2", "128"),)),),
}
