"""Build a wheel for every CPython that the package supports and this machine has, and use each as a user would.

    python scripts/build_wheels.py [--output FOLDER] [--python 3.12 ...]

Wheels go to ``dist/`` (made by pyproject's ``[tool.cibuildwheel]`` for a release: the same versions, in manylinux
containers and on macOS). Each is installed into an empty environment that has no C++ compiler, and runs the first
program of ``ttl`` on the native core there. An interpreter that is not on this machine is named and left out.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def versions() -> list[str]:
    """The versions that pyproject.toml has wheels built for, such as ``3.11``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return [
        f"3.{minor}" for minor in re.findall(r"cp3(\d+)-", " ".join(project["tool"]["cibuildwheel"]["build"]))
    ]


def interpreter(version: str) -> str | None:
    """An interpreter of ``version``: on the path, or one of pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    places = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True)]
    for place in places:
        if place is None:
            continue
        answer = subprocess.run(
            [place, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True
        )
        if answer.returncode == 0 and answer.stdout.strip() == version:
            return str(place)
    return None


def build(python: str, output: Path, source: Path = ROOT) -> Path:
    """The wheel that ``python`` builds of a source tree, in ``output``."""
    with tempfile.TemporaryDirectory() as work:
        environment = {**os.environ, "TTL_REQUIRE_NATIVE": "1", "TTL_MODELS": "1"}
        pip = [python, "-m", "pip", "wheel", "--no-deps", "--verbose", "--wheel-dir", work, str(source)]
        _run(pip, environment)
        (wheel,) = Path(work).glob("*.whl")
        output.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy2(wheel, output))


def problem(python: str, wheel: Path) -> str | None:
    """What goes wrong when ``wheel`` is installed where there is no compiler, and used; None when nothing does."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        _run([python, "-m", "venv", str(folder / "venv")], dict(os.environ))
        commands = folder / "venv" / "bin"
        # Neither a compiler nor what is installed elsewhere.
        environment = {"PATH": str(commands), "HOME": work, **_package_index()}
        _run([str(commands / "python"), "-m", "pip", "install", "--quiet", str(wheel)], environment)
        first = subprocess.run(
            [commands / "ttl"], env=environment, capture_output=True, text=True, check=True
        )
        (folder / "first.py").write_text(first.stdout, encoding="utf-8")
        ran = subprocess.run(
            [commands / "ttl", "run", "--core", "native", "--executor", "native", "first.py"],
            cwd=folder, env=environment, capture_output=True, text=True,
        )  # fmt: skip
        return None if ran.stdout == "right: True\n" and not ran.stderr else ran.stdout + ran.stderr


def _package_index() -> dict[str, str]:
    """What pip is told by the environment, so that it finds the index of this machine."""
    return {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "HTTP"))}


def _run(command: Sequence[str], environment: dict[str, str]) -> None:
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        print(done.stdout, file=sys.stderr)
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="where wheels go (default: dist)")
    parser.add_argument("--python", nargs="+", default=versions(), help="versions (default: all)")
    arguments = parser.parse_args()
    failed = False
    print(f"{build(sys.executable, arguments.output, ROOT / 'models').name}: the same for every version")
    for version in arguments.python:
        python = interpreter(version)
        if python is None:
            print(f"{version}: no interpreter here")
            continue
        start = time.monotonic()
        wheel = build(python, arguments.output)
        wrong = problem(python, wheel)
        failed |= wrong is not None
        said = "runs without a compiler" if wrong is None else f"does not work:\n{wrong}"
        print(
            f"{version}: {wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB, {time.monotonic() - start:.0f} s: {said}"
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
