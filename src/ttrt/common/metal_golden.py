"""Golden results of a ``.ttm`` file: the tensors that each command should write, compared with those that it wrote.

A command is checked twice: against the reference of the whole program up to it, in float64, and against the reference
of its kernels for the values that were really in memory, rounded where the chip rounds. The second check says whether
the command itself is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from tt_model.binaries.reference import ReferenceModules, function_of
from tt_model.binaries.tolerance import Values, units
from tt_model.layouts.enums import DataType
from tt_model.operations import ttmetal
from tt_model.operations.dialects import operation_class
from tt_model.operations.ttmetal import TTMetalAllocOp, TTMetalDispatchOp
from tt_model.runtime.metal.executor import MetalState
from tt_model.runtime.metal.tables import MetalCommand, MetalTensor, PreparedMetalProgram
from ttl.session.patience import Unavailable
from ttrt.common.golden import Comparison, compared, errors_of
from ttrt.common.programs import ProgramOfBinary

if TYPE_CHECKING:
    import torch
    from xdsl.dialects.func import FuncOp
    from xdsl.ir import Operation


@cache
def _commands() -> Mapping[type[Operation], str]:
    """Return the name of each operation of the module in a file."""
    return MappingProxyType(
        {
            ttmetal.TTMetalAllocOp: "CreateBufferCommand",
            ttmetal.TTMetalDeallocOp: "DeallocateBufferCommand",
            ttmetal.TTMetalHostWriteOp: "EnqueueWriteBufferCommand",
            ttmetal.TTMetalHostReadOp: "EnqueueReadBufferCommand",
            ttmetal.TTMetalDispatchOp: "EnqueueProgramCommand",
        }
    )


# The allowed error against the reference that rounds as the chip does: steps of the type of the registers, and steps of
# the largest number that was added up in a register, because sums are added in another order.
_STEPS, _OF_SUMS = 2.0, 2.0
# Operations that only move numbers.
_MOVES = frozenset(
    f"dispatch ({word})" for word in ("moves", "copy", "tilize", "untilize", "transpose", "unary_bcast")
) | {"host_read"}


class MetalGoldenCheck:
    """Compares the commands of a run: ``before`` and the object itself are the observers of ``run_metal_program``.

    Raises ``Unavailable`` where the file has no module with the commands of the program, or the reference cannot take
    the inputs. Where the reference cannot continue, ``stopped`` says why, and later commands are not compared.
    """

    # The word for the compared units in messages.
    COMPARED = "commands"
    # Files of TTMetal have no golden tensors of operations.
    stored: MappingProxyType[int, Values] = MappingProxyType({})
    unused: tuple[str, ...] = ()

    def __init__(
        self,
        modules: ReferenceModules,
        index: int,
        program: PreparedMetalProgram,
        inputs: Sequence[torch.Tensor],
    ) -> None:
        from tt_model.reference.interpreter import NotInterpretable
        from tt_model.reference.metal.machine import ChipMachine

        module = modules.module(index)
        function: FuncOp = function_of(module, program.name)
        self._exact = ChipMachine(module, function)
        self._own = ChipMachine(module, function, as_chip=True)
        given = [one.double().numpy() for one in inputs]
        self.stopped = ""
        self._of: dict[int, Operation] = {command.at.index: op for command, op in _paired(function, program)}
        # Tensors by their numbers: those for which an earlier operation decided otherwise than the reference because of
        # rounding; those of 16 bits; and the magnitude of the numbers that each comes from.
        self._tainted: set[int] = set()
        self._narrow: set[int] = set()
        self._scales: dict[int, float] = {}
        self.comparisons: list[Comparison] = []
        self._last: dict[int, Comparison] = {}
        try:
            for machine in (self._exact, self._own):
                machine.begin(given)
        except NotInterpretable as problem:
            raise Unavailable(str(problem)) from None

    def before(self, state: MetalState, command: MetalCommand) -> None:
        """Pass the tensors that the command really finds in memory to the reference."""
        op = self._of.get(command.at.index)
        if self.stopped or op is None or command.kind != "EnqueueProgramCommand":
            return
        results = set(op.inits)  # type: ignore[attr-defined]
        for operand, tensor in zip(op.operands, command.tensors, strict=True):
            if operand not in results:
                self._own.store(op, operand, np.asarray(state.read(tensor), np.float64))

    def __call__(self, state: MetalState, command: MetalCommand) -> None:
        """Compare the tensors that the command wrote."""
        from tt_model.reference.interpreter import NotInterpretable

        op = self._of.get(command.at.index)
        if self.stopped or op is None:
            return
        try:
            for machine in (self._exact, self._own):
                machine.do(op)
            for result, tensor in zip(op.results, _written(op, command)):
                wanted, own = (machine.load(op, result) for machine in (self._exact, self._own))
                self._compare(op, command, tensor, wanted, own, np.asarray(state.read(tensor), np.float64))
        except NotInterpretable as problem:
            self.stopped = str(problem)

    def _compare(
        self,
        op: Operation,
        command: MetalCommand,
        tensor: MetalTensor,
        wanted: Values,
        own: Values,
        got: Values,
    ) -> None:
        name = f"{command.at.index} {said(op)}"
        sources = [one.id for one in command.tensors[:-1]]
        kind = self._precision_of(command, tensor, sources)
        # A sum that is much smaller than its terms has errors as large as theirs, also after it is moved.
        before = max((self._scales.get(one, 0.0) for one in sources), default=0.0)
        scale = before if said(op) in _MOVES else self._exact.largest
        self._scales[tensor.id] = scale
        error, allowed = own_error(own, got, kind, self._own.largest if command.kernels else 0.0)
        parts = np.where(
            error <= allowed, np.minimum(error / np.where(allowed > 0, allowed, 1.0), 1.0), error
        )
        with np.errstate(all="ignore"):
            parts = np.where((error > allowed) & (allowed > 0), error / allowed, parts)
            parts = np.where((error > allowed) & (allowed == 0), np.maximum(2.0, error), parts)
        share = float(parts.max(initial=0.0))
        tainted = not self._tainted.isdisjoint(sources)

        def comparison(tainted: bool) -> Comparison:
            return compared(
                name, command.at.location, wanted, got, kind, own=share, tainted=tainted, scale=scale
            )

        result = comparison(tainted)
        if share <= 1 and result.absolute > result.allowed and (_jumps(op) or np.isnan(wanted).any()):
            tainted = True
            result = comparison(tainted)
        (self._tainted.add if tainted else self._tainted.discard)(tensor.id)
        self.comparisons.append(result)
        self._last[tensor.id] = result

    def _precision_of(self, command: MetalCommand, tensor: MetalTensor, sources: Sequence[int]) -> DataType:
        """The type whose precision a result has: its own, but bfloat16 for a float32 that was in 16-bit registers.

        That is also so if one of its sources was in such registers.
        """
        narrow = any(kernel.config is not None and not kernel.config.fp32_dst for kernel in command.kernels)
        narrow = narrow or not self._narrow.isdisjoint(sources)
        (self._narrow.add if narrow else self._narrow.discard)(tensor.id)
        kind = tensor.described.data_type
        return DataType.BFloat16 if narrow and kind is DataType.Float32 else kind

    def outputs_diverge(self, program: ProgramOfBinary, pcc: float) -> bool:
        """Whether an output of the program is worse than the tolerance."""
        return any(one.id in self._last and self._last[one.id].diverges(pcc) for one in program.outputs)

    def first_bad(self, pcc: float) -> Comparison | None:
        """The first command that is worse than the tolerance."""
        return next((one for one in self.comparisons if one.diverges(pcc)), None)

    def to_blame(self) -> list[Comparison]:
        """The commands whose own errors are too large."""
        return [one for one in self.comparisons if one.is_to_blame]


def own_error(wanted: Values, got: Values, kind: DataType, largest: float) -> tuple[Values, Values]:
    """The errors of a result, and the allowed errors. ``largest`` is the largest number that a register held."""
    with np.errstate(all="ignore"):
        allowed = _STEPS * units(wanted, kind) + _OF_SUMS * units(np.asarray([largest]), kind)
    return errors_of(wanted, got), allowed


def _paired(function: FuncOp, program: PreparedMetalProgram) -> Iterator[tuple[MetalCommand, Operation]]:
    """Each command of a program with its operation in the program's function.

    Raises ``Unavailable`` if they do not match.
    """
    operations = [
        op
        for op in function.body.block.ops
        if type(op) in _commands() and not (isinstance(op, TTMetalAllocOp) and op.memory_space.is_host)
    ]
    wanted = [_commands()[type(op)] for op in operations]
    if [command.kind for command in program.steps] != wanted:
        raise Unavailable(
            f"the commands of {program.name} are not those of the module in the binary: {len(program.steps)} commands, "
            f"{len(wanted)} operations"
        )
    return zip(program.steps, operations, strict=True)


def _written(op: Operation, command: MetalCommand) -> Sequence[MetalTensor]:
    count = len(op.results)
    return command.tensors[len(command.tensors) - count :] if command.kind.startswith("Enqueue") else ()


def said(op: Operation) -> str:
    """Return a description of a command, in a word or two."""
    if not isinstance(op, TTMetalDispatchOp):
        return op.name.removeprefix("ttmetal.")
    names = {one.name.removeprefix("ttkernel.") for region in op.regions for one in region.walk()}
    computes = sorted(
        name.removesuffix("_tile").removesuffix("_tiles").removesuffix("_block")
        for name in names
        if name.endswith(("_tile", "_tiles", "_block", "unary_bcast"))
        and name not in ("copy_tile", "pack_tile")
    )
    if computes:
        return f"dispatch ({', '.join(computes)})"
    return "dispatch (copy)" if "copy_tile" in names else "dispatch (moves)"


def _jumps(op: Operation) -> bool:
    functions = _jumping()
    return any(
        one.name.removeprefix("ttkernel.") in functions for region in op.regions for one in region.walk()
    )


@cache
def _jumping() -> frozenset[str]:
    """The functions of kernels whose results may change much if their operands change a little."""
    from ttmlir.transforms.metal.recipes import RECIPES

    jumping: set[str] = set()
    steady: set[str] = set()
    for name, recipe in RECIPES.items():
        if name != "copy" and operation_class(f"ttnn.{name}").ROW.jumps:
            jumping |= {call.name for call in recipe.calls}
        elif len(recipe.calls) == 1:
            steady.add(recipe.calls[0].name)
    # In a recipe of several functions, those that are also recipes of their own and steady do not jump.
    return frozenset(jumping - steady)
