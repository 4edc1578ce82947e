"""What networks need of the host library: attention, caches, convolutions, pooling, norms; against torch, and in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as functional

from ttl.diag import ProgramError
from ttl.frontend.host.network_shapes import RULES
from ttl.host import api as ttnn
from ttl.host import storage


def rand(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed + sum(shape)))


def raw(values: Any) -> Any:
    """A row-major tensor, by way of NumPy: then torch is not needed to make it."""
    return ttnn.from_torch(values.numpy())


def t(values: torch.Tensor) -> Any:
    return ttnn.to_layout(raw(values), ttnn.TILE_LAYOUT)


Q, K, V = rand(2, 4, 32, 16), rand(2, 2, 32, 16, seed=1), rand(2, 2, 32, 16, seed=2)
IMAGE, WEIGHT, BIAS = rand(2, 6, 9, 11), rand(8, 3, 3, 2), rand(8)
DECONV = rand(6, 4, 3, 3)
LAST = IMAGE.permute(0, 2, 3, 1).contiguous()
FUSED = rand(2, 1, 32, (4 + 2 * 2) * 16)
COS, SIN = rand(1, 1, 64, 16), rand(1, 1, 64, 16, seed=5)
GROUPED = rand(2, 1, 20, 12)
X = rand(3, 8)
PAIRS = torch.zeros(8, 8)
for _at in range(0, 8, 2):
    PAIRS[_at, _at + 1], PAIRS[_at + 1, _at] = 1, -1


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, **options: Any) -> torch.Tensor:
    repeats = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(repeats, 1), v.repeat_interleave(repeats, 1)
    return functional.scaled_dot_product_attention(q, k, v, **options)


def half(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([-x[..., x.shape[-1] // 2 :], x[..., : x.shape[-1] // 2]], -1)


def conv(function: Any, x: torch.Tensor, w: torch.Tensor, bias: Any = None, **options: Any) -> Any:
    n, h, width, c = x.shape
    return function(
        input_tensor=t(x.reshape(1, 1, -1, c)), weight_tensor=raw(w), bias_tensor=bias, batch_size=n,
        in_channels=c, input_height=h, input_width=width, **options,
    )  # fmt: skip


def flat(x: torch.Tensor) -> torch.Tensor:
    return x.permute(0, 2, 3, 1).reshape(1, 1, -1, x.shape[1])


def decoded(positions: list[int]) -> torch.Tensor:
    parts = []
    for user, position in enumerate(positions):
        q = Q[user, :, :1][None]
        k, v = (each[user : user + 1, :, : position + 1] for each in (K, V))
        parts.append(attention(q, k, v)[:, :, 0])
    return torch.stack(parts, 1)


def split_heads(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    parts = x[:, 0].split([64, 32, 32], -1)
    return tuple(each.reshape(2, 32, -1, 16).transpose(1, 2) for each in parts)


POOL = {"batch_size": 2, "input_h": 9, "input_w": 11, "channels": 6}
CONV: dict[str, Any] = {"out_channels": 8, "kernel_size": (3, 2), "groups": 2}
CASES: dict[str, tuple[Callable[[], Any], Callable[[], torch.Tensor]]] = {
    "attention": (lambda: ttnn.transformer.scaled_dot_product_attention(t(Q), t(K), t(V), is_causal=False),
                  lambda: attention(Q, K, V)),
    "attention causal": (lambda: ttnn.transformer.scaled_dot_product_attention(t(Q), t(K), t(V), scale=0.3),
                         lambda: attention(Q, K, V, is_causal=True, scale=0.3)),
    "attention mask": (lambda: ttnn.transformer.scaled_dot_product_attention(
        t(Q), t(K), t(V), is_causal=False, attn_mask=t(rand(2, 1, 32, 32))), lambda: attention(Q, K, V, attn_mask=rand(2, 1, 32, 32))),
    "attention decode": (lambda: ttnn.transformer.scaled_dot_product_attention_decode(
        t(Q[:, :, 0][None].contiguous()), t(K), t(V), cur_pos=[3, 20]), lambda: decoded([3, 20])),
    "attention paged": (lambda: ttnn.transformer.paged_scaled_dot_product_attention_decode(
        t(Q[:, :, 0][None].contiguous()), t(K.reshape(2, 2, 4, 8, 16).transpose(1, 2).reshape(8, 2, 8, 16)[[1, 0, 2, 3, 4, 5, 6, 7]]),
        t(V.reshape(2, 2, 4, 8, 16).transpose(1, 2).reshape(8, 2, 8, 16)[[1, 0, 2, 3, 4, 5, 6, 7]]),
        raw(torch.tensor([[1, 0, 2, 3], [4, 5, 6, 7]])), cur_pos_tensor=raw(torch.tensor([9, 31]))),
        lambda: decoded([9, 31])),
    "attention softmax": (lambda: ttnn.transformer.attention_softmax(t(Q), head_size=16, attention_mask=t(rand(2, 1, 1, 16))),
                          lambda: (Q / 4 + rand(2, 1, 1, 16)).softmax(-1)),
    "split heads q": (lambda: ttnn.transformer.split_query_key_value_and_split_heads(t(FUSED[:, 0].contiguous()), num_heads=4, num_kv_heads=2)[0],
                      lambda: split_heads(FUSED)[0]),
    "split heads k": (lambda: ttnn.transformer.split_query_key_value_and_split_heads(t(FUSED[:, 0].contiguous()), num_heads=4, num_kv_heads=2)[1],
                      lambda: split_heads(FUSED)[1].mT),
    "create qkv heads k": (lambda: ttnn.experimental.nlp_create_qkv_heads(t(FUSED), num_heads=4, num_kv_heads=2, transpose_k_heads=False)[1],
                           lambda: split_heads(FUSED)[1]),
    "create qkv heads v": (lambda: ttnn.experimental.nlp_create_qkv_heads(t(FUSED), num_heads=4, num_kv_heads=2)[2],
                           lambda: split_heads(FUSED)[2]),
    "create heads decode": (lambda: ttnn.experimental.nlp_create_qkv_heads_decode(t(FUSED[:1]), num_heads=4, num_kv_heads=2)[1],
                            lambda: FUSED[:1, :, :, 64:96].reshape(1, 32, 2, 16)),
    "concatenate heads": (lambda: ttnn.transformer.concatenate_heads(t(Q)), lambda: Q.transpose(1, 2).reshape(2, 32, 64)),
    "concat heads": (lambda: ttnn.experimental.nlp_concat_heads(t(Q)), lambda: Q.transpose(1, 2).reshape(2, 1, 32, 64)),
    "concat heads decode": (lambda: ttnn.experimental.nlp_concat_heads_decode(t(Q[:1]), num_heads=8), lambda: Q[:1, :, :8].reshape(1, 1, 4, 128)),
    "attn matmul": (lambda: ttnn.experimental.attn_matmul(t(rand(1, 4, 2, 16)), t(K.mT.contiguous())),
                    lambda: torch.einsum("qhbk,bhkn->qhbn", rand(1, 4, 2, 16), K.mT.repeat_interleave(2, 1))),
    "rotary": (lambda: ttnn.experimental.rotary_embedding(t(Q), t(COS), t(SIN)), lambda: Q * COS[:, :, :32] + half(Q) * SIN[:, :, :32]),
    "rotary token": (lambda: ttnn.experimental.rotary_embedding(t(Q), t(COS), t(SIN), 7),
                     lambda: Q * COS[:, :, 7:8] + half(Q) * SIN[:, :, 7:8]),
    "rotary llama": (lambda: ttnn.experimental.rotary_embedding_llama(t(Q), t(COS), t(SIN), t(PAIRS[None, None])),
                     lambda: Q * COS[:, :, :32] + (Q.reshape(2, 4, 32, 2, 8) @ PAIRS).reshape(Q.shape) * SIN[:, :, :32]),
    "conv2d": (lambda: conv(ttnn.conv2d, LAST, WEIGHT, **CONV), lambda: flat(functional.conv2d(IMAGE, WEIGHT, groups=2))),
    "conv2d options": (
        lambda: conv(ttnn.conv2d, LAST, WEIGHT, t(BIAS.reshape(1, 1, 1, -1)), stride=(2, 1), padding=(1, 2), dilation=(2, 1),
                     conv_config=ttnn.Conv2dConfig(activation="relu", weights_dtype=ttnn.bfloat16), **CONV),
        lambda: flat(functional.conv2d(IMAGE, WEIGHT, BIAS, (2, 1), (1, 2), (2, 1), 2).relu())),
    "conv2d four borders": (lambda: conv(ttnn.conv2d, LAST, WEIGHT, padding=(0, 1, 2, 3), **CONV),
                            lambda: flat(functional.conv2d(functional.pad(IMAGE, (2, 3, 0, 1)), WEIGHT, groups=2))),
    "conv1d": (lambda: ttnn.conv1d(input_tensor=t(rand(2, 20, 6)), weight_tensor=raw(rand(4, 6, 3)), in_channels=6,
                                   out_channels=4, batch_size=2, input_length=20, kernel_size=3, padding=1),
               lambda: functional.conv1d(rand(2, 20, 6).mT, rand(4, 6, 3), padding=1).mT.reshape(1, 1, -1, 4)),
    "conv transpose": (lambda: conv(ttnn.conv_transpose2d, LAST, DECONV, out_channels=8, kernel_size=3, stride=(2, 2), padding=(1, 1), output_padding=(1, 0), groups=2),
                       lambda: flat(functional.conv_transpose2d(IMAGE, DECONV, None, 2, 1, (1, 0), 2))),
    "max pool": (lambda: ttnn.max_pool2d(t(LAST), kernel_size=[3, 3], stride=[2, 2], padding=[1, 1], dilation=[1, 1], **POOL),
                 lambda: flat(functional.max_pool2d(IMAGE, 3, 2, 1))),
    "max pool ceil": (lambda: ttnn.max_pool2d(t(LAST), kernel_size=[2, 2], stride=[2, 2], padding=[0, 0], ceil_mode=True, **POOL),
                      lambda: flat(functional.max_pool2d(IMAGE, 2, 2, 0, ceil_mode=True))),
    "avg pool": (lambda: ttnn.avg_pool2d(t(LAST), kernel_size=[3, 3], stride=[2, 2], padding=[1, 1], count_include_pad=False, **POOL),
                 lambda: flat(functional.avg_pool2d(IMAGE, 3, 2, 1, count_include_pad=False))),
    "avg pool ceil": (lambda: ttnn.avg_pool2d(t(LAST), kernel_size=[3, 2], stride=[2, 2], padding=[1, 0], ceil_mode=True, **POOL),
                      lambda: flat(functional.avg_pool2d(IMAGE, (3, 2), 2, (1, 0), ceil_mode=True))),
    "global avg pool": (lambda: ttnn.global_avg_pool2d(t(LAST)), lambda: LAST.mean((1, 2), True)),
    "upsample": (lambda: ttnn.upsample(t(LAST), [2, 3]),
                 lambda: functional.interpolate(IMAGE, scale_factor=(2, 3)).permute(0, 2, 3, 1)),
    "upsample bilinear": (lambda: ttnn.upsample(t(LAST), 2, mode="bilinear"),
                          lambda: functional.interpolate(IMAGE, scale_factor=2, mode="bilinear").permute(0, 2, 3, 1)),
    "group norm": (lambda: ttnn.group_norm(t(GROUPED), num_groups=3, epsilon=1e-5, weight=t(rand(12)), bias=t(rand(12, seed=3))),
                   lambda: functional.group_norm(GROUPED[:, 0].mT, 3, rand(12), rand(12, seed=3), 1e-5).mT[:, None]),
    "group norm padded": (lambda: ttnn.group_norm(t(GROUPED), num_groups=2, epsilon=1e-5, weight=raw(
        ttnn.create_group_norm_weight_bias_rm(rand(12), 12, 1))), lambda: functional.group_norm(GROUPED[:, 0].mT, 2, rand(12), eps=1e-5).mT[:, None]),
    "batch norm": (lambda: ttnn.batch_norm(t(IMAGE), running_mean=t(rand(1, 6, 1, 1)), running_var=t(rand(1, 6, 1, 1).abs()), weight=t(rand(1, 6, 1, 1, seed=9))),
                   lambda: functional.batch_norm(IMAGE, rand(1, 6, 1, 1).flatten(), rand(1, 6, 1, 1).abs().flatten(), rand(1, 6, 1, 1, seed=9).flatten())),
    "batch norm training": (lambda: ttnn.batch_norm(t(IMAGE), training=True), lambda: functional.batch_norm(IMAGE, None, None, training=True)),
    "glu": (lambda: ttnn.glu(t(X), -1), lambda: functional.glu(X)),
    "swiglu": (lambda: ttnn.swiglu(t(X), -1), lambda: X[:, :4] * functional.silu(X[:, 4:])),
    "mse": (lambda: ttnn.mse_loss(t(X), t(X * 2), reduction=ttnn.LossReductionMode.MEAN), lambda: functional.mse_loss(X, X * 2)),
    "l1": (lambda: ttnn.l1_loss(t(X), t(X * 2)), lambda: X.abs()),
    "fill": (lambda: ttnn.fill(t(X), 2.5), lambda: torch.full_like(X, 2.5)),
    "roll": (lambda: ttnn.roll(t(X), 3, 1), lambda: X.roll(3, 1)),
    "narrow": (lambda: ttnn.narrow(t(X), 1, 2, 5), lambda: X.narrow(1, 2, 5)),
    "scatter": (lambda: ttnn.scatter(t(X), 1, raw(torch.tensor([[1, 0], [3, 2], [7, 6]])), t(X)),
                lambda: X.scatter(1, torch.tensor([[1, 0], [3, 2], [7, 6]]), X)),
    "scatter add": (lambda: ttnn.scatter_add(t(X), 0, raw(torch.tensor([[1, 0, 1]])), t(X)),
                    lambda: X.scatter_add(0, torch.tensor([[1, 0, 1]]), X)),
    "index fill": (lambda: ttnn.index_fill(t(X), 1, raw(torch.tensor([1, 5])), 4.0), lambda: X.index_fill(1, torch.tensor([1, 5]), 4.0)),
    "dequantize": (lambda: ttnn.dequantize(ttnn.quantize(t(X), 0.02, 3), 0.02, 3, dtype=ttnn.float32),
                   lambda: torch.fake_quantize_per_tensor_affine(X, 0.02, 3, -128, 127)),
    "fast reduce": (lambda: ttnn.experimental.fast_reduce_nc(t(Q), dims=[0, 1]), lambda: Q.sum((0, 1), True)),
    "as tensor": (lambda: ttnn.as_tensor(t(X), ttnn.float32, layout=ttnn.ROW_MAJOR_LAYOUT), lambda: X),
}  # fmt: skip


@pytest.mark.parametrize("library", ["torch", "numpy"])
@pytest.mark.parametrize("name", CASES)
def test_against_torch(name: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, theirs = CASES[name]
    expected = theirs()
    if library == "numpy":
        monkeypatch.setattr(storage, "torch_or_none", lambda: None)
        monkeypatch.setattr(storage, "torch_if_imported", lambda: None)
    result = mine()
    found = torch.from_numpy(np.array(ttnn.to_numpy(result), np.float32))
    assert tuple(found.shape) == tuple(expected.shape)
    torch.testing.assert_close(found, expected.float(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", CASES)
def test_reading_a_program_gives_the_same_shapes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What ``ttl check`` says a function makes, without data, is what it makes."""
    asked: list[str] = []

    def compared(function: Any, rule: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            made, said = function(*args, **kwargs), rule(*args, **kwargs)
            for one, other in zip(_flat(made), _flat(said), strict=True):
                asked.append(function.__name__)
                assert (tuple(one.shape), one.dtype, one.layout) == (
                    tuple(other.shape),
                    other.dtype,
                    other.layout,
                )
            return made

        return call

    for module in (ttnn, ttnn.transformer, ttnn.experimental, ttnn.kv_cache):
        for known, rule in RULES.items():
            if known in vars(module):
                monkeypatch.setattr(module, known, compared(getattr(module, known), rule))
    CASES[name][0]()
    assert asked or name == "as tensor"


def _flat(value: Any) -> list[Any]:
    return (
        [value] if not isinstance(value, list | tuple) else [each for part in value for each in _flat(part)]
    )


def test_sizes_and_weights_of_a_convolution() -> None:
    made, size, (weight, bias) = conv(
        ttnn.conv2d, LAST, WEIGHT, return_output_dim=True, return_weights_and_bias=True, **CONV
    )
    assert size == [7, 10] and made.shape == [1, 1, 140, 8] and bias is None
    again = conv(
        ttnn.conv2d, LAST, WEIGHT, conv_config=ttnn.Conv2dConfig(output_layout=ttnn.ROW_MAJOR_LAYOUT), **CONV
    )
    assert again.layout is ttnn.ROW_MAJOR_LAYOUT and weight.shape == [8, 3, 3, 2]
    assert ttnn.get_conv_output_dim(9, 3, 2, 1) == 5


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: conv(ttnn.conv2d, LAST, WEIGHT, out_channels=8, kernel_size=(3, 3), groups=2),
        lambda: ttnn.transformer.scaled_dot_product_attention(t(Q), t(K), t(V), attn_mask=t(Q)),
        lambda: ttnn.transformer.scaled_dot_product_attention(t(Q), t(K[:1]), t(V)),
        lambda: ttnn.experimental.nlp_create_qkv_heads(t(FUSED), num_heads=5),
        lambda: ttnn.group_norm(t(GROUPED), num_groups=5),
        lambda: ttnn.upsample(t(LAST), 2, mode="cubic"),
        lambda: ttnn.max_pool2d(t(LAST), kernel_size=[30, 3], stride=[2, 2], padding=[1, 1], **POOL),
        lambda: ttnn.update_cache(t(K), t(K), 99),
    ],
)
def test_wrong_arguments(wrong: Any) -> None:
    with pytest.raises(ProgramError) as caught:
        wrong()
    assert caught.value.code.startswith("TTL10") and caught.value.code != "TTL1018"
