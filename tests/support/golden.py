"""The kernels of some programs as they were reviewed: ``tests/codegen/golden``.

A kernel that is the same in both generations of the API is one file, ``read.cpp``; otherwise there are two,
``compute.0.69.cpp`` and ``compute.0.81.cpp``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from support.compiled import Emitted, emitted_file

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
    return files_of(emitted_file(PROGRAMS[name]))


def files_of(found: Emitted) -> dict[str, str]:
    """The files of what was emitted, by path."""
    files: dict[str, str] = {}
    for old, new in zip(found.programs["0.69"], found.programs["0.81"], strict=True):
        for before, after in zip(old.kernels, new.kernels, strict=True):
            path = Path(new.name) / after.file
            if before.source == after.source:
                files[path.as_posix()] = after.source
                continue
            files[path.with_suffix(".0.69.cpp").as_posix()] = before.source
            files[path.with_suffix(".0.81.cpp").as_posix()] = after.source
    return files


def kept(name: str) -> dict[str, str]:
    """What is kept of a program."""
    folder = FOLDER / name
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.cpp"))
    }


def keep(name: str) -> list[str]:
    """Write what a program gives today; the files that changed."""
    now, before = texts(name), kept(name)
    for path in before.keys() - now.keys():
        (FOLDER / name / path).unlink()
    changed = [path for path, text in now.items() if before.get(path) != text]
    for path in changed:
        file = FOLDER / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(now[path], encoding="utf-8")
    return sorted({*changed, *(before.keys() - now.keys())})
