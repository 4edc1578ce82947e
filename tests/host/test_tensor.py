"""Tensors: specification sections "Dataflow buffer" (shapes in tiles and elements) and "Tensor slice"; properties, types, errors."""

from __future__ import annotations

from contextvars import copy_context
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from ttl.diag import ProgramError
from ttl.host import api as ttnn
from ttl.host.tensor import ACTIVE
from ttl.rows.dtypes import BFLOAT16, DTYPES, round_to_bfloat16

TILED = {
    (): [1, 1], (128,): [1, 4], (1, 128): [1, 4], (32, 128): [1, 4], (128, 1): [4, 1], (128, 32): [4, 1],
    (2, 128, 32): [2, 4, 1], (2, 2, 128, 32): [2, 2, 4, 1], (2, 2, 120, 30): [2, 2, 4, 1],
}  # fmt: skip


def code_of(program: Any) -> str:
    with pytest.raises(ProgramError) as caught:
        program()
    return caught.value.code


@pytest.mark.parametrize("shape", TILED)
def test_tiled_tensor_shape_example(shape: tuple[int, ...]) -> None:
    tensor = ttnn.from_torch(torch.randn(shape), layout=ttnn.TILE_LAYOUT)
    padded, tile = list(tensor.padded_shape), list(tensor.tile.tile_shape)
    assert (
        padded[:-2] + [extent // per for extent, per in zip(padded[-2:], tile, strict=True)] == TILED[shape]
    )


@pytest.mark.parametrize("shape", TILED)
def test_row_major_tensor_shape_example(shape: tuple[int, ...]) -> None:
    tensor = ttnn.from_torch(torch.randn(shape), layout=ttnn.ROW_MAJOR_LAYOUT)
    assert list(tensor.padded_shape) == (list(shape) or [1])


@pytest.mark.parametrize("layout", [ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT])
@pytest.mark.parametrize("shape", TILED)
def test_shape_is_torch_s_and_nothing_of_the_padding_comes_back(shape: tuple[int, ...], layout: Any) -> None:
    values = torch.randn(shape)
    tensor = ttnn.from_torch(values, layout=layout)
    assert tensor.shape == shape
    assert torch.equal(ttnn.to_torch(tensor), values)
    assert tensor._data.ndim == len(tensor.padded_shape)
    assert ttnn.sum(ttnn.exp(tensor)).item() == pytest.approx(values.exp().sum().item(), rel=1e-5)


def test_default_layout_and_device() -> None:
    tensor = ttnn.from_torch(torch.ones(2, 2))
    assert tensor.layout is ttnn.ROW_MAJOR_LAYOUT
    assert tensor.device() is None
    assert tensor.storage_type() is ttnn.StorageType.HOST


@pytest.mark.parametrize(
    ("given_type", "expected"),
    [
        (torch.bfloat16, ttnn.bfloat16), (torch.float32, ttnn.float32), (torch.float64, ttnn.float32),
        (torch.float16, ttnn.float16), (torch.int32, ttnn.int32), (torch.int64, ttnn.int32), (torch.int16, ttnn.int32),
        (torch.uint8, ttnn.uint8), (torch.bool, ttnn.uint8),
    ],
)  # fmt: skip
def test_type_without_dtype(given_type: torch.dtype, expected: Any) -> None:
    tensor = ttnn.from_torch(torch.ones(3, 3).to(given_type))
    assert tensor.dtype is expected
    assert ttnn.to_numpy(tensor).tolist() == [[1] * 3] * 3


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
def test_round_trip_of_every_type(dtype: Any) -> None:
    values = torch.arange(64 * 64).reshape(64, 64) % 8
    tensor = ttnn.from_torch(values.float(), dtype, layout=ttnn.TILE_LAYOUT)
    assert tensor.dtype is dtype and getattr(ttnn, dtype.name) is dtype
    assert getattr(ttnn.DataType, dtype.name.upper()) is dtype
    assert tensor._data.dtype == dtype.storage
    assert torch.equal(ttnn.to_torch(tensor).to(torch.int64), values)
    assert ttnn.to_numpy(tensor).tolist() == values.tolist()


def test_types_of_to_torch() -> None:
    kinds = {"bfloat16": "bfloat16", "float32": "float32", "float16": "float16", "bfloat8_b": "float32", "bfloat4_b": "float32",
             "int32": "int32", "uint32": "int32", "uint16": "int16", "uint8": "uint8"}  # fmt: skip
    for ours, theirs in kinds.items():
        tensor = ttnn.ones((32, 32), getattr(ttnn, ours), ttnn.TILE_LAYOUT)
        assert ttnn.to_torch(tensor).dtype == getattr(torch, theirs)


def test_large_unsigned_values_convert_by_value_when_a_type_is_asked_for() -> None:
    tensor = ttnn.full((1, 2), 50000, ttnn.uint16)
    assert ttnn.to_torch(tensor).tolist() == [[50000 - 65536] * 2]
    assert ttnn.to_torch(tensor, torch.int32).tolist() == [[50000] * 2]
    assert ttnn.to_torch(tensor, dtype=torch.float32).tolist() == [[50000.0] * 2]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(width=32), min_size=1, max_size=40))
def test_bfloat16_rounds_to_nearest_even(numbers: list[float]) -> None:
    values = torch.tensor(numbers, dtype=torch.float32)
    from_torch = ttnn.from_torch(values, ttnn.bfloat16)
    from_numpy = ttnn.from_numpy(values.numpy(), ttnn.bfloat16)
    expected = BFLOAT16.load(round_to_bfloat16(values.numpy()))
    np.testing.assert_array_equal(ttnn.to_numpy(from_torch), expected)
    np.testing.assert_array_equal(ttnn.to_numpy(from_numpy), expected)


def test_bfloat8_b_shares_an_exponent_among_16_values_of_a_row() -> None:
    values = torch.zeros(1, 32)
    values[0, 0], values[0, 1], values[0, 16] = 128.0, 0.3, 0.3
    kept = ttnn.to_torch(ttnn.from_torch(values, ttnn.bfloat8_b, layout=ttnn.TILE_LAYOUT))
    assert kept[0, 0] == 128
    assert kept[0, 1] == 0  # less than half a step of 2, for the exponent is that of 128
    assert abs(kept[0, 16] - 0.3) < 0.002


def test_block_floats_need_tiles() -> None:
    assert code_of(lambda: ttnn.from_torch(torch.ones(32, 32), ttnn.bfloat8_b)) == "TTL1019"
    tiled = ttnn.ones((32, 32), ttnn.bfloat4_b, ttnn.TILE_LAYOUT)
    assert code_of(lambda: ttnn.to_layout(tiled, ttnn.ROW_MAJOR_LAYOUT)) == "TTL1019"
    assert ttnn.to_layout(tiled, ttnn.ROW_MAJOR_LAYOUT, dtype=ttnn.bfloat16).layout is ttnn.ROW_MAJOR_LAYOUT


def test_non_contiguous_and_conjugated_views() -> None:
    values = torch.randn(4, 6)
    assert torch.equal(ttnn.to_torch(ttnn.from_torch(values.T)), values.T)
    assert torch.equal(ttnn.to_torch(ttnn.from_torch(values[:, ::2])), values[:, ::2])


def test_torch_rank() -> None:
    tensor = ttnn.ones((1, 1, 2, 3))
    assert ttnn.to_torch(tensor, torch_rank=2).shape == (2, 3)
    assert code_of(lambda: ttnn.to_torch(tensor, torch_rank=1)) == "TTL1006"


def test_properties() -> None:
    device = ttnn.open_device(device_id=0)
    tensor = ttnn.zeros((3, 40), ttnn.bfloat16, ttnn.TILE_LAYOUT, device, ttnn.L1_MEMORY_CONFIG)
    assert tensor.device() is device
    assert tensor.memory_config() == ttnn.L1_MEMORY_CONFIG
    assert not tensor.is_sharded()
    assert tensor.element_size() == 2
    assert (tensor.volume(), tensor.logical_volume()) == (32 * 64, 120)
    assert tensor.storage_type() is ttnn.StorageType.DEVICE
    assert (
        tensor.is_allocated()
        and tensor.get_layout() is ttnn.TILE_LAYOUT
        and tensor.get_dtype() is ttnn.bfloat16
    )
    assert ttnn.from_device(tensor).device() is None
    assert tensor.cpu().to(device).device() is device
    assert tensor.to(ttnn.ROW_MAJOR_LAYOUT).layout is ttnn.ROW_MAJOR_LAYOUT


def test_creation() -> None:
    assert ttnn.to_torch(ttnn.ones((2, 2))).tolist() == [[1, 1], [1, 1]]
    assert ttnn.to_torch(ttnn.full((1, 2), 2.5, ttnn.float32)).tolist() == [[2.5, 2.5]]
    assert ttnn.to_torch(ttnn.arange(0, 6, 2, dtype=ttnn.int32)).tolist() == [0, 2, 4]
    assert ttnn.to_torch(ttnn.arange(3, dtype=ttnn.float32)).tolist() == [0, 1, 2]
    like = ttnn.empty_like(ttnn.ones((2, 3), ttnn.float32, ttnn.TILE_LAYOUT))
    assert (like.shape, like.dtype, like.layout) == ([2, 3], ttnn.float32, ttnn.TILE_LAYOUT)
    for make, value in ((ttnn.zeros_like, 0), (ttnn.ones_like, 1), (lambda t: ttnn.full_like(t, 7), 7)):
        assert ttnn.to_torch(make(like)).eq(value).all()


def test_default_of_creation_is_bfloat16_row_major() -> None:
    for tensor in (ttnn.zeros((2,)), ttnn.ones((2,)), ttnn.full((2,), 1), ttnn.empty((2,)), ttnn.arange(2)):
        assert (tensor.dtype, tensor.layout) == (ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT)


def test_rand() -> None:
    tensor = ttnn.rand((64, 64), low=-2.0, high=3.0, dtype=ttnn.float32, seed=5)
    values = ttnn.to_torch(tensor)
    assert values.min() >= -2 and values.max() <= 3 and values.std() > 1
    assert torch.equal(
        ttnn.to_torch(ttnn.rand((64, 64), low=-2.0, high=3.0, dtype=ttnn.float32, seed=5)), values
    )
    torch.manual_seed(3)
    first = ttnn.to_torch(ttnn.rand((8, 8)))
    torch.manual_seed(3)
    assert torch.equal(ttnn.to_torch(ttnn.rand((8, 8))), first)
    assert not torch.equal(ttnn.to_torch(ttnn.rand((8, 8))), first)
    assert abs(float(ttnn.to_torch(ttnn.randn((100, 100), dtype=ttnn.float32, seed=1)).mean())) < 0.05


def test_shape() -> None:
    shape = ttnn.Shape([2, 3])
    assert shape == (2, 3) and shape == [2, 3] and shape != [2, 4] and shape != 5
    assert list(shape) == [2, 3] and shape[-1] == 3 and shape.rank == 2 and shape.volume() == 6
    assert shape.to_rank(4) == [1, 1, 2, 3] and shape.to_rank(4).to_rank(2) == shape
    assert repr(shape) == "Shape([2, 3])" and hash(shape) == hash(ttnn.Shape((2, 3)))
    assert torch.zeros(shape).shape == (2, 3)
    assert code_of(lambda: shape.to_rank(1)) == "TTL1006"


@pytest.mark.parametrize("wrong", [(-1, 2), (1.5, 2), "12", None, (2, "a"), 3.0])
def test_shapes_that_are_none(wrong: Any) -> None:
    assert code_of(lambda: ttnn.zeros(wrong)) == "TTL1005"


@pytest.mark.parametrize(
    ("program", "code"),
    [
        (lambda: ttnn.zeros((2, 2), torch.float64), "TTL1004"),
        (lambda: ttnn.zeros((2, 2), layout="TILE"), "TTL1004"),
        (lambda: ttnn.zeros((2, 2), device=0), "TTL1004"),
        (lambda: ttnn.zeros((2, 2), memory_config="L1"), "TTL1004"),
        (lambda: ttnn.full((2, 2), "a"), "TTL1004"),
        (lambda: ttnn.from_torch([1, 2, 3]), "TTL1004"),
        (lambda: ttnn.from_torch(torch.ones(3, dtype=torch.complex64)), "TTL1008"),
        (lambda: ttnn.from_torch(torch.ones(32, 32), tile=ttnn.Tile((16, 32))), "TTL1020"),
        (lambda: ttnn.from_torch(torch.ones(3), spec=1), "TTL1020"),
        (lambda: ttnn.to_torch(torch.ones(3)), "TTL1004"),
        (lambda: ttnn.to_torch(ttnn.ones((3,)), dtype=ttnn.float32), "TTL1004"),
        (lambda: ttnn.arange(0, 3, 0), "TTL1022"),
        (lambda: ttnn.arange(0.5), "TTL1004"),
        (lambda: ttnn.rand((2,), low=2, high=1), "TTL1022"),
        (lambda: ttnn.rand((2,), seed=-1), "TTL1022"),
        (lambda: ttnn.Tensor([[1, 2], [3]]), "TTL1005"),
        (lambda: ttnn.to_device(ttnn.ones((2,)), None), "TTL1004"),
        (lambda: ttnn.deallocate(3), "TTL1004"),
    ],
)
def test_wrong_arguments(program: Any, code: str) -> None:
    assert code_of(program) == code


def test_constructor_takes_torch_numpy_and_lists() -> None:
    for data in (torch.tensor([[1.0, 2.0]]), np.array([[1.0, 2.0]]), [[1.0, 2.0]]):
        tensor = ttnn.Tensor(data, ttnn.bfloat16)
        assert tensor.dtype is ttnn.bfloat16 and tensor.to_list() == [[1.0, 2.0]]


def test_deallocated_tensor() -> None:
    tensor = ttnn.ones((2, 2))
    ttnn.deallocate(tensor)
    assert not tensor.is_allocated()
    assert "deallocated" in str(tensor)
    for use in (lambda: ttnn.to_torch(tensor), lambda: tensor + 1, lambda: tensor[0], lambda: tensor._data):
        assert code_of(use) == "TTL1009"
    ttnn.deallocate(tensor)


def test_tensor_on_a_closed_device() -> None:
    device = ttnn.open_device(device_id=0)
    tensor = ttnn.ones((2, 2), device=device)
    ttnn.close_device(device)
    assert code_of(lambda: ttnn.to_torch(tensor)) == "TTL1010"
    assert code_of(lambda: ttnn.close_device(device)) == "TTL1010"
    assert code_of(lambda: ttnn.ones((2, 2), device=device)) == "TTL1010"


def test_text_outside_of_kernels() -> None:
    text = str(ttnn.ones((2, 2), ttnn.float32))
    assert text.startswith("ttnn.Tensor([[1., 1.],")
    assert "shape=Shape([2, 2]), dtype=ttnn.float32, layout=ttnn.ROW_MAJOR_LAYOUT" in text


def test_attribute_that_does_not_exist() -> None:
    tensor = ttnn.ones((2, 2))
    assert code_of(lambda: tensor.padded) == "TTL1002"
    assert not hasattr(tensor, "padded")


class Recorder:
    """Hooks that write down what they are asked."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, Any]] = []

    def slice(self, tensor: Any, index: Any) -> Any:
        self.seen.append(("slice", index))
        return "slice"

    def observe(self, tensor: Any) -> None:
        self.seen.append(("observe", tensor))

    def text(self, tensor: Any) -> str:
        self.seen.append(("text", tensor))
        return "text"


def test_hooks_decide_slices_and_text_and_hear_of_observations() -> None:
    tensor, hooks = ttnn.ones((2, 2)), Recorder()

    def kernel() -> None:
        ACTIVE.set(hooks)
        assert tensor[0, 1:2] == "slice"
        assert str(tensor) == "text"
        for look in (ttnn.to_torch, ttnn.to_numpy):
            look(tensor)
        assert code_of(lambda: ttnn.exp(tensor)) == "TTL1024"
        assert code_of(lambda: ttnn.zeros((2, 2))) == "TTL1024"

    copy_context().run(kernel)
    assert [kind for kind, _ in hooks.seen] == ["slice", "text", "observe", "observe", "observe"]
    assert hooks.seen[0][1] == (0, slice(1, 2))
    assert ACTIVE.get() is None


def test_byte_ranges_tell_tensors_apart() -> None:
    a, b = ttnn.ones((4, 4), ttnn.float32), ttnn.ones((4, 4), ttnn.float32)
    start, end = a._byte_range()
    assert end - start == 64
    other = b._byte_range()
    assert other[1] <= start or end <= other[0]
    alias = ttnn.reshape(a, (16,))
    assert alias._byte_range() == a._byte_range()
    alias._writable()
    assert alias._byte_range() != a._byte_range()


def test_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    from ttl.host import storage

    monkeypatch.setattr(storage, "torch_or_none", lambda: None)
    monkeypatch.setattr(storage, "torch_if_imported", lambda: None)
    tensor = ttnn.from_numpy(np.ones((2, 3), np.float32), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
    assert ttnn.to_numpy(ttnn.exp(tensor) @ ttnn.ones((3, 1))).shape == (2, 1)
    assert ttnn.rand((2, 2)).shape == (2, 2)
    assert code_of(lambda: ttnn.to_torch(tensor)) == "TTL1015"
