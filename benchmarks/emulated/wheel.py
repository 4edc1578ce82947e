"""Programs of kernels out of the published wheel of TT-NN, unmodified. ``make headers`` fetches it."""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from ttl.arch import Chip
from ttl.emu import CircularBuffer, Kernel, Program, Run, Semaphore, memory_of, run_program
from ttl.emu.memory import Placed
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import BFLOAT16

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

Core = tuple[int, int]
GENERATION: Literal["0.69"] = "0.69"
_TILE = 2048
_OPERATIONS = "ttnn/cpp/ttnn/operations"


@cache
def wheel() -> Path:
    """The folder of the wheel's kernels. Raises ``HeadersMissing`` where it was not fetched."""
    from support.kernel_headers import headers

    return headers(GENERATION)


@cache
def helpers() -> Path:
    """A folder with headers of theirs that ``make headers`` leaves out. Raises ``HeadersMissing``."""
    from support.kernel_headers import more

    return more(GENERATION, ("ttnn/cpp/ttnn/operations/normalization/kernel_util",))


def source(path: str) -> str:
    """A kernel of the wheel, below the folder of operations."""
    return (wheel() / _OPERATIONS / path).read_text(encoding="utf-8")


# Headers that the kernels include for cases that are not run here.
_UNUSED = {
    "kernel_helper_functions/pad_tile.hpp": """#pragma once
#include <cstdint>
template <auto...> void pad_last_ktile(uint32_t);
template <auto...> void pad_last_transposed_ktile(uint32_t);
template <typename, uint32_t, uint32_t> void fill_pad_tile(uint32_t, uint32_t) { __builtin_trap(); }
""",
    "ccl/kernel_common/worker_sync_utils.hpp": """#pragma once
#include <cstdint>
struct MatmulOpReceiver {
  MatmulOpReceiver() = default;
  template <typename... T> MatmulOpReceiver(bool, uint32_t &, T...);
  template <typename... T> void update_current_block_start_tile_id(T &&...);
  template <typename... T> void align_to_slice_and_sync(T &&...);
};
struct OpSignaler {
  OpSignaler() = default;
  OpSignaler(uint32_t &);
  void synchronize_workers_and_signal_op(uint32_t);
};
""",
}


@cache
def _unused_headers() -> Path:
    """A folder with them, at the paths at which they are included."""
    folder = Path(tempfile.mkdtemp(prefix="ttl-bench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, text in _UNUSED.items():
        path = folder / "ttnn" / "operations" / name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    # Some are included relative to a kernel six folders below.
    (folder / "ttnn" / "operations" / "a/b/c/d/e/f").mkdir(parents=True)
    return folder


def tensor(values: Any, **options: Any) -> Tensor:
    """A tiled bfloat16 tensor."""
    import ttnn

    made: Tensor = ttnn.Tensor(
        np.ascontiguousarray(values, np.float32), BFLOAT16, layout=ttnn.TILE_LAYOUT, **options
    )
    return made


@dataclass(kw_only=True)
class Parts:
    """A program being put together."""

    chip: Chip
    kernels: list[Kernel] = field(default_factory=list)
    buffers: list[CircularBuffer] = field(default_factory=list)
    semaphores: list[Semaphore] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.memory = memory_of(self.chip)

    def place(self, values: Any) -> Placed:
        """A tensor in DRAM."""
        return self.memory.place(tensor(values))

    def buffer(self, index: int, pages: int, cores: Sequence[Core], *, dtype: str = "bfloat16") -> None:
        """A circular buffer of tiles."""
        page_bytes = 2 * _TILE if dtype == "float32" else _TILE
        self.buffers.append(
            CircularBuffer(index=index, pages=pages, page_bytes=page_bytes, dtype=dtype, cores=tuple(cores))
        )

    def kernel(self, name: str, path: str, processor: Any, cores: Sequence[Core], **options: Any) -> None:
        """A kernel of the wheel."""
        folder, unused = wheel() / _OPERATIONS / Path(path).parent, _unused_headers()
        self.kernels.append(
            Kernel(
                name=name,
                source=source(path),
                processor=processor,
                cores=tuple(cores),
                include=(
                    str(folder),
                    str(wheel() / "ttnn" / "cpp"),
                    *([str(helpers() / "ttnn" / "cpp")] if "layernorm" in path else []),
                    str(unused),
                    str(unused / "ttnn" / "operations" / "a/b/c/d/e/f"),
                ),
                leaves_atomics=True,
                noc=options.pop("noc", 1 if processor == "brisc" else 0),
                **options,
            )
        )

    def run(self, *, recorded: bool = True) -> Run:
        """Run it."""
        program = Program(
            generation=GENERATION,
            kernels=tuple(self.kernels),
            circular_buffers=tuple(self.buffers),
            semaphores=tuple(self.semaphores),
        )
        return run_program(program, self.memory, recorded=recorded)
