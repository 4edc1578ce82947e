"""Older spellings: accepted, with one note each that carries the fix (LANGUAGE.md, "Older spellings")."""

from __future__ import annotations

from ttl.diag import note
from ttl.diag.report import emit
from ttl.source.spans import user_span


def note_older(older: str, current_spelling: str, code: str) -> None:
    """Say, once per place, that a spelling is older and what the current one is."""
    emit(
        note(code, f"{older} is an older spelling of {current_spelling}", help=f"write {current_spelling}").at(
            user_span()
        ),
        once=True,
    )
