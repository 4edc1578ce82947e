"""The host's g++ over the real kernel headers: how it is called, and what it starts from.

A compute kernel is read three times, as the build on the device compiles it: for the processors that unpack, compute
and pack, of which each has headers of its own. Two headers come with the RISC-V compiler and are in no wheel; their
names are in ``thread_headers``.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Literal

from support.kernel_headers import cache_folder, headers, locked

Kind = Literal["compute", "datamovement"]
# What is compiled by itself: a kernel for one processor.
Unit = Literal["unpack", "math", "pack", "datamovement"]
Generation = Literal["0.69", "0.81"]
GENERATIONS: tuple[Generation, ...] = ("0.69", "0.81")

UNITS: dict[Kind, tuple[Unit, ...]] = {
    "compute": ("math", "unpack", "pack"),
    "datamovement": ("datamovement",),
}
_COMPILER = "g++"
_OWN_HEADERS = Path(__file__).with_name("thread_headers")
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
    f"{_LLK}/tt_llk_wormhole_b0/llk_lib",
    f"{_LLK}/tt_llk_wormhole_b0",
    f"{_LLK}/common",
    f"{_LLK}/tools/include",
)
# What the build on the device defines for every kernel, for one Wormhole chip.
_DEFINES = (
    "ARCH_WORMHOLE", "TENSIX_FIRMWARE", "KERNEL_BUILD", "PROCESSOR_INDEX=2", "PROGRAMMABLE_CORE_TYPE=0",
    "NUM_DRAM_BANKS=12", "NUM_L1_BANKS=64", "LOG_BASE_2_OF_NUM_L1_BANKS=6", "IS_NOT_POW2_NUM_DRAM_BANKS=1",
    "NOC_INDEX=0", "NOC_MODE=0", "PCIE_NOC_X=0", "PCIE_NOC_Y=3", "DISPATCH_MESSAGE_ADDR=0",
    "DATA_FORMATS_DEFINED",
)  # fmt: skip
_COMPUTE_DEFINES = (
    "DST_ACCUM_MODE=0",
    "DST_SYNC_MODE=ckernel::DstSync::SyncHalf",
    "MATH_FIDELITY=ckernel::MathFidelity::HiFi4",
    "APPROX=0",
)
_OWN_DEFINES: dict[Unit, tuple[str, ...]] = {
    "unpack": (*_COMPUTE_DEFINES, "COMPILE_FOR_TRISC=0", "TRISC_UNPACK"),
    "math": (*_COMPUTE_DEFINES, "COMPILE_FOR_TRISC=1", "TRISC_MATH"),
    "pack": (*_COMPUTE_DEFINES, "COMPILE_FOR_TRISC=2", "TRISC_PACK"),
    "datamovement": ("COMPILE_FOR_BRISC",),
}
# Headers that g++ 12 does not take, and what it takes in their place: an assertion in a branch that is not chosen is left
# to who chooses it, and how often a loop is repeated changes no type.
_MENDED = f"{_LLK}/tt_llk_wormhole_b0/common/inc"
_MENDS = (
    (re.compile(r"static_assert\(false,"), "static_assert([]<bool no = false>() { return no; }(),"),
    (re.compile(r"^#pragma GCC unroll [A-Za-z_].*$", re.MULTILINE), ""),
)
# What the build on the device writes into generated headers, and what every kernel of a kind includes anyway.
_PRELUDE = """\
#include <cstdint>
namespace ckernel {}
using namespace ckernel;
void kernel_main();
"""
_COMPUTE_BASE = '#include "api/compute/common.h"\n'
_COMPUTE_PRELUDE = _PRELUDE + '#include "chlkc_descriptors.h"\n'
_PRELUDES: dict[Unit, str] = {
    **dict.fromkeys(("unpack", "math", "pack"), _COMPUTE_PRELUDE + _COMPUTE_BASE),
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


def available() -> bool:
    """Whether this machine has the compiler."""
    return shutil.which(_COMPILER) is not None


def prepare(generation: Generation) -> None:
    """Precompile what all kernels of a generation include, where that has not happened yet and there is a compiler."""
    if not available():
        return
    for unit in _PRELUDES:
        _precompiled(generation, unit)


def complaint(
    generation: Generation, kind: Kind, text: str, name: str, defines: tuple[str, ...] = ()
) -> str | None:
    """What the compiler prints about a file, as one of the units it is compiled as; None when it prints nothing."""
    answers = (unit_complaint(generation, unit, text, name, defines) for unit in UNITS[kind])
    return next((said for said in answers if said is not None), None)


def unit_complaint(
    generation: Generation, unit: Unit, text: str, name: str, defines: tuple[str, ...] = ()
) -> str | None:
    """What the compiler prints about a file as one unit; None when it prints nothing."""
    command = [*_command(generation, unit), *(f"-D{define}" for define in defines)]
    if unit == "datamovement" or _COMPUTE_BASE in text:
        prelude = _precompiled(generation, unit)
    else:
        prelude = _written(_COMPUTE_PRELUDE)
    command += ["-fsyntax-only", "-include", str(prelude), "-x", "c++", "-"]
    done = subprocess.run(
        command,
        input=f'#line 1 "{name}"\n{text}',
        env={**os.environ, "LC_ALL": "C"},  # the quotes of messages depend on it
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    said = done.stderr
    for folder in (headers(generation), _mended(generation)):
        said = said.replace(f"{folder}/", "")
    said = said.strip()
    if done.returncode and not said:
        said = f"{_COMPILER} ended with status {done.returncode}"
    return said or None


@cache
def _command(generation: Generation, unit: Unit) -> tuple[str, ...]:
    root = headers(generation)
    folders = [*(root / folder for folder in _INCLUDES), _mended(generation)]
    if unit != "datamovement":
        folders.append(_OWN_HEADERS)
    return (
        *(_COMPILER, "-std=c++20", "-fpermissive", "-fno-diagnostics-show-caret", *_WARNINGS),
        *(f"-D{define}" for define in (*_DEFINES, *_OWN_DEFINES[unit])),
        *(part for folder in folders if folder.is_dir() for part in ("-isystem", f"{folder}")),
    )


@cache
def _mended(generation: Generation) -> Path:
    """A copy of the headers of ``_MENDED`` that the compiler takes."""
    source = headers(generation) / _MENDED
    content = hashlib.sha256(repr((str(source), _MENDS)).encode()).hexdigest()[:12]
    folder = cache_folder() / f"mended-{generation}-{content}"
    with locked(folder.with_name(f"{folder.name}.lock")):
        if not folder.exists():
            with tempfile.TemporaryDirectory(dir=folder.parent, prefix="mending-") as name:
                copy = Path(shutil.copytree(source, Path(name) / "copy"))
                for header in copy.rglob("*.h"):
                    text = header.read_text(encoding="utf-8")
                    for pattern, replacement in _MENDS:
                        text = pattern.sub(replacement, text)
                    header.write_text(text, encoding="utf-8")
                copy.rename(folder)
    return folder


@cache
def _precompiled(generation: Generation, unit: Unit) -> Path:
    """A header with a precompiled one beside it, which the compiler takes in its place."""
    header = _written(_PRELUDES[unit], f"{generation}-{unit}-{version(generation, unit)}")
    made = header.with_name(f"{header.name}.gch")
    with locked(header.with_suffix(".lock")):
        if not made.exists():
            temporary = made.with_suffix(".new")
            command = [
                *_command(generation, unit),
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
    """A header of a text, in a folder of its own for each text: another one does not find a stale file."""
    content = hashlib.sha256(text.encode()).hexdigest()[:12]
    header = cache_folder() / "precompiled" / f"{name}-{content}" / "prelude.h"
    header.parent.mkdir(parents=True, exist_ok=True)
    if not header.exists():
        replace_file(header, text)
    return header


@cache
def version(generation: Generation, unit: Unit) -> str:
    """Changes with the compiler, the headers, and how the one is called on the other."""
    compiler = subprocess.run([_COMPILER, "--version"], capture_output=True, text=True, check=True).stdout
    sources = (Path(__file__), *sorted(_OWN_HEADERS.glob("*.h")))
    parts = (
        compiler,
        *_command(generation, unit),
        _PRELUDES[unit],
        *(source.read_text(encoding="utf-8") for source in sources),
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def replace_file(path: Path, text: str) -> None:
    """Write a file that others may be reading: they see all of it or none."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
        file.write(text)
    os.replace(file.name, path)
