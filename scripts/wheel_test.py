"""Build the wheel, install it into an empty environment, and use it from another folder as a user would.

    python scripts/wheel_test.py [--torch REQUIREMENT] [--wheel FILE] [--jobs N]

There it runs every example, and for every error code the failing and the correct programs of its page, each in a
process of its own, and compares what they print with the page. Nothing of the source tree can be imported.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
SECONDS = 600

sys.path.insert(0, str(ROOT / "src"))

from ttl.diag.pages import Page, parse  # noqa: E402


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """One program or command line; ``files`` are written into its folder first."""

    name: str
    command: tuple[str, ...]
    files: tuple[tuple[str, str], ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    stderr: str | None = None
    """What it must print there; None: anything, if it exits with 0."""


def build(folder: Path) -> Path:
    """The wheel, built from the source tree."""
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)],
        check=True,
    )
    (wheel,) = folder.glob("ttlang-*.whl")
    return wheel


def install(wheel: Path, torch: str | None, folder: Path) -> Path:
    """The folder of commands of a new environment that has the wheel and its dependencies, and nothing else."""
    venv.create(folder, with_pip=True)
    commands = folder / ("Scripts" if os.name == "nt" else "bin")
    wanted = [str(wheel), *([torch] if torch else [])]
    subprocess.run([str(commands / "python"), "-m", "pip", "install", "--quiet", *wanted], check=True)
    return commands


def example_runs() -> Iterator[Run]:
    """Every example that is a program: a module the others import has no line at its left margin that does things."""
    helpers = {
        name
        for path in EXAMPLES.glob("*.py")
        for name in re.findall(r"^(?:from|import) (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        if (EXAMPLES / f"{name}.py").is_file()
    }
    for path in sorted(EXAMPLES.glob("*.py")):
        if path.stem not in helpers:
            yield Run(name=f"examples/{path.name}", command=("run", f"examples/{path.name}"))


def page_runs() -> Iterator[Run]:
    """Every block of every page."""
    for path in sorted((ROOT / "src" / "ttl" / "diag" / "codes").glob("TTL*.md")):
        page = parse(path.read_text(encoding="utf-8"))
        for index, case in enumerate(page.cases):
            name = f"{page.code} failing {index + 1}"
            if case.kind == "python":
                yield _program(name, case.source, stderr=case.expected)
            else:
                yield _command(name, page, case.source, stderr=case.expected)
        for index, source in enumerate(page.correct):
            yield _program(f"{page.code} correct {index + 1}", source, stderr="")
        for index, line in enumerate(page.correct_commands):
            yield _command(f"{page.code} correct command {index + 1}", page, line, stderr="")


def _program(name: str, source: str, *, stderr: str) -> Run:
    return Run(
        name=name, command=("run", "example.py"), files=(("example.py", source + "\n"),), stderr=stderr
    )


def _command(name: str, page: Page, line: str, *, stderr: str) -> Run:
    words = shlex.split(line)[1:]
    environment = []
    while "=" in words[0]:
        variable, _, value = words.pop(0).partition("=")
        environment.append((variable, value))
    source = page.correct[0] if page.correct else 'print("hello")'
    return Run(
        name=name,
        command=tuple(words[1:]),
        files=(("example.py", source + "\n"),),
        environment=tuple(environment),
        stderr=stderr,
    )


def failure(run: Run, ttl: Path, work: Path) -> str | None:
    """Why ``run`` is not as it must be, or None."""
    folder = work
    if run.files:
        folder = Path(tempfile.mkdtemp(dir=work))
        for name, text in run.files:
            (folder / name).write_text(text, encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TTL_", "PYTHON"))}
    kept.pop("NO_COLOR", None)
    done = subprocess.run(
        [str(ttl), *run.command],
        cwd=folder,
        env={**kept, "OMP_NUM_THREADS": "1", **dict(run.environment)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    printed = done.stderr.rstrip("\n")
    if run.stderr is None:
        return None if done.returncode == 0 else f"exit code {done.returncode}\n{done.stdout}{printed}"
    if printed != run.stderr:
        return f"printed\n{printed}\nand not\n{run.stderr}"
    wrong = re.search(r"^error\[", run.stderr, re.MULTILINE) is not None  # notes may stand before it
    return None if bool(done.returncode) == wrong else f"exit code {done.returncode}"


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--torch", metavar="REQUIREMENT", default="torch", help="the torch the examples check against"
    )
    parser.add_argument("--wheel", metavar="FILE", type=Path, help="test this wheel instead of a new one")
    parser.add_argument("--jobs", metavar="N", type=int, default=2, help="processes at a time")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ttl-wheel-test-") as name:
        work = Path(name).resolve()
        wheel = arguments.wheel.resolve() if arguments.wheel else build(work)
        commands = install(wheel, arguments.torch, work / "environment")
        shutil.copytree(EXAMPLES, work / "examples")
        runs = [*example_runs(), *page_runs()]
        with ThreadPoolExecutor(arguments.jobs) as pool:
            results = list(pool.map(lambda run: failure(run, commands / "ttl", work), runs))
    failures = [(run, text) for run, text in zip(runs, results, strict=True) if text is not None]
    for run, text in failures:
        print(f"--- {run.name}\n{text}\n")
    print(f"{wheel.name}: {len(runs) - len(failures)} of {len(runs)} runs as they must be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
