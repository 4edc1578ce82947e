"""The test whether a text may be of 2025 or later, made before anything is imported for it: most texts are not."""

from __future__ import annotations


def upgraded_text(text: str, file: str = "<string>", first_line: int = 1) -> str:
    """A text in the dialects of 2024-11-21; one that is of that date as it is.

    Raises ``InvalidIR`` for a text that cannot be read, and for operations that have no form there.
    """
    if "ttcore" not in text and ("ttir." not in text or "operand_constraints" in text):
        return text
    from ttmlir.transforms.upgrade.upgrading import upgraded_text as upgrade

    return upgrade(text, file, first_line)
