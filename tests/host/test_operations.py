"""Whole-tensor operations of the host library against torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as functional

from ttl.diag import ProgramError
from ttl.host import api as ttnn
from ttl.host import storage

X = torch.randn(2, 3, 40, 50, generator=torch.Generator().manual_seed(1))
M = torch.randn(50, 20, generator=torch.Generator().manual_seed(2))
V = torch.randn(50, generator=torch.Generator().manual_seed(3))
B = torch.randn(20, generator=torch.Generator().manual_seed(4))


def t(values: torch.Tensor, **options: Any) -> Any:
    return ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, **options)


CASES: dict[str, tuple[Callable[[], Any], Callable[[], torch.Tensor]]] = {
    "matmul": (lambda: ttnn.matmul(t(X), t(M)), lambda: X @ M),
    "matmul transposed": (lambda: ttnn.matmul(t(X), t(M.T.contiguous()), transpose_b=True), lambda: X @ M),
    "matmul transpose_a": (lambda: ttnn.matmul(t(X), t(X), transpose_a=True), lambda: X.mT @ X),
    "matmul vector": (lambda: ttnn.matmul(t(X), t(V)), lambda: X @ V),
    "matmul activation": (lambda: ttnn.matmul(t(X), t(M), activation="relu"), lambda: (X @ M).relu()),
    "linear": (lambda: ttnn.linear(t(X), t(M), bias=t(B), activation="gelu"), lambda: functional.gelu(X @ M + B)),
    "addmm": (lambda: ttnn.addmm(t(X[0, 0, :, :20]), t(X[0, 0]), t(M), alpha=2.0, beta=0.5),
              lambda: torch.addmm(X[0, 0, :, :20], X[0, 0], M, alpha=2.0, beta=0.5)),
    "outer": (lambda: ttnn.outer(t(V), t(B)), lambda: torch.outer(V, B)),
    "sum": (lambda: ttnn.sum(t(X), dim=-1), lambda: X.sum(-1)),
    "sum all": (lambda: ttnn.sum(t(X)), lambda: X.sum()),
    "sum scaled": (lambda: ttnn.sum(t(X), dim=[1, 2], keepdim=True, scalar=0.5), lambda: X.sum((1, 2), True) * 0.5),
    "mean": (lambda: ttnn.mean(t(X), dim=-2, keepdim=True), lambda: X.mean(-2, True)),
    "max": (lambda: ttnn.max(t(X), dim=3), lambda: X.amax(3)),
    "min": (lambda: ttnn.min(t(X)), lambda: X.min()),
    "prod": (lambda: ttnn.prod(t(X), dim=1), lambda: X.prod(1)),
    "std": (lambda: ttnn.std(t(X), dim=-1), lambda: X.std(-1)),
    "var": (lambda: ttnn.var(t(X), dim=[-1, -2], correction=False), lambda: X.var((-1, -2), correction=0)),
    "argmax": (lambda: ttnn.argmax(t(X), dim=-1), lambda: X.argmax(-1).int()),
    "argmax all": (lambda: ttnn.argmax(t(X)), lambda: X.argmax().int()),
    "topk": (lambda: ttnn.topk(t(X), 5)[0], lambda: X.topk(5)[0]),
    "topk indices": (lambda: ttnn.topk(t(X), 5)[1], lambda: X.topk(5)[1].short()),
    "topk smallest": (lambda: ttnn.topk(t(X), 5, 2, False)[0], lambda: X.topk(5, 2, False)[0]),
    "sort": (lambda: ttnn.sort(t(X), 1)[0], lambda: X.sort(1)[0]),
    "cumsum": (lambda: ttnn.cumsum(t(X), dim=2), lambda: X.cumsum(2)),
    "cumprod": (lambda: ttnn.cumprod(t(X), dim=1), lambda: X.cumprod(1)),
    "softmax": (lambda: ttnn.softmax(t(X), dim=1), lambda: X.softmax(1)),
    "softmax default": (lambda: ttnn.softmax(t(X), numeric_stable=True), lambda: X.softmax(-1)),
    "scale mask softmax": (lambda: ttnn.scale_mask_softmax(t(X), 0.3, t(V)), lambda: (X * 0.3 + V).softmax(-1)),
    "layer norm": (lambda: ttnn.layer_norm(t(X), epsilon=1e-5, weight=t(V), bias=t(V)),
                   lambda: functional.layer_norm(X, (50,), V, V, 1e-5)),
    "layer norm residual": (lambda: ttnn.layer_norm(t(X), epsilon=1e-5, residual_input_tensor=t(X)),
                            lambda: functional.layer_norm(X * 2, (50,), eps=1e-5)),
    "rms norm, weights as a row of tiles": (
        lambda: ttnn.rms_norm(t(X), epsilon=1e-5, weight=t(V[None].repeat(32, 1))),
        lambda: functional.rms_norm(X, (50,), V, 1e-5),
    ),
    "rms norm": (lambda: ttnn.rms_norm(t(X), epsilon=1e-5, weight=t(V[None, None, None])),
                 lambda: functional.rms_norm(X, (50,), V, 1e-5)),
    "transpose": (lambda: ttnn.transpose(t(X), -2, -1), lambda: X.transpose(-2, -1)),
    "permute": (lambda: ttnn.permute(t(X), (0, 2, 3, 1)), lambda: X.permute(0, 2, 3, 1)),
    "reshape": (lambda: ttnn.reshape(t(X), (6, -1)), lambda: X.reshape(6, -1)),
    "reshape method": (lambda: t(X).reshape(-1), lambda: X.reshape(-1)),
    "unsqueeze": (lambda: ttnn.unsqueeze(t(X), -1), lambda: X.unsqueeze(-1)),
    "squeeze": (lambda: ttnn.squeeze(t(X[:1]), 0), lambda: X[0]),
    "unsqueeze_to_4D": (lambda: ttnn.unsqueeze_to_4D(t(M)), lambda: M[None, None]),
    "concat": (lambda: ttnn.concat([t(X), t(X)], dim=-1), lambda: torch.cat([X, X], -1)),
    "stack": (lambda: ttnn.stack([t(M), t(M)], dim=1), lambda: torch.stack([M, M], 1)),
    "split": (lambda: ttnn.split(t(X), 16, dim=3)[3], lambda: X.split(16, 3)[3]),
    "split sizes": (lambda: ttnn.split(t(X), (10, 30), dim=2)[1], lambda: X.split((10, 30), 2)[1]),
    "chunk": (lambda: ttnn.chunk(t(X), 3, dim=2)[2], lambda: X.chunk(3, 2)[2]),
    "slice": (lambda: ttnn.slice(t(X), [0, 1, 2, 3], [2, 3, 30, 40], [1, 1, 2, 3]), lambda: X[:, 1:, 2:30:2, 3:40:3]),
    "item": (lambda: t(X)[1, ..., 3:9], lambda: X[1, ..., 3:9]),
    "item negative": (lambda: t(X)[:, -1], lambda: X[:, -1]),
    "pad": (lambda: ttnn.pad(t(X), [(0, 0), (0, 0), (1, 2), (3, 4)], 7.0), lambda: functional.pad(X, (3, 4, 1, 2), value=7.0)),
    "repeat": (lambda: ttnn.repeat(t(M), (2, 3)), lambda: M.repeat(2, 3)),
    "repeat_interleave": (lambda: ttnn.repeat_interleave(t(M), 2, dim=1), lambda: M.repeat_interleave(2, 1)),
    "expand": (lambda: ttnn.expand(t(V[None]), (4, -1)), lambda: V[None].expand(4, -1)),
    "tril": (lambda: ttnn.tril(t(X), 1), lambda: X.tril(1)),
    "triu": (lambda: ttnn.triu(t(X), -1), lambda: X.triu(-1)),
    "embedding": (lambda: ttnn.embedding(t(torch.tensor([[3, 0], [9, 3]])), t(M)),
                  lambda: M[torch.tensor([[3, 0], [9, 3]])]),
    "gather": (lambda: ttnn.gather(t(M), 0, t(torch.tensor([[3, 0], [9, 3]]))),
               lambda: M.gather(0, torch.tensor([[3, 0], [9, 3]]))),
    "typecast": (lambda: ttnn.typecast(t(X), ttnn.int32), lambda: X.int()),
    "clone": (lambda: ttnn.clone(t(X), dtype=ttnn.bfloat16), lambda: X.bfloat16()),
    "tilize with padding": (lambda: ttnn.tilize_with_val_padding(t(M), (64, 32), 1.0), lambda: functional.pad(M, (0, 12, 0, 14), value=1.0)),
    "untilize": (lambda: ttnn.untilize_with_unpadding(t(M), (9, 4)), lambda: M[:10, :5]),
}  # fmt: skip


@pytest.mark.parametrize("engine", ["torch", "numpy"])
@pytest.mark.parametrize("name", CASES)
def test_agrees_with_torch(name: str, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compute, expect = CASES[name]
    expected = expect().numpy() if expect().dtype != torch.bfloat16 else expect().float().numpy()
    given = {id(each): each for each in (X, M, V, B)}
    assert given
    if engine == "numpy":
        # Only the arithmetic goes without torch: the operands still come from it.
        import ttl.host.engine as arithmetic

        class NoTorch:
            def __getattr__(self, attribute: str) -> Any:
                return (lambda: None) if attribute == "torch_or_none" else getattr(storage, attribute)

        monkeypatch.setattr(arithmetic, "storage", NoTorch())
    result = ttnn.to_numpy(compute())
    assert result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=3e-5, atol=3e-5)


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "matmul shapes": (lambda: ttnn.matmul(t(M), t(M)), "TTL1006"),
    "matmul integers": (lambda: ttnn.matmul(ttnn.ones((2, 2), ttnn.int32), t(M)), "TTL1008"),
    "matmul of a scalar": (lambda: ttnn.matmul(ttnn.ones(()), t(M)), "TTL1006"),
    "matmul activation": (lambda: ttnn.matmul(t(X), t(M), activation="nope"), "TTL1004"),
    "linear bias": (lambda: ttnn.linear(t(X), t(M), bias=t(V)), "TTL1006"),
    "sum dim": (lambda: ttnn.sum(t(M), dim=2), "TTL1007"),
    "sum dim kind": (lambda: ttnn.sum(t(M), dim=1.5), "TTL1004"),
    "sum dim twice": (lambda: ttnn.sum(t(M), dim=[0, -2]), "TTL1007"),
    "max of nothing": (lambda: ttnn.max(ttnn.ones((0, 3)), dim=0), "TTL1006"),
    "topk": (lambda: ttnn.topk(t(M), 21), "TTL1022"),
    "reshape": (lambda: ttnn.reshape(t(M), (7, -1)), "TTL1006"),
    "reshape kind": (lambda: ttnn.reshape(t(M), ("a", 2)), "TTL1005"),
    "reshape float": (lambda: ttnn.reshape(t(M), (50 / 2, 40)), "TTL1005"),
    "permute": (lambda: ttnn.permute(t(M), (0, 0)), "TTL1007"),
    "concat": (lambda: ttnn.concat([t(M), t(X)]), "TTL1006"),
    "concat nothing": (lambda: ttnn.concat([]), "TTL1004"),
    "concat types": (lambda: ttnn.concat([t(M), t(M.bfloat16())]), "TTL1008"),
    "slice": (lambda: ttnn.slice(t(M), [0, 0], [51, 20]), "TTL1014"),
    "slice rank": (lambda: ttnn.slice(t(M), [0], [50]), "TTL1014"),
    "index": (lambda: t(M)[50], "TTL1014"),
    "index kind": (lambda: t(M)["a"], "TTL1014"),
    "index step": (lambda: t(M)[::-1], "TTL1014"),
    "index count": (lambda: t(M)[0, 0, 0], "TTL1014"),
    "embedding": (lambda: ttnn.embedding(ttnn.full((1,), 50, ttnn.uint32), t(M)), "TTL1014"),
    "embedding weight": (lambda: ttnn.embedding(ttnn.full((1,), 0, ttnn.uint32), ttnn.ones(())), "TTL1006"),
    "pad": (lambda: ttnn.pad(t(V), [(1, 1), (1, 1)], 0.0), "TTL1006"),
    "pad kind": (lambda: ttnn.pad(t(V), 3, 0.0), "TTL1004"),
    "expand": (lambda: ttnn.expand(t(V), (4, 3)), "TTL1006"),
    "expand kind": (lambda: ttnn.expand(t(V), ("a",)), "TTL1005"),
    "layer_norm weight": (lambda: ttnn.layer_norm(t(X), weight=t(B)), "TTL1006"),
    "layer_norm integers": (lambda: ttnn.layer_norm(ttnn.ones((2, 2), ttnn.int32)), "TTL1008"),
    "softmax dim": (lambda: ttnn.softmax(t(X), dim=4), "TTL1007"),
    "split": (lambda: ttnn.split(t(M), 0), "TTL1006"),
    "chunk": (lambda: ttnn.chunk(t(M), 0), "TTL1022"),
    "no tensor": (lambda: ttnn.softmax(M), "TTL1004"),
    "missing argument": (lambda: ttnn.matmul(t(M)), "TTL1003"),
    "unknown argument": (lambda: ttnn.matmul(t(M), t(M), transpose=True), "TTL1003"),
    "length": (lambda: len(ttnn.ones(())), "TTL1006"),
    "truth": (lambda: bool(t(M) == t(M)), "TTL1006"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_are_our_errors_at_the_user_s_line(name: str) -> None:
    program, code = WRONG[name]
    with pytest.raises(ProgramError) as caught:
        program()
    assert caught.value.code == code
    primary = caught.value.diagnostic.primary
    assert primary is not None and primary.span.file == __file__


def test_output_tensors() -> None:
    out = ttnn.zeros((40, 20), dtype=ttnn.float32)
    assert ttnn.matmul(t(X[0, 0]), t(M), optional_output_tensor=out) is out
    torch.testing.assert_close(ttnn.to_torch(out), X[0, 0] @ M)
    assert ttnn.softmax_in_place(out) is out
    torch.testing.assert_close(ttnn.to_torch(out), (X[0, 0] @ M).softmax(-1), rtol=1e-4, atol=1e-5)


def test_iteration_and_numbers() -> None:
    assert [each.to_list() for each in ttnn.from_torch(torch.tensor([[1, 2], [3, 4]]))] == [[1, 2], [3, 4]]
    assert ttnn.ones((1, 1), ttnn.float32).item() == 1.0
    assert bool(ttnn.ones((1,)) == 1.0)


def test_copy_and_assign() -> None:
    a, b = t(M), ttnn.zeros((50, 20), dtype=ttnn.bfloat16)
    ttnn.copy(a, b)
    assert torch.equal(ttnn.to_torch(b), M.bfloat16())
    ttnn.assign(ttnn.zeros((50, 20)), b)
    assert not ttnn.to_torch(b).any()
    with pytest.raises(ProgramError) as caught:
        ttnn.copy(a, ttnn.zeros((2, 2)))
    assert caught.value.code == "TTL1016"
