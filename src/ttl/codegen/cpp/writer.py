"""Lines of C++ with their indentation, and the places in the user's program that they come from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from ttl.source.spans import Span

_INDENT = "    "
LONGEST_LINE = 120


class CppWriter:
    """The text of a file under construction."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._spans: list[Span | None] = []
        self._depth = 0

    def line(self, text: str = "", span: Span | None = None) -> None:
        """Write a line; a long line is broken after a comma or before an operator, a long comment is cut off.

        ``span`` is the place in the user's program that it comes from.
        """
        if text.startswith("#"):
            self._append(text, span)
            return
        indent = _INDENT * self._depth
        if text.startswith("//") and len(text) > LONGEST_LINE - len(indent):
            text = f"{text[: LONGEST_LINE - len(indent) - 3].rstrip()}..."
        for position, piece in enumerate(_broken(text, LONGEST_LINE - len(indent))):
            self._append(f"{indent}{_INDENT if position else ''}{piece}".rstrip(), span)

    def _append(self, line: str, span: Span | None) -> None:
        self._lines.append(line)
        self._spans.append(span)

    @contextmanager
    def indented(self) -> Iterator[None]:
        """Indent the lines written in this context by one level."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def spans(self) -> Iterator[tuple[int, Span]]:
        """The lines that have a place in the user's program, counted from 0, with their places."""
        for number, span in enumerate(self._spans):
            if span is not None:
                yield number, span

    def text(self) -> str:
        """The text of all lines, with a newline at its end."""
        return "\n".join(self._lines) + "\n" if self._lines else ""


def _broken(text: str, width: int) -> Iterator[str]:
    while len(text) > width and not text.startswith("//") and '"' not in text:
        cut = _best_break(text, width)
        if cut is None:
            break
        yield text[:cut].rstrip()
        text = text[cut:]
        width = min(width, LONGEST_LINE - 2 * len(_INDENT))
    yield text


def _best_break(text: str, width: int) -> int | None:
    """The best position at which the line may end: the last of those inside the fewest parentheses."""
    depth, best, least = 0, None, 0
    places = {match.end() for match in re.finditer(r"[,;] | (?=(?:[-+*/%&|?:]|&&|\|\|) )", text)}
    for position, char in enumerate(text[:width]):
        depth += (char == "(") - (char == ")")
        if position + 1 in places and (best is None or depth <= least):
            best, least = position + 1, depth
    return best
