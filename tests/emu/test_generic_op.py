"""``ttnn.generic_op`` of the library that stands in for TT-NN: programs of C++ kernels, on the emulated chip (002, section 9)."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import ttnn

import ttl
import ttl.emu.target
from support.example_runs import run_example
from support.programs import run_ttl
from ttl.codegen.project import project_files
from ttl.diag import ProgramError
from ttl.host.access import array_of

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
TEN = (
    "block_sparse_matmul",
    "layernorm",
    "matmul_multicast",
    "matmul_ragged",
    "ring_all_gather",
    "row_major_copy",
    "semaphores_pingpong",
    "sharded_eltwise",
    "spec_gather",
    "tutorial_2_blocks",
)


def written(folder: Path) -> Any:
    """The module ``run.py`` of a folder that ``ttl compile --emit project`` wrote."""
    spec = importlib.util.spec_from_file_location("written", folder / "run.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("example", TEN)
def test_002_9_the_written_script_gives_what_the_operation_gives(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``run.py`` as it stands, on tensors like those of each launch of the example: bit by bit the same afterwards."""
    launched: Callable[..., Any] = ttl.emu.target.launched
    compared: list[str] = []

    def both(description: Any, tensors: Any, *others: Any) -> Any:
        device = ttnn.open_device(device_id=0)
        # A tensor that is two operands is one tensor in the script, too.
        copies = {
            id(each): ttnn.to_device(ttnn.clone(each), device, memory_config=each.memory_config())
            for each in tensors
        }
        result = launched(description, tensors, *others)
        folder = tmp_path / str(len(compared))
        for name, text in project_files(description).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        written(folder).run(*(copies[id(tensors[each.index])] for each in description.tensors))
        for each in description.tensors:
            tensor = tensors[each.index]
            np.testing.assert_array_equal(array_of(copies[id(tensor)]), array_of(tensor))
        compared.append(description.name)
        return result

    monkeypatch.setattr(ttl.emu.target, "launched", both)
    run_example(str(EXAMPLES / f"{example}.py"), {"target": "emu"})
    assert compared


# --- kernels that were written by hand ---------------------------------------------------------------------------------

READ = """
#include "api/dataflow/dataflow_api.h"

// Two tensors, from one page of each on: so many pages.
void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(0), count = get_arg_val<uint32_t>(1);
    constexpr auto a_args = TensorAccessorArgs<0>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(a_args, get_common_arg_val<uint32_t>(0), get_tile_size(0));
    const auto b = TensorAccessor(b_args, get_common_arg_val<uint32_t>(1), get_tile_size(1));
    for (uint32_t page = first; page < first + count; ++page) {
        cb_reserve_back(0, 1);
        cb_reserve_back(1, 1);
        noc_async_read_page(page, a, get_write_ptr(0));
        noc_async_read_page(page, b, get_write_ptr(1));
        noc_async_read_barrier();
        cb_push_back(0, 1);
        cb_push_back(1, 1);
    }
}
"""
ADD = """
#include "api/compute/eltwise_binary.h"

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    STARTED(0, 1, 16);
    INIT(0, 1);
    for (uint32_t tile = 0; tile < count; ++tile) {
        cb_wait_front(0, 1);
        cb_wait_front(1, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        APPLY(0, 1, 0, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
        cb_pop_front(1, 1);
    }
}
"""
WRITE = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(0), count = get_arg_val<uint32_t>(1);
    constexpr auto args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(args, get_common_arg_val<uint32_t>(0), get_tile_size(16));
    for (uint32_t page = first; page < first + count; ++page) {
        cb_wait_front(16, 1);
        noc_async_write_page(page, out, get_read_ptr(16));
        noc_async_write_barrier();
        cb_pop_front(16, 1);
    }
}
"""
# What the two generations of the kernel API call the same.
NAMES = {
    "0.81": {"STARTED": "compute_kernel_hw_startup", "INIT": "add_init", "APPLY": "add_tiles"},
    "0.69": {"STARTED": "binary_op_init_common", "INIT": "add_tiles_init", "APPLY": "add_tiles"},
}
INLINE = ttnn.KernelDescriptor.SourceType.SOURCE_CODE


def cores(x: int, y: int, columns: int = 1, rows: int = 1) -> Any:
    corner = ttnn.CoreCoord(x + columns - 1, y + rows - 1)
    return ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(x, y), corner)])


def buffer(index: int, where: Any, pages: int = 2, dtype: Any = ttnn.bfloat16, page: int = 2048) -> Any:
    formats = [ttnn.CBFormatDescriptor(index, dtype, page)]
    return ttnn.CBDescriptor(total_size=pages * page, core_ranges=where, format_descriptors=formats)


def words(tensor: Any) -> list[int]:
    result: list[int] = ttnn.TensorAccessorArgs(tensor).get_compile_time_args()
    return result


def on_device(values: torch.Tensor, device: Any, **options: Any) -> Any:
    return ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device, **options)


@pytest.fixture
def device() -> Iterator[Any]:
    with ttnn.manage_device(device_id=0) as opened:
        yield opened


def added(a: Any, b: Any, out: Any, generation: str = "0.81", **changed: Any) -> Any:
    """The program of 002, section 9: a reader, a compute kernel and a writer on two by two cores, four tiles for each."""
    grid = cores(0, 0, 2, 2)
    split = ttnn.RuntimeArgs()
    for x in range(2):
        for y in range(2):
            split[x][y] = [8 * y + 4 * x, 4]
    kernel = {"source_type": INLINE, "core_ranges": grid}
    read = ttnn.KernelDescriptor(
        kernel_source=READ, **kernel, compile_time_args=[*words(a), *words(b)], runtime_args=split,
        common_runtime_args=[a.buffer_address(), b.buffer_address()], config=ttnn.ReaderConfigDescriptor(),
    )  # fmt: skip
    compute = ttnn.KernelDescriptor(
        kernel_source=ADD, **kernel, runtime_args=[(core, [4]) for core in ttnn.corerange_to_cores(grid)],
        defines=list(NAMES[generation].items()), config=ttnn.ComputeConfigDescriptor(),
    )  # fmt: skip
    write = ttnn.KernelDescriptor(
        kernel_source=WRITE, **kernel, compile_time_args=words(out), runtime_args=split,
        common_runtime_args=[out.buffer_address()], config=ttnn.WriterConfigDescriptor(),
    )  # fmt: skip
    parts = {
        "kernels": [read, compute, write],
        "cbs": [buffer(index, grid) for index in (0, 1, 16)],
        **changed,
    }
    return ttnn.ProgramDescriptor(**parts)


def operands(device: Any, **options: Any) -> tuple[Any, Any, Any]:
    generator = torch.Generator().manual_seed(3)
    a, b = (torch.randint(-64, 64, (128, 128), generator=generator).float() for _ in range(2))
    return (
        on_device(a, device, **options),
        on_device(b, device, **options),
        on_device(0 * a, device, **options),
    )


@pytest.mark.parametrize("generation", NAMES)
@pytest.mark.parametrize("memory", [ttnn.DRAM_MEMORY_CONFIG, ttnn.L1_MEMORY_CONFIG], ids=["dram", "l1"])
def test_002_9_reader_compute_and_writer_by_hand(generation: str, memory: Any, device: Any) -> None:
    """Kernels of both generations of the kernel API: what does not compile as the newer one is one of the older."""
    a, b, out = operands(device, memory_config=memory)
    result = ttnn.generic_op([a, b, out], added(a, b, out, generation))
    assert result is out
    assert torch.equal(ttnn.to_torch(out), ttnn.to_torch(a) + ttnn.to_torch(b))


def test_002_9_the_kernels_are_files_with_headers_beside_them(device: Any, tmp_path: Path) -> None:
    a, b, out = operands(device)
    program = added(a, b, out)
    (tmp_path / "sum.h").write_text(ADD.replace("void kernel_main()", "inline void all()"), encoding="utf-8")
    (tmp_path / "add.cpp").write_text('#include "sum.h"\nvoid kernel_main() { all(); }\n', encoding="utf-8")
    read, compute, write_ = program.kernels
    compute.source_type, compute.kernel_source = (
        ttnn.KernelDescriptor.SourceType.FILE_PATH,
        str(tmp_path / "add.cpp"),
    )
    ttnn.generic_op([a, b, out], ttnn.ProgramDescriptor([read, compute, write_], [], program.cbs))
    assert torch.equal(ttnn.to_torch(out), ttnn.to_torch(a) + ttnn.to_torch(b))


SEND = """
#include "api/dataflow/dataflow_api.h"

// One tile, read once and sent to every node of a row.
void kernel_main() {
    constexpr uint32_t count = get_named_compile_time_arg_val("count");
    constexpr auto args = TensorAccessorArgs<0>();
    const auto from = TensorAccessor(args, get_common_arg_val<uint32_t>(0), get_tile_size(0));
    const uint32_t left = get_arg_val<uint32_t>(0), right = get_arg_val<uint32_t>(1), y = get_arg_val<uint32_t>(2);
    volatile tt_l1_ptr uint32_t* ready = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    volatile tt_l1_ptr uint32_t* sent = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    cb_reserve_back(0, 1);
    const uint32_t tile = get_write_ptr(0);
    noc_async_read_page(0, from, tile);
    noc_async_read_barrier();
    noc_semaphore_wait(ready, count);
    noc_async_write_multicast(tile, get_noc_multicast_addr(left, y, right, y, tile), get_tile_size(0), count);
    noc_semaphore_set(sent, 1);
    noc_semaphore_set_multicast(get_semaphore(1), get_noc_multicast_addr(left, y, right, y, get_semaphore(1)), count);
    noc_async_write_barrier();
    cb_push_back(0, 1);
}
"""
RECEIVE = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t x = get_common_arg_val<uint32_t>(0), y = get_common_arg_val<uint32_t>(1);
    volatile tt_l1_ptr uint32_t* sent = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    cb_reserve_back(0, 1);
    noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(0)), 1);
    noc_async_atomic_barrier();
    WAIT(sent, 1);
    cb_push_back(0, 1);
}
"""
STORE = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(args, get_common_arg_val<uint32_t>(0), get_tile_size(0));
    cb_wait_front(0, 1);
    noc_async_write_page(get_arg_val<uint32_t>(0), out, get_read_ptr(0));
    noc_async_write_barrier();
    cb_pop_front(0, 1);
}
"""


def sent(a: Any, out: Any, device: Any, wait: str = "noc_semaphore_wait") -> Any:
    """Core (0, 0) sends the tile of ``a`` to cores (1, 0) to (3, 0); all four write it."""
    row, others = cores(0, 0, 4), cores(1, 0, 3)
    places = [device.worker_core_from_logical_core(ttnn.CoreCoord(x, 0)) for x in range(4)]
    send = ttnn.KernelDescriptor(
        kernel_source=SEND, source_type=INLINE, core_ranges=cores(0, 0), compile_time_args=words(a),
        named_compile_time_args=[("count", 3)], common_runtime_args=[a.buffer_address()],
        runtime_args=[(ttnn.CoreCoord(0, 0), [places[1].x, places[3].x, places[0].y])], config=ttnn.ReaderConfigDescriptor(),
    )  # fmt: skip
    receive = ttnn.KernelDescriptor(
        kernel_source=RECEIVE, source_type=INLINE, core_ranges=others, defines=[("WAIT", wait)],
        common_runtime_args=[places[0].x, places[0].y], config=ttnn.ReaderConfigDescriptor(),
    )  # fmt: skip
    store = ttnn.KernelDescriptor(
        kernel_source=STORE, source_type=INLINE, core_ranges=row, compile_time_args=words(out),
        common_runtime_args=[out.buffer_address()], config=ttnn.WriterConfigDescriptor(),
        runtime_args=[(ttnn.CoreCoord(x, 0), [x]) for x in range(4)],
    )  # fmt: skip
    semaphores = [ttnn.SemaphoreDescriptor(id=id, core_ranges=row, initial_value=0) for id in (0, 1)]
    return ttnn.ProgramDescriptor([send, receive, store], semaphores, [buffer(0, row, 1)])


def test_a_tile_is_sent_to_a_row_of_cores(device: Any) -> None:
    a = on_device(torch.arange(1024).reshape(32, 32).remainder(251).float(), device)
    out = on_device(torch.zeros(32, 128), device)
    ttnn.generic_op([a, out], sent(a, out, device))
    assert torch.equal(ttnn.to_torch(out), ttnn.to_torch(a).repeat(1, 4))


DOUBLE = """
#include "api/compute/eltwise_binary.h"

void kernel_main() {
    constexpr uint32_t tiles = get_compile_time_arg_val(0);
    compute_kernel_hw_startup(0, 0, 1);
    add_init(0, 0);
    cb_wait_front(0, tiles);
    cb_reserve_back(1, tiles);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        tile_regs_acquire();
        add_tiles(0, 0, tile, tile, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 1);
        tile_regs_release();
    }
    cb_push_back(1, tiles);
    cb_pop_front(0, tiles);
}
"""
PUBLISH = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    cb_reserve_back(0, get_compile_time_arg_val(0));
    cb_push_back(0, get_compile_time_arg_val(0));
}
"""


def test_circular_buffers_lie_in_the_memory_of_sharded_tensors(device: Any) -> None:
    shards = ttnn.create_sharded_memory_config((128, 64), ttnn.CoreGrid(x=2, y=1), ttnn.ShardStrategy.HEIGHT)
    values = torch.arange(128 * 64).reshape(128, 64).remainder(120).float()
    a, out = (
        on_device(values, device, memory_config=shards),
        on_device(0 * values, device, memory_config=shards),
    )
    cbs = [ttnn.cb_descriptor_from_sharded_tensor(index, tensor) for index, tensor in enumerate((a, out))]
    assert [(cb.total_size, cb.buffer_address()) for cb in cbs] == [
        (8192, a.buffer_address()),
        (8192, out.buffer_address()),
    ]
    kernel = {"source_type": INLINE, "core_ranges": cores(0, 0, 2), "compile_time_args": [4]}
    publish = ttnn.KernelDescriptor(kernel_source=PUBLISH, **kernel, config=ttnn.ReaderConfigDescriptor())
    double = ttnn.KernelDescriptor(kernel_source=DOUBLE, **kernel, config=ttnn.ComputeConfigDescriptor())
    ttnn.generic_op([a, out], ttnn.ProgramDescriptor(kernels=[publish, double], cbs=cbs))
    assert torch.equal(ttnn.to_torch(out), ttnn.to_torch(a) * 2)


def test_on_a_mesh_it_runs_once_for_each_device() -> None:
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 2))
    mapper = ttnn.ShardTensorToMesh(mesh, dim=0)
    a, b, out = operands(mesh, mesh_mapper=mapper)
    program = added(a, b, out)
    for kernel in program.kernels:
        # A device has half of the pages: two tiles for each core.
        for at, given in list(kernel.runtime_args.to_list()):
            kernel.runtime_args[at.x][at.y] = [given[0] // 2, 2] if len(given) == 2 else [2]
    ttnn.generic_op([a, b, out], program)
    composed = [
        ttnn.to_torch(each, mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0)) for each in (a, b, out)
    ]
    assert torch.equal(composed[2], composed[0] + composed[1])


def test_addresses_are_those_of_tensors_that_live(device: Any) -> None:
    a, b, _ = operands(device)
    first, second = a.buffer_address(), b.buffer_address()
    assert first != second and a.buffer_address() == first
    ttnn.deallocate(a)
    c = on_device(torch.zeros(128, 128), device)
    assert c.buffer_address() == first and b.buffer_address() == second


# --- programs that are wrong -----------------------------------------------------------------------------------------------


def refused(device: Any, change: Callable[..., Any], kind: type[Exception] = ProgramError) -> str:
    """The first line of the report for a changed program."""
    a, b, out = operands(device)
    program = added(a, b, out)
    with pytest.raises(kind) as caught:
        given = change(program, a, b, out)
        ttnn.generic_op([a, b, out], program if given is None else given)
    found = caught.value.diagnostics[0]
    return f"{found.code} {found.message}"


def _with(part: str, position: int, **values: Any) -> Callable[..., Any]:
    def change(program: Any, *tensors: Any) -> Any:
        items = getattr(program, part)
        for name, value in values.items():
            setattr(items[position], name, value)
        setattr(program, part, items)

    return change


def _more(part: str, make: Callable[[], Any]) -> Callable[..., Any]:
    return lambda program, *tensors: setattr(program, part, [*getattr(program, part), make()])


def _semaphore(id: int, **options: Any) -> Any:
    return ttnn.SemaphoreDescriptor(**{"id": id, "core_ranges": cores(0, 0), "initial_value": 0, **options})


WRONG: dict[str, tuple[Callable[..., Any], str]] = {
    "an index twice": (
        _more("cbs", lambda: buffer(16, cores(1, 1, 2))),
        "TTL1026 circular buffer descriptor 3 has index 16 on core (1, 1), which descriptor 2 has there, too",
    ),
    "an index out of range": (
        _more("cbs", lambda: buffer(40, cores(0, 0))),
        "TTL1026 circular buffer descriptor 3 has index 40, and a core of wormhole has circular buffers 0 to 31",
    ),
    "half a page": (
        _with("cbs", 0, total_size=3000),
        "TTL1026 circular buffer 0 has 3000 bytes with pages of 2048, which is not a whole number of pages",
    ),
    "no format": (
        _with("cbs", 1, format_descriptors=[]),
        "TTL1026 circular buffer descriptor 1 has no format, so no kernel can use its 4096 bytes",
    ),
    "L1 too full": (
        _with("cbs", 0, total_size=2048 * 700),
        "TTL1026 the circular buffers need 1441792 bytes of a core's L1, and",
    ),
    "a core that is not there": (
        _with("kernels", 0, core_ranges=cores(0, 0, 9)),
        "TTL1027 kernel kernel_0 is for core (8, 0), and the grid of wormhole has 8 columns and 8 rows",
    ),
    "no cores": (_with("kernels", 2, core_ranges=ttnn.CoreRangeSet([])), "TTL1027 kernel kernel_2 is on no cores"),
    "two kernels on one processor": (
        _with("kernels", 0, config=ttnn.WriterConfigDescriptor()),
        "TTL1027 kernel kernel_0 and kernel kernel_2 are both for RISCV_0 (BRISC) of core (0, 0)",
    ),
    "no such file": (
        _with("kernels", 0, kernel_source="nowhere/read.cpp", source_type=ttnn.KernelDescriptor.SourceType.FILE_PATH),
        "TTL1027 the file of a kernel cannot be read: nowhere/read.cpp: No such file or directory",
    ),
    "a text for a file": (
        _with("kernels", 0, source_type=ttnn.KernelDescriptor.SourceType.FILE_PATH),
        "TTL1027 the file of a kernel cannot be read: #include",
    ),
    "arguments for another core": (
        _with("kernels", 1, runtime_args=[(ttnn.CoreCoord(5, 5), [4])]),
        "TTL1028 kernel kernel_1 gets run-time arguments for core (5, 5), on which it does not run",
    ),
    "a core without arguments": (
        _with("kernels", 1, runtime_args=[(ttnn.CoreCoord(0, 0), [4])]),
        "TTL1028 kernel kernel_1 gets run-time arguments for 1 of its 4 cores, and none for core (0, 1)",
    ),
    "an argument too few": (
        _with("kernels", 0, runtime_args=[(ttnn.CoreCoord(x, y), [0]) for x in (0, 1) for y in (0, 1)]),
        "TTL1503 kernel kernel_0 reads run-time argument 1, and has 1 argument",
    ),
    "a compile-time argument too few": (
        _with("kernels", 2, compile_time_args=[]),
        "TTL1501 kernel kernel_2 does not compile for the emulated chip",
    ),
    "too many arguments": (
        _with("kernels", 1, common_runtime_args=[0] * 400),
        "TTL1503 kernel kernel_1 is given 401 run-time arguments, and one on wormhole has at most 341",
    ),
    "a buffer that is missing": (
        lambda program, *tensors: setattr(program, "cbs", program.cbs[:2]),
        "TTL1503",
    ),
    "a semaphore out of range": (
        _more("semaphores", lambda: _semaphore(16)),
        "TTL1029 semaphore 16: a core of wormhole has semaphores 0 to 15",
    ),
    "a semaphore twice": (
        lambda program, *tensors: setattr(program, "semaphores", [_semaphore(1), _semaphore(1)]),
        "TTL1029 semaphore 1 is described twice for core (0, 0)",
    ),
    "an argument that is no number": (
        _with("kernels", 0, compile_time_args=[1.5]),
        "TTL1004 one of compile_time_args of a ttnn.KernelDescriptor is a whole number of 32 bits, not 1.5",
    ),
    "an argument that is too large": (
        _with("kernels", 0, common_runtime_args=[-1]),
        "TTL1022 one of common_runtime_args of a ttnn.KernelDescriptor is -1, which is not a number of 32 bits",
    ),
    "nested arguments": (
        _with("kernels", 0, runtime_args=[[[1, 2]]]),
        "TTL1004 runtime_args of a ttnn.KernelDescriptor are pairs of a core and its arguments; this is [[1, 2]]",
    ),
    "a rectangle for a set": (
        _with("cbs", 0, core_ranges=ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 1))),
        "TTL1004 core_ranges of a ttnn.CBDescriptor is a ttnn.CoreRangeSet, not",
    ),
    "a wrong attribute": (_with("kernels", 0, cores=1), "TTL1002 a ttnn.KernelDescriptor has no attribute 'cores'"),
    "a wrong argument": (
        lambda *_: ttnn.CBDescriptor(size=1),
        "TTL1003 ttnn.CBDescriptor: it has no argument 'size'",
    ),
    "an argument that is missing": (
        lambda *_: ttnn.KernelDescriptor(kernel_source=READ, core_ranges=cores(0, 0)),
        "TTL1003 ttnn.KernelDescriptor: missing a required argument: 'config'",
    ),
    "no program": (lambda *_: "program", "TTL1004 ttnn.generic_op: the program is a ttnn.ProgramDescriptor or a ttnn.MeshProgramDescriptor, not 'program'"),
    "one tensor": (
        lambda program, a, b, out: ttnn.generic_op([a], program),
        "TTL1030 ttnn.generic_op takes a list of at least one input and one output, not",
    ),
    "a tensor of the host": (
        lambda program, a, b, out: ttnn.generic_op([ttnn.from_device(a), out], program),
        "TTL1030 ttnn.generic_op: a tensor of shape (128, 128) is on the host, where kernels cannot reach it",
    ),
    "shards that are not there": (
        lambda program, a, b, out: ttnn.cb_descriptor_from_sharded_tensor(0, a),
        "TTL1013 ttnn.cb_descriptor_from_sharded_tensor: a tensor of shape (128, 128) has no shards",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_program_is_refused_with_its_values(case: str, device: Any) -> None:
    change, expected = WRONG[case]
    found = refused(device, change)
    assert found.startswith(expected), found


def test_a_header_under_its_older_name_is_found_by_its_name_of_today(device: Any) -> None:
    source = '#include "dataflow_api.h"\nvoid kernel_main() {}\n'
    inline = ttnn.KernelDescriptor.SourceType.SOURCE_CODE
    tensor = on_device(torch.zeros(32, 32), device)
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(0, 0))])
    kernel = ttnn.KernelDescriptor(
        kernel_source=source, source_type=inline, core_ranges=cores, config=ttnn.ReaderConfigDescriptor()
    )
    with pytest.raises(ProgramError) as caught:
        ttnn.generic_op([tensor, tensor], ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[], cbs=[]))
    assert 'has it as "api/dataflow/dataflow_api.h"' in str(caught.value)


def test_kernels_that_wait_for_ever_are_explained(device: Any) -> None:
    """Nobody increments what the receivers wait for: they wait for a value that the sender does not send."""
    a, out = on_device(torch.zeros(32, 32), device), on_device(torch.zeros(32, 128), device)
    program = sent(a, out, device)
    kernels = program.kernels
    kernels[0].named_compile_time_args = [("count", 4)]
    program.kernels = kernels
    with pytest.raises(ttl.DeadlockError) as caught:
        ttnn.generic_op([a, out], program)
    assert caught.value.code == "TTL1504"
    assert "semaphore 0" in str(caught.value)


def test_generic_op_is_not_for_the_inside_of_an_operation(device: Any) -> None:
    a, b, out = operands(device)
    program = added(a, b, out)

    @ttl.operation(grid=(1, 1))
    def inside(x: Any) -> None:
        ttnn.generic_op([x, x], program)

    with pytest.raises(ProgramError) as caught:
        inside(a)
    assert caught.value.code in ("TTL1024", "TTL1307")


def test_002_9_the_command_line_writes_a_script_that_runs_for_either_generation(tmp_path: Path) -> None:
    """``ttl compile --emit project``, then ``ttl run run.py``; imported, the same numbers for both."""
    (tmp_path / "sum.py").write_text(
        "import torch, ttnn, ttl\n\n\n@ttl.operation(grid=(1, 1))\ndef summed(a, b, y):\n"
        "    bufs = [ttl.make_dataflow_buffer_like(each, shape=(1, 2)) for each in (a, b, y)]\n\n"
        "    @ttl.datamovement()\n    def read():\n        with bufs[0].reserve() as x, bufs[1].reserve() as z:\n"
        "            ttl.copy(a[0, 0:2], x).wait()\n            ttl.copy(b[0, 0:2], z).wait()\n\n"
        "    @ttl.compute()\n    def compute():\n        with bufs[0].wait() as x, bufs[1].wait() as z, bufs[2].reserve() as o:\n"
        "            o.store(x + z)\n\n"
        "    @ttl.datamovement()\n    def write():\n        with bufs[2].wait() as o:\n            ttl.copy(o, y[0, 0:2]).wait()\n\n\n"
        "device = ttnn.open_device(device_id=0)\nsummed(*(ttnn.zeros((32, 64), ttnn.bfloat16, ttnn.TILE_LAYOUT, device) for _ in range(3)))\n"
    )  # fmt: skip
    device = ttnn.open_device(device_id=0)
    for generation in NAMES:
        command = ["compile", "--emit", "project", "--api", generation, "-o", generation, "sum.py"]
        assert run_ttl(command, folder=tmp_path).status == 0
        assert run_ttl(["run", f"{generation}/summed/run.py"], folder=tmp_path).status == 0
        values = torch.arange(2048).reshape(32, 64).remainder(80).float()
        a, b, y = (on_device(values * factor, device) for factor in (1, 2, 0))
        written(tmp_path / generation / "summed").run(a, b, y)
        assert torch.equal(ttnn.to_torch(y).float(), values * 3), generation
