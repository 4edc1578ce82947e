"""What is pushed into circular buffers, for whoever watches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from emu.harness import tensor_of
from ttl.emu import ChipKernel, CircularBuffer, Program, memory_of, run_program, runtime
from ttl.emu.memory import ChipMemory

_READ = """#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto from = TensorAccessor(args, get_common_arg_val<uint32_t>(0));
    for (uint32_t page = 0; page < 6; page += 2) {
        for (uint32_t cb = 0; cb < 2; ++cb) {
            cb_reserve_back(cb, 2);
            noc_async_read_page(page, from, get_write_ptr(cb));
            noc_async_read_page(page + 1, from, get_write_ptr(cb) + 2048);
            noc_async_read_barrier();
            cb_push_back(cb, 2);
            cb_wait_front(cb, 2);
            noc_async_write(get_read_ptr(cb), get_noc_addr(20, 18, 0x100000), 2048);
            noc_async_write_barrier();
            cb_pop_front(cb, 2);
        }
    }
}
"""


def _program() -> tuple[Program, ChipMemory]:
    """Two tiles at a time of a tensor of 0, 1, 2 ... 5, through buffers of four."""
    memory = memory_of()
    tiles = tensor_of(
        np.repeat(np.arange(6, dtype=np.float32), 32).reshape(1, 192) * np.ones((32, 1), np.float32)
    )
    placed = memory.place(tiles)
    cores = ((0, 0), (3, 1))
    kernel = ChipKernel(
        name="read", source=_READ, processor="ncrisc", cores=cores, compile_time_args=placed.accessor,
        common_args=(placed.address,),
    )  # fmt: skip
    buffers = tuple(
        CircularBuffer(index=index, pages=4, page_bytes=2048, dtype="bfloat16", cores=cores)
        for index in range(2)
    )
    return Program(generation="0.81", kernels=(kernel,), circular_buffers=buffers), memory


class _Notes:
    """Looks at buffer 1."""

    def __init__(self) -> None:
        self.seen: dict[int, list[tuple[int, int, list[float]]]] = {}
        self.calls = 0

    def watched(self, program: Program) -> list[int]:
        """One of two."""
        return [1]

    def pushed(self, pushes: Any, pages: bytes) -> None:
        """By core: how many pages were pushed before, which buffer, the values of the pages."""
        self.calls += 1
        for core, buffer, first, offset, count, _ in pushes.tolist():
            words = np.frombuffer(pages, np.uint16, count * 1024, offset).astype(np.uint32) << 16
            values = words.view(np.float32).reshape(count, 1024)
            assert (values == values[:, :1]).all()
            self.seen.setdefault(core, []).append((first, buffer, values[:, 0].tolist()))


@pytest.mark.parametrize(("at_once", "calls"), [(1 << 20, 1), (1, 6), (5000, 3)])
def test_pages_are_those_of_the_push(at_once: int, calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much is handed over at once: the third push lies where the first one lay."""
    monkeypatch.setattr(runtime, "_AT_ONCE", at_once)
    notes = _Notes()
    run_program(*_program(), watcher=notes)
    expected = [(0, 1, [0.0, 1.0]), (2, 1, [2.0, 3.0]), (4, 1, [4.0, 5.0])]
    assert notes.seen == {0: expected, 8 + 3: expected}
    assert notes.calls == calls


def test_a_watcher_that_fails_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fails(_Notes):
        def pushed(self, pushes: Any, pages: bytes) -> None:
            raise ValueError("seen enough")

    for at_once in (1, 1 << 20):
        monkeypatch.setattr(runtime, "_AT_ONCE", at_once)
        with pytest.raises(ValueError, match="seen enough"):
            run_program(*_program(), watcher=Fails())
    run_program(*_program())
