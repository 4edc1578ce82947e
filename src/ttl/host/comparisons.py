"""The comparisons of a program: noted where torch, NumPy or a module of such functions compares two arrays, while an observer is
there."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np

from ttl.host.access import array_of
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import Array

Pair = Callable[[Array, Array], None]

_TORCH = frozenset(
    ("sub", "rsub", "subtract", "__sub__", "__rsub__", "allclose", "isclose", "equal", "eq", "__eq__", "ne", "__ne__", "dist", "mse_loss", "l1_loss", "cosine_similarity")
)  # fmt: skip
_NUMPY = ("allclose", "isclose", "array_equal")
_NUMPY_TESTS = ("assert_allclose", "assert_array_equal", "assert_array_almost_equal", "assert_equal")


@contextmanager
def watched(pairs: Pair, module: Any, names: Sequence[str]) -> Iterator[None]:
    """Inside, ``pairs`` gets the two arrays of every comparison.

    Comparisons are those by torch, by NumPy, or by a function of ``module`` with one of ``names``.
    """
    busy: list[None] = []

    def told(first: Array, second: Array) -> None:
        if busy:  # a listener compares, too
            return
        busy.append(None)
        try:
            pairs(first, second)
        finally:
            busy.clear()

    def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            _tell(told, [*args, *kwargs.values()])
            return function(*args, **kwargs)

        return call

    with ExitStack() as stack:
        for where, what in ((np, _NUMPY), (np.testing, _NUMPY_TESTS), (module, names)):
            for name in what:
                stack.enter_context(mock.patch.object(where, name, wrapped(getattr(where, name))))
        stack.enter_context(_with_torch(lambda torch: _torch_mode(told)))
        yield


@contextmanager
def reseeded(salt: int) -> Iterator[None]:
    """Inside, seeds of random numbers differ from those that the program asks for; ``salt`` picks them."""

    def salted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if args and isinstance(args[0], int):
                return function((args[0] + salt) % 2**32, *args[1:], **kwargs)
            return function(*args, **kwargs) if args or kwargs else function(salt)

        return call

    with ExitStack() as stack:
        for module, names in ((np.random, ("seed", "default_rng")), (random, ("seed",))):
            for name in names:
                stack.enter_context(mock.patch.object(module, name, salted(getattr(module, name))))
        random.seed()
        np.random.seed()

        @contextmanager
        def of_torch(torch: Any) -> Iterator[None]:
            with mock.patch.object(torch, "manual_seed", salted(torch.manual_seed)):
                torch.manual_seed(0)
                yield

        stack.enter_context(_with_torch(of_torch))
        yield


@contextmanager
def _with_torch(inside: Callable[[Any], AbstractContextManager[Any]]) -> Iterator[None]:
    """Inside, enter ``inside(torch)`` as soon as torch is imported. A program that does not use torch does not pay for it."""
    with ExitStack() as stack:
        if "torch" in sys.modules:
            stack.enter_context(inside(sys.modules["torch"]))
        else:
            finder = _TorchFinder(lambda torch: stack.enter_context(inside(torch)))
            sys.meta_path.insert(0, finder)
            stack.callback(sys.meta_path.remove, finder)
        yield


class _TorchFinder(MetaPathFinder):
    """Leaves the search for torch to the finders behind it, and reports when the module has been executed."""

    def __init__(self, then: Callable[[Any], object]) -> None:
        self._then = then
        self._searching = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the specification of torch, with a loader that reports its execution."""
        if fullname != "torch" or self._searching:
            return None
        self._searching = True
        try:
            spec = find_spec(fullname)
        finally:
            self._searching = False
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                self._then(module)

            # The loader is this search's own.
            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _torch_mode(told: Pair) -> Any:
    from torch.overrides import TorchFunctionMode

    class Watching(TorchFunctionMode):
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
        ) -> Any:
            if getattr(func, "__name__", "") in _TORCH:
                _tell(told, [*args, *(kwargs or {}).values()])
            return func(*args, **(kwargs or {}))

    return Watching()


def _tell(told: Pair, values: list[Any]) -> None:
    arrays = [array for value in values[:4] if (array := _array(value)) is not None]
    if len(arrays) >= 2 and arrays[0].size == arrays[1].size > 1:
        told(arrays[0], arrays[1])


def _array(value: Any) -> Array | None:
    """Return a tensor or array as numbers; None for any other value."""
    if isinstance(value, Tensor):
        return value.dtype.load(array_of(value)) if value.shards is None else None
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        return value
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, torch.Tensor) or value.is_complex():
        return None
    with torch._C.DisableTorchFunction():
        plain = value.detach().cpu()
        result: Array = (plain.double() if plain.is_floating_point() else plain.long()).numpy()
    return result
