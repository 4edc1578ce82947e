"""Programs of a ``.ttm`` file as records: the contents of its tables, validated once, before anything runs.

Files come from anywhere: every number that memory, cores or the time of a run depend on is checked here, and errors
name the command with the number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from tt_model.layouts.enums import DataType, MemorySpace
from tt_model.layouts.placed import MatrixPlacement
from tt_model.layouts.system_desc import ChipDesc
from tt_model.layouts.values import LayoutError
from tt_model.runtime.problems import UNREADABLE, At, RuntimeProblem, reason_of
from tt_model.runtime.tensors import TensorDescription, description_of

Core = tuple[int, int]
Fields = Mapping[str, Any]
# The most circular buffers of a core, and pages of a buffer; more would not be a mistake of a compiler.
MOST_PORTS, _MOST_PAGES = 64, 1 << 16
MOST_SEMAPHORES = 16
_FIDELITIES = ("LoFi", "HiFi2", "HiFi3", "HiFi4")


@dataclass(frozen=True, slots=True)
class MetalTensor:
    """A ``TensorRef``: a tensor's address, its bytes in every bank, its memory, and the placement of its elements."""

    id: int
    address: int
    size: int
    space: MemorySpace
    described: TensorDescription
    placement: MatrixPlacement
    cores: tuple[Core, ...]
    """The core (y, x) of each block, in row-major order; without meaning in DRAM."""

    @property
    def in_l1(self) -> bool:
        """Whether the tensor is in L1 of cores."""
        return self.space is MemorySpace.DeviceL1

    def __str__(self) -> str:
        return f"tensor {self.id}"


@dataclass(frozen=True, slots=True)
class MetalBuffer:
    """A ``CBRef``: a circular buffer of a kernel."""

    port: int
    address: int
    page_bytes: int
    pages: int
    data_type: DataType

    @property
    def end(self) -> int:
        """The address of the first byte behind the buffer."""
        return self.address + self.page_bytes * self.pages


@dataclass(frozen=True, slots=True)
class KernelComputeConfig:
    """The numeric settings of a compute kernel. ``unpack_to_dst``: ports whose float32 values keep all their bits."""

    fidelity: str
    fp32_dst: bool
    approximate: bool
    unpack_to_dst: frozenset[int]


@dataclass(frozen=True, slots=True)
class RuntimeArgument:
    """An argument of a kernel: the address of an operand, or that of a semaphore with the value ``initial``."""

    operand: int | None
    initial: int


@dataclass(frozen=True, slots=True)
class MetalKernel:
    """A kernel: its C++ and the cores (y, x) that it runs on.

    It runs on a NoC, or has a configuration for computing.
    """

    source: str
    cores: tuple[Core, ...]
    noc: int | None
    config: KernelComputeConfig | None
    buffers: tuple[MetalBuffer, ...]
    arguments: tuple[RuntimeArgument, ...]

    @property
    def thread(self) -> str:
        """``compute``, ``noc0`` or ``noc1``."""
        return "compute" if self.noc is None else f"noc{self.noc}"


@dataclass(frozen=True, slots=True)
class MetalCommand:
    """A command of a queue. ``kind`` is the name of its table; the other fields are its contents."""

    at: At
    kind: str
    fields: Fields
    tensors: tuple[MetalTensor, ...] = ()
    """Operands of a program; or source and destination; or the tensor that is created or freed."""
    kernels: tuple[MetalKernel, ...] = ()
    event: int | None = None
    words: tuple[int, Sequence[int]] | None = None
    """The bytes of a word, and the words to write."""


@dataclass(frozen=True, slots=True)
class MetalQueue:
    """Commands that run one after the other."""

    name: str
    commands: tuple[MetalCommand, ...]


@dataclass(frozen=True, slots=True)
class PreparedMetalProgram:
    """A program that is ready to run, any number of times: the queues of each of its device programs.

    ``limits`` are the smallest and the largest number that an input may have, by input number.
    """

    name: str
    input_tensors: tuple[MetalTensor, ...]
    output_tensors: tuple[MetalTensor, ...]
    devices: tuple[tuple[MetalQueue, ...], ...]
    limits: Mapping[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def inputs(self) -> tuple[TensorDescription, ...]:
        """The descriptions of the tensors that a user passes."""
        return tuple(one.described for one in self.input_tensors)

    @property
    def outputs(self) -> tuple[TensorDescription, ...]:
        """The descriptions of the tensors that a user receives."""
        return tuple(one.described for one in self.output_tensors)

    @property
    def input_shapes(self) -> list[tuple[int, ...]]:
        """The shapes of the tensors that a user passes."""
        return [one.shape for one in self.inputs]

    @property
    def steps(self) -> tuple[MetalCommand, ...]:
        """All commands, in the order of the file."""
        return tuple(command for queues in self.devices for queue in queues for command in queue.commands)


def prepare_metal_program(
    program: Fields, chip: ChipDesc, limits: Mapping[int, tuple[int, int]] = MappingProxyType({})
) -> PreparedMetalProgram:
    """Prepare a ``Program`` of a ``.ttm`` file for a chip; ``limits`` are those of its inputs.

    Raises ``RuntimeProblem``.
    """
    name = str(program.get("name", ""))
    reader = _TableReader(chip)
    try:
        inputs = tuple(map(reader.tensor, program.get("inputs", ())))
        outputs = tuple(map(reader.tensor, program.get("outputs", ())))
    except RuntimeProblem as problem:
        raise RuntimeProblem(f"program {name}: {problem.message}") from None
    devices, number = [], 0
    for device in program.get("device_programs", ()):
        queues = []
        for queue in device.get("command_queues", ()):
            commands = []
            for command in queue.get("commands", ()):
                commands.append(reader.command(number, command))
                number += 1
            queues.append(MetalQueue(str(queue.get("name", "")), tuple(commands)))
        devices.append(tuple(queues))
    return PreparedMetalProgram(name, inputs, outputs, tuple(devices), limits)


class _TableReader:
    """Reads the tables of one file. A table that several fields refer to is one object, and read once."""

    def __init__(self, chip: ChipDesc) -> None:
        self._chip = chip
        self._tensors: dict[int, tuple[Fields, MetalTensor]] = {}
        self._read: dict[str, Callable[[At, Fields], MetalCommand]] = {
            "EnqueueProgramCommand": self._program,
            "EnqueueWriteBufferCommand": self._write,
            "EnqueueReadBufferCommand": self._read_buffer,
            "CreateBufferCommand": self._of_tensor,
            "DeallocateBufferCommand": self._of_tensor,
            "CreateEventCommand": self._of_event,
            "EnqueueRecordEventCommand": self._of_event,
            "EnqueueWaitForEventCommand": self._of_event,
            "EventSynchronizeCommand": self._of_event,
            "EventQueryCommand": self._of_event,
            "FinishCommand": self._of_nothing,
        }

    def command(self, index: int, entry: Fields) -> MetalCommand:
        """Read one command. Raises ``RuntimeProblem``, with the command's place."""
        kind = str(entry.get("type_type", "NONE"))
        at = At(index, kind, _location(str(entry.get("debug_info", ""))), "command")
        if kind not in self._read:
            raise RuntimeProblem(f"there is no command {kind}; known are {', '.join(self._read)}", at=at)
        try:
            return self._read[kind](at, entry.get("type", {}))
        except RuntimeProblem as problem:
            raise RuntimeProblem(problem.message, at=at, notes=problem.notes) from None
        except KeyError as problem:
            raise RuntimeProblem(f"the table {kind} has no {problem.args[0]}", at=at) from None
        except UNREADABLE as problem:
            raise RuntimeProblem(f"the table {kind} cannot be read: {reason_of(problem)}", at=at) from None

    # Tensors.

    def tensor(self, reference: Fields) -> MetalTensor:
        """Read a ``TensorRef``. Raises ``RuntimeProblem``."""
        known = self._tensors.get(id(reference))
        if known is None:
            known = self._tensors[id(reference)] = (reference, self._new_tensor(reference))
        return known[1]

    def _new_tensor(self, reference: Fields) -> MetalTensor:
        described = description_of(reference)
        layout = reference["desc"]["layout"]
        memory = layout["memory_desc"]
        tile = memory.get("tile_shape", {"y": 1, "x": 1})
        try:
            space = MemorySpace[memory["memory_space"]]
            cores, grid = self._cores(layout.get("core_range_set", ()), space)
            placement = MatrixPlacement.of_table(
                described.shape,
                layout.get("stride", ()),
                grid,
                memory.get("shape", ()),
                (tile["y"], tile["x"]),
                described.data_type,
            )
        except LayoutError as problem:
            raise RuntimeProblem(f"{described}: {problem}") from None
        address, size = reference.get("address", 0), reference.get("size", 0)
        return MetalTensor(described.id, address, size, space, described, placement, cores)

    def _cores(
        self, ranges: Sequence[Fields], space: MemorySpace
    ) -> tuple[tuple[Core, ...], tuple[int, int]]:
        """The cores of rectangles in order, and the grid (rows, columns) that they form for a tensor."""
        cores = self._in_rectangles(ranges)
        if not cores:
            if space is MemorySpace.DeviceL1:
                raise RuntimeProblem("a tensor in L1 has no cores")
            return ((0, 0),), (1, 1)
        if len(ranges) == 1:
            size = ranges[0]["size"]
            return cores, (size["y"], size["x"])
        # Several rectangles: rows of cores as wide as the first rectangle.
        width = ranges[0]["size"]["x"]
        if len(cores) % width:
            raise RuntimeProblem(f"{len(cores)} cores of a tensor do not form rows of {width}")
        return cores, (len(cores) // width, width)

    def _in_rectangles(self, ranges: Iterable[Fields]) -> tuple[Core, ...]:
        rows, columns = self._chip.grid
        cores: list[Core] = []
        for one in ranges:
            (y, x), (height, width) = ((one[part]["y"], one[part]["x"]) for part in ("loc", "size"))
            if height < 1 or width < 1 or y < 0 or x < 0 or y + height > rows or x + width > columns:
                raise RuntimeProblem(
                    f"a range of {height}x{width} cores from ({y}, {x}) on is not on the chip, which has {rows}x{columns}"
                )
            cores += [(y + i, x + j) for i in range(height) for j in range(width)]
        if len(set(cores)) != len(cores):
            raise RuntimeProblem("ranges of cores overlap")
        return tuple(cores)

    # Commands.

    def _of_tensor(self, at: At, fields: Fields) -> MetalCommand:
        return MetalCommand(at, at.kind, fields, (self.tensor(fields["ref"]),))

    def _of_nothing(self, at: At, fields: Fields) -> MetalCommand:
        return MetalCommand(at, at.kind, fields)

    def _of_event(self, at: At, fields: Fields) -> MetalCommand:
        return MetalCommand(at, at.kind, fields, event=fields["ref"].get("global_id", 0))

    def _read_buffer(self, at: At, fields: Fields) -> MetalCommand:
        return MetalCommand(at, at.kind, fields, (self.tensor(fields["src"]), self.tensor(fields["dst"])))

    def _write(self, at: At, fields: Fields) -> MetalCommand:
        target, kind = self.tensor(fields["dst"]), fields["src_type"]
        if kind == "TensorRef":
            return MetalCommand(at, at.kind, fields, (self.tensor(fields["src"]), target))
        words: Sequence[int] = fields["src"].get("data", ())
        size = int(kind.removeprefix("ConstantBuffer")) // 8
        whole = target.placement.block_bytes * target.placement.blocks
        if len(words) != 1 and len(words) * size != whole:
            raise RuntimeProblem(
                f"{len(words):,} words of {size} bytes are written to {target}, which takes {whole:,} bytes: give one word, "
                "which is repeated, or all of them"
            )
        return MetalCommand(at, at.kind, fields, (target,), words=(size, words))

    def _program(self, at: At, fields: Fields) -> MetalCommand:
        operands = tuple(map(self.tensor, fields.get("operands", ())))
        kernels = tuple(
            self._kernel(number, one, operands)
            for number, one in enumerate(fields["program"].get("kernels", ()))
        )
        taken: dict[tuple[str, Core], int] = {}
        for number, kernel in enumerate(kernels):
            for core in kernel.cores:
                other = taken.setdefault((kernel.thread, core), number)
                if other != number:
                    raise RuntimeProblem(
                        f"kernels {other} and {number} are both for {kernel.thread} of core {core}, which can run only one"
                    )
        return MetalCommand(at, at.kind, fields, operands, kernels)

    def _kernel(self, number: int, fields: Fields, operands: Sequence[MetalTensor]) -> MetalKernel:
        if fields["kernel_type"] != "KernelSource":
            raise RuntimeProblem(
                f"kernel {number} is compiled for a card ({fields['kernel_type']}), and the emulated chip compiles sources"
            )
        held = fields["kernel"]
        kind, config = held.get("config_type"), held.get("config", {})
        cores = self._in_rectangles(fields.get("core_range_set", ()))
        try:
            buffers = tuple(map(self._buffer, fields.get("cbs", ())))
        except RuntimeProblem as problem:
            raise RuntimeProblem(f"kernel {number}: {problem.message}") from None
        noc: int | None = None
        compute: KernelComputeConfig | None = None
        match kind:
            case "NocConfig":
                noc = ("Noc0", "Noc1").index(config["noc_index"])
            case "TensixConfig":
                compute = _compute_config(number, config)
            case _:
                raise RuntimeProblem(
                    f"kernel {number} is for {kind or 'nothing'}, and cores for Ethernet are not emulated"
                )
        arguments = tuple(_argument(number, *one, len(operands)) for one in _members(fields, "runtime_args"))
        return MetalKernel(str(held.get("source", "")), cores, noc, compute, buffers, arguments)

    def _buffer(self, fields: Fields) -> MetalBuffer:
        desc = fields["desc"]
        memory, port = desc["memory_desc"], desc.get("port", 0)
        address, page = fields.get("address", 0), desc.get("page_size", 0)
        tensor = fields.get("tensor_ref")
        if not address and tensor is not None:
            address = tensor.get("address", 0)
        size = memory.get("size", 0) * desc.get("num_buffers", 1)
        name = f"circular buffer {port}"
        if port >= MOST_PORTS:
            raise RuntimeProblem(f"{name}: a core has {MOST_PORTS} circular buffers, numbered from 0")
        if page < 16 or page % 16 or size < page or size % page or size // page > _MOST_PAGES:
            raise RuntimeProblem(
                f"{name} has {size:,} bytes, which is not a whole number of pages of {page:,} bytes"
            )
        if address % 16 or address + size > self._chip.l1_size:
            raise RuntimeProblem(
                f"{name} lies at {address} to {address + size}, which is not in an L1 of {self._chip.l1_size:,} bytes"
            )
        return MetalBuffer(port, address, page, size // page, DataType[memory["data_type"]])


def _members(fields: Fields, name: str) -> list[tuple[str, Fields]]:
    return list(zip(fields.get(f"{name}_type", ()), fields.get(name, ())))


def _argument(number: int, kind: str, fields: Fields, operands: int) -> RuntimeArgument:
    if kind == "RuntimeArgSemaphoreAddress":
        return RuntimeArgument(None, fields.get("initial_value", 0))
    index = fields.get("operand_idx", 0)
    if index >= operands:
        raise RuntimeProblem(
            f"kernel {number} takes the address of operand {index}, and there are {operands}"
        )
    return RuntimeArgument(index, 0)


def _compute_config(number: int, config: Fields) -> KernelComputeConfig:
    fidelity = config.get("math_fidelity", "LoFi")
    if fidelity not in _FIDELITIES:
        raise RuntimeProblem(
            f"kernel {number} has the fidelity {fidelity}; there are {', '.join(_FIDELITIES)}"
        )
    modes = config.get("unpack_to_dest_mode", ())
    return KernelComputeConfig(
        fidelity,
        bool(config.get("fp32_dest_acc_en", False)),
        bool(config.get("math_approx_mode", False)),
        frozenset(port for port, mode in enumerate(modes) if mode == "UnpackToDestFp32"),
    )


def _location(text: str) -> str:
    """The location at the end of an operation's text; empty without a location."""
    start = text.rfind("loc(")
    return text[start:].strip() if start >= 0 else ""
