"""The operations of ``affine``: a class and a function for each that is known here."""

from __future__ import annotations

from typing import Any

from ttmlir.bindings.views import namespace_of


def __getattr__(name: str) -> Any:
    try:
        return namespace_of("affine")[name]
    except KeyError:
        raise AttributeError(f"the dialect affine has no operation {name}") from None


def __dir__() -> list[str]:
    return sorted(namespace_of("affine"))
