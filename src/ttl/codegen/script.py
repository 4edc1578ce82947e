"""A description as a Python script that builds the objects of the real ttnn and runs the program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ttl.codegen import script_of_mesh
from ttl.codegen.description import (
    CircularBufferDescription,
    ComputeConfig,
    KernelDescription,
    OperandDescription,
    ProgramDescription,
)
from ttl.codegen.entries import Address, Banks, Coordinate, OfMesh, SemaphoreAddress, Word
from ttl.codegen.hardware import MODES_OF_BUFFERS, PROCESSORS, SHARED_NOC, without_dtype
from ttl.codegen.identifiers import unique_names
from ttl.rows.types import WHOLE_TILE

_MEMORY = {"dram": "DRAM", "l1": "L1"}
# The names that the script uses itself.
_TAKEN = (
    "Path",
    "ttnn",
    "KERNELS",
    "CORES",
    "circular_buffer",
    "build",
    "run",
    "main",
    "device",
    "tensors",
    "node",
    "accessor",
    "modes",
    "shards",
    "shard",
    "memory",
    *script_of_mesh.NAMES,
)


def script(description: ProgramDescription, *, kernels: str = "kernels") -> str:
    """The text of the script; ``kernels`` is the folder of the sources beside it."""
    names = _names(description)
    parts = [
        _head(description, names, kernels),
        *script_of_mesh.tables(description, names),
        _program(description, names),
        script_of_mesh.run(description, names) if description.mesh else _run(description, names),
        _main(description, names),
    ]
    return "\n\n\n".join(parts) + "\n"


def _names(description: ProgramDescription) -> dict[str, str]:
    """The Python names of tensors and kernels; the name of a kernel ``read`` is ``read_kernel``."""
    tensors = [tensor.name for tensor in description.tensors]
    kernels = [kernel.name for kernel in description.kernels]
    result = unique_names([*tensors, *(f"{name}_kernel" for name in kernels)], _TAKEN)
    return dict(zip([*tensors, *(f"kernel {name}" for name in kernels)], result, strict=True))


def _head(description: ProgramDescription, names: Mapping[str, str], kernels: str) -> str:
    columns, rows = description.grid
    arguments = ", ".join(names[tensor.name] for tensor in description.tensors)
    lines = [
        f'"""The program of the operation {description.name}, for ttnn with the kernel API of {description.generation}.',
        "",
        "Run as a script, it makes tensors of the right shapes and launches the program on them. Imported, it offers",
        f"``run({arguments})`` for tensors that are on a device.",
        *_note(description),
        '"""',
        "",
        "from pathlib import Path",
        "",
        "import ttnn",
        "",
        f'KERNELS = Path(__file__).resolve().parent / "{kernels}"'
        if kernels
        else "KERNELS = Path(__file__).resolve().parent",
        f"# {columns} columns and {rows} rows of nodes: the grid of the operation.",
        "CORES = ttnn.CoreRangeSet(",
        f"    [ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord({columns - 1}, {rows - 1}))]",
        ")",
    ]
    return "\n".join(lines)


def _note(description: ProgramDescription) -> Iterator[str]:
    for dtype in without_dtype(description):
        yield ""
        yield f"No release of ttnn has the element type {dtype} yet, so it cannot run as it is."


def _program(description: ProgramDescription, names: Mapping[str, str]) -> str:
    arguments = ", ".join(names[tensor.name] for tensor in description.tensors)
    lines = [
        f"def build({arguments}):",
        '    """The program, for these tensors: their addresses and their layouts are in its arguments."""',
    ]
    if description.mesh:
        lines = [*script_of_mesh.build(arguments)]
    lines += _helpers(description, names)
    for kernel in description.kernels:
        lines += ["", *(f"    {line}" for line in _kernel(kernel, names, description))]
    lines += [
        "",
        "    return ttnn.ProgramDescriptor(",
        f"        kernels=[{', '.join(names[f'kernel {kernel.name}'] for kernel in description.kernels)}],",
        "        cbs=[",
        *(f"            {line}" for line in _circular_buffers(description.circular_buffers, names)),
        "        ],",
        "        semaphores=[",
        *(
            f"            ttnn.SemaphoreDescriptor(id={semaphore.id}, core_ranges=CORES, initial_value={semaphore.initial}),"
            f"  # {semaphore.name}"
            for semaphore in description.semaphores
        ),
        "        ],",
        "    )",
    ]
    if not description.semaphores:
        lines[-3:-1] = ["        semaphores=[],"]
    if description.mesh:
        lines[lines.index("    return ttnn.ProgramDescriptor(")] = "    program = ttnn.ProgramDescriptor("
        lines += script_of_mesh.connected(description)
    return "\n".join([*_functions(description), *lines])


def _functions(description: ProgramDescription) -> Iterator[str]:
    """Yield the lines of the functions that the script defines before it builds the program."""
    if any(buffer.memory is None for buffer in description.circular_buffers):
        yield "def circular_buffer(nbytes, *formats):"
        yield '    """Memory of every node, and the circular buffers that use it: number, element type, bytes of a page."""'
        yield "    return ttnn.CBDescriptor(total_size=nbytes, core_ranges=CORES, format_descriptors=list(formats))"
        yield ""
        yield ""


def _helpers(description: ProgramDescription, names: Mapping[str, str]) -> Iterator[str]:
    words = (word for kernel in description.kernels for word in kernel.common_args)
    if any(isinstance(word, Coordinate) for word in words):
        yield f"    device = {names[description.tensors[0].name]}.device()"
        yield ""
        yield "    def node(x, y):"
        yield '        """Where the node in a column and a row is on the network."""'
        yield "        return device.worker_core_from_logical_core(ttnn.CoreCoord(x, y))"
        yield ""
    if any(kernel.accessors for kernel in description.kernels):
        yield "    def accessor(tensor):"
        yield '        """How a kernel finds the pages of a tensor: its compile-time arguments."""'
        yield "        return ttnn.TensorAccessorArgs(tensor).get_compile_time_args()"


def _kernel(
    kernel: KernelDescription, names: Mapping[str, str], description: ProgramDescription
) -> Iterator[str]:
    name = names[f"kernel {kernel.name}"]
    if kernel.config is not None:
        yield from _config(f"{name}_config", kernel.config, description)
    yield f"{name} = ttnn.KernelDescriptor("
    yield f'    kernel_source=str(KERNELS / "{kernel.file}"),'
    yield "    core_ranges=CORES,"
    if kernel.accessors:
        words = ", ".join(f"*accessor({names[tensor]})" for tensor in kernel.accessors)
        yield f"    compile_time_args=[{words}],"
    if kernel.defines:
        yield f"    defines={list(kernel.defines)!r},"
    yield from _common(kernel.common_args, names)
    if kernel.config is not None:
        yield f"    config={name}_config,"
    else:
        assert kernel.processor is not None and kernel.noc is not None
        yield "    config=ttnn.DataMovementConfigDescriptor("
        yield f"        processor=ttnn.DataMovementProcessor.{PROCESSORS[kernel.processor]},  # {kernel.processor.upper()}"
        yield f"        noc=ttnn.NOC.NOC_{kernel.noc},"
        if description.shares_noc:
            yield f"        noc_mode=ttnn.NOC_MODE.{SHARED_NOC},"
        yield "    ),"
    yield ")"


def _config(name: str, config: ComputeConfig, description: ProgramDescription) -> Iterator[str]:
    yield f"{name} = ttnn.ComputeConfigDescriptor("
    yield f"    math_fidelity=ttnn.MathFidelity.{config.math_fidelity},"
    yield f"    math_approx_mode={config.math_approx_mode},"
    yield f"    fp32_dest_acc_en={config.fp32_dest_acc_en},"
    yield f"    dst_full_sync_en={config.dst_full_sync_en},"
    yield ")"
    if not config.unpack_to_dest_fp32:
        return
    yield "# Circular buffers whose float32 values keep all their bits on the way to DST."
    yield f"modes = [ttnn.UnpackToDestMode.Default] * {MODES_OF_BUFFERS}"
    for buffer in config.unpack_to_dest_fp32:
        index = description.circular_buffer(buffer).index
        yield f"modes[{index}] = ttnn.UnpackToDestMode.UnpackToDestFp32  # {buffer}"
    yield f"{name}.unpack_to_dest_mode = modes"


def _common(words: tuple[Word, ...], names: Mapping[str, str]) -> Iterator[str]:
    if not words:
        return
    texts = list(_words(words, names))
    line = f"    common_runtime_args=[{', '.join(texts)}],"
    if len(line) <= 96:
        yield line
        return
    yield "    common_runtime_args=["
    for text in texts:
        yield f"        {text},"
    yield "    ],"


def _words(words: Sequence[Word], names: Mapping[str, str]) -> Iterator[str]:
    """Expressions for common arguments; consecutive coordinates are one expression."""
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        match word:
            case int():
                yield str(word)
            case Address(tensor=tensor):
                yield f"{names[tensor]}.buffer_address()"
            case Coordinate(axis=axis, index=first):
                stop = first + 1
                while position < len(words) and words[position] == Coordinate(axis=axis, index=stop):
                    position, stop = position + 1, stop + 1
                yield _coordinates(axis, first, stop)
            case OfMesh() | SemaphoreAddress():
                yield script_of_mesh.word(word)
            case Banks():
                raise ValueError(f"{word} is not a common argument")


def _coordinates(axis: str, first: int, stop: int) -> str:
    if stop == first + 1:
        return f"node({first}, 0).x" if axis == "x" else f"node(0, {first}).y"
    indices = f"range({stop})" if first == 0 else f"range({first}, {stop})"
    return f"*(node(x, 0).x for x in {indices})" if axis == "x" else f"*(node(0, y).y for y in {indices})"


def _circular_buffers(
    buffers: tuple[CircularBufferDescription, ...], names: Mapping[str, str]
) -> Iterator[str]:
    for buffer in buffers:
        if buffer.shares is not None:
            continue
        users = [buffer, *(item for item in buffers if item.shares == buffer.name)]
        said = f"  # {buffer.name}: {buffer.pages} pages"
        if buffer.memory is not None:
            yield f"ttnn.cb_descriptor_from_sharded_tensor({said}"
            yield f"    {buffer.index}, {names[buffer.memory]}, address_offset={buffer.byte_offset},"
            yield f"    total_size={buffer.nbytes}, core_ranges=CORES"
            yield "),"
            continue
        if len(users) == 1:
            yield f"circular_buffer({buffer.nbytes}, {_format(buffer)}),{said}"
            continue
        yield f"circular_buffer({said}"
        yield f"    {buffer.nbytes},"
        for user in users:
            yield f"    {_format(user)},  # {user.name}"
        yield "),"


def _format(buffer: CircularBufferDescription) -> str:
    tile = "" if buffer.tile == WHOLE_TILE else f", ttnn.TileDescriptor{buffer.tile}"
    return f"ttnn.CBFormatDescriptor({buffer.index}, ttnn.{buffer.dtype}, {buffer.page_bytes}{tile})"


def _run(description: ProgramDescription, names: Mapping[str, str]) -> str:
    arguments = [names[tensor.name] for tensor in description.tensors]
    # generic_op requires an input and an output.
    given = arguments if len(arguments) > 1 else arguments * 2
    lines = [
        f"def run({', '.join(arguments)}):",
        '    """Launch the program on tensors of a device. It writes into those that its kernels write."""',
        f"    ttnn.generic_op([{', '.join(given)}], build({', '.join(arguments)}))",
    ]
    return "\n".join(lines)


def _main(description: ProgramDescription, names: Mapping[str, str]) -> str:
    lines = [
        "def tensors(device):",
        '    """Tensors such as the program was compiled for, filled with zeros."""',
    ]
    for tensor in description.tensors:
        lines += _tensor(names[tensor.name], tensor)
    result = ", ".join(names[tensor.name] for tensor in description.tensors)
    lines += [
        f"    return [{result}]",
        "",
        "",
        "def main():",
        *(
            script_of_mesh.opened(description)
            if description.mesh
            else (
                "    device = ttnn.open_device(device_id=0)",
                "    run(*tensors(device))",
                "    ttnn.close_device(device)",
            )
        ),
        "",
        "",
        'if __name__ == "__main__":',
        "    main()",
    ]
    return "\n".join(lines)


def _tensor(name: str, tensor: OperandDescription) -> Iterator[str]:
    layout = "ttnn.TILE_LAYOUT" if tensor.layout == "tile" else "ttnn.ROW_MAJOR_LAYOUT"
    start = f"    {name} = ttnn.zeros({list(tensor.shape)}, ttnn.{tensor.dtype}, {layout}, device"
    if tensor.shard_shape is None or tensor.shard_nodes is None:
        yield f"{start}, ttnn.{_MEMORY[tensor.memory]}_MEMORY_CONFIG)"
        return
    yield "    shards = ttnn.CoreRangeSet("
    yield "        ["
    for x, y, columns, rows in tensor.shard_nodes:
        corner = f"ttnn.CoreCoord({x + columns - 1}, {y + rows - 1})"
        yield f"            ttnn.CoreRange(ttnn.CoreCoord({x}, {y}), {corner}),"
    yield "        ]"
    yield "    )"
    memory = f"ttnn.BufferType.{_MEMORY[tensor.memory]}"
    orientation = f"ttnn.ShardOrientation.{tensor.shard_order.upper()}"
    shape = list(tensor.shard_shape)
    if tensor.memory_layout == "nd_sharded":
        yield f"    shard = ttnn.NdShardSpec(ttnn.Shape({shape}), shards, {orientation})"
        yield f"    memory = ttnn.MemoryConfig({memory}, shard)"
    else:
        yield f"    shard = ttnn.ShardSpec(shards, {shape}, {orientation})"
        yield f"    memory = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.{tensor.memory_layout.upper()}, {memory}, shard)"
    yield f"{start}, memory)"
