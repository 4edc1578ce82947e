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

from ttl.ops.row import Generation
from ttl.session import cached
from ttl.settings import cache_folder

INCLUDE = Path(__file__).parent / "include"


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_COMPUTE = _names(
    """
     add_int_sfpu atan2 bcast binary_bitwise_sfpu binary_comp binary_fmod binary_max_min binary_remainder
     binary_shift blank cb_api common common_globals compute_kernel_api compute_kernel_hw_startup copy_dest_values
     cumsum div_int32_floor div_int32_sfpu eltwise_binary eltwise_binary_sfpu ema gcd layernorm lcm logsigmoid mask
     matmul mul_int_sfpu pack pack_untilize quantization reconfig_data_format reduce reduce_custom reg_api
     reshuffle softmax sub_int_sfpu tile_move_copy tilize untilize welford xlogy
    """
)
_COMPUTE_OF: dict[Generation, tuple[str, ...]] = {
    "0.69": ("transpose_wh", "transpose_wh_dest"),
    "0.81": (
        "clamped_silu_glu", "compute_kernel_api_debug", "isclose", "logaddexp", "logaddexp2", "nextafter",
        "experimental/fast_untilize", "sfpu_binary_bcast", "src_order", "topk", "transpose", "transpose_dest",
    ),
}  # fmt: skip
_UNARY = _names(
    """
     activations addcdiv addcmul binop_with_scalar bitwise_not cbrt clamp comp digamma dropout eltwise_unary elu
     erf_erfc erfinv exp fill fmod gelu hardmish hardtanh i0 i1 identity isinf_isnan lerp lgamma log1p logical_not
     negative polygamma prelu rand rdiv recip relu remainder reverseops rounding rpow rsqrt rsub selu sfpu_int_sum
     sfpu_split_includes softplus sqrt tanh_derivative threshold trigonometry typecast where xielu
    """
)
_UNARY_OF: dict[Generation, tuple[str, ...]] = {
    "0.69": ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"),
    "0.81": ("bitwise", "mac", "mish", "shift", "snake_beta", "softcap", "tanhshrink"),
}
# Path to header of ours, where the place is the same for both.
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


def paths(generation: Generation) -> dict[str, str]:
    """Every path of a generation, and the header of ours behind it."""
    compute = [*_COMPUTE, *_COMPUTE_OF[generation]]
    unary = [*_UNARY, *_UNARY_OF[generation]]
    return {
        **_COMMON,
        **{f"api/compute/{name}.h": "compute.h" for name in compute},
        **{f"api/compute/eltwise_unary/{name}.h": "compute.h" for name in unary},
        **dict.fromkeys(_OBJECTS[generation], "objects.h"),
        **dict.fromkeys(_DEBUG[generation], "debug.h"),
    }


@cache
def fingerprint() -> str:
    """Changes with every header of ours, and with the paths."""
    found = hashlib.sha256()
    for path in sorted((INCLUDE / "ttl_emu").iterdir()):
        found.update(path.name.encode() + b"\0" + path.read_bytes())
    for generation in _OBJECTS:
        found.update(repr(sorted(paths(generation).items())).encode())
    return found.hexdigest()[:16]


@cached(maxsize=None)
def tree(generation: Generation) -> Path:
    """The folder to give the compiler, after ``INCLUDE``."""
    base = cache_folder() or tempfile.gettempdir()
    folder = Path(base, "emu", f"include-{generation}-{fingerprint()}")
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(dir=folder.parent))
    for path, header in paths(generation).items():
        target = unfinished / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f'#pragma once\n#include "ttl_emu/{header}"\n', encoding="utf-8")
    try:
        os.rename(unfinished, folder)
    except OSError:  # another process was faster
        shutil.rmtree(unfinished)
    return folder
