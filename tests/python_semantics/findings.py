"""The programs of ``findings.md``: parts of a program, and what CPython shows on every node beside them.

A section is a finding: its number is the group, then its name. ``gap:`` says what is wrong with it today; ``may be refused`` stands where
a code is right, too. Code is that of the movement kernel, or of the part that a comment names. Below it, by nodes, is what kernels show.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.python_events import Event, Events

from python_semantics.judge import plain
from support.random_programs.python.programs import NODES, Program

FILE = Path(__file__).with_name("findings.md")
_SECTION = re.compile(
    r"## (?P<group>\d) (?P<name>[^\n]*)\n\n(?:gap: (?P<gap>[^\n]*)\n\n)?(?P<refused>may be refused\n\n)?"
    r"```python\n(?P<code>.*?)```\n\n```\n(?P<shows>.*?)```\n",
    re.DOTALL,
)
_PART = re.compile(r"# (functions|body|movement|compute)\n")
KERNELS = ("read", "compute", "write")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A program, and what CPython shows; ``gap`` is what the reader makes of it where that is wrong."""

    group: int
    name: str
    program: Program
    shows: str
    gap: str | None
    may_be_refused: bool


def findings() -> list[Finding]:
    """All of them, in their order."""
    return [
        Finding(
            group=int(match["group"]),
            name=match["name"],
            program=_program(match["name"], match["code"]),
            shows=match["shows"],
            gap=match["gap"],
            may_be_refused=match["refused"] is not None,
        )
        for match in _SECTION.finditer(FILE.read_text(encoding="utf-8"))
    ]


def _program(name: str, code: str) -> Program:
    first, *others = _PART.split(code)
    parts: dict[str, Any] = dict(zip(others[::2], others[1::2], strict=True))
    return Program(name=name.replace(" ", "_"), **({"movement": first} | parts))


def shown(events: Events) -> str:
    """What kernels show, nodes that show the same together."""
    by_node = [
        "; ".join(
            text
            for kernel in KERNELS
            for text in [
                *map(_shown, events.get((node, kernel), [])),
                _stored(events.get((node, kernel), [])),
            ]
            if text is not None
        )
        for node in range(NODES)
    ]
    lines = []
    for text in dict.fromkeys(by_node):
        nodes = ", ".join(str(node) for node, each in enumerate(by_node) if each == text)
        lines.append(f"{nodes}: {text}".rstrip())
    return "".join(f"{line}\n" for line in lines)


def _shown(event: Any) -> str | None:
    match plain(event):
        case ("print", text):
            return str(text)
        case ("fill", value):
            return f"fill {value}"
        case ("copy", ("slice", 0, ((row, _), _)), _):
            return f"a[{row}]"
    return None


def _stored(events: list[Event]) -> str | None:
    """What is left in the last block."""
    values = [event[2] for event in events if event[0] == "store"]
    return f"block {values[-1]}" if values else None
