"""Programs compiled for both generations of the kernel API, and what the kernel headers say about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from support.kernel_check import GENERATIONS, Generation, Kernel, check_all
from ttl import settings
from ttl.codegen.compile import compile_module
from ttl.codegen.cpp import kernel_sources
from ttl.codegen.description import KernelDescription, ProgramDescription
from ttl.diag import Diagnostic
from ttl.frontend.file import lower_file


@dataclass(frozen=True, kw_only=True, slots=True)
class Emitted:
    """What the compiler makes of a module."""

    programs: Mapping[Generation, tuple[ProgramDescription, ...]]
    refused: tuple[Diagnostic, ...]
    """Why operations are missing in ``programs``."""
    label: str = ""
    """What was compiled, for reports."""

    @property
    def codes(self) -> list[str]:
        """The codes of ``refused``, each once."""
        return sorted({each.code for each in self.refused})


def emitted(module: ModuleOp) -> Emitted:
    """Compile a module. Only the C++ depends on the generation, so everything before it happens once."""
    compiled = compile_module(module, settings.current(), generation="0.81")
    programs: dict[Generation, tuple[ProgramDescription, ...]] = {"0.81": tuple(compiled.descriptions)}
    programs["0.69"] = tuple(
        _with_sources(description, kernel_sources(program, "0.69"))
        for description, program in zip(compiled.descriptions, compiled.programs, strict=True)
    )
    return Emitted(programs=programs, refused=tuple(compiled.diagnostics))


def emitted_file(path: Path) -> Emitted:
    """Compile the operations that a program calls."""
    lowered = lower_file(str(path))
    found = emitted(lowered.module)
    return replace(found, refused=(*lowered.diagnostics, *found.refused), label=path.name)


def kernels_of(description: ProgramDescription) -> list[Kernel]:
    """The kernels of a program as the header check takes them."""
    return [_kernel(description, each) for each in description.kernels]


def complaints_about(emitted: Iterable[Emitted]) -> list[str]:
    """What the headers' compiler says about all kernels of both generations, with the kernels."""
    kernels = [
        (each.label, kernel)
        for each in emitted
        for generation in GENERATIONS
        for program in each.programs.get(generation, ())
        for kernel in kernels_of(program)
    ]
    return [
        f"{label}, {kernel.generation}, {kernel.name}\n{complaint}\n{_numbered(kernel.text)}"
        for (label, kernel), complaint in zip(kernels, check_all([each for _, each in kernels]), strict=True)
        if complaint is not None
    ]


def _kernel(description: ProgramDescription, kernel: KernelDescription) -> Kernel:
    # An entry stands for a number that only a device knows: any number has its type.
    words = ",".join(str(word) if isinstance(word, int) else "0" for word in kernel.compile_time_args)
    defines = [f"{name}={value}" for name, value in kernel.defines]
    if words:
        defines.append(f"KERNEL_COMPILE_TIME_ARGS={words}")
    generation: Generation = "0.69" if description.generation == "0.69" else "0.81"
    return Kernel(
        generation=generation,
        kind="compute" if kernel.thread == "tensix" else "datamovement",
        text=kernel.source,
        defines=tuple(defines),
        name=kernel.file,
    )


def _with_sources(description: ProgramDescription, sources: Mapping[str, str]) -> ProgramDescription:
    kernels = tuple(replace(each, source=sources[each.file]) for each in description.kernels)
    return replace(description, generation="0.69", kernels=kernels)


def _numbered(text: str) -> str:
    return "\n".join(f"{number:4} {line}" for number, line in enumerate(text.splitlines(), 1))
