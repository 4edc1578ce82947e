"""The computations of a program, recorded while it runs, so that later runs are a loop over these calls.

Everything else in a run depends only on shapes, types and places: checks of operands, memory of the chips, leaks. Its
outcome is the same for inputs of the same form, so it is reported and not repeated. There is no plan for a program of
several chips, for a step that computes outside ``operands.computed``, or for a device on which other tensors lie.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias
from weakref import ReferenceType, ref

from tt_model.layouts.enums import DataType
from tt_model.runtime.numbers import from_host, working_dtype

if TYPE_CHECKING:
    import torch

    from tt_model.runtime.devices import SimulatedDevice

# The most bytes of a result of constants that is kept and not computed again, unless it shares the memory of a
# constant.
_KEPT_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A function of the tensors in some slots, and the slot of its result.

    ``is_view``: the result shares memory with a source.
    """

    function: Callable[..., torch.Tensor]
    sources: tuple[int, ...]
    out: int
    is_view: bool


# A function; its first source, and the second one or -1; all sources, if their number is not one or two; the slot of
# the result; the slots that are not read later. Unpacking it takes a fifth of the time of a list of the sources.
PreparedCall: TypeAlias = tuple[
    Callable[..., "torch.Tensor"], int, int, tuple[int, ...] | None, int, tuple[int, ...]
]


@dataclass(frozen=True, slots=True)
class InputForm:
    """The form that an input must have for a plan to apply.

    It has the shape, dtype and strides of the tensor in torch, and its type on the device.
    """

    shape: torch.Size
    dtype: torch.dtype
    strides: tuple[int, ...]
    data_type: DataType

    @staticmethod
    def of(given: torch.Tensor, data_type: DataType) -> InputForm:
        """The form of a tensor."""
        return InputForm(given.shape, given.dtype, given.stride(), data_type)


class RunRecorder:
    """Records the computations of a run. Tensors are identified by object, and are not kept alive."""

    def __init__(self) -> None:
        self.calls: list[RecordedCall] = []
        self.constants: dict[int, torch.Tensor] = {}
        # Whether the origin of all tensors in the pool is known.
        self.is_whole = True
        self._count = 0
        # Slots of tensors that are not results of computations.
        self._sources: set[int] = set()
        self._slots: dict[int, tuple[ReferenceType[torch.Tensor], int]] = {}

    def source(self, values: torch.Tensor, *, constant: bool = False) -> int:
        """Return a new slot for a tensor that is not the result of a computation."""
        slot = self._new(values)
        self._sources.add(slot)
        if constant:
            self.constants[slot] = values
        return slot

    def slot(self, values: torch.Tensor) -> int | None:
        """The slot of a tensor; None if its origin is not known."""
        held, slot = self._slots.get(id(values), (None, 0))
        if held is None or held() is not values:
            self.is_whole = False
            return None
        return slot

    def computed(
        self, function: Callable[..., torch.Tensor], given: Sequence[torch.Tensor], result: torch.Tensor
    ) -> None:
        """Record a call of a function that has no effect but its result."""
        sources = [self.slot(one) for one in given]
        known = tuple(one for one in sources if one is not None)
        if len(known) < len(sources) or any(result is one for one in given):
            return
        memory = _memory(result)
        lies_in = [one for one in given if memory and _memory(one) == memory]
        for values in lies_in:
            if _is_same(values, result):
                slot = self.slot(values)
                assert slot is not None
                self._slots[id(result)] = ref(result), slot
                return
        out = self._new(result)
        if all(slot in self.constants for slot in known) and (
            lies_in or result.untyped_storage().nbytes() <= _KEPT_BYTES
        ):
            self.constants[out] = result
            return
        self.calls.append(RecordedCall(function, known, out, bool(lies_in)))

    def own(self, outputs: Sequence[torch.Tensor]) -> list[bool]:
        """Return for each tensor whether it fills memory of its own, shared with no other output, input or constant."""
        outputs_memory = [_memory(one) for one in outputs]
        others = {_memory(one) for one in self.constants.values()}
        others.update(
            _memory(one)
            for held, slot in self._slots.values()
            if slot in self._sources and (one := held()) is not None
        )
        return [
            memory not in others
            and outputs_memory.count(memory) == 1
            and one.untyped_storage().nbytes() == one.nbytes
            for one, memory in zip(outputs, outputs_memory, strict=True)
        ]

    @property
    def slots(self) -> int:
        """The number of slots."""
        return self._count

    def _new(self, values: torch.Tensor) -> int:
        self._slots[id(values)] = ref(values), self._count
        self._count += 1
        return self._count - 1


def _memory(values: torch.Tensor) -> int:
    """The address of the memory that a tensor lies in; 0 if it has no memory."""
    return values.untyped_storage().data_ptr()


def _is_same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return (
        one.dtype == other.dtype
        and one.shape == other.shape
        and one.stride() == other.stride()
        and one.storage_offset() == other.storage_offset()
    )


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A plan for inputs (by number) that are the same tensors in each run, with all that is known before a run."""

    steady: frozenset[int]
    template: list[torch.Tensor | None]
    calls: tuple[PreparedCall, ...]


class RunPlan:
    """The calls of a program on one chip, for inputs of the forms that it was recorded with.

    Args:
        recorder: the record of a run.
        forms: of the inputs.
        given: the inputs of that run.
        inputs: the slots of the inputs.
        outputs: slots of the outputs, and functions that convert each to a user's tensor.
    """

    def __init__(
        self,
        recorder: RunRecorder,
        forms: Sequence[InputForm],
        given: Sequence[torch.Tensor],
        inputs: Sequence[int],
        outputs: Sequence[tuple[int, Callable[[torch.Tensor], torch.Tensor]]],
    ) -> None:
        self._calls = tuple(recorder.calls)
        self._constants = recorder.constants
        self._slots = recorder.slots
        self._forms = tuple(forms)
        self._inputs = tuple(inputs)
        self._outputs = tuple(outputs)
        self._last = [ref(one) for one in given]
        self._pointers = [one.data_ptr() for one in given]
        self._prepared: _Prepared | None = None

    @property
    def calls_of_last_run(self) -> int:
        """The number of functions that the last run called."""
        return 0 if self._prepared is None else len(self._prepared.calls)

    def run(self, given: Sequence[torch.Tensor]) -> list[torch.Tensor] | None:
        """Run the calls and return the outputs; None for inputs of other forms.

        Raises the exceptions of the functions.
        """
        last, pointers, prepared = self._last, self._pointers, self._prepared
        if len(given) != len(last):
            return None
        changed = []
        for index, (one, form, before) in enumerate(zip(given, self._forms, last, strict=True)):
            if one.shape != form.shape or one.stride() != form.strides or one.dtype != form.dtype:
                return None
            if before() is not one or one.data_ptr() != pointers[index]:
                changed.append(index)
        for index in changed:
            last[index], pointers[index] = ref(given[index]), given[index].data_ptr()
        if prepared is None or not prepared.steady.isdisjoint(changed):
            # Weights are the same tensors in each run; an input that once was a different tensor never counts as the
            # same again.
            steady = frozenset(range(len(last))) if prepared is None else prepared.steady
            prepared = self._prepared = self._for(steady.difference(changed), given)
        slots = prepared.template.copy()
        for index, slot in enumerate(self._inputs):
            if index not in prepared.steady or slots[slot] is None:
                slots[slot] = from_host(given[index], self._forms[index].data_type)
        for function, first, second, sources, out, dead in prepared.calls:
            if sources is not None:
                slots[out] = function(*[slots[source] for source in sources])
            elif second < 0:
                slots[out] = function(slots[first])
            else:
                slots[out] = function(slots[first], slots[second])
            for slot in dead:
                slots[slot] = None
        return [read(slots[slot]) for slot, read in self._outputs]  # type: ignore[arg-type]

    def _for(self, steady: frozenset[int], given: Sequence[torch.Tensor]) -> _Prepared:
        """The calls that remain if some inputs stay the same: views of these are computed in advance."""
        template: list[torch.Tensor | None] = [None] * self._slots
        for slot, values in self._constants.items():
            template[slot] = values
        for index in steady:
            values, form = given[index], self._forms[index]
            if values.dtype == working_dtype(form.data_type):
                template[self._inputs[index]] = values
        left = []
        for call in self._calls:
            sources = [template[source] for source in call.sources]
            if call.is_view and all(one is not None for one in sources):
                values = call.function(*sources)
                if any(_memory(values) == _memory(one) for one in sources if one is not None):
                    template[call.out] = values
                    continue
            left.append(call)
        return _Prepared(steady, template, self._with_ends(left, template))

    def _with_ends(
        self, calls: Sequence[RecordedCall], template: Sequence[torch.Tensor | None]
    ) -> tuple[PreparedCall, ...]:
        needed = {slot for slot, _ in self._outputs}
        ended: list[PreparedCall] = []
        for call in reversed(calls):
            if call.out not in needed:
                # The result is not read; it is computed because the function may refuse its operands.
                dead = [*dict.fromkeys((*call.sources, call.out))]
            else:
                dead = [*dict.fromkeys(call.sources)]
            last = tuple(slot for slot in dead if slot not in needed and template[slot] is None)
            needed.update(call.sources)
            first, second, *others = (*call.sources, -1, -1)
            is_listed = not call.sources or len(others) > 2
            sources = call.sources if is_listed else None
            ended.append((call.function, first, second, sources, call.out, last))
        return tuple(reversed(ended))


@dataclass(slots=True)
class RecordedRun:
    """The last run of a program that can be repeated: its device, its computations, and its leaks and warnings."""

    device: ReferenceType[SimulatedDevice]
    plan: RunPlan
    leaks: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def holds_on(self, device: SimulatedDevice) -> bool:
        """Whether the run can be repeated on the device: no other tensors take memory there."""
        return self.device() is device and device.is_empty
