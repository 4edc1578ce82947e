"""Programs that follow each other on a device, without the host between them.

A compiled program moves its inputs from the host to the places that its first operations require, and its results back.
Here such a program is changed to one that does neither: its inputs are tensors on the device, in the layout that the
moves at its beginning result in, and its outputs are the tensors that the moves at its end begin with. ``to_layout``
converts a tensor to the layout that a program requires.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tt_model.operations.ttnn import (
    TTNNDeallocateOp,
    TTNNFromDeviceOp,
    TTNNToDeviceOp,
    TTNNToLayoutOp,
    TTNNToMemoryConfigOp,
)
from tt_model.runtime.devices import SimulatedChip, SimulatedDevice
from tt_model.runtime.distribution import MeshShards, Replicate
from tt_model.runtime.executor import PreparedProgram, RunReport, peaks_of, prepare_program, run_steps
from tt_model.runtime.numbers import converted, data_type_of, from_host, stored
from tt_model.runtime.operands import first_read, tensors_read
from tt_model.runtime.placement import distributed
from tt_model.runtime.pool import TensorPool
from tt_model.runtime.problems import RuntimeProblem
from tt_model.runtime.steps import is_of
from tt_model.runtime.tensors import DeviceStorage, RuntimeTensor, TensorDescription

if TYPE_CHECKING:
    import torch

    from tt_model.layouts.kernel_request import KernelTarget

Fields = Mapping[str, Any]
# Moves at the beginning of a program, and at its end.
_IN = (TTNNToLayoutOp, TTNNToDeviceOp, TTNNToMemoryConfigOp)
_OUT = (TTNNToLayoutOp, TTNNFromDeviceOp)


def on_device(program: Fields) -> dict[str, Any]:
    """The tables of a ``Program`` whose inputs and outputs are tensors of the device.

    An input that operations require on the host, or in several layouts, stays on the host; so does an output that no
    operation moved.
    """
    returned = {int(reference["global_id"]) for reference in program.get("outputs", [])}
    rewritten = _Stitching(list(program.get("operations", [])), returned)
    inputs = [rewritten.input(reference) for reference in program.get("inputs", [])]
    taken = {int(reference["global_id"]) for reference in inputs}
    outputs = [rewritten.output(reference, taken) for reference in program.get("outputs", [])]
    return {**program, "inputs": inputs, "outputs": outputs, "operations": rewritten.operations()}


class _Stitching:
    """The operations of a program, those that are removed, and the tensors that replace others."""

    def __init__(self, operations: list[Fields], returned: set[int]) -> None:
        self._operations = operations
        self._returned = returned
        self._gone: set[int] = set()
        self._kept_alive: set[int] = set()
        self._renamed: dict[int, Fields] = {}
        self._readers: dict[int, list[int]] = {}
        self._writer: dict[int, int] = {}
        for index, operation in enumerate(operations):
            fields = operation.get("type", {})
            if not is_of(operation, TTNNDeallocateOp):
                for _, read in tensors_read(fields):
                    self._readers.setdefault(int(read["global_id"]), []).append(index)
            out = fields.get("out")
            if isinstance(out, Mapping) and "desc" in out:
                self._writer[int(out["global_id"])] = index

    def input(self, reference: Fields) -> Fields:
        """Return the tensor that replaces an input of the program: the result of the moves of the input."""
        number = int(reference["global_id"])
        if number in self._returned:
            return reference
        ends: list[Fields] = []
        moves: list[int] = []
        for reader in self._readers.get(number, []):
            end = self._followed(reader, moves)
            if end is None:
                return reference
            ends.append(end)
        if not ends or any(end.get("desc") != ends[0].get("desc") for end in ends):
            return reference
        self._gone.update(moves)
        for end in ends:
            self._renamed[int(end["global_id"])] = ends[0]
            self._kept_alive.add(int(end["global_id"]))
        return ends[0]

    def _followed(self, index: int, moves: list[int]) -> Fields | None:
        """The result of the moves that begin at an operation; None without a move, or if it is on the host."""
        last: Fields | None = None
        while True:
            operation = self._operations[index]
            if not is_of(operation, *_IN):
                break
            moves.append(index)
            last = operation["type"]["out"]
            readers = self._readers.get(int(last["global_id"]), [])
            if len(readers) != 1:
                break
            index = readers[0]
        return last if last is not None and _is_on_device(last) else None

    def output(self, reference: Fields, taken: set[int]) -> Fields:
        """Return the tensor that replaces an output of the program: the device tensor that the output is moved from."""
        moves, current = [], reference
        while not _is_on_device(current):
            number = int(current["global_id"])
            writer = self._writer.get(number)
            wanted = 0 if current is reference else 1
            if writer is None or len(self._readers.get(number, [])) != wanted:
                return reference
            operation = self._operations[writer]
            if not is_of(operation, *_OUT):
                return reference
            moves.append(writer)
            _, current = next(tensors_read(operation["type"]))
        number = int(self._renamed.get(int(current["global_id"]), current)["global_id"])
        if not moves or number in taken:
            return reference
        self._gone.update(moves)
        self._kept_alive.add(int(current["global_id"]))
        return current

    def operations(self) -> list[Fields]:
        """Return the remaining operations: without the moves and the deallocations of their tensors."""
        unwritten = {
            int(self._operations[index]["type"]["out"]["global_id"]) for index in self._gone
        } | self._kept_alive
        left: list[Fields] = []
        for index, operation in enumerate(self._operations):
            if index in self._gone:
                continue
            fields = operation.get("type", {})
            if is_of(operation, TTNNDeallocateOp) and first_read(fields) in unwritten:
                continue
            left.append({**operation, "type": self._with_names(fields)})
        return left

    def _with_names(self, fields: Fields) -> dict[str, Any]:
        def named(value: Any) -> Any:
            if isinstance(value, list):
                return [named(one) for one in value]
            if isinstance(value, Mapping) and "desc" in value:
                return self._renamed.get(int(value["global_id"]), value)
            return value

        return {name: value if name == "out" else named(value) for name, value in fields.items()}


def _is_on_device(reference: Fields) -> bool:
    memory = reference.get("desc", {}).get("layout", {}).get("memory_desc", {})
    return str(memory.get("memory_space", "System")).startswith("Device")


@dataclass(frozen=True, slots=True)
class StitchedProgram:
    """A program with inputs and outputs on the device, ready to run."""

    program: PreparedProgram

    @staticmethod
    def of(program: Fields) -> StitchedProgram:
        """Return the stitched form of a binary's ``Program``. Raises ``RuntimeProblem``."""
        return StitchedProgram(prepare_program(on_device(program)))

    def run(
        self,
        device: SimulatedDevice,
        inputs: Sequence[RuntimeTensor],
        *,
        tt_lang: KernelTarget = "sim",
    ) -> tuple[list[RuntimeTensor], RunReport]:
        """Run the program; return its results, which stay on the device until they are released.

        Raises ``RuntimeProblem``.

        Inputs in another layout than the program requires are converted first, and the copy is released.
        """
        program = self.program
        if len(inputs) != len(program.inputs):
            raise RuntimeProblem(
                f"Program input size mismatch: {program.name} takes {len(program.inputs)} tensors, and got {len(inputs)}"
            )
        mesh = device.row_of(program.mesh) if program.mesh else device.chips[:1]
        placed = [to_layout(device, tensor, wanted, mesh) for tensor, wanted in zip(inputs, program.inputs)]
        pool = TensorPool(device, tt_lang=tt_lang)
        pool.give(list(zip((one.id for one in program.inputs), placed, strict=True)))
        report = RunReport()
        try:
            run_steps(pool, program)
            outputs = [pool.take(one.id) for one in program.outputs]
            report.leaks = pool.leaks([])
            report.warnings = pool.warnings
            report.kernels = pool.kernels
        finally:
            pool.clear()
            for given, used in zip(inputs, placed, strict=True):
                if used is not given:
                    release(used)
        report.peaks.update(peaks_of(device))
        return outputs, report


def to_layout(
    device: SimulatedDevice,
    tensor: RuntimeTensor,
    wanted: TensorDescription,
    mesh: tuple[SimulatedChip, ...] = (),
) -> RuntimeTensor:
    """Convert a tensor to the layout that a program requires, on the chips of ``mesh``, unless it has that layout.

    Raises ``RuntimeProblem`` for another shape, or a tensor of another device; ``OutOfMemory`` if the copy does not
    fit.
    """
    mesh = mesh or tensor.mesh or device.chips[:1]
    if tensor.shape != wanted.shape:
        raise RuntimeProblem(
            f"a tensor of shape {tensor.shape} is passed, but the program expects {wanted.shape}: {tensor.describe()}"
        )
    if tensor.storage is not None and not tensor.storage.is_live:
        raise RuntimeProblem(f"a tensor is used after it was deallocated: {tensor.describe()}")
    if any(chip not in device.chips for chip in tensor.mesh):
        raise RuntimeProblem(
            f"a tensor is on another device: {tensor.describe()}; read it with to_host, and pass the result"
        )
    if is_as_wanted(tensor, wanted) and (wanted.config is None or tensor.mesh == mesh):
        return tensor
    values = distributed(tensor, wanted, mesh)

    def as_wanted(part: torch.Tensor) -> torch.Tensor:
        fitting = part if tensor.data_type is wanted.data_type else converted(part, wanted.data_type)
        return stored(fitting, wanted.data_type)

    shards = values.mapped(as_wanted, values.strategy) if isinstance(values, MeshShards) else None
    first = shards.parts[0] if shards is not None else as_wanted(tensor.values)
    storage = None
    if wanted.config is not None:
        owner = f"an input of a program ({'x'.join(map(str, wanted.shape))})"
        taken = device.allocate(
            mesh, wanted.shape, wanted.data_type, wanted.tiled, wanted.config, owner, None
        )
        storage = DeviceStorage(taken, mesh)
    return RuntimeTensor(first, wanted.data_type, wanted.tiled, wanted.config, storage, shards)


def is_as_wanted(tensor: RuntimeTensor, wanted: TensorDescription) -> bool:
    """Whether a tensor has the layout that a program requires. The shards of interleaved tensors are not compared."""
    if tensor.data_type is not wanted.data_type or tensor.tiled != wanted.tiled:
        return False
    if tensor.config is None or wanted.config is None:
        return tensor.config is wanted.config
    same = (tensor.config.buffer_type, tensor.config.memory_layout) == (
        wanted.config.buffer_type,
        wanted.config.memory_layout,
    )
    return same and (not wanted.config.memory_layout.is_sharded or tensor.config == wanted.config)


def host_tensor(held: torch.Tensor | MeshShards) -> RuntimeTensor:
    """Convert a user's tensor, or shards of one. Raises ``RuntimeProblem`` for a type that no device has."""
    first = held.parts[0] if isinstance(held, MeshShards) else held
    data_type = data_type_of(first.dtype)
    if data_type is None:
        raise RuntimeProblem(f"Unsupported data type {first.dtype}: give float32, bfloat16, uint32 or uint16")
    if not isinstance(held, MeshShards):
        return RuntimeTensor(from_host(held, data_type), data_type, False)
    shards = held.mapped(lambda part: from_host(part, data_type), held.strategy)
    if isinstance(held.strategy, Replicate):
        return RuntimeTensor(shards.parts[0], data_type, False)
    return RuntimeTensor(shards.parts[0], data_type, False, shards=shards)


def release(tensor: RuntimeTensor, force: bool = False) -> None:
    """Free the memory of a tensor. Raises ``RuntimeProblem`` if it was freed before."""
    if tensor.storage is None:
        return
    if not tensor.storage.is_live:
        raise RuntimeProblem(f"a tensor is deallocated twice: {tensor.describe()}")
    tensor.storage.release(force)
