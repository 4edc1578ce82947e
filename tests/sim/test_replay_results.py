"""Results of operations with ``replay=True``: never those of an earlier call, whatever changes in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.tensors import blank, numbers, tiled, values
from ttl import settings

factor = 2


def times(x: Any) -> Any:
    return x * factor


def unary(compute: Callable[[Any], Any]) -> Any:
    """An operation ``y = compute(a)``, tile by tile, on 2 x 2 nodes."""

    @ttl.operation(grid=(2, 2), replay=True)
    def op(a: Any, y: Any) -> None:
        tiles = a.shape[1] // 32
        nodes, node = ttl.grid_size(dims=1), ttl.node(dims=1)
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

        @ttl.datamovement()
        def read() -> None:
            for tile in range(node, tiles, nodes):
                with a_dfb.reserve() as blk:
                    ttl.copy(a[0, tile], blk).wait()

        @ttl.compute()
        def kernel() -> None:
            for _ in range(node, tiles, nodes):
                with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
                    y_blk.store(compute(a_blk))

        @ttl.datamovement()
        def write() -> None:
            for tile in range(node, tiles, nodes):
                with y_dfb.wait() as blk:
                    ttl.copy(blk, y[0, tile]).wait()

    return op


def result(op: Any, a: Any) -> Any:
    """What an operation makes of numbers."""
    y = blank(a.shape)
    op(tiled(a), y)
    return values(y)


def test_other_data() -> None:
    op = unary(lambda x: x * 2 + 1)
    for seed in range(5):
        a = numbers(32, 160, seed=seed)
        np.testing.assert_array_equal(result(op, a), a * 2 + 1)


def test_other_shapes() -> None:
    op = unary(lambda x: x * 2)
    for _ in range(3):
        for tiles in (1, 2, 5, 8):
            a = numbers(32, 32 * tiles, seed=tiles)
            np.testing.assert_array_equal(result(op, a), a * 2)


def test_other_types() -> None:
    op = unary(lambda x: x * 2)
    a = numbers(32, 64)
    for _ in range(3):
        for dtype in (ttnn.bfloat16, ttnn.float32):
            y = blank((32, 64), dtype)
            op(tiled(a, dtype), y)
            np.testing.assert_array_equal(values(y), a * 2)


def test_a_captured_number_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    op, a = unary(times), numbers(32, 64)
    for value in (2, 3, 3, 2, 4, 4):
        monkeypatch.setitem(globals(), "factor", value)
        np.testing.assert_array_equal(result(op, a), a * value)


def test_a_captured_list_changes() -> None:
    factors = [1, 2]
    op, a = unary(lambda x: x * sum(factors)), numbers(32, 64)
    for _ in range(4):
        np.testing.assert_array_equal(result(op, a), a * sum(factors))
        np.testing.assert_array_equal(result(op, a), a * sum(factors))
        factors.append(1)


def test_a_launch_changes_a_captured_list() -> None:
    seen: list[int] = []

    def counting(x: Any) -> Any:
        seen.append(1)
        return x

    op, a = unary(counting), numbers(32, 64)
    for calls in (1, 2, 3):
        result(op, a)
        assert len(seen) == 2 * calls


def test_a_launch_that_prints(capsys: pytest.CaptureFixture[str]) -> None:
    def printing(x: Any) -> Any:
        print("here")
        return x

    op, a = unary(printing), numbers(32, 32)
    for _ in range(3):
        result(op, a)
        assert capsys.readouterr().out == "here\n"


def test_a_helper_is_defined_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    op, a = unary(lambda x: times(x)), numbers(32, 64)
    np.testing.assert_array_equal(result(op, a), a * 2)
    np.testing.assert_array_equal(result(op, a), a * 2)
    monkeypatch.setitem(globals(), "times", lambda x: x + 1)
    np.testing.assert_array_equal(result(op, a), a + 1)


def test_a_function_of_the_language_is_chosen_elsewhere() -> None:
    functions = {"relu": ttl.math.relu, "neg": ttl.math.neg}
    name = "relu"
    op, a = unary(lambda x: functions[name](x)), numbers(32, 64)
    positive = np.maximum(a, 0)
    for name, expected in (("relu", positive), ("neg", -a), ("neg", -a), ("relu", positive)):  # noqa: B007
        np.testing.assert_array_equal(result(op, a), expected)


def test_in_place() -> None:
    op = unary(lambda x: x * 2)
    tensor = tiled(np.ones((32, 64)))
    for power in range(1, 6):
        op(tensor, tensor)
        assert (values(tensor) == 2**power).all()


def test_aliases_come_and_go() -> None:
    op = unary(lambda x: x + 1)
    for _ in range(3):
        whole = tiled(numbers(32, 64))
        alias = ttnn.reshape(whole, (1, 32, 64))
        before = values(whole).copy()
        op(whole, other := blank((32, 64)))
        np.testing.assert_array_equal(values(other), before + 1)
        op(whole, whole)
        np.testing.assert_array_equal(values(whole), before + 1)
        np.testing.assert_array_equal(values(alias)[0], before)


def test_what_a_program_took_from_a_tensor_stays() -> None:
    op, a, y = unary(lambda x: x * 2), numbers(32, 64), blank((32, 64))
    taken = []
    for round in range(4):
        op(tiled(a + round), y)
        taken.append(ttnn.to_torch(y))
    for round, tensor in enumerate(taken):
        np.testing.assert_array_equal(tensor.float().numpy(), (a + round) * 2)


def test_a_torch_tensor_that_a_tensor_was_made_from_stays() -> None:
    import torch

    op, a = unary(lambda x: x * 2), numbers(32, 64)
    for _ in range(4):
        source = torch.ones(32, 64, dtype=torch.bfloat16)
        y = ttnn.from_torch(source, layout=ttnn.TILE_LAYOUT)
        op(tiled(a), y)
        assert bool((source == 1).all())
        np.testing.assert_array_equal(values(y), a * 2)


def test_a_captured_tensor_changes() -> None:
    weights = tiled(np.ones((32, 32)))

    @ttl.operation(grid=(1, 1), replay=True)
    def op(y: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

        @ttl.datamovement()
        def read() -> None:
            with dfb.reserve() as blk:
                ttl.copy(weights[0, 0], blk).wait()

        @ttl.datamovement()
        def write() -> None:
            with dfb.wait() as blk:
                ttl.copy(blk, y[0, 0]).wait()

    for value in (1, 1, 2, 2, 3):
        weights = tiled(np.full((32, 32), value))
        y = blank((32, 32))
        op(y)
        assert (values(y) == value).all()


@pytest.mark.parametrize("look", [bool, str, lambda tensor: f"{tensor}"], ids=["bool", "str", "format"])
def test_a_body_that_looks_at_data(look: Callable[[Any], Any]) -> None:
    """What it sees decides what is computed, so such a call cannot be replayed."""

    @ttl.operation(grid=(1, 1), replay=True)
    def op(a: Any, flag: Any, y: Any) -> None:
        shown = look(flag)
        negative = not shown if isinstance(shown, bool) else "0." in shown
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

        @ttl.datamovement()
        def read() -> None:
            with a_dfb.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()

        @ttl.compute()
        def compute() -> None:
            with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
                y_blk.store(-a_blk if negative else a_blk + 0)

        @ttl.datamovement()
        def write() -> None:
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[0, 0]).wait()

    a = numbers(32, 32)
    for value in (1, 0, 0, 1, 1, 0):
        flag = ttnn.full((1, 1), value, dtype=ttnn.float32, layout=ttnn.ROW_MAJOR_LAYOUT)
        y = blank((32, 32))
        op(tiled(a), flag, y)
        np.testing.assert_array_equal(values(y), -a if value == 0 else a)


def test_checks_find_nothing() -> None:
    op = unary(lambda x: x * 2)
    with settings.override(replay_check=1):
        for seed in range(4):
            a = numbers(32, 160, seed=seed)
            np.testing.assert_array_equal(result(op, a), a * 2)


def test_several_devices() -> None:
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 4))
    op = unary(lambda x: x * 2)
    for seed in range(3):
        a = numbers(128, 64, seed=seed)
        tensor = ttnn.from_torch(
            ttnn.to_torch(tiled(a)),
            layout=ttnn.TILE_LAYOUT,
            device=mesh,
            mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0),
        )
        y = ttnn.zeros((32, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=mesh)
        op(tensor, y)
        whole = ttnn.to_torch(y, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0))
        np.testing.assert_array_equal(whole.float().numpy(), a * 2)
