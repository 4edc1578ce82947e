"""Runs programs and command lines as the command ``ttl`` does, inside this process.

Each run begins as a new process would: no settings read yet, none of our variables in the environment,
nothing said before.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import Context
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal
from unittest import mock

import pytest

from ttl.cli.main import main
from ttl.diag.catalog import Page, PageCase
from ttl.emu.chip import _emulated
from ttl.host.shape import Shape
from ttl.score.processes import Isolation
from ttl.session import Session
from ttl.settings import cache_folder

FILE = "example.py"
# Codes that only the native core can meet: there are no replays without it.
NEED_NATIVE_CORE = {"TTL1102"}
# Codes about a machine or an installation: the functions that look at it, and what stands in for them.
PRETENDED: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "TTL0114": {"ttl.native.why_not": lambda: "ttl._machine is not built"},
    "TTL0115": {"ttl.control.loaded": lambda: "native"},
    "TTL0116": {"ttl.check.file.missing_parts": lambda: "xdsl"},
    "TTL0128": {"ttl.cli.score.probe": lambda: Isolation(network="open", files="open")},
    "TTL0140": {"ttl.report.assembly.is_built": lambda: False},
    # Each report launched the operation that its file is named after.
    "TTL0143": {"ttl.report.reading.read": lambda path: {"launches": [{"name": Path(path).stem}]}},
    "TTL1505": {"ttl.emu.runtime.missing": lambda: "No module named 'ttl._emu'"},
    # Without the chip that another test has opened.
    "TTL1520": {
        "ttl.emu.chip._emulated": _emulated.__wrapped__,
        "ttl.emu.chip.runtime": lambda: mock.MagicMock(open=mock.Mock(side_effect=MemoryError)),
    },
}
# Codes about a file in TOML, the first one of the page: what it is called.
WITH_TOML = {"TTL0125": "pyproject.toml", "TTL0146": "boxes.toml", "TTL0152": "card.toml"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What a run left behind."""

    status: int
    stdout: str
    stderr: str


def share_kernels(kept: Path) -> None:
    """Let a cache folder have the compiled kernels of everybody: what else a test finds is not kept for others."""
    shared = cache_folder()
    if shared is not None:
        kernels = Path(shared, "emu")
        kernels.mkdir(parents=True, exist_ok=True)
        (kept / "emu").symlink_to(kernels, target_is_directory=True)


@contextlib.contextmanager
def _fresh(folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """The working folder, environment and interpreter state that a new process would have."""
    here, variables, hook = os.getcwd(), dict(os.environ), sys.excepthook
    modules, texts = set(sys.modules), set(linecache.cache)
    for name in [name for name in os.environ if name.startswith("TTL_") or name == "NO_COLOR"]:
        del os.environ[name]
    sys.excepthook = sys.__excepthook__
    try:
        with TemporaryDirectory() as kept:
            share_kernels(Path(kept))
            os.environ.update({"TTL_CACHE_DIR": kept, **environment})
            os.chdir(folder)
            yield
    finally:
        os.chdir(here)
        os.environ.clear()
        os.environ.update(variables)
        sys.excepthook = hook
        for text in set(linecache.cache) - texts:
            del linecache.cache[text]
        for name in set(sys.modules) - modules:
            file = getattr(sys.modules[name], "__file__", None) or ""
            if file.startswith(str(folder)):
                del sys.modules[name]


def _in_a_session(arguments: Sequence[str], tool: Callable[[Sequence[str]], int] = main) -> int:
    with Session().entered():
        return tool(arguments)


def _opt(module: str, name: str) -> Callable[[Sequence[str]], int]:
    """A tool that reads and writes modules; imported when it is run."""

    def run(arguments: Sequence[str]) -> int:
        status: int = getattr(import_module(module), name).run(arguments, sys.stdin, sys.stdout, sys.stderr)
        return status

    return run


def _ttrt(arguments: Sequence[str]) -> int:
    from ttrt.common.main import run

    return run(list(arguments))


# The commands of the package, as functions of their arguments: without the second that a process takes to start.
TOOLS: Mapping[str, Callable[[Sequence[str]], int]] = {
    "ttl": main,
    "ttrt": _ttrt,
    "ttl-opt": _opt("ttl.opt.main", "TTL_OPT"),
    "ttmlir-opt": _opt("ttmlir.opt.main", "TTMLIR_OPT"),
    "ttmlir-translate": _opt("ttmlir.translate.main", "TTMLIR_TRANSLATE"),
}


def run_ttl(
    arguments: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    tool: Callable[[Sequence[str]], int] = main,
) -> Outcome:
    """Run ``ttl ARGUMENTS``, or another command, in ``folder``."""
    stdout, stderr = io.StringIO(), io.StringIO()
    with (
        _fresh(folder, environment or {}),
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
    ):
        status = Context().run(_in_a_session, arguments, tool)
    return Outcome(status=int(status), stdout=stdout.getvalue(), stderr=stderr.getvalue())


def run_program(
    source: str, *, folder: Path, flags: Sequence[str] = (), check: Literal["auto", "off"] = "off"
) -> Outcome:
    """Run ``source`` as ``example.py`` in ``folder``.

    ``check``: "auto" as ``ttl run`` does it, operations are checked before they run; "off" where the simulator's own
    words are wanted.
    """
    (folder / FILE).write_text(source + "\n", encoding="utf-8")
    return run_ttl(["run", *flags, FILE], folder=folder, environment={"TTL_CHECK": check})


def run_command(line: str, *, folder: Path) -> Outcome:
    """Run one line ``$ [NAME=VALUE ...] ttl ...``, ``ttl-opt``, or ``ttrt`` and ``ttmlir-opt``, which find the models of their pages."""
    prompt, *words = shlex.split(line)
    assert prompt == "$", f"a command line begins with '$ ': {line}"
    environment: dict[str, str] = {}
    while words and "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        environment[name] = value
    assert words and words[0] in TOOLS, f"a command line runs one of {', '.join(TOOLS)}: {line}"
    if words[0] in ("ttrt", "ttmlir-opt"):
        pytest.importorskip("torch")
        from support.ttrt_models import provide_models

        provide_models(folder)
    return run_ttl(words[1:], folder=folder, environment=environment, tool=TOOLS[words[0]])


def run_case(page: Page, case: PageCase, *, folder: Path) -> Outcome:
    """Run a failing block of a page. A command line finds the page's first correct program as ``example.py``."""
    with contextlib.ExitStack() as pretending:
        for looked_at, instead in PRETENDED.get(page.code, {}).items():
            pretending.enter_context(mock.patch(looked_at, instead))
        if page.code in NEED_NATIVE_CORE:
            # Its program replaces a property of ours: put it back.
            pretending.enter_context(mock.patch.object(Shape, "rank", vars(Shape)["rank"]))
        return _run_case(page, case, folder)


def _run_case(page: Page, case: PageCase, folder: Path) -> Outcome:
    if case.kind == "python":
        return run_program(case.source, folder=folder, check="auto")
    provide_program(page, folder=folder)
    if page.code in WITH_TOML:
        text = page.text.split("```toml\n", 1)[1].split("```", 1)[0]
        (folder / WITH_TOML[page.code]).write_text(text, encoding="utf-8")
    outcome = run_command(case.source, folder=folder)
    # What is found is the output of ``ttl check``, and what a page of a finding shows.
    return replace(outcome, stderr=outcome.stdout + outcome.stderr) if "ttl check" in case.source else outcome


def provide_program(page: Page, *, folder: Path) -> None:
    """Write the ``example.py`` that the command lines of ``page`` run, the ``example.mlir`` that ``ttl-opt`` reads, and the dump of a card."""
    if "```mlir\n" in page.text:
        module = page.text.split("```mlir\n", 1)[1].split("```", 1)[0]
        (folder / "example.mlir").write_text(module, encoding="utf-8")
    if "```dump\n" in page.text:
        dump = page.text.split("```dump\n", 1)[1].split("```", 1)[0]
        (folder / "tt-triage.txt").write_text(dump, encoding="utf-8")
    source = page.example or 'print("hello")'
    (folder / FILE).write_text(source + "\n", encoding="utf-8")
