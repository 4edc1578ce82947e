"""``register_dialect``, which every dialect of ours has."""

from __future__ import annotations

from ttmlir.bindings.scope import Context


def register_dialect(context: Context, load: bool = True) -> None:
    """All dialects can be read in a context from the start; taken for programs that register them."""
