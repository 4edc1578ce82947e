"""Operations whose elements are sums of products: matrix product and convolution."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tt_model.reference.formats import Values
from tt_model.reference.windows import dilated, padded, windows


def matmul(a: Values, b: Values) -> Values:
    """The matrix product; a vector on the left is a row, one on the right a column, batch dimensions are broadcast.

    The product of two vectors has shape ``(1,)``: there are no tensors of rank 0 (the operation's verifier).
    """
    value: Values = np.asarray(np.matmul(a, b))
    return value.reshape(value.shape or (1,))


def convolved(
    x: Values,
    weight: Values,
    *,
    strides: Sequence[int],
    padding: Sequence[tuple[int, int]],
    input_dilation: Sequence[int],
    weight_dilation: Sequence[int],
    reversal: Sequence[bool],
    feature_groups: int = 1,
    batch_groups: int = 1,
) -> Values:
    """Convolution in any number of spatial dimensions, as StableHLO defines it.

    ``x`` is ``(N, C, *space)``, ``weight`` ``(O, C / feature_groups, *kernel)``, the result
    ``(N / batch_groups, O, *space)``. Padding may be negative: it then removes elements.
    """
    if len(strides) == 0:
        raise ValueError("a convolution needs a dimension of space")
    # In one order in memory, so that equal numbers give the same sums whichever operations moved them there.
    x = np.ascontiguousarray(padded(dilated(x, (1, 1, *input_dilation)), ((0, 0), (0, 0), *padding), 0.0))
    turned = tuple(2 + axis for axis, reverse in enumerate(reversal) if reverse)
    weight = np.ascontiguousarray(np.flip(weight, turned) if turned else weight)
    groups = max(feature_groups, batch_groups)
    inputs = np.split(x, groups, axis=0 if batch_groups > 1 else 1)
    weights = np.split(weight, groups, axis=0)
    kernel = weight.shape[2:]
    parts = []
    for part, kernels in zip(inputs, weights, strict=True):
        view = windows(part, (1, 1, *kernel), (1, 1, *strides), (1, 1, *weight_dilation))
        rank = part.ndim
        # The window's own dimensions are the last ones; the dimension of features is not one of the window, but summed
        # over.
        view = view[(slice(None),) * rank + (0, 0)]
        summed = (1, *range(rank, rank + len(kernel)))
        part_value = np.tensordot(view, kernels, axes=(summed, (1, *range(2, rank))))
        parts.append(np.moveaxis(part_value, -1, 1))
    return np.concatenate(parts, axis=1)


def conv2d(
    x: Values,
    weight: Values,
    bias: Values | None,
    *,
    stride: tuple[int, int],
    padding: tuple[tuple[int, int], tuple[int, int]],
    dilation: tuple[int, int],
    groups: int,
) -> Values:
    """Convolution of images: ``x`` is ``(N, H, W, C)`` or ``(H, W, C)``, ``weight`` ``(O, C / groups, KH, KW)``.

    ``padding`` is ((top, bottom), (left, right)); ``bias`` has its O values in its last dimension.
    """
    images = x.reshape((1,) * (4 - x.ndim) + x.shape)
    value = convolved(
        np.moveaxis(images, -1, 1),
        weight,
        strides=stride,
        padding=padding,
        input_dilation=(1, 1),
        weight_dilation=dilation,
        reversal=(False, False),
        feature_groups=groups,
    )
    value = np.moveaxis(value, 1, -1)
    if bias is not None:
        value = value + bias.reshape(-1)
    return value.reshape(value.shape[4 - x.ndim :])
