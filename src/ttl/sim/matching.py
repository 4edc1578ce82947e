"""What copies, stores and expressions may take, and what to say when they are given something else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ttl.diag import Diagnostic, error
from ttl.host.tensor import Tensor
from ttl.lang.check import describe
from ttl.lang.functions import number_operand
from ttl.ops.dtypes import WHOLE_NUMBER
from ttl.ops.row import Op
from ttl.ops.types import BlockType, describe_shape
from ttl.protocol.blocks import Step
from ttl.sim.block import SimBlock
from ttl.sim.buffer import SimBuffer
from ttl.sim.errors import used_after_the_end
from ttl.sim.pipes import SimDstPipe, SimSrcPipe
from ttl.sim.storage import SimSlice
from ttl.sim.values import Expr

if TYPE_CHECKING:
    from ttl.sim.engine import Engine
    from ttl.sim.kernel import Kernel


def match_slice(engine: Engine, part: SimSlice, block: SimBlock, direction: str) -> None:
    """Accept a slice whose integer indices drop dimensions the block has not got; else report."""
    storage, type_ = part.storage, block.buffer.type
    name = block.buffer.name
    if storage.layout is not type_.layout:
        engine.fail(
            error(
                "TTL0510",
                f"copy between a tensor in {storage.layout.word} layout and a block of {name} in {type_.layout.word} layout",
                help="make the buffer in the likeness of a tensor with the same layout, or convert with ttnn.to_layout",
            ),
            related=((block.buffer.site, "the buffer is made here"),),
        )
    if storage.dtype is not type_.dtype:
        engine.fail(
            error(
                "TTL0514",
                f"copy between a tensor of {storage.dtype.name} and a block of {name} of {type_.dtype.name}",
                notes=("a copy moves bytes, it does not convert",),
                help=f"make {name} in the likeness of this tensor; the compute kernel converts, when it stores",
            ),
            related=((block.buffer.site, "the buffer is made here"),),
        )
    extents = list(part.extents)
    surplus = len(extents) - len(type_.shape)
    for axis, single in enumerate(part.single):
        if surplus > 0 and single:
            extents.pop(axis - (len(part.single) - len(extents)))
            surplus -= 1
    if tuple(extents) == type_.shape:
        return
    src, dst = (
        (describe_shape(part.extents, storage.layout), type_.describe())
        if direction == "into"
        else (type_.describe(), describe_shape(part.extents, storage.layout))
    )
    first, second = (
        ("tensor slice", f"block of {name}") if direction == "into" else (f"block of {name}", "tensor slice")
    )
    engine.fail(
        error(
            "TTL0515",
            f"copy from a {first} of {src} to a {second} of {dst}",
            help=f"take a slice of {type_.describe()}, or make {name} with shape={part.extents}",
        ),
        related=((block.buffer.site, "the buffer is made here"),),
    )


def match_store(engine: Engine, given: BlockType, target: SimBlock) -> None:
    """Report a store whose expression does not fit the block; nothing when it does."""
    type_ = target.buffer.type
    name = target.buffer.name
    related = ((target.buffer.site, "the buffer is made here"),)
    if given.shape != type_.shape:
        engine.fail(
            error(
                "TTL0332",
                f"store of an expression of {given.describe()} into a block of {name} of {type_.describe()}",
                help=f"make {name} with shape={given.shape}, or change the shape of the expression "
                "(ttl.block.broadcast, ttl.math.reduce_sum, ...)",
            ),
            related=related,
        )
    if given.layout is not type_.layout:
        engine.fail(
            error(
                "TTL0333",
                f"store of an expression in {given.layout.word} layout into a block of {name} in {type_.layout.word} layout",
                help="make the buffer in the likeness of a tensor with the operands' layout",
            ),
            related=related,
        )
    if given.dtype is WHOLE_NUMBER:
        return  # a block filled with a whole number has no type of its own yet
    if given.dtype.is_float is not type_.dtype.is_float:
        engine.fail(
            error(
                "TTL0334",
                f"store of an expression of {given.dtype.name} into a block of {name} of {type_.dtype.name}",
                notes=("floats and integers are converted only where the program says so",),
                help=f"write blk.store(ttl.math.typecast(expr, ttnn.{type_.dtype.name}))",
            ),
            related=related,
        )


def refuse_store(engine: Engine, expr: Any, type_: BlockType) -> NoReturn:
    """Report a store of what is no expression into a block of ``type_``."""
    engine.fail(
        error(
            "TTL0330",
            f"store takes a block expression, not {describe(expr)}",
            help=f"to fill a block with a number: blk.store(ttl.block.fill({expr}, shape={type_.shape}))"
            if isinstance(expr, int | float)
            else "build the value from blocks with operators and ttl.math functions",
        )
    )


def refuse_arithmetic(engine: Engine, op: Op, operands: tuple[Any, ...]) -> NoReturn:
    """Report an expression that is not in a compute kernel."""
    kernel = engine.current
    for operand in operands:
        if type(operand) is SimBlock:
            operand.illegal(Step.READ)
    if not engine.active:
        engine.fail(used_after_the_end("a block expression"))
    engine.fail(
        error(
            "TTL0331",
            f"{op.spellings[0]} used in {kernel.what}",
            notes=("only the compute kernel has a math engine",),
            help="move the expression into the function decorated with @ttl.compute()",
        )
    )


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
    engine.fail(
        error(
            "TTL0501",
            f"ttl.copy() in {kernel.what}",
            notes=("copies run on the data movement processors",),
            help="move it into a function decorated with @ttl.datamovement() and pass the block through a dataflow buffer",
        )
    )


def refuse_ends(engine: Engine, src: Any, dst: Any) -> NoReturn:
    """Report a copy between things that no copy connects."""
    engine.fail(
        error(
            "TTL0502",
            f"ttl.copy() from {_end(src)} to {_end(dst)}",
            notes=(
                "the forms are: tensor slice to block, block to tensor slice, block to pipe, pipe to block",
            ),
            help=_copy_help(src, dst),
        )
    )


def _end(end: Any) -> str:
    if isinstance(end, SimBlock):
        return "a block"
    if isinstance(end, SimSlice):
        return "a tensor slice"
    if isinstance(end, SimBuffer):
        return f"dataflow buffer {end.name}"
    if isinstance(end, Tensor):
        return "a whole tensor"
    if isinstance(end, SimSrcPipe | SimDstPipe):
        return "a pipe"
    if isinstance(end, Expr):
        return "a block expression"
    return describe(end)


def _copy_help(src: Any, dst: Any) -> str:
    if any(type(end).__module__.partition(".")[0] in ("torch", "numpy") for end in (src, dst)):
        return "make it a TT-NN tensor on the host, ttnn.from_torch(...), and pass that to the operation"
    if isinstance(src, SimBuffer) or isinstance(dst, SimBuffer):
        return "acquire a block first: with dfb.reserve() as blk: or with dfb.wait() as blk:"
    if isinstance(src, Tensor) or isinstance(dst, Tensor):
        return "slice the tensor: a[row, column] or a[r0:r1, c0:c1]"
    if isinstance(src, SimSrcPipe):
        return "receive in the function given to if_dst: its pipe is a source"
    if isinstance(dst, SimDstPipe):
        return "send in the function given to if_src: its pipe is a destination"
    if isinstance(src, SimBlock) and isinstance(dst, SimBlock):
        return "in a compute kernel write dst.store(src)"
    if isinstance(src, Expr):
        return "store the expression into a block in the compute kernel, then copy that block"
    return "one end is a block, the other a tensor slice or a pipe"
