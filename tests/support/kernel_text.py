"""What the text of a kernel does, as a tree: calls, loops with their trip counts, branches. Enough to count with.

It reads the C++ that generated kernels are made of: no templates of their own, no ``goto``, one function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t]*#[^\n]*$", re.MULTILINE)
_STRING = re.compile(r'"(?:\\.|[^"\\])*"')
_CALL = re.compile(r"([A-Za-z_]\w*)\s*(?:<[^<>;(){}]*>)?\s*\(")
_VALUE = re.compile(r"(?:constexpr|const)\s+u?int32_t\s+(\w+)\s*=\s*([\w\s+*()%/-]+)$")
_COUNTED = re.compile(
    r"\w+\s+(?P<name>\w+)\s*=\s*(?P<start>\w+)\s*;\s*(?P=name)\s*<\s*(?P<stop>\w+)\s*;\s*"
    r"(?:\+\+(?P=name)|(?P=name)\+\+|(?P=name)\s*\+=\s*(?P<step>\w+))\s*$"
)
_NUMBER = re.compile(r"(\d+)u?$")
_WORDS = frozenset(
    {"for", "while", "if", "else", "switch", "return", "sizeof", "static_cast", "reinterpret_cast"}
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A call of a function, with the text of its arguments."""

    name: str
    arguments: str


@dataclass(kw_only=True, slots=True)
class Loop:
    """A loop; ``variable`` and ``trips`` where it counts, and the count is a constant."""

    variable: str | None = None
    trips: int | None = None
    body: list[Node] = field(default_factory=list)


@dataclass(kw_only=True, slots=True)
class Branch:
    """What happens under a condition, or in a scope of its own."""

    body: list[Node] = field(default_factory=list)


Node = Call | Loop | Branch


def read(text: str) -> list[Node]:
    """The body of ``kernel_main``."""
    text = _DIRECTIVE.sub("", _COMMENT.sub("", _STRING.sub('""', text)))
    start = text.index("{", text.index("kernel_main"))
    return _Reader(text, start + 1).block()


def walk(nodes: list[Node], loops: tuple[Loop, ...] = ()) -> Iterator[tuple[Call, tuple[Loop, ...]]]:
    """Every call with the loops around it, outermost first."""
    for node in nodes:
        match node:
            case Call():
                yield node, loops
            case Loop():
                yield from walk(node.body, (*loops, node))
            case Branch():
                yield from walk(node.body, loops)


class _Reader:
    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        # What names stand for that are given a value once: expressions of numbers and variables of loops.
        self.values: dict[str, str] = {}

    def block(self) -> list[Node]:
        """Statements up to the closing brace."""
        nodes: list[Node] = []
        outer = dict(self.values)
        while True:
            self._skip()
            if self.text[self.at] == "}":
                self.at += 1
                self.values = outer
                return nodes
            nodes += self._statement()

    def _statement(self) -> list[Node]:
        self._skip()
        word = re.compile(r"\w+").match(self.text, self.at)
        match word[0] if word else self.text[self.at]:
            case "{":
                self.at += 1
                return [Branch(body=self.block())]
            case "for" | "while" as kind:
                self.at += len(kind)
                header = self._parenthesised()
                loop = self._counted(header) if kind == "for" else Loop()
                loop.body = [*_calls(header), *self._statement_or_block()]
                return [loop]
            case "do":
                self.at += len("do")
                return [Loop(body=self._statement_or_block())]
            case "if":
                self.at += len("if")
                self._skip()
                if self.text.startswith("constexpr", self.at):
                    self.at += len("constexpr")
                header = self._parenthesised()
                return [*_calls(header), Branch(body=self._statement_or_block())]
            case "else":
                self.at += len("else")
                return [Branch(body=self._statement_or_block())]
        end = self._end_of_simple()
        simple = self.text[self.at : end]
        self.at = end + 1
        if (value := _VALUE.match(simple)) and not _CALL.search(value[2]):
            self.values[value[1]] = self._written_out(value[2])
        return list(_calls(self._written_out(simple)))

    def _written_out(self, text: str) -> str:
        """A text with the values of names in their places, except for circular buffers."""

        def value(name: re.Match[str]) -> str:
            found = self.values.get(name[0])
            return name[0] if found is None or found.isdigit() else f"({found})"

        return re.sub(r"\b[A-Za-z_]\w*\b(?!\s*=[^=])", value, text)

    def _statement_or_block(self) -> list[Node]:
        self._skip()
        if self.text[self.at] == "{":
            self.at += 1
            return self.block()
        return self._statement()

    def _counted(self, header: str) -> Loop:
        found = _COUNTED.match(header.strip())
        if found is None:
            return Loop()
        numbers = [self._value(found[name] or "1") for name in ("start", "stop", "step")]
        start, stop, step = numbers
        trips = None
        if start is not None and stop is not None and step:
            trips = max(0, -(-(stop - start) // step))
        return Loop(variable=found["name"], trips=trips)

    def _value(self, word: str) -> int | None:
        number = _NUMBER.match(self.values.get(word, word))
        return int(number[1]) if number else None

    def _parenthesised(self) -> str:
        self._skip()
        assert self.text[self.at] == "(", self.text[self.at : self.at + 40]
        end = _closing(self.text, self.at)
        inside = self.text[self.at + 1 : end]
        self.at = end + 1
        return inside

    def _end_of_simple(self) -> int:
        """The semicolon of a statement, past initialisers in braces."""
        depth = 0
        for position in range(self.at, len(self.text)):
            match self.text[position]:
                case "(" | "{" | "[":
                    depth += 1
                case ")" | "}" | "]":
                    depth -= 1
                case ";" if depth == 0:
                    return position
        raise ValueError(f"no end of {self.text[self.at : self.at + 40]!r}")

    def _skip(self) -> None:
        while self.text[self.at].isspace() or self.text[self.at] == ";":
            self.at += 1


def _calls(text: str) -> Iterator[Call]:
    for found in _CALL.finditer(text):
        if found[1] not in _WORDS:
            yield Call(name=found[1], arguments=text[found.end() : _closing(text, found.end() - 1)])


def _closing(text: str, opening: int) -> int:
    depth = 0
    for position in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return position
    raise ValueError(f"unbalanced parentheses in {text[opening : opening + 40]!r}")
