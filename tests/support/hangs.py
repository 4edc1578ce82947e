"""Programs that hang on the emulated chip, and the dumps they leave."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import pytest
import ttnn

from ttl import settings
from ttl.diag import DeadlockError, Diagnostic

CORPUS = Path(__file__).parent.parent / "deadlock" / "programs"
PUSHES_WIDE = """#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr uint32_t values = get_compile_time_arg_val(0);
    for (uint32_t page = 0; page < 2; ++page) {
        cb_reserve_back(values, 1);
        cb_push_back(values, 1);
    }
}
"""
WAITS_NARROW = """#include "api/compute/cb_api.h"
#include "api/compute/common.h"
void kernel_main() {
    constexpr uint32_t values = get_compile_time_arg_val(0);
    cb_wait_front(values, 4);
    cb_pop_front(values, 4);
}
"""


def hung(program: Path, folder: Path) -> Diagnostic:
    """Run a program of the corpus with ``--dump``: what it says when it stands still."""
    source = program.read_text(encoding="utf-8")
    with _dumping(folder), pytest.raises(DeadlockError) as caught:
        exec(compile(source, str(program), "exec"), {"__name__": "program"})
    return caught.value.diagnostic


def hung_by_hand(folder: Path) -> Diagnostic:
    """The same of a program of written C++: what it sends are two pages of float32, and four of bfloat16 are waited for."""
    device = ttnn.open_device(device_id=0)
    tensors = [
        ttnn.zeros([32, 32], dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device) for _ in range(2)
    ]
    one = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(1, 0), ttnn.CoreCoord(1, 0))])
    form = ttnn.CBFormatDescriptor(buffer_index=3, data_format=ttnn.float32, page_size=4096)
    buffer = ttnn.CBDescriptor(total_size=4 * 4096, core_ranges=one, format_descriptors=[form])
    kernels = [
        _kernel(PUSHES_WIDE, one, ttnn.ReaderConfigDescriptor()),
        _kernel(WAITS_NARROW, one, ttnn.ComputeConfigDescriptor()),
    ]
    with _dumping(folder), pytest.raises(DeadlockError) as caught:
        ttnn.generic_op(tensors, ttnn.ProgramDescriptor(kernels, [], [buffer]))
    return caught.value.diagnostic


def _kernel(source: str, cores: Any, config: Any) -> Any:
    kind = ttnn.KernelDescriptor.SourceType.SOURCE_CODE
    return ttnn.KernelDescriptor(
        kernel_source=source, source_type=kind, core_ranges=cores, compile_time_args=[3], config=config
    )


@contextlib.contextmanager
def _dumping(folder: Path) -> Any:
    with (
        settings.override(target="emu", check="off", dump=str(folder)),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        yield
