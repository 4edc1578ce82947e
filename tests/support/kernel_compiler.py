"""The host's g++ over the real kernel headers: how it is called, and what it starts from."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Literal

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


def available() -> bool:
    """Whether this machine has the compiler."""
    return shutil.which(_COMPILER) is not None


def prepare(generation: Generation) -> None:
    """Precompile what all kernels of a generation include, where that has not happened yet and there is a compiler."""
    if not available():
        return
    for kind in _PRELUDES:
        _precompiled(generation, kind)


def complaint(
    generation: Generation, kind: Kind, text: str, name: str, defines: tuple[str, ...] = ()
) -> str | None:
    """What the compiler prints about a file; None when it prints nothing."""
    command = [*_command(generation, kind), *(f"-D{define}" for define in defines)]
    if kind == "datamovement" or _COMPUTE_BASE in text:
        prelude = _precompiled(generation, kind)
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
    said = done.stderr.replace(f"{headers(generation)}/", "").strip()
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
    header = _written(_PRELUDES[kind], f"{generation}-{kind}-{version(generation, kind)}")
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
        replace_file(header, text)
    return header


@cache
def version(generation: Generation, kind: Kind) -> str:
    """Changes with the compiler, the headers, and how the one is called on the other."""
    compiler = subprocess.run([_COMPILER, "--version"], capture_output=True, text=True, check=True).stdout
    parts = (
        compiler,
        *_command(generation, kind),
        _PRELUDES[kind],
        Path(__file__).read_text(encoding="utf-8"),
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def replace_file(path: Path, text: str) -> None:
    """Write a file that others may be reading: they see all of it or none."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
        file.write(text)
    os.replace(file.name, path)
