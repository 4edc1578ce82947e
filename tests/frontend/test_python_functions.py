"""Functions of numbers and sequences in kernels, and comparisons of objects: the same as by CPython on every node, or refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.frontend.judged_expressions import judged

COMPUTED = [
    # Group 2 of the issue about Python in kernels.
    "(n % 2 == 0) == (m % 2 == 0)", "(n % 2 == 0) != (m % 2 == 0)", "(n > 0) == True", "(n > 0) is True",
    "(n > 0) is not False", "(n > 0) == 1", "(n > 0) == 2", "(n > 0) in (True,)", "n * 1.0 == m", "n * 1.0 == n", "n / 2 != m",
    "(n > 0) < 1", "n * 0.5 < m", "n / m >= 0.5", "(n > 0) == m", "n in {1: 2, 3: 4}", "not n * 0.5", "bool(n / 2)", "n == None",
    # Group 7.
    "n ^ 1", "n | 4", "1 << m", "~n", "n & m", "n & -4", "m << 3", "n >> m", "n >> 40", "-1 >> m", "2 ** m", "divmod(n, m)", "pow(n, 2)",
    "abs(n)", "abs(n * -0.5)", "round(n / 2)", "round(n / m)", "round(n * 0.5)", "int((n - 3) / 2)", "int(n * 0.3)", "int(n / -3)",
    "math.floor(n * 0.3)", "math.ceil(-n * 0.7)", "math.trunc(n / m)", "float(n)", "bool(n)", "int(n > 0)", "-(n > 0)", "~(n > 0)",
    "int(abs(n * 0.25))", "int(n * 0.5 if m > 1 else n)", "int(n / 2 if m > 1 else 7.5)", "int(-n * 0.5 if n > 0 else n > 1)",
    "sorted([n, m, 4])", "sorted([n, m, 4, -n], reverse=True)", "min(n, m, 3)", "max(n, m, key=lambda v: v * v)",
    "max(n > 0, m > 1)", "min([], default=n)", "min([n, 0.5, m])", "sum([n > 0, m > 1, 3])", "any([n > 0, m > 1])", "all([n, m])",
    "[3, n, 1].count(m)", "[2, 0, 1].index(n % 3)", "(n, m) == (m, n)", "(n, m) < (m, n)", "[n, 1] >= [m, 2]", "{1: n} == {1: m}",
    "SIZE == Size(m, 2)", "Size(m, n) < Size(n, m)", "Size(n, m) != Size(m, n)", "sorted([Size(3), Size(1)])[0].rows",
    "(m, n)[n > 0]", "{True: 5, False: m}[n > 0]", "n in range(-7, 9, 2)", "range(-7, 2)[x]", "type(n) is int", "type(n > 0) is bool",
    "isinstance(n > 0, int)", "hasattr(n, 'builder')", "n.real + n.denominator", "sum(v for v in range(5) if v > n)",
]  # fmt: skip
REFUSED = {
    "n is m": "TTL1306", "n.bit_length()": "TTL1306", "n * 0.5 // 1": "TTL1306", "hash(n)": "TTL1305", "{n, 1}": "TTL1305", "n + 'a'": "TTL1304",
    "len(str([n]))": "TTL1305", "'%s' % n": "TTL1305", "f'{n:5d}'": "TTL1305", "[1, 2].index(n)": "TTL1305", "'ab'[n]": "TTL1305",
    "n.builder": "TTL1304", "n()": "TTL1304", "id(n)": "TTL1305", "3 ** n": "TTL1305", "1 << n": "TTL1305", "hash('a')": "TTL1306",
    "math.sqrt(n)": "TTL1305", "list(range(m)) == [0]": "TTL1305", "[3, 4][0, 1]": "TTL1304",
}  # fmt: skip


def test_what_is_computed_is_as_by_cpython(tmp_path: Path) -> None:
    results = judged(COMPUTED, tmp_path)
    wrong = [
        (text, result.codes, result.differences())
        for text, result in zip(COMPUTED, results, strict=True)
        if result.codes or result.raised or result.differences() or not result.ours
    ]
    assert wrong == []


def test_what_is_refused_says_so(tmp_path: Path) -> None:
    results = judged([*REFUSED], tmp_path)
    assert {text: result.codes for text, result in zip(REFUSED, results, strict=True)} == {
        text: [code] for text, code in REFUSED.items()
    }


_ON_CHIP = """import torch, ttl, ttnn
X = [-70000, -7, -1, 0, 3, 100001]
Y = [1, 2, 7]
def number(n, m):
    k = (n ^ m) % 7 + (n | 4) % 5 + (n & m) % 3 + (n & -4) % 9 + (~n) % 4 + (1 << m) % 6
    k += (n >> m) % 8 + (n >> 40) % 3 + (n << 3) % 11 + (2 ** m) % 5 + divmod(n, m)[1]
    k += int((n - 3) / 2) % 5 + round(n / 2) % 7 + int(n * 0.25) % 3 + math_of(n)
    k += (n * 0.5 < m) * 2 + (n * 1.0 == n) + ((n > 0) == (m > 2)) + (abs(n * 0.5) > 3)
    k += sorted([n, m, 4])[1] % 5 + max(n, m, 2, key=lambda v: -v) % 3
    return k % 64
def math_of(n):
    return [2, 0, 1].index(n % 3) + [n, 0, 3].count(0) + ((n, 1) < (1, n))
@ttl.operation(grid=(6, 3))
def f(a, y):
    d = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
    e = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
    @ttl.datamovement()
    def r():
        cx, cy = ttl.node(dims=2)
        with d.reserve() as b:
            ttl.copy(a[number(X[cx], Y[cy]), 0], b).wait()
    @ttl.compute()
    def c():
        with d.wait() as b, e.reserve() as o:
            o.store(b)
    @ttl.datamovement()
    def w():
        cx, cy = ttl.node(dims=2)
        with e.wait() as b:
            ttl.copy(b, y[cx, cy]).wait()
device = ttnn.open_device(device_id=0)
rows = torch.arange(64).float().repeat_interleave(32)[:, None].expand(2048, 32).contiguous()
a = ttnn.from_torch(rows, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.from_torch(torch.zeros(192, 96), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
f(a, y)
result = ttnn.to_torch(y)
for i, n in enumerate(X):
    for j, m in enumerate(Y):
        assert int(result[i * 32, j * 32]) == number(n, m), (n, m, int(result[i * 32, j * 32]), number(n, m))
print("as by Python")
"""


def test_the_emulated_chip_computes_it(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(_ON_CHIP)
    ran = subprocess.run(
        [sys.executable, "-m", "ttl", "run", "--target", "emu", str(program)],
        capture_output=True, text=True, timeout=300, check=False, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert ran.returncode == 0 and "as by Python" in ran.stdout, ran.stdout + ran.stderr
