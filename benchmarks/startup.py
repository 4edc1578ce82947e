"""What starting costs: ``import ttl``, and ``ttl run`` of an empty program, in fresh interpreters."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parent.parent / "src"

# The program says when torch was imported: that would be most of the time.
_PROGRAM = "import sys\nsys.exit(3 if 'torch' in sys.modules else 0)\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class Start:
    """CPU time of the whole process and wall-clock time, medians, in milliseconds."""

    label: str
    cpu_ms: float
    wall_ms: float
    asked_ms: float | None
    torch_imported: bool

    @property
    def met(self) -> bool | None:
        """Whether it is as fast as asked for, without torch; None where nothing was asked for."""
        if self.asked_ms is None:
            return None
        return self.cpu_ms <= self.asked_ms and not self.torch_imported

    def to_object(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {**asdict(self), "met": self.met}


def measure(*, rounds: int) -> list[Start]:
    """Python by itself, for comparison, then ours."""
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.py"
        empty.write_text(_PROGRAM, encoding="utf-8")
        commands: dict[str, tuple[list[str], float | None]] = {
            "python, empty program": ([str(empty)], None),
            "import ttl": (["-c", f"import ttl\n{_PROGRAM}"], None),
            "ttl run, empty program": (["-m", "ttl", "run", str(empty)], 300.0),
        }
        return [start_of(label, arguments, asked, rounds) for label, (arguments, asked) in commands.items()]


def start_of(label: str, arguments: list[str], asked_ms: float | None, rounds: int) -> Start:
    cpu, wall, statuses = [], [], set()
    for number in range(rounds + 1):
        cpu_before, began = _children(), time.perf_counter()
        done = subprocess.run([sys.executable, *arguments], env=environment(), capture_output=True, text=True)
        if done.returncode not in (0, 3):
            raise RuntimeError(f"{label}: {done.stderr.strip() or done.stdout.strip()}")
        if number > 0:  # the first one compiles modules
            cpu.append((_children() - cpu_before) * 1e3)
            wall.append((time.perf_counter() - began) * 1e3)
            statuses.add(done.returncode)
    return Start(
        label=label,
        cpu_ms=statistics.median(cpu),
        wall_ms=statistics.median(wall),
        asked_ms=asked_ms,
        torch_imported=3 in statuses,
    )


def environment() -> dict[str, str]:
    """Of a process that is measured: it finds our sources, and keeps the modules that it compiles."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(SOURCES)}


def _children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
