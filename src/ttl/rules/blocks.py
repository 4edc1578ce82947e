"""Which kernels may use a block, and in which order blocks are released (specification, "Block").

The effect of a step on a block's state is in ``ttl.protocol.blocks``, which also says why a step is illegal.
"""

from __future__ import annotations

from dataclasses import replace

from ttl.diag import Diagnostic, Edit, Fix, error
from ttl.diag.families import Subject
from ttl.diag.remedies import InsertAtBlockEnd, Rewrite, SwappedWithNext
from ttl.protocol.blocks import UNWRITTEN, Acquired, Step
from ttl.source.names import given_again
from ttl.source.spans import Span

# Pairs of codes, for a missing push and for a missing pop: the errors that a kernel gets if it continues without it.
OUT_OF_ORDER = ("TTL0317", "TTL0318")
HOLDS_ALL = ("TTL0322", "TTL0329")
LEFT_OVER = ("TTL0901", "TTL0902")
# The code for a second producer, and for a second consumer.
SECOND_USER = ("TTL0315", "TTL0316")


def wrong_kernel_kind(step: Step, buffer: str, kernel: str) -> Diagnostic | None:
    """The error for computing with a block of ``buffer`` in a data movement kernel (TTL0312, TTL0313)."""
    if step is Step.STORE:
        return error(
            "TTL0313",
            f"store into a block of {buffer} in data movement kernel {kernel}",
            notes=("data movement kernels only move data: they write blocks with ttl.copy",),
            help="store in the compute kernel, or copy from a tensor slice or pipe: ttl.copy(a[r, c], blk)",
        ).remedied_by(Rewrite(description="copy", template="ttl.copy({0}, {object}).wait()", slices=True))
    if step is Step.READ:
        return error(
            "TTL0312",
            f"block of {buffer} used in an expression in data movement kernel {kernel}",
            notes=("data movement processors have no math engine",),
            help="pass the block to the compute kernel through a dataflow buffer and compute there",
        )
    return None


def foreign(buffer: str, owner: str, user: str) -> Diagnostic:
    """The error for a block that one kernel acquired and another uses (TTL0324)."""
    return error(
        "TTL0324",
        f"block of {buffer} belongs to kernel {owner}, but {user} uses it",
        notes=(
            "each kernel runs on a processor of its own; blocks pass between kernels through buffers only",
        ),
        help=f"let {user} acquire its own block: push in one kernel, wait in the other",
    )


def out_of_order(step: Step, buffer: str) -> Diagnostic:
    """The error for a push, or a pop, while an older block of the buffer is held (TTL0317, TTL0318)."""
    code, verb, taken = (
        (OUT_OF_ORDER[0], "pushed", "reserved")
        if step is Step.PUSH
        else (OUT_OF_ORDER[1], "popped", "waited for")
    )
    return error(
        code,
        f"block of {buffer} {verb} before an older block of the same buffer",
        notes=(f"blocks are {verb} in the order in which they were {taken}",),
        help="release the older block first",
        subject=Subject.RELEASE,
    ).remedied_by(SwappedWithNext())


def left_over(acquired: Acquired, buffer: str, kernel: str) -> Diagnostic:
    """The error for a block that is held when its kernel ends (TTL0901, TTL0902)."""
    if acquired == "reserve":
        return error(
            LEFT_OVER[0],
            f"kernel {kernel} ended with a block of {buffer} reserved and never pushed",
            notes=("the consumer would wait for it forever",),
            help=f"push the block on every path, or use: with {buffer}.reserve() as blk:",
            subject=Subject.RELEASE,
        ).remedied_by(InsertAtBlockEnd(description="push it", text="{}.push()"))
    return error(
        LEFT_OVER[1],
        f"kernel {kernel} ended with a block of {buffer} waited for and never popped",
        notes=("the producer would never get the memory back",),
        help=f"pop the block on every path, or use: with {buffer}.wait() as blk:",
        subject=Subject.RELEASE,
    ).remedied_by(InsertAtBlockEnd(description="pop it", text="{}.pop()"))


def meant_to_store(finding: Diagnostic, acquired: Span | None) -> Diagnostic:
    """Add a fix to the error for a block that is pushed unwritten (TTL0302), if a store into it was meant.

    That is so if its name is assigned an expression after ``acquired``.
    """
    again = None if finding.code != UNWRITTEN or acquired is None else given_again(acquired)
    if again is None:
        return finding
    span, name, value = again
    store = f"{name}.store({value})"
    told = replace(
        finding,
        help=(
            f"line {span.line} assigns a value to the name {name} and does not write to the block: write {store}",
        ),
    )
    return told.fixed_by(Fix(description=f"write {store}", edits=(Edit(span=span, replacement=store),)))
