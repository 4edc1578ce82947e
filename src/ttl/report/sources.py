"""The files of a report: their positions, names and texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ttl.report.records import LineUse, ReportSource
from ttl.source.files import display_name, lines


class SourceTable:
    """Files, in the order of their first use."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, file: str | None) -> int | None:
        """The position of a file; None for a file whose text is not known."""
        if file is None:
            return None
        if file not in self._numbers:
            if lines(file) is None:
                return None
            self._numbers[file] = len(self._numbers)
        return self._numbers[file]

    def finished(self, uses: Mapping[tuple[int, int], LineUse]) -> tuple[ReportSource, ...]:
        """The files with the use of their lines; ``uses`` is keyed by position of the file and line."""
        return tuple(
            ReportSource(
                file=display_name(file),
                text="".join(f"{line}\n" for line in lines(file) or ()),
                lines=tuple(use for (at, _), use in sorted(uses.items()) if at == number),
            )
            for file, number in self._numbers.items()
        )


def shown_files(value: Any) -> Any:
    """Return an object of JSON in which files are named as in ``sources``."""
    if isinstance(value, dict):
        return {
            key: display_name(item) if key == "file" and isinstance(item, str) else shown_files(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [shown_files(item) for item in value]
    return value
