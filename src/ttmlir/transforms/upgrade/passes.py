"""``--upgrade``: reads a text of 2025 or later and converts it to the dialects of 2024-11-21."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass


@dataclass(frozen=True)
class Upgrade(ModulePass):
    """Convert text of 2025 and later to the dialects of 2024-11-21.

    The conversion takes place when the text is read, since it could not be parsed otherwise: with this pass alone the
    tool prints the converted module.
    """

    name = "upgrade"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Do nothing: the upgrade is done when the text is read."""
