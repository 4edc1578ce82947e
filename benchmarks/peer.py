"""The same programs under another TT-Lang package: ``TTL_BENCH_PEER="command"`` runs ``command program.py``.

The program times itself (``programs/launching.py``). A package that is missing, fails, is wrong or takes too long is
reported in its row and ends nothing.
"""

from __future__ import annotations

import json
import os
import shlex
import statistics
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Any

from cases import Case

VARIABLE = "TTL_BENCH_PEER"
_MARK = "BENCH "
_ROUNDS = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class PeerFigure:
    """CPU time of its process per launch, median, in milliseconds; or why there is none."""

    ms: float | None = None
    failure: str | None = None

    def to_object(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {"cpu_ms": self.ms, "failure": self.failure}


def command() -> list[str] | None:
    """The command of ``TTL_BENCH_PEER``; None when it is not set."""
    return shlex.split(os.environ.get(VARIABLE, "")) or None


def measure(case: Case, words: list[str], *, seconds: float) -> PeerFigure:
    """Run one case under the command."""
    wanted = {"parameters": case.parameters, "rounds": _ROUNDS, "seconds": seconds / 4}
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [*words, str(case.path)],
                env=_environment(wanted),
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=seconds,
            )
        except OSError as mistake:
            return PeerFigure(failure=f"cannot be started: {mistake.strerror or mistake}")
        except subprocess.TimeoutExpired:
            return PeerFigure(failure=f"more than {seconds:.0f} s")
    lines = [line for line in done.stdout.splitlines() if line.startswith(_MARK)]
    if not lines:
        said = (done.stderr.strip() or done.stdout.strip() or "nothing").splitlines()[-1]
        return PeerFigure(failure=f"status {done.returncode}: {said[:200]}")
    found = json.loads(lines[-1].removeprefix(_MARK))
    if not found["correct"]:
        return PeerFigure(failure=f"wrong by {found['error']:.1e}")
    return PeerFigure(ms=statistics.median(found["cpu_ms"]))


def _environment(wanted: dict[str, Any]) -> dict[str, str]:
    # Ours must not be found by it, nor be what PYTHONPATH puts first
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", VARIABLE)}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**kept, **threads, "BENCH_PROGRAM": json.dumps(wanted)}
