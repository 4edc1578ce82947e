"""The operations of ``ttl.ops``, judged by their references in NumPy: simulated, checked, compiled, on the emulated chip."""

from __future__ import annotations

import itertools
import re
import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ttl
from ops.cases import CASES, Case, program
from support.compiled import complaints_about, emitted_file
from support.kernel_check import GENERATIONS, needs_compiler
from support.programs import run_ttl
from ttl import settings

# Rounding to bfloat16, once; for a chip also what the matrix unit cuts off of what it reads: ten bits of a mantissa stay.
BFLOAT16, TF32 = 2.0**-8, 2.0**-10
# What moves values and compares them: equal to the last bit.
EXACT = ("embedding_gather", "kv_append", "argmax", "topk")
NUMBERS = range(len(CASES))
OF_CASE = pytest.mark.parametrize(
    "number", NUMBERS, ids=[f"{case.name}-{at % 3}" for at, case in enumerate(CASES)]
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that makes and launches all cases."""
    file = tmp_path_factory.mktemp("ops") / "program.py"
    file.write_text(program())
    return file


@pytest.fixture(scope="module")
def operations(path: Path) -> list[Any]:
    """The operation of every case."""
    made: list[Any] = runpy.run_path(str(path))["operations"]
    return made


def judge(case: Case, operation: Any, *, on_a_chip: bool) -> None:
    """Run a case and compare what it leaves with the reference of its inputs, as they are in the tensors."""
    tensors = case.tensors()
    results = tensors[len(case.inputs) :] or tensors[-1:]
    given = [tensor.numpy() for tensor in tensors[: len(case.inputs)]]
    wanted = operation.reference(*given, *case.numbers)
    operation(*tensors, *case.numbers)
    for result, array in zip(results, wanted if isinstance(wanted, tuple) else (wanted,), strict=True):
        largest = float(np.abs(array).max())
        rtol, atol = 1.01 * BFLOAT16, 1e-5 * largest
        if case.name in EXACT:
            rtol = atol = 0
        elif on_a_chip:
            rtol, atol = rtol + 4 * TF32, TF32 * largest
        np.testing.assert_allclose(result.numpy(), array, rtol=rtol, atol=atol)


@OF_CASE
def test_it_is_right_in_the_simulator(number: int, operations: list[Any]) -> None:
    judge(CASES[number], operations[number], on_a_chip=False)


def _on_a_chip() -> list[Any]:
    """Every case on both chips; of each operation, one on either is run by ``make test``."""
    return [
        pytest.param(
            number,
            chip,
            id=f"{CASES[number].name}-{number % 3}-{chip}",
            marks=() if number % 3 == usual else pytest.mark.long,
        )
        for chip, usual in (("wormhole", 0), ("blackhole", 1))
        for number in NUMBERS
    ]


@pytest.mark.parametrize(("number", "chip"), _on_a_chip())
def test_it_is_right_on_the_emulated_chip(number: int, chip: str, operations: list[Any]) -> None:
    with settings.override(target="emu", arch=chip):
        judge(CASES[number], operations[number], on_a_chip=True)


def test_nothing_is_found_by_check(path: Path) -> None:
    outcome = run_ttl(["check", path.name], folder=path.parent)
    assert (outcome.status, outcome.stderr) == (0, "")
    assert outcome.stdout.startswith("checked 1 file, ")
    assert outcome.stdout.endswith(f" operations, {len(CASES)} specialisations: nothing found\n")


@pytest.mark.headers
@needs_compiler
@pytest.mark.parametrize("sizes", [1, pytest.param(3, marks=pytest.mark.long)])
def test_the_headers_accept_the_kernels(sizes: int, path: Path) -> None:
    """``make test`` has one size of each operation, for one generation of the headers or the other."""
    emitted = emitted_file(path)
    assert emitted.refused == ()
    judged = [
        replace(emitted, programs={generation: (emitted.programs[generation][number],)})
        for number, generation in itertools.product(NUMBERS, GENERATIONS)
        if sizes == 3 or (number % 3 == 0 and generation == GENERATIONS[number // 3 % 2])
    ]
    assert complaints_about(judged) == []


def test_stages_are_composed() -> None:
    """A chain of operations over dataflow buffers, in one launch, is what they are one after the other."""
    import ttnn

    norm = ttl.ops.make_rmsnorm((32, 64), (1, 1))
    double = ttl.ops.make_elementwise(lambda a: a + a, (32, 64), (1, 1), (1, 2))
    soft = ttl.ops.make_softmax((32, 64), (1, 1))

    @ttl.operation(grid=(1, 1))
    def chain(x: Any, gamma: Any, y: Any) -> None:
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 2))
        gamma_dfb = ttl.make_dataflow_buffer_like(gamma, shape=(1, 2))
        normed_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 2))
        doubled_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 2))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 2))
        with x_dfb.reserve() as x_blk, gamma_dfb.reserve() as gamma_blk:
            ttl.copy(x[:, :], x_blk).wait()
            ttl.copy(gamma[:, :], gamma_blk).wait()
        norm.stage(x_dfb, gamma_dfb, normed_dfb, 1)
        double.stage(normed_dfb, doubled_dfb, 1)
        soft.stage(doubled_dfb, y_dfb, 1)
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[:, :]).wait()

    generator = np.random.default_rng(0)
    x, gamma, y = (
        ttnn.Tensor(array.astype(np.float32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
        for array in (
            generator.standard_normal((32, 64)),
            generator.standard_normal((1, 64)),
            np.zeros((32, 64)),
        )
    )
    chain(x, gamma, y)
    wanted = soft.reference(double.reference(norm.reference(x.numpy(), gamma.numpy())))
    # Two roundings to bfloat16 of what is up to 8 are in the exponent.
    np.testing.assert_allclose(y.numpy(), wanted, rtol=0.07, atol=1e-5)
    with settings.override(target="emu"):
        chain(x, gamma, y)
    np.testing.assert_allclose(y.numpy(), wanted, rtol=0.07, atol=1e-5)


REFUSED = {
    "ttl.ops.make_softmax(sizes=(64, 100), grid=(1, 1))": (
        "TTL1651",
        "the size columns of softmax is 100, which 32 does not divide",
        "sizes that fit: 96 or 128",
    ),
    "ttl.ops.make_matmul(sizes=(64, 64, 128), grid=(1, 1), blocks=(1, 1, 3))": (
        "TTL1651",
        "the size n in tiles of matmul is 4, which 3 does not divide",
        "blocks of n that fit: 2 or 4",
    ),
    "ttl.ops.make_matmul(sizes=(64, 64, 128), grid=(3, 1))": (
        "TTL1651",
        "the number of blocks of n of matmul is 4, which 3 does not divide",
        "nodes that fit: 2 or 4",
    ),
    "ttl.ops.make_gemv(sizes=(1, 64), grid=(1, 1))": (
        "TTL1650",
        "sizes of gemv is tuple (1, 64)",
        "write sizes=(rows, k, n) with a number for each name",
    ),
    "ttl.ops.make_rope(sizes=(1, 1, 64), grid=(0, 1))": (
        "TTL1650",
        "grid of rope is tuple (0, 1)",
        "write grid=(columns, rows) with a number for each name",
    ),
    "ttl.ops.make_flash_attention(sizes=(1, 64, 32, 32), grid=(1, 1), causal=True)": (
        "TTL1650",
        "flash_attention with causal has 32 for keys and 64 for queries",
        "give keys and queries the same number",
    ),
    "ttl.ops.make_topk(sizes=(32, 64), grid=(1, 1), k=33)": (
        "TTL1650",
        "k of topk is int 33",
        "write k as an integer from 1 to 32",
    ),
    "ttl.ops.make_elementwise(lambda a: a, sizes=(32, 32), grid=(1, 1), inputs=4)": (
        "TTL1650",
        "inputs of elementwise is int 4",
        "write inputs=1 or inputs=2 or inputs=3",
    ),
}


@pytest.mark.parametrize("made", REFUSED)
def test_wrong_numbers_are_refused_at_the_authors_line(made: str, tmp_path: Path) -> None:
    code, message, way_out = REFUSED[made]
    (tmp_path / "program.py").write_text(f"import ttl\n\noperation = {made}\n")
    for verb in ("run", "check"):
        outcome = run_ttl([verb, "program.py"], folder=tmp_path)
        assert outcome.status == 1
        assert f"error[{code}]: {message}\n" in outcome.stderr + outcome.stdout
        assert f"= help: {way_out}\n" in outcome.stderr + outcome.stdout
        assert "program.py:3:13" in outcome.stderr + outcome.stdout


def test_other_tensors_are_refused() -> None:
    import ttnn

    softmax = ttl.ops.make_softmax(sizes=(32, 64), grid=(1, 1))
    x = ttnn.zeros((32, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
    y = ttnn.zeros((32, 96), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
    with pytest.raises(ttl.ProgramError) as raised:
        softmax(x, y)
    assert raised.value.code == "TTL1652"
    assert "y of softmax has the shape (32, 96); the operation was made for (32, 64)" in str(raised.value)
    assert "it takes x of (32, 64), y of (32, 64)" in str(raised.value)
    argmax = ttl.ops.make_argmax(sizes=(32, 64), grid=(1, 1), blocks=(1, 2))
    x, numbers, y = (
        ttnn.zeros(shape, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
        for shape in ((32, 64), (1, 64), (32, 1))
    )
    with pytest.raises(ttl.ProgramError) as raised:
        argmax(x, numbers, y)
    assert raised.value.code == "TTL1652"
    assert "x of argmax is of float32; the operation works on bfloat16" in str(raised.value)


def test_every_operation_is_judged_and_measured() -> None:
    collectives = vars(ttl.ops.collectives)  # judged in test_collectives.py
    made = {
        name.removeprefix("make_")
        for name in ttl.ops.__all__
        if name.startswith("make_") and name not in collectives
    }
    assert {case.name for case in CASES} == made
    page = Path(__file__).parents[2] / "docs" / "guides" / "ready-operations.md"
    rows = re.findall(r"^\| `(\w+)` \|.* % of .* % of ", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(rows) == made
