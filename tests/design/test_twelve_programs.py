"""The twelve tile programs: against NumPy in float64, in the simulator and on the emulated chip, with tails, on every grid."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from ttl.settings import override

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from tile_programs.cases import TileCase, cases

SHAPES = ((128, 128, 128), (96, 200, 160), (100, 72, 40))
GRIDS: tuple[Any, ...] = ("auto", (1, 1), (4, 4), (8, 8))
NAMES = [case.name for case in cases(32, 32, 32)]
# Relative to the largest element of the result: one rounding of inputs and results, and what sums make of it.
TOLERANCE = {"bfloat16": 2**-6, "float32": 2**-9}


def case_of(name: str, shape: tuple[int, int, int]) -> TileCase:
    return next(case for case in cases(*shape) if case.name == name)


def tensors(case: TileCase, dtype: str) -> tuple[list[Any], list[np.ndarray[Any, Any]]]:
    """The arguments as tensors, and the inputs as these hold them."""
    arrays = [*case.inputs, np.zeros(case.output)]
    made = [
        ttnn.Tensor(array.astype(np.float32), getattr(ttnn, dtype), layout=ttnn.TILE_LAYOUT)
        for array in arrays
    ]
    return made, [tensor.numpy().astype(np.float64) for tensor in made[:-1]]


def on_grid(case: TileCase, grid: Any) -> Any:
    return ttl.tile_operation(grid=grid)(case.program.written)


@pytest.mark.parametrize("grid", GRIDS, ids=str)
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.one_of(6)
def test_the_simulator_agrees_with_numpy(
    name: str, shape: tuple[int, int, int], dtype: str, grid: Any
) -> None:
    case = case_of(name, shape)
    arguments, inputs = tensors(case, dtype)
    on_grid(case, grid)(*arguments)
    agrees(arguments[-1].numpy(), case.expected(*inputs), dtype)


@pytest.mark.parametrize("chip", ["wormhole", "blackhole"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.one_of(6)
def test_the_emulated_chip_agrees_with_numpy(name: str, shape: tuple[int, int, int], chip: str) -> None:
    case = case_of(name, shape)
    arguments, inputs = tensors(case, "bfloat16")
    with override(target="emu", arch=chip):
        case.program(*arguments)
    agrees(arguments[-1].numpy(), case.expected(*inputs), "bfloat16")


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.one_of(3)
def test_the_function_itself_runs_over_arrays(name: str, shape: tuple[int, int, int]) -> None:
    case = case_of(name, shape)
    result = np.zeros(case.output)
    case.program.reference(*case.inputs, result)
    np.testing.assert_allclose(result, case.expected(*case.inputs), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_a_design_is_always_the_same(name: str) -> None:
    case = case_of(name, SHAPES[1])
    arguments, _ = tensors(case, "bfloat16")
    texts = [ttl.tile_operation()(case.program.written).explicit(*arguments).design.text for _ in range(2)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("shape", (*SHAPES, (256, 256, 256)), ids=str)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.one_of(6)
def test_every_design_that_may_be_tuned_is_right(name: str, shape: tuple[int, int, int]) -> None:
    case = case_of(name, shape)
    arguments, inputs = tensors(case, "bfloat16")
    expected = case.expected(*inputs)
    for operation in case.program.designs(*arguments):
        *given, result = tensors(case, "bfloat16")[0]
        operation(*given, result)
        agrees(result.numpy(), expected, "bfloat16")


def agrees(result: Any, expected: np.ndarray[Any, Any], dtype: str) -> None:
    worst = np.abs(result.astype(np.float64) - expected).max() / np.abs(expected).max()
    assert worst <= TOLERANCE[dtype], worst


@ttl.tile_operation()
def turned(x: Any, y: Any) -> None:
    for m in ttl.spatial(x.rows):
        for n in ttl.spatial(x.columns):
            ttl.store(y[n, m], ttl.load(x[m, n]).T)


def memory_layout(name: str, rows: int, columns: int) -> Any:
    if name in ("DRAM", "L1"):
        return getattr(ttnn, f"{name}_MEMORY_CONFIG")
    shard = {
        "HEIGHT": (rows // 8, columns),
        "WIDTH": (rows, columns // 8),
        "BLOCK": (rows // 2, columns // 4),
    }[name]
    return ttnn.create_sharded_memory_config(
        shard,
        ttnn.CoreGrid(y=2, x=4),
        getattr(ttnn.ShardStrategy, name),
        use_height_and_width_as_shard_shape=True,
    )


@pytest.mark.parametrize("target", ["sim", "emu"])
@pytest.mark.parametrize(
    ("given", "made"),
    [("DRAM", "BLOCK"), ("BLOCK", "DRAM"), ("HEIGHT", "WIDTH"), ("WIDTH", "L1"), ("L1", "HEIGHT")],
)
def test_a_transposition_changes_the_memory_layout_too(given: str, made: str, target: str) -> None:
    values = np.arange(256 * 256).reshape(256, 256) % 251
    with ttnn.manage_device(device_id=0) as device:
        x, y = (
            ttnn.from_torch(
                array.astype(np.float32), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device,
                memory_config=memory_layout(name, 256, 256),
            )
            for array, name in ((values, given), (np.zeros_like(values), made))
        )  # fmt: skip
        with override(target=target):
            turned(x, y)
        np.testing.assert_array_equal(y.numpy(), values.T)
        assert y.memory_config() == memory_layout(made, 256, 256)
