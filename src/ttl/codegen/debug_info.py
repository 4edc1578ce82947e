"""The debug information of a compiled program, which maps a card's dump to lines of the user's Python.

Each operation has a JSON file, ``NAME.ttl-debug.json``: the description with its kernels' sources, the places of their
lines, and the IR of the operation. A checksum over the contents detects a damaged file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ttl.codegen.description import ProgramDescription, from_json, to_json
from ttl.source.spans import Span

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

SUFFIX = ".ttl-debug.json"
_VERSION = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class DebugInfo:
    """A description with the places of its lines, and the IR it was compiled from with the places of its operations."""

    description: ProgramDescription
    module: str
    sources: Mapping[str, str]
    """The user's files, and the SHA-256 of their text when the program was compiled."""

    @property
    def changed(self) -> tuple[str, ...]:
        """The user's files whose text has changed since the compilation, or that have disappeared since then."""
        return tuple(file for file, known in self.sources.items() if _sum_of_file(file) != known)


def debug_info(description: ProgramDescription, module: ModuleOp) -> DebugInfo:
    """Return the debug information of a compiled operation, whose IR from the front end is ``module``."""
    from ttl.codegen.texts import module_text

    files = {span.file for kernel in description.kernels for span in kernel.lines.values()}
    return DebugInfo(
        description=description,
        module=module_text(module, locations=True),
        sources={file: _sum_of_file(file) for file in sorted(files)},
    )


def file_name(info: DebugInfo) -> str:
    """Return the name of the file with an operation's debug information."""
    return f"{info.description.name}{SUFFIX}"


def to_text(info: DebugInfo) -> str:
    """Return the text of the file. The inverse is ``from_text``."""
    content = {
        "program": json.loads(to_json(info.description)),
        "lines": {kernel.file: _lines(kernel.lines) for kernel in info.description.kernels},
        "module": info.module,
        "sources": dict(info.sources),
    }
    return json.dumps({"ttl-debug": _VERSION, "sum": _sum(content), **content}, indent=1) + "\n"


def from_text(text: str) -> DebugInfo:
    """Read the text of a file. Raises ``ValueError`` for another version, a damaged file, and any other text."""
    try:
        content = json.loads(text)
    except RecursionError:
        raise ValueError("it is not debug information of ttl") from None
    if not isinstance(content, dict) or "ttl-debug" not in content:
        raise ValueError("it is not debug information of ttl")
    if content.pop("ttl-debug") != _VERSION:
        raise ValueError(f"it is debug information of a version other than {_VERSION}")
    if content.pop("sum", None) != _sum(content):
        raise ValueError("it is damaged: its checksum differs")
    description = from_json(json.dumps(content["program"]))
    lines = content["lines"]
    kernels = tuple(replace(kernel, lines=_spans(lines[kernel.file])) for kernel in description.kernels)
    return DebugInfo(
        description=replace(description, kernels=kernels),
        module=content["module"],
        sources=content["sources"],
    )


def write(folder: str, info: DebugInfo) -> None:
    """Write the file into a folder, which is made if it is missing. Raises ``OSError``."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    path = Path(folder) / file_name(info)
    path.write_text(to_text(info), encoding="utf-8", newline="\n")


def _lines(lines: Mapping[int, Span]) -> dict[str, list[str | int]]:
    return {
        str(line): [span.file, span.line, span.column, span.end_line, span.end_column]
        for line, span in lines.items()
    }


def _spans(lines: Mapping[str, Any]) -> dict[int, Span]:
    names = ("file", "line", "column", "end_line", "end_column")
    return {int(line): Span(**dict(zip(names, place, strict=True))) for line, place in lines.items()}


def _sum(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _sum_of_file(file: str) -> str:
    """Return the checksum of a file's bytes; empty if the file cannot be read."""
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except (OSError, ValueError):
        return ""
