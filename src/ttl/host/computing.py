"""How a function of tensors becomes public: shard by shard on a mesh, its values stored as tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ttl.host import engine
from ttl.host.arguments import dtype_of
from ttl.host.calling import public
from ttl.host.errors import Code, fail
from ttl.host.tensor import Tensor

P = ParamSpec("P")
R = TypeVar("R")


def computes(*options: str, result: str = "") -> Callable[[Callable[P, R]], Callable[..., Any]]:
    """``public``, for a function of tensors that works shard by shard on a mesh.

    ``result`` names additional keywords of the function, which describe its result: ``memory_config``, ``dtype``,
    ``activation``, ``output_layout``, and those for an output tensor. Then the function returns values and a tensor
    with the layout and place of the result, and the public function returns the result as a tensor.
    """

    def wrap(function: Callable[P, R]) -> Callable[..., Any]:
        compute = _stored(function, tuple(result.split())) if result else function

        @wraps(compute)
        def call(*args: Any, **kwargs: Any) -> Any:
            spread = [tensor for tensor in tensors_in((args, kwargs)) if tensor.shards is not None]
            # NumPy warns of infinities and NaN: here they are ordinary results.
            with np.errstate(all="ignore"):
                if not spread:
                    return compute(*args, **kwargs)
                return _on_each(compute, args, kwargs, spread)

        return public(*options)(call)

    return wrap


def _stored(function: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Tensor]:
    """Wrap a function that returns values: the keywords about the result are added, and the result is a tensor."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Tensor:
        # If an output is passed under two names, the first one counts.
        given = {name: kwargs.pop(name) for name in reversed(names) if name in kwargs}
        values, like = function(*args, **kwargs)
        about = {_ROLES.get(name, "output"): value for name, value in given.items() if value is not None}
        values = engine.activate(values, about.pop("activation", None), function.__name__)
        if "dtype" in about:
            about["dtype"] = dtype_of(about["dtype"])
        return engine.finish(values, like, function.__name__, **about)

    return with_keywords(call, function, dict.fromkeys(names))


def with_keywords(
    call: Callable[P, R], function: Callable[..., Any], added: dict[str, Any]
) -> Callable[P, R]:
    """Return ``call`` with the signature of a function, plus additional keywords with their defaults."""
    own = signature(function).parameters.values()
    more = [Parameter(name, Parameter.KEYWORD_ONLY, default=default) for name, default in added.items()]
    call.__signature__ = Signature([*own, *more])  # type: ignore[attr-defined]
    return call


# The parameters of ``engine.finish`` for the keywords about a result; any other keyword is an output tensor.
_ROLES = {
    "memory_config": "memory_config", "dtype": "dtype", "output_layout": "layout", "activation": "activation",
}  # fmt: skip


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Yield the tensors in a value, including those in tuples, lists and dictionaries."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from tensors_in(part)
    elif isinstance(value, dict):
        yield from tensors_in(tuple(value.values()))


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
    if isinstance(value, (tuple, list)) and any(True for _ in tensors_in(value)):
        return type(value)(_shard(part, number) for part in value)
    if isinstance(value, dict):
        return {name: _shard(part, number) for name, part in value.items()}
    return value


def _together(results: list[Any], spread: list[Tensor]) -> Any:
    first = results[0]
    if isinstance(first, (tuple, list)):
        return type(first)(_together([parts[at] for parts in results], spread) for at in range(len(first)))
    if not isinstance(first, Tensor):
        return first
    for tensor in spread:
        if tensor.shards is not None and all(a is b for a, b in zip(tensor.shards, results, strict=True)):
            return tensor
    return Tensor._of_shards(tuple(results), spread[0]._device)
