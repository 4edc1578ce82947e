"""The kernels of a call as JSON, ``format_version`` 2, and the reverse conversion for the emulated chip.

Members of the real project's format have its names. Our additional members are ``name``, ``generation``, ``chip``,
``tensors``, ``semaphores``, ``warnings``, members of a buffer that state its purpose, and ``kernel_config``: a launch
needs them. They may come from any file, so that every number is checked against the chip before it is used.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import prod
from typing import Any, get_args

from tt_model.layouts.kernel_request import KernelOperand
from tt_model.tt_lang.declared_kernels import KernelError
from tt_model.tt_lang.tensors import element_type
from ttl.arch import Chip, chip_named, names
from ttl.codegen.description import (
    CircularBufferDescription,
    ComputeConfig,
    KernelDescription,
    OperandDescription,
    ProgramDescription,
    SemaphoreDescription,
)
from ttl.codegen.entries import Address, Banks, Coordinate, Word, from_text, in_text
from ttl.diag import Diagnostic
from ttl.emu.program import FORMATS, Fidelity
from ttl.rows.row import Generation
from ttl.rows.types import WHOLE_TILE

FORMAT_VERSION = 2
_PROCESSORS = ("ncrisc", "brisc")
_LARGEST_WORD = 2**32 - 1
# The sharding of a tensor is that of its operand in the model.
_TENSOR = ("name", "index", "shape", "dtype", "layout", "memory", "memory_layout", "page_bytes")
_FLAGS = ("fp32_dest_acc_en", "dst_full_sync_en", "math_approx_mode")


def artifact_of(description: ProgramDescription, warnings: Sequence[Diagnostic] = ()) -> dict[str, Any]:
    """Convert a program to the JSON that an operation of a model keeps.

    Raises ``KernelError`` for a program that JSON cannot express.
    """
    columns, rows = description.grid
    return {
        "format_version": FORMAT_VERSION,
        "name": description.name,
        "generation": description.generation,
        "chip": description.chip,
        "kernels": [_kernel(kernel, description) for kernel in description.kernels],
        "core_range": {"start": [0, 0], "end": [columns - 1, rows - 1]},
        "cb_configs": [_buffer(buffer) for buffer in description.circular_buffers],
        "num_pipe_sync_semaphores": len(description.semaphores),
        "num_pipe_global_semaphores": 0,
        "pipe_sram_scratch_bytes": 0,
        "semaphores": [asdict(semaphore) for semaphore in description.semaphores],
        "tensors": [
            {**{name: getattr(tensor, name) for name in _TENSOR}, "accessor": in_text(tensor.accessor)}
            for tensor in description.tensors
        ],
        "warnings": [_warning(finding) for finding in warnings],
    }


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _kernel(kernel: KernelDescription, description: ProgramDescription) -> dict[str, Any]:
    config: dict[str, Any] = {
        "name": kernel.name,
        "file": kernel.file,
        "compile_time_args": in_text(kernel.compile_time_args),
        "common_args": in_text(kernel.common_args),
        "defines": [list(pair) for pair in kernel.defines],
    }
    if kernel.config is not None:
        config |= asdict(kernel.config)
    return {
        "thread_type": "compute" if kernel.thread == "tensix" else "noc",
        "cpp_source": kernel.source,
        "tensor_indices": [description.tensor(name).index for name in kernel.accessors],
        "kernel_config": config | _given({"processor": kernel.processor, "noc": kernel.noc}),
    }


def _buffer(buffer: CircularBufferDescription) -> dict[str, Any]:
    if buffer.tile != WHOLE_TILE:
        raise KernelError(
            f"{buffer.name} has tiles of {'x'.join(map(str, buffer.tile))}, which kernels of a model do not support: create it with tile=(32, 32)"
        )
    fields = asdict(buffer)
    # Files do not have the fields for comparing blocks, for rings of several buffers, and for blocks in parts.
    for name in ("index", "pages", "page_bytes", "dtype", "holds", "tile", "in_columns"):
        del fields[name]
    if buffer.memory is None:
        del fields["byte_offset"]
    return {
        "buffer_index": buffer.index,
        "data_format": buffer.dtype,
        "page_size": buffer.page_bytes,
        "total_size": buffer.nbytes,
        **_given(fields),
    }


def _warning(finding: Diagnostic) -> dict[str, Any]:
    span = None if finding.primary is None else finding.primary.span
    place = {} if span is None else {"file": span.file, "line": span.line, "column": span.column}
    return {"message": f"{finding.message} [{finding.code}]", **place}


def read_artifact(text: str) -> Mapping[str, Any]:
    """Parse a JSON text and return its members. Raises ``KernelError``."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise KernelError(f"it is not JSON: {problem}") from None
    return _Member("", data).mapping()


def description_of(
    artifact: Mapping[str, Any], arch: str, operands: Sequence[KernelOperand]
) -> ProgramDescription:
    """Convert an artifact to a program, for a chip and the tensors of a call. Raises ``KernelError``."""
    program = _Member("", artifact)
    if program.at("format_version").number(0, 99) != FORMAT_VERSION:
        raise KernelError(
            f"its format_version is {artifact['format_version']}, but this release reads {FORMAT_VERSION}"
        )
    name = program.at("chip").word(names())
    if name != arch.partition("_")[0]:
        raise KernelError(f"its kernels are for {name}, and the system has {arch}: compile the model again")
    chip = chip_named(name)
    reader = _ArtifactReader(program, chip)
    tensors = reader.tensors(operands)
    buffers = reader.buffers(tensors)
    return ProgramDescription(
        name=program.at("name").text(),
        generation=program.at("generation").word(get_args(Generation)),
        chip=name,
        grid=reader.grid,
        tensors=tensors,
        kernels=reader.kernels(tensors, buffers),
        circular_buffers=buffers,
        semaphores=reader.semaphores(),
    )


class _Member:
    """A value of an artifact, with its path for messages."""

    def __init__(self, path: str, value: Any) -> None:
        self.path = path
        self.value = value

    def wrong(self, wanted: str) -> KernelError:
        shown = repr(self.value)
        return KernelError(
            f"{self.path or 'it'} is {shown if len(shown) < 60 else f'{shown[:57]}...'}, not {wanted}"
        )

    def mapping(self) -> Mapping[str, Any]:
        if not isinstance(self.value, Mapping):
            raise self.wrong("an object with members")
        return self.value

    def at(self, name: str) -> _Member:
        members = self.mapping()
        if name not in members:
            raise KernelError(f"{self.path or 'it'} has no member {name}")
        return _Member(f"{self.path}.{name}".lstrip("."), members[name])

    def optional(self, name: str, default: Any = None) -> _Member:
        members = self.mapping()
        return _Member(f"{self.path}.{name}".lstrip("."), members.get(name, default))

    def items(self) -> list[_Member]:
        if not isinstance(self.value, list | tuple):
            raise self.wrong("a list")
        return [_Member(f"{self.path}[{index}]", item) for index, item in enumerate(self.value)]

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.wrong("a text")
        return self.value

    def word(self, words: Sequence[str]) -> Any:
        if self.value not in words:
            raise self.wrong(f"one of {', '.join(words)}")
        return self.value

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.wrong("true or false")
        return self.value

    def number(self, least: int, most: int) -> int:
        if not isinstance(self.value, int) or isinstance(self.value, bool) or not least <= self.value <= most:
            raise self.wrong(f"a whole number from {least} to {most}")
        return self.value


class _ArtifactReader:
    """Reads the parts of an artifact, and checks each number against the limits of the chip."""

    def __init__(self, program: _Member, chip: Chip) -> None:
        self._program = program
        self._chip = chip
        cores = program.at("core_range")
        columns, rows = chip.max_grid
        start, end = (cores.at(name).items() for name in ("start", "end"))
        if [item.value for item in start] != [0, 0] or len(end) != 2:
            raise cores.wrong("a rectangle of cores from (0, 0) on")
        self.grid = (end[0].number(0, columns - 1) + 1, end[1].number(0, rows - 1) + 1)

    def words(self, member: _Member, tensors: Sequence[str] = ()) -> tuple[Word, ...]:
        columns, rows = self._chip.max_grid
        for item in member.items():
            if not isinstance(item.value, str):
                item.number(0, _LARGEST_WORD)
        try:
            words = from_text(member.value)
        except ValueError as problem:
            raise KernelError(f"{member.path}: {problem}") from None
        for word in words:
            match word:
                case Address(tensor=name) if name not in tensors:
                    raise KernelError(f"{member.path}: there is no tensor {name} of {word}")
                case Coordinate(axis=axis, index=index) if index >= (columns if axis == "x" else rows):
                    raise KernelError(f"{member.path}: {word} is beyond the {columns}x{rows} cores")
                case Banks(nodes=nodes) if any(x >= columns or y >= rows for x, y in nodes):
                    raise KernelError(f"{member.path}: {word} is beyond the {columns}x{rows} cores")
        return words

    def tensors(self, operands: Sequence[KernelOperand]) -> tuple[OperandDescription, ...]:
        described = []
        for member in self._program.at("tensors").items():
            index = member.at("index").number(0, len(operands) - 1)
            operand = operands[index]
            tensor = OperandDescription(
                name=member.at("name").text(),
                index=index,
                shape=tuple(item.number(-1, _LARGEST_WORD) for item in member.at("shape").items()),
                dtype=member.at("dtype").word(tuple(FORMATS)),
                layout=member.at("layout").word(("tile", "row_major")),
                memory=member.at("memory").word(("dram", "l1")),
                memory_layout=member.at("memory_layout").text(),
                page_bytes=member.at("page_bytes").number(1, self._chip.l1_bytes),
                accessor=self.words(member.at("accessor")),
            )
            if (tensor.shape, tensor.dtype) != (operand.shape, element_type(operand).name):
                shape = "x".join(map(str, tensor.shape))
                raise KernelError(
                    f"{member.path} is {shape} {tensor.dtype}, but the model passes {operand}: compile the model again"
                )
            described.append(tensor)
        for key in ("name", "index"):
            _all_differ(self._program.at("tensors"), [getattr(tensor, key) for tensor in described], key)
        return tuple(described)

    def buffers(self, tensors: Sequence[OperandDescription]) -> tuple[CircularBufferDescription, ...]:
        available = self._chip.l1_available_bytes
        described: list[CircularBufferDescription] = []
        for member in self._program.at("cb_configs").items():
            page = member.at("page_size").number(1, available)
            total = member.at("total_size").number(page, available)
            if total % page:
                raise KernelError(f"{member.path}: {total} bytes are not whole pages of {page}")
            shares = member.optional("shares").value
            lenders = [
                buffer.name for buffer in described if buffer.shares is None and buffer.nbytes >= total
            ]
            if shares is not None and shares not in lenders:
                raise KernelError(
                    f"{member.path}: no earlier buffer named {shares} has {total} bytes to share"
                )
            memory, offset = member.optional("memory").value, 0
            if memory is not None:
                offset = member.optional("byte_offset", 0).number(0, self._chip.l1_bytes)
                room = next((_shard_bytes(tensor) for tensor in tensors if tensor.name == memory), 0)
                if offset + total > room:
                    raise KernelError(
                        f"{member.path}: {memory} has no shards in L1 with {total} bytes from byte {offset} on"
                    )
            described.append(
                CircularBufferDescription(
                    name=member.at("name").text(),
                    index=member.at("buffer_index").number(0, self._chip.dataflow_buffers - 1),
                    pages=total // page,
                    page_bytes=page,
                    dtype=member.at("data_format").word(tuple(FORMATS)),
                    made_by=member.optional("made_by", "user").word(("user", "compiler")),
                    initial=member.optional("initial").value,
                    shares=shares,
                    memory=memory,
                    byte_offset=offset,
                    why=member.optional("why").value,
                )
            )
        configs = self._program.at("cb_configs")
        _all_differ(configs, [buffer.name for buffer in described], "name")
        _all_differ(configs, [buffer.index for buffer in described], "buffer_index")
        needed = sum(buffer.nbytes for buffer in described if buffer.shares is None and buffer.memory is None)
        if needed > available:
            raise KernelError(f"{configs.path} take {needed:,} bytes of L1, and a core has {available:,}")
        return tuple(described)

    def semaphores(self) -> tuple[SemaphoreDescription, ...]:
        members = self._program.at("semaphores")
        described = tuple(
            SemaphoreDescription(
                name=member.at("name").text(),
                id=member.at("id").number(0, self._chip.semaphores - 1),
                initial=member.optional("initial", 0).number(0, _LARGEST_WORD),
            )
            for member in members.items()
        )
        _all_differ(members, [semaphore.id for semaphore in described], "id")
        return described

    def kernels(
        self, tensors: Sequence[OperandDescription], buffers: Sequence[CircularBufferDescription]
    ) -> tuple[KernelDescription, ...]:
        members = self._program.at("kernels")
        by_index = {tensor.index: tensor.name for tensor in tensors}
        known = tuple(by_index.values())
        described = []
        for member in members.items():
            config = member.at("kernel_config")
            compute = member.at("thread_type").word(("compute", "noc")) == "compute"
            indices = [item.number(0, len(tensors) - 1) for item in member.at("tensor_indices").items()]
            if any(index not in by_index for index in indices):
                raise KernelError(f"{member.path}.tensor_indices: there are tensors {sorted(by_index)}")
            source = member.at("cpp_source").text()
            if not source.strip():
                raise KernelError(f"{member.path}.cpp_source is empty")
            described.append(
                KernelDescription(
                    name=_file_name(config.at("name")),
                    file=_file_name(config.at("file")),
                    source=source,
                    thread="tensix" if compute else "noc",
                    processor=None if compute else config.at("processor").word(_PROCESSORS),
                    noc=None if compute else config.at("noc").number(0, 1),  # type: ignore[arg-type]
                    compile_time_args=self.words(config.at("compile_time_args"), known),
                    common_args=self.words(config.at("common_args"), known),
                    accessors=tuple(by_index[index] for index in indices),
                    defines=tuple(_define(item) for item in config.at("defines").items()),
                    config=_compute_config(config, [buffer.name for buffer in buffers]) if compute else None,
                )
            )
        if not described:
            raise KernelError("it has no kernels")
        _all_differ(members, [kernel.processor or "compute" for kernel in described], "processor")
        return tuple(described)


def _shard_bytes(tensor: OperandDescription) -> int:
    """Bytes of a tensor's shard in L1; 0 if it has no shard there. The tensor's accessor has the number of pages."""
    words = [word if isinstance(word, int) else 0 for word in (*tensor.accessor, 0, 0, 0)]
    page, rank, *layout = words[1:]
    extents = layout[1 + rank : 1 + 2 * rank]
    return prod(extents) * page if extents and tensor.memory == "l1" else 0


def _all_differ(member: _Member, values: Sequence[Any], what: str) -> None:
    if len(set(values)) != len(values):
        raise KernelError(f"two of {member.path} have one {what}: {', '.join(map(str, values))}")


def _file_name(member: _Member) -> str:
    """Return a name that may be a part of a path, but is not a path itself."""
    name = member.text()
    if not name.replace(".", "_").replace("-", "_").isidentifier() or len(name) > 200:
        raise member.wrong("the name of a kernel")
    return name


def _define(member: _Member) -> tuple[str, str]:
    pair = [item.text() for item in member.items()]
    if len(pair) != 2 or not pair[0].isidentifier():
        raise member.wrong("a name and what it stands for")
    return pair[0], pair[1]


def _compute_config(config: _Member, buffers: Sequence[str]) -> ComputeConfig:
    unpacked = config.optional("unpack_to_dest_fp32", ()).items()
    return ComputeConfig(
        math_fidelity=config.at("math_fidelity").word(get_args(Fidelity)),
        **{name: config.at(name).flag() for name in _FLAGS},
        unpack_to_dest_fp32=tuple(item.word(buffers) for item in unpacked),
    )
