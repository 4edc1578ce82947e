"""The arguments of a call that are a program's tensors: later calls of the same kind pass other tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def argument_of(tensor: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> int | str | None:
    """The position or name of the argument that is ``tensor``; None if it is not an argument itself."""
    result: int | str | None = next((at for at, arg in enumerate(args) if arg is tensor), None)
    return next((name for name, item in kwargs.items() if item is tensor), None) if result is None else result
