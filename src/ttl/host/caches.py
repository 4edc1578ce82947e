"""Caches of keys and values: filled and updated in place.

A cache is [b, g, t, d]: users, heads, positions, width; a paged one [pages, g, positions of a page, d].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ttl.host import engine
from ttl.host.arguments import floats, indices_of
from ttl.host.computing import computes
from ttl.host.errors import Code, describe, fail
from ttl.host.indexing import derived, logical
from ttl.host.tensor import Tensor

__all__ = ("fill_cache", "update_cache")


@computes()
def fill_cache(cache_tensor: Tensor, input_tensor: Tensor, batch_idx: int) -> Tensor:
    """Write [1, g, s, d] into the first ``s`` positions of user ``batch_idx``, in place."""
    name = "fill_cache"
    cache, given = _operands(cache_tensor, input_tensor, name)
    user = _index(batch_idx, cache.shape[0], name, "user")
    positions = given.shape[2]
    if given.shape[1] != cache.shape[1] or given.shape[3] != cache.shape[3] or positions > cache.shape[2]:
        _refused(cache, given, name)
    _storage(cache)[user, :, :positions] = _stored(engine.loaded(given)[0], cache)
    return cache


@computes()
def update_cache(
    cache_tensor: Tensor, input_tensor: Tensor, update_index: int, batch_offset: int = 0
) -> Tensor:
    """Write [1, g, b, d], one position of each user, into position ``update_index``, in place."""
    name = "update_cache"
    cache, given = _operands(cache_tensor, input_tensor, name)
    position = _index(update_index, cache.shape[2], name, "position")
    users = min(cache.shape[0], given.shape[2] - batch_offset)
    if given.shape[1] != cache.shape[1] or given.shape[3] != cache.shape[3] or users < 1:
        _refused(cache, given, name)
    values = engine.loaded(given)[0][:, batch_offset : batch_offset + users].swapaxes(0, 1)
    _storage(cache)[:users, :, position] = _stored(values, cache)
    return cache


def fill_cache_for_user_(cache: Tensor, input_tensor: Tensor, batch_index: int) -> Tensor:
    """``fill_cache``."""
    return fill_cache(cache, input_tensor, batch_index)  # type: ignore[no-any-return]


def update_cache_for_token_(cache: Tensor, token: Tensor, update_index: int, batch_offset: int = 0) -> Tensor:
    """``update_cache``."""
    return update_cache(cache, token, update_index, batch_offset)  # type: ignore[no-any-return]


@computes("share_cache", "mesh_coords")
def paged_update_cache(
    cache_tensor: Tensor,
    input_tensor: Tensor,
    *,
    update_idxs: Sequence[int] = (),
    update_idxs_tensor: Tensor | None = None,
    page_table: Tensor | None = None,
    batch_offset: int = 0,
) -> Tensor:
    """Write [1, b, g or more, d] into each user's own position, in place; with a page table, into its page."""
    name = "experimental.paged_update_cache"
    cache, given = _operands(cache_tensor, input_tensor, name)
    positions = (
        list(update_idxs) if update_idxs_tensor is None else indices_of(update_idxs_tensor, name).reshape(-1)
    )
    users, groups = given.shape[1], cache.shape[1]
    if given.shape[2] < groups or given.shape[3] != cache.shape[3]:
        _refused(cache, given, name)
    if len(positions) < users:
        fail(
            Code.SHAPES,
            f"ttnn.{name}: {len(positions)} positions for {users} users",
            help="one position for each user: update_idxs",
        )
    pages = None if page_table is None else indices_of(page_table, name)
    values, target = _stored(engine.loaded(given)[0][:, :groups], cache), _storage(cache)
    for user in range(users):
        place, position = user + batch_offset, int(positions[user])
        if position < 0:
            continue  # this user has nothing new
        if pages is not None:
            page, position = divmod(position, cache.shape[2])
            place = int(pages[user, _index(page, pages.shape[1], name, "page")])
        _index(place, cache.shape[0], name, "user" if pages is None else "page")
        target[place, :, _index(position, cache.shape[2], name, "position")] = values[user]
    return cache


@computes("mesh_coords")
def paged_fill_cache(
    cache_tensor: Tensor,
    input_tensor: Tensor,
    page_table: Tensor,
    *,
    batch_idx_tensor: Tensor | None = None,
    batch_idx: int = 0,
) -> Tensor:
    """Write [1, g, s, d] into the pages of one user, in place."""
    name = "experimental.paged_fill_cache"
    cache, given = _operands(cache_tensor, input_tensor, name)
    pages = indices_of(page_table, name)
    user = (
        int(indices_of(batch_idx_tensor, name).reshape(-1)[0]) if batch_idx_tensor is not None else batch_idx
    )
    row = pages[_index(user, pages.shape[0], name, "user")]
    if given.shape[1] != cache.shape[1] or given.shape[3] != cache.shape[3]:
        _refused(cache, given, name)
    values, target, size = _stored(engine.loaded(given)[0], cache), _storage(cache), cache.shape[2]
    for number, start in enumerate(range(0, given.shape[2], size)):
        piece = values[:, start : start + size]
        target[int(row[_index(number, len(row), name, "page")]), :, : piece.shape[1]] = piece
    return cache


@computes()
def nlp_kv_cache_load_slice(
    input_tensor: Tensor, *, seq_len_start: int, seq_len_end: int, memory_config: Any = None
) -> Tensor:
    """Positions from ``seq_len_start`` up to ``seq_len_end`` of a cache."""
    name = "experimental.nlp_kv_cache_load_slice"
    cache = floats(input_tensor, name, "cache", 4)
    if not 0 <= seq_len_start < seq_len_end <= cache.shape[2]:
        fail(Code.INDEX, f"ttnn.{name}: positions {seq_len_start} to {seq_len_end} of {cache.shape[2]}")
    return derived(logical(cache)[:, :, seq_len_start:seq_len_end], cache, name, memory_config)


def _operands(cache: Any, given: Any, name: str) -> tuple[Tensor, Tensor]:
    return floats(cache, name, "cache", 4), floats(given, name, "input", 4)


def _storage(cache: Tensor) -> Any:
    """The cache's elements as they are stored, for writing."""
    return cache._writable().reshape(cache.shape)


def _stored(values: Any, cache: Tensor) -> Any:
    """Values rounded to the cache's type."""
    return engine.rounded(values, cache.dtype).array.reshape(tuple(values.shape))


def _index(value: Any, extent: int, name: str, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 <= value < extent:
        fail(Code.INDEX, f"ttnn.{name}: {what} {describe(value)} of {extent}")
    return int(value)


def _refused(cache: Tensor, given: Tensor, name: str) -> None:
    fail(
        Code.SHAPES,
        f"ttnn.{name}: an input of shape {tuple(given.shape)} does not fit a cache of shape {tuple(cache.shape)}",
        help="a cache is [users, heads, positions, width]; the input has the same heads and width",
    )
