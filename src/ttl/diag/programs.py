"""Pages of codes: the form in which they are stored, and the form that readers see.

A program that many pages show with a few lines changed is stored once, in ``codes/programs.md``. A page contains
`` ```diff error of=double `` and the changes (``changes.py``), and its reader sees `` ```python error `` and the whole
program.

A correct program is stored as changes of such a program, or (`` ```diff ok ``) of the program above it: the last one
before it that fails or is only checked, or the first program of the page. Its reader sees the changes of the program
above it, or the whole program if the changes have at least half as many lines.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from ttl.diag.changes import applied, between

FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```\s*?$", re.MULTILINE | re.DOTALL)
_CHANGED = re.compile(r"diff (?P<kind>error|checked|ok)(?: of=(?P<name>[a-z]+))?")


@cache
def programs() -> dict[str, str]:
    """The stored programs by name, without a line end after the last line."""
    text = (resources.files("ttl.diag") / "codes" / "programs.md").read_text(encoding="utf-8")
    return {
        fence["info"].removeprefix("python "): fence["body"].rstrip("\n") for fence in FENCE.finditer(text)
    }


def whole(page: str) -> str:
    """The Markdown of a page as readers see it.

    Raises ``ValueError`` for a name without a program, and for changes that do not fit.
    """
    above = ""

    def written(fence: re.Match[str]) -> str:
        nonlocal above
        info, body = fence["info"].strip(), fence["body"].rstrip("\n")
        changed = _CHANGED.fullmatch(info)
        if changed is not None:
            program = above if changed["name"] is None else programs().get(changed["name"], "")
            if not program:
                raise ValueError(f"there is no program {changed['name'] or 'before these changes'}")
            info, body = f"python {changed['kind']}", applied(program, body)
        shown = f"```{info}\n{body}\n```" if changed else fence[0]
        if info == "python ok" and above:
            changes = between(above, body) if changed else body
            if 2 * changes.count("\n") < body.count("\n"):
                shown = f"```diff ok\n{changes}\n```"
        elif info in ("python error", "python checked", "python ok"):
            above = body
        return shown

    return FENCE.sub(written, page)
