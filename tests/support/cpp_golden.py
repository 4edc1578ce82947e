"""Kernels written by hand in the ``ttkernel`` dialect, and the C++ they become: ``tests/codegen/cpp``, as in ``support.golden``.

``python -m support.cpp_golden`` in ``tests`` keeps what is printed today.
"""

from __future__ import annotations

from pathlib import Path

from support.golden import keep_in, of_generations
from support.kernel_check import GENERATIONS, Generation, Kernel
from ttl.codegen.cpp import file_names, kernel_sources
from ttl.dialects.text import parse_module
from ttl.dialects.ttkernel import ProgramOp

FOLDER = Path(__file__).resolve().parent.parent / "codegen" / "cpp"
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.mlir")))
# Two words for each of two accessors: interleaved in DRAM, pages of 2048 bytes.
ARGUMENTS = ("KERNEL_COMPILE_TIME_ARGS=2,2048,2,2048",)


def program(name: str) -> ProgramOp:
    """The program of a file."""
    path = FOLDER / f"{name}.mlir"
    module = parse_module(path.read_text(encoding="utf-8"), path.name)
    found = next(op for op in module.walk() if isinstance(op, ProgramOp))
    assert isinstance(found, ProgramOp)
    return found


def kernels(name: str, generation: Generation) -> list[Kernel]:
    """Its kernels for the check against the real headers."""
    found = program(name)
    texts = kernel_sources(found, generation)
    files = file_names(found)
    return [
        Kernel(
            generation=generation,
            kind="compute" if kernel.thread == "tensix" else "datamovement",
            text=texts[files[kernel.declared_name]],
            defines=ARGUMENTS,
            name=f"{name}/{files[kernel.declared_name]}",
        )
        for kernel in found.kernels
    ]


def printed(name: str) -> dict[str, str]:
    """What is printed today, by the name of the file it is kept in."""
    found = program(name)
    return of_generations(kernel_sources(found, generation) for generation in GENERATIONS)


if __name__ == "__main__":
    for each in NAMES:
        keep_in(FOLDER / each, printed(each))
