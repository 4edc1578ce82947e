"""Arguments that do not fit, as Python expressions."""

from __future__ import annotations

from random import Random

NUMBERS = (
    "0", "1", "-1", "2", "3", "4", "7", "31", "32", "33", "64", "100", "-32", "1000", "65536", "2**31", "2**32", "2**40", "2**64",
    "-2**63", "10**30", "0.0", "0.5", "1.5", "-2.5", "1e30", "1e308", "float('inf')", "float('nan')", "True", "False", "1j",
)  # fmt: skip
PLAIN = (
    "None", "''", "'x'", "'auto'", "'full'", "b'x'", "()", "[]", "{}", "set()", "(1,)", "(1, 1)", "(1, 2)", "(0, 0)", "(2, 2)",
    "[1, 1]", "(1, 1, 1)", "(-1, 1)", "(0, 1)", "(1.0, 1)", "('a', 'b')", "(None, None)", "((1, 1), (1, 1))", "{'a': 1}", "{1, 2}",
    "[None]", "range(3)", "range(0)", "slice(None)", "slice(0, 1)", "slice(1, 0)", "slice(0, 2, 2)", "slice(None, None, -1)",
    "slice('a', 'b')", "slice(0, 10**9)", "(slice(0, 1), 0)", "...", "object()", "lambda: None", "lambda pipe: None",
    "lambda *a, **k: None", "int", "len", "print", "iter([])", "(i for i in (1, 1))", "Exception('e')", "zip([1])",
    "type('T', (), {})()", "bytearray(3)", "memoryview(b'ab')", "'\\u00e4\\n\\t'", "'%s {}'", "(1, 1) * 5", "[[1, 2], [3]]",
)  # fmt: skip
LIBRARIES = (
    "np.zeros((32, 32))", "np.float32(1.5)", "np.int64(1)", "np.int32(-1)", "np.bool_(True)", "np.arange(3)", "np.array(2)",
    "np.array([], dtype=object)", "np.dtype('float32')", "np.nan", "torch.zeros(32, 32)", "torch.tensor(1)", "torch.tensor([1, 2])",
    "torch.zeros(0)", "torch.zeros(2, 2, dtype=torch.complex64)", "torch.zeros(2, 2, device='meta')", "torch.float32", "torch.bfloat16",
    "torch.Size((32, 32))", "torch", "np",
)  # fmt: skip
HOST = (
    "ttnn.bfloat16", "ttnn.float32", "ttnn.int32", "ttnn.uint16", "ttnn.uint8", "ttnn.bfloat8_b", "ttnn.bfloat4_b", "ttnn.TILE_LAYOUT",
    "ttnn.ROW_MAJOR_LAYOUT", "ttnn.DRAM_MEMORY_CONFIG", "ttnn.L1_MEMORY_CONFIG", "ttnn.Shape((32, 32))", "ttnn.Shape([1, 2, 3])",
    "ttnn.CoreCoord(0, 0)", "ttnn.CoreGrid(x=1, y=2)", "ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 1))",
    "ttnn.MeshShape(1, 2)", "ttnn.zeros((32, 32))", "ttnn.zeros((32, 32), layout=ttnn.TILE_LAYOUT)", "ttnn.Tensor", "ttnn",
    "ttnn.ones((2, 32, 64), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)", "ttnn.ones((3,), dtype=ttnn.int32)",
    "ttl.TILE_SHAPE", "ttl", "ttl.math", "ttl.copy", "ttl.Block", "ttl.Pipe((0, 0), (0, 1))", "ttl.PipeNet([])",
)  # fmt: skip


def wrong(random: Random, *pools: tuple[str, ...]) -> str:
    """An expression from some pool, or a container of some."""
    pool = random.choice((NUMBERS, PLAIN, LIBRARIES, HOST, *pools, *pools))
    value = random.choice(pool)
    match random.randrange(24):
        case 0:
            return f"[{value}]"
        case 1:
            return f"({value}, {random.choice(NUMBERS)})"
        case 2:
            return f"({value},) * 3"
        case _:
            return value
