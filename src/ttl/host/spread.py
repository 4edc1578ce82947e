"""Operations on tensors of a mesh: done on each device's shard, the results put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from ttl.host.calling import public
from ttl.host.errors import Code, fail
from ttl.host.tensor import Tensor

P = ParamSpec("P")
R = TypeVar("R")


def computes(*options: str) -> Callable[[Callable[P, R]], Callable[..., R]]:
    """``public``, for a function of tensors that works shard by shard on a mesh."""

    def wrap(function: Callable[P, R]) -> Callable[..., R]:
        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            spread = [each for each in _tensors((args, kwargs)) if each.shards is not None]
            if not spread:
                return function(*args, **kwargs)
            return _on_each(function, args, kwargs, spread)

        return public(*options)(call)

    return wrap


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from _tensors(each)
    elif isinstance(value, dict):
        yield from _tensors(tuple(value.values()))


def _on_each(function: Callable[..., Any], args: Any, kwargs: Any, spread: list[Tensor]) -> Any:
    for tensor in spread:
        tensor._observe()
    counts = {len(tensor.shards or ()) for tensor in spread}
    if len(counts) > 1:
        fail(
            Code.MESH,
            f"ttnn.{function.__name__}: tensors on meshes of {' and '.join(map(str, sorted(counts)))} devices",
        )
    results = [
        function(*_shard(args, number), **_shard(kwargs, number)) for number in range(next(iter(counts)))
    ]
    return _together(results, spread)


def _shard(value: Any, number: int) -> Any:
    if isinstance(value, Tensor):
        return value if value.shards is None else value.shards[number]
    if isinstance(value, (tuple, list)) and any(True for _ in _tensors(value)):
        return type(value)(_shard(each, number) for each in value)
    if isinstance(value, dict):
        return {name: _shard(each, number) for name, each in value.items()}
    return value


def _together(results: list[Any], spread: list[Tensor]) -> Any:
    first = results[0]
    if isinstance(first, (tuple, list)):
        return type(first)(_together([each[at] for each in results], spread) for at in range(len(first)))
    if not isinstance(first, Tensor):
        return first
    for tensor in spread:
        if tensor.shards is not None and all(a is b for a, b in zip(tensor.shards, results, strict=True)):
            return tensor
    return Tensor._of_shards(tuple(results), spread[0]._device)
