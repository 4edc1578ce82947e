"""The operators of ``ttnn.Tensor``. Each is the library function of the same meaning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _function(name: str) -> Callable[..., Any]:
    from ttl.host import api

    return getattr(api, name)  # type: ignore[no-any-return]


def _binary(name: str) -> Callable[[Any, Any], Any]:
    def operator(self: Any, other: Any) -> Any:
        if not isinstance(other, (Operators, int, float)):
            return NotImplemented
        return _function(name)(self, other)

    operator.__name__ = name
    operator.__doc__ = f"The same as ``ttnn.{name}(self, other)``."
    return operator


def _unary(name: str) -> Callable[[Any], Any]:
    def operator(self: Any) -> Any:
        return _function(name)(self)

    operator.__name__ = name
    operator.__doc__ = f"The same as ``ttnn.{name}(self)``."
    return operator


class Operators:
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
    __neg__ = _unary("neg")
    __abs__ = _unary("abs")
    __eq__ = _binary("eq")
    __ne__ = _binary("ne")
    __lt__ = _binary("lt")
    __le__ = _binary("le")
    __gt__ = _binary("gt")
    __ge__ = _binary("ge")
    __hash__ = object.__hash__
