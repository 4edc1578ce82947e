"""The texts that the client has open, kept as it edits them.

Lines end only with the line ends of the protocol (``\\n``, ``\\r\\n``, ``\\r``): if lines were split as Python splits
strings, the client's edits of a text with form feeds or U+2028 would be applied at the wrong places.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from lsprotocol import types

from ttl.lsp.convert import Encoding, character, path_of

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Document:
    """A text in one version."""

    uri: str
    version: int | None
    text: str
    encoding: Encoding

    @cached_property
    def path(self) -> str:
        """The absolute path of the file, or a name in angle brackets."""
        return path_of(self.uri)

    @cached_property
    def newline(self) -> str:
        """The line end of the first line."""
        match_ = _LINE_END.search(self.text)
        return match_[0] if match_ else "\n"

    @cached_property
    def _starts(self) -> list[int]:
        """The offsets of the beginnings of lines, in characters."""
        return [0, *(match_.end() for match_ in _LINE_END.finditer(self.text))]

    def offset(self, where: types.Position) -> int:
        """The offset of a position in characters, clamped to the text."""
        starts = self._starts
        if where.line >= len(starts):
            return len(self.text)
        begin = starts[max(where.line, 0)]
        end = starts[where.line + 1] if where.line + 1 < len(starts) else len(self.text)
        line = self.text[begin:end].rstrip("\r\n")
        return begin + character(line, where.character, self.encoding)

    def changed(
        self, changes: Sequence[types.TextDocumentContentChangeEvent], version: int | None
    ) -> Document:
        """The document after applying changes one after the other."""
        document = self
        for change in changes:
            text = change.text
            if isinstance(change, types.TextDocumentContentChangePartial):
                begin, end = document.offset(change.range.start), document.offset(change.range.end)
                begin, end = min(begin, end), max(begin, end)
                text = document.text[:begin] + text + document.text[end:]
            document = Document(self.uri, version, text, self.encoding)
        return document if document is not self else Document(self.uri, version, self.text, self.encoding)
