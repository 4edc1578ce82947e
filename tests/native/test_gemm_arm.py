"""Matrix products of the machine on 64-bit ARM: compiled by Debian's cross compiler, run by QEMU, judged as the others.

What is compiled is cached in the build folder. QEMU knows BFMMLA from version 6.1 on.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from native import test_gemm as gemm

ROOT = Path(__file__).parents[2]
NATIVE, DRIVER = ROOT / "native", Path(__file__).with_name("gemm_driver.cpp")
COMPILER, QEMU = "aarch64-linux-gnu-g++", "qemu-aarch64"
SOURCES = {
    "gemm.cpp": (),
    "gemm_plain.cpp": (),
    "isa.cpp": (),
    "gemm_amx_emulated.cpp": (),
    "gemm_neonbf16.cpp": ("-march=armv8.2-a+bf16",),
}
FLAGS = ("-std=c++20", "-O2", "-ffp-contract=off", "-fno-math-errno", "-Wall", "-Wextra", "-Werror")

pytestmark = pytest.mark.skipif(
    shutil.which(COMPILER) is None or shutil.which(QEMU) is None,
    reason="needs Debian's g++-aarch64-linux-gnu and qemu-user",
)


@cache
def driver() -> Path:
    """The program, compiled if its sources changed."""
    files = sorted([DRIVER, *(NATIVE / "machine").glob("gemm*"), *(NATIVE / "machine").glob("isa*")])
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
    folder = ROOT / "build" / "native" / "aarch64"
    program = folder / f"gemm_driver.{digest}"
    if program.is_file():
        return program
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as mine:  # another process may be compiling the same
        objects = []
        for name, instructions in SOURCES.items():
            objects.append(Path(mine) / f"{name}.o")
            compiled(*instructions, "-c", NATIVE / "machine" / name, "-o", objects[-1])
        compiled("-static", DRIVER, *objects, "-o", Path(mine) / program.name)
        (Path(mine) / program.name).rename(program)
    return program


def compiled(*arguments: str | Path) -> None:
    done = subprocess.run(
        [COMPILER, *FLAGS, f"-I{NATIVE}", *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def run(isa: str, chain: gemm.Chain, base: np.ndarray | None = None, processor: str = "max") -> np.ndarray:
    """The chain on a processor of ARM."""
    m, n = chain[0][0].values.shape[0], chain[0][1].values.shape[1]
    head = [gemm.ISAS.index(isa), m, n, len(chain), int(base is not None)]
    head += [a.values.shape[1] for a, _ in chain]
    head += [pair[side].format for side in (0, 1) for pair in chain]
    parts = [np.array(head, np.int32), *(matrix.memory for pair in chain for matrix in pair)]
    parts.append(np.full((m, n), np.nan, np.float32) if base is None else base)
    given = b"".join(np.ascontiguousarray(part).tobytes() for part in parts)
    done = subprocess.run(
        [QEMU, "-cpu", processor, str(driver())], input=given, capture_output=True, check=False
    )
    assert done.returncode == 0, (done.returncode, done.stderr)
    return np.frombuffer(done.stdout, np.float32).reshape(m, n)


def chains(formats: tuple[int, int]) -> Sequence[gemm.Chain]:
    """Of tiles, and of odd sizes."""
    return gemm.chain_of(64, 64, [128], [formats]), gemm.chain_of(29, 45, [64, 5, 33, 2], [formats] * 4)


@pytest.mark.parametrize("formats", gemm.FORMATS, ids=gemm.FORMAT_IDS)
def test_neon_sums_as_the_vectors_of_other_processors_do(formats: tuple[int, int]) -> None:
    for chain in chains(formats):
        actual = run("plain", chain)
        gemm.check(actual, chain)
        if "avx2" in gemm.THERE:
            np.testing.assert_array_equal(actual, gemm.computed("avx2", chain))


@pytest.mark.parametrize("formats", gemm.FORMATS, ids=gemm.FORMAT_IDS)
def test_products_of_pairs_of_bfloat16(formats: tuple[int, int]) -> None:
    for chain in chains(formats):
        m, n = chain[0][0].values.shape[0], chain[0][1].values.shape[1]
        base = gemm.matrix(100, m, n).values
        # BFMMLA rounds to odd: its error is up to a unit in the last place, twice that of rounding to the nearest.
        gemm.check(run("neonbf16", chain, base), chain, base, roundings=2)


def test_bits_do_not_depend_on_where_a_sum_is_cut() -> None:
    a, b = gemm.matrix(0, 9, 192, gemm.BF16), gemm.matrix(1, 192, 17, gemm.BF16)
    cuts = [
        (
            gemm.Matrix(values=a.values[:, start : start + 64], format=gemm.BF16),
            gemm.Matrix(values=b.values[start : start + 64], format=gemm.BF16),
        )
        for start in (0, 64, 128)
    ]
    np.testing.assert_array_equal(run("neonbf16", cuts), run("neonbf16", [(a, b)]))


@pytest.mark.parametrize("isa", ["plain", "neonbf16"])
def test_subnormal_numbers_infinities_and_nan(isa: str) -> None:
    a, b = np.ones((7, 36), np.float32), np.full((36, 10), 2.0**20, np.float32)
    a[0] *= np.float32(2.0**-130)
    a[2, 35] = np.nan
    a[4, 3] = np.inf
    b[7, 5] = -np.inf
    actual = run(isa, [(gemm.Matrix(values=a, format=gemm.BF16), gemm.Matrix(values=b, format=gemm.BF16))])
    expected = np.full((7, 10), 36 * 2.0**20, np.float32)
    expected[0] = 0.0 if isa == "neonbf16" else 36 * 2.0**-110
    expected[:, 5] = -np.inf
    expected[4] = np.inf
    expected[4, 5] = np.nan
    expected[2] = np.nan
    if isa == "neonbf16":
        expected[0, 5] = np.nan  # a subnormal number counts as zero
    np.testing.assert_array_equal(actual, expected)


def test_a_processor_without_bfmmla_is_noticed() -> None:
    chain = gemm.chain_of(4, 4, [4], [(gemm.BF16, gemm.BF16)])
    gemm.check(run("plain", chain, processor="cortex-a57"), chain)
    with pytest.raises(AssertionError, match=r"\(3, "):
        run("neonbf16", chain, processor="cortex-a57")
