"""``ttl.math``: functions over block expressions, element by element, and reductions.

Every name comes from the operation table (``ttl.rows``); the reference lists them.
"""

from __future__ import annotations

from typing import Any

from ttl.lang.functions import lookup, names


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return globals().setdefault(name, lookup("math", name))


def __dir__() -> list[str]:
    return names("math")
