"""The origin of a node of an exported graph: the user's line, the module, and the name of its operations."""

from __future__ import annotations

import re
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# The custom operators that call operations of TT-Lang and of TTIR; the first argument names the operation.
OPERATOR = "ttmlir::tt_lang_op"
BUILDER_OPERATOR = "ttmlir::builder_op"
_FRAME = re.compile(r'File "(.+?)", line (\d+)')


@dataclass(frozen=True, slots=True)
class NodePlace:
    """The origin of a node: ``file`` is empty for an unknown line, ``module`` is empty for the outermost module."""

    file: str
    line: int
    module: str
    function: str

    @property
    def name(self) -> str:
        """The module's path and the function of ATen, such as ``layers.0.attn.q_proj.linear``."""
        return f"{self.module}.{self.function}" if self.module else self.function

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.file else "unknown line"


def place_of(node: Any) -> NodePlace:
    """The place of a node of ``torch.fx``: the innermost line outside of torch."""
    file, line = innermost(_FRAME.findall(node.meta.get("stack_trace") or ""))
    return NodePlace(file, line, module_of(node), function_of(node))


def innermost(frames: list[tuple[str, str]]) -> tuple[str, int]:
    """Return file and line of the innermost user's frame, else of the innermost torch frame, else ``("", 0)``.

    ``frames`` are files and lines, from the outermost frame on.
    """
    import torch

    torch_s, sources = str(Path(torch.__file__).parent), Path(__file__).parents[2]
    ours = (str(sources / "ttmlir"), str(sources / "tt_model"), "<")
    library = sysconfig.get_path("stdlib")
    frames = [(file, line) for file, line in frames if not file.startswith(library) or "-packages" in file]
    # If no user's line calls a module of torch, the line is torch's.
    for others in ((torch_s, *ours), ours):
        for file, line in reversed(frames):
            if not file.startswith(others):
                return file, int(line)
    return "", 0


def module_of(node: Any) -> str:
    """The path of the module that a node was called in, such as ``layers.0``."""
    stack = node.meta.get("nn_module_stack") or {}
    path = next(reversed(stack.values()))[0] if stack else ""
    # A repeated call of a module has its number behind an @.
    return str(path).partition("@")[0]


def function_of(node: Any) -> str:
    """The function of a node without its overload: ``linear`` for ``aten.linear.default``; of an operation of TT-Lang or TTIR its name."""
    schema = getattr(node.target, "_schema", None)
    if schema is None:
        return str(node.name)
    if schema.name == OPERATOR:
        return str(node.args[0]).partition("::")[0].rpartition(".")[2]
    if schema.name == BUILDER_OPERATOR:
        return str(node.args[0])
    return str(schema.name).rpartition("::")[2].lstrip("_")
