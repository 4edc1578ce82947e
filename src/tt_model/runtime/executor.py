"""Runs the programs of a binary on a simulated device, from the tables of the file, not from the module in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import ref

from tt_model.operations.operation import TTNNOperation
from tt_model.operations.ttnn import TTNNGetDeviceOp
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.distribution import MeshShards, Replicate, cut, whole_shape
from tt_model.runtime.host_memory import check_bytes, limit
from tt_model.runtime.numbers import check_limits, converted, data_type_of, from_host, host_dtype, to_host
from tt_model.runtime.operands import Step
from tt_model.runtime.placement import distributed
from tt_model.runtime.plan import InputForm, RecordedRun, RunPlan, RunRecorder
from tt_model.runtime.pool import KernelCycles, TensorPool
from tt_model.runtime.problems import UNREADABLE, At, RuntimeProblem, reason_of
from tt_model.runtime.steps import operation_of, prepare
from tt_model.runtime.tensors import RuntimeTensor, TensorDescription, description_of

if TYPE_CHECKING:
    import torch

    from tt_model.layouts.enums import DataType
    from tt_model.layouts.kernel_request import CollectiveTarget, KernelTarget


@dataclass(frozen=True, slots=True)
class PreparedStep:
    """An operation that is ready to run: its place, class, function and table, and the tensor that it writes."""

    at: At
    kind: type[TTNNOperation]
    run: Step
    fields: Mapping[str, Any]
    out: int | None


@dataclass(frozen=True, slots=True)
class PreparedProgram:
    """A program that is ready to run, any number of times.

    ``mesh`` are the chips of the program's first device, ``extents`` their rows and columns. ``stored`` are the tensors
    of inputs that the binary includes, by input number; ``input_names`` are the names of inputs, and ``limits`` the
    smallest and the largest number that an input may have. ``recorded`` is the last run that can be repeated.
    """

    name: str
    inputs: tuple[TensorDescription, ...]
    outputs: tuple[TensorDescription, ...]
    steps: tuple[PreparedStep, ...]
    mesh: tuple[int, ...] = ()
    extents: tuple[int, int] = (1, 1)
    stored: Mapping[int, torch.Tensor] = field(default_factory=dict)
    input_names: Mapping[int, str] = field(default_factory=dict)
    limits: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    recorded: list[RecordedRun] = field(default_factory=list, init=False, compare=False, repr=False)

    @property
    def free_inputs(self) -> list[int]:
        """The numbers of the inputs that a user passes."""
        return [index for index in range(len(self.inputs)) if index not in self.stored]

    @property
    def input_shapes(self) -> list[tuple[int, ...]]:
        """The shapes of the inputs: those of whole tensors, even if the binary cuts them for the chips."""
        return [self._whole(one) for one in self.inputs]

    def _whole(self, described: TensorDescription) -> tuple[int, ...]:
        return whole_shape(described.shape, described.strategy, max(1, len(self.mesh)))


@dataclass(slots=True)
class RunReport:
    """The report of a run.

    ``leaks`` are tensors that were not deallocated, ``warnings`` are operations that a card may refuse, ``peaks`` the
    most bytes of each bank that were in use at once, and ``kernels`` the cycles of operations of TT-Lang that were
    emulated.
    """

    leaks: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    peaks: dict[str, int] = field(default_factory=dict)
    kernels: list[KernelCycles] = field(default_factory=list)


# Called before or after each operation with the pool and the operation.
Observer = Callable[[TensorPool, PreparedStep], None]


def prepare_program(program: Mapping[str, Any], *, host_memory: int | None = None) -> PreparedProgram:
    """Prepare a ``Program`` of a binary.

    Raises ``RuntimeProblem`` for an operation that is unknown or lacks information, and for tensors that take more than
    ``host_memory`` bytes of this machine (by default half of its memory).
    """
    steps = []
    mesh: tuple[int, ...] = ()
    extents = (1, 1)
    for index, operation in enumerate(program.get("operations", [])):
        table = operation.get("type_type", "NONE")
        fields = operation.get("type", {})
        at = At(index, table, _location(operation.get("debug_info", "")))
        try:
            kind = operation_of(table, fields)
            run = prepare(kind, fields)
        except RuntimeProblem as problem:
            raise RuntimeProblem(problem.message, at=at) from None
        except UNREADABLE as problem:
            raise RuntimeProblem(f"the table {table} cannot be read: {reason_of(problem)}", at=at) from None
        if kind is TTNNGetDeviceOp and not mesh:
            mesh = tuple(fields.get("chip_ids", ()))
            extents = (fields["mesh"]["y"], fields["mesh"]["x"]) if "mesh" in fields else (1, len(mesh))
        out = fields.get("out") if kind.ROW.makes_tensors else None
        steps.append(PreparedStep(at, kind, run, fields, None if out is None else int(out["global_id"])))
    inputs = tuple(map(description_of, program.get("inputs", [])))
    results = ((step.at, step.kind, step.fields, _result(step)) for step in steps)
    check_bytes(inputs, results, limit() if host_memory is None else host_memory)
    return PreparedProgram(
        str(program.get("name", "")),
        inputs,
        tuple(map(description_of, program.get("outputs", []))),
        tuple(steps),
        mesh,
        extents,
    )


def _result(step: PreparedStep) -> TensorDescription | None:
    return None if step.out is None else description_of(step.fields["out"])


def _location(text: str) -> str:
    """The location at the end of an operation's text; empty without a location."""
    start = text.rfind("loc(")
    return text[start:].strip() if start >= 0 else ""


def run_program(
    device: SimulatedDevice,
    program: PreparedProgram,
    inputs: Sequence[torch.Tensor | MeshShards],
    *,
    before: Observer | None = None,
    observe: Observer | None = None,
    strict: bool = False,
    tt_lang: KernelTarget = "sim",
    collectives: CollectiveTarget = "host",
) -> tuple[list[torch.Tensor], RunReport]:
    """Run a program on tensors of the host; return its outputs, whole and in row-major order.

    Raises ``RuntimeProblem``.

    Tensors that the program leaves on the device are reported and freed. ``before`` is called before each operation,
    ``observe`` after it. ``strict``: operations that a card may refuse are errors. ``tt_lang`` is the target of
    operations of TT-Lang, ``collectives`` that of operations between chips.
    """
    outputs, report = run_on_mesh(
        device,
        program,
        inputs,
        before=before,
        observe=observe,
        strict=strict,
        tt_lang=tt_lang,
        collectives=collectives,
    )
    return [
        _whole_output(program, number, output) if isinstance(output, MeshShards) else output
        for number, output in enumerate(outputs)
    ], report


def _whole_output(program: PreparedProgram, number: int, output: MeshShards) -> torch.Tensor:
    try:
        return output.whole()
    except RuntimeProblem as problem:
        raise RuntimeProblem(
            f"output {number} of {program.name} cannot be read as one tensor: {problem}"
        ) from None


def run_on_mesh(
    device: SimulatedDevice,
    program: PreparedProgram,
    inputs: Sequence[torch.Tensor | MeshShards],
    *,
    before: Observer | None = None,
    observe: Observer | None = None,
    strict: bool = False,
    tt_lang: KernelTarget = "sim",
    collectives: CollectiveTarget = "host",
) -> tuple[list[torch.Tensor | MeshShards], RunReport]:
    """Run a program like ``run_program``; return each output as one tensor, or as the shards of the chips."""
    observed = before is not None or observe is not None
    if not observed and (again := _run_again(device, program, inputs, strict)) is not None:
        return again
    recorder = None if observed or len(program.mesh) > 1 or not device.is_empty else RunRecorder()
    pool = TensorPool(device, strict=strict, tt_lang=tt_lang, collectives=collectives, recorder=recorder)
    given = checked_inputs(program, inputs)
    pool.give(list(zip((one.id for one in program.inputs), given, strict=True)))
    slots = _given_slots(program, inputs, given, recorder)
    try:
        for described in program.inputs:
            if described.config is not None:
                mesh = device.row_of(program.mesh) if program.mesh else device.chips[:1]
                pool.bring(described, distributed(pool.read(described.id), described, mesh), mesh)
        run_steps(pool, program, before=before, observe=observe)
        outputs = [_output(pool, described) for described in program.outputs]
        report = RunReport(
            pool.leaks([one.id for one in program.outputs]), pool.warnings, kernels=pool.kernels
        )
        if recorder is not None:
            _record(device, program, inputs, recorder, slots, pool, report)
    finally:
        pool.clear()
    report.peaks.update(peaks_of(device))
    return outputs, report


def _run_again(
    device: SimulatedDevice,
    program: PreparedProgram,
    inputs: Sequence[torch.Tensor | MeshShards],
    strict: bool,
) -> tuple[list[torch.Tensor | MeshShards], RunReport] | None:
    """Return the outputs and the report of a run that repeats the recorded one with other numbers.

    None if the run cannot repeat it, or if an input is refused.
    """
    if not program.recorded:
        return None
    run = program.recorded[0]
    if not run.holds_on(device) or (strict and run.warnings):
        return None
    try:
        _check_limits(program, inputs)
        outputs = run.plan.run(inputs)  # type: ignore[arg-type]
    except (RuntimeProblem, *UNREADABLE):
        # Running the steps reports the problem and its place.
        return None
    if outputs is None:
        return None
    return [*outputs], RunReport(list(run.leaks), list(run.warnings), peaks_of(device))


def _given_slots(
    program: PreparedProgram,
    inputs: Sequence[torch.Tensor | MeshShards],
    given: list[RuntimeTensor],
    recorder: RunRecorder | None,
) -> list[int]:
    """The slots of the inputs that a user passed; inputs that the binary includes are constants."""
    if recorder is None:
        return []
    stored = program.stored if len(inputs) < len(given) else {}
    slots = []
    known: set[int] = set()
    for index, tensor in enumerate(given):
        if id(tensor.values) in known:
            # The same tensor was passed twice; the next run may get two different ones.
            tensor.values = tensor.values.detach()
        known.add(id(tensor.values))
        slot = recorder.source(tensor.values, constant=index in stored)
        if index not in stored:
            slots.append(slot)
    return slots


def _record(
    device: SimulatedDevice,
    program: PreparedProgram,
    inputs: Sequence[torch.Tensor | MeshShards],
    recorder: RunRecorder,
    slots: list[int],
    pool: TensorPool,
    report: RunReport,
) -> None:
    """Record the calculation of a run, so that the next one can repeat it, if all parts of it are known."""
    program.recorded.clear()
    given = [one for one in inputs if not isinstance(one, MeshShards)]
    tensors = [pool.read(one.id) for one in program.outputs]
    if len(given) < len(inputs) or any(one.shards is not None for one in tensors):
        return
    outputs = [recorder.slot(one.values) for one in tensors]
    known = [one for one in outputs if one is not None]
    if not recorder.is_whole or len(known) < len(outputs):
        return
    kinds = [program.inputs[index].data_type for index in _given(program, inputs)]
    forms = [InputForm.of(one, kind) for one, kind in zip(given, kinds, strict=True)]
    own = recorder.own([one.values for one in tensors])
    readers = [
        partial(_given_out if is_own else _read, tensor.data_type, described.data_type)
        for tensor, described, is_own in zip(tensors, program.outputs, own, strict=True)
    ]
    plan = RunPlan(recorder, forms, given, slots, list(zip(known, readers, strict=True)))
    program.recorded.append(RecordedRun(ref(device), plan, report.leaks, report.warnings))


def _given(program: PreparedProgram, inputs: Sequence[object]) -> Sequence[int]:
    """The numbers of the inputs that a user passed."""
    return program.free_inputs if len(inputs) < len(program.inputs) else range(len(inputs))


def run_steps(
    pool: TensorPool,
    program: PreparedProgram,
    *,
    before: Observer | None = None,
    observe: Observer | None = None,
) -> None:
    """Run the operations of a program in order. Raises ``RuntimeProblem``."""
    for step in program.steps:
        pool.at = step.at
        if before is not None:
            before(pool, step)
        try:
            step.run(pool)
        except UNREADABLE as problem:
            raise RuntimeProblem(f"it cannot be computed: {reason_of(problem)}", at=step.at) from None
        except RuntimeProblem as problem:
            if problem.at is None:
                raise type(problem)(problem.message, at=step.at, notes=problem.notes) from None
            raise
        if observe is not None:
            observe(pool, step)
    pool.at = None


def peaks_of(device: SimulatedDevice) -> dict[str, int]:
    """The most bytes of each bank that were in use at once, by the names of the memories."""
    return {memory.name: memory.peak for chip in device.chips for memory in chip.memories()}


def checked_inputs(
    program: PreparedProgram, inputs: Sequence[torch.Tensor | MeshShards]
) -> list[RuntimeTensor]:
    """Convert a user's tensors to the program's inputs.

    Raises ``RuntimeProblem`` if number, shape or type do not agree.

    For an input that the binary cuts for the chips, the whole tensor is passed, or its shards. Tensors that the binary
    includes are either omitted, or passed as well: then the passed ones are used instead of them.
    """
    if len(inputs) == len(program.free_inputs):
        own = iter(inputs)
        inputs = [
            program.stored[index] if index in program.stored else next(own)
            for index in range(len(program.inputs))
        ]
    if len(inputs) != len(program.inputs):
        less = f", of which the binary has {len(program.stored)}" if program.stored else ""
        raise RuntimeProblem(
            f"Program input size mismatch: {program.name} takes {len(program.inputs)} tensors{less}, and got {len(inputs)}"
        )
    tensors = []
    shapes = program.input_shapes
    for index, (given, wanted) in enumerate(zip(inputs, program.inputs, strict=True)):
        name = _input_name(program, index)
        held = given
        if isinstance(given, MeshShards):
            for part in given.parts:
                _check_input(f"a shard of {name}", part, wanted, wanted.shape)
            if isinstance(given.strategy, Replicate):
                held = given.parts[0]
        else:
            _check_input(name, given, wanted, shapes[index])
            if wanted.strategy is not None:
                held = cut(given, wanted.strategy, max(1, len(program.mesh)), name)
        tensors.append(_host_tensor(held, wanted))
    _check_limits(program, inputs)
    return tensors


def _input_name(program: PreparedProgram, index: int) -> str:
    called = f" ({program.input_names[index]})" if index in program.input_names else ""
    return f"input {index}{called} of {program.name}"


def _check_limits(program: PreparedProgram, inputs: Sequence[torch.Tensor | MeshShards]) -> None:
    """Raise ``RuntimeProblem`` for inputs with numbers that the program was not compiled for."""
    if not program.limits:
        return
    for index, given in zip(_given(program, inputs), inputs):
        if index not in program.limits:
            continue
        name = _input_name(program, index)
        if isinstance(given, MeshShards):
            for part in given.parts:
                check_limits(f"a shard of {name}", part, program.limits[index])
        else:
            check_limits(name, given, program.limits[index])


def with_stored_inputs(program: PreparedProgram, given: Sequence[RuntimeTensor]) -> list[RuntimeTensor]:
    """Return the program's inputs: tensors of a device, and in between those that the binary includes."""
    if not program.stored or len(given) != len(program.free_inputs):
        return list(given)
    own = iter(given)
    return [
        _host_tensor(program.stored[index], wanted) if index in program.stored else next(own)
        for index, wanted in enumerate(program.inputs)
    ]


def _host_tensor(held: torch.Tensor | MeshShards, wanted: TensorDescription) -> RuntimeTensor:
    kind, tiled = wanted.data_type, wanted.tiled
    if not isinstance(held, MeshShards):
        return RuntimeTensor(from_host(held, kind), kind, tiled)
    shards = held.mapped(lambda part: from_host(part, kind), wanted.strategy or held.strategy)
    return RuntimeTensor(shards.parts[0], kind, tiled, shards=shards)


def _check_input(name: str, given: torch.Tensor, wanted: TensorDescription, shape: tuple[int, ...]) -> None:
    if tuple(given.shape) != shape:
        raise RuntimeProblem(f"{name} has shape {tuple(given.shape)}, but the program expects {shape}")
    dtype = host_dtype(wanted.data_type)
    if dtype is not None and given.dtype != dtype:
        known = data_type_of(given.dtype)
        kind = str(given.dtype) if known is None else known.keyword
        raise RuntimeProblem(
            f"{name} is {kind}, and {wanted.data_type.keyword} is expected: pass tensor.to({dtype})"
        )


def _output(pool: TensorPool, described: TensorDescription) -> torch.Tensor | MeshShards:
    tensor = pool.read(described.id)
    if tensor.shape != described.shape:
        raise RuntimeProblem(
            f"output {described} has shape {tensor.shape}, and the binary says {described.shape}"
        )

    read = partial(_read, tensor.data_type, described.data_type)
    if tensor.shards is None:
        return read(tensor.values)
    return tensor.shards.mapped(read, described.strategy or tensor.shards.strategy)


def _read(of: DataType, wanted: DataType, values: torch.Tensor) -> torch.Tensor:
    """Convert values to a user's tensor of another type, in memory of its own."""
    return _given_out(of, wanted, values).clone()


def _given_out(of: DataType, wanted: DataType, values: torch.Tensor) -> torch.Tensor:
    """Convert values to a user's tensor of another type."""
    return to_host(values if of is wanted else converted(values, wanted), wanted)
