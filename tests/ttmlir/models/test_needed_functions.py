"""What models of today need, by name: a form that every road is judged with (``forms.py``), or a refusal that differences.md decides."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

import ttmlir

pytest.importorskip("torch")
pytest.importorskip("jax")

from ..jax.forms import FORMS as OF_JAX
from ..jax.forms import REFUSED as NOT_OF_JAX
from .forms import FORMS as OF_TORCH
from .forms import REFUSED as NOT_OF_TORCH

# What is named: forms of PyTorch, forms of JAX, with bars between.
TAKEN: Mapping[str, tuple[str, str]] = {
    "index_put in all its forms": ("x[i] = v | x[i, j] = v | x[:, i] = v | x[i, :, j] = v | x[mask] = number | index_put", "at[i].set | at[i, j].set | at[:, i].set"),
    "index_put accumulate": ("index_put accumulate | index_put accumulate of two | x[1:3] += v", "at[i].add | at[i, j].add"),
    "index_copy, index_add, index_fill": ("index_copy | index_copy of columns | index_add | index_fill", "vmap of at.set"),
    "scatter, scatter_add, scatter_reduce": ("scatter | scatter number | scatter_add | scatter_reduce sum | scatter_reduce amax alone", "at[i].multiply | at[i].min | at[i].max | segment_sum | segment_prod"),
    "rows by an index": ("w[i] | w[i, j] | w[:, i] | w[i, :, j] | gather | take | index_select", "w[i] | w[i, j] | take | take_along_axis"),
    "masked_scatter, masked_fill": ("masked_scatter | masked_fill", "nonzero of a size"),
    "adaptive pools": ("adaptive_avg_pool1d 3 | adaptive_max_pool2d 1 | adaptive_avg_pool3d 1", ""),
    "modes of pad": ("pad reflect | pad replicate | pad circular | pad constant", "pad reflect | pad edge | pad wrap | pad symmetric"),
    "unfold, fold": ("unfold | fold | tensor.unfold", ""),
    "roll, flip": ("roll | flip", "roll | flip"),
    "fake_quantize": ("fake_quantize | fake_quantize by tensors | fake_quantize of channels", ""),
    "cumprod": ("cumprod | cummax", "cumulative | associative_scan"),
    "topk, sort with positions": ("topk | topk least | sort | sort down | argsort", "top_k | sort"),
    "positions of maxima along a dimension": ("unique positions | greatest with positions", "six: reductions"),
    "integer matmul": ("integer matmul | _int_mm | integer linear", "integer matmul | int8 products in int32"),
    "scatter with batch dimensions": ("scatter along the first", "gradient of take_along_axis | vmap of at.set"),
    "empty slices": ("", "empty slices | associative_scan"),
    "inverses and systems": ("inv | solve | solve from the right | determinants | cholesky | triangular solve", "inv | solve | det | cholesky | triangular_solve | cho_solve"),
    "erf_inv": ("erfinv", "erf_inv"),
    "dropout with a key": ("", "dropout with a key | known key"),
    "caches of keys and values": ("cache of keys", "cache of keys | vmap of dynamic_update_slice"),
    "more than five dimensions": ("windows of swin | windows of swin, back | eight dimensions | six: arithmetic | six: products", "windows of swin | eight dimensions | six: movements | six: gradient"),
}  # fmt: skip
# What is named: refused forms of both, and the words of docs/ttmlir/differences.md.
DECIDED: Mapping[str, tuple[str, str, str]] = {
    "nonzero": (
        "nonzero | x[mask] | masked_select",
        "nonzero | boolean indexing",
        "models: `nonzero`, masks as places",
    ),
    "decisions by data": ("if data | item", "if data | while of data", "decisions by elements, `item()`"),
    "float16": ("half", "float16", "models: f16, f64, complex numbers"),
    "complex constants": ("fft", "complex constants | complex number", "models: f16, f64, complex numbers"),
    "positions of maxima of windows": ("positions of maxima", "", "positions of maxima of windows"),
    "other decompositions": ("qr", "eigh", "Decompositions that JAX calls code of its platforms for"),
    "more than 128 rows": ("many rows | many rows to invert", "", "of at most 128 rows"),
    "six dimensions apart": (
        "six dimensions apart",
        "",
        "What keeps more than five apart is refused at the line",
    ),
    "writes into inputs": ("", "", "lies in tiles of DRAM, and is the tensor that the program gives"),
}


def _missing(text: str, known: Mapping[str, object]) -> list[str]:
    return [name for name in text.split(" | ") if name and name not in known]


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_taken_has_forms(name: str) -> None:
    of_torch, of_jax = TAKEN[name]
    assert of_torch or of_jax
    assert _missing(of_torch, OF_TORCH) + _missing(of_jax, OF_JAX) == []


@pytest.mark.parametrize("name", DECIDED)
def test_what_is_refused_is_refused_on_both_roads_and_decided(name: str) -> None:
    of_torch, of_jax, words = DECIDED[name]
    assert _missing(of_torch, NOT_OF_TORCH) + _missing(of_jax, NOT_OF_JAX) == []
    page = Path(ttmlir.__file__).parents[2] / "docs" / "ttmlir" / "differences.md"
    assert words in page.read_text(encoding="utf-8")
