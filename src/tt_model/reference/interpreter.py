"""Runs a function of a module on NumPy arrays, in float64: TTIR, TTNN, and mixtures of both that passes leave.

In TTIR a result is a value of its own. In TTNN a result that has a destination *is* the destination: reads see the last
write, and freeing the destination frees the result. Reading a tensor after it was freed, or before it was written, is
an error at the operation that reads it. ``ttnn.empty`` is zero: zero constants are lowered to it. If tensors have
addresses, in the TTMetal pipeline, functions run on the memory of a simulated chip (``tt_model.reference.metal``).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Attribute, Operation, SSAValue

from tt_model.operations.operation import RowOperation, TTNNOperation
from tt_model.operations.ttir import TTIRAllGatherOp, TTIRAllocOp
from tt_model.operations.ttmetal import TTMetalAllocOp
from tt_model.operations.ttnn import TTNNAllGatherOp, TTNNDeallocateOp, TTNNGetDeviceOp
from tt_model.reference.collectives import collective, is_collective, mesh_of, parts_chips
from tt_model.reference.formats import Values
from tt_model.reference.meanings import MEANINGS, elements, format_of, tensor_type
from tt_model.reference.metal.machine import run_on_chip
from tt_model.reference.problems import NotInterpretable

# The largest depth of calls of functions.
DEEPEST = 100


@dataclass(eq=False, slots=True)
class ValueStorage:
    """The elements of a tensor, shared by all values that are the same tensor.

    They are None before the tensor is written, and after the last operation that could read it. ``names`` is the number
    of values of the function that still stand for it.
    """

    values: Values | None
    creator: Operation | None = None
    freed_by: Operation | None = None
    names: int = 0


Watch = Callable[[Operation, Sequence[Values]], None]
# An operation that has a value, and on each chip the elements of each of its results.
Executed = tuple[Operation, "list[Sequence[Values]]"]


@dataclass(kw_only=True)
class InterpretedRun:
    """Facts of a run besides its outputs: operations whose tensors were never freed, and the number of operations."""

    live: list[Operation] = field(default_factory=list)
    operations: int = 0


def interpret(
    module: ModuleOp,
    function: str,
    inputs: Sequence[npt.ArrayLike],
    *,
    watch: Watch | None = None,
    run: InterpretedRun | None = None,
) -> tuple[Values, ...]:
    """The results of a function of the module.

    ``inputs`` have the shapes of its arguments; they are converted to float64 and are not changed. ``watch`` is called
    with every operation that has a value, after it ran; ``run`` is filled in. Raises ``NotInterpretable`` for an
    operation that cannot be run, and ``ValueError`` if the function does not exist or inputs do not fit.
    """
    steps = executed(module, function, [[given] for given in inputs], run=run)
    while True:
        try:
            op, (values,) = next(steps)
        except StopIteration as end:
            (outputs,) = end.value
            return tuple(outputs)
        if watch is not None:
            watch(op, values)


def executed(
    module: ModuleOp,
    function: str,
    inputs: Sequence[Sequence[npt.ArrayLike]],
    *,
    chips: int = 1,
    run: InterpretedRun | None = None,
) -> Generator[Executed, None, list[tuple[Values, ...]]]:
    """Yield the operations of a function in order, with their values on each chip; return the function's results.

    Operations run when the caller requests the next one; a tensor is kept as long as an operation may read it. Each of
    ``inputs`` has one array for all chips, or one for each. If all have one, and no operation gives chips parts of
    their own, one chip is computed for all. Operations between chips combine the tensors of the ``chips`` of the
    module's mesh. Raises the exceptions of ``interpret``.
    """
    functions = {op.sym_name.data: op for op in _functions(module)}
    if function not in functions:
        raise ValueError(
            f"the module has no function '{function}', but {', '.join(sorted(functions)) or 'none'}"
        )
    types = list(functions[function].function_type.inputs)
    if len(types) != len(inputs):
        raise ValueError(f"'{function}' takes {len(types)} inputs, got {len(inputs)}")
    apart = chips if any(len(given) > 1 for given in inputs) or parts_chips(module) else 1
    arrays = _arguments(types, inputs, chips, apart, function)
    # From here on only the function holds the inputs, as long as it reads them.
    del inputs
    if has_addresses(functions[function]):
        if len(arrays) > 1:
            raise NotInterpretable(functions[function], "runs on one chip, and has inputs for several")
        return [run_on_chip(module, functions[function], arrays[0])]
    mesh = mesh_of(module, chips)
    return (
        yield from _Interpreter(functions, mesh, run or InterpretedRun()).call(
            functions[function], arrays, ()
        )
    )


def has_addresses(function: FuncOp) -> bool:
    """Whether the tensors of a function lie at addresses of a chip, so that its values are the contents of memory."""
    return "tt.arg_alloc" in function.attributes or any(
        isinstance(op, TTIRAllocOp | TTMetalAllocOp) for block in function.body.blocks for op in block.ops
    )


def _arguments(
    types: Sequence[Attribute],
    inputs: Sequence[Sequence[npt.ArrayLike]],
    chips: int,
    apart: int,
    function: str,
) -> list[list[Values]]:
    """Return the arguments of each chip; a single list for all chips if no input differs between them (``apart`` is 1)."""
    arrays: list[list[Values]] = [[] for _ in range(apart)]
    for position, (type, given) in enumerate(zip(types, inputs, strict=True)):
        if len(given) not in (1, chips):
            raise ValueError(
                f"input {position} of '{function}' is for {len(given)} chips, and there are {chips}"
            )
        for chip, tensors in enumerate(arrays):
            tensors.append(_argument(given[chip % len(given)], type, f"input {position} of '{function}'"))
    return arrays


def _functions(module: ModuleOp) -> Iterator[FuncOp]:
    """The functions of a module and of modules in it. Functions are not searched."""
    for op in module.ops:
        if isinstance(op, FuncOp):
            yield op
        elif isinstance(op, ModuleOp):
            yield from _functions(op)


def _argument(given: npt.ArrayLike, type: Attribute, name: str) -> Values:
    # The array is not written to.
    array = np.asarray(given, np.float64)
    if array.shape != tensor_type(type).get_shape():
        raise ValueError(f"{name} is of type {type}, got shape {array.shape}")
    if format_of(type).is_integer and not np.array_equal(array, np.trunc(array)):
        raise ValueError(f"{name} is of type {type}, got a number that is not whole")
    return array


class _Interpreter:
    def __init__(self, functions: dict[str, FuncOp], mesh: tuple[int, int], run: InterpretedRun) -> None:
        self.functions = functions
        self.mesh = mesh
        self.chips = mesh[0] * mesh[1]
        self.run = run

    def call(
        self, function: FuncOp, inputs: list[list[Values]], callers: tuple[str, ...]
    ) -> Generator[Executed, None, list[tuple[Values, ...]]]:
        """Run a function on each chip, operation by operation. The lists in ``inputs`` are emptied."""
        if len(function.body.blocks) != 1:
            why = (
                "has no body"
                if not function.body.blocks
                else "has branches, which the reference does not run"
            )
            raise NotInterpretable(function, f"'{function.sym_name.data}' {why}")
        block = function.body.block
        callers = (*callers, function.sym_name.data)
        frames = [_CallFrame(list(zip(block.args, own, strict=True))) for own in inputs]
        for own in inputs:
            own.clear()
        last = {value: op for op in block.ops for value in op.operands}
        for op in block.ops:
            self.run.operations += 1
            if isinstance(op, ReturnOp):
                self.run.live.extend(frames[0].live(op))
                return [
                    tuple(np.array(frame.read(op, operand)) for operand in op.operands) for frame in frames
                ]
            values: list[Sequence[Values]]
            if isinstance(op, CallOp):
                values = yield from self.called(op, frames, callers)
            else:
                with np.errstate(all="ignore"):
                    between = self.between_chips(op, frames)
                    values = [frame.values_of(op) for frame in frames] if between is None else between
            has_values = [frame.define(op, own) for frame, own in zip(frames, values, strict=True)]
            for frame in frames:
                frame.forget([operand for operand in op.operands if last[operand] is op])
                frame.forget([result for result in op.results if result not in last])
            if all(has_values):
                yield op, values
        raise NotInterpretable(function, "ends without a return")

    def between_chips(self, op: Operation, frames: Sequence[_CallFrame]) -> list[Sequence[Values]] | None:
        """Return each chip's result of an operation between several chips; None for other operations."""
        if self.chips == 1 or not is_collective(op):
            return None
        operand = op.input
        if isinstance(op, TTIRAllGatherOp | TTNNAllGatherOp) and (
            tensor_type(operand.type).get_shape() == tensor_type(op.results[0].type).get_shape()
        ):
            return None
        parts = [frame.read(op, operand) for frame in frames]
        try:
            results = collective(op, parts if len(parts) > 1 else parts * self.chips, self.mesh)
        except ValueError as problem:
            raise NotInterpretable(op, str(problem)) from None
        return [[result] for result in results[: len(frames)]]

    def called(
        self, op: CallOp, frames: Sequence[_CallFrame], callers: tuple[str, ...]
    ) -> Generator[Executed, None, list[Sequence[Values]]]:
        callee = self.functions.get(op.callee.root_reference.data)
        if callee is None:
            raise NotInterpretable(
                op, f"calls '{op.callee.root_reference.data}', which the module does not define"
            )
        if len(callers) >= DEEPEST:
            raise NotInterpretable(
                op, f"is call number {DEEPEST} within each other: {callers[-1]} does not end"
            )
        inputs = [[np.array(frame.read(op, operand)) for operand in op.operands] for frame in frames]
        return list((yield from self.call(callee, inputs, callers)))


class _CallFrame:
    """One call of a function, on one chip."""

    def __init__(self, arguments: Sequence[tuple[SSAValue, Values]]) -> None:
        self.tensors: dict[SSAValue, ValueStorage] = {}
        self._storages: list[ValueStorage] = []
        for argument, values in arguments:
            self._name(argument, ValueStorage(values))

    def _name(self, value: SSAValue, storage: ValueStorage) -> None:
        if storage.names == 0:
            self._storages.append(storage)
        storage.names += 1
        self.tensors[value] = storage

    def forget(self, values: Sequence[SSAValue]) -> None:
        """Release values that no later operation reads."""
        for value in dict.fromkeys(values):
            storage = self.tensors.get(value)
            if storage is not None:
                storage.names -= 1
                if storage.names == 0:
                    storage.values = None

    def live(self, returned: ReturnOp) -> list[Operation]:
        """Return the operations that created the tensors which are neither freed nor returned."""
        given = {self.tensors[operand] for operand in returned.operands}
        return [
            storage.creator
            for storage in dict.fromkeys(self._storages)
            if storage.creator is not None and storage.freed_by is None and storage not in given
        ]

    def read(self, reader: Operation, value: SSAValue) -> Values:
        storage = self.tensors.get(value)
        if storage is None:
            raise NotInterpretable(
                reader, f"reads a value of type '{value.type}', which the reference does not model"
            )
        if storage.freed_by is not None:
            raise NotInterpretable(
                reader, f"reads operand {_position(reader, value)} after it was deallocated"
            )
        if storage.values is None:
            raise NotInterpretable(
                reader, f"reads operand {_position(reader, value)}, which no operation has written"
            )
        return storage.values

    def values_of(self, op: Operation) -> Sequence[Values]:
        """Return the results of an operation, which may be an empty sequence."""
        match op:
            case EmptyOp():
                self._name(op.tensor, ValueStorage(None, op))
                return ()
            case ConstantOp():
                return [_checked(op, elements, op.value)]
            case RowOperation():
                return self._row_values(op)
        raise NotInterpretable(op, "has no meaning in the reference")

    def _row_values(self, op: RowOperation) -> Sequence[Values]:
        if isinstance(op, TTNNDeallocateOp):
            self.read(op, op.input)
            storage = self.tensors[op.input]
            storage.freed_by = op
            storage.values = None
            return ()
        if isinstance(op, TTNNGetDeviceOp):
            return ()
        meaning = MEANINGS.of(type(op))
        if meaning is None:
            raise NotInterpretable(op, "has no meaning in the reference")
        values: Sequence[Values] = _checked(op, meaning, op, lambda operand: self.read(op, operand))
        return values

    def define(self, op: Operation, values: Sequence[Values]) -> bool:
        """Store the values of an operation's results. Return whether there are any."""
        if not values:
            return False
        inits = op.inits if isinstance(op, RowOperation) else ()
        for position, (result, value) in enumerate(zip(op.results, values, strict=True)):
            declared = tensor_type(result.type).get_shape()
            if value.shape != declared:
                raise NotInterpretable(op, f"gives a tensor of shape {value.shape}, its type says {declared}")
            # In row-major order in memory, however it was computed: sums must not depend on it.
            value = np.ascontiguousarray(value)
            storage = ValueStorage(value, op)
            if inits and isinstance(op, TTNNOperation):
                storage = self.tensors[inits[position]]
                if storage.freed_by is not None:
                    raise NotInterpretable(
                        op, f"writes to operand {_position(op, inits[position])} after it was deallocated"
                    )
                storage.values = value
            self._name(result, storage)
        return True


def _checked(op: Operation, function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except (ValueError, IndexError, OverflowError) as problem:
        raise NotInterpretable(op, str(problem)) from problem


def _position(op: Operation, value: SSAValue) -> str:
    return f"#{next(index for index, operand in enumerate(op.operands) if operand is value)}"


__all__ = ["DEEPEST", "InterpretedRun", "NotInterpretable", "ValueStorage", "executed", "interpret"]
