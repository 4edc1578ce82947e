"""The operations of ``affine``: a class and a function for each that is known here."""

from __future__ import annotations

from typing import Any

from ttmlir.bindings.views import member_of, namespace_of


def __getattr__(name: str) -> Any:
    return member_of("affine", name)


def __dir__() -> list[str]:
    return sorted(namespace_of("affine"))
