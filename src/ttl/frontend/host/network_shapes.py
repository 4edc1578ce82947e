"""Shapes for the functions of TT-NN that networks use, in a program that is only read: attention, caches, convolutions, pooling,
norms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ttl.host.convolution import borders, pair, positions
from ttl.host.dataless import like
from ttl.host.movement import to_device, to_layout, to_memory_config
from ttl.host.shape import dimension
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import BFLOAT16, INT32
from ttl.rows.types import Layout


def _as(tensor: Tensor, shape: Any, options: dict[str, Any], dtype: Any = None) -> Tensor:
    return placed(like(tensor, tuple(shape), options.get("dtype") or dtype), options)


def _along(tensor: Tensor, axis: int, extent: int, options: dict[str, Any], dtype: Any = None) -> Tensor:
    """The tensor with another extent in one dimension."""
    return _as(tensor, (*tensor.shape[:axis], extent, *tensor.shape[axis + 1 :]), options, dtype)


def placed(tensor: Tensor, options: dict[str, Any]) -> Tensor:
    """Return the tensor in the memory that the call requests for its result."""
    config = options.get("memory_config")
    return tensor if config is None else to_memory_config(tensor, config)


def same(tensor: Tensor, *arguments: Any, **options: Any) -> Tensor:
    """Return a tensor of the shape of the first operand, or ``output_tensor``."""
    output = options.get("output_tensor")
    return output if isinstance(output, Tensor) else _as(tensor, tensor.shape, options)


def split_heads(tensor: Tensor, kv: Any = None, **options: Any) -> tuple[Tensor, Tensor, Tensor]:
    """``transformer.split_query_key_value_and_split_heads``, ``experimental.nlp_create_qkv_heads``."""
    heads, groups = options["num_heads"], options.get("num_kv_heads") or options["num_heads"]
    kv = options.get("kv_input_tensor", options.get("input_kv", kv))
    width = tensor.shape[-1] // (heads + 2 * groups if kv is None else heads)
    b, s = tensor.shape[0], tensor.shape[-2]
    turned = options.get("transpose_key", options.get("transpose_k_heads", True))
    k = (b, groups, width, s) if turned else (b, groups, s, width)
    shapes = ((b, heads, s, width), k, (b, groups, s, width))
    q, keys, values = (_as(tensor, shape, options) for shape in shapes)
    return q, keys, values


def split_decode(tensor: Tensor, *, num_heads: int, num_kv_heads: int | None = None, **options: Any) -> Any:
    """``experimental.nlp_create_qkv_heads_decode``."""
    groups = num_kv_heads or num_heads
    width = tensor.shape[-1] // (num_heads + 2 * groups)
    return tuple(
        _as(tensor, (1, tensor.shape[2], heads, width), options) for heads in (num_heads, groups, groups)
    )


# --- images -----------------------------------------------------------------------------------------------------------


def convolved(**options: Any) -> Any:
    """``ttnn.conv2d``."""
    window, step, spread = (
        pair(options.get(name, default), "conv2d", name)
        for name, default in (("kernel_size", 1), ("stride", 1), ("dilation", 1))
    )
    top, bottom, left, right = borders(options.get("padding", 0), "conv2d")
    rows = positions(options["input_height"], window[0], step[0], (top, bottom), spread[0])
    columns = positions(options["input_width"], window[1], step[1], (left, right), spread[1])
    return _of_convolution(options, rows, columns)


def convolved_line(**options: Any) -> Any:
    """``ttnn.conv1d``."""
    padding = options.get("padding", 0)
    edges = (padding, padding) if isinstance(padding, int) else tuple(padding)
    rows = positions(
        options["input_length"],
        options["kernel_size"],
        options.get("stride", 1),
        (edges[0], edges[1]),
        options.get("dilation", 1),
    )
    parts = _of_convolution(options, rows, 1)
    if options.get("return_output_dim"):
        parts[1] = rows
    return parts


def deconvolved(**options: Any) -> Any:
    """``ttnn.conv_transpose2d``."""
    window, step, spread, more = (
        pair(options.get(name, default), "conv_transpose2d", name)
        for name, default in (("kernel_size", 1), ("stride", 1), ("dilation", 1), ("output_padding", 0))
    )
    top, bottom, left, right = borders(options.get("padding", 0), "conv_transpose2d")
    rows = (options["input_height"] - 1) * step[0] + spread[0] * (window[0] - 1) + 1 - top - bottom + more[0]
    columns = (
        (options["input_width"] - 1) * step[1] + spread[1] * (window[1] - 1) + 1 - left - right + more[1]
    )
    return _of_convolution(options, rows, columns)


def _of_convolution(options: dict[str, Any], rows: int, columns: int) -> Any:
    source, config = options["input_tensor"], options.get("conv_config")
    order = getattr(config, "output_layout", None) or Layout.TILE
    shape = (1, 1, options["batch_size"] * rows * columns, options["out_channels"])
    result = placed(to_layout(_as(source, shape, {"dtype": options.get("dtype")}), order), options)
    parts: list[Any] = [result]
    if options.get("return_output_dim"):
        parts.append([rows, columns])
    if options.get("return_weights_and_bias"):
        parts.append([options["weight_tensor"], options.get("bias_tensor")])
    return parts if len(parts) > 1 else result


_POOL = ("input_tensor", "batch_size", "input_h", "input_w", "channels", "kernel_size", "stride", "padding")


def pooled(*arguments: Any, **options: Any) -> Tensor:
    """``ttnn.max_pool2d``, ``ttnn.avg_pool2d``."""
    given = dict(zip(_POOL, arguments, strict=False)) | options
    window, step = (pair(given[name], "pool", name) for name in ("kernel_size", "stride"))
    spread = pair(given.get("dilation", 1), "pool", "dilation")
    top, bottom, left, right = borders(given["padding"], "pool")
    ceiling = bool(given.get("ceil_mode", False))
    rows = positions(given["input_h"], window[0], step[0], (top, bottom), spread[0], ceiling)
    columns = positions(given["input_w"], window[1], step[1], (left, right), spread[1], ceiling)
    shape = (1, 1, given["batch_size"] * rows * columns, given["channels"])
    result, order = _as(given["input_tensor"], shape, given), given.get("output_layout")
    return result if order is None else to_layout(result, order)


def upsampled(tensor: Tensor, scale_factor: Any, **options: Any) -> Tensor:
    """``ttnn.upsample``."""
    factors = scale_factor if isinstance(scale_factor, (list, tuple)) else (scale_factor, scale_factor)
    n, h, w, c = tensor.shape
    return _as(tensor, (n, h * int(factors[0]), w * int(factors[1]), c), options)


def prepared(**options: Any) -> Tensor:
    """``ttnn.prepare_conv_weights`` and the like."""
    tensor = options.get("weight_tensor", options.get("bias_tensor"))
    assert isinstance(tensor, Tensor)
    device = options.get("device")
    return tensor if device is None else to_device(tensor, device)


# --- the rest ---------------------------------------------------------------------------------------------------------


def halved(tensor: Tensor, dim: int = -1, **options: Any) -> Tensor:
    """``ttnn.glu`` and the like."""
    axis = dimension(dim, len(tensor.shape), "glu")
    return _along(tensor, axis, tensor.shape[axis] // 2, options)


def reduced(tensor: Tensor, *, dims: Any, **options: Any) -> Tensor:
    """``experimental.fast_reduce_nc``."""
    axes = {dim % len(tensor.shape) for dim in dims}
    return _as(tensor, [1 if axis in axes else extent for axis, extent in enumerate(tensor.shape)], options)


def embedded(indices: Tensor, weight: Tensor, **options: Any) -> Tensor:
    """``ttnn.embedding``."""
    rows = _as(weight, (*indices.shape, weight.shape[-1]), {"dtype": options.get("dtype")})
    order = options.get("layout")
    return placed(rows if order is None else to_layout(rows, order), options)


def selected(tensor: Tensor, k: int, dim: int = -1, *arguments: Any, **options: Any) -> tuple[Tensor, Tensor]:
    """``ttnn.topk``: values and indices."""
    axis = dimension(dim, len(tensor.shape), "topk")
    return _along(tensor, axis, k, options), _along(tensor, axis, k, options, INT32)


def nothing(*arguments: Any, **options: Any) -> None:
    """Do nothing: the function has an effect only while a program runs."""


_SAME = (
    "group_norm", "batch_norm", "roll", "fill", "scatter", "scatter_add", "index_fill", "attention_softmax", "rotary_embedding",
    "rotary_embedding_hf", "rotary_embedding_llama", "rotate_half", "dropout", "move", "reallocate",
)  # fmt: skip
_IN_PLACE = (
    "fill_cache", "update_cache", "fill_cache_for_user_", "update_cache_for_token_", "paged_update_cache", "paged_fill_cache",
    "attention_softmax_",
)  # fmt: skip
RULES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(_SAME, same), **dict.fromkeys(_IN_PLACE, lambda tensor, *arguments, **options: tensor),
    "concatenate_heads": lambda x, **options: _as(x, (x.shape[0], x.shape[2], x.shape[1] * x.shape[3]), options),
    "nlp_concat_heads": lambda x, **options: _as(x, (x.shape[0], 1, x.shape[2], x.shape[1] * x.shape[3]), options),
    "nlp_concat_heads_decode": lambda x, *, num_heads, **options: _as(x, (1, 1, x.shape[1], num_heads * x.shape[3]), options),
    "split_query_key_value_and_split_heads": split_heads, "nlp_create_qkv_heads": split_heads,
    "nlp_create_qkv_heads_decode": split_decode,
    **dict.fromkeys(
        ("scaled_dot_product_attention", "scaled_dot_product_attention_decode", "paged_scaled_dot_product_attention_decode"),
        # The shape of the queries, with the width of the values.
        lambda q, k, v, *more, **options: _as(q, (*q.shape[:-1], v.shape[-1]), options),
    ),
    **dict.fromkeys(("attn_matmul", "group_attn_matmul"), lambda a, b, **options: _as(a, (*a.shape[:-1], b.shape[-1]), options)),
    "nlp_kv_cache_load_slice": lambda cache, *, seq_len_start, seq_len_end, **options: _as(
        cache, (*cache.shape[:2], seq_len_end - seq_len_start, cache.shape[3]), options
    ),
    "conv2d": convolved, "conv1d": convolved_line, "conv_transpose2d": deconvolved,
    **dict.fromkeys(("max_pool2d", "avg_pool2d"), pooled), "upsample": upsampled,
    "global_avg_pool2d": lambda x, **options: _as(x, (x.shape[0], 1, 1, x.shape[3]), options),
    **dict.fromkeys(
        ("prepare_conv_weights", "prepare_conv_bias", "prepare_conv_transpose2d_weights", "prepare_conv_transpose2d_bias"),
        prepared,
    ),
    **dict.fromkeys(("glu", "reglu", "geglu", "swiglu"), halved),
    **dict.fromkeys(
        ("mse_loss", "l1_loss"),
        lambda reference, prediction, *, reduction="NONE", **options: _as(
            reference, reference.shape if reduction == "NONE" else (), options
        ),
    ),
    "narrow": lambda x, dim, start, length: _along(x, dimension(dim, len(x.shape), "narrow"), length, {}),
    "quantize": lambda x, *arguments, **options: _as(x, x.shape, options, INT32),
    "dequantize": lambda x, *arguments, **options: _as(x, x.shape, options, BFLOAT16),
    "fast_reduce_nc": reduced, "embedding": embedded,
    "topk": selected,
    **dict.fromkeys(
        ("dump_tensor", "manual_seed", "begin_trace_capture", "end_trace_capture", "execute_trace", "release_trace", "record_event",
         "wait_for_event", "event_synchronize", "CloseDevice", "CloseDevices"), nothing,
    ),
}  # fmt: skip
