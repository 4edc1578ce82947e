"""What the designer may choose beyond sizes: parts of the grid, sums of parts, neighbours that are one load, windows that are kept.

Every design of each kind gives what NumPy gives, to the bit, and is an operation of which ``ttl check --strict`` says nothing.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.programs import run_ttl
from ttl.settings import override


def batched(a, b, y):
    for h in ttl.spatial(a.axis(0)):
        for m in ttl.spatial(a.rows):
            for n in ttl.spatial(b.columns):
                total = 0
                for k in ttl.temporal(a.columns):
                    total += ttl.load(a[h, m, k]) @ ttl.load(b[h, k, n])
                ttl.store(y[h, m, n], total)


def long_sums(x, w, y, z):
    for m in ttl.spatial(x.rows):
        total, largest = 0, -np.inf
        for k in ttl.temporal(x.columns):
            block = ttl.load(x[m, k])
            total += block @ ttl.load(w[k])
            largest = ttl.math.max(largest, block.max())
        ttl.store(y[m], total + ttl.load(w[:1]).sum(0))
        ttl.store(z[m], largest)


def shifted(x, w, y):
    for row in ttl.spatial(y.axis(0)):
        for m in ttl.spatial(y.rows):
            total = 0
            for down in range(3):
                for right in range(2):
                    total += ttl.load(x[row + down, right, m]) @ ttl.load(w[down, right])
            ttl.store(y[row, m], total)


def panels(a, b, y):
    for m in ttl.spatial(a.rows, 1):
        for n in ttl.temporal(b.columns, 1):
            total = 0
            for k in ttl.temporal(a.columns, 2):
                total += ttl.load(a[m, k]) @ ttl.load(b[k, n])
            ttl.store(y[m, n], total)


def _shapes(name: str, random: Random) -> tuple[tuple[int, ...], ...]:
    m, n = random.choice((64, 96, 70)), random.choice((64, 32, 40))
    k = random.choice((256, 384))
    match name:
        case "batched":
            h = random.choice((2, 4, 6))
            return (h, m, 64), (h, 64, n), (h, m, n)
        case "long_sums":
            return (m, k), (k, n), (m, n), (m, 1)
        case "shifted":
            rows = random.choice((4, 8))
            return (rows + 2, 2, m, 64), (3, 2, 64, n), (rows, m, n)
        case _:
            return (128, k), (k, 128), (128, 128)


def _expected(name: str, x: Any, w: Any) -> list[Any]:
    match name:
        case "long_sums":
            return [x @ w + w[:32].sum(0, keepdims=True), x.max(-1, keepdims=True)]
        case "shifted":
            rows = x.shape[0] - 2
            shifts = [(down, right) for down in range(3) for right in range(2)]
            return [sum(x[down : down + rows, right] @ w[down, right] for down, right in shifts)]
        case _:
            return [x @ w]


PROGRAMS = {"batched": batched, "long_sums": long_sums, "shifted": shifted, "panels": panels}
# What some design of each program does, by the words of its label.
DOES = {
    "batched": {"parts"}, "long_sums": {"sums of k"}, "shifted": {"joined", "kept x"}, "panels": {"kept a"},
}  # fmt: skip


def _call(name: str, seed: int) -> tuple[list[Any], list[Any]]:
    """The arguments and what becomes of the outputs: whole numbers so small that no execution rounds."""
    random = Random(f"{name} {seed}")
    shapes = _shapes(name, random)
    numbers = np.random.default_rng(seed)
    inputs = [numbers.integers(-1, 2, shapes[0]), (numbers.random(shapes[1]) < 0.1) * 1]
    arrays = [*inputs, *(np.zeros(shape) for shape in shapes[2:])]
    tensors = [ttnn.Tensor(one.astype(np.float32), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT) for one in arrays]
    return tensors, _expected(name, *inputs)


def _designs(name: str, seed: int, grid: Any) -> list[Any]:
    """Those designs of a program that do what it is here for, and the best one."""
    tensors, _ = _call(name, seed)
    every = ttl.tile_operation(grid=grid)(PROGRAMS[name]).designs(*tensors)
    return [
        op
        for at, op in enumerate(every)
        if at == 0 or any(word in op.design.plan.label for word in DOES[name])
    ]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_design_of_a_kind_gives_what_numpy_gives(name: str, seed: int) -> None:
    for operation in _designs(name, seed, ("auto", (4, 4), (2, 4), (3, 2))[seed]):
        tensors, expected = _call(name, seed)
        operation(*tensors)
        for tensor, wanted in zip(tensors[2:], expected, strict=True):
            assert np.array_equal(tensor.numpy(), wanted), operation.design.plan.label


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_kind_is_among_the_designs(name: str) -> None:
    labels = [
        operation.design.plan.label
        for seed in range(4)
        for operation in _designs(name, seed, ("auto", (2, 2))[seed % 2])
    ]
    assert all(any(word in label for label in labels) for word in DOES[name]), labels


@pytest.mark.parametrize("chip", ["wormhole", "blackhole"])
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.one_of(2)
def test_the_emulated_chip_gives_it_too(name: str, chip: str) -> None:
    with override(target="emu", arch=chip):
        for operation in _designs(name, 1, (4, 4))[:3]:
            tensors, expected = _call(name, 1)
            operation(*tensors)
            for tensor, wanted in zip(tensors[2:], expected, strict=True):
                assert np.array_equal(tensor.numpy(), wanted), operation.design.plan.label


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_strict_check_says_nothing(name: str, tmp_path: Path) -> None:
    tensors, _ = _call(name, 0)
    specs = ", ".join(f"ttl.TensorSpec({tuple(tensor.shape)})" for tensor in tensors)
    for number, operation in enumerate(_designs(name, 0, "auto")[:4]):
        path = tmp_path / f"{name}_{number}.py"
        path.write_text(f"import math\n\nimport ttl\n\n\n@ttl.example({specs})\n{operation.design.text}")
        outcome = run_ttl(["check", "--strict", path.name], folder=tmp_path)
        assert "nothing found" in outcome.stdout and outcome.status == 0, outcome.stdout
