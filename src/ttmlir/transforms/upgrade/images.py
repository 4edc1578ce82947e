"""Convolutions and pools of later text: their attributes are lists, and the dimensions of images are named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from xdsl.ir import Operation, SSAValue

from ttl.ir.refusals import Refused
from ttmlir.transforms.from_stablehlo.writer import Rule, Writer, tensor
from ttmlir.transforms.upgrade.reading import VALID, attribute, flag, integer, integers, word
from ttmlir.transforms.upgrade.shapes import interleaved, padded


def _two(op: Operation, name: str, default: int = 1) -> tuple[int, int]:
    known = integers(op, name, (default,))
    if len(known) not in (1, 2):
        raise Refused(f"{name} is {list(known)}", VALID)
    return (known[0], known[-1])


def _sides(op: Operation) -> tuple[int, int, int, int]:
    """Return the padding of the top, left, bottom and right."""
    known = integers(op, "padding", (0,))
    match known:
        case (every,):
            return every, every, every, every
        case (height, width):
            return height, width, height, width
        case (top, left, bottom, right):
            return top, left, bottom, right
    raise Refused(f"padding is {list(known)}", VALID)


def _no_compatibility(op: Operation) -> None:
    if attribute(op, "flattened_compat_info") is not None:
        raise Refused(
            "its input is flattened (flattened_compat_info)", "what works: images of four dimensions"
        )


def _window(op: Operation, sides: Sequence[int]) -> dict[str, int]:
    numbers = {}
    for name in ("stride", "dilation"):
        numbers[f"{name}_height"], numbers[f"{name}_width"] = _two(op, name)
    names = ("padding_top", "padding_left", "padding_bottom", "padding_right")
    return numbers | dict(zip(names, sides, strict=True))


def _extent(extent: int, kernel: int, stride: int, dilation: int, padding: int) -> int:
    return (extent + padding - dilation * (kernel - 1) - 1) // stride + 1


def _symmetric(
    value: SSAValue, sides: tuple[int, int, int, int], w: Writer
) -> tuple[SSAValue, tuple[int, int, int, int]]:
    """Pad an image beforehand if the padding differs between sides; return the image and the remaining padding."""
    top, left, bottom, right = sides
    if top == bottom and left == right:
        return value, sides
    return padded(value, [(0, 0), (top, bottom), (left, right), (0, 0)], 0, w), (0, 0, 0, 0)


def _conv2d(op: Operation, w: Writer) -> Sequence[SSAValue]:
    _no_compatibility(op)
    given = w.operands(op)
    order = [
        integer(op, f"{name}_dim", at) for at, name in enumerate(("batch", "height", "width", "channel"))
    ]
    if sorted(order) != [0, 1, 2, 3]:
        raise Refused(f"the order of batch, height, width and channel is {order}", VALID)
    back = [order.index(at) for at in range(4)]
    return [w.permute(convolved(op, w.permute(given[0], order), given[1], given[2:], w), back)]


def convolved(
    op: Operation, image: SSAValue, weight: SSAValue, bias: Sequence[SSAValue], w: Writer
) -> SSAValue:
    """Return the convolution of an image whose channels are last."""
    image, sides = _symmetric(image, _sides(op), w)
    batch, height, width, _ = w.shape(image)
    filters, _, *kernel = w.shape(weight)
    how = _window(op, sides)
    out = [
        _extent(height, kernel[0], how["stride_height"], how["dilation_height"], sides[0] + sides[2]),
        _extent(width, kernel[1], how["stride_width"], how["dilation_width"], sides[1] + sides[3]),
    ]
    type = tensor((batch, *out, filters), w.element(image))
    added = [w.reshape(one, (1, 1, 1, filters)) for one in bias]
    groups = integer(op, "groups", 1)
    return w.into_empty(
        "ttir.conv2d", [image, weight, added[0] if added else None], type, groups=groups, **how
    )


def _pool(op: Operation, w: Writer) -> Sequence[SSAValue]:
    _no_compatibility(op)
    (image,) = w.operands(op)
    height, width = _two(op, "kernel")
    how = {"kernel_height": height, "kernel_width": width, **_window(op, _sides(op))}
    return [w.into_empty("ttir.max_pool2d", [image], w.result(op), ceil_mode=flag(op, "ceil_mode"), **how)]


def _average_pool(op: Operation, w: Writer) -> Sequence[SSAValue]:
    """Convert an average pooling to a convolution of each channel by itself with equal weights."""
    _no_compatibility(op)
    (image,) = w.operands(op)
    height, width = _two(op, "kernel")
    sides = _sides(op)
    if flag(op, "ceil_mode") or (any(sides) and not flag(op, "count_include_pad", True)):
        raise Refused(
            "its windows are not of equal size (ceil_mode, or padding that is not counted)",
            "what works: ceil_mode = false, and count_include_pad = true or no padding",
        )
    channels = w.shape(image)[3]
    weight = w.filled(1 / (height * width), (channels, 1, height, width), w.element(image))
    image, sides = _symmetric(image, sides, w)
    type = w.result(op)
    return [w.into_empty("ttir.conv2d", [image, weight, None], type, groups=channels, **_window(op, sides))]


def _global_average(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (image,) = w.operands(op)
    return [w.reduce("mean", image, [1, 2], keep=True)]


def _upsample(op: Operation, w: Writer) -> Sequence[SSAValue]:
    (image,) = w.operands(op)
    if (mode := word(op, "mode", "nearest")) != "nearest":
        raise Refused(f"its mode is {mode}", "what works: nearest")
    height, width = _two(op, "scale_factor")
    return [interleaved(interleaved(image, height, 1, w), width, 2, w)]


IMAGES: Mapping[str, Rule] = MappingProxyType(
    {
        "conv2d": _conv2d,
        "max_pool2d": _pool,
        "avg_pool2d": _average_pool,
        "global_avg_pool2d": _global_average,
        "upsample2d": _upsample,
    }
)
