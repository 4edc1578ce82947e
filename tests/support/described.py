"""Descriptions of programs, written by hand: what the tests of host code work on."""

from __future__ import annotations

from textwrap import dedent

from ttl.codegen.description import (
    CircularBufferDescription,
    ComputeConfig,
    KernelDescription,
    OperandDescription,
    ProgramDescription,
    SemaphoreDescription,
)
from ttl.codegen.entries import from_text

READ = dedent(
    """\
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr uint32_t a_dfb = 0;
        constexpr auto a_args = TensorAccessorArgs<0>();
        const auto a = TensorAccessor(a_args, get_common_arg_val<uint32_t>(0), 2048);
        cb_reserve_back(a_dfb, 1);
        noc_async_read_page(0, a, get_write_ptr(a_dfb));
        noc_async_read_barrier();
        cb_push_back(a_dfb, 1);
    }
    """
)
WRITE = dedent(
    """\
    #include "api/dataflow/dataflow_api.h"

    void kernel_main() {
        constexpr uint32_t y_dfb = 1;
        constexpr auto y_args = TensorAccessorArgs<0>();
        const auto y = TensorAccessor(y_args, get_common_arg_val<uint32_t>(0), 2048);
        cb_wait_front(y_dfb, 1);
        noc_async_write_page(0, y, get_read_ptr(y_dfb));
        noc_async_write_barrier();
        cb_pop_front(y_dfb, 1);
    }
    """
)
COMPUTE = dedent(
    """\
    #include "api/compute/tile_move_copy.h"

    void kernel_main() {
        copy_tile_init(0);
        cb_wait_front(0, 1);
        cb_reserve_back(1, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 1);
        tile_regs_release();
        cb_push_back(1, 1);
        cb_pop_front(0, 1);
    }
    """
)


def copying(generation: str = "0.81") -> ProgramDescription:
    """A tile through all three kernels, with one of everything that a description can have."""
    return ProgramDescription(
        name="copying",
        generation=generation,
        chip="wormhole",
        grid=(2, 3),
        tensors=(tensor("a", 0), tensor("y", 1, memory="l1", accessor=(0, 2048))),
        kernels=(
            KernelDescription(
                name="read", file="read.cpp", source=READ, thread="noc", processor="ncrisc", noc=0,
                compile_time_args=(2, 2048), accessors=("a",),
                common_args=from_text(("address(a)", "noc_x(0)", "noc_x(1)", "noc_y(2)")), defines=(("DEBUG", "1"),),
            ),
            KernelDescription(
                name="compute", file="compute.cpp", source=COMPUTE, thread="tensix",
                config=ComputeConfig(math_fidelity="HiFi2", fp32_dest_acc_en=True, unpack_to_dest_fp32=("sum_dfb",)),
            ),
            KernelDescription(
                name="write", file="write.cpp", source=WRITE, thread="noc", processor="brisc", noc=1,
                compile_time_args=(0, 2048), common_args=from_text(("address(y)",)), accessors=("y",),
            ),
        ),
        circular_buffers=(
            CircularBufferDescription(name="a_dfb", index=0, pages=2, page_bytes=2048, dtype="bfloat16"),
            CircularBufferDescription(name="y_dfb", index=1, pages=4, page_bytes=2048, dtype="bfloat16"),
            CircularBufferDescription(
                name="sum_dfb", index=2, pages=4, page_bytes=4096, dtype="float32", made_by="compiler", why="a sum",
            ),
            CircularBufferDescription(
                name="half_dfb", index=3, pages=8, page_bytes=2048, dtype="uint16", made_by="compiler",
                shares="sum_dfb",
            ),
        ),
        semaphores=(SemaphoreDescription(name="ready", id=0), SemaphoreDescription(name="valid", id=1, initial=3)),
    )  # fmt: skip


def tensor(
    name: str, index: int, *, memory: str = "dram", accessor: tuple[int, ...] = (2, 2048)
) -> OperandDescription:
    """A tensor of four tiles of bfloat16."""
    return OperandDescription(
        name=name, index=index, shape=(64, 64), dtype="bfloat16", layout="tile", memory=memory,  # type: ignore[arg-type]
        memory_layout="interleaved", page_bytes=2048, accessor=accessor,
    )  # fmt: skip
