"""Programs of one node: read whole tensors into circular buffers, compute with the given C++, write what comes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import ttnn

from ttl.emu import CircularBuffer, Kernel, Program, Run, memory_of, run_program
from ttl.emu.memory import ChipMemory
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import DTYPES
from ttl.rows.row import Generation

GENERATIONS: tuple[Generation, ...] = ("0.69", "0.81")
OUT = 16
_TILE_BYTES = {dtype.name: dtype.tile_bytes for dtype in DTYPES}
_INCLUDES = {
    "0.69": ("compute_kernel_api", "cb_api", "matmul", "reduce", "bcast", "tile_move_copy", "eltwise_binary", "transpose_wh"),
    "0.81": ("compute_kernel_api", "cb_api", "matmul", "reduce", "bcast", "tile_move_copy", "eltwise_binary", "transpose"),
}  # fmt: skip

Values = npt.NDArray[Any]


def tensor_of(values: Values, dtype: str = "bfloat16", **options: Any) -> Tensor:
    """A tiled tensor with these values."""
    options.setdefault("layout", ttnn.TILE_LAYOUT)
    made: Tensor = ttnn.Tensor(np.ascontiguousarray(values), getattr(ttnn, dtype), **options)
    return made


def values_of(tensor: Tensor) -> Values:
    """What is in a tensor, as float32 or int64."""
    from ttl.host.access import array_of

    return tensor.dtype.load(array_of(tensor))


def compute(
    generation: Generation,
    body: str,
    inputs: Sequence[Values],
    out_shape: tuple[int, int] = (32, 32),
    dtype: str = "bfloat16",
    *,
    dtypes: Sequence[str] = (),
    out_dtype: str | None = None,
    scratch: Sequence[int] = (),
    unpack_to_dst: bool = False,
    **options: Any,
) -> Values:
    """What ``body``, the inside of a compute kernel, makes of inputs that are in buffers 0, 1, 2 ..., in buffer 16.

    ``scratch``: further buffers of the compute kernel's own, by index, of as many tiles as the output.
    """
    given = [dtype] * len(inputs) if not dtypes else list(dtypes)
    out_dtype = out_dtype or dtype
    tensors = [tensor_of(values, name) for values, name in zip(inputs, given, strict=True)]
    zeros = np.zeros(out_shape, np.float32 if out_dtype.startswith(("b", "f")) else np.int32)
    out = tensor_of(zeros, out_dtype)
    memory = memory_of()
    placed = [memory.place(each) for each in (*tensors, out)]
    core = ((0, 0),)
    tiles = [len(each.pages) for each in placed]
    buffers = [
        CircularBuffer(
            index=index, pages=tiles[index], page_bytes=_TILE_BYTES[name], dtype=name, cores=core,
            unpack_to_dst=unpack_to_dst,
        )
        for index, name in enumerate(given)
    ]  # fmt: skip
    buffers += [
        CircularBuffer(
            index=index, pages=tiles[-1], page_bytes=_TILE_BYTES[out_dtype], dtype=out_dtype, cores=core
        )
        for index in (*scratch, OUT)
    ]
    includes = "".join(f'#include "api/compute/{name}.h"\n' for name in _INCLUDES[generation])
    unary = "".join(
        f'#include "api/compute/eltwise_unary/{name}.h"\n' for name in ("eltwise_unary", "fill", "where")
    )
    program = Program(
        generation=generation,
        kernels=(
            Kernel(
                name="read", source=_reader(memory, tiles[:-1]), processor="ncrisc", cores=core, noc=0,
                compile_time_args=tuple(word for each in placed[:-1] for word in each.accessor),
                common_args=tuple(each.address for each in placed[:-1]),
            ),
            Kernel(
                name="compute", source=f"{includes}{unary}void kernel_main() {{\n{body}\n}}\n", processor="compute",
                cores=core, **options,
            ),
            Kernel(
                name="write", source=_writer(tiles[-1]), processor="brisc", cores=core, noc=1,
                compile_time_args=placed[-1].accessor, common_args=(placed[-1].address,),
            ),
        ),
        circular_buffers=tuple(buffers),
    )  # fmt: skip
    run_program(program, memory)
    return values_of(out)


def move(body: str, memory: ChipMemory, pages: int = 4, **options: Any) -> Run:
    """Run ``body`` as the only kernel of node (0, 0), with a buffer 0 of bfloat16 tiles."""
    core = ((0, 0),)
    return run_program(
        Program(
            generation="0.81",
            kernels=(
                Kernel(
                    name="mover", source=f'#include "api/dataflow/dataflow_api.h"\nvoid kernel_main() {{\n{body}\n}}\n',
                    processor="ncrisc", cores=core, **options,
                ),
            ),
            circular_buffers=(CircularBuffer(index=0, pages=pages, page_bytes=2048, dtype="bfloat16", cores=core),),
        ),
        memory,
    )  # fmt: skip


def _reader(memory: ChipMemory, tiles: Sequence[int]) -> str:
    lines = ['#include "api/dataflow/dataflow_api.h"', "void kernel_main() {"]
    for index, count in enumerate(tiles):
        lines.append(
            f"{{ constexpr auto args = TensorAccessorArgs<{2 * index}>();\n"
            f"const auto from = TensorAccessor(args, get_common_arg_val<uint32_t>({index}), get_tile_size({index}));\n"
            f"cb_reserve_back({index}, {count});\n"
            f"for (uint32_t i = 0; i < {count}; ++i)\n"
            f"  noc_async_read_page(i, from, get_write_ptr({index}) + i * get_tile_size({index}));\n"
            f"noc_async_read_barrier();\ncb_push_back({index}, {count}); }}"
        )
    return "\n".join([*lines, "}\n"])


def _writer(count: int) -> str:
    return f"""#include "api/dataflow/dataflow_api.h"
void kernel_main() {{
  constexpr auto args = TensorAccessorArgs<0>();
  const auto to = TensorAccessor(args, get_common_arg_val<uint32_t>(0), get_tile_size({OUT}));
  cb_wait_front({OUT}, {count});
  for (uint32_t i = 0; i < {count}; ++i)
    noc_async_write_page(i, to, get_read_ptr({OUT}) + i * get_tile_size({OUT}));
  noc_async_write_barrier();
  cb_pop_front({OUT}, {count});
}}
"""
