"""Makes the description of a ``ttkernel.program``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, StringAttr
from xdsl.ir import Operation

from ttl.arch import Chip
from ttl.codegen.accessors import AccessorPlacement, accessor_words
from ttl.codegen.cpp import file_names
from ttl.codegen.description import (
    CircularBufferDescription,
    ComputeConfig,
    GlobalSemaphoreDescription,
    KernelDescription,
    NetSignal,
    NodeReach,
    OperandDescription,
    ProgramDescription,
    SemaphoreDescription,
    from_json,
    to_json,
)
from ttl.codegen.entries import Word, from_text
from ttl.diag import Diagnostic, error
from ttl.dialects import ttkernel
from ttl.dialects.elements import TileType, dtype_and_layout
from ttl.dialects.layouts import EncodingAttr, MemoryKind, MemoryLayout, TensorOrder
from ttl.dialects.types import tensor_shape
from ttl.ir.failure import NotLowered, placed
from ttl.passes.marks import HOLDS, IN_COLUMNS, NETS, REACHES, RESETS, SAYS, SHARES, WHY
from ttl.passes.movement.links import most_links
from ttl.passes.pipes.plan import texts
from ttl.rows.row import Generation
from ttl.rows.types import WHOLE_TILE, Layout
from ttl.source.spans import Span

__all__ = ["ProgramDescription", "describe", "from_json", "on_the_host", "to_json"]


def describe(
    program: ttkernel.ProgramOp,
    sources: Mapping[str, str],
    chip: Chip,
    generation: Generation,
    lines: Mapping[str, Mapping[int, Span]] | None = None,
) -> ProgramDescription:
    """The description of a program; ``sources`` are its kernels by file name (``read.cpp``).

    ``lines`` has the places in the user's program of the lines of each source, by file name.

    Raises ``NotLowered`` for properties that a description cannot have: TTL1433 to TTL1435.
    """
    columns, rows = program.grid if len(program.grid) == 2 else (program.grid[0], 1)
    tensors = {op.declared_name: _tensor(op, chip) for op in program.tensors}
    files = file_names(program)
    kernels = tuple(
        _kernel(op, files[op.declared_name], sources, lines or {}, tensors) for op in program.kernels
    )
    problems = _kernel_problems(program, kernels, chip)
    problems += [
        placed(problem, op) for op in program.tensors if (problem := _tensor_problem(op)) is not None
    ]
    if problems:
        raise NotLowered(problems)
    return ProgramDescription(
        name=program.program_name,
        generation=generation,
        chip=chip.name,
        grid=(columns, rows),
        tensors=tuple(tensors.values()),
        kernels=kernels,
        circular_buffers=_circular_buffers(program),
        semaphores=tuple(
            SemaphoreDescription(name=op.declared_name, id=op.id, initial=op.initial, signal=_signal(op))
            for op in program.semaphores
        ),
        mesh=program.mesh,
        global_semaphores=tuple(
            GlobalSemaphoreDescription(
                name=op.declared_name,
                initial=op.initial,
                resets=RESETS in op.attributes,
                signal=_signal(op),
            )
            for op in program.global_semaphores
        ),
    )


def _tensor(op: ttkernel.TensorArgOp, chip: Chip) -> OperandDescription:
    type_ = op.type
    encoding = type_.encoding
    assert isinstance(encoding, EncodingAttr)
    spread = encoding.layout.memory_layout
    shape = tensor_shape(type_)
    tiled = encoding.layout.tensor_order is TensorOrder.TILED
    placement = AccessorPlacement(
        shape=shape,
        dtype=dtype_and_layout(type_.element_type)[0],
        layout=Layout.TILE if tiled else Layout.ROW_MAJOR,
        memory="dram" if encoding.memory_space is MemoryKind.DRAM else "l1",
        memory_layout=spread.value,
        shard_shape=encoding.layout.shard_shape,
        shard_nodes=encoding.layout.shard_nodes,
        shard_order=encoding.layout.shard_order,
    )
    return OperandDescription(
        name=op.declared_name,
        index=op.index,
        shape=shape,
        dtype=placement.dtype.name,
        layout="tile" if tiled else "row_major",
        memory=placement.memory,
        memory_layout=spread.value,
        shard_shape=placement.shard_shape,
        shard_nodes=placement.shard_nodes,
        shard_order=placement.shard_order,
        page_bytes=placement.page_bytes,
        accessor=accessor_words(placement, chip),
    )


def _circular_buffers(program: ttkernel.ProgramOp) -> tuple[CircularBufferDescription, ...]:
    sizes = {op.declared_name: op.pages * op.page_bytes for op in program.buffers}
    buffers = []
    for op in sorted(program.buffers, key=lambda item: item.index):
        shares = _text(op, SHARES)
        buffers.append(
            CircularBufferDescription(
                name=op.declared_name,
                index=op.index,
                # Buffers that share memory are as large as the memory, because each wraps around at its end.
                pages=op.pages if shares is None else sizes[shares] // op.page_bytes,
                page_bytes=op.page_bytes,
                dtype=dtype_and_layout(op.element_type)[0].name,
                made_by="compiler" if op.made_by == "compiler" else "user",
                initial=op.initial,
                shares=shares,
                memory=op.memory,
                byte_offset=op.byte_offset,
                holds=tuple(texts(op.attributes[HOLDS])) if HOLDS in op.attributes else (),
                why=_text(op, WHY),
                tile=op.element_type.extents if isinstance(op.element_type, TileType) else WHOLE_TILE,
                in_columns=_number(op, IN_COLUMNS),
            )
        )
    return tuple(buffers)


def _kernel(
    op: ttkernel.KernelOp,
    file: str,
    sources: Mapping[str, str],
    lines: Mapping[str, Mapping[int, Span]],
    tensors: Mapping[str, OperandDescription],
) -> KernelDescription:
    words: list[Word] = []
    for name in op.accessors:
        words += tensors[name].accessor
    return KernelDescription(
        name=op.kernel_name,
        file=file,
        source=sources[file],
        thread="tensix" if op.thread == "tensix" else "noc",
        processor=cast("Literal['ncrisc', 'brisc'] | None", op.processor),
        noc=cast("Literal[0, 1] | None", op.noc),
        compile_time_args=tuple(words),
        common_args=from_text(op.common_args),
        accessors=tuple(op.accessors),
        config=_config(op) if op.thread == "tensix" else None,
        links=_links(op),
        reaches=_reaches(op),
        lines=lines.get(file, {}),
    )


def _reaches(op: ttkernel.KernelOp) -> tuple[NodeReach, ...]:
    nodes = op.attributes.get(REACHES)
    reaches = []
    for item in nodes if isinstance(nodes, ArrayAttr) else ():
        assert isinstance(item, DenseArrayBase)
        chip, column, row, *chips = (int(number) for number in item.get_values())
        reaches.append(NodeReach(chip=chip, node=(column, row), chips=tuple(chips)))
    return tuple(reaches)


def _links(op: ttkernel.KernelOp) -> int:
    return most_links([reach.chips for reach in _reaches(op)])


def _signal(op: ttkernel.SemaphoreOp | ttkernel.GlobalSemaphoreOp) -> NetSignal | None:
    says = _text(op, SAYS)
    return None if says is None else NetSignal(nets=tuple(texts(op.attributes[NETS])), says=says)


def _config(op: ttkernel.KernelOp) -> ComputeConfig:
    given = op.config
    return ComputeConfig(**{**given, "unpack_to_dest_fp32": tuple(given.get("unpack_to_dest_fp32", ()))})


def _number(op: Operation, name: str) -> int:
    attribute = op.attributes.get(name)
    return attribute.value.data if isinstance(attribute, IntegerAttr) else 1


def _text(op: Operation, name: str) -> str | None:
    attribute = op.attributes.get(name)
    return attribute.data if isinstance(attribute, StringAttr) else None


# --- limits ---------------------------------------------------------------------------------------------------


def _kernel_problems(
    program: ttkernel.ProgramOp, kernels: tuple[KernelDescription, ...], chip: Chip
) -> list[Diagnostic]:
    return [
        placed(
            error(
                "TTL1433",
                f"kernel {kernel.name} needs {len(kernel.common_args)} run-time arguments, and one on {chip.name} "
                f"has at most {chip.max_runtime_args}",
                notes=("an argument is the address of a tensor, or a coordinate of the nodes it talks to",),
                help="split the operation, so that each part works on fewer tensors",
            ),
            op,
        )
        for op, kernel in zip(program.kernels, kernels, strict=True)
        if len(kernel.common_args) > chip.max_runtime_args
    ]


def _tensor_problem(op: ttkernel.TensorArgOp) -> Diagnostic | None:
    encoding = op.type.encoding
    assert isinstance(encoding, EncodingAttr)
    if encoding.memory_space is MemoryKind.SYSTEM:
        return on_the_host(op.declared_name)
    spread = encoding.layout.memory_layout
    if spread is not MemoryLayout.INTERLEAVED and encoding.layout.shard_shape is None:
        return error(
            "TTL1435",
            f"{op.declared_name} is {spread.value.replace('_', ' ')}, and its shards are not known",
            help="give its memory configuration a ttnn.ShardSpec, or make the tensor interleaved",
        )
    return None


def on_the_host(name: str) -> Diagnostic:
    """The error for a tensor in the memory of the host, which kernels cannot reach (TTL1434)."""
    return error(
        "TTL1434",
        f"{name} is in the memory of the host, which kernels on a chip cannot reach",
        help=f"move it first: {name} = ttnn.to_device({name}, device)",
    )
