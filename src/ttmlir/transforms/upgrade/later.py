"""A test whether a text may be of 2025 or later, which imports nothing, since most texts are not."""

from __future__ import annotations


def upgraded_text(text: str, file: str = "<string>", first_line: int = 1) -> str:
    """Return a text in the dialects of 2024-11-21; a text of that date is returned unchanged.

    Raises ``InvalidIR`` for a text that cannot be read, and for operations without a form in those dialects.
    """
    if "ttcore" not in text and ("ttir." not in text or "operand_constraints" in text):
        return text
    from ttmlir.transforms.upgrade.upgrading import upgraded_text as upgrade

    return upgrade(text, file, first_line)
