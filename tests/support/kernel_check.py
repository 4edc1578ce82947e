"""Whether generated kernels agree with the real kernel headers: types, names, counts of arguments, warnings.

The host's g++ reads the kernel with the headers of a published ttnn (``kernel_headers``) and generates no code. With
none of the macros that choose one of the three compute processors, what the headers do inside is left out and their
interfaces stay, so neither the RISC-V compiler nor a card is needed. Warnings about the kernel's own text count, too:
a deprecated name, an unused variable, a conversion that C++ forbids.

Answers are kept by content: a kernel that was accepted once is not compiled again. New ones are compiled in batches,
all those with the same first lines (includes and macros) in one process, each in a namespace of its own.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

import pytest

from support.kernel_headers import cache_folder, headers, locked

Kind = Literal["compute", "datamovement"]
Generation = Literal["0.69", "0.81"]
GENERATIONS: tuple[Generation, ...] = ("0.69", "0.81")

_COMPILER = "g++"
# An attribute that addresses in L1 have is known to the compiler for the device only.
_WARNINGS = ("-Wall", "-Wextra", "-Wno-unknown-pragmas", "-Wno-attributes")
_HARDWARE = "tt_metal/hw"
_LLK = "tt_metal/tt-llk"
_INCLUDES = (
    f"{_HARDWARE}/inc",
    ".",
    "tt_metal",
    "ttnn/cpp",
    *(f"{_HARDWARE}/ckernels/wormhole_b0/metal/{part}" for part in ("common", "llk_io", "llk_api")),
    f"{_HARDWARE}/ckernels/wormhole_b0/metal/llk_api/llk_sfpu",
    f"{_HARDWARE}/inc/internal/tt-1xx/wormhole",
    f"{_HARDWARE}/inc/internal/tt-1xx/wormhole/wormhole_b0_defines",
    f"{_HARDWARE}/inc/internal/tt-1xx/wormhole/noc",
    f"{_HARDWARE}/inc/internal/tt-1xx",
    "tt_metal/hostdevcommon/api",
    "tt_metal/api",
    f"{_LLK}/tt_llk_wormhole_b0/common/inc",
    f"{_LLK}/tt_llk_wormhole_b0/llk_lib",
    f"{_LLK}/tt_llk_wormhole_b0",
    f"{_LLK}/common",
    f"{_LLK}/tools/include",
)
# What the build on the device defines for every kernel, for one Wormhole chip.
_DEFINES = (
    "ARCH_WORMHOLE",
    "TENSIX_FIRMWARE",
    "KERNEL_BUILD",
    "PROCESSOR_INDEX=2",
    "PROGRAMMABLE_CORE_TYPE=0",
    "NUM_DRAM_BANKS=12",
    "NUM_L1_BANKS=64",
    "LOG_BASE_2_OF_NUM_L1_BANKS=6",
    "IS_NOT_POW2_NUM_DRAM_BANKS=1",
    "NOC_INDEX=0",
    "NOC_MODE=0",
    "PCIE_NOC_X=0",
    "PCIE_NOC_Y=3",
    "DISPATCH_MESSAGE_ADDR=0",
    "DATA_FORMATS_DEFINED",
)
_COMPUTE_DEFINES = (
    "COMPILE_FOR_TRISC=1",
    "DST_ACCUM_MODE=0",
    "DST_SYNC_MODE=ckernel::DstSync::SyncHalf",
    "MATH_FIDELITY=ckernel::MathFidelity::HiFi4",
    "APPROX=0",
)
# What the build on the device writes into generated headers, and what every kernel of a kind includes anyway.
_PRELUDE = """\
#include <cstdint>
namespace ckernel {}
using namespace ckernel;
void kernel_main();
"""
_COMPUTE_BASE = '#include "api/compute/common.h"\n'
_PRELUDES: dict[Kind, str] = {
    "compute": _PRELUDE + _COMPUTE_BASE,
    "datamovement": _PRELUDE
    + """\
#include "internal/risc_attribs.h"
constexpr int32_t unpack_tile_size[64] = {2048};
constexpr uint8_t unpack_tile_r_dim[64] = {32};
constexpr uint8_t unpack_tile_c_dim[64] = {32};
constexpr uint8_t unpack_tile_num_faces[64] = {4};
constexpr unsigned char unpack_src_format[64] = {5};
constexpr uint16_t pack_tile_size[64] = {2048};
#include "risc_common.h"
#include "noc_nonblocking_api.h"
""",
}
_FIRST_LINE = re.compile(r"\s*(#|//|$)")
_ELSEWHERE = re.compile(r"^[ \t]*#[ \t]*(include|define|undef|line)\b", re.MULTILINE)

needs_compiler = pytest.mark.skipif(shutil.which(_COMPILER) is None, reason=f"no {_COMPILER} on this machine")
"""For tests that check kernels: without a C++ compiler they are skipped, as those of the native core are."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Kernel:
    """One kernel to check; ``defines`` as they go to the compiler, ``KERNEL_COMPILE_TIME_ARGS=2,2048``."""

    generation: Generation
    kind: Kind
    text: str
    defines: tuple[str, ...] = ()
    name: str = field(default="kernel.cpp", compare=False)
    """What complaints call its file."""


def check(generation: Generation, kind: Kind, text: str, defines: Sequence[str] = ()) -> str | None:
    """What the compiler says about one kernel; None when it accepts it."""
    kernel = Kernel(generation=generation, kind=kind, text=text, defines=tuple(defines))
    return check_all([kernel])[0]


def check_all(kernels: Iterable[Kernel]) -> list[str | None]:
    """As ``check`` for many kernels: an answer for each, in their order, with few runs of the compiler."""
    wanted = list(kernels)
    answers: dict[Kernel, str | None] = {}
    batches: dict[tuple[object, ...], list[Kernel]] = {}
    for kernel in dict.fromkeys(wanted):
        kept = _kept(kernel)
        if kept.exists():
            answers[kernel] = kept.read_text(encoding="utf-8") or None
        else:
            batches.setdefault(_batch(kernel), []).append(kernel)
    for batch in batches.values():
        for kernel, complaint in zip(batch, _judge(batch)):
            answers[kernel] = complaint
            _keep(kernel, complaint)
    return [answers[kernel] for kernel in wanted]


def prepare(generation: Generation) -> None:
    """Precompile what all kernels of a generation include, where that has not happened yet and there is a compiler."""
    if shutil.which(_COMPILER) is None:
        return
    for kind in _PRELUDES:
        _precompiled(generation, kind)


def _judge(batch: list[Kernel]) -> list[str | None]:
    """The answers for kernels that can be compiled together, halving a batch until those at fault are found."""
    if len(batch) == 1:
        return [_compile(batch[0], batch[0].text, batch[0].name)]
    first, _ = _parts(batch[0].text)
    together = [first]
    for number, kernel in enumerate(batch):
        start, rest = _parts(kernel.text)
        line = start.count("\n") + 1
        together.append(f'namespace kernel_{number} {{\n#line {line} "{kernel.name}"\n{rest}\n}}\n')
    if _compile(batch[0], "".join(together), "batch.cpp") is None:
        return [None] * len(batch)
    middle = len(batch) // 2
    return _judge(batch[:middle]) + _judge(batch[middle:])


def _batch(kernel: Kernel) -> tuple[object, ...]:
    """Equal for kernels that can be compiled together."""
    first, rest = _parts(kernel.text)
    alone = kernel.text if _ELSEWHERE.search(rest) else ""
    lines = tuple(line for line in first.splitlines() if line.lstrip().startswith("#"))
    return kernel.generation, kernel.kind, kernel.defines, lines, alone


def _parts(text: str) -> tuple[str, str]:
    """A kernel's first lines, up to the last include or macro before any code, and the rest."""
    lines = text.splitlines(keepends=True)
    end = 0
    for number, line in enumerate(lines):
        if not _FIRST_LINE.match(line):
            break
        if line.lstrip().startswith("#"):
            end = number + 1
    return "".join(lines[:end]), "".join(lines[end:])


def _compile(kernel: Kernel, text: str, name: str) -> str | None:
    """What the compiler prints about ``text``; None when it prints nothing."""
    command = [*_command(kernel.generation, kernel.kind), *(f"-D{define}" for define in kernel.defines)]
    if kernel.kind == "datamovement" or _COMPUTE_BASE in text:
        prelude = _precompiled(kernel.generation, kernel.kind)
    else:
        prelude = _written(_PRELUDE)
    command += ["-fsyntax-only", "-include", str(prelude), "-x", "c++", "-"]
    done = subprocess.run(
        command,
        input=f'#line 1 "{name}"\n{text}',
        env={**os.environ, "LC_ALL": "C"},  # the quotes of messages depend on it
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    said = done.stderr.replace(f"{headers(kernel.generation)}/", "").strip()
    if done.returncode and not said:
        said = f"{_COMPILER} ended with status {done.returncode}"
    return said or None


@cache
def _command(generation: Generation, kind: Kind) -> tuple[str, ...]:
    root = headers(generation)
    own = _COMPUTE_DEFINES if kind == "compute" else ("COMPILE_FOR_BRISC",)
    return (
        *(_COMPILER, "-std=c++20", "-fpermissive", "-fno-diagnostics-show-caret", *_WARNINGS),
        *(f"-D{define}" for define in (*_DEFINES, *own)),
        *(
            part
            for folder in _INCLUDES
            if (root / folder).is_dir()
            for part in ("-isystem", f"{root / folder}")
        ),
    )


@cache
def _precompiled(generation: Generation, kind: Kind) -> Path:
    """A header with a precompiled one beside it, which the compiler takes in its place."""
    header = _written(_PRELUDES[kind], f"{generation}-{kind}-{_version(generation, kind)}")
    made = header.with_name(f"{header.name}.gch")
    with locked(header.with_suffix(".lock")):
        if not made.exists():
            temporary = made.with_suffix(".new")
            command = [
                *_command(generation, kind),
                "-w",
                "-x",
                "c++-header",
                str(header),
                "-o",
                str(temporary),
            ]
            subprocess.run(command, check=True)
            temporary.rename(made)
    return header


@cache
def _written(text: str, name: str = "plain") -> Path:
    header = cache_folder() / "precompiled" / name / "prelude.h"
    header.parent.mkdir(parents=True, exist_ok=True)
    if not header.exists():
        _replace(header, text)
    return header


@cache
def _version(generation: Generation, kind: Kind) -> str:
    """Changes with the compiler, the headers, and how the one is called on the other."""
    compiler = subprocess.run([_COMPILER, "--version"], capture_output=True, text=True, check=True).stdout
    parts = (
        compiler,
        *_command(generation, kind),
        _PRELUDES[kind],
        Path(__file__).read_text(encoding="utf-8"),
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _kept(kernel: Kernel) -> Path:
    """Where the answer about a kernel is kept: an empty file for one that was accepted."""
    parts = (_version(kernel.generation, kernel.kind), *kernel.defines, kernel.text)
    name = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return cache_folder() / "answers" / name[:2] / name


def _keep(kernel: Kernel, complaint: str | None) -> None:
    kept = _kept(kernel)
    kept.parent.mkdir(parents=True, exist_ok=True)
    _replace(kept, complaint or "")


def _replace(path: Path, text: str) -> None:
    """Write a file that others may be reading: they see all of it or none."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
        file.write(text)
    os.replace(file.name, path)
