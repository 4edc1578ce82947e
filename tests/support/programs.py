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
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal
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
# Codes about an installation without the native core.
WITHOUT_NATIVE_CORE = {"TTL0114"}
# Codes about an installation without the emulated chip.
WITHOUT_EMULATOR = {"TTL1505"}
# Codes about a process without room for the emulated chip.
WITHOUT_ROOM = {"TTL1520"}
# Codes that only the native core can meet: there are no replays without it.
NEED_NATIVE_CORE = {"TTL1102"}
# Codes about an installation without the compiler.
WITHOUT_COMPILER = {"TTL0116"}
# Codes about a machine on which programs cannot be kept in.
WITHOUT_FENCE = {"TTL0128"}
# Codes about an installation without the page of reports.
WITHOUT_PAGE = {"TTL0140"}
# Codes about reports that somebody has written before: each launched the operation that its file is named after.
WITH_REPORTS = {"TTL0143"}
# Codes about a file in TOML, the first one of the page: what it is called.
WITH_TOML = {"TTL0125": "pyproject.toml", "TTL0146": "boxes.toml", "TTL0152": "card.toml"}
# Codes about a process that runs the native core.
ON_NATIVE_CORE = {"TTL0115"}


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


def _ttrt(arguments: Sequence[str]) -> int:
    from ttrt.common.main import run

    return run(list(arguments))


def _ttl_opt(arguments: Sequence[str]) -> int:
    from ttl.opt.main import TTL_OPT

    return TTL_OPT.run(arguments, sys.stdin, sys.stdout, sys.stderr)


def _ttmlir_opt(arguments: Sequence[str]) -> int:
    from ttmlir.opt.main import TTMLIR_OPT

    return TTMLIR_OPT.run(arguments, sys.stdin, sys.stdout, sys.stderr)


def _ttmlir_translate(arguments: Sequence[str]) -> int:
    from ttmlir.translate.main import TTMLIR_TRANSLATE

    return TTMLIR_TRANSLATE.run(arguments, sys.stdin, sys.stdout, sys.stderr)


# The commands of the package, as functions of their arguments: without the second that a process takes to start.
TOOLS: Mapping[str, Callable[[Sequence[str]], int]] = {
    "ttl": main,
    "ttrt": _ttrt,
    "ttl-opt": _ttl_opt,
    "ttmlir-opt": _ttmlir_opt,
    "ttmlir-translate": _ttmlir_translate,
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
    if words[:1] == ["ttl-opt"]:
        return run_ttl(words[1:], folder=folder, environment=environment, tool=TOOLS["ttl-opt"])
    if words[:1] in (["ttrt"], ["ttmlir-opt"]):
        pytest.importorskip("torch")
        from support.ttrt_models import provide_models

        provide_models(folder)
        return run_ttl(words[1:], folder=folder, environment=environment, tool=TOOLS[words[0]])
    assert words and words[0] == "ttl", f"a command line runs ttl, ttl-opt, ttrt or ttmlir-opt: {line}"
    return run_ttl(words[1:], folder=folder, environment=environment)


def run_case(page: Page, case: PageCase, *, folder: Path) -> Outcome:
    """Run a failing block of a page. A command line finds the page's first correct program as ``example.py``."""
    if page.code in ON_NATIVE_CORE:
        with mock.patch("ttl.control.loaded", lambda: "native"):
            return _run_case(page, case, folder)
    if page.code in WITHOUT_NATIVE_CORE:
        with mock.patch("ttl.native.why_not", lambda: "ttl._machine is not built"):
            return _run_case(page, case, folder)
    if page.code in WITHOUT_EMULATOR:
        with mock.patch("ttl.emu.runtime.missing", lambda: "No module named 'ttl._emu'"):
            return _run_case(page, case, folder)
    if page.code in WITHOUT_ROOM:
        # Without the chip that another test has opened.
        with (
            mock.patch("ttl.emu.chip._emulated", _emulated.__wrapped__),
            mock.patch("ttl.emu.chip.runtime") as runtime,
        ):
            runtime.return_value.open.side_effect = MemoryError
            return _run_case(page, case, folder)
    if page.code in WITHOUT_COMPILER:
        with mock.patch("ttl.check.file.missing_parts", lambda: "xdsl"):
            return _run_case(page, case, folder)
    if page.code in WITHOUT_FENCE:
        with mock.patch("ttl.cli.score.probe", lambda: Isolation(network="open", files="open")):
            return _run_case(page, case, folder)
    if page.code in WITHOUT_PAGE:
        with mock.patch("ttl.report.assembly.is_built", lambda: False):
            return _run_case(page, case, folder)
    if page.code in WITH_REPORTS:
        with mock.patch("ttl.report.reading.read", lambda path: {"launches": [{"name": Path(path).stem}]}):
            return _run_case(page, case, folder)
    if page.code in NEED_NATIVE_CORE:
        # Its program replaces a property of ours: put it back.
        with mock.patch.object(Shape, "rank", vars(Shape)["rank"]):
            return _run_case(page, case, folder)
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
