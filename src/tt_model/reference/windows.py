"""Windows that move over a tensor, which convolution and pooling read, and pooling itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tt_model.operations.result_shapes import window_positions
from tt_model.reference.formats import Values


def dilated(x: Values, factors: Sequence[int], filler: float = 0.0) -> Values:
    """Insert ``factor - 1`` fillers between neighbours along each dimension."""
    if all(factor == 1 for factor in factors):
        return x
    shape = [
        (extent - 1) * factor + 1 if extent else 0 for extent, factor in zip(x.shape, factors, strict=True)
    ]
    value: Values = np.full(shape, filler)
    value[tuple(slice(None, None, factor) for factor in factors)] = x
    return value


def padded(x: Values, padding: Sequence[tuple[int, int]], filler: float) -> Values:
    """Add fillers before and after each dimension; a negative number removes elements."""
    cropped = x[
        tuple(
            slice(max(-low, 0), extent - max(-high, 0))
            for extent, (low, high) in zip(x.shape, padding, strict=True)
        )
    ]
    value: Values = np.pad(
        cropped, [(max(low, 0), max(high, 0)) for low, high in padding], constant_values=filler
    )
    return value


def windows(x: Values, size: Sequence[int], strides: Sequence[int], dilation: Sequence[int]) -> Values:
    """A view of rank ``2 * rank``: the positions of the window along all dimensions, then the elements that it covers.

    Raises ``ValueError`` if the window does not fit.
    """
    reach = [(extent - 1) * factor + 1 for extent, factor in zip(size, dilation, strict=True)]
    if any(wide > extent for wide, extent in zip(reach, x.shape, strict=True)):
        raise ValueError(f"a window of {tuple(reach)} does not fit into {x.shape}, padding included")
    places = np.lib.stride_tricks.sliding_window_view(x, reach)
    return places[
        (*(slice(None, None, step) for step in strides), *(slice(None, None, step) for step in dilation))
    ]


def pooled(
    x: Values,
    method: str,
    *,
    size: Sequence[int],
    strides: Sequence[int],
    base_dilation: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[tuple[int, int]],
) -> Values:
    """The maximum (``Max``) or mean (``Average``) of each window; each list has one number per dimension of ``x``.

    Padding is minus infinity for a maximum. A mean divides by the number of elements of the window, and padding counts
    as zeros.
    """
    filler = -np.inf if method == "Max" else 0.0
    x = padded(dilated(x, base_dilation, filler), padding, filler)
    axes = tuple(range(x.ndim, 2 * x.ndim))
    view = windows(x, size, strides, dilation)
    value: Values = view.max(axis=axes) if method == "Max" else view.mean(axis=axes)
    return value


def max_pool2d(
    x: Values,
    *,
    kernel: tuple[int, int],
    stride: tuple[int, int],
    padding: tuple[tuple[int, int], tuple[int, int]],
    dilation: tuple[int, int],
    ceil_mode: bool,
) -> Values:
    """The maximum of each window of ``(N, H, W, C)``; ``padding`` is ((top, bottom), (left, right)).

    With ``ceil_mode`` a window may reach beyond the padding after the image, if it begins within the image or the padding
    before it.
    """
    widened = [
        (low, high + (_excess(extent, size, step, (low, high), factor) if ceil_mode else 0))
        for extent, size, step, (low, high), factor in zip(
            x.shape[1:3], kernel, stride, padding, dilation, strict=True
        )
    ]
    return pooled(
        x,
        "Max",
        size=(1, *kernel, 1),
        strides=(1, *stride, 1),
        base_dilation=(1,) * 4,
        dilation=(1, *dilation, 1),
        padding=((0, 0), *widened, (0, 0)),
    )


def _excess(extent: int, size: int, stride: int, padding: tuple[int, int], dilation: int) -> int:
    """Return how many elements the last window of ``ceil_mode`` reaches beyond the padding; 0 if it does not."""
    last = window_positions(extent, size, stride, padding, dilation, ceil_mode=True) - 1
    return max(last * stride + dilation * (size - 1) + 1 - (extent + sum(padding)), 0)
