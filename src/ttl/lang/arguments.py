"""Checks of the arguments of copies, stores and expressions, based on the facts that an ``Execution`` has about them.

They include the place of a call's tensors: all of them on a device, or none. The rules are in ``ttl.rules``. An
execution calls these checks, unless it has already found that the arguments are correct.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from ttl.diag import Diagnostic
from ttl.diag.values import is_int
from ttl.host.access import untold_layout
from ttl.host.tensor import Tensor
from ttl.lang.block import Block, BlockView
from ttl.lang.buffer import DataflowBuffer
from ttl.lang.context import Execution
from ttl.lang.expr import BlockExpr
from ttl.lang.functions import number_operand
from ttl.lang.pipe import DstPipeIdentity, Pipe, SrcPipeIdentity
from ttl.lang.transfers import ReceiveRequest, TensorSlice
from ttl.lang.unshaped import Unshaped
from ttl.rows.row import Op
from ttl.rows.types import BlockType
from ttl.rules import copies, elements, pipes, stores, views
from ttl.rules.launches import match_places, moved_to_the_device
from ttl.rules.slices import INTEGER, no_index
from ttl.source.calls import argument_of_statement
from ttl.source.spans import Span

# --- copies ---------------------------------------------------------------------------------------------


def match_copy(execution: Execution, src: Any, dst: Any) -> None:
    """Refuse a copy outside data movement kernels, or one that cannot connect its two ends."""
    if execution.kernel_kind != "data movement":
        execution.refuse(copies.copy_outside(execution.what))
    finding = copies.match_ends(_end(src), _end(dst))
    if finding is not None:
        execution.refuse(finding)


_KINDS: tuple[tuple[type, copies.EndKind], ...] = (
    (Block, "block"),
    (TensorSlice, "slice"),
    (DataflowBuffer, "buffer"),
    (Tensor, "tensor"),
    (Pipe, "pipe"),
    (SrcPipeIdentity, "sending pipe"),
    (DstPipeIdentity, "receiving pipe"),
    (BlockView, "view"),
    (BlockExpr, "expression"),
)


def _end(value: Any) -> copies.End:
    kind = next((kind for type_, kind in _KINDS if isinstance(value, type_)), None)
    if kind is None or isinstance(value, Unshaped):
        return copies.other_end(value)
    if kind == "view":
        return copies.End(kind, value.buffer.name)
    return copies.End(kind, value.name if kind == "buffer" else "")


def match_page(execution: Execution, tensor: Any, page: Any, block: Any) -> None:
    """Refuse a copy of a tensor page at a place where it is not allowed, or with other arguments."""
    if execution.kernel_kind != "data movement":
        execution.refuse(copies.copy_outside(execution.what, "ttl.copy_tensor_page()"))
    if not isinstance(tensor, Tensor) or not isinstance(block, Block):
        execution.refuse(copies.no_page(_end(tensor), _end(block)))
    if isinstance(page, float | str | None | slice | tuple):
        execution.refuse(no_index(page))


def match_slice(execution: Execution, part: Any, block: Any, direction: copies.Direction) -> None:
    """Refuse a slice that does not fit a block.

    Integer indices drop dimensions. Extents that are known only on the node are taken to fit.
    """
    type_ = block.buffer.type
    extents = part.shape if all(isinstance(extent, int) for extent in part.shape) else None
    given = (part.layout, part.dtype, extents, part.single)
    # The name of a buffer is looked up only for a message.
    if copies.match_slice(*given, "", type_, direction) is not None:
        finding = copies.match_slice(*given, block.buffer.name, type_, direction)
        assert finding is not None
        execution.refuse(finding, made=block.buffer)


def require_active(execution: Execution, pipe: Any, *, active: bool) -> None:
    """Refuse a pipe whose condition function is not running."""
    if not active:
        execution.refuse(pipes.outside_its_function(), made=pipe)


def match_requests(execution: Execution, requests: Any, start: Any) -> None:
    """Refuse ``ttl.wait_any`` outside data movement kernels, or with arguments for which it cannot wait.

    Executions check that the receives can be distinguished (TTL0615).
    """
    if execution.kernel_kind != "data movement":
        execution.refuse(copies.copy_outside(execution.what, pipes.WAIT_ANY))
    members = requests if isinstance(requests, tuple) else ()
    finding = pipes.match_requests(requests, [isinstance(member, ReceiveRequest) for member in members])
    if finding is None and start is not INTEGER and not is_int(start):
        finding = pipes.bad_start(start)
    if finding is not None:
        execution.refuse(finding)


# --- single elements --------------------------------------------------------------------------------------


def match_element(
    execution: Execution, function: str, block: Any, coordinates: tuple[Any, ...], *, reserved: bool | None
) -> None:
    """Refuse an access to an element of a block that a function does not accept.

    ``reserved``: whether the block was acquired by ``reserve``, or None if that does not matter.
    """
    if execution.kernel_kind != "data movement":
        execution.refuse(elements.outside(function, execution.what))
    if not isinstance(block, Block):
        named = getattr(block, "name", "") if isinstance(block, DataflowBuffer) else ""
        execution.refuse(elements.no_block(function, block, named))
    buffer: Any = block.buffer  # type: ignore[attr-defined]  # blocks of all executions have it
    finding = elements.match_dtype(function, buffer.name, buffer.type.dtype)
    if finding is None and function == elements.INDEX and reserved:
        finding = elements.not_waited(buffer.name)
    if finding is None:
        finding = elements.match_coordinates(function, buffer.name, buffer.type, coordinates)
    if finding is not None:
        execution.refuse(finding, made=buffer)


# --- stores and expressions -----------------------------------------------------------------------------


def match_store(execution: Execution, given: BlockType, block: Any) -> None:
    """Refuse an expression of a type that does not fit into a block."""
    buffer = block.buffer
    if stores.match_store(given, "", buffer.type) is None:
        return
    finding = stores.match_store(given, buffer.name, buffer.type)
    assert finding is not None
    likeness = execution.likeness(buffer)
    untold = None if likeness is None else untold_layout(likeness)
    if untold is not None:
        finding = stores.row_major_by_default(finding, *untold)
    execution.refuse(finding, made=buffer)


def match_view_store(execution: Execution, given: BlockType, view: Any) -> None:
    """Refuse an expression of a type that does not fit into a sub-view of a block."""
    finding = views.match_store(given, view.buffer.name, view.view, view.buffer.type)
    if finding is not None:
        execution.refuse(finding)


def refuse_store(execution: Execution, expr: Any, block: Any) -> NoReturn:
    """Refuse to store a value that is not an expression."""
    execution.refuse(stores.no_expression(expr, block.buffer.type))


def refuse_arithmetic(execution: Execution, op: Op, operands: tuple[Any, ...]) -> NoReturn:
    """Refuse an expression outside of compute kernels, with the first block that it reads, if it reads one."""
    for position, operand in enumerate(operands):
        if isinstance(operand, Block | BlockView):
            execution.refuse_read(operand, position)
    execution.refuse(stores.arithmetic_outside(op.spellings[0], execution.what))


def number(execution: Execution, op: Op, position: int, operand: Any) -> int | float:
    """An operand that is a number, as a Python number."""
    kind = type(operand)
    if kind is float or kind is int:
        return operand  # type: ignore[no-any-return]
    value = number_operand(op, op.operands[position].name, operand)
    if isinstance(value, Diagnostic):
        execution.refuse(value)
    return value


def misplaced(operation: str, arguments: Mapping[str, Any], call: Span | None) -> Diagnostic | None:
    """The error for a call with some tensors on a device and others on the host (TTL0241), or None.

    It has no location. It has a fix if ``call`` is the location of a statement that passes variables.
    """
    on_device = {
        name: value.device() is not None for name, value in arguments.items() if isinstance(value, Tensor)
    }
    finding = match_places(operation, on_device)
    if finding is None or call is None:
        return finding
    names = list(arguments)
    first, other = (next(name for name, on in on_device.items() if on is wanted) for wanted in (False, True))
    given, beside = (argument_of_statement(call, names.index(name), name) for name in (first, other))
    if given is None or beside is None:
        return finding
    return moved_to_the_device(finding, call, given, beside)
