"""A description as a C++ host program, on the host API of TT-Metalium."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from ttl.codegen.description import (
    CircularBufferDescription,
    ComputeConfig,
    KernelDescription,
    OperandDescription,
    ProgramDescription,
)
from ttl.codegen.entries import Address, Coordinate, Word
from ttl.codegen.hardware import DATA_FORMATS, MODES_OF_BUFFERS, PROCESSORS, SHARED_NOC
from ttl.codegen.identifiers import unique_names
from ttl.emitc.spelling import KEYWORDS
from ttl.rows.types import WHOLE_TILE

_MEMORY = {"dram": "DRAM", "l1": "L1"}
# The names that the program uses itself, besides the words of C++.
_OWN = "main cores device program queue workload node tensor sharded accessors metal distributed uint32_t modes std tt"
_TAKEN = KEYWORDS | set(_OWN.split())


def host_program(description: ProgramDescription) -> str:
    """The text of ``host.cpp``; the kernels are in the folder of the macro ``KERNELS``."""
    tensors = [tensor.name for tensor in description.tensors]
    kernels = [kernel.name for kernel in description.kernels]
    result = unique_names([*tensors, *(f"{name}_kernel" for name in kernels)], _TAKEN)
    names = dict(zip([*tensors, *(f"kernel {name}" for name in kernels)], result, strict=True))
    lines = [*_head(description), *_helpers(description), "int main() {"]
    lines += _indented(_device(description))
    for tensor in description.tensors:
        lines += _indented(_tensor(tensor, names[tensor.name]))
    lines.append("")
    for buffer in description.circular_buffers:
        if buffer.shares is None:
            lines += _indented(_circular_buffer(buffer, description, names))
    for semaphore in sorted(description.semaphores, key=lambda item: item.id):
        comment = f"  // {semaphore.name}: {semaphore.id}"
        lines.append(f"    metal::CreateSemaphore(program, cores, {semaphore.initial});{comment}")
    for kernel in description.kernels:
        lines += ["", *_indented(_kernel(kernel, description, names))]
    lines += ["", *_indented(_launch()), "}"]
    return "\n".join(lines) + "\n"


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"    {line}" if line else "" for line in lines)


def _head(description: ProgramDescription) -> Iterator[str]:
    yield f"// The program of the operation {description.name}, on the host API of TT-Metalium. It makes tensors in the"
    yield "// memory of the device and launches the program on them: write the data where main() says so."
    yield ""
    yield "#include <cstdint>"
    yield "#include <memory>"
    yield "#include <string>"
    yield "#include <utility>"
    yield "#include <vector>"
    yield ""
    yield "#include <tt-metalium/distributed.hpp>"
    yield "#include <tt-metalium/host_api.hpp>"
    yield "#include <tt-metalium/tensor_accessor_args.hpp>"
    yield ""
    yield "#ifndef KERNELS"
    yield '#define KERNELS "kernels"'
    yield "#endif"
    yield ""
    yield "namespace metal = tt::tt_metal;"
    yield "namespace distributed = tt::tt_metal::distributed;"
    yield "using Buffer = std::shared_ptr<distributed::MeshBuffer>;"
    yield ""


def _helpers(description: ProgramDescription) -> Iterator[str]:
    yield "// A tensor in the memory of the device, its pages spread over the banks one by one."
    yield "static Buffer tensor(distributed::MeshDevice& device, uint32_t pages, uint32_t page_bytes, metal::BufferType memory) {"
    yield "    distributed::ReplicatedBufferConfig size{};"
    yield "    size.size = static_cast<uint64_t>(pages) * page_bytes;"
    yield "    distributed::DeviceLocalBufferConfig local{};"
    yield "    local.page_size = page_bytes;"
    yield "    local.buffer_type = memory;"
    yield "    return distributed::MeshBuffer::create(size, local, &device);"
    yield "}"
    yield ""
    if any(map(_is_in_shards, description.tensors)):
        yield "// A tensor in the L1 of nodes, a shard on each."
        yield "static Buffer sharded(distributed::MeshDevice& device, uint32_t pages, uint32_t page_bytes, const metal::ShardSpecBuffer& shards,"
        yield "                      metal::TensorMemoryLayout layout) {"
        yield "    distributed::ReplicatedBufferConfig size{};"
        yield "    size.size = static_cast<uint64_t>(pages) * page_bytes;"
        yield "    distributed::DeviceLocalBufferConfig local{};"
        yield "    local.page_size = page_bytes;"
        yield "    local.buffer_type = metal::BufferType::L1;"
        yield "    local.sharding_args = metal::BufferShardingArgs(shards, layout);"
        yield "    return distributed::MeshBuffer::create(size, local, &device);"
        yield "}"
        yield ""
    if any(kernel.accessors for kernel in description.kernels):
        yield "// How a kernel finds the pages of tensors: its compile-time arguments."
        yield "static std::vector<uint32_t> accessors(const std::vector<Buffer>& tensors) {"
        yield "    std::vector<uint32_t> words;"
        yield "    for (const auto& each : tensors) {"
        yield "        metal::TensorAccessorArgs(each).append_to(words);"
        yield "    }"
        yield "    return words;"
        yield "}"
        yield ""


def _device(description: ProgramDescription) -> Iterator[str]:
    columns, rows = description.grid
    yield "auto device = distributed::MeshDevice::create_unit_mesh(0);"
    yield "auto& queue = device->mesh_command_queue();"
    yield "metal::Program program = metal::CreateProgram();"
    yield f"// {columns} columns and {rows} rows of nodes: the grid of the operation."
    yield f"const metal::CoreRange cores({{0, 0}}, {{{columns - 1}, {rows - 1}}});"
    if any(_coordinates(kernel) for kernel in description.kernels):
        yield "// Where the node in a column and a row is on the network."
        yield "const auto node = [&](std::size_t x, std::size_t y) { return device->worker_core_from_logical_core({x, y}); };"
    yield ""


def _coordinates(kernel: KernelDescription) -> bool:
    return any(isinstance(word, Coordinate) for word in kernel.common_args)


def _tensor(tensor: OperandDescription, name: str) -> Iterator[str]:
    shape = "x".join(map(str, tensor.shape))
    in_shards = _is_in_shards(tensor)
    spread = (
        ""
        if tensor.shard_shape is None or in_shards
        else f"; the operation was compiled for {tensor.memory_layout} shards"
    )
    yield f"// {shape} {tensor.dtype}, {'tiles' if tensor.layout == 'tile' else 'rows'}{spread}"
    page, shape_in_pages = _pages(tensor)
    given = f"*device, {prod(shape_in_pages)}, {tensor.page_bytes}"
    if not in_shards:
        yield f"const Buffer {name} = tensor({given}, metal::BufferType::{_MEMORY[tensor.memory]});"
        return
    assert tensor.shard_shape is not None and tensor.shard_nodes is not None
    nodes = ", ".join(
        f"metal::CoreRange({{{x}, {y}}}, {{{x + columns - 1}, {y + rows - 1}}})"
        for x, y, columns, rows in tensor.shard_nodes
    )
    height, width = tensor.shard_shape
    yield f"const Buffer {name} = sharded("
    yield f"    {given},"
    yield f"    metal::ShardSpecBuffer(metal::CoreRangeSet(std::vector<metal::CoreRange>{{{nodes}}}), {{{height}, {width}}},"
    yield (
        f"                           metal::ShardOrientation::{tensor.shard_order.upper()}, {{{page[0]}, {page[1]}}}, "
        f"{{{shape_in_pages[0]}, {shape_in_pages[1]}}}),"
    )
    yield f"    metal::TensorMemoryLayout::{tensor.memory_layout.upper()});"


def _is_in_shards(tensor: OperandDescription) -> bool:
    """Whether a tensor is sharded in L1, with two-dimensional shards."""
    return (
        tensor.memory == "l1"
        and tensor.shard_nodes is not None
        and len(tensor.shard_shape or ()) == len(WHOLE_TILE)
    )


def _pages(tensor: OperandDescription) -> tuple[tuple[int, int], tuple[int, int]]:
    """The extents of a page in elements, and of the tensor as a matrix in pages."""
    page = WHOLE_TILE
    if tensor.layout == "row_major":
        page = 1, tensor.shape[-1] if tensor.shard_shape is None else tensor.shard_shape[-1]
    rows, columns = (*(1,) * (2 - len(tensor.shape)), *tensor.shape)[-2:]
    outer = prod(tensor.shape[:-2])
    return page, (outer * -(-rows // page[0]), -(-columns // page[1]))


def _circular_buffer(
    buffer: CircularBufferDescription, description: ProgramDescription, names: Mapping[str, str]
) -> Iterator[str]:
    users = [buffer, *(item for item in description.circular_buffers if item.shares == buffer.name)]
    formats = ", ".join(f"{{{user.index}, tt::DataFormat::{DATA_FORMATS[user.dtype]}}}" for user in users)
    pages = "".join(f".set_page_size({user.index}, {user.page_bytes})" for user in users)
    pages += "".join(
        f".set_tile_dims({user.index}, tt::tt_metal::Tile({{{user.tile[0]}, {user.tile[1]}}}))"
        for user in users
        if user.tile != WHOLE_TILE
    )
    said = ", ".join(user.name for user in users)
    if buffer.memory is not None:
        said += f": the memory of the shards of {buffer.memory}, from byte {buffer.byte_offset} on"
        memory = f"*{names[buffer.memory]}->get_reference_buffer(), {buffer.nbytes}"
        pages += f"\n    .set_globally_allocated_address_and_total_size({memory})"
        pages += f".set_address_offset({buffer.byte_offset})" if buffer.byte_offset else ""
    yield f"// {said}"
    yield (
        f"metal::CreateCircularBuffer(program, cores, metal::CircularBufferConfig({buffer.nbytes}, {{{formats}}}){pages});"
    )


def _kernel(
    kernel: KernelDescription, description: ProgramDescription, names: Mapping[str, str]
) -> Iterator[str]:
    name = names[f"kernel {kernel.name}"]
    config = f"{name}_config"
    if kernel.config is not None:
        yield f"metal::ComputeConfig {config};"
        yield from _compute(config, kernel.config, description)
    else:
        assert kernel.processor is not None and kernel.noc is not None
        yield f"metal::DataMovementConfig {config};"
        yield f"{config}.processor = metal::DataMovementProcessor::{PROCESSORS[kernel.processor]};"
        yield f"{config}.noc = metal::NOC::NOC_{kernel.noc};"
        if description.shares_noc:
            yield f"{config}.noc_mode = metal::NOC_MODE::{SHARED_NOC};"
    if kernel.accessors:
        yield f"{config}.compile_args = accessors({{{', '.join(names[accessor] for accessor in kernel.accessors)}}});"
    for key, value in kernel.defines:
        yield f'{config}.defines["{key}"] = "{value}";'
    result = f"const metal::KernelHandle {name} = " if kernel.common_args else ""
    yield f'{result}metal::CreateKernel(program, KERNELS "/{kernel.file}", cores, {config});'
    if kernel.common_args:
        yield f"std::vector<uint32_t> {name}_args;"
        yield from _arguments(f"{name}_args", kernel.common_args, names)
        yield f"metal::SetCommonRuntimeArgs(program, {name}, {name}_args);"


def _compute(name: str, config: ComputeConfig, description: ProgramDescription) -> Iterator[str]:
    yield f"{name}.math_fidelity = metal::MathFidelity::{config.math_fidelity};"
    for field in ("fp32_dest_acc_en", "dst_full_sync_en", "math_approx_mode"):
        yield f"{name}.{field} = {'true' if getattr(config, field) else 'false'};"
    if config.unpack_to_dest_fp32:
        yield "// Circular buffers whose float32 values keep all their bits on the way to DST."
        yield f"{name}.unpack_to_dest_mode.resize({MODES_OF_BUFFERS}, metal::UnpackToDestMode::Default);"
        for buffer in config.unpack_to_dest_fp32:
            index = description.circular_buffer(buffer).index
            yield f"{name}.unpack_to_dest_mode[{index}] = metal::UnpackToDestMode::UnpackToDestFp32;  // {buffer}"


def _arguments(name: str, words: Sequence[Word], names: Mapping[str, str]) -> Iterator[str]:
    """Statements that append common arguments to ``name``; consecutive coordinates become a loop."""
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        match word:
            case int():
                yield f"{name}.push_back({word});"
            case Address(tensor=tensor):
                yield f"{name}.push_back(static_cast<uint32_t>({names[tensor]}->address()));"
            case Coordinate(axis=axis, index=first):
                stop = first + 1
                while position < len(words) and words[position] == Coordinate(axis=axis, index=stop):
                    position, stop = position + 1, stop + 1
                yield from _coordinate(name, axis, first, stop)
            case _:
                raise ValueError(f"{word} is not a common argument")


def _coordinate(name: str, axis: str, first: int, stop: int) -> Iterator[str]:
    alone = stop == first + 1
    at = str(first) if alone else axis
    node = f"node({at}, 0).x" if axis == "x" else f"node(0, {at}).y"
    statement = f"{name}.push_back(static_cast<uint32_t>({node}));"
    if alone:
        yield statement
        return
    yield f"for (std::size_t {axis} = {first}; {axis} < {stop}; ++{axis}) {{"
    yield f"    {statement}"
    yield "}"


def _launch() -> Iterator[str]:
    yield "// Here the tensors are written, tile by tile or row by row as they are in memory:"
    yield "//   std::vector<uint32_t> data(bytes / 4); ... distributed::EnqueueWriteMeshBuffer(queue, buffer, data, true);"
    yield "distributed::MeshWorkload workload;"
    yield "workload.add_program(distributed::MeshCoordinateRange(device->shape()), std::move(program));"
    yield "distributed::EnqueueMeshWorkload(queue, workload, false);"
    yield "distributed::Finish(queue);"
    yield "// And here they are read: distributed::EnqueueReadMeshBuffer(queue, data, buffer, true);"
    yield "device->close();"
    yield "return 0;"
