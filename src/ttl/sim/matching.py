"""What copies, stores and expressions of a launch may take: the rules of ``ttl.rules``, and where they were broken."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NoReturn

from ttl.diag import Diagnostic
from ttl.host.access import untold_layout
from ttl.host.tensor import Tensor
from ttl.lang.functions import number_operand
from ttl.lang.pipe import Pipe
from ttl.ops.row import Op
from ttl.ops.types import BlockType
from ttl.protocol.blocks import Step
from ttl.rules import copies, stores
from ttl.rules.labels import BUFFER_MADE
from ttl.sim.block import SimBlock
from ttl.sim.buffer import SimBuffer
from ttl.sim.pipes import SimDstPipe, SimSrcPipe
from ttl.sim.storage import SimSlice
from ttl.sim.values import Expr
from ttl.source.calls import call_at

if TYPE_CHECKING:
    from ttl.sim.engine import Engine
    from ttl.sim.kernel import Kernel


def match_slice(engine: Engine, part: SimSlice, block: SimBlock, direction: copies.Direction) -> None:
    """Accept a slice whose integer indices drop dimensions the block has not got; else report."""
    type_ = block.buffer.type
    # A buffer's name is looked for only when it is said.
    if copies.match_slice(part.type, part.single, "", type_, direction) is None:
        return
    found = copies.match_slice(part.type, part.single, block.buffer.name, type_, direction)
    assert found is not None
    engine.fail(found, related=((block.buffer.site, BUFFER_MADE),))


def match_store(engine: Engine, given: BlockType, target: SimBlock) -> None:
    """Report a store whose expression does not fit the block; nothing when it does."""
    type_ = target.buffer.type
    if stores.match_store(given, "", type_) is None:
        return
    found = stores.match_store(given, target.buffer.name, type_)
    assert found is not None
    likeness = _likeness(engine, target.buffer)
    untold = None if likeness is None else untold_layout(likeness)
    if untold is not None:
        found = stores.row_major_by_default(found, *untold)
    engine.fail(found, related=((target.buffer.site, BUFFER_MADE),))


def _likeness(engine: Engine, buffer: SimBuffer) -> Tensor | None:
    """The tensor in whose likeness a buffer was made, where the call names a parameter of the operation."""
    call = None if buffer.site is None else call_at(buffer.site)
    if call is None or not call.args or not isinstance(call.args[0], ast.Name):
        return None
    found = engine.arguments.get(call.args[0].id)
    return found if isinstance(found, Tensor) else None


def refuse_store(engine: Engine, expr: Any, type_: BlockType) -> NoReturn:
    """Report a store of what is no expression into a block of ``type_``."""
    engine.fail(stores.no_expression(expr, type_))


def refuse_arithmetic(engine: Engine, op: Op, operands: tuple[Any, ...]) -> NoReturn:
    """Report an expression that is not in a compute kernel."""
    for operand in operands:
        if type(operand) is SimBlock:
            operand.illegal(Step.READ)
    if not engine.active:
        engine.fail(stores.used_after_the_end("a block expression"))
    engine.fail(stores.arithmetic_outside(op.spellings[0], engine.current.what))


def number(engine: Engine, op: Op, position: int, operand: Any) -> int | float:
    """An operand that is a number, as a Python number; anything else is an error."""
    kind = type(operand)
    if kind is float or kind is int:
        return operand  # type: ignore[no-any-return]
    found = number_operand(op, op.operands[position].name, operand)
    if isinstance(found, Diagnostic):
        engine.fail(found)
    return found


def refuse_copy(engine: Engine, kernel: Kernel) -> NoReturn:
    """Report a copy that is not in a data movement kernel."""
    engine.fail(copies.copy_outside(kernel.what))


def refuse_ends(engine: Engine, src: Any, dst: Any) -> NoReturn:
    """Report a copy between things that no copy connects."""
    found = copies.match_ends(_end(src), _end(dst))
    assert found is not None
    engine.fail(found)


def _end(end: Any) -> copies.End:
    if isinstance(end, SimBlock):
        return copies.End("block")
    if isinstance(end, SimSlice):
        return copies.End("slice")
    if isinstance(end, SimBuffer):
        return copies.End("buffer", end.name)
    if isinstance(end, Tensor):
        return copies.End("tensor")
    if isinstance(end, Pipe):
        return copies.End("pipe")
    if isinstance(end, SimSrcPipe):
        return copies.End("sending pipe")
    if isinstance(end, SimDstPipe):
        return copies.End("receiving pipe")
    if isinstance(end, Expr):
        return copies.End("expression")
    return copies.other_end(end)
