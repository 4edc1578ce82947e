"""Runs a function of a module on NumPy arrays, in float64: TTIR, TTNN, and what a pass leaves between them.

In TTIR a result is a value of its own. In TTNN a result that has a destination *is* the destination: who writes it last is
read, and freeing it frees the result. What is read after it was freed, or before it was written, is an error at the
operation that reads it. ``ttnn.empty`` is zero: zero constants are lowered to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Operation, SSAValue

from ttl.ir.reports import Report, about
from ttmlir.operations.operation import RowOperation
from ttmlir.reference.formats import Values
from ttmlir.reference.meanings import elements, format_of, meaning_of, tensor_type

# How deep functions may call each other.
DEEPEST = 100


class NotInterpretable(Exception):
    """An operation has no value: ``report`` says why, at its place."""

    def __init__(self, op: Operation, why: str) -> None:
        self.op = op
        self.report: Report = about(op, f"'{op.name}' op {why}")
        place = f"{self.report.span}: " if self.report.span is not None else ""
        super().__init__(f"{place}{self.report.message}")


@dataclass(eq=False, slots=True)
class Storage:
    """The elements of a tensor, shared by all values that are the same tensor. None before it is written."""

    values: Values | None
    creator: Operation | None = None
    freed_by: Operation | None = None


Watch = Callable[[Operation, Sequence[Values]], None]


@dataclass(kw_only=True)
class Run:
    """What is known at the end of a run, beside the outputs: what was never freed, and how many operations ran."""

    live: list[Operation] = field(default_factory=list)
    operations: int = 0


def interpret(
    module: ModuleOp,
    function: str,
    inputs: Sequence[npt.ArrayLike],
    *,
    watch: Watch | None = None,
    run: Run | None = None,
) -> tuple[Values, ...]:
    """The results of a function of the module.

    ``inputs`` have the shapes of its arguments; they are taken as they are, in float64, and are not changed. ``watch`` is
    called with every operation that has a value, after it ran; ``run`` is filled in. Raises ``NotInterpretable`` for an
    operation that cannot be run, and ``ValueError`` for a function that is not there or inputs that do not fit.
    """
    functions = {op.sym_name.data: op for op in module.walk() if isinstance(op, FuncOp)}
    if function not in functions:
        raise ValueError(
            f"the module has no function '{function}', but {', '.join(sorted(functions)) or 'none'}"
        )
    interpreter = _Interpreter(functions, watch, run or Run())
    types = list(functions[function].function_type.inputs)
    if len(types) != len(inputs):
        raise ValueError(f"'{function}' takes {len(types)} inputs, got {len(inputs)}")
    arrays = []
    for position, (type, given) in enumerate(zip(types, inputs, strict=True)):
        array = np.array(given, np.float64)
        if array.shape != tensor_type(type).get_shape():
            raise ValueError(f"input {position} of '{function}' is of type {type}, got shape {array.shape}")
        if format_of(type).is_integer and not np.array_equal(array, np.trunc(array)):
            raise ValueError(
                f"input {position} of '{function}' is of type {type}, got a number that is not whole"
            )
        arrays.append(array)
    with np.errstate(all="ignore"):
        return interpreter.call(functions[function], arrays, ())


class _Interpreter:
    def __init__(self, functions: dict[str, FuncOp], watch: Watch | None, run: Run) -> None:
        self.functions = functions
        self.watch = watch
        self.run = run

    def call(
        self, function: FuncOp, inputs: Sequence[Values], callers: tuple[str, ...]
    ) -> tuple[Values, ...]:
        if len(function.body.blocks) != 1:
            why = "has no body" if not function.body.blocks else "branches, which the reference does not run"
            raise NotInterpretable(function, f"'{function.sym_name.data}' {why}")
        block = function.body.block
        frame = _Frame(self, (*callers, function.sym_name.data))
        for argument, values in zip(block.args, inputs, strict=True):
            frame.tensors[argument] = Storage(values)
        for op in block.ops:
            self.run.operations += 1
            if isinstance(op, ReturnOp):
                outputs = tuple(np.array(frame.read(op, operand)) for operand in op.operands)
                returned = {frame.tensors[operand] for operand in op.operands}
                self.run.live.extend(
                    storage.creator
                    for storage in dict.fromkeys(frame.tensors.values())
                    if storage.creator is not None and storage.freed_by is None and storage not in returned
                )
                return outputs
            frame.execute(op)
        raise NotInterpretable(function, "ends without a return")


class _Frame:
    """A call of a function."""

    def __init__(self, interpreter: _Interpreter, callers: tuple[str, ...]) -> None:
        self.interpreter = interpreter
        self.callers = callers
        self.tensors: dict[SSAValue, Storage] = {}

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
                reader, f"reads operand {_position(reader, value)}, which nothing has written"
            )
        return storage.values

    def execute(self, op: Operation) -> None:
        match op:
            case EmptyOp():
                self.tensors[op.tensor] = Storage(None, op)
            case ConstantOp():
                self.define(op, [_checked(op, elements, op.value)])
            case CallOp():
                self.define(op, self.called(op))
            case RowOperation():
                self.execute_row(op)
            case _:
                raise NotInterpretable(op, "has no meaning in the reference")

    def called(self, op: CallOp) -> Sequence[Values]:
        callee = self.interpreter.functions.get(op.callee.root_reference.data)
        if callee is None:
            raise NotInterpretable(
                op, f"calls '{op.callee.root_reference.data}', which the module does not define"
            )
        if len(self.callers) >= DEEPEST:
            raise NotInterpretable(
                op, f"is call number {DEEPEST} within each other: {self.callers[-1]} never ends"
            )
        inputs = [np.array(self.read(op, operand)) for operand in op.operands]
        return self.interpreter.call(callee, inputs, self.callers)

    def execute_row(self, op: RowOperation) -> None:
        if op.name == "ttnn.deallocate":
            self.read(op, op.operand("input"))
            self.tensors[op.operand("input")].freed_by = op
            return
        if op.name == "ttnn.get_device":
            return
        meaning = meaning_of(op.ROW)
        if meaning is None:
            raise NotInterpretable(op, "has no meaning in the reference")
        values = _checked(op, meaning, op, lambda operand: self.read(op, operand))
        self.define(op, values)

    def define(self, op: Operation, values: Sequence[Values]) -> None:
        inits = op.inits if isinstance(op, RowOperation) else ()
        for position, (result, value) in enumerate(zip(op.results, values, strict=True)):
            declared = tensor_type(result.type).get_shape()
            if value.shape != declared:
                raise NotInterpretable(op, f"gives a tensor of shape {value.shape}, its type says {declared}")
            # In the order of the text, whatever it was computed from: sums must not depend on it.
            value = np.ascontiguousarray(value)
            storage = Storage(value, op)
            if inits and op.name.startswith("ttnn."):
                storage = self.tensors[inits[position]]
                if storage.freed_by is not None:
                    raise NotInterpretable(
                        op, f"writes to operand {_position(op, inits[position])} after it was deallocated"
                    )
                storage.values = value
            self.tensors[result] = storage
        if self.interpreter.watch is not None:
            self.interpreter.watch(op, values)


def _checked(op: Operation, function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except (ValueError, IndexError, OverflowError) as problem:
        raise NotInterpretable(op, str(problem)) from problem


def _position(op: Operation, value: SSAValue) -> str:
    return f"#{next(index for index, operand in enumerate(op.operands) if operand is value)}"
