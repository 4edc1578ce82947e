"""``ttnn-write-in-place``: an argument that a function updates, such as a cache of keys, is updated in its own memory.

Expects: TTNN with all changes of layout in steps; updated arguments name in ``ttir.written`` the result that is their
new value, and lie on the device. Guarantees: such a result has the memory of its argument; the old value of a tensor
that an operation overwrites has no later reads. If it had later reads, the tensor is copied first; a result that was
computed elsewhere is copied into its argument at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from tt_model.operations.constants import written_arguments
from tt_model.operations.dialects import build
from tt_model.operations.explanation import EXPLANATION
from tt_model.operations.lying import layout_when_run
from tt_model.operations.operation import RowOperation, is_destination_style
from tt_model.operations.shared import TTNNReshapeOp
from tt_model.operations.tensors import tensor_type_of
from ttmlir.transforms.conversion import device_in, empty_attributes


@dataclass(frozen=True)
class TTNNWriteInPlace(ModulePass):
    """Update arguments in their own memory."""

    name = "ttnn-write-in-place"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.walk():
            if isinstance(function, FuncOp) and len(function.body.blocks) == 1:
                _WrittenFunction(function).write_in_place()


class _WrittenFunction:
    def __init__(self, function: FuncOp) -> None:
        self._function, self._block = function, function.body.block
        arguments = self._block.args
        self._written = {
            arguments[index]: result
            for index, result in written_arguments(function).items()
            if _is_on_device(arguments[index])
        }

    def write_in_place(self) -> None:
        for op in list(self._block.ops):
            if isinstance(op, RowOperation) and op.ROW.updates:
                self._own_destination(op)
        end = self._block.last_op
        if self._written and isinstance(end, ReturnOp):
            self._end_in_arguments(end)

    def _own_destination(self, op: RowOperation) -> None:
        """Give an operation a destination that the function may write to and that has no later reads."""
        start, _ = op.init_bounds
        value = op.operands[start]
        memory = _memory_of(value)
        is_foreign = isinstance(memory, BlockArgument) and memory not in self._written
        if is_foreign or memory is not _destination(value) or self._is_read_after(op, memory, op.results[0]):
            op.operands[start] = self._copied(
                value, op, f"{op.name} overwrites it, but its old value is read afterwards"
            )

    def _is_read_after(self, op: RowOperation, memory: SSAValue, written: SSAValue) -> bool:
        """Whether ``op`` or a later operation reads a memory, other than through the result of ``op``."""
        later, (start, end) = set(_from(op)), op.init_bounds
        return any(
            use.operation in later or (use.operation is op and not start <= use.index < end)
            for name in _names_of(memory, without=written)
            for use in name.uses
        )

    def _copied(self, value: SSAValue, before: Operation, reason: str) -> SSAValue:
        type, location = tensor_type_of(value), before.location
        device = device_in(self._block)
        empty = build("ttnn.empty", [device], [type], empty_attributes(type), location=location)
        copy = build("ttnn.copy", [value, empty.result], [type], location=location)
        for new in (empty, copy):
            self._block.insert_op_before(new, before)
        self._because(copy.result, f"a copy, because {reason}")
        return copy.result

    def _end_in_arguments(self, end: ReturnOp) -> None:
        """Copy results into their arguments where they are not there already. No operation reads behind the copies."""
        elsewhere = {
            argument: result
            for argument, result in self._written.items()
            if _memory_of(end.operands[result]) is not argument
            or _destination(end.operands[result]) is not argument
        }
        for argument, result in elsewhere.items():
            memory = _memory_of(end.operands[result])
            if isinstance(memory, BlockArgument) and memory in self._written and memory is not argument:
                reason = "another argument gets the old value of this one"
                end.operands[result] = self._copied(end.operands[result], end, reason)
        for argument, result in elsewhere.items():
            copy = build(
                "ttnn.copy", [end.operands[result], argument], [argument.type], location=end.location
            )
            self._block.insert_op_before(copy, end)
            end.operands[result] = copy.result
            self._because(
                copy.result, "the argument must have this value afterwards, but no operation writes it there"
            )
        outputs = [value.type for value in end.operands]
        inputs = list(self._function.function_type.inputs)
        self._function.function_type = FunctionType.from_lists(inputs, outputs)

    def _because(self, value: SSAValue, reason: str) -> None:
        explanation = EXPLANATION.get()
        if explanation is not None:
            explanation.because(value, f"ttnn-write-in-place: {reason}")


def _is_on_device(value: SSAValue) -> bool:
    layout = layout_when_run(value)
    return layout is not None and not layout.buffer_type.is_host


def _destination(value: SSAValue) -> SSAValue:
    """The tensor that a value was written to, also through several operations; else the value itself."""
    while isinstance(owner := value.owner, RowOperation) and is_destination_style(owner):
        value = owner.inits[owner.results.index(value)]
    return value


def _memory_of(value: SSAValue) -> SSAValue:
    """The tensor whose memory a value has: the destination that it was written to, or the tensor that it reshapes."""
    while True:
        value = _destination(value)
        owner = value.owner
        if not (isinstance(owner, RowOperation) and (isinstance(owner, TTNNReshapeOp) or owner.ROW.moves)):
            return value
        if not (_is_on_device(value) and _is_on_device(owner.operands[0])):
            return value
        value = owner.operands[0]


def _names_of(memory: SSAValue, without: SSAValue) -> Iterator[SSAValue]:
    """The values that lie in a memory, or may lie in it, except those that derive from ``without``."""
    waiting, seen = [memory], {without}
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        yield name
        for use in name.uses:
            user = use.operation
            waiting += [result for result in user.results if _may_share(user, use.index)]


def _may_share(op: Operation, position: int) -> bool:
    if not isinstance(op, RowOperation):
        return False
    if is_destination_style(op):
        start, end = op.init_bounds
        return start <= position < end
    return isinstance(op, TTNNReshapeOp) or (op.ROW.moves and _is_on_device(op.results[0]))


def _from(op: Operation) -> Iterator[Operation]:
    """The operations behind ``op`` in its block."""
    later: Operation | None = op.next_op
    while later is not None:
        yield later
        later = later.next_op
