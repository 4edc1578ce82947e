"""The syntax of a text that is being typed: if the text is not valid Python, the syntax of its valid lines.

An invalid line counts as ``pass``, or as ``if 1:`` if the next line is indented deeper. Lines with a wrong indentation
count as empty, and a block without statements gets a ``pass``. All other lines keep their numbers and columns.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ttl.session import FileText, cached
from ttl.source.spans import Span
from ttl.source.trees import TREES, SourceFile

# The number of texts whose syntax is kept: two files that are viewed, and an imported one; each may take megabytes.
_MOST_TEXTS = 3
# How often a text of up to a thousand lines is parsed at most, a longer text less often, but at least 4 times; after
# each failure, the invalid lines that it names are replaced.
_MOST_ATTEMPTS = 24
_HEAD = re.compile(r"expected an indented block after .* on line (\d+)")


@dataclass(frozen=True, slots=True, eq=False)
class Syntax:
    """The syntax of the valid lines of a text."""

    path: str
    text: FileText
    file: SourceFile
    """The syntax tree of the text, in which invalid lines are replaced."""
    broken: frozenset[int]
    """The numbers of the invalid lines."""

    def line(self, number: int) -> str:
        """A line of the original text; empty beyond its end."""
        return self.text.lines[number - 1] if 0 < number <= len(self.text.lines) else ""

    def written(self, span: Span) -> str:
        """Return the text of a place, of one line or of several."""
        lines = list(self.text.lines[span.line - 1 : span.end_line])
        if not lines:
            return ""
        lines[-1] = lines[-1][: span.end_column - 1]
        lines[0] = lines[0][span.column - 1 :]
        return "\n".join(lines)


@cached(maxsize=_MOST_TEXTS)
def syntax_of(path: str, text: FileText) -> Syntax:
    """The syntax of a text. Never fails."""
    known = TREES.get().of(path, text)
    if known is not None:
        return Syntax(path, text, known, frozenset())
    lines = list(text.lines)
    broken: set[int] = set()
    attempts = max(4, _MOST_ATTEMPTS * 1000 // max(len(lines), 1000))
    for _ in range(attempts):
        try:
            file = SourceFile(path, FileText("\n".join(lines)))
        except SyntaxError as wrong:
            _replace(lines, wrong, broken)
        except (ValueError, RecursionError, MemoryError):
            break
        else:
            return Syntax(path, text, file, frozenset(broken))
    return Syntax(
        path, text, SourceFile(path, FileText("\n" * len(lines))), frozenset(range(1, len(lines) + 1))
    )


def _replace(lines: list[str], wrong: SyntaxError, broken: set[int]) -> None:
    """Replace the line that an error is about, and add its number to ``broken``."""
    number = min(max(wrong.lineno or 1, 1), len(lines))
    head = _HEAD.match(wrong.msg)
    if head is not None:
        blank = next((at for at in range(number - 2, int(head[1]) - 1, -1) if not lines[at].strip()), None)
        number = int(head[1])
        if blank is not None:
            # The blank line is where the user is about to write.
            lines[blank] = f"{lines[number - 1][: _depth(lines[number - 1])]}    pass"
            broken.add(blank + 1)
            return
        # The head stays if it is one line; otherwise it is removed, too.
        whole = lines[number - 1].rstrip()
        broken.add(number)
        if whole.endswith(":") and number not in _ended(lines, broken):
            lines[number - 1] = f"{whole} pass"
            return
    elif isinstance(wrong, IndentationError):
        depth = _depth(lines[number - 1])
        for at in range(number - 1, len(lines)):
            if lines[at].strip() and _depth(lines[at]) < depth:
                return
            lines[at] = ""
            broken.add(at + 1)
            if "unindent" in wrong.msg:
                return
        return
    while number > 1 and (number in broken or not lines[number - 1].strip()) and head is None:
        number -= 1
    broken.add(number)
    indent = lines[number - 1][: _depth(lines[number - 1])]
    below = next((line for line in lines[number:] if line.strip()), "")
    lines[number - 1] = indent + ("if 1:" if _depth(below) > len(indent) else "pass")


def _ended(lines: list[str], broken: set[int]) -> set[int]:
    return {number for number in broken if lines[number - 1].endswith(": pass")}


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


# --- the text before a position --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UnclosedCall:
    """A call with a position inside its arguments: the text of the callee, and the arguments up to the position."""

    callee: str
    line: int
    column: int
    """The column of the parenthesis."""
    arguments: tuple[str, ...]
    """The arguments before the one at the position, and the beginning of that one."""

    @property
    def keyword(self) -> str:
        """The keyword of the argument at the position; empty if it has no keyword."""
        match = re.match(r"\s*([A-Za-z_]\w*)\s*=(?!=)", self.arguments[-1])
        return match[1] if match else ""


_CALLEE = re.compile(r"[A-Za-z_][\w.]*$")
_BRACKET = re.compile(r"[()\[\]{},]")
# A statement that begins where a bracket is still open: the bracket was never closed.
_STATEMENT = re.compile(
    r"^[ \t]*(?:@|(?:def|class|with|while|return|import|from|for|if)\b.*:$)", re.MULTILINE
)
_NOT_CODE = re.compile(
    r"""#[^\n]*|\"{3}(?:\\[\s\S]|[^\\])*?(?:\"{3}|\Z)|'{3}(?:\\[\s\S]|[^\\])*?(?:'{3}|\Z)"""
    r"""|"(?:\\[\s\S]|[^"\\\n])*(?:"|(?=\n)|\Z)|'(?:\\[\s\S]|[^'\\\n])*(?:'|(?=\n)|\Z)"""
)
_INSIDE, _END = "\x01", "\x02"
_MOST_LINES = 60


@dataclass(frozen=True, slots=True)
class CoveredCode:
    """A text in which strings and comments are covered by other characters, and the offsets of its lines."""

    covered: str
    starts: tuple[int, ...]

    def offset(self, line: int, column: int) -> int:
        """The index in the text of a position (from 1)."""
        if line > len(self.starts):
            return len(self.covered)
        return min(self.starts[line - 1] + column - 1, len(self.covered))


@cached(maxsize=_MOST_TEXTS)
def code_of(text: FileText) -> CoveredCode:
    """The text with strings and comments covered; it need not be valid Python."""
    return _covered(text.lines)


def _covered(lines: Sequence[str]) -> CoveredCode:
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    return CoveredCode(_NOT_CODE.sub(_cover, "\n".join(lines)), tuple(starts[:-1]) or (0,))


def _cover(match: re.Match[str]) -> str:
    whole = match[0]
    closed = len(whole) > 1 and whole[0] in "'\"" and whole[-1] == whole[0]
    return _INSIDE * (len(whole) - 1) + (_END if closed else _INSIDE)


def is_code(text: FileText, line: int, column: int) -> bool:
    """Whether a position is outside of strings and comments. The text need not be valid Python."""
    code = code_of(text)
    return _is_code(code, code.offset(line, column))


def is_code_of(syntax: Syntax, line: int, column: int) -> bool:
    """Whether a position is outside of strings and comments; in a valid text, only the line's chunk is searched."""
    if syntax.broken:
        return is_code(syntax.text, line, column)
    chunk = syntax.file.chunk_at(line)
    first, last = (line, line) if chunk is None else (chunk.first, chunk.last)
    code = _covered(syntax.text.lines[first - 1 : last])
    return _is_code(code, code.offset(line - first + 1, column))


def _is_code(code: CoveredCode, offset: int) -> bool:
    return offset == 0 or code.covered[offset - 1] != _INSIDE


def open_calls(text: FileText, line: int, column: int) -> list[UnclosedCall]:
    """The calls with the position inside their arguments, the innermost first. The text need not be valid Python."""
    code = code_of(text)
    end = code.offset(line, column)
    begin = code.offset(max(1, line - _MOST_LINES), 1)
    statements = [match.start() for match in _STATEMENT.finditer(code.covered, begin, end)]
    begin = statements[-1] if statements else begin
    stack: list[tuple[int, list[int]]] = []
    for bracket in _BRACKET.finditer(code.covered, begin, end):
        match bracket[0]:
            case "(" | "[" | "{":
                stack.append((bracket.start(), []))
            case ",":
                if stack:
                    stack[-1][1].append(bracket.start())
            case _:
                if stack:
                    stack.pop()
    calls = []
    for at, commas in reversed(stack):
        callee = _CALLEE.search(code.covered, begin, at) if code.covered[at] == "(" else None
        arguments = tuple(text.text[first + 1 : last] for first, last in pairwise([at, *commas, end]))
        row = bisect_right(code.starts, at)
        calls.append(UnclosedCall(callee[0] if callee else "", row, at - code.starts[row - 1] + 1, arguments))
    return calls
