"""Kernels of TT-NN's operations, as the published wheels have them, on the emulated chip: results as NumPy's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ttnn

from emu.harness import GENERATIONS, Values, tensor_of, values_of
from support.kernel_headers import headers
from ttl.emu import CircularBuffer, Kernel, Program, memory_of, rectangle, run_program
from ttl.emu.memory import Placed
from ttl.rows.dtypes import BFLOAT16
from ttl.rows.row import Generation
from ttl.settings import override

pytestmark = pytest.mark.headers
BINARY, UNARY = "eltwise/binary/device/kernels", "eltwise/unary/device/kernels"
MATMUL, REDUCE = "matmul/device/kernels", "reduction/generic/device/kernels"
TRANSPOSE = "data_movement/transpose/device/kernels"
CORES = rectangle(2, 2)
SEEDS = (None, 5)
both = pytest.mark.parametrize("generation", GENERATIONS)


def bf16(values: Values) -> Values:
    return BFLOAT16.load(BFLOAT16.store(values))


def given(*shape: int) -> Values:
    return bf16(np.random.default_rng(5).uniform(-2, 2, shape).astype(np.float32))


class Parts:
    """A program being put together on four nodes."""

    def __init__(self, generation: Generation, *values: Values, rows: Sequence[int] = ()) -> None:
        """``rows``: which of the tensors are in memory row by row."""
        self.generation = generation
        self.memory = memory_of()
        layouts = [ttnn.ROW_MAJOR_LAYOUT if at in rows else ttnn.TILE_LAYOUT for at in range(len(values))]
        self.tensors = [
            self.memory.place(tensor_of(each, layout=layout))
            for each, layout in zip(values, layouts, strict=True)
        ]
        self.kernels: list[Kernel] = []
        root = headers(generation)
        self.operations = root / "ttnn" / "cpp" / "ttnn" / "operations"
        self.include = (str(root), str(root / "ttnn" / "cpp"), str(Path(__file__).parent / "include"))

    def kernel(self, path: str, processor: Any, **options: Any) -> None:
        source = self.operations / path
        self.kernels.append(
            Kernel(
                name=Path(path).stem,
                source=source.read_text(encoding="utf-8"),
                processor=processor,
                cores=options.pop("cores", CORES),
                noc=1 if processor == "brisc" else 0,
                include=(str(source.parent), *self.include),
                **options,
            )
        )

    def writer(self, out: Placed, index: int, shares: Mapping[Any, tuple[int, int]], **options: Any) -> None:
        """The writer that most operations share."""
        self.kernel(
            f"{UNARY}/dataflow/writer_unary_interleaved_start_id.cpp", "brisc",
            compile_time_args=(index, *out.accessor),
            args={core: (out.address, count, first) for core, (first, count) in shares.items()}, **options,
        )  # fmt: skip

    def run(self, buffers: Sequence[int], pages: int = 2) -> Values:
        """What is in the last tensor afterwards, in every schedule."""
        program = Program(
            generation=self.generation,
            kernels=tuple(self.kernels),
            circular_buffers=tuple(
                CircularBuffer(index=index, pages=pages, page_bytes=2048, dtype="bfloat16", cores=CORES)
                for index in buffers
            ),
        )
        found = []
        for seed in SEEDS:
            with override(emu_seed=seed):
                run_program(program, self.memory)
            found.append(values_of(self.tensors[-1].tensor))
        for other in found[1:]:
            np.testing.assert_array_equal(found[0], other)
        return found[0]


TRANSPOSED = """#include "experimental/kernel_args.h"
namespace args {
constexpr experimental::RtaArg<uint32_t> num_tiles{0}, start_id{4}, start_ht{8}, start_wt{12}, Ht{16}, Wt{20}, HtWt{24};
}
namespace dfb {
constexpr uint32_t in0 = 0;
}
namespace tensor {
constexpr tensor_accessor::TensorBindingToken<0, 0> src{};
}
"""
REDUCE_READER = """#include "experimental/kernel_args.h"
namespace args {
constexpr experimental::RtaArg<uint32_t> num_tiles{0}, start_id{4}, scaler_bits{8};
constexpr experimental::CtaVal<uint32_t> tiles_per_batch{1};
}
namespace dfb {
constexpr uint32_t in0 = 0, scaler = 2;
}
namespace tensor {
constexpr tensor_accessor::TensorBindingToken<0, 0> src{};
}
"""
REDUCE_COMPUTE = """#include "experimental/kernel_args.h"
namespace args {
constexpr experimental::RtaArg<uint32_t> Ht{0}, Wt{4}, NC{8};
constexpr experimental::CtaVal<uint32_t> enable_fp32_sfpu{0};
}
namespace dfb {
constexpr uint32_t in0 = 0, scaler = 2, out = 3;
}
"""
SUM = {"REDUCE_OP": "PoolType::SUM", "REDUCE_DIM": "ReduceDim::REDUCE_ROW"}


def shares(tiles: int) -> dict[Any, tuple[int, int]]:
    each = tiles // len(CORES)
    return {core: (number * each, each) for number, core in enumerate(CORES)}


@both
@pytest.mark.parametrize("name", ["add", "sub", "mul"])
def test_two_tensors_are_combined(generation: Generation, name: str) -> None:
    a, b = given(64, 128), given(64, 128)[::-1].copy()
    parts = Parts(generation, a, b, 0 * a)
    left, right, out = parts.tensors
    split = shares(8)
    parts.kernel(
        f"{BINARY}/dataflow/reader_binary_interleaved_start_id.cpp", "ncrisc",
        compile_time_args=(0, *left.accessor, *right.accessor),
        args={core: (left.address, right.address, count, first, 0, 0, 0) for core, (first, count) in split.items()},
    )  # fmt: skip
    parts.kernel(
        f"{BINARY}/compute/eltwise_binary_kernel.cpp", "compute",
        defines={"ELTWISE_OP": f"{name}_tiles", "ELTWISE_OP_TYPE": f"EltwiseBinaryType::ELW{name.upper()}"},
        args={core: (count, 1) for core, (_, count) in split.items()},
    )  # fmt: skip
    parts.writer(out, 2, split)
    expected = {"add": a + b, "sub": a - b, "mul": a * b}[name]
    np.testing.assert_array_equal(parts.run((0, 1, 2)), bf16(expected))


@both
@pytest.mark.parametrize("name", ["exp", "relu"])
def test_a_function_of_a_tensor(generation: Generation, name: str) -> None:
    a = given(64, 128)
    parts = Parts(generation, a, 0 * a)
    source, out = parts.tensors
    split = shares(8)
    parts.kernel(
        f"{UNARY}/dataflow/reader_unary_interleaved_start_id.cpp", "ncrisc", compile_time_args=source.accessor,
        args={core: (source.address, count, first) for core, (first, count) in split.items()},
    )  # fmt: skip
    family = {"exp": "SFPU_OP_EXP_INCLUDE", "relu": "SFPU_OP_RELU_FAMILY_INCLUDE"}[name]
    parts.kernel(
        f"{UNARY}/compute/eltwise_sfpu.cpp", "compute", compile_time_args=(2, 1),
        defines={"SFPU_OP_CHAIN_0": f"{name}_tile_init(); {name}_tile(0);", family: "1"},
        args={core: (count,) for core, (_, count) in split.items()},
    )  # fmt: skip
    parts.writer(out, 2, split)
    expected = np.exp(a) if name == "exp" else np.maximum(a, 0)
    np.testing.assert_allclose(parts.run((0, 2)), expected, rtol=2**-7)


@both
def test_a_product_of_matrices(generation: Generation) -> None:
    m, k, n = 64, 96, 64
    a, b = given(m, k), given(k, n)
    parts = Parts(generation, a, b, np.zeros((m, n), np.float32))
    left, right, out = parts.tensors
    mt, kt, nt = m // 32, k // 32, n // 32
    names = {"cb_in0": 0, "cb_in1": 1, "cb_out": 16}
    split = shares(mt * nt)
    parts.kernel(
        f"{MATMUL}/dataflow/reader_bmm_8bank_output_tiles_partitioned.cpp", "ncrisc",
        compile_time_args=(0, 0, *left.accessor, *right.accessor), named_args=names,
        args={
            core: (left.address, right.address, mt, kt, nt, mt * kt, kt * nt, 1, 1, first, count, mt * nt)
            for core, (first, count) in split.items()
        },
    )  # fmt: skip
    parts.kernel(
        f"{MATMUL}/compute/bmm.cpp", "compute", compile_time_args=(1, 1, kt, mt * nt // len(CORES)),
        named_args=names, fp32_dst=True,
    )  # fmt: skip
    parts.writer(out, 16, split, named_args=names)
    np.testing.assert_allclose(parts.run((0, 1, 16)), a @ b, rtol=2**-7, atol=0.02)


def test_rows_are_summed() -> None:
    a = given(128, 96)
    parts = Parts("0.69", a, np.zeros((128, 32), np.float32))
    source, out = parts.tensors
    rows = shares(4)
    one = int(np.float32(1).view(np.uint32)) >> 16
    parts.kernel(
        f"{REDUCE}/dataflow/reader_unary_reduce_universal_start_id.cpp", "ncrisc", defines=SUM,
        compile_time_args=(one << 16 | one, *source.accessor),
        args={core: (source.address, 3 * count, 3 * first) for core, (first, count) in rows.items()},
    )  # fmt: skip
    parts.kernel(
        f"{REDUCE}/compute/reduce_w.cpp", "compute", defines=SUM, compile_time_args=(1, 3, 1), fp32_dst=True
    )
    parts.writer(out, 3, rows)
    # Their kernel carries the running sum through a source register, where it is cut to bfloat16 (test_registers.py).
    with override(emu_rounding="exact"):
        found = parts.run((0, 2, 3))[:, 0]
    np.testing.assert_allclose(found, a.sum(axis=1), rtol=2**-7, atol=0.02)


def test_rows_are_summed_by_the_library_of_kernels() -> None:
    """In 0.81 arguments and tensors have names, which the host puts before the kernel."""
    a = given(128, 96)
    parts = Parts("0.81", a, np.zeros((128, 32), np.float32))
    source, out = parts.tensors
    rows = shares(4)
    one = int(np.float32(1).view(np.uint32))
    parts.kernel(
        f"{REDUCE}/dataflow/reader_unary_reduce_universal_start_id.cpp", "ncrisc", defines=SUM,
        bindings=REDUCE_READER, compile_time_args=source.accessor, common_args=(source.address,),
        args={core: (3 * count, 3 * first, one) for core, (first, count) in rows.items()},
    )  # fmt: skip
    parts.kernel(
        f"{REDUCE}/compute/reduce.cpp", "compute", defines=SUM, bindings=REDUCE_COMPUTE,
        args=dict.fromkeys(rows, (1, 3, 1)), fp32_dst=True,
    )  # fmt: skip
    parts.writer(out, 3, rows)
    np.testing.assert_allclose(parts.run((0, 2, 3))[:, 0], a.sum(axis=1), rtol=2**-7, atol=0.02)


@both
def test_a_matrix_is_transposed(generation: Generation) -> None:
    """In 0.81 arguments and tensors have names, which the host puts before the kernel."""
    a = given(64, 128)
    parts = Parts(generation, a, np.zeros((128, 64), np.float32))
    source, out = parts.tensors
    ht, wt = 2, 4
    split = shares(ht * wt)
    named: dict[str, Any] = {"bindings": TRANSPOSED, "common_args": (source.address,)}
    first_args = () if generation == "0.81" else (source.address,)
    args = {
        core: (*first_args, count, first % ht * wt + first // ht, first % ht, first // ht, ht, wt, ht * wt)
        for core, (first, count) in split.items()
    }
    parts.kernel(
        f"{TRANSPOSE}/dataflow/reader_unary_transpose_wh_interleaved_start_id.cpp", "ncrisc",
        compile_time_args=source.accessor, args=args, **(named if generation == "0.81" else {}),
    )  # fmt: skip
    parts.kernel(
        f"{TRANSPOSE}/compute/transpose_wh.cpp", "compute",
        args={core: (count,) for core, (_, count) in split.items()},
    )  # fmt: skip
    parts.writer(out, 16, split)
    np.testing.assert_array_equal(parts.run((0, 16)), a.T)
