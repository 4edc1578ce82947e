"""The server: the tools under their names, over standard input and output."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations

from ttl.diag.errors import WrongRequest
from ttl.diag.internal import version
from ttl.mcp.results import Hit
from ttl.mcp.search import SearchIndex
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


# Nothing that a client has is changed, and nothing is executed; a program is executed, without network and without leave to change
# files; the program's own file may be changed, where that is asked for.
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
    """A server for programs below ``root``, each run of one within ``limits``, and where that is not to be had with ``allow_open`` only."""
    tools = Tools(root=root, limits=limits, isolation=probe(), allow_open=allow_open)

    # Made with the first question.
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
    """The tool, refusing arguments that it has not got: who writes ``sanitise`` would take what comes for sanitized."""
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
    """The tool, with what is wrong with its input said to who asks."""

    @wraps(tool)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return tool(*args, **kwargs)
        except WrongRequest as wrong:
            raise ToolError(str(wrong)) from None

    return call
