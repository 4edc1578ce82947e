"""Sub-views of blocks: the valid indices, and the uses that are allowed (specification, "Block"; newer than 0.17)."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ttl.diag import Diagnostic, error, warning
from ttl.diag.remedies import IndexAsSlice
from ttl.diag.values import is_int
from ttl.diag.words import counted
from ttl.protocol.blocks import Role, State, Step, explain
from ttl.protocol.views import RefusedTiles, View
from ttl.rows.types import BlockType, Layout
from ttl.rules import stores
from ttl.rules.words import describe

OUTSIDE, NO_VIEW, MISUSED, ASSIGNED, UNKNOWN = "TTL0363", "TTL0364", "TTL0365", "TTL0366", "TTL0367"


class _OnNode:
    """A placeholder in an index for a number that is known on the node only."""

    def __repr__(self) -> str:
        return "a number of the node"


ON_NODE = _OnNode()


def view_of(index: Any, block: BlockType, buffer: str) -> View | Diagnostic:
    """The part of a block of ``buffer`` that an index of known numbers selects, or an error."""
    entries = entries_of(index, block, buffer)
    if isinstance(entries, Diagnostic):
        return entries
    finding = partial_error(entries, block, buffer)
    if finding is not None:
        return finding
    starts = [0 if entry.start is None else operator.index(entry.start) for entry in entries]
    stops = [
        extent if entry.stop is None else operator.index(entry.stop)
        for entry, extent in zip(entries, block.shape, strict=True)
    ]
    return View(tuple(starts), tuple(stop - start for start, stop in zip(starts, stops, strict=True)))


def entries_of(index: Any, block: BlockType, buffer: str) -> list[slice] | Diagnostic:
    """An index with one slice for each dimension of a block of ``buffer``, or an error."""
    if block.layout is not Layout.TILE:
        return error(
            MISUSED,
            f"sub-view of a row-major block of {buffer}",
            notes=("a sub-view is made of whole tiles, and a row-major block has no tiles",),
            help=f"make {buffer} like a tiled tensor, or with the shape of the part",
        )
    entries = list(index) if isinstance(index, tuple) else [index]
    rank = len(block.shape)
    if any(entry is Ellipsis for entry in entries):
        place = next(at for at, entry in enumerate(entries) if entry is Ellipsis)
        entries[place : place + 1] = [slice(None)] * (rank - len(entries) + 1)
    entries += [slice(None)] * (rank - len(entries))
    if len(entries) > rank:
        return error(
            NO_VIEW,
            f"{len(entries)} slices for a block of {buffer} of {rank} dimensions",
            notes=(f"the block is {block.describe()}",),
            help="give one slice of tiles for each dimension: blk[0:1, 0:2]",
        )
    for axis, entry in enumerate(entries):
        if not isinstance(entry, slice):
            return _no_slice(entry, axis, block)
    return entries


def _no_slice(entry: Any, axis: int, block: BlockType) -> Diagnostic:
    if is_int(entry):
        told = f"an index of the number {int(entry)}"
        advice = f"write {int(entry)}:{int(entry) + 1}"
    elif entry is ON_NODE:
        told, advice = "an index of a number", "write i:i + 1"
    else:
        told, advice = f"an index of {describe(entry)}", "write blk[0:1, 0:2]"
    return error(
        NO_VIEW,
        f"{told} in a sub-view of a block",
        notes=(
            f"a sub-view has all dimensions of its block, each a slice of tiles; the block is {block.describe()}",
        ),
        help=advice,
    ).remedied_by(IndexAsSlice(axis=axis) if is_int(entry) or entry is ON_NODE else None)


def partial_error(entries: Sequence[slice], block: BlockType, buffer: str) -> Diagnostic | None:
    """Return the error in slices, one for each dimension, that holds for every value of ``ON_NODE``; or None."""
    for axis, (entry, extent) in enumerate(zip(entries, block.shape, strict=True)):
        for bound in (entry.start, entry.stop, entry.step):
            if bound is not None and bound is not ON_NODE and not is_int(bound):
                return error(
                    NO_VIEW,
                    f"bounds of a sub-view are whole numbers, not {describe(bound)}",
                    notes=(f"the block is {block.describe()}",),
                    help="use // for divisions that give bounds",
                )
        if entry.step not in (None, 1):
            return error(
                NO_VIEW,
                f"sub-view with step {entry.step} in dimension {axis}",
                notes=("a sub-view is a rectangle of tiles beside each other",),
                help="use a sub-view for each of the parts",
            )
        start: Any = 0 if entry.start is None else entry.start
        stop: Any = extent if entry.stop is None else entry.stop
        if start is ON_NODE or stop is ON_NODE:
            continue
        if not 0 <= start < stop <= extent:
            return outside(int(start), int(stop), axis, block, buffer)
    return None


def outside(start: int, stop: int, axis: int, block: BlockType, buffer: str) -> Diagnostic:
    """The error for a sub-view that is empty, or exceeds its block (TTL0363)."""
    extent = block.shape[axis]
    note = f"the block of {buffer} is {block.describe()}"
    if stop <= start:
        return error(
            OUTSIDE,
            f"empty sub-view {start}:{stop} in dimension {axis}",
            notes=(note,),
            help="a sub-view holds at least one of the dimension's tiles",
        )
    return error(
        OUTSIDE,
        f"sub-view {start}:{stop} is out of range in dimension {axis}, which has {counted(extent, 'tile')}",
        notes=(note, *(("negative numbers do not count from the end",) if start < 0 else ())),
        help=f"bounds count tiles from 0 to {extent}, not elements",
    )


def of_varying_size(axis: int) -> Diagnostic:
    """The error for a sub-view whose extent is known on the node only (TTL0364)."""
    return error(
        NO_VIEW,
        f"how many tiles a sub-view has in dimension {axis} is known only when the kernel runs",
        notes=("its start may vary, but its shape is part of the program",),
        help="write start:start + 2, with a number that is known",
    )


def released_in_part(method: str) -> Diagnostic:
    """The error for a push or a pop of a sub-view (TTL0365)."""
    return error(
        MISUSED,
        f"{method} on a sub-view of a block",
        notes=("a block is pushed or popped as a whole, with all of its sub-views",),
        help=f"call {method} on the block itself",
    )


def copied_in_part(buffer: str) -> Diagnostic:
    """The error for a sub-view as an end of a copy (TTL0365)."""
    return error(
        MISUSED,
        f"ttl.copy() with a sub-view of a block of {buffer}",
        notes=(
            "a copy fills, or reads, a whole block: its transfer has one state, and the pages of a block arrive together",
        ),
        help=f"make {buffer} with the shape of the part and copy a block of it for each; the compute kernel puts parts "
        "together: out[0:1, 0:2].store(blk)",
    )


def assigned(buffer: str) -> Diagnostic:
    """The error for ``blk[0:1, 0:1] = expr`` (TTL0366)."""
    return error(
        ASSIGNED,
        f"assignment to a sub-view of a block of {buffer}",
        notes=("= assigns a name and does not write to memory",),
        help="write blk[0:1, 0:2].store(expr); blk[0:1, 0:2] += expr adds to what is there",
    )


def not_known_written(buffer: str) -> Diagnostic:
    """The warning for a push of a block whose tiles may not all have been written, as far as the source tells (TTL0367)."""
    return warning(
        UNKNOWN,
        f"block of {buffer} pushed, and whether each of its tiles was written is known only when the kernel runs",
        notes=(
            "where its sub-views start depends on data, or on more iterations of loops than are followed here",
        ),
        help="a run checks it; to have it checked before, store the whole block first, or let sub-views start at numbers "
        "that depend only on loops",
    )


def match_store(given: BlockType, buffer: str, view: View | str, part: BlockType) -> Diagnostic | None:
    """Return why an expression cannot be stored into a sub-view of type ``part``, or None."""
    finding = stores.match_store(given, buffer, part)
    if finding is None:
        return None
    message = finding.message.replace(f"a block of {buffer}", f"sub-view {view} of a block of {buffer}")
    if finding.code != stores.OTHER_SHAPE:
        return replace(finding, message=message)
    advice = f"store into a sub-view of {given.describe()}, or change the shape of the expression (ttl.block.broadcast, ...)"
    return replace(finding, message=message, help=(advice,), remedy=None)


def refused(role: Role, why: RefusedTiles, step: Step, buffer: str, view: View | None) -> Diagnostic:
    """The error for a step on a sub-view, or on a block whose tiles are in different states."""
    finding = explain(role, why.state, step, buffer)
    if why.state is State.OUT_OF_SCOPE:
        return finding
    message = finding.message
    if why.tiles < why.of:
        message = message.replace(" to it", f" to {why.tiles} of its {why.of} tiles")
    notes = finding.notes
    if view is not None:
        message = message.replace(f"block of {buffer}", f"sub-view {view} of a block of {buffer}", 1)
    elif message == finding.message:
        notes = (*notes, f"this holds for {why.tiles} of its {why.of} tiles, which are used in sub-views")
    return replace(finding, message=message, notes=notes)
