"""How it is said that something of a program has no equivalent."""

from __future__ import annotations


class Unsupported(Exception):
    """``condition`` is what failed, with its values; ``way_out`` what would work."""

    def __init__(self, condition: str, way_out: str) -> None:
        super().__init__(condition)
        self.condition = condition
        self.way_out = way_out
