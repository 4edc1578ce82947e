"""The operations of ``ttnn``: a class and a function for each, made from the rows when they are first named."""

from __future__ import annotations

from typing import Any

from ttmlir.bindings import ttnn_ir as ir
from ttmlir.bindings.scope import register_dialect
from ttmlir.bindings.views import member_of, namespace_of

__all__ = ["ir", "register_dialect"]


def __getattr__(name: str) -> Any:
    return member_of("ttnn", name)


def __dir__() -> list[str]:
    return sorted((*__all__, *namespace_of("ttnn")))
