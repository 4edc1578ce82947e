"""The programs of binaries: the choice of programs, of their inputs, and of the system."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import prod, sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from tt_model.binaries.submission import simulated_system, system_of
from tt_model.cost.operations import WITHOUT_WORK
from tt_model.layouts.system_desc import SystemRecord
from tt_model.operations.shared import TTNNMatmulOp
from tt_model.operations.ttnn import TTNNConv2dOp
from tt_model.runtime.distribution import MeshShards, ShardAlong, ShardGrid, Strategy, cut
from tt_model.runtime.executor import PreparedProgram
from tt_model.runtime.numbers import host_dtype
from tt_model.runtime.operands import first_read, tensors_read
from tt_model.runtime.problems import RuntimeProblem
from tt_model.runtime.tensors import TensorDescription
from ttrt.binary import Binary
from ttrt.common.fitting import fits
from ttrt.common.problems import Mismatch, wrong_option
from ttrt.common.util import Logger, version

if TYPE_CHECKING:
    import torch


Inputs = Sequence["torch.Tensor | MeshShards"]
AnyObserver = Callable[[Any, Any], None]


class ProgramOfBinary(Protocol):
    """A program that can be run: operations of TTNN, or commands of TTMetal."""

    @property
    def name(self) -> str: ...
    @property
    def inputs(self) -> tuple[TensorDescription, ...]: ...
    @property
    def outputs(self) -> tuple[TensorDescription, ...]: ...
    @property
    def input_shapes(self) -> list[tuple[int, ...]]: ...
    @property
    def steps(self) -> Sequence[Any]: ...
    @property
    def limits(self) -> Mapping[int, tuple[int, int]]: ...


# The initialisers of the specification, and our own ``trained``.
INITIALISERS = ("randn", "arange", "zeros", "ones", "trained")
# The initialisers that draw random inputs.
RANDOM = ("randn", "trained")


def check_version(binary: Binary) -> None:
    """Raise ``Mismatch`` for a binary of another release."""
    if binary.version != version():
        raise Mismatch(
            f"ttrt {version()} does not match flatbuffer {binary.version}: compile the model again with this release"
        )


def check_program_options(options: Mapping[str, Any]) -> None:
    """Raise ``ProgramError`` for options that are wrong for every binary."""
    if options["loops"] < 1:
        raise wrong_option(f"--loops must be at least 1, not {options['loops']}")
    index = str(options["program-index"])
    if index != "all" and not (index.isascii() and index.isdigit()):
        raise wrong_option(f"--program-index must be 'all' or a number, not {index!r}")


class RunProgress:
    """Reports a program's progress every few seconds: an observer before each operation, which calls a further one."""

    SECONDS = 5.0

    def __init__(
        self,
        logger: Logger,
        program: ProgramOfBinary,
        loops: int,
        then: Callable[[Any, Any], None] | None = None,
    ) -> None:
        self._logger, self._name, self._then = logger, program.name, then
        self._all, self._done = len(program.steps) * loops, 0
        self._next = time.monotonic() + self.SECONDS

    def __call__(self, pool: Any, step: Any) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + self.SECONDS
            share = 100 * self._done / self._all
            self._logger.info(
                f"{self._name}: {share:.0f} %, operation {self._done:,} of {self._all:,}, at {step.at}"
            )
        self._done += 1
        if self._then is not None:
            self._then(pool, step)


def system_for(binary: Binary, simulated: str) -> SystemRecord:
    """Return the system on which a binary runs: the named simulated system, or else the one it was compiled for.

    Raises ``Mismatch`` where the binary was compiled for another system than the named one.
    """
    own = system_of(binary)
    if not simulated:
        return own
    wanted = simulated_system(simulated)
    if wanted != own:
        raise Mismatch(
            f"system desc for device did not match flatbuffer: the binary is for another system than {simulated}; "
            f'compile with "system-desc-path=..." of '
            f"'ttrt query --sim {simulated} --save-artifacts', or run it without --sim"
        )
    return own


def program_indices(binary: Binary, given: str) -> list[int]:
    """Return the numbers of the programs to run: ``all``, or a number.

    Raises ``Mismatch`` if the program does not exist.
    """
    count = len(binary.programs)
    if given == "all":
        return list(range(count))
    if int(given) >= count:
        raise Mismatch(f"program index {given} is greater than number of programs in: the binary has {count}")
    return [int(given)]


def golden_inputs(binary: Binary, index: int, program: ProgramOfBinary) -> list[torch.Tensor] | None:
    """The inputs that are stored in the binary, if it has all of them."""
    import torch

    program_fields: Mapping[str, Any] = binary.programs[index]
    entries = program_fields.get("debug_info", {}).get("golden_info", {}).get("golden_map", [])
    known = {entry["key"] for entry in entries}
    wanted = [f"input_{number}" for number in range(len(program.inputs))]
    if not wanted or not known.issuperset(wanted):
        return None
    inputs = []
    for name, described, shape in zip(wanted, program.inputs, program.input_shapes, strict=True):
        values = torch.tensor(binary.get_debug_info_golden(name))
        if values.numel() != prod(shape):
            raise RuntimeProblem(
                f"the golden tensor {name} of the binary has {values.numel():,} elements, and input {described} is "
                f"{'x'.join(map(str, shape))}"
            )
        inputs.append(values.reshape(shape).to(_dtype(described)))
    return inputs


def initialised(program: ProgramOfBinary, how: str, seed: int) -> list[torch.Tensor]:
    """Return inputs of a program.

    ``randn`` draws integers from all non-negative values of their type, other numbers from the normal distribution,
    except inputs with requirements of an operation (``fitting.py``); ``trained`` is the same, with weights as large as
    those of a trained model. Tensors that are stored in the binary are used as they are.
    """
    import torch

    generator = torch.Generator().manual_seed(seed)
    make = _initialisers(generator)["randn" if how == "trained" else how]
    stored = program.stored if isinstance(program, PreparedProgram) else {}
    inputs = [
        stored[number] if number in stored else make(shape, described)
        for number, (described, shape) in enumerate(zip(program.inputs, program.input_shapes, strict=True))
    ]
    if isinstance(program, PreparedProgram) and how in RANDOM:
        for number, fit in fits(program).items():
            if number not in stored:
                inputs[number] = fit.drawn(list(inputs[number].shape), generator).to(inputs[number].dtype)
    for number, (_, most) in program.limits.items():
        if number not in stored and not inputs[number].is_floating_point():
            inputs[number] = (inputs[number].long() % (most + 1)).to(inputs[number].dtype)
    # Operations of TTNN show which inputs are weights.
    for number, scale in (
        weight_scales(program).items() if isinstance(program, PreparedProgram) and how == "trained" else ()
    ):
        if inputs[number].is_floating_point() and number not in stored:
            inputs[number] = (inputs[number].float() * scale).to(inputs[number].dtype)
    return inputs


def _initialisers(
    generator: torch.Generator,
) -> Mapping[str, Callable[[Sequence[int], TensorDescription], torch.Tensor]]:
    import torch

    def randn(shape: Sequence[int], described: TensorDescription) -> torch.Tensor:
        dtype = _dtype(described)
        if dtype.is_floating_point:
            return torch.randn(list(shape), generator=generator).to(dtype)
        limits = torch.iinfo(dtype)
        drawn = torch.randint(0, limits.max + 1, list(shape), generator=generator, dtype=torch.int64)
        return drawn.to(dtype)

    def arange(shape: Sequence[int], described: TensorDescription) -> torch.Tensor:
        return torch.arange(prod(shape)).reshape(list(shape)).to(_dtype(described))

    return MappingProxyType(
        {
            "randn": randn,
            "arange": arange,
            "zeros": lambda shape, described: torch.zeros(list(shape), dtype=_dtype(described)),
            "ones": lambda shape, described: torch.ones(list(shape), dtype=_dtype(described)),
        }
    )


def _dtype(described: TensorDescription) -> torch.dtype:
    dtype = host_dtype(described.data_type)
    if dtype is None:
        raise RuntimeProblem(f"unsupported dtype {described.data_type.keyword} of input {described}")
    return dtype


def _strategy(text: str, mesh: tuple[int, int]) -> Strategy | None:
    """Parse a dimension, or a dimension for each axis of the mesh; return None for other texts."""
    words = text.split("/")
    if not all(word.isdecimal() or (word == "-" and len(words) == 2) for word in words):
        return None
    dims = [None if word == "-" else int(word) for word in words]
    match dims:
        case [int(dim)]:
            return ShardAlong(dim)
        case [rows, columns]:
            return ShardGrid(*mesh, (rows, columns))
    return None


def cut_inputs(
    program: ProgramOfBinary, given: str, make: Callable[[ProgramOfBinary], Sequence[torch.Tensor]]
) -> list[torch.Tensor | MeshShards]:
    """Return inputs, some cut over the chips of the program's mesh.

    ``given`` lists inputs and dimensions, such as ``0:0,2:1``. ``0:0/1`` cuts dimension 0 down the rows of the mesh and
    dimension 1 along its columns; ``-`` is an axis that cuts no dimension. ``make`` returns whole inputs of a program.
    Raises ``ProgramError`` for a text that is not such a list, and ``RuntimeProblem`` for an input that does not exist
    and for a program of one chip.
    """
    if not given:
        return list(make(program))
    if not isinstance(program, PreparedProgram):
        raise RuntimeProblem(f"--shard {given}: {program.name} runs on one chip")
    chips = len(program.mesh)
    strategies: dict[int, Strategy] = {}
    for part in given.split(","):
        number, colon, dims = (text.strip() for text in part.partition(":"))
        strategy = _strategy(dims, program.extents)
        if not colon or not number.isdecimal() or strategy is None:
            raise wrong_option(
                "--shard is a list such as 0:0,2:1 (input:dimension), or 0:0/1,2:-/0 (input:dimension that the rows of the "
                f"mesh cut/dimension that its columns cut), not {given!r}"
            )
        if int(number) >= len(program.inputs):
            raise RuntimeProblem(
                f"--shard {part.strip()}: {program.name} has {len(program.inputs)} inputs, the first is 0"
            )
        strategies[int(number)] = strategy
    if chips < 2:
        raise RuntimeProblem(
            f"--shard {given}: {program.name} runs on {'one chip' if chips else 'no device'}; compile it with mesh-shape=1,2 for two"
        )
    inputs = tuple(
        replace(described, strategy=strategies.get(number, described.strategy))
        for number, described in enumerate(program.inputs)
    )
    whole = make(replace(program, inputs=inputs))
    return [
        cut(tensor, strategies[number], chips, f"input {number} of {program.name}")
        if number in strategies
        else tensor
        for number, tensor in enumerate(whole)
    ]


def weight_scales(program: PreparedProgram) -> dict[int, float]:
    """Return 1 / sqrt(fan-in) for each input that is used only as a weight, by its number."""
    numbers = {described.id: number for number, described in enumerate(program.inputs)}
    # The input that each tensor is, or is a moved copy of.
    source = dict(numbers.items())
    scales: dict[int, float] = {}
    others: set[int] = set()
    for step in program.steps:
        kind, fields = step.kind, step.fields
        passes_on = kind.ROW.passes_on == "everything"
        for name, reference in tensors_read(fields):
            number = source.get(int(reference.get("global_id", -1)))
            if number is None or passes_on or issubclass(kind, WITHOUT_WORK):
                continue
            shape = reference.get("desc", {}).get("shape", [])
            fan_in = 0
            if kind is TTNNMatmulOp and name == "in1":
                fan_in = shape[-2] if len(shape) > 1 else prod(shape)
            elif kind is TTNNConv2dOp and name == "weight":
                fan_in = prod(shape[1:])
            if fan_in > 0:
                scales[number] = 1 / sqrt(fan_in)
            else:
                others.add(number)
        out = fields.get("out")
        if isinstance(out, Mapping) and "global_id" in out:
            origin = source.get(first_read(fields)) if passes_on else None
            if origin is None:
                source.pop(int(out["global_id"]), None)
            else:
                source[int(out["global_id"])] = origin
    return {number: scale for number, scale in scales.items() if number not in others}


def whole(inputs: Inputs) -> list[torch.Tensor]:
    """The inputs as whole tensors: the shards of each are joined."""
    return [one.whole() if isinstance(one, MeshShards) else one for one in inputs]
