"""Changes of a program as pages of codes show them: removed and added lines, with the unchanged lines around them.

A line begins with ``-``, ``+`` or a space; ``...`` separates two places of a program.
"""

from __future__ import annotations

from contextlib import suppress
from difflib import SequenceMatcher

BETWEEN = "..."


def applied(source: str, changes: str) -> str:
    """``source`` after ``changes``, which may be empty. Raises ``ValueError`` if they do not fit."""
    lines = source.split("\n")
    result: list[str] = []
    at = 0
    for part in changes.split(f"\n{BETWEEN}\n") if changes else ():
        written = part.split("\n")
        wrong = next((line for line in written if line and line[0] not in "-+ "), None)
        if wrong is not None:
            raise ValueError(f"a line of a change begins with -, + or a space: {wrong}")
        before = [line[1:] for line in written if line[:1] != "+"]
        after = [line[1:] for line in written if line[:1] != "-"]
        place = _found(lines, before, at)
        result += [*lines[at:place], *after]
        at = place + len(before)
    return "\n".join([*result, *lines[at:]])


def between(source: str, result: str) -> str:
    """The changes that turn ``source`` into ``result``, as ``applied`` takes them.

    All places have the same number of unchanged lines around them: the smallest, from one on, with which ``applied``
    gives ``result``.
    """
    before, after = source.split("\n"), result.split("\n")
    for around in range(1, len(before) + len(after)):
        parts = []
        for group in SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(around):
            lines: list[str] = []
            for tag, old, old_end, new, new_end in group:
                if tag == "equal":
                    lines += [f" {line}" if line else "" for line in before[old:old_end]]
                else:
                    lines += [f"-{line}" for line in before[old:old_end]]
                    lines += [f"+{line}" for line in after[new:new_end]]
            parts.append("\n".join(lines).strip("\n"))
        changes = f"\n{BETWEEN}\n".join(parts)
        with suppress(ValueError):
            if applied(source, changes) == result:
                return changes
    raise AssertionError("all lines around a change say where it is")


def _found(lines: list[str], part: list[str], begin: int) -> int:
    """Return the position of the first occurrence of ``part`` from ``begin`` on. Raises ``ValueError`` without one."""
    for place in range(begin, len(lines) - len(part) + 1):
        if lines[place : place + len(part)] == part:
            return place
    raise ValueError(f"the program has no lines that read {part[0].strip() or 'nothing'} ...")
