"""The ends of copies, the kernels they may be in, and the properties in which two ends must agree (specification, "Copy")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ttl.diag import Diagnostic, error
from ttl.diag.model import Remedy
from ttl.diag.remedies import (
    AcquireBlock,
    Argument,
    BufferOfBlock,
    DropRepetition,
    StatementBefore,
    WithoutMethod,
)
from ttl.rows.dtypes import DType
from ttl.rows.rules import OTHER_TILES
from ttl.rows.types import WHOLE_TILE, BlockType, Layout, describe_shape
from ttl.rules.views import copied_in_part
from ttl.rules.words import describe

Direction = Literal["into", "from"]
"""The direction of a copy between a tensor slice and a block, seen from the block."""
EndKind = Literal[
    "block",
    "slice",
    "buffer",
    "tensor",
    "pipe",
    "sending pipe",
    "receiving pipe",
    "expression",
    "view",
    "foreign",
    "other",
]


@dataclass(frozen=True, slots=True)
class End:
    """One end of a copy.

    ``text`` is the name of a buffer (for sub-views, too), or a description of a ``foreign`` value (of torch, NumPy) or
    an ``other`` value.
    """

    kind: EndKind
    text: str = ""

    def __str__(self) -> str:
        match self.kind:
            case "block":
                return "a block"
            case "slice":
                return "a tensor slice"
            case "buffer":
                return f"dataflow buffer {self.text}"
            case "tensor":
                return "a whole tensor"
            case "pipe":
                return "a ttl.Pipe"
            case "sending pipe":
                return "the pipe of if_src"
            case "receiving pipe":
                return "the pipe of if_dst"
            case "expression":
                return "a block expression"
            case "view":
                return f"a sub-view of a block of {self.text}"
        return self.text


def other_end(value: object) -> End:
    """The end of a copy that is not a value of the language."""
    foreign = type(value).__module__.partition(".")[0] in ("torch", "numpy")
    return End("foreign" if foreign else "other", describe(value))


def fits(extents: tuple[int, ...], single: tuple[bool, ...], shape: tuple[int, ...]) -> bool:
    """Whether a tensor slice fits a block of ``shape``.

    If the slice has more dimensions than the block, dimensions that an int indexes are dropped, from the first on.
    """
    kept = list(extents)
    surplus = len(kept) - len(shape)
    for axis, is_single in enumerate(single):
        if surplus > 0 and is_single:
            kept.pop(axis - (len(single) - len(kept)))
            surplus -= 1
    return tuple(kept) == shape


def match_slice(
    layout: Layout,
    dtype: DType,
    extents: tuple[int, ...] | None,
    single: tuple[bool, ...],
    buffer: str,
    block: BlockType,
    direction: Direction,
) -> Diagnostic | None:
    """Return why a tensor slice cannot be copied to or from a block: layouts (TTL0510), element types (TTL0514), or shapes.

    ``extents``: None where they are not known yet. ``single`` marks integer indices.
    """
    if layout is not block.layout:
        return error(
            "TTL0510",
            f"copy between a tensor in {layout.word} layout and a block of {buffer} in {block.layout.word} layout",
            help="make the buffer like a tensor with the same layout, or convert with ttnn.to_layout",
        )
    if block.tile != WHOLE_TILE:
        return error(
            OTHER_TILES,
            f"copy between a tensor of tiles of 32x32 and a block of {buffer} of tiles of {block.tile[0]}x{block.tile[1]}",
            notes=("a copy moves bytes, but tiles of different sizes order their elements differently",),
            help=f"make {buffer} with tile=(32, 32), or pass its blocks between kernels and through pipes only",
        )
    if dtype is not block.dtype:
        return error(
            "TTL0514",
            f"copy between a tensor of {dtype.name} and a block of {buffer} of {block.dtype.name}",
            notes=("a copy moves bytes, it does not convert",),
            help=f"make {buffer} like this tensor; the compute kernel converts when it stores",
        ).remedied_by(BufferOfBlock(description=f"make {buffer} like it", likeness=True))
    return None if extents is None else match_extents(extents, single, buffer, block, direction)


def match_extents(
    extents: tuple[int, ...], single: tuple[bool, ...], buffer: str, block: BlockType, direction: Direction
) -> Diagnostic | None:
    """The error for a copy between a tensor slice and a block of different shapes (TTL0515); None if they fit."""
    if fits(extents, single, block.shape):
        return None
    sliced = f"tensor slice of {describe_shape(extents, block.layout)}"
    blocked = f"block of {buffer} of {block.describe()}"
    src, dst = (sliced, blocked) if direction == "into" else (blocked, sliced)
    ranks_differ = len(extents) != len(block.shape)
    return error(
        "TTL0515",
        f"copy from a {src} to a {dst}",
        notes=("an integer index removes its dimension; a dimension without an index is taken as a whole",)
        if ranks_differ
        else (),
        help=f"take a slice of {block.describe()}, or make {buffer} with shape={extents}",
    ).remedied_by(
        BufferOfBlock(
            description=f"make {buffer} with shape={extents}",
            remedy=Argument(
                name="shape", value=str(tuple(extents)), position=1, function="make_dataflow_buffer_like"
            ),
        )
        if len(extents) > 1
        else None
    )


def copy_outside(what: str, function: str = "ttl.copy()") -> Diagnostic:
    """The error for a copy in ``what`` instead of a data movement kernel (TTL0501)."""
    return error(
        "TTL0501",
        f"{function} in {what}",
        notes=("copies run on the data movement processors",),
        help="move it into a function decorated with @ttl.datamovement() and pass the block through a dataflow buffer",
    )


def no_page(src: End, dst: End) -> Diagnostic:
    """The error for copying a page if the source is not a tensor or the destination is not a block (TTL0502)."""
    return error(
        "TTL0502",
        f"ttl.copy_tensor_page() from {src} to {dst}",
        help="give a tensor, the number of a page and a block: ttl.copy_tensor_page(table, page, blk).wait()",
    )


def match_ends(src: End, dst: End) -> Diagnostic | None:
    """The error for two ends that no copy can connect (TTL0502), or None."""
    match src.kind, dst.kind:
        case (
            ("slice", "block") | ("block", "slice") | ("block", "sending pipe") | ("receiving pipe", "block")
        ):
            return None
    view = next((end for end in (src, dst) if end.kind == "view"), None)
    if view is not None:
        return copied_in_part(view.text)
    return error(
        "TTL0502",
        f"ttl.copy() from {src} to {dst}",
        notes=(
            "copy from a tensor slice to a block, or from a block to a tensor slice; from a block to "
            "a pipe only in a function passed to if_src, from a pipe to a block only in a function passed to if_dst, with the pipe that this function gets",
        ),
        help=_advice(src.kind, dst.kind),
    ).remedied_by(_with_block(src, dst))


def _with_block(src: End, dst: End) -> Remedy | None:
    """The remedy that acquires a block of the buffer at one end, if the other end tells how to acquire it."""
    match src.kind, dst.kind:
        case "slice", "buffer":
            return AcquireBlock(name=dst.text, acquire="reserve")
        case "buffer", "slice":
            return AcquireBlock(name=src.text, acquire="wait")
    return None


def _advice(src: EndKind, dst: EndKind) -> str:
    kinds = (src, dst)
    if "foreign" in kinds:
        return "make it a TT-NN tensor on the host, ttnn.from_torch(...), and pass that to the operation"
    if "buffer" in kinds:
        return "acquire a block first: with dfb.reserve() as blk: or with dfb.wait() as blk:"
    if "tensor" in kinds:
        return "slice the tensor: a[row, column] or a[r0:r1, c0:c1]"
    if src == "pipe":
        return "receive with the pipe that if_dst calls a function with: def receive(pipe): ttl.copy(pipe, blk).wait(), and net.if_dst(receive)"
    if dst == "pipe":
        return "send with the pipe that if_src calls a function with: def send(pipe): ttl.copy(blk, pipe).wait(), and net.if_src(send)"
    if src == "sending pipe":
        return "the pipe of if_src is a destination: to send write ttl.copy(blk, pipe); receive in the function given to if_dst"
    if dst == "receiving pipe":
        return "the pipe of if_dst is a source: to receive write ttl.copy(pipe, blk); send in the function given to if_src"
    if kinds == ("block", "block"):
        return "in a compute kernel write dst.store(src)"
    if src == "expression":
        return "store the expression into a block in the compute kernel, then copy that block"
    return "one end is a block, the other a tensor slice or a pipe"


# --- transfers ------------------------------------------------------------------------------------------


def waited_twice() -> Diagnostic:
    """The error for a second wait on one transfer (TTL0503)."""
    return error(
        "TTL0503",
        "wait on a transfer that was already waited for",
        help="wait once per ttl.copy(); for a new transfer call ttl.copy() again",
    ).remedied_by(DropRepetition(description="remove the second wait"))


def member_waited_twice() -> Diagnostic:
    """The error for a group with a transfer that was already waited for, by itself or in another group (TTL0503)."""
    return error(
        "TTL0503",
        "wait on a group with a transfer that was already waited for",
        help="add a handle to one group and leave the wait to it; for a new transfer call ttl.copy() again",
    )


def added_twice() -> Diagnostic:
    """The error for a transfer that is added to its group again (TTL0518)."""
    return error(
        "TTL0518",
        "transfer added twice to the same group",
        help="add each handle once: the group waits for all that is in it; for a new transfer call ttl.copy() again",
    ).remedied_by(DropRepetition(description="remove the second add"))


def waited_elsewhere(kernel: str) -> Diagnostic:
    """The error for a wait outside the kernel that started the transfer (TTL0504)."""
    return error(
        "TTL0504",
        f"wait on a transfer of kernel {kernel} outside that kernel",
        help="wait for a transfer in the data movement kernel that started it",
    )


def added_after_wait() -> Diagnostic:
    """The error for a transfer that is added to a group after the wait for the group (TTL0511)."""
    return error(
        "TTL0511",
        "transfer added to a group that was already waited for",
        help="make a new ttl.GroupTransfer() for the next group",
    ).remedied_by(StatementBefore(text="{object} = ttl.GroupTransfer()"))


def no_transfer(value: object) -> Diagnostic:
    """The error for a value in a group that is not a transfer handle (TTL0512)."""
    return error(
        "TTL0512",
        f"a group takes the handles that ttl.copy() returns, not {describe(value)}",
        help="write group.add(ttl.copy(src, dst))",
    ).remedied_by(WithoutMethod(name="wait"))


def group_waited_twice() -> Diagnostic:
    """The error for a second ``wait_all`` on one group (TTL0513)."""
    return error(
        "TTL0513",
        "wait_all called twice on the same group of transfers",
        help="make a new ttl.GroupTransfer() for the next group",
    ).remedied_by(DropRepetition(description="remove the second wait_all"))
