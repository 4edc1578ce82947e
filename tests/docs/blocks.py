"""The code blocks of the documentation, and how to run them.

What a page holds:

``` ```python ```
    All of them on a page, in order, are one program.
``` ```python mine.py ```
    A program (or module) of its own, written to that file.
``` ```mlir mine.mlir ```
    A file for the commands of the page.
``` ```diff mine.py broken.py ```
    A change of the first file, which gives the second. Hunks are separated by lines that begin with ``@@``.
``` ```console ```
    Command lines behind ``$ ``, each with what it prints. ``...`` stands for anything. ``(Pdb) `` in front of a
    line is the debugger's prompt; what follows is typed. They run in a folder with the page's files; ``&&`` and ``;`` chain them.
``` ```text ```, ``` ```json ``` and others
    Are not run.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextvars import Context
from dataclasses import dataclass, replace
from pathlib import Path

from support.programs import TOOLS, _fresh, _in_a_session

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "src"
# Commands that set things up: the reader runs them, the tests don't.
NOT_RUN = ("make", "git", "cd", "pip", "python -m pip", "tt-smi")
PROMPT = "(Pdb) "
_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w+)(?: (?P<name>[^\n`]+))?\n(?P<body>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """A fenced block. ``start`` and ``end`` are the places of its body in the page."""

    language: str
    name: str | None
    body: str
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """A command line of a console block, and what the page says it prints."""

    line: str
    expected: str
    start: int
    end: int


def pages() -> list[Path]:
    """Every page of the documentation a reader gets."""
    top = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")]
    return [*top, *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    return [
        Block(
            language=found["language"],
            name=found["name"],
            body=found["body"],
            start=found.start("body"),
            end=found.end("body"),
        )
        for found in _FENCE.finditer(text)
    ]


def program(text: str) -> str:
    """The page's unnamed Python blocks as one program; empty if there is none."""
    return "\n".join(
        block.body for block in blocks(text) if block.language == "python" and block.name is None
    )


def files(text: str) -> dict[str, str]:
    """The page's files: named programs, and what changes make of them."""
    found: dict[str, str] = {}
    for block in blocks(text):
        if block.language in ("python", "mlir", "cpp") and block.name:
            found[block.name] = block.body
        elif block.language == "diff" and block.name:
            base, _, target = block.name.partition(" ")
            found[target] = changed(found[base], block.body)
    return found


def changed(text: str, diff: str) -> str:
    """The text after a change. Each hunk fits in exactly one place."""
    for hunk in re.split(r"^@@.*\n", diff, flags=re.MULTILINE):
        lines = hunk.splitlines(keepends=True)
        before = "".join(line[1:] or "\n" for line in lines if line[:1] != "+")
        after = "".join(line[1:] or "\n" for line in lines if line[:1] != "-")
        if not lines:
            continue
        assert text.count(before) == 1, f"fits in {text.count(before)} places, not one:\n{hunk}"
        text = text.replace(before, after)
    return text


def commands(text: str) -> list[Command]:
    """The command lines of a page's console blocks."""
    found = []
    for block in blocks(text):
        if block.language != "console":
            continue
        starts = [match.start() for match in re.finditer(r"^\$ ", block.body, re.MULTILINE)]
        assert starts and starts[0] == 0, f"a console block begins with '$ ': {block.body}"
        for begin, end in zip(starts, [*starts[1:], len(block.body)], strict=True):
            line, _, expected = block.body[begin:end].partition("\n")
            at = block.start + begin + len(line) + 1
            found.append(Command(line=line[2:], expected=expected, start=at, end=block.start + end))
    return found


def runs(command: Command) -> bool:
    """Whether the tests run a command."""
    return not any(command.line == name or command.line.startswith(f"{name} ") for name in NOT_RUN)


def shows(expected: str, printed: str) -> bool:
    """Whether a text with ``...`` for anything is what was printed."""
    parts = (re.escape(part) for part in _trimmed(expected).split("..."))
    return re.fullmatch(".*".join(parts), _trimmed(printed), re.DOTALL) is not None


def run(command: Command, folder: Path) -> str:
    """What a command prints in ``folder``, standard output and error together as a terminal shows them."""
    lines = re.split(" && | ; ", command.line)
    if len(lines) > 1:
        parts = [replace(command, line=line) for line in lines]
        return "".join(run(part, folder) for part in parts)
    words = shlex.split(command.line)
    environment = {}
    while "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        environment[name] = value
    typed = [line[len(PROMPT) :] for line in command.expected.splitlines() if line.startswith(PROMPT)]
    match words:
        case ["ttl", *rest] if typed:
            printed = _in_subprocess(["-m", "ttl", *rest], folder, environment, typed)
            return _with_input(printed, typed)
        case [tool, *rest] if tool in TOOLS:
            return _in_process(TOOLS[tool], rest, folder, environment)
        case ["python", *rest]:
            return _in_subprocess(rest, folder, environment, [])
        case ["pytest", *rest]:
            plugins = ["-p", "no:cacheprovider", "-p", "ttl.pytest_plugin"]
            return _in_subprocess(["-m", "pytest", *plugins, *rest], folder, environment, [])
    raise AssertionError(f"how does one run this? {command.line}")


def provide(text: str, folder: Path) -> None:
    """Write the page's files into ``folder``."""
    for name, body in files(text).items():
        (folder / name).write_text(body, encoding="utf-8")


def _in_process(
    tool: Callable[[Sequence[str]], int], arguments: list[str], folder: Path, environment: dict[str, str]
) -> str:
    shown = io.BytesIO()
    terminal = io.TextIOWrapper(shown, encoding="utf-8", write_through=True)
    with (
        _fresh(folder, environment),
        contextlib.redirect_stdout(terminal),
        contextlib.redirect_stderr(terminal),
    ):
        Context().run(_in_a_session, arguments, tool)
    return shown.getvalue().decode()


def _in_subprocess(arguments: list[str], folder: Path, environment: dict[str, str], typed: list[str]) -> str:
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("TTL_", "PYTEST_", "COV_"))
    }
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**clean, "PYTHONPATH": str(SOURCE), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **environment},
        input="".join(f"{line}\n" for line in typed),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    return done.stdout


def _with_input(printed: str, typed: list[str]) -> str:
    """A transcript with what was typed behind each prompt, as a terminal shows it."""
    first, *rest = printed.split(PROMPT)
    return first + "".join(f"{PROMPT}{line}\n{part}" for line, part in zip(typed, rest, strict=False))


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def updated(text: str, folder: Path) -> str:
    """The page with what its commands print now, where that is not what it says."""
    provide(text, folder)
    for each in reversed(commands(text)):
        if not runs(each):
            continue
        printed = run(each, folder).replace(str(folder), "...")
        assert "TTL9001" not in printed, f"{each.line} ran into a defect:\n{printed}"
        if not shows(each.expected, printed):
            text = text[: each.start] + _closed(printed) + text[each.end :]
    return text


def _closed(printed: str) -> str:
    trimmed = _trimmed(printed)
    return f"{trimmed}\n" if trimmed else ""


def links(text: str) -> Iterator[str]:
    """Targets of the Markdown links of a page, outside code."""
    prose = _FENCE.sub("", text)
    for found in re.finditer(r"\]\(([^)\s]+)\)", prose):
        yield found[1]
