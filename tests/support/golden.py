"""The kernels of some programs as they were reviewed: ``tests/codegen/golden``.

A kernel that is the same in both generations of the API is one file, ``read.cpp``; otherwise there are two,
``compute.0.69.cpp`` and ``compute.0.81.cpp``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from support.compiled import emitted_file
from support.kernel_check import GENERATIONS

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "tests" / "codegen" / "golden"
_EXAMPLES = (
    "tutorial_1_one_tile", "matmul_multicast", "softmax", "rmsnorm", "row_major_copy", "sharded_eltwise",
    "semaphores_pingpong", "spec_ring_forward", "spec_debug_print",
)  # fmt: skip
_OWN = ("fused_chain", "matmul_bias_relu", "mixed_types", "sixteen_inputs", "transpose")

PROGRAMS: Mapping[str, Path] = {
    **{name: ROOT / "examples" / f"{name}.py" for name in _EXAMPLES},
    **{name: FOLDER / "programs" / f"{name}.py" for name in _OWN},
}


def texts(name: str) -> dict[str, str]:
    """The files of a program, by path below its folder."""
    found = emitted_file(PROGRAMS[name])
    return of_generations(
        {
            f"{program.name}/{kernel.file}": kernel.source
            for program in found.programs[generation]
            for kernel in program.kernels
        }
        for generation in GENERATIONS
    )


def kept(name: str) -> dict[str, str]:
    """What is kept of a program."""
    return kept_in(FOLDER / name)


def keep(name: str) -> list[str]:
    """Write what a program gives today; the files that changed."""
    return keep_in(FOLDER / name, texts(name))


def of_generations(sources: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """The files that are kept of the kernels of both generations, by path."""
    old, new = sources
    files: dict[str, str] = {}
    for path, text in new.items():
        same = old[path] == text
        files |= (
            {path: text}
            if same
            else {
                path.replace(".cpp", f".{generation}.cpp"): of[path]
                for generation, of in zip(GENERATIONS, (old, new), strict=True)
            }
        )
    return files


def kept_in(folder: Path, files: str = "*.cpp") -> dict[str, str]:
    """The texts of the files below a folder, by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob(files))
    }


def keep_in(folder: Path, now: Mapping[str, str]) -> list[str]:
    """Let a folder have these files, and no others; those that changed."""
    before = kept_in(folder)
    for path in before.keys() - now.keys():
        (folder / path).unlink()
    changed = [path for path, text in now.items() if before.get(path) != text]
    for path in changed:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(now[path], encoding="utf-8")
    return sorted({*changed, *(before.keys() - now.keys())})
