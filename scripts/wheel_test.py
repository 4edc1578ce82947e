"""Build the wheel, install it into an empty environment, and use it from another folder as a user would.

    python scripts/wheel_test.py [--torch REQUIREMENT] [--wheel FILE] [--jobs N]

There it runs every example, and for every error code the failing and the correct programs of its page, each in a
process of its own, and compares what they print with the page. Nothing of the source tree can be imported.

Then some of them once more with ``TTL_CORE=python``, and with the wheel that is built where there is no C++ compiler.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
SECONDS = 600
# The programs that are also run without the native core.
FEW = (
    "examples/tutorial_1_one_tile.py",
    "examples/matmul_multicast.py",
    "examples/softmax.py",
    "TTL0301",
    "TTL0901",
)
# Codes about an installation without the native core.
WITHOUT_NATIVE_CORE = ("TTL0114",)
WITHOUT = (("TTL_CORE", "python"), ("TTL_EXECUTOR", "numpy"))

sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from ttl.diag.catalog import Page, parse  # noqa: E402


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """One program or command line; ``files`` are written into its folder first."""

    name: str
    command: tuple[str, ...]
    files: tuple[tuple[str, str | bytes], ...] = ()
    tool: str = "ttl"
    environment: tuple[tuple[str, str], ...] = ()
    stderr: str | None = None
    """What it must print there; None: anything, if it exits with 0."""


def build(folder: Path, **environment: str) -> Path:
    """The wheel, built from the source tree."""
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)],
        check=True,
        env={**os.environ, **environment},
    )
    (wheel,) = folder.glob("ttlang-*.whl")
    return wheel


def build_models(folder: Path) -> Path:
    """The wheel of ``ttlang-models``, whose programs are on some pages."""
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder)]
    subprocess.run([*pip, str(ROOT / "models")], check=True)
    (wheel,) = folder.glob("ttlang_models-*.whl")
    return wheel


def install(wheels: Sequence[Path], torch: str | None, folder: Path) -> Path:
    """The folder of commands of a new environment that has the wheels and their dependencies, and nothing else."""
    venv.create(folder, with_pip=True)
    commands = folder / ("Scripts" if os.name == "nt" else "bin")
    wanted = [*map(str, wheels), *([torch] if torch else [])]
    subprocess.run([str(commands / "python"), "-m", "pip", "install", "--quiet", *wanted], check=True)
    return commands


def reinstall(wheel: Path, commands: Path) -> None:
    """Replace the installed wheel; what it needs is there."""
    pip = [str(commands / "python"), "-m", "pip"]
    subprocess.run([*pip, "install", "--quiet", "--force-reinstall", "--no-deps", str(wheel)], check=True)


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


def is_pure(wheel: Path) -> bool:
    """Whether the wheel is without the native core."""
    return wheel.name.endswith("-none-any.whl")


def chosen(runs: Sequence[Run], wheel: Path) -> list[Run]:
    """What can be run with this wheel."""
    left_out = () if is_pure(wheel) else WITHOUT_NATIVE_CORE
    return [run for run in runs if not run.name.startswith(tuple(f"{code} failing" for code in left_out))]


def few(runs: Sequence[Run], environment: tuple[tuple[str, str], ...] = ()) -> list[Run]:
    """Some of the runs, in another environment."""
    return [
        replace(run, environment=(*run.environment, *environment))
        for run in runs
        if run.name.startswith((*FEW, *WITHOUT_NATIVE_CORE))
    ]


def doctor(commands: Path, wheel: Path) -> str | None:
    """Why what ``ttl doctor`` says of the native core does not fit the wheel, or None."""
    done = subprocess.run(
        [str(commands / "ttl"), "doctor", "--format", "json"],
        capture_output=True,
        text=True,
        check=True,
        cwd=commands,
    )
    said: str = json.loads(done.stdout)["installation"]["native core"]
    return None if said.startswith("missing") == is_pure(wheel) else f"{wheel.name}: native core {said}"


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
    if words[0] == "ttrt":
        from support.ttrt_models import models

        return Run(
            name=name,
            tool="ttrt",
            command=tuple(words[1:]),
            files=tuple(models().items()),
            environment=tuple(environment),
            stderr=stderr,
        )
    source = page.example or 'print("hello")'
    return Run(
        name=name,
        command=tuple(words[1:]),
        files=(("example.py", source + "\n"),),
        environment=tuple(environment),
        stderr=stderr,
    )


def failure(run: Run, commands: Path, work: Path) -> str | None:
    """Why ``run`` is not as it must be, or None."""
    folder = work
    if run.files:
        folder = Path(tempfile.mkdtemp(dir=work))
        for name, text in run.files:
            (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TTL_", "PYTHON"))}
    kept.pop("NO_COLOR", None)
    done = subprocess.run(
        [str(commands / run.tool), *run.command],
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
    # Notes may stand before it. A binary that ttrt skips fails the command with a warning.
    wrong = re.search(r"^(error|warning\[TTL1706)", run.stderr, re.MULTILINE) is not None
    return None if bool(done.returncode) == wrong else f"exit code {done.returncode}"


def works(wheel: Path, runs: Sequence[Run], commands: Path, work: Path, jobs: int) -> bool:
    """Whether all runs with the installed wheel are as they must be. Prints those that are not, and how many."""
    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(lambda run: failure(run, commands, work), runs))
    failures = [
        f"--- {run.name}\n{text}\n" for run, text in zip(runs, results, strict=True) if text is not None
    ]
    wrong = doctor(commands, wheel)
    if wrong is not None:
        failures.append(f"--- ttl doctor\n{wrong}\n")
    for text in failures:
        print(text)
    print(f"{wheel.name}: {len(runs) + 1 - len(failures)} of {len(runs) + 1} runs as they must be")
    return not failures


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
        commands = install((wheel, build_models(work)), arguments.torch, work / "environment")
        shutil.copytree(EXAMPLES, work / "examples")
        everything = [*example_runs(), *page_runs()]
        right = works(wheel, chosen(everything, wheel), commands, work, arguments.jobs)
        if not is_pure(wheel):
            right &= works(wheel, chosen(few(everything, WITHOUT), wheel), commands, work, arguments.jobs)
            (work / "pure").mkdir()
            pure = build(work / "pure", CXX="no-compiler")
            reinstall(pure, commands)
            right &= works(pure, chosen(few(everything), pure), commands, work, arguments.jobs)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
