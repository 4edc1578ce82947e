"""The processes of a score: each has limits, no network, and permission to change only a folder of its own."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ttl.processes import isolated
from ttl.processes.tasks import ForkedTask, Limits, Task, TaskResult
from ttl.processes.template import Template
from ttl.score import inside
from ttl.score.channel import read_answer
from ttl.score.fence import REFUSED
from ttl.score.stages import KIND
from ttl.session import Part

_FENCE = str(Path(__file__).with_name("fence.py"))
# A fixed hash seed, so that results that depend on it are the same in every run.
_ENVIRONMENT = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
# The modules of processes, imported once for all of them. Importing them runs no code of a program.
JUDGE, WITNESS, REFEREE = "ttl.score.judge", "ttl.cli.score_witness", "ttl.score.reference_worker"
_TEMPLATE: Part[Template] = Part(lambda: Template((inside.__name__, JUDGE, WITNESS, REFEREE), _ENVIRONMENT))
# The largest answer of a process in bytes; the program itself may have written it.
_MOST_ANSWER = 64 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Isolation:
    """The restrictions of a process."""

    network: str
    """``namespace``, ``seccomp`` or ``open``."""
    files: str
    """``landlock`` or ``open``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """The end of a process, and the data that it left."""

    ended: TaskResult
    data: Mapping[str, Any] | None
    """The answer; None if the process left no valid answer, or the program is disqualified."""
    arrays: str
    """The file of arrays that it may have left."""
    cheats: tuple[str, ...] = ()
    """The reasons why the program is disqualified."""

    @property
    def why_nothing(self) -> str:
        """The reason why there is no answer."""
        if self.ended.reason:
            return self.ended.reason
        if self.ended.exit_code == REFUSED:
            return "its access to network and files could not be restricted"
        said = self.ended.output.strip().splitlines()[-1:]
        code = self.ended.exit_code
        how = (
            "it was killed"
            if code is None or code < 0
            else f"its process ended with exit code {code} before the program did"
        )
        return f"{how}: {said[0][:200]}" if said else how


def probe() -> Isolation:
    """Return the isolation that this machine offers."""
    told = subprocess.run(
        [sys.executable, "-I", "-S", _FENCE, "--probe"], capture_output=True, text=True, check=False
    )
    try:
        return Isolation(**json.loads(told.stdout))
    except (ValueError, TypeError):
        return Isolation(network="open", files="open")


@contextlib.contextmanager
def ended_afterwards() -> Iterator[None]:
    """A context for scores; its end ends the template process that they share."""
    try:
        yield
    finally:
        _TEMPLATE.get().close()


class Processes:
    """Starts processes for one score, which share a folder."""

    def __init__(self, folder: str, isolation: Isolation, limits: Limits, cache: str | None) -> None:
        """``cache`` is the folder for compiled kernels, which only processes that run no program code may write to."""
        self._folder = folder
        self._isolation = isolation
        self._limits = limits
        self._cache = cache
        self._count = 0

    def path(self, name: str) -> str:
        """A file in the folder that all processes may read."""
        return os.path.join(self._folder, name)

    def run(
        self,
        module: str,
        task: Mapping[str, Any],
        *,
        trusted: bool,
        folder: str | None = None,
        shown: Sequence[str] = (),
    ) -> Answer:
        """Run a module on a task, in ``folder`` or in a folder of its own.

        A process that is not ``trusted`` can write only to its own folder, and can read neither the files of other
        processes of the score nor the user's home, except for ``shown`` and the folders that Python imports from.
        """
        self._count += 1
        own = self.path(f"{self._count}-{module.rpartition('.')[2]}")
        temporary, arrays = os.path.join(own, "temporary"), os.path.join(own, "arrays.npz")
        os.makedirs(temporary)
        told = os.path.join(own, "task.json")
        places = {"arrays": arrays, "private": self._folder, "own": temporary}
        Path(told).write_text(json.dumps({**task, **places}), encoding="utf-8")
        writable = [own, self._cache] if trusted and self._cache is not None else [own]
        fence = _behind(self._isolation, writable, [] if trusted else [_home(), self._folder], shown)
        seal = secrets.token_hex(16)
        task_ = self._task(
            fence,
            module,
            told,
            folder=folder or own,
            limits=self._limits,
            environment={"TMPDIR": temporary, **_ENVIRONMENT},
            text=f"{seal}\n",
            channel=_MOST_ANSWER,
        )
        ended = task_.run()
        answer = read_answer(ended.answer, seal, arrays)
        cheats = () if trusted else (*answer.cheats, *_said(ended, answer.data))
        return Answer(ended=ended, data=None if cheats else answer.data, arrays=arrays, cheats=cheats)

    @staticmethod
    def _task(fence: Sequence[str], module: str, told: str, **more: Any) -> Task:
        if sys.platform.startswith("linux"):
            return ForkedTask(_TEMPLATE.get(), f"{inside.__name__}:main", [*fence, module, told], **more)
        # On other systems, libraries may not survive a fork of the process.
        command = [sys.executable, "-I", "-S", _FENCE, *fence, *isolated.command(module, told)]
        return Task(command, **more)


def fenced(isolation: Isolation, writable: Sequence[str], shown: Sequence[str]) -> list[str]:
    """The command line in front of a command that runs it behind the fence; the home is hidden except for ``shown``."""
    return [sys.executable, "-I", "-S", _FENCE, *_behind(isolation, writable, [_home()], shown)]


def _behind(
    isolation: Isolation, writable: Sequence[str], hidden: Sequence[str], shown: Sequence[str]
) -> list[str]:
    """Return the arguments of ``fence.py`` in front of a command."""
    # The folders that Python imports from.
    packages = [path for path in sys.path if os.path.isabs(path)]
    own = (sys.prefix, sys.base_prefix, str(Path(__file__).resolve().parents[2]), *packages)
    return [isolation.network, isolation.files, *map(json.dumps, (writable, hidden, [*own, *shown]))]


def _home() -> str:
    return os.path.expanduser("~")


def _said(ended: TaskResult, data: Mapping[str, Any] | None) -> list[str]:
    """Return the cheats of a process that runs the program: a printed score, or an early end without an answer."""
    cheats = []
    lines = (*ended.output.splitlines(), *map(json.dumps, ended.of_kind(KIND)))
    if any(_is_score(line) for line in lines):
        cheats.append("it prints its own score")
    if data is None and ended.exit_code == 0:
        cheats.append("it ends its process before the scorer has seen the end of the program")
    return cheats


def _is_score(line: str) -> bool:
    if KIND not in line or not line.lstrip().startswith("{"):
        return False
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(item, dict) and item.get("kind") == KIND
