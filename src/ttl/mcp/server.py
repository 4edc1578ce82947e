"""The server: the tools under their names, over standard input and output."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations

from ttl.diag import catalog
from ttl.diag.errors import WrongRequest
from ttl.diag.internal import version
from ttl.mcp.results import Hit
from ttl.mcp.tools import Tools
from ttl.processes.tasks import Limits
from ttl.score.processes import probe

P = ParamSpec("P")
R = TypeVar("R")

_INSTRUCTIONS = (
    "TT-Lang kernels for Tenstorrent chips, without a card. Loop: check (runs nothing), fix, run, then run with "
    "sanitize=true, then with compare=true on the emulated chip, then score, and profile and do what its advice says. "
    "explain has the page of every error code, search the documentation and examples. Programs are given as path, "
    "below the server's folder, or as source."
)
_MOST_HITS = 10


# ``_READS``: no file of the client is changed, no program is executed. ``_EXECUTES``: a program is executed, without
# network and without permission to change files. ``_WRITES``: the program's own file may be changed, on request.
_READS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_EXECUTES = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
_WRITES = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
)


def make(root: Path, limits: Limits, *, allow_open: bool = False) -> MCPServer:
    """A server for programs below ``root``; each run is subject to ``limits`` and isolated.

    With ``allow_open``, programs also run where they cannot be isolated.
    """
    tools = Tools(root=root, limits=limits, isolation=probe(), allow_open=allow_open)

    # The index is created for the first search.
    indices: list[SearchIndex] = []

    def search(query: str, most: int = 5) -> list[Hit]:
        """Search the documentation, the pages of all error codes and the examples. most: from 1 to 10."""
        if not indices:
            indices.append(SearchIndex())
        return indices[0].search(query, max(1, min(most, _MOST_HITS)))

    offered: tuple[tuple[ToolAnnotations, tuple[Callable[..., Any], ...]], ...] = (
        (_READS, (tools.check, tools.compile, tools.explain, search)),
        (_WRITES, (tools.fix,)),
        (_EXECUTES, (tools.run, tools.profile, tools.score)),
    )
    served = [
        _strict(Tool.from_function(_told(tool), annotations=annotations))
        for annotations, tools_ in offered
        for tool in tools_
    ]
    return MCPServer("ttl", version=version(), instructions=_INSTRUCTIONS, tools=served)


def _strict(tool: Tool) -> Tool:
    """Make a tool refuse unknown arguments: a client that writes ``sanitise`` would believe the result is sanitized."""
    known: Any = tool.fn_metadata.arg_model
    members: dict[str, Any] = {"model_config": {"extra": "forbid"}, "__module__": __name__}
    refusing: Any = type(known)(f"Strict{known.__name__}", (known,), members)
    return tool.model_copy(
        update={
            "fn_metadata": tool.fn_metadata.model_copy(update={"arg_model": refusing}),
            "parameters": {**tool.parameters, "additionalProperties": False},
        }
    )


def _told(tool: Callable[P, R]) -> Callable[P, R]:
    """Wrap a tool so that ``WrongRequest`` is reported to the client as an error of the tool."""

    @wraps(tool)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return tool(*args, **kwargs)
        except WrongRequest as wrong:
            raise ToolError(str(wrong)) from None

    return call


_HEADING = re.compile(r"^#{1,3} (.+)$", re.MULTILINE)
_WORD = re.compile(r"\w+")
_MOST_CHARACTERS = 1_500
# The folders that may contain the pages: in the installed package, and in a copy of the project.
_PACKAGE = Path(__file__).parent
_PLACES = (_PACKAGE / "pages", _PACKAGE.parent.parent.parent)
_FOLDERS = ("docs/guides", "docs/reference", "docs/tutorial")


class SearchIndex:
    """A full-text index of the sections of all pages."""

    def __init__(self) -> None:
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.execute(
            "create virtual table sections using fts5(page, section, text, tokenize = 'porter unicode61')"
        )
        self._database.executemany("insert into sections values (?, ?, ?)", _sections())

    def search(self, query: str, most: int) -> list[Hit]:
        """The sections with all words of a query, or with any of them if no section has all; the best first."""
        words = [word for word in _WORD.findall(query) if word.strip("_")]
        if not words:
            return []
        quoted = [f'"{word}"' for word in words]
        for joined in (" ".join(quoted), " OR ".join(quoted)):
            rows = self._database.execute(
                "select page, section, text from sections where sections match ? order by bm25(sections, 4, 6, 1), page limit ?",
                (joined, most),
            ).fetchall()
            if rows:
                return [
                    Hit(page=page, section=section, text=text[:_MOST_CHARACTERS])
                    for page, section, text in rows
                ]
        return []


def _sections() -> Iterator[tuple[str, str, str]]:
    for code in catalog.codes():
        page = catalog.page(code)
        yield f"ttl explain {code}", page.title, page.text
    root = next((place for place in _PLACES if (place / _FOLDERS[0]).is_dir()), None)
    if root is None:
        return
    for folder in _FOLDERS:
        for path in sorted((root / folder).glob("*.md")):
            yield from _of_page(str(path.relative_to(root)), path.read_text(encoding="utf-8"))
    for path in sorted((root / "examples").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        yield str(path.relative_to(root)), text.strip().strip('"').split("\n")[0], text


def _of_page(name: str, text: str) -> Iterator[tuple[str, str, str]]:
    heads = list(_HEADING.finditer(text))
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        yield name, head[1], text[head.start() : following.start() if following else len(text)].strip()
