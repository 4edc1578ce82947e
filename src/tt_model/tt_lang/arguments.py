"""Checks that an operation of TT-Lang fits a model's call: the number, roles, types and layouts of its tensors."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence

from tt_model.layouts.enums import BufferType, TensorMemoryLayout
from tt_model.layouts.kernel_request import KernelOperand, KernelRequest
from tt_model.tt_lang.declared_kernels import KernelError, TTLangKernel
from tt_model.tt_lang.tensors import element_type, memory_config
from ttl.source.parsing import parse
from ttl.source.spans import Span

_PLACES = (BufferType.DRAM, BufferType.L1)


def check_arguments(kernel: TTLangKernel, request: KernelRequest) -> None:
    """Raise ``KernelError``, at the kernel's line, if the model passes arguments that the operation does not take."""
    function = kernel.operation.function
    tunable = kernel.operation.tunable
    chosen_later = () if tunable is None else tunable.names
    parameters = [name for name in kernel.operation.signature.parameters if name not in chosen_later]
    if len(parameters) != len(request.operands):
        raise KernelError(
            f"operation {function.__name__} takes {len(parameters)} tensors ({', '.join(parameters)}), but the "
            f"model passes {len(request.operands)}",
            place_of(kernel),
        )
    declared = kernel.arg_roles.replace(" ", "")
    if declared and declared != ",".join(request.roles):
        raise KernelError(
            f"operation {function.__name__} is declared with arg_roles '{declared}', but the model has "
            f"'{','.join(request.roles)}'",
            place_of(kernel),
        )
    for parameter, operand in zip(parameters, request.operands, strict=True):
        try:
            check_operand(operand)
        except KernelError as problem:
            message = f"'{parameter}' of operation {function.__name__} is {operand} here: {problem}"
            raise KernelError(message, place_of(kernel, parameter)) from None


def check_operand(operand: KernelOperand) -> None:
    """Raise ``KernelError``, with the remedy, for a tensor whose type or layout operations of TT-Lang do not take."""
    element_type(operand)
    if operand.buffer_type not in _PLACES:
        raise KernelError("tensors of kernels must be in dram or l1: insert a ttnn.to_memory_config before")
    if operand.is_sharded and operand.buffer_type is BufferType.DRAM:
        raise KernelError(
            "shards must be in l1: insert a ttnn.to_memory_config to l1, or to dram interleaved, before"
        )
    if not operand.is_sharded and operand.memory_layout not in (
        TensorMemoryLayout.Interleaved,
        TensorMemoryLayout.None_,
    ):
        raise KernelError(
            "tensors of kernels must be interleaved or sharded: insert a ttnn.to_memory_config to interleaved before"
        )
    if 0 in operand.shape or not operand.shape:
        what = "no dimension" if not operand.shape else "no elements"
        raise KernelError(f"tensors of kernels need elements and at least one dimension, and this has {what}")
    memory_config(operand)


def place_of(kernel: TTLangKernel, parameter: str = "") -> Span | None:
    """The location of an operation's definition, or of one of its parameters; None if its source is not known."""
    function = inspect.unwrap(kernel.operation.function)
    file, first = inspect.getsourcefile(function), function.__code__.co_firstlineno
    if file is None:
        return None
    try:
        lines = inspect.getsourcelines(function)[0]
        tree = parse(_dedented(lines))
    except (OSError, SyntaxError):
        return Span(file=file, line=first)
    definition = next((node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)), None)
    if definition is None:
        return Span(file=file, line=first)
    arguments = definition.args
    known = {one.arg: one for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    node: ast.FunctionDef | ast.arg = known.get(parameter, definition)
    shift = len(lines[0]) - len(lines[0].lstrip())
    return Span(file=file, line=first + node.lineno - 1, column=node.col_offset + shift + 1)


def _dedented(lines: Sequence[str]) -> str:
    shift = len(lines[0]) - len(lines[0].lstrip())
    return "".join(line[shift:] if line[:shift].isspace() or not shift else line for line in lines)
