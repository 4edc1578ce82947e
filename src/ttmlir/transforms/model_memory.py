"""The memory that a compiled model needs of a chip, the chip's capacity, and changes that would make the model fit.

They are computed from TTNN after deallocation, as in ``memory_map``, without running the model or allocating a tensor.
A model needs the bytes of the tensors in a memory at its worst moment; the runtime reserves the same number of bytes in
every bank. Weights are moved to the chip when they are used: if the chip cannot hold all of them, they are moved again
in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from tt_model.layouts.elements import tile_bytes
from tt_model.layouts.enums import DataType
from tt_model.layouts.layout import TTNNLayout
from tt_model.layouts.values import ceil_div
from tt_model.operations.lying import layout_when_run
from tt_model.operations.operation import RowOperation
from tt_model.operations.shared import TTNNMatmulOp
from tt_model.operations.stages import Stage, on
from tt_model.operations.tensors import shape_of
from tt_model.operations.ttnn import TTNNConv2dOp, TTNNEmbeddingOp
from ttmlir.transforms.memory_map import Lifetimes, Memory, WorstMoment, chip_of

# From the text of a change, the size of each tensor after it, and the share of the weights that remains.
_Way = Callable[[str, Callable[[SSAValue], int], float], "MemoryReduction"]
_FLOATS = (DataType.Float32, DataType.BFloat16)
_MOST_CHIPS = 32
# Weights by default: the second factors of products, the filters of convolutions and the tables of embeddings.
_WEIGHT = Stage(
    on(TTNNMatmulOp, lambda op: op.b),
    on(TTNNConv2dOp, lambda op: op.weight),
    on(TTNNEmbeddingOp, lambda op: op.weight),
)


@dataclass(frozen=True, slots=True)
class MemoryReduction:
    """A change of the model or the system, and the bytes of a chip's memory that the model then needs at once."""

    change: str
    needed: int
    fits: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryNeeds:
    """The needs of a function in one memory of a chip. Sizes are bytes in all banks of one chip.

    ``weights`` and ``inputs`` are the sizes of these arguments as they lie on the device. ``ways`` are reductions, if
    the function or the sum of its weights does not fit.
    """

    function: str
    chip: str
    memory: Memory
    capacity: int
    needed: int
    weights: int
    inputs: int
    moment: WorstMoment
    ways: tuple[MemoryReduction, ...]

    @property
    def fits(self) -> bool:
        """Whether the memory is large enough for its tensors when it is fullest."""
        return self.needed <= self.capacity

    @property
    def weights_stay(self) -> bool:
        """Whether the memory holds all weights, so that a chip could keep them between two runs."""
        return self.weights <= self.capacity

    def as_dict(self) -> dict[str, str | int | bool]:
        """Return the needs as an object for programs."""
        names = (
            "function",
            "chip",
            "memory",
            "capacity",
            "needed",
            "weights",
            "inputs",
            "fits",
            "weights_stay",
        )
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """Yield lines for people: the need and the capacity, the largest tensors, and changes that would make them fit."""
        yield (
            f"{self.function} needs {_bytes(self.needed)} of {self.memory} at once, of {_bytes(self.capacity)} that a "
            f"{self.chip} chip has for tensors; most at {self.moment.operation}, {self.moment.place}"
        )
        if self.memory == "DRAM":
            yield f"  on the device its weights are {_bytes(self.weights)}, its inputs {_bytes(self.inputs)}"
        if self.fits and self.weights_stay:
            return
        yield "  the largest tensors:"
        for tensor in sorted(self.moment.tensors, key=lambda one: -one.reserved)[:5]:
            shape, pages = "x".join(map(str, tensor.shape)), "tiles" if tensor.is_tiled else "rows"
            yield f"    {_bytes(tensor.reserved * len(self.moment.banks))}: {shape} {tensor.data_type} in {pages}, {tensor.place}"
        yield (
            "  what would make it fit:"
            if self.ways
            else "  no smaller batch, other weights or more chips make it fit"
        )
        for way in self.ways:
            yield f"    {way.change}: {_bytes(way.needed)}{'' if way.fits else ', still too much'}"


def memory_needs(module: ModuleOp, weights: Set[int] | None = None) -> list[MemoryNeeds]:
    """Return the needs of a compiled module's functions in DRAM and in L1.

    ``weights`` are the arguments, by position, that are weights; by default those that products, convolutions and
    embeddings use as weights. Raises ``LayoutError`` if the module does not name its system.
    """
    chip = chip_of(module)
    needs: list[MemoryNeeds] = []
    for function in module.walk():
        if isinstance(function, FuncOp) and function.body.blocks:
            asked = _FunctionNeeds(Lifetimes(function, chip), weights)
            needs += [asked.needs(moment) for moment in asked.lifetimes.moments()]
    return needs


class _FunctionNeeds:
    """The memory of a function, whose tensors are weights, computed from weights alone, or dependent on the inputs."""

    def __init__(self, lifetimes: Lifetimes, weights: Set[int] | None) -> None:
        self.lifetimes = lifetimes
        self._arguments = lifetimes.function.body.block.args
        known = _used_as_weights(lifetimes.operations) if weights is None else weights
        self._weights = frozenset(argument for argument in self._arguments if argument.index in known)
        self._of_weights: set[SSAValue] = set(self._weights)
        self._lying: dict[SSAValue, TTNNLayout | None] = {}
        for op in lifetimes.operations:
            inits = op.inits if isinstance(op, RowOperation) else ()
            read = [
                value
                for value in op.operands
                if value not in inits and layout_when_run(value, self._lying) is not None
            ]
            if read and all(value in self._of_weights for value in read):
                self._of_weights.update(op.results, inits)

    def needs(self, moment: WorstMoment) -> MemoryNeeds:
        banks, memory = len(moment.banks), moment.memory
        held = {argument: self._taken_by(argument, memory) * banks for argument in self._arguments}
        weights = sum(size for argument, size in held.items() if argument in self._weights)
        capacity = moment.capacity * banks
        ways: tuple[MemoryReduction, ...] = ()
        if not moment.fits or weights > capacity:
            ways = tuple(self._ways(memory, capacity, banks, weights if weights > capacity else 0))
        return MemoryNeeds(
            function=moment.function,
            chip=self.lifetimes.chip.system.first_chip.arch.keyword,
            memory=memory,
            capacity=capacity,
            needed=moment.reserved * banks,
            weights=weights,
            inputs=sum(held.values()) - weights,
            moment=moment,
            ways=ways,
        )

    def _taken_by(self, argument: BlockArgument, memory: Memory) -> int:
        """The bytes that an argument takes in a bank after all changes of its layout."""
        taken = self.lifetimes.reserved(argument) if self.lifetimes.memory_of(argument) == memory else 0
        waiting = list(argument.uses)
        while waiting:
            op = waiting.pop().operation
            if isinstance(op, RowOperation) and op.ROW.moves:
                waiting += op.results[0].uses
                if self.lifetimes.memory_of(op.results[0]) == memory:
                    taken = self.lifetimes.reserved(op.results[0])
        return taken

    # Changes that would make it fit.

    def _ways(self, memory: Memory, capacity: int, banks: int, weights: int) -> Iterator[MemoryReduction]:
        """Yield changes. ``weights``: bytes of weights that do not fit together; a change must make them fit, too."""

        def way(change: str, size: Callable[[SSAValue], int], share: float) -> MemoryReduction:
            needed = max(self.lifetimes.worst(size).get(memory, (0, 0))[0] * banks, round(weights * share))
            return MemoryReduction(change, needed, needed <= capacity)

        if memory == "L1":
            yield self._in_dram()
        sizes = self.lifetimes.reserved
        floats = {value: kind for value in self._of_weights if (kind := self._float_of(value)) is not None}
        for target in (DataType.BFloat16, DataType.BFP_BFloat8):
            if any(tile_bytes(kind) > tile_bytes(target) for kind in floats.values()):
                share = max(tile_bytes(target) / tile_bytes(kind) for kind in floats.values())
                yield way(
                    f"weights in {target.keyword}",
                    lambda value, target=target: (  # type: ignore[misc]
                        sizes(value) * tile_bytes(target) // tile_bytes(floats[value])
                        if value in floats
                        else sizes(value)
                    ),
                    min(share, 1.0),
                )
        if self._weights:
            yield self._fewest_chips(way)
        batch = self._batch()
        if batch > 1 and not weights:
            yield self._largest_batch(way, batch)

    def _in_dram(self) -> MemoryReduction:
        """Return the reduction by moving tensors from L1 to DRAM; they are added to the worst moment of DRAM."""
        moments = {one.memory: one for one in self.lifetimes.moments()}
        lying = sum(tensor.bytes for tensor in moments["L1"].tensors)
        beside = moments["DRAM"].reserved * len(moments["DRAM"].banks) if "DRAM" in moments else 0
        chip = self.lifetimes.chip
        capacity = chip.capacity("DRAM") * len(chip.banks("DRAM"))
        return MemoryReduction("in DRAM in place of L1", lying + beside, lying + beside <= capacity)

    def _fewest_chips(self, way: _Way) -> MemoryReduction:
        chips = 2
        while not (on_each := self._on_chips(way, chips)).fits and chips < _MOST_CHIPS:
            chips *= 2
        return on_each

    def _on_chips(self, way: _Way, chips: int) -> MemoryReduction:
        return way(
            f"weights cut over {chips} chips, a part on each",
            lambda value: ceil_div(self.lifetimes.reserved(value), chips if value in self._of_weights else 1),
            1 / chips,
        )

    def _largest_batch(self, way: _Way, batch: int) -> MemoryReduction:
        def smaller(count: int) -> MemoryReduction:
            return way(
                f"a batch of {count} in place of {batch}",
                lambda value: (
                    self.lifetimes.reserved(value)
                    if value in self._of_weights
                    else ceil_div(self.lifetimes.reserved(value) * count, batch)
                ),
                1.0,
            )

        fitting, too_large = 1, batch
        while too_large - fitting > 1:
            middle = (fitting + too_large) // 2
            fitting, too_large = (middle, too_large) if smaller(middle).fits else (fitting, middle)
        return smaller(fitting)

    def _float_of(self, value: SSAValue) -> DataType | None:
        layout = layout_when_run(value, self._lying)
        is_float = layout is not None and layout.is_tiled and layout.data_type in _FLOATS
        return layout.data_type if layout is not None and is_float else None

    def _batch(self) -> int:
        """The first extent of the inputs if it is the same for all; else 1."""
        extents = {shape_of(one)[0] for one in self._arguments if one not in self._weights and shape_of(one)}
        return extents.pop() if len(extents) == 1 else 1


def _used_as_weights(operations: list[Operation]) -> frozenset[int]:
    """The arguments that an operation uses as weights, directly or after operations that only move their elements."""
    positions = set()
    for op in operations:
        place = _WEIGHT.of(type(op))
        value = None if place is None else place(op)
        while value is not None and not isinstance(value, BlockArgument):
            producer = value.owner
            moves = isinstance(producer, RowOperation) and producer.ROW.passes_on != "nothing"
            value = producer.operands[0] if moves else None
        if value is not None:
            positions.add(value.index)
    return frozenset(positions)


def _bytes(size: int) -> str:
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if size >= factor:
            return f"{size / factor:.2f} {unit}"
    return f"{size} bytes"
