"""Runs the programs of a ``.ttm`` file on the emulated chip, command by command, without the file's module."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tt_model.layouts.kernel_permissions import PERMISSIONS
from tt_model.layouts.placed import decoded, encoded
from tt_model.runtime.metal.device import MetalDevice
from tt_model.runtime.metal.kernel_sources import emulated_command
from tt_model.runtime.metal.tables import MetalCommand, MetalQueue, MetalTensor, PreparedMetalProgram
from tt_model.runtime.numbers import check_limits, host_dtype, working_dtype
from tt_model.runtime.problems import RuntimeProblem
from ttl.diag import ProgramError
from ttl.emu.launch import ChipRun, execute
from ttl.emu.ready import made_ready

if TYPE_CHECKING:
    import torch

# Commands that continue only when an event was recorded.
_WAITS = ("EnqueueWaitForEventCommand", "EventSynchronizeCommand")


@dataclass(frozen=True, slots=True)
class DispatchCycles:
    """The cycles of a command with kernels on the emulated chip, and its numbers of kernels and cores.

    ``run`` is the run of the chip, with a record if one was requested.
    """

    command: MetalCommand
    cycles: int
    kernels: int
    cores: int
    run: ChipRun


@dataclass(slots=True)
class MetalReport:
    """The report of a run, like ``RunReport``; ``dispatches`` are the commands with kernels, in order."""

    leaks: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    peaks: dict[str, int] = field(default_factory=dict)
    dispatches: list[DispatchCycles] = field(default_factory=list)

    @property
    def cycles(self) -> int:
        """The cycles of all dispatches, one after the other."""
        return sum(one.cycles for one in self.dispatches)


class MetalState:
    """The state of a run: the device, and the tensors and events of the host."""

    def __init__(self, device: MetalDevice) -> None:
        self.device = device
        self.on_host: dict[int, npt.NDArray[Any]] = {}
        self.events: dict[int, bool] = {}

    def read(self, tensor: MetalTensor) -> npt.NDArray[Any]:
        """Return the numbers of a tensor of the host or the device.

        Raises ``RuntimeProblem`` for a tensor that was not written.
        """
        if tensor.space.is_host:
            if tensor.id not in self.on_host:
                raise RuntimeProblem(f"{tensor} is on the host, and was not read from the device")
            return self.on_host[tensor.id]
        return decoded(self.device.load(tensor), tensor.described.data_type)

    def write(self, tensor: MetalTensor, values: npt.NDArray[Any]) -> None:
        """Write numbers to a tensor, rounded to its type. Raises ``RuntimeProblem``."""
        if tensor.space.is_host:
            kind = tensor.described.data_type
            self.on_host[tensor.id] = decoded(encoded(values, kind), kind).reshape(tensor.described.shape)
        else:
            self.device.store(tensor, values)


# Called before or after each command with the state and the command.
MetalObserver = Callable[[MetalState, MetalCommand], None]


def run_metal_program(
    device: MetalDevice,
    program: PreparedMetalProgram,
    inputs: Sequence[torch.Tensor],
    *,
    before: MetalObserver | None = None,
    observe: MetalObserver | None = None,
    recorded: bool = False,
) -> tuple[list[torch.Tensor], MetalReport]:
    """Run a program on tensors of the host; return its outputs. Raises ``RuntimeProblem``.

    Tensors that the program leaves on the device are reported and freed. ``before`` is called before each command,
    ``observe`` after it. ``recorded``: the activity of the chip's processors is recorded, for profiles and reports.
    """
    runner = _MetalRunner(device, program, before, observe, recorded)
    device.clear()
    device.peaks.clear()
    try:
        runner.give(inputs)
        for queues in program.devices:
            runner.run(queues)
        outputs = [runner.output(number, one) for number, one in enumerate(program.output_tensors)]
        kept = (*program.input_tensors, *program.output_tensors)
        runner.report.leaks += device.leaks(kept)
    finally:
        device.clear()
    runner.report.peaks.update(device.peaks)
    return outputs, runner.report


class _MetalRunner:
    def __init__(
        self,
        device: MetalDevice,
        program: PreparedMetalProgram,
        before: MetalObserver | None,
        observe: MetalObserver | None,
        recorded: bool,
    ) -> None:
        self._device, self._program = device, program
        self._before, self._observe, self._recorded = before, observe, recorded
        self._state = MetalState(device)
        self.report = MetalReport()

    def give(self, inputs: Sequence[torch.Tensor]) -> None:
        """Write a user's tensors to the places of the program's inputs."""
        program = self._program
        if len(inputs) != len(program.input_tensors):
            raise RuntimeProblem(
                f"Program input size mismatch: {program.name} takes {len(program.input_tensors)} tensors, and got {len(inputs)}"
            )
        for number, (given, tensor) in enumerate(zip(inputs, program.input_tensors, strict=True)):
            name = f"input {number} of {program.name}"
            values = _numbers_of(name, given, tensor)
            if number in program.limits:
                check_limits(name, given, program.limits[number])
            if not tensor.space.is_host:
                self._device.create(tensor, f"input {number}")
            self._state.write(tensor, values)
        created = {
            command.tensors[0].id for command in program.steps if command.kind == "CreateBufferCommand"
        } | {one.id for one in program.input_tensors}
        for number, tensor in enumerate(program.output_tensors):
            if tensor.id not in created and not tensor.space.is_host:
                self._device.create(tensor, f"output {number}")
                created.add(tensor.id)

    def output(self, number: int, tensor: MetalTensor) -> torch.Tensor:
        """Return an output of the program as a tensor. Raises ``RuntimeProblem``."""
        try:
            values = self._state.read(tensor)
        except RuntimeProblem as problem:
            raise RuntimeProblem(
                f"output {number} of {self._program.name} cannot be read: {problem.message}",
                notes=problem.notes,
            ) from None
        return _tensor_of(values, tensor)

    # Queues and events.

    def run(self, queues: Sequence[MetalQueue]) -> None:
        """Run all queues, each until it waits."""
        places = [0] * len(queues)
        moved = True
        while moved:
            moved = False
            for number, queue in enumerate(queues):
                while places[number] < len(queue.commands):
                    command = queue.commands[places[number]]
                    if command.kind in _WAITS and not self._has_happened(command):
                        break
                    self._do(command)
                    places[number] += 1
                    moved = True
        stuck = [
            (queue, queue.commands[place])
            for queue, place in zip(queues, places)
            if place < len(queue.commands)
        ]
        if stuck:
            notes = tuple(
                f"queue {queue.name!r} waits for event {one.event}: {one.at}" for queue, one in stuck
            )
            raise RuntimeProblem(
                "all queues wait forever: the events that they wait for are recorded after their own waits, or not at all",
                at=stuck[0][1].at,
                notes=notes,
            )

    def _has_happened(self, command: MetalCommand) -> bool:
        assert command.event is not None
        if command.event not in self._state.events and not self._is_made(command.event):
            raise RuntimeProblem(
                f"it waits for event {command.event}, which no command records", at=command.at
            )
        return self._state.events.get(command.event, False)

    def _is_made(self, event: int) -> bool:
        return any(one.kind == "CreateEventCommand" and one.event == event for one in self._program.steps)

    def _do(self, command: MetalCommand) -> None:
        try:
            if self._before is not None:
                self._before(self._state, command)
            self._command(command)
            if self._observe is not None:
                self._observe(self._state, command)
        except RuntimeProblem as problem:
            if problem.at is None:
                raise type(problem)(problem.message, at=command.at, notes=problem.notes) from None
            raise

    def _command(self, command: MetalCommand) -> None:
        device, state = self._device, self._state
        match command.kind:
            case "EnqueueProgramCommand":
                self._dispatch(command)
            case "EnqueueWriteBufferCommand":
                self._write(command)
            case "EnqueueReadBufferCommand":
                source, target = command.tensors
                if source.described.shape != target.described.shape:
                    raise RuntimeProblem(
                        f"{source} is {_extents(source)} and is read into {target}, which is {_extents(target)}"
                    )
                state.write(target, state.read(source))
            case "CreateBufferCommand":
                (tensor,) = command.tensors
                # Some writers create buffers that exist since the program's beginning, such as an output.
                if not device.is_alive(tensor):
                    device.create(tensor, f"command {command.at.index}")
            case "DeallocateBufferCommand":
                device.free(command.tensors[0])
            case "CreateEventCommand":
                assert command.event is not None
                state.events[command.event] = False
            case "EnqueueRecordEventCommand" | "EventQueryCommand":
                assert command.event is not None
                if command.event not in state.events:
                    raise RuntimeProblem(f"event {command.event} was not created")
                # A command is complete before the next one begins, so that an event has happened when it is recorded.
                if command.kind == "EnqueueRecordEventCommand":
                    state.events[command.event] = True

    def _write(self, command: MetalCommand) -> None:
        *sources, target = command.tensors
        if sources:
            if sources[0].described.shape != target.described.shape:
                raise RuntimeProblem(
                    f"{sources[0]} is {_extents(sources[0])} and is written to {target}, which is {_extents(target)}"
                )
            self._state.write(target, self._state.read(sources[0]))
            return
        assert command.words is not None
        size, words = command.words
        raw = np.asarray(words, np.dtype(f"<u{size}")).tobytes()
        if target.space.is_host:
            raise RuntimeProblem(f"words are written to {target}, which is on the host")
        if len(words) == 1:
            self._device.fill(target, raw)
            return
        self._device.check_alive(target)
        if not target.in_l1:
            raise RuntimeProblem(f"words of shards are written to {target}, which is in DRAM and has pages")
        blocks = target.placement.blocks
        self._device.store_shards(target, np.frombuffer(raw, np.uint8).reshape(blocks, -1))

    # Kernels.

    def _dispatch(self, command: MetalCommand) -> None:
        device = self._device
        if not PERMISSIONS.get().sources:
            raise RuntimeProblem(
                "its kernels are C++ in the file, which would run as code on this machine",
                notes=(
                    "they differ from what this release writes for the module in the file, or the file has no module",
                    "allow it, for files that you trust: --allow-kernel-source; or write the file again from its module",
                ),
            )
        for tensor in command.tensors:
            device.check_alive(tensor)
        emulated = emulated_command(
            command, device.chip.chip.max_runtime_args, device.l1_of, device.semaphore_address
        )
        for begin, end in emulated.shared:
            if begin < device.desc.l1_unreserved_base:
                raise RuntimeProblem(
                    f"a circular buffer lies at {begin} to {end}, and the first {device.desc.l1_unreserved_base} bytes of L1 are "
                    "the firmware's"
                )
        try:
            ready = made_ready(emulated.program, device.chip)
            run = execute(
                emulated.program, ready, device.chip, device.parts(emulated.shared), recorded=self._recorded
            )
        except ProgramError as problem:
            raise _in_words(problem) from None
        except (OSError, ValueError) as problem:
            # The C++ compiles, but is not a kernel, or it uses resources that no core has.
            raise RuntimeProblem(f"its kernels cannot be started: {_first_line(problem)}") from None
        if run.printed:
            print(run.printed, end="", flush=True)
        cores = {core for kernel in command.kernels for core in kernel.cores}
        self.report.dispatches.append(
            DispatchCycles(command, run.cycles, len(command.kernels), len(cores), run)
        )


def _first_line(problem: Exception) -> str:
    """Return the first line of the loader's message, without the name of the compiled file."""
    return str(problem).rpartition(".so: ")[2].partition("\n")[0]


def _in_words(problem: ProgramError) -> RuntimeProblem:
    """Convert an error of the chip, or of the compiler of its kernels, to a ``RuntimeProblem``."""
    first = problem.diagnostics[0]
    notes = (*first.notes, *(f"help: {one}" for one in first.help))
    return RuntimeProblem(f"{first.message} ({first.code})", notes=notes)


def _extents(tensor: MetalTensor) -> str:
    return "x".join(map(str, tensor.described.shape)) or "a number"


def _numbers_of(name: str, given: torch.Tensor, tensor: MetalTensor) -> npt.NDArray[Any]:
    import torch

    shape, kind = tensor.described.shape, tensor.described.data_type
    if tuple(given.shape) != shape:
        raise RuntimeProblem(f"{name} has shape {tuple(given.shape)}, but the program expects {shape}")
    wanted = host_dtype(kind)
    if wanted is None or given.dtype != wanted:
        raise RuntimeProblem(
            f"{name} is {given.dtype}, and {kind.keyword} is expected: pass tensor.to({wanted})"
        )
    plain = given.to(torch.float32) if given.dtype.is_floating_point else given.to(working_dtype(kind))
    numbers: npt.NDArray[Any] = plain.contiguous().numpy()
    return numbers


def _tensor_of(values: npt.NDArray[Any], tensor: MetalTensor) -> torch.Tensor:
    import torch

    kind = tensor.described.data_type
    wanted = host_dtype(kind)
    assert wanted is not None
    plain = values if values.dtype.kind == "f" else values.astype(np.int64)
    return torch.from_numpy(np.array(plain)).to(wanted)
