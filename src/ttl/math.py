"""``ttl.math``: functions over block expressions, element by element, and reductions.

Every name comes from the operation table (``ttl.rows``), but for ``topk``, which is written in the language; the reference
lists them.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ttl.lang.functions import lookup, names


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name == "topk":
        return globals().setdefault(name, import_module("ttl.ops.selection").topk)
    return globals().setdefault(name, lookup("math", name))


def __dir__() -> list[str]:
    return [*names("math"), "topk"]
