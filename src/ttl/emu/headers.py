"""Headers at the paths that kernels include, each of which leads to one of ours.

Ours are in ``include/ttl_emu``. The tree of paths is written into the cache folder, once for each version of this
module and generation of the kernel API. Sources of the paths: the headers of the ttnn 0.69.0 and 0.81.1 wheels.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from ttl.emu import kernel_cache
from ttl.kernel_api import CALLS
from ttl.rows.row import Generation
from ttl.session import cached

INCLUDE = Path(__file__).parent / "include"


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Beside those of the functions that the compiler calls (``ttl.kernel_api``).
_COMPUTE = _names(
    """
     atan2 binary_fmod binary_shift blank cb_api common common_globals cumsum div_int32_sfpu ema gcd layernorm
     lcm logsigmoid mask pack_untilize quantization reduce_custom reg_api reshuffle softmax tilize untilize
     welford xlogy
    """
)
_COMPUTE_OF: dict[Generation, tuple[str, ...]] = {
    "0.69": (),
    "0.81": (
        "clamped_silu_glu",
        "compute_kernel_api_debug",
        "isclose",
        "logaddexp",
        "logaddexp2",
        "nextafter",
        "experimental/fast_untilize",
        "sfpu_binary_bcast",
        "src_order",
        "topk",
    ),
}
_UNARY = _names(
    """
     addcdiv addcmul bitwise_not cbrt digamma dropout eltwise_unary erf_erfc erfinv fmod hardmish i0 i1 identity
     isinf_isnan lerp lgamma logical_not polygamma rand rdiv remainder reverseops rpow sfpu_int_sum
     sfpu_split_includes tanh_derivative threshold xielu
    """
)
_UNARY_OF: dict[Generation, tuple[str, ...]] = {
    "0.69": ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"),
    "0.81": ("bitwise", "mac", "mish", "shift", "snake_beta", "softcap", "tanhshrink"),
}
# Paths that are the same in both generations, and our header for each.
_COMMON = {
    "api/dataflow/dataflow_api.h": "kernel.h",
    "api/tensor/tensor_accessor.h": "kernel.h",
    "api/tensor/tensor_accessor_args.h": "kernel.h",
    "api/compile_time_args.h": "common.h",
    "ckernel.h": "kernel.h",
    "ckernel_defs.h": "kernel.h",
    "api/kernel_thread_globals.h": "common.h",
    "experimental/kernel_args.h": "tokens.h",
    "llk_defs.h": "kernel.h",
    "api/debug/dprint.h": "debug.h",
    "api/debug/dprint_pages.h": "debug.h",
    "api/debug/dprint_tensix.h": "debug.h",
    "api/debug/dprint_tile.h": "debug.h",
    "api/debug/assert.h": "common.h",
    "api/debug/waypoint.h": "common.h",
    "internal/circular_buffer_interface.h": "common.h",
    "internal/mod_div_lib.h": "divide.h",
    "internal/risc_attribs.h": "common.h",
    "hostdevcommon/common_values.hpp": "common.h",
    "hostdevcommon/kernel_structs.h": "common.h",
    "tt-metalium/constants.hpp": "common.h",
    "tt_metal/fabric/hw/inc/edm_fabric/edm_fabric_worker_adapters.hpp": "fabric.h",
    "tt_metal/fabric/hw/inc/mesh/api.h": "fabric.h",
    "tt_metal/fabric/hw/inc/noc_addr.h": "fabric.h",
    "tt_metal/fabric/hw/inc/packet_header_pool.h": "fabric.h",
    "tt_metal/fabric/hw/inc/tt_fabric_api.h": "fabric.h",
    "tt-metalium/circular_buffer_constants.h": "common.h",
}
_OBJECTS: dict[Generation, tuple[str, ...]] = {
    "0.69": tuple(
        f"experimental/{name}.h"
        for name in (
            "circular_buffer", "core_local_mem", "dataflow_buffer", "endpoints", "noc", "noc_semaphore", "tensor",
        )
    ),
    "0.81": (
        *(f"api/dataflow/{name}.h" for name in ("circular_buffer", "dataflow_buffer", "endpoints", "noc", "noc_semaphore")),
        "api/tensor/noc_traits.h", "api/core_local_mem.h", "api/semaphore.h",
    ),
}  # fmt: skip
_DEBUG: dict[Generation, tuple[str, ...]] = {
    "0.69": ("tools/profiler/kernel_profiler.hpp",),
    "0.81": ("api/debug/kernel_profiler.hpp", "api/debug/device_print.h"),
}


_PACKETS: dict[Generation, str] = {
    "0.69": "fabric/fabric_edm_packet_header.hpp",
    "0.81": "hostdev/fabric_edm_packet_header.hpp",
}


GENERATIONS: tuple[Generation, ...] = tuple(_OBJECTS)


def paths(generation: Generation) -> dict[str, str]:
    """Every path of a generation, and the header of ours behind it."""
    compute = [*_COMPUTE, *_COMPUTE_OF[generation]]
    unary = [*_UNARY, *_UNARY_OF[generation]]
    called = [header for row in CALLS.values() for header in row.headers.get(generation, ())]
    return {
        **{header: "compute.h" for header in called if header.startswith("api/compute/")},
        **_COMMON,
        **{f"api/compute/{name}.h": "compute.h" for name in compute},
        **{f"api/compute/eltwise_unary/{name}.h": "compute.h" for name in unary},
        **dict.fromkeys(_OBJECTS[generation], "objects.h"),
        **dict.fromkeys(_DEBUG[generation], "debug.h"),
        _PACKETS[generation]: "fabric.h",
    }


@cache
def fingerprint() -> str:
    """A hash of all our headers and of the paths."""
    hash_ = hashlib.sha256()
    for path in sorted((INCLUDE / "ttl_emu").iterdir()):
        hash_.update(path.name.encode() + b"\0" + path.read_bytes())
    for generation in _OBJECTS:
        hash_.update(repr(sorted(paths(generation).items())).encode())
    return hash_.hexdigest()[:16]


def tree(generation: Generation) -> Path:
    """The folder to give the compiler, after ``INCLUDE``. Raises ``OSError`` where it cannot be written anywhere.

    The names of kernels depend on it, too: they are the same for several cache folders whose ``emu`` is one folder. If
    the folder was removed since it was used, it is written again.
    """
    folder = _first_tree(generation)
    return folder if folder.is_dir() else _tree(generation)


@cached(maxsize=None)
def _first_tree(generation: Generation) -> Path:
    return _tree(generation)


def _tree(generation: Generation) -> Path:
    name = name_of(generation)
    for base in kernel_cache.bases():
        if is_whole(Path(base, name), generation):
            return Path(base, name).resolve()
    return kernel_cache.written(lambda base: _made(Path(base, name), generation)).resolve()


def name_of(generation: Generation) -> str:
    """Return the folder's name."""
    return f"include-{generation}-{fingerprint()}"


def is_whole(folder: Path, generation: Generation) -> bool:
    """Whether a folder has all headers of a generation, as they were written."""
    try:
        return all((folder / path).read_text() == _text(header) for path, header in paths(generation).items())
    except (OSError, ValueError):
        return False


def _made(folder: Path, generation: Generation) -> Path:
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        for path, header in paths(generation).items():
            target = unfinished / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(_text(header), encoding="utf-8")
        if folder.exists() and not is_whole(folder, generation):
            shutil.rmtree(folder, ignore_errors=True)
        os.rename(unfinished, folder)
    except OSError:
        if not is_whole(folder, generation):  # else another process was faster
            raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def _text(header: str) -> str:
    return f'#pragma once\n#include "ttl_emu/{header}"\n'
