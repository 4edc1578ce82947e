"""Runs the programs of a binary on a simulated device: what is in the file, not the module that it came from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ttmlir.runtime.devices import SimulatedDevice
from ttmlir.runtime.numbers import converted, data_type_of, from_host, host_dtype, to_host
from ttmlir.runtime.pool import TensorPool
from ttmlir.runtime.problems import UNREADABLE, At, RuntimeProblem, reason_of
from ttmlir.runtime.steps import Step, prepare
from ttmlir.runtime.tensors import RuntimeTensor, TensorDescription, description_of
from ttmlir.runtime.tt_lang import KernelCycles

if TYPE_CHECKING:
    import torch

    from ttmlir.layouts.kernel_request import KernelTarget


@dataclass(frozen=True, slots=True)
class PreparedStep:
    """An operation that can be run: its place, its function, its table, and the tensor that it writes."""

    at: At
    run: Step
    fields: Mapping[str, Any]
    out: int | None


@dataclass(frozen=True, slots=True)
class PreparedProgram:
    """A program that can be run, as often as one likes."""

    name: str
    inputs: tuple[TensorDescription, ...]
    outputs: tuple[TensorDescription, ...]
    steps: tuple[PreparedStep, ...]


@dataclass(slots=True)
class RunReport:
    """What there is to say of a run.

    ``leaks`` are tensors that were not deallocated, ``warnings`` what a card may refuse, ``peaks`` the most bytes of each
    bank that were in use at once, ``kernels`` the cycles of operations of TT-Lang that were emulated.
    """

    leaks: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    peaks: dict[str, int] = field(default_factory=dict)
    kernels: list[KernelCycles] = field(default_factory=list)


# Called before or after each operation with the pool and the operation.
Observer = Callable[[TensorPool, PreparedStep], None]


def prepare_program(program: Mapping[str, Any]) -> PreparedProgram:
    """A ``Program`` of a binary. Raises ``RuntimeProblem`` for an operation that is not known or says too little."""
    steps = []
    for index, operation in enumerate(program.get("operations", [])):
        kind = operation.get("type_type", "NONE")
        fields = operation.get("type", {})
        at = At(index, kind, _location(operation.get("debug_info", "")))
        try:
            run = prepare(kind, fields)
        except RuntimeProblem as problem:
            raise RuntimeProblem(problem.message, at=at) from None
        except UNREADABLE as problem:
            raise RuntimeProblem(f"the table {kind} cannot be read: {reason_of(problem)}", at=at) from None
        out = fields.get("out") if kind not in ("GetDeviceOp", "DeallocateOp") else None
        steps.append(PreparedStep(at, run, fields, None if out is None else int(out["global_id"])))
    return PreparedProgram(
        str(program.get("name", "")),
        tuple(map(description_of, program.get("inputs", []))),
        tuple(map(description_of, program.get("outputs", []))),
        tuple(steps),
    )


def _location(text: str) -> str:
    """The location at the end of an operation's text; empty where there is none."""
    start = text.rfind("loc(")
    return text[start:].strip() if start >= 0 else ""


def run_program(
    device: SimulatedDevice,
    program: PreparedProgram,
    inputs: Sequence[torch.Tensor],
    *,
    before: Observer | None = None,
    observe: Observer | None = None,
    strict: bool = False,
    tt_lang: KernelTarget = "sim",
) -> tuple[list[torch.Tensor], RunReport]:
    """Run a program on tensors of the host; its outputs, in row-major order. Raises ``RuntimeProblem``.

    What the program leaves on the device is reported and given back. ``before`` is called before each operation, ``observe``
    after it. ``strict``: what a card may refuse is an error. ``tt_lang``: where operations of TT-Lang run.
    """
    pool = TensorPool(device, strict=strict, tt_lang=tt_lang)
    pool.give(list(zip((one.id for one in program.inputs), checked_inputs(program, inputs), strict=True)))
    try:
        for step in program.steps:
            pool.at = step.at
            if before is not None:
                before(pool, step)
            try:
                step.run(pool)
            except UNREADABLE as problem:
                raise RuntimeProblem(f"it cannot be computed: {reason_of(problem)}", at=step.at) from None
            if observe is not None:
                observe(pool, step)
        pool.at = None
        outputs = [_output(pool, described) for described in program.outputs]
        report = RunReport(
            pool.leaks([one.id for one in program.outputs]), pool.warnings, kernels=pool.kernels
        )
    finally:
        pool.clear()
    for chip in device.chips:
        for memory in chip.memories():
            report.peaks[memory.name] = memory.peak
    return outputs, report


def checked_inputs(program: PreparedProgram, inputs: Sequence[torch.Tensor]) -> list[RuntimeTensor]:
    """A user's tensors as the program takes them. Raises ``RuntimeProblem`` where number, shape or type do not agree."""
    if len(inputs) != len(program.inputs):
        raise RuntimeProblem(
            f"Program input size mismatch: {program.name} takes {len(program.inputs)} tensors, and got {len(inputs)}"
        )
    tensors = []
    for index, (given, wanted) in enumerate(zip(inputs, program.inputs, strict=True)):
        if tuple(given.shape) != wanted.shape:
            raise RuntimeProblem(
                f"input {index} of {program.name} has shape {tuple(given.shape)}, and {wanted.shape} is wanted"
            )
        dtype = host_dtype(wanted.data_type)
        if dtype is not None and given.dtype != dtype:
            known = data_type_of(given.dtype)
            name = str(given.dtype) if known is None else known.keyword
            raise RuntimeProblem(
                f"input {index} of {program.name} is {name}, and {wanted.data_type.keyword} is wanted: "
                f"give it as tensor.to({dtype})"
            )
        tensors.append(RuntimeTensor(from_host(given, wanted.data_type), wanted.data_type, wanted.tiled))
    return tensors


def _output(pool: TensorPool, described: TensorDescription) -> torch.Tensor:
    tensor = pool.read(described.id)
    if tensor.shape != described.shape:
        raise RuntimeProblem(
            f"output {described} has shape {tensor.shape}, and the binary says {described.shape}"
        )
    values = tensor.values
    if tensor.data_type is not described.data_type:
        values = converted(values, described.data_type)
    return to_host(values, described.data_type).clone()
