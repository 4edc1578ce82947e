"""The tensors of a running program by their numbers, and the program's devices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from tt_model.layouts.enums import BufferType, DataType
from tt_model.layouts.layout import MemoryConfigRecord
from tt_model.runtime.devices import SimulatedChip, SimulatedDevice
from tt_model.runtime.distribution import MeshShards, Replicate, extents_of
from tt_model.runtime.numbers import stored
from tt_model.runtime.plan import RunRecorder
from tt_model.runtime.problems import At, RuntimeProblem
from tt_model.runtime.tensors import DeviceStorage, RuntimeTensor, TensorDescription

if TYPE_CHECKING:
    import torch

    from tt_model.layouts.kernel_request import CollectiveTarget, KernelTarget
    from tt_model.operations.fields import OperandField
    from tt_model.operations.operation import TTNNOperation


class TensorName(NamedTuple):
    """The owner of an allocation. It is converted to text only for an error."""

    number: int
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"tensor {self.number} ({'x'.join(map(str, self.shape))})"


@dataclass(frozen=True, slots=True)
class KernelCycles:
    """The cycles of an operation of TT-Lang on the emulated chip."""

    at: At | None
    kernel_id: str
    cycles: int


class TensorPool:
    """The tensors of a program by number. The program must not deallocate tensors that a user passed."""

    def __init__(
        self,
        device: SimulatedDevice,
        *,
        strict: bool = False,
        tt_lang: KernelTarget = "sim",
        collectives: CollectiveTarget = "host",
        recorder: RunRecorder | None = None,
    ) -> None:
        """Make a pool; with ``strict``, a call that a card may refuse is an error, else one of the ``warnings``.

        ``tt_lang`` is the target of operations of TT-Lang: the simulator, the emulated chip, whose cycles are in
        ``kernels``, or their references in NumPy. ``collectives`` is the target of operations between chips.
        ``recorder`` records the computations.
        """
        self.recorder = recorder
        self.tt_lang: KernelTarget = tt_lang
        self.collectives: CollectiveTarget = collectives
        self.kernels: list[KernelCycles] = []
        self.device = device
        self.at: At | None = None
        self.warnings: list[str] = []
        self._strict = strict
        self._tensors: dict[int, RuntimeTensor] = {}
        self._inputs: frozenset[int] = frozenset()
        # Inputs that were brought to the device for the program.
        self._brought: set[int] = set()
        self._gone: dict[int, At | None] = {}
        self._meshes: dict[int, tuple[SimulatedChip, ...]] = {}
        # Rows and columns of meshes, by their chips.
        self._extents: dict[tuple[int, ...], tuple[int, int]] = {}

    def give(self, tensors: Sequence[tuple[int, RuntimeTensor]]) -> None:
        """Add the inputs of the program."""
        self._inputs = frozenset(number for number, _ in tensors)
        self._tensors.update(tensors)

    def bring(
        self,
        described: TensorDescription,
        values: torch.Tensor | MeshShards,
        mesh: tuple[SimulatedChip, ...],
    ) -> None:
        """Put an input on the device in the form that the program requires; the program's writes change it."""
        self._brought.add(described.id)
        self.put(described, values, described.data_type, described.tiled, described.config, mesh)

    # Devices.

    def open_mesh(self, number: int, chip_ids: Sequence[int], extents: tuple[int, int] | None = None) -> None:
        """Define a device of the program: some of the opened chips, which are neighbours in their order.

        ``extents`` are its rows and columns of chips, by default one row.

        Raises ``RuntimeProblem`` for chips that are not neighbours in this order, and for a number that is a device
        already.
        """
        if number in self._meshes:
            had = [chip.id for chip in self._meshes[number]]
            raise RuntimeProblem(
                f"device {number} is defined twice, before with the chips {had}: every GetDeviceOp needs another number",
                at=self.at,
            )
        self._meshes[number] = self.device.row_of(chip_ids)
        self._extents[tuple(chip_ids)] = extents or (1, len(chip_ids))

    def mesh(self, number: int | None) -> tuple[SimulatedChip, ...]:
        """Return the chips of a device; without a number, those of the program's first device.

        If the program has no device, it is the first opened chip. Raises ``RuntimeProblem`` for an unopened device.
        """
        if number is None:
            return next(iter(self._meshes.values()), self.device.chips[:1])
        if number not in self._meshes:
            raise RuntimeProblem(f"device {number} is used before its GetDeviceOp", at=self.at)
        return self._meshes[number]

    def extents(self, mesh: tuple[SimulatedChip, ...]) -> tuple[int, int]:
        """Return the rows and columns of chips: those of the device with exactly these chips, or else one row."""
        return self._extents.get(tuple(chip.id for chip in mesh), (1, len(mesh)))

    # Tensors.

    def read(self, number: int) -> RuntimeTensor:
        """A tensor by its number. Raises ``RuntimeProblem`` for one that was not written, or was deallocated."""
        tensor = self._tensors.get(number)
        if tensor is None:
            if number in self._gone:
                raise RuntimeProblem(
                    f"tensor {number} is used after it was deallocated by {self._gone[number]}", at=self.at
                )
            raise RuntimeProblem(
                f"tensor {number} is used, and no operation before has written it", at=self.at
            )
        if tensor.storage is not None and not tensor.storage.is_live:
            raise RuntimeProblem(
                f"tensor {number} is a view of memory that was deallocated with force", at=self.at
            )
        if tensor.storage is not None and tensor.storage.writes != tensor.seen:
            raise RuntimeProblem(
                f"tensor {number} ({tensor.describe()}) is a view of memory that another tensor has overwritten: copy it "
                "before",
                at=self.at,
            )
        return tensor

    def on_device(self, number: int) -> RuntimeTensor:
        """A tensor by its number, which must be on a device. Raises ``RuntimeProblem``."""
        tensor = self.read(number)
        if not tensor.on_device:
            raise RuntimeProblem(
                f"tensor {number} ({tensor.describe()}) must be on the device: put a ttnn.to_device before",
                at=self.at,
            )
        return tensor

    def operand(self, number: int, field: OperandField[Any]) -> RuntimeTensor:
        """A tensor by its number, checked against the requirement of the operand's field in the operation's class.

        Raises ``RuntimeProblem`` for another memory and for elements of another type. Other pages are reported as a
        doubt, since an operation on a card may refuse them.
        """
        takes = field.takes
        assert takes is not None
        tensor = self.on_device(number) if takes.memory == "device" else self.read(number)
        if not takes.memory_of(tensor.on_device):
            raise RuntimeProblem(
                f"tensor {number} ({tensor.describe()}), the {field.name} of the operation, must be on the host: put a "
                "ttnn.from_device before",
                at=self.at,
            )
        if not takes.type_of(tensor.data_type):
            raise RuntimeProblem(
                f"tensor {number} is {tensor.describe()}, and the operation takes "
                f"{' or '.join(one.keyword for one in takes.data_types)} as its {field.name}: put a ttnn.typecast before",
                at=self.at,
            )
        if not takes.pages_of(tensor.on_device, tensor.tiled):
            self.doubt(
                f"tensor {number} ({tensor.describe()}) is not in tiles, which the operation on a card may refuse: put a "
                "ttnn.to_layout to tile before"
            )
        config = tensor.config
        in_l1 = config is not None and config.buffer_type is BufferType.L1
        if config is not None and in_l1 and not takes.layout_of(config.memory_layout):
            self.doubt(
                f"tensor {number} ({tensor.describe()}) is in shards ({config.memory_layout.keyword}), and the operation takes its "
                f"{field.name} interleaved, so that it may be refused on a card: put a ttnn.to_memory_config before"
            )
        return tensor

    def operands(self, numbers: Sequence[int], field: OperandField[Any]) -> list[RuntimeTensor]:
        """The tensors of a group of operands, checked like ``operand``."""
        tensors = [self.operand(number, field) for number in numbers]
        assert field.takes is not None
        if field.takes.pages == "alike" and len({tensor.tiled for tensor in tensors}) > 1:
            layouts = ", ".join(tensor.describe() for tensor in tensors)
            self.doubt(
                f"the operation takes tensors of one layout, and gets {layouts}, which a card may refuse: put a ttnn.to_layout "
                "before"
            )
        return tensors

    def mesh_of(self, *tensors: RuntimeTensor) -> tuple[SimulatedChip, ...]:
        """The chips that these tensors are on, except host tensors.

        Raises ``RuntimeProblem`` if they are on different chips.
        """
        mesh: tuple[SimulatedChip, ...] = ()
        for tensor in tensors:
            storage = tensor.storage
            if storage is None or storage.mesh is mesh:
                continue
            if mesh and storage.mesh != mesh:
                one, other = ([chip.id for chip in chips] for chips in (mesh, storage.mesh))
                raise RuntimeProblem(
                    f"one operand lies on the chips {one}, another ({tensor.describe()}) on {other}: bring it there with "
                    "ttnn.from_device and ttnn.to_device",
                    at=self.at,
                )
            mesh = storage.mesh
        return mesh

    def doubt(self, message: str) -> None:
        """Report a condition that a card may refuse: as a warning, or as an error in a strict run."""
        problem = RuntimeProblem(message, at=self.at)
        if self._strict:
            raise problem
        self.warnings.append(str(problem))

    def write(self, number: int, tensor: RuntimeTensor) -> None:
        """Store the result of an operation under its number, and release the tensor that had the number before."""
        before = self._tensors.get(number)
        self._tensors[number] = tensor
        self._gone.pop(number, None)
        if before is not None and before.storage is not None and before.storage is not tensor.storage:
            before.storage.release(force=False)

    def put(
        self,
        described: TensorDescription,
        values: torch.Tensor | MeshShards,
        data_type: DataType,
        tiled: bool,
        config: MemoryConfigRecord | None,
        mesh: tuple[SimulatedChip, ...] = (),
    ) -> None:
        """Store values as a new tensor, on the chips of ``mesh`` if there is a configuration.

        The strategy in the binary takes precedence over that of ``values``. An input that is on the device keeps its
        memory, and the values are written there.
        """
        shards = None
        if isinstance(values, MeshShards):
            if mesh and len(values.parts) != len(mesh):
                raise RuntimeProblem(
                    f"{described} is computed for {len(values.parts)} chips, and put on {len(mesh)}: "
                    f"{[chip.id for chip in mesh]}",
                    at=self.at,
                )
            shards = self._laid(described, values, data_type)
            values = shards.parts[0]
        else:
            values = self._stored(values, data_type)
            if described.strategy is not None and len(mesh) > 1:
                shards = self._alike(described, values, len(mesh))
        there = self._tensors.get(described.id)
        if there is not None and there.on_device and described.id in self._inputs:
            self._write_over(described.id, values, shards)
            return
        shape = tuple(values.shape)
        storage = None
        if config is not None:
            if config.memory_layout.is_sharded:
                self._check_cores(described, mesh or self.device.chips[:1])
            taken = self.device.allocate(
                mesh or self.device.chips[:1],
                shape,
                data_type,
                tiled,
                config,
                TensorName(described.id, shape),
                self.at,
            )
            storage = DeviceStorage(taken, mesh or self.device.chips[:1])
        self.write(described.id, RuntimeTensor(values, data_type, tiled, config, storage, shards))

    def overwrite(self, described: TensorDescription, values: torch.Tensor | MeshShards) -> None:
        """Write other values into the memory of an existing tensor.

        Raises ``RuntimeProblem`` if it is not on the device.
        """
        there = self.on_device(described.id)
        shards = None
        if isinstance(values, MeshShards):
            shards = self._laid(described, values, there.data_type)
            values = shards.parts[0]
        self._write_over(described.id, self._stored(values, there.data_type), shards)

    def _stored(self, values: torch.Tensor, data_type: DataType) -> torch.Tensor:
        """Convert values to the form in which a type stores them."""
        held = stored(values, data_type)
        if self.recorder is not None:
            self.recorder.computed(partial(stored, data_type=data_type), [values], held)
        return held

    def _write_over(self, number: int, values: torch.Tensor, shards: MeshShards | None) -> None:
        tensor = self._tensors[number]
        if tuple(values.shape) != tensor.shape:
            raise RuntimeProblem(
                f"a tensor of shape {tuple(values.shape)} is written into one of {tensor.describe()}",
                at=self.at,
            )
        assert tensor.storage is not None
        tensor.storage.writes += 1
        self._tensors[number] = replace(tensor, values=values, shards=shards, seen=tensor.storage.writes)

    def _check_cores(self, described: TensorDescription, mesh: tuple[SimulatedChip, ...]) -> None:
        """Check that the cores of shards are one rectangle on every chip. Raises ``RuntimeProblem``."""
        for y, x, height, width in described.rectangles:
            for chip in mesh:
                rows, columns = chip.desc.grid[-2:]
                if y + height > rows or x + width > columns:
                    raise RuntimeProblem(
                        f"the shards of {described} lie on {height}x{width} cores from ({y}, {x}), and chip {chip.id} has "
                        f"{rows}x{columns}",
                        at=self.at,
                    )
        if len(described.rectangles) > 1:
            raise RuntimeProblem(
                f"the shards of {described} lie on {len(described.rectangles)} rectangles of cores, and the library takes one "
                "(Currently only single core range/grid is supported)",
                at=self.at,
            )

    def _laid(self, described: TensorDescription, shards: MeshShards, data_type: DataType) -> MeshShards:
        """Convert shards to the form in which a type stores them, with the strategy in the binary.

        Raises ``RuntimeProblem``.
        """
        strategy = described.strategy or shards.strategy
        if self.recorder is not None:
            self.recorder.is_whole = False
        if strategy is not None:
            extents_of(strategy, shards.parts[0].dim(), len(shards.parts))
        if isinstance(strategy, Replicate):
            raise RuntimeProblem(
                f"{described} is replicated in the binary, and the chips have different values: put a ttnn.all_gather before",
                at=self.at,
            )
        return shards.mapped(lambda part: stored(part, data_type), strategy)

    def _alike(self, described: TensorDescription, values: torch.Tensor, chips: int) -> MeshShards | None:
        """Return the shards of a tensor with the same values on each chip; None if the binary does not shard it."""
        if described.strategy is None or isinstance(described.strategy, Replicate):
            return None
        extents_of(described.strategy, values.dim(), chips)
        return MeshShards((values,) * chips, described.strategy)

    def put_result(
        self,
        described: TensorDescription,
        values: torch.Tensor | MeshShards,
        data_type: DataType,
        of: type[TTNNOperation],
        *operands: RuntimeTensor,
        mesh: tuple[SimulatedChip, ...] = (),
    ) -> None:
        """Store the result of an operation, in the pages of its class, on the chips of its operands or of ``mesh``."""
        tiled = of.result_is_tiled(stated=described.tiled, operand=operands[0].tiled)
        self.put(described, values, data_type, tiled, described.config, self.mesh_of(*operands) or mesh)

    def view(
        self, described: TensorDescription, of: RuntimeTensor, values: torch.Tensor | MeshShards
    ) -> None:
        """Store other values that share the memory of a tensor, such as another shape of it."""
        shards = None
        if isinstance(values, MeshShards):
            shards = self._laid(described, values, of.data_type)
            values = shards.parts[0]
        if of.storage is not None:
            of.storage.users += 1
        self.write(
            described.id,
            RuntimeTensor(values, of.data_type, of.tiled, of.config, of.storage, shards, of.seen),
        )

    def deallocate(self, number: int, force: bool) -> None:
        """Free a tensor's memory.

        Raises ``RuntimeProblem`` if it was freed before, or if the tensor is an input of the user.
        """
        if number in self._inputs:
            raise RuntimeProblem(
                f"tensor {number} is an input of the program, which it must not deallocate", at=self.at
            )
        if number in self._gone and number not in self._tensors:
            raise RuntimeProblem(
                f"tensor {number} is deallocated twice: {self._gone[number]} did it first", at=self.at
            )
        tensor = self.read(number)
        if tensor.storage is not None:
            tensor.storage.release(force)
        del self._tensors[number]
        self._gone[number] = self.at

    def leaks(self, outputs: Sequence[int]) -> list[str]:
        """Messages for tensors that are on the device at the end of a program and are not its outputs."""
        return [
            f"tensor {number} ({tensor.describe()}) was not deallocated: {allocation.size:,} bytes of each bank"
            + (f" of the chips {[chip.id for chip in tensor.mesh]}" if len(tensor.mesh) > 1 else "")
            + (f", since {allocation.since}" if allocation.since is not None else "")
            for number, tensor in self._tensors.items()
            if number not in outputs and number not in self._inputs and tensor.storage is not None
            for allocation in tensor.storage.allocations[:1]
        ]

    def take(self, number: int) -> RuntimeTensor:
        """Take a tensor out of the pool, so that it stays after the program has run. Raises ``RuntimeProblem``."""
        tensor = self.read(number)
        if tensor.storage is not None and number in self._inputs:
            tensor.storage.users += 1
        elif number not in self._inputs:
            del self._tensors[number]
        return tensor

    def clear(self) -> None:
        """Release all of the program's tensors on the device. Memory that is shared with other tensors stays."""
        for number, tensor in list(self._tensors.items()):
            is_own = number not in self._inputs or number in self._brought
            if is_own and tensor.storage is not None:
                tensor.storage.release(force=False)
        self._tensors.clear()
