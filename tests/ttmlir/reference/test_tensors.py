"""Operations on whole tensors against torch, and by their definition where torch has none."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tt_model.reference.contractions import conv2d, convolved, matmul
from tt_model.reference.reductions import reduced, softmax
from tt_model.reference.shapes import embedded, gathered, sliced, transposed
from tt_model.reference.windows import max_pool2d, pooled

torch = pytest.importorskip("torch")
RNG_SEED = 11


def values(*shape: int) -> np.ndarray:
    return np.random.default_rng(RNG_SEED).standard_normal(shape)


def close(ours: np.ndarray, theirs: object) -> None:
    np.testing.assert_allclose(ours, np.asarray(theirs), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "shape"),
    [
        ((5,), (5,), (1,)), ((3, 5), (5,), (3,)), ((5,), (5, 4), (4,)), ((3, 5), (5, 4), (3, 4)),
        ((2, 3, 5), (5, 4), (2, 3, 4)), ((5,), (2, 5, 4), (2, 4)), ((7, 1, 3, 5), (2, 5, 4), (7, 2, 3, 4)),
    ],
)  # fmt: skip
def test_matmul_in_all_ranks(a: tuple[int, ...], b: tuple[int, ...], shape: tuple[int, ...]) -> None:
    left, right = values(*a), values(*b)
    ours = matmul(left, right)
    assert ours.shape == shape
    close(ours, torch.matmul(torch.from_numpy(left), torch.from_numpy(right)).reshape(shape))


@pytest.mark.parametrize(
    ("stride", "padding", "dilation", "groups"),
    [
        ((1, 1), (0, 0), (1, 1), 1),
        ((2, 3), (1, 2), (1, 1), 1),
        ((1, 2), (2, 1), (2, 3), 2),
        ((3, 1), (0, 4), (1, 2), 6),
    ],
)
def test_conv2d(
    stride: tuple[int, int], padding: tuple[int, int], dilation: tuple[int, int], groups: int
) -> None:
    x, weight, bias = values(2, 9, 11, 6), values(12, 6 // groups, 3, 2), values(1, 1, 1, 12)
    ours = conv2d(
        x,
        weight,
        bias,
        stride=stride,
        padding=((padding[0],) * 2, (padding[1],) * 2),
        dilation=dilation,
        groups=groups,
    )
    theirs = torch.nn.functional.conv2d(
        torch.from_numpy(x).permute(0, 3, 1, 2), torch.from_numpy(weight), torch.from_numpy(bias.reshape(-1)),
        stride, padding, dilation, groups,
    ).permute(0, 2, 3, 1)  # fmt: skip
    close(ours, theirs)
    without_batch = conv2d(
        x[0],
        weight,
        None,
        stride=stride,
        padding=((padding[0],) * 2, (padding[1],) * 2),
        dilation=dilation,
        groups=groups,
    )
    close(without_batch + bias[0, 0], theirs[0])


def test_conv2d_pads_four_sides_alone() -> None:
    x, weight = values(1, 4, 5, 2), values(3, 2, 2, 2)
    ours = conv2d(x, weight, None, stride=(1, 1), padding=((1, 0), (2, 3)), dilation=(1, 1), groups=1)
    by_hand = np.pad(x, ((0, 0), (1, 0), (2, 3), (0, 0)))
    close(
        ours,
        conv2d(by_hand, weight, None, stride=(1, 1), padding=((0, 0), (0, 0)), dilation=(1, 1), groups=1),
    )
    assert ours.shape == (1, 4, 9, 3)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_convolution_transposed(rank: int) -> None:
    """A transposed convolution is one with input dilation, a reversed window and the kernel's features exchanged."""
    x, weight = values(2, 4, *(5, 4, 3)[:rank]), values(4, 3, *(3, 2, 3)[:rank])
    stride, pad = 2, 1
    kernel = weight.shape[2:]
    ours = convolved(
        x, np.swapaxes(weight, 0, 1), strides=(1,) * rank, padding=[(size - 1 - pad,) * 2 for size in kernel],
        input_dilation=(stride,) * rank, weight_dilation=(1,) * rank, reversal=(True,) * rank,
    )  # fmt: skip
    function = getattr(torch.nn.functional, f"conv_transpose{rank}d")
    close(ours, function(torch.from_numpy(x), torch.from_numpy(weight), None, stride, pad))


def test_convolution_in_groups_of_the_batch() -> None:
    x, weight = values(4, 3, 6), values(8, 3, 3)
    ours = convolved(
        x, weight, strides=(1,), padding=[(-1, 1)], input_dilation=(1,), weight_dilation=(1,), reversal=(False,),
        batch_groups=2,
    )  # fmt: skip
    cut = np.pad(x[:, :, 1:], ((0, 0), (0, 0), (0, 1)))
    halves = [
        torch.nn.functional.conv1d(
            torch.from_numpy(cut[2 * half : 2 * half + 2]), torch.from_numpy(weight[4 * half : 4 * half + 4])
        )
        for half in range(2)
    ]
    close(ours, torch.cat(halves, 1))


@pytest.mark.parametrize("ceil_mode", [False, True])
def test_max_pool2d(ceil_mode: bool) -> None:
    for kernel, stride, pad, dilation in product(
        ((2, 2), (3, 2)), ((1, 1), (2, 3)), ((0, 0), (1, 1)), ((1, 1), (2, 1))
    ):
        x = values(2, 10, 9, 3)
        ours = max_pool2d(
            x,
            kernel=kernel,
            stride=stride,
            padding=((pad[0],) * 2, (pad[1],) * 2),
            dilation=dilation,
            ceil_mode=ceil_mode,
        )
        theirs = torch.nn.functional.max_pool2d(
            torch.from_numpy(x).permute(0, 3, 1, 2), kernel, stride, pad, dilation, ceil_mode
        ).permute(0, 2, 3, 1)  # fmt: skip
        close(ours, theirs)


def test_pooling() -> None:
    x = values(2, 3, 8, 9)
    common = {
        "strides": (1, 1, 2, 3),
        "base_dilation": (1,) * 4,
        "dilation": (1,) * 4,
        "padding": ((0, 0), (0, 0), (1, 1), (1, 1)),
    }
    window = (1, 1, 3, 2)
    tensor = torch.from_numpy(x)
    close(
        pooled(x, "Max", size=window, **common), torch.nn.functional.max_pool2d(tensor, window[2:], (2, 3), 1)
    )
    close(
        pooled(x, "Average", size=window, **common),
        torch.nn.functional.avg_pool2d(tensor, window[2:], (2, 3), 1),
    )


def test_pooling_dilates_what_it_reads() -> None:
    line = np.array([-1.0, -2.0, -3.0])
    result = pooled(
        line, "Max", size=(2,), strides=(1,), base_dilation=(2,), dilation=(1,), padding=((0, 0),)
    )
    assert result.tolist() == [-1, -2, -2, -3]  # what lies between is no element, not a zero


def test_a_window_must_fit() -> None:
    with pytest.raises(ValueError, match=r"window of \(4,\) does not fit into \(3,\)"):
        pooled(
            np.zeros(3), "Max", size=(4,), strides=(1,), base_dilation=(1,), dilation=(1,), padding=((0, 0),)
        )


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("dims", [None, (0,), (-1,), (0, 2), (-1, -3), (0, 1, 2)])
def test_reductions(dims: tuple[int, ...] | None, keep: bool) -> None:
    x = values(3, 4, 5)
    tensor = torch.from_numpy(x)
    axes = dims or (0, 1, 2)
    close(reduced(x, "sum", dims, keep=keep), torch.sum(tensor, axes, keepdim=keep))
    close(reduced(x, "mean", dims, keep=keep), torch.mean(tensor, axes, keepdim=keep))
    close(reduced(x, "max", dims, keep=keep), torch.amax(tensor, axes, keepdim=keep))


def test_a_reduction_names_a_wrong_dimension() -> None:
    with pytest.raises(ValueError, match="dimension 2 is not one of a tensor of rank 2"):
        reduced(np.zeros((2, 2)), "sum", (2,), keep=True)


def test_softmax() -> None:
    x = values(3, 4, 5) * 400
    for dim in (0, 1, -1):
        close(softmax(x, dim), torch.softmax(torch.from_numpy(x), dim))


def test_slices() -> None:
    x = values(6, 7)
    np.testing.assert_array_equal(sliced(x, (0, -5), (6, -1), (2, 3)), x[0:6:2, 2:6:3])
    np.testing.assert_array_equal(sliced(x, (5, 3), (0, 3), (-2, 1)), x[5:0:-2, 3:3])
    np.testing.assert_array_equal(transposed(x, -1, 0), x.T)


def test_embedding() -> None:
    weight, rows = values(9, 4), np.array([[0.0, 8.0], [3.0, 3.0]])
    close(
        embedded(rows, weight),
        torch.nn.functional.embedding(torch.from_numpy(rows.astype(int)), torch.from_numpy(weight)),
    )
    with pytest.raises(ValueError, match="index 9 is not one of the 9 rows"):
        embedded(np.array([9.0]), weight)


def test_gather_of_rows_is_embedding() -> None:
    weight, rows = values(9, 4), np.array([[[1.0], [8.0]]])
    result = gathered(
        weight, rows, offset_dims=(2,), collapsed_slice_dims=(0,), operand_batching_dims=(),
        start_indices_batching_dims=(), start_index_map=(0,), index_vector_dim=2, slice_sizes=(1, 4),
    )  # fmt: skip
    close(result, embedded(rows[..., 0], weight))


def test_gather_as_its_definition() -> None:
    """The formula of the specification of StableHLO, element by element: offsets between, two starts, a batch, clamping."""
    x, starts = values(3, 5, 6, 4), np.array([[[4, 0], [-2, 9], [1, 2]], [[0, 5], [3, 3], [2, 1]]], float)
    # x: (batch, 5, 6, 4); starts: (2 rows, 3 of the batch, vector of two)
    result = gathered(
        x, starts, offset_dims=(1, 3), collapsed_slice_dims=(1,), operand_batching_dims=(0,),
        start_indices_batching_dims=(1,), start_index_map=(2, 1), index_vector_dim=2, slice_sizes=(1, 1, 2, 3),
    )  # fmt: skip
    assert result.shape == (2, 2, 3, 3)
    for row, offset, batch, column in product(range(2), range(2), range(3), range(3)):
        begin_2 = np.clip(starts[row, batch, 0], 0, 6 - 2)
        begin_1 = np.clip(starts[row, batch, 1], 0, 5 - 1)
        assert result[row, offset, batch, column] == x[batch, int(begin_1), int(begin_2) + offset, column]
