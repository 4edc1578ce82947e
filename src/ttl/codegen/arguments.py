"""The arguments of a call that a program's tensors come from: later calls of the same kind pass their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def argument_of(tensor: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> int | str | None:
    """Its position or name; None for one that is not an argument by itself."""
    result: int | str | None = next((at for at, arg in enumerate(args) if arg is tensor), None)
    return next((name for name, item in kwargs.items() if item is tensor), None) if result is None else result
