"""Functions of the library that are methods and operators of ``ttnn.Tensor``.

They are found by name when they are called: every function of the library takes tensors, so the class of tensors
comes before all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ttl.host.calling import named


def late(name: str, module: str = "api") -> Callable[..., Any]:
    """A function of the library."""
    return getattr(import_module(f"ttl.host.{module}"), name)  # type: ignore[no-any-return]


def method(name: str) -> Callable[..., Any]:
    """The method that is the function of its name."""

    def call(self: Any, **options: Any) -> Any:
        return late(name)(self, **options)

    return named(call, name, f"``ttnn.{name}(tensor)``.")


def _binary(name: str) -> Callable[[Any, Any], Any]:
    def operator(self: Any, other: Any) -> Any:
        if not isinstance(other, (TensorOperators, int, float)):
            return NotImplemented
        return late(name)(self, other)

    return named(operator, name, f"The same as ``ttnn.{name}(self, other)``.")


class TensorOperators:
    """Mixin with the operators. ``==`` and ``!=`` compare elements when both sides are tensors or numbers."""

    __slots__ = ()

    __add__ = __radd__ = _binary("add")
    __sub__ = _binary("subtract")
    __rsub__ = _binary("rsub")
    __mul__ = __rmul__ = _binary("multiply")
    __truediv__ = _binary("divide")
    __rtruediv__ = _binary("rdiv")
    __pow__ = _binary("pow")
    __matmul__ = _binary("matmul")
    __neg__ = method("neg")
    __abs__ = method("abs")
    __eq__ = _binary("eq")
    __ne__ = _binary("ne")
    __lt__ = _binary("lt")
    __le__ = _binary("le")
    __gt__ = _binary("gt")
    __ge__ = _binary("ge")
    __hash__ = object.__hash__
