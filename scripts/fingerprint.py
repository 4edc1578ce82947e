"""What the compiler makes of many programs, a line each, to prove that a refactor changes nothing.

    python scripts/fingerprint.py before.txt      # on the tree as it was
    python scripts/fingerprint.py after.txt       # on the changed one
    diff before.txt after.txt

The programs are the examples, every operation over element types, layouts and shapes, and random programs. A line has
the name of the program and digests of its IR with places, its kernels for both generations of the kernel API, and its
diagnostics and remarks. ``--every N`` takes each Nth program only.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:1] = [str(ROOT / "src"), str(ROOT / "tests")]

import ttl  # noqa: E402, F401 - lets ``import ttnn`` find the host library
from support.compiled import emitted  # noqa: E402
from support.random_programs.language import one_operation  # noqa: E402
from support.random_programs.language.emit import device_text, live  # noqa: E402
from support.random_programs.language.execute import make_tensors  # noqa: E402
from support.random_programs.language.generate import generate  # noqa: E402
from support.random_programs.language.spec import Program  # noqa: E402
from ttl.check.module import check_module  # noqa: E402
from ttl.diag.text import render  # noqa: E402
from ttl.frontend.file import lower_file  # noqa: E402
from ttl.frontend.live import lower_call  # noqa: E402
from ttl.host import api as ttnn  # noqa: E402
from ttl.ir.printer import print_module  # noqa: E402
from ttl.rows.table import OPS  # noqa: E402

RANDOM_PROGRAMS = 500


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("output", type=Path)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth program only")
    arguments = parser.parse_args()
    # The same folder every time: its name is part of places.
    folder = Path(tempfile.gettempdir()) / "ttl-fingerprint"
    folder.mkdir(exist_ok=True)
    with arguments.output.open("w", encoding="utf-8") as output:
        for number, (name, lower) in enumerate(programs(folder)):
            if number % arguments.every == 0:
                with contextlib.redirect_stdout(io.StringIO()):
                    line = fingerprint(lower)
                print(name, line, file=output, flush=True)
    return 0


def programs(folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Every program by name, with what reads it."""
    for path in sorted((ROOT / "examples").glob("*.py")):
        yield f"example-{path.stem}", lambda path=path: lower_file(str(path))
    for row in OPS:
        for number, program in enumerate(one_operation.programs(row)):
            yield (
                f"operation-{row.name}-{number}",
                lambda name=f"{row.name}_{number}", program=program: _lowered(program, folder / f"{name}.py"),
            )
    for seed in range(RANDOM_PROGRAMS):
        yield (
            f"random-{seed}",
            lambda seed=seed: _lowered(generate(seed), folder / f"random_{seed}.py"),
        )


def fingerprint(lower: Callable[[], Any]) -> str:
    """Digests of IR, kernels and findings; of an error of ours its name."""
    try:
        lowered = lower()
        ir = print_module(lowered.module, locations=True)
        findings = [*lowered.diagnostics, *check_module(lowered.module)]
        made = emitted(lowered.module)
    except Exception as mistake:
        return f"{type(mistake).__name__}: {mistake}".replace("\n", " ")
    kernels = [
        f"{generation} {kernel.file} {kernel.compile_time_args} {kernel.defines}\n{kernel.source}"
        for generation, descriptions in sorted(made.programs.items())
        for description in descriptions
        for kernel in description.kernels
    ]
    said = [render(finding) for finding in (*findings, *made.refused)]
    return " ".join(
        _digest(part.replace(str(ROOT), "ROOT")) for part in (ir, "\n".join(kernels), "\n".join(said))
    )


def _lowered(program: Program, file: Path) -> Any:
    text = device_text(program)
    if not file.exists() or file.read_text(encoding="utf-8") != text:  # another run may read it now
        file.write_text(text, encoding="utf-8")
    scope: dict[str, Any] = {"__name__": "program"}
    exec(compile(text, str(file), "exec"), scope)
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(*program.mesh)) if program.mesh else None
    try:
        specs = live(program).tensors
        tensors = make_tensors(program, specs, mesh, 0)
        return lower_call(scope["op"], tuple(tensors[spec.name] for spec in specs), {})
    finally:
        if mesh is not None:
            ttnn.close_mesh_device(mesh)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main())
