"""The public names of the host library: those of ``import ttnn`` where the real ``ttnn`` is not installed.

They are those that its modules list in ``__all__``, the elementwise functions, element types and layouts."""

# ruff: noqa: F401, F403, F405
from __future__ import annotations

import sys as _sys
from typing import Any as _Any

from ttl.diag.model import Diagnostic as _Diagnostic
from ttl.diag.remedies import Rename as _Rename
from ttl.host import attention as _attention
from ttl.host import caches as _caches
from ttl.host import collectives as _collectives
from ttl.host import device, elementwise
from ttl.host import more as _more
from ttl.host import names as _names
from ttl.host.caches import *
from ttl.host.collectives import *
from ttl.host.config import *
from ttl.host.convert import *
from ttl.host.convolution import *
from ttl.host.coordinates import *
from ttl.host.cores import *
from ttl.host.creation import *
from ttl.host.descriptors import *
from ttl.host.device import *
from ttl.host.elementwise import *
from ttl.host.errors import Code as _Code
from ttl.host.errors import MissingNameError as _MissingNameError
from ttl.host.errors import placed as _placed
from ttl.host.fabric import *
from ttl.host.indexing import *
from ttl.host.matmul import *
from ttl.host.memory import *
from ttl.host.mesh import *
from ttl.host.mesh_programs import *
from ttl.host.more import *
from ttl.host.movement import *
from ttl.host.normalization import *
from ttl.host.pooling import *
from ttl.host.programs import *
from ttl.host.reductions import *
from ttl.host.shape import *
from ttl.host.shaping import *
from ttl.host.tensor import *
from ttl.host.trace import *
from ttl.rows.dtypes import BFLOAT4_B as bfloat4_b
from ttl.rows.dtypes import BFLOAT8_B as bfloat8_b
from ttl.rows.dtypes import BFLOAT16 as bfloat16
from ttl.rows.dtypes import FLOAT16 as float16
from ttl.rows.dtypes import FLOAT32 as float32
from ttl.rows.dtypes import INT32 as int32
from ttl.rows.dtypes import UINT8 as uint8
from ttl.rows.dtypes import UINT16 as uint16
from ttl.rows.dtypes import UINT32 as uint32
from ttl.rows.types import TILE as TILE_SIZE
from ttl.rows.types import Layout
from ttl.source.public_names import known_as as _known_as

TILE_LAYOUT = Layout.TILE
ROW_MAJOR_LAYOUT = Layout.ROW_MAJOR
clip = clamp


@_known_as("DataType")
class _DataType:
    """The element types under the names of TT-NN's enumeration: ``ttnn.DataType.BFLOAT16 is ttnn.bfloat16``."""

    BFLOAT16 = bfloat16
    FLOAT32 = float32
    FLOAT16 = float16
    BFLOAT8_B = bfloat8_b
    BFLOAT4_B = bfloat4_b
    UINT8 = uint8
    UINT16 = uint16
    UINT32 = uint32
    INT32 = int32


DataType = _DataType


globals().update(elementwise.functions())


def _submodule(name: str, doc: str, module: _Any, *names: str) -> _Any:
    return _names.Submodule(name, {below: getattr(module, below) for below in names}, doc)


transformer = _submodule(
    "transformer", "Attention.", _attention,
    "attention_softmax", "attention_softmax_", "concatenate_heads", "paged_scaled_dot_product_attention_decode",
    "scaled_dot_product_attention", "scaled_dot_product_attention_decode", "split_query_key_value_and_split_heads",
)  # fmt: skip
kv_cache = _submodule(
    "kv_cache", "Caches of keys and values.", _caches, "fill_cache_for_user_", "update_cache_for_token_"
)
experimental = _submodule(
    "experimental", "Heads, rotary embeddings, paged caches.", _attention,
    "attn_matmul", "nlp_concat_heads", "nlp_concat_heads_decode", "nlp_create_qkv_heads", "nlp_create_qkv_heads_decode",
    "rotary_embedding", "rotary_embedding_hf", "rotary_embedding_llama", "rotate_half", "concatenate_heads",
    "split_query_key_value_and_split_heads",
)  # fmt: skip
for _name in ("nlp_kv_cache_load_slice", "paged_fill_cache", "paged_update_cache"):
    setattr(experimental, _name, getattr(_caches, _name))
for _name in (
    "all_gather_async",
    "all_to_all_async",
    "all_to_all_async_generic",
    "reduce_scatter_minimal_async",
):
    setattr(experimental, _name, getattr(_collectives, _name))
for _name in ("dropout", "fast_reduce_nc"):
    setattr(experimental, _name, getattr(_more, _name))
experimental.group_attn_matmul = _attention.attn_matmul
experimental.typecast, experimental.view = typecast, view


def public_names() -> list[str]:
    """Return every public name of the library."""
    # Tools may put names of their own into a module (pytest does, with an @ in front).
    return sorted(
        name for name in globals() if name.isidentifier() and not name.startswith("_") and name not in _OURS
    )


_OURS = ("annotations", "elementwise", "missing", "public_names", "submodules")


def submodules() -> dict[str, _Any]:
    """The modules below ``ttnn``, by name."""
    here = _sys.modules[__name__]
    own = {"device": device, "transformer": transformer, "experimental": experimental, "kv_cache": kv_cache}
    doc = "A module of TT-NN with names of ``ttnn`` itself."
    of_bindings = {
        name: _names.Submodule(f"_ttnn.{name}", {}, doc, elsewhere=here) for name in _names.OF_BINDINGS
    }
    inside: dict[str, dict[str, _Any]] = {"_ttnn": dict(of_bindings)}
    modules = {
        name: _names.Submodule(name, inside.get(name, {}), doc, elsewhere=here) for name in _names.EMPTY
    }
    return own | modules | {f"_ttnn.{name}": module for name, module in of_bindings.items()}


def missing(name: str) -> _Diagnostic:
    """Return the error for a name that the library does not have: an unknown name (TTL1002), or one that only the real library
    has (TTL1001)."""
    near = _names.nearest(name, public_names())
    if name not in _names.ABSENT:
        remedy = _names.renamed(name, public_names())
        return _placed(_Code.UNKNOWN_NAME, f"ttnn has no '{name}'", help=near, remedy=remedy)
    instead = _names.ABSENT[name]
    return _placed(
        _Code.ABSENT_NAME,
        f"ttnn.{name} is part of TT-NN, but not of the library that stands in for it here",
        help=(f"use {instead} instead",) if instead else near,
        remedy=_Rename(older=name, current=instead.removeprefix("ttnn.")) if name in _names.SAME else None,
    )


def __dir__() -> list[str]:
    return public_names()


def __getattr__(name: str) -> _Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _names.EMPTY:
        return globals().setdefault("_submodules", submodules())[name]
    raise _MissingNameError(missing(name))
