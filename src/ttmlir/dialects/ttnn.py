"""The operations of ``ttnn``: a class and a function for each, made from the rows when they are first named."""

from __future__ import annotations

from typing import Any

from ttmlir.bindings import ttnn_ir as ir
from ttmlir.bindings.registration import register_dialect
from ttmlir.bindings.views import namespace_of

__all__ = ["ir", "register_dialect"]


def __getattr__(name: str) -> Any:
    try:
        return namespace_of("ttnn")[name]
    except KeyError:
        raise AttributeError(f"the dialect ttnn has no operation {name}") from None


def __dir__() -> list[str]:
    return sorted((*__all__, *namespace_of("ttnn")))
