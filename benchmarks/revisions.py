"""This checkout beside another one: reading, checking, compiling, simulating the examples, and an edit in an editor.

    git worktree add ../before REVISION && python ../before/native/build.py
    python benchmarks/revisions.py ../before [--rounds 3] [--repeats 5] [--part check] [--only layernorm] [--each]

Two processes, one of each checkout, take turns with every measurement, so that a busy machine slows both alike. Of each the
least CPU time counts, over all rounds; every round starts new processes. The ratios are this checkout by the other: of the sums,
and the geometric mean of those of each example, for which the status is 1 where it is above 1.03.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import contextlib
import gc
import importlib
import io
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from checking import TOGETHER

from startup import environment

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
_GENERATION = "0.81"
# What is asked for of a part: its time by that of the other checkout.
_MOST = 1.03

# Programs of ``benchmarks/programs`` and their sizes: from launches that take half a millisecond to some of a second.
SIMULATED: dict[str, dict[str, Any]] = {
    "one_tile": {"grid": (8, 8)},
    "barrier": {},
    "pipes": {},
    "ragged": {"grid": (8, 8)},
    "eltwise": {"rows": 1024, "cols": 1024, "grid": (8, 8), "block": 1},
    "matmul": {"size": 512, "grid": (8, 8), "block": (1, 1, 1)},
    "matmul_multicast": {"size": 512, "grid": (8, 8), "block": (4, 4, 4)},
    "flash_attention": {
        "heads": 4,
        "sequence": 512,
        "head_dim": 64,
        "grid": (8, 8),
        "query_tiles": 1,
        "key_tiles": 1,
    },
    "softmax": {"rows": 2048, "cols": 1024, "grid": (8, 8)},
    "transformer": {},
}


# --- in a process of one checkout --------------------------------------------------------------------------------


class Measured:
    """What is measured: each part of one file makes ready what it needs, and returns what is timed."""

    def __init__(self) -> None:
        self._ready: dict[tuple[str, str], Callable[[], object]] = {}
        self._folder = tempfile.mkdtemp()

    def seconds(self, part: str, name: str) -> float:
        """CPU seconds of doing it once. What was made ready is kept until another is asked for."""
        if (part, name) not in self._ready:
            self._ready.clear()
            self._ready[part, name] = getattr(self, part)(name)
            self._ready[part, name]()
        work = self._ready[part, name]
        gc.collect()
        began = _seconds()
        work()
        return _seconds() - began

    def read(self, name: str) -> Callable[[], object]:
        """Reading a file in a session that knows nothing."""
        from ttl.frontend.file import lower_file
        from ttl.session import Session

        def read() -> object:
            with Session().entered():
                return lower_file(str(EXAMPLES / name))

        return read

    def check(self, name: str) -> Callable[[], object]:
        """All analyses of a module."""
        from ttl.check.module import check_module

        module = self.read(name)().module  # type: ignore[attr-defined]
        return lambda: check_module(module)

    def compile(self, name: str) -> Callable[[], object]:
        """From a module to C++."""
        from ttl.codegen.compile import compile_module
        from ttl.session.switches import Settings

        module = self.read(name)().module  # type: ignore[attr-defined]
        return lambda: compile_module(module, Settings(), generation=_GENERATION)

    def edit(self, name: str) -> Callable[[], object]:
        """The analysis after a statement was typed into a kernel: an editor has seen the text before."""
        from ttl.service.workspace import Workspace
        from ttl.session.switches import Settings

        text = (EXAMPLES / name).read_text(encoding="utf-8")
        lines = text.splitlines(keepends=True)
        at = next((number for number, line in enumerate(lines) if ".store(" in line), len(lines) - 1)
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        workspace, path, count = Workspace(None, Settings()), str(EXAMPLES / name), iter(range(10**9))
        workspace.open(path, text, 0)
        workspace.analyse(path)

        def edit() -> object:
            workspace.change(path, "".join((*lines[:at], f"{indent}typed = {next(count)}\n", *lines[at:])))
            return workspace.analyse(path)

        return edit

    def command(self, name: str) -> Callable[[], object]:
        """``ttl check`` in a process of its own."""
        words = [sys.executable, "-m", "ttl", "check", str(EXAMPLES / name)]
        return lambda: subprocess.run(words, capture_output=True)

    def simulate(self, name: str) -> Callable[[], object]:
        """A launch, not replayed."""
        return self._launched(name, "off")

    def replay(self, name: str) -> Callable[[], object]:
        """A launch that is replayed, where it can be."""
        return self._launched(name, "on")

    def _launched(self, name: str, replay: str) -> Callable[[], object]:
        from ttl import settings

        chosen = {"threads": 1, "replay": replay, "cache_dir": self._folder}
        with settings.override(**chosen):
            program = importlib.import_module(name).prepare(**SIMULATED[name])
            program.run()

        def run() -> object:
            with settings.override(**chosen):
                return program.run()

        return run


def _seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


PARTS = ("read", "check", "compile", "edit", "command", "simulate", "replay")


def serve() -> None:
    """Measure what standard input asks for, line by line."""
    sys.path[:0] = [str(ROOT / "benchmarks" / "programs"), str(EXAMPLES)]
    measured = Measured()
    for line in sys.stdin:
        part, name = json.loads(line)
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                answer: object = measured.seconds(part, name)
        except Exception as raised:
            answer = f"{type(raised).__name__}: {raised}"
        print(json.dumps(answer), flush=True)


# --- beside them -------------------------------------------------------------------------------------------------


class Checkout:
    """A process that measures one checkout."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--serve", str(folder)],
            env={**environment(), "PYTHONPATH": str(folder / "src"), "PYTHONHASHSEED": "0"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def milliseconds(self, part: str, name: str) -> float:
        """Of one measurement. Raises ``RuntimeError`` where the checkout cannot do it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps((part, name)), file=self._process.stdin, flush=True)
        answer = json.loads(self._process.stdout.readline())
        if isinstance(answer, str):
            raise RuntimeError(answer)
        return float(answer) * 1e3

    def end(self) -> None:
        """No more measurements."""
        self._process.communicate()


def measure(
    other: Path, work: list[tuple[str, str]], rounds: int, repeats: int
) -> dict[tuple[str, str], list[float]]:
    """For each part and name the least milliseconds of the other checkout and of this one."""
    least = {each: [math.inf, math.inf] for each in work}
    for _ in range(rounds):
        pair = (Checkout(other), Checkout(ROOT))
        for each in work:
            try:
                for number in range(repeats):
                    for which in (0, 1) if number % 2 else (1, 0):
                        taken = pair[which].milliseconds(*each)
                        least[each][which] = min(least[each][which], taken)
            except RuntimeError as raised:
                print(f"{each[0]} {each[1]}: {raised}", file=sys.stderr)
                least[each] = [math.inf, math.inf]
        for checkout in pair:
            checkout.end()
    return {each: found for each, found in least.items() if math.inf not in found}


def names_of(part: str, other: Path) -> list[str]:
    """What a part is measured with: of the examples, those that the other checkout has, too, and so can read."""
    if part in ("simulate", "replay"):
        return list(SIMULATED)
    if part == "command":
        return [f"{name}.py" for name in TOGETHER]
    names = (path.name for path in EXAMPLES.glob("*.py") if path.stem != "checking")
    return sorted(name for name in names if (other / "examples" / name).is_file())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("other", type=Path, help="the other checkout, its native core built")
    parser.add_argument("--rounds", type=int, default=3, help="pairs of processes (default 3)")
    parser.add_argument("--repeats", type=int, default=5, help="measurements in each of them (default 5)")
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part; may be repeated")
    parser.add_argument("--only", default="", help="only examples and programs with this in their names")
    parser.add_argument("--each", action="store_true", help="a line for every example, too")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve()
        return 0
    slower = False
    print(f"{'':10}{'other':>12}{'this':>12}{'ratio':>8}{'of each, geometric mean':>26}")
    for part in arguments.part or PARTS:
        work = [(part, name) for name in names_of(part, arguments.other) if arguments.only in name]
        found = measure(arguments.other.resolve(), work, arguments.rounds, arguments.repeats)
        if not found:
            continue
        if arguments.each:
            for (_, name), (before, now) in found.items():
                print(f"  {name:44}{before:10.2f}{now:10.2f}{now / before:8.3f}")
        before, now = (sum(times) for times in zip(*found.values(), strict=True))
        mean = math.exp(sum(math.log(now / before) for before, now in found.values()) / len(found))
        slower |= mean > _MOST
        print(f"{part:10}{before:9.1f} ms{now:9.1f} ms{now / before:8.3f}{mean:26.3f}", flush=True)
    return int(slower)


if __name__ == "__main__":
    sys.exit(main())
