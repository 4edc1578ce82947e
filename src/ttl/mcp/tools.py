"""The tools: each runs one command of ``ttl`` in a process of its own, within limits, and returns a typed record."""

from __future__ import annotations

import contextlib
import difflib
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ttl.arch import names
from ttl.diag import catalog
from ttl.diag.errors import WrongRequest
from ttl.emu.claim import CLAIM
from ttl.mcp.results import (
    MOST_LINES,
    Checked,
    CodePage,
    CompiledKernels,
    Fixed,
    LaunchCost,
    Profiled,
    RunResult,
    Scored,
    findings_of,
    scored_of,
)
from ttl.processes import isolated
from ttl.processes.tasks import Limits, Task, TaskResult
from ttl.score.processes import Isolation, fenced
from ttl.score.stages import WORTH
from ttl.settings import cache_folder

# The most characters of a program's output, and of C++, in an answer.
_MOST_OUTPUT = 6_000
_MOST_CPP = 24_000
_SECONDS_OF_CHECKS = 60.0
# The number of processes of a score, one after the other; and the most characters of its JSON.
_PROCESSES_OF_SCORES = 10
_MOST_SCORE = 4 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Tools:
    """The tools of one server. Programs are files below ``root``, or texts."""

    root: Path
    limits: Limits
    isolation: Isolation
    """The restrictions of programs that run: on the network and on changes of files."""
    allow_open: bool = False
    """Whether programs run even where these restrictions are not available."""

    def check(self, path: str = "", source: str = "", arch: str = "") -> Checked:
        """Find the errors that a run would have, without running anything. Give path (a file) or source (its text)."""
        with self._program(path, source) as file:
            result = self._ttl("check", "--format", "json", *_chip(arch), str(file), limits=self._of_checks())
            document = _document(result)
        summary = document["summary"]
        return Checked(
            ok=result.exit_code == 0,
            operations=summary["operations"],
            not_checked=[
                *(note for item in document["files"] for note in item["not_checked"]),
                *(f"operation {op['operation']}" for item in document["files"] for op in item["unchecked"]),
            ],
            **findings_of(document["diagnostics"]),
        )

    def fix(self, path: str = "", source: str = "", write: bool = False) -> Fixed:
        """Apply every fix that checking offers. The file itself changes only with write=true."""
        if write and not path:
            raise WrongRequest("write=true needs a path; without it the answer has the new source")
        with self._program(path, source) as file:
            before = file.read_text(encoding="utf-8")
            # The copy is beside the file, so that modules that the program imports are found.
            copy = file if write or not path else _copy(file)
            try:
                result = self._ttl("check", "--fix", "--format", "json", str(copy), limits=self._of_checks())
                document = _document(result)
                after = copy.read_text(encoding="utf-8")
            finally:
                if copy is not file:
                    copy.unlink()
        lines = (before.splitlines(keepends=True), after.splitlines(keepends=True))
        return Fixed(
            applied=sum(item["fixes"] for item in document["changes"]),
            diff="".join(difflib.unified_diff(*lines, file.name, file.name)),
            source=after,
            **findings_of(document["diagnostics"]),
        )

    def run(
        self,
        path: str = "",
        source: str = "",
        arguments: Sequence[str] = (),
        target: str = "sim",
        sanitize: bool = False,
        schedules: int = 1,
        compare: bool = False,
        arch: str = "",
    ) -> RunResult:
        """Run the program: target sim (the simulator) or emu (its C++ on the emulated chip).

        sanitize fills memory that must not be read with NaN; schedules is the number of orders of the kernels to try;
        compare runs both targets and reports the first block that differs.
        """
        _one_of("target", target, ("sim", "emu"))
        if not 1 <= schedules <= 1000:
            raise WrongRequest(f"schedules is a number from 1 to 1000, not {schedules}")
        flags = ["--target", "emu" if compare else target, *_chip(arch), "--schedules", str(schedules)]
        flags += ["--sanitize"] if sanitize else []
        flags += ["--compare"] if compare else []
        with self._program(path, source) as file:
            result = self._executed(file, "run", "--format", "json", *flags, str(file), "--", *arguments)
        exceptions = result.of_kind("exception")
        return RunResult(
            ok=result.status == "ok",
            exit_code=result.exit_code,
            reason=result.reason,
            seconds=round(result.seconds, 3),
            **_output(result),
            exception=exceptions[0] if exceptions else None,
            **findings_of(result.of_kind("diagnostic")),
        )

    def compile(self, path: str = "", source: str = "", arch: str = "", api: str = "") -> CompiledKernels:
        """Compile the operations that the program calls to C++ kernels, without running any of it."""
        flags = [*_chip(arch), *(("--api", api) if api else ())]
        with self._program(path, source) as file:
            result = self._ttl("compile", "--emit", "cpp", "--format", "json", *flags, str(file))
        return CompiledKernels(
            ok=result.exit_code == 0,
            cpp=result.output[:_MOST_CPP],
            cut=max(len(result.output) - _MOST_CPP, 0) + result.cut,
            **findings_of(result.of_kind("diagnostic")),
        )

    def profile(
        self, path: str = "", source: str = "", arguments: Sequence[str] = (), arch: str = ""
    ) -> Profiled:
        """Run the program on the emulated chip: cycles by launch and line, what bounds them, and what to change first."""
        with self._program(path, source) as file:
            result = self._executed(
                file, "run", "--target", "emu", "--profile", "--format", "json", *_chip(arch), str(file), "--", *arguments
            )  # fmt: skip
        profiles = result.of_kind("profile")
        return Profiled(
            ok=result.status == "ok",
            cycles=sum(item["cycles"] for item in profiles),
            launches=[_launch(item) for item in profiles[:MOST_LINES]],
            claim=CLAIM,
            output=_output(result)["output"],
            **findings_of(result.of_kind("diagnostic")),
        )

    def score(
        self,
        path: str = "",
        source: str = "",
        arguments: Sequence[str] = (),
        reference: str = "",
        until: str = "speed",
        arch: str = "",
    ) -> Scored:
        """Say how far the program is: a total from 0 to 1, the stages, and what to do next.

        reference: the text of a Python file with a NumPy function reference(...), whose parameters are tensors of the
        operation and whose result is what it has to write; without it, the program's own reference is used. until: the
        last stage to score.
        """
        _one_of("until", until, tuple(WORTH))
        limits = Limits(
            seconds=self.limits.seconds * _PROCESSES_OF_SCORES,
            megabytes=self.limits.megabytes,
            output=_MOST_SCORE,
        )
        flags = ["--format", "json", "--until", until, "--seconds", f"{max(int(self.limits.seconds), 1)}"]
        flags += ["--megabytes", str(self.limits.megabytes), *_chip(arch)]
        flags += ["--allow-open"] if self.allow_open else []
        with self._program(path, source) as file, tempfile.TemporaryDirectory(prefix="ttl-mcp-") as folder:
            if reference:
                given = Path(folder, "reference.py")
                given.write_text(reference, encoding="utf-8")
                flags += ["--reference", str(given)]
            result = self._ttl("score", *flags, str(file), "--", *arguments, limits=limits)
        try:
            score = json.loads(result.output)
        except ValueError:
            problems = result.of_kind("diagnostic")
            why = problems[0]["message"] if problems else result.reason or result.output[-500:].strip()
            raise WrongRequest(f"it could not be scored: {why}") from None
        return scored_of(score)

    def explain(self, code: str) -> CodePage:
        """The page of an error code (TTL0515): the rule, a program that breaks it, one that does not."""
        code = code.upper()
        if code not in catalog.codes():
            raise WrongRequest(f"there is no code {code!r}; codes are such as {catalog.codes()[0]}")
        page = catalog.page(code)
        return CodePage(code=page.code, title=page.title, text=page.text)

    # --- programs and commands -----------------------------------------------------------------------------------

    @contextmanager
    def _program(self, path: str, source: str) -> Iterator[Path]:
        """A context with the file of a program: ``path`` below the root, or a temporary file with ``source``."""
        if bool(path) == bool(source):
            raise WrongRequest(
                "give either path, a file below the server's folder, or source, the program's text"
            )
        if path:
            try:
                file = (self.root / path).resolve()
                there = file.is_file()
            except (OSError, ValueError):  # the path is too long, or has a character that paths cannot have
                file, there = self.root, False
            if not file.is_relative_to(self.root.resolve()):
                raise WrongRequest(
                    f"{path[:200]} is not below {self.root}; start 'ttl mcp --root FOLDER' for another folder"
                )
            if not there:
                raise WrongRequest(f"there is no file {path[:200]!r} below {self.root}")
            yield file
            return
        with tempfile.TemporaryDirectory(prefix="ttl-mcp-") as folder:
            file = Path(folder, "program.py")
            file.write_text(source, encoding="utf-8")
            yield file

    def _ttl(self, *arguments: str, limits: Limits | None = None) -> TaskResult:
        """Run a command that executes no code of a program, in an isolated process with a folder of its own."""
        with tempfile.TemporaryDirectory(prefix="ttl-mcp-") as folder:
            return Task(
                isolated.command("ttl", *arguments), folder=folder, limits=limits or self.limits
            ).run()

    def _executed(self, file: Path, *arguments: str) -> TaskResult:
        """Run a command that executes the program behind the fence of a score, with a home and a cache of its own."""
        if "open" in (self.isolation.network, self.isolation.files) and not self.allow_open:
            raise WrongRequest(
                "the access of programs to network and files cannot be restricted on this machine: this needs Linux 6.2 or newer; "
                "'ttl mcp --allow-open' runs them anyway"
            )
        kept = cache_folder()
        # Scores never read the folder that programs can write to.
        cache = "off" if kept is None else os.path.join(kept, "of-programs")
        if kept is not None:
            with contextlib.suppress(OSError):
                os.makedirs(cache, mode=0o700, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="ttl-mcp-") as folder:
            behind = fenced(self.isolation, [folder, cache], [str(file.parent), str(self.root)])
            variables = {"HOME": folder, "TMPDIR": folder, "PYTHONDONTWRITEBYTECODE": "1"}
            return Task(
                [*behind, *isolated.command("ttl", *arguments, flags=("-P",))],
                folder=str(file.parent),
                limits=self.limits,
                environment={**variables, "TTL_CACHE_DIR": cache},
            ).run()

    def _of_checks(self) -> Limits:
        """Return the limits of a check: its document must not be cut."""
        return Limits(
            seconds=min(self.limits.seconds, _SECONDS_OF_CHECKS),
            megabytes=self.limits.megabytes,
            output=64 << 20,
        )


def _copy(file: Path) -> Path:
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f"{file.stem}-", suffix=".py")
    with os.fdopen(handle, "w", encoding="utf-8") as copy:
        copy.write(file.read_text(encoding="utf-8"))
    return Path(name)


def _document(result: TaskResult) -> dict[str, Any]:
    """Return the document of ``ttl check --format json``. Raises ``WrongRequest`` with the reason if it cannot be made."""
    try:
        document: dict[str, Any] = json.loads(result.output)
    except ValueError:
        diagnostics = result.of_kind("diagnostic")
        why = diagnostics[0]["message"] if diagnostics else result.reason or result.output[-500:].strip()
        raise WrongRequest(f"it could not be checked: {why}") from None
    return document


def _output(result: TaskResult) -> dict[str, Any]:
    """Return the end of the output, which is the most useful part, and the number of characters left out."""
    text = result.output
    return {"output": text[-_MOST_OUTPUT:], "output_cut": max(len(text) - _MOST_OUTPUT, 0) + result.cut}


def _launch(profile: dict[str, Any]) -> LaunchCost:
    lines = sorted(profile["lines"], key=lambda item: -item["path"])[:MOST_LINES]
    return LaunchCost(
        name=profile["name"],
        cycles=profile["cycles"],
        headline=profile["headline"],
        verdict=profile["verdict"],
        advice=profile.get("advice", []),
        lines=[item for item in lines if item["path"]],
    )


def _chip(arch: str) -> tuple[str, ...]:
    if not arch:
        return ()
    _one_of("arch", arch, names())
    return "--arch", arch


def _one_of(name: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise WrongRequest(f"{name} is {' or '.join(allowed)}, not {value!r}")
