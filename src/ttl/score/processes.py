"""The processes of a score: each within limits, without network, and without leave to change anything but a folder of its own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ttl.processes.tasks import ForkedTask, Limits, Task, TaskResult
from ttl.processes.template import Template
from ttl.score import inside
from ttl.score.fence import REFUSED
from ttl.session import Part

_FENCE = str(Path(__file__).with_name("fence.py"))
# One hash seed: what depends on it is the same in every run.
_ENVIRONMENT = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
# The modules of processes, imported once for all of them. None runs anything of a program while it is imported.
JUDGE, WITNESS, REFEREE = "ttl.score.judge", "ttl.cli.score_witness", "ttl.score.reference_worker"
_TEMPLATE: Part[Template] = Part(lambda: Template((inside.__name__, JUDGE, WITNESS, REFEREE), _ENVIRONMENT))
# An answer of a process, which may be the program's, at most.
_MOST_ANSWER = 64 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Isolation:
    """What keeps a process in."""

    network: str
    """``namespace``, ``seccomp`` or ``open``."""
    files: str
    """``landlock`` or ``open``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """How a process ended, and what it left."""

    ended: TaskResult
    data: Mapping[str, Any] | None
    """None where it left nothing that can be read."""
    arrays: str
    """The file of arrays that it may have left."""

    @property
    def why_nothing(self) -> str:
        """Why there are no data."""
        if self.ended.reason:
            return self.ended.reason
        if self.ended.exit_code == REFUSED:
            return "it could not be kept from the network, or from files"
        said = self.ended.output.strip().splitlines()[-1:]
        code = self.ended.exit_code
        how = (
            "it was killed"
            if code is None or code < 0
            else f"its process ended with exit code {code} before the program did"
        )
        return f"{how}: {said[0][:200]}" if said else how


def probe() -> Isolation:
    """What there is on this machine."""
    told = subprocess.run(
        [sys.executable, "-I", "-S", _FENCE, "--probe"], capture_output=True, text=True, check=False
    )
    try:
        return Isolation(**json.loads(told.stdout))
    except (ValueError, TypeError):
        return Isolation(network="open", files="open")


@contextlib.contextmanager
def ended_afterwards() -> Iterator[None]:
    """What processes of scores in here have in common is gone afterwards."""
    try:
        yield
    finally:
        _TEMPLATE.get().close()


class Processes:
    """Starts processes for one score, which share a folder."""

    def __init__(self, folder: str, isolation: Isolation, limits: Limits, cache: str | None) -> None:
        """``cache``: the folder for compiled kernels, which only processes that run nothing of a program may write to."""
        self._folder = folder
        self._isolation = isolation
        self._limits = limits
        self._cache = cache
        self._count = 0

    def path(self, name: str) -> str:
        """A file in the folder that all processes may read."""
        return os.path.join(self._folder, name)

    def run(
        self, module: str, task: Mapping[str, Any], *, trusted: bool, folder: str | None = None
    ) -> Answer:
        """Run a module on a task. One that is not ``trusted`` can write to a folder of its own only, where its answer is."""
        self._count += 1
        own = self.path(f"{self._count}-{module.rpartition('.')[2]}")
        os.makedirs(os.path.join(own, "temporary"))
        told = os.path.join(self._folder, f"{self._count}.json")
        output, arrays = os.path.join(own, "answer.json"), os.path.join(own, "arrays.npz")
        Path(told).write_text(json.dumps({**task, "output": output, "arrays": arrays}), encoding="utf-8")
        writable = [own, self._cache] if trusted and self._cache is not None else [own]
        fence = (self._isolation.network, self._isolation.files, os.pathsep.join(writable))
        task_ = self._task(
            fence,
            module,
            told,
            folder=folder or own,
            limits=self._limits,
            environment={"TMPDIR": os.path.join(own, "temporary"), **_ENVIRONMENT},
        )
        ended = task_.run()
        return Answer(ended=ended, data=_read(output), arrays=arrays)

    @staticmethod
    def _task(fence: Sequence[str], module: str, told: str, **more: Any) -> Task:
        if sys.platform.startswith("linux"):
            return ForkedTask(_TEMPLATE.get(), f"{inside.__name__}:main", [*fence, module, told], **more)
        # Elsewhere libraries may not stand that a process goes on as another one.
        command = [sys.executable, "-I", "-S", _FENCE, *fence, sys.executable, "-P", "-m", module, told]
        return Task(command, **more)


def _read(path: str) -> Mapping[str, Any] | None:
    """What a process left; it may be the program's doing."""
    try:
        if os.path.islink(path) or os.path.getsize(path) > _MOST_ANSWER:
            return None
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None
