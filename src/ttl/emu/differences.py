"""What is said of blocks and tensors that are not on the emulated chip what they are in the simulator."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ttl.codegen.filled import Filled
from ttl.codegen.outputs import Output
from ttl.diag import Diagnostic, error
from ttl.diag.words import counted, ordinal
from ttl.emu.blocks import Difference
from ttl.emu.pushes import Push
from ttl.ops.types import TILE, Layout
from ttl.source.spans import Span, span_of_site, user_span

Array = npt.NDArray[Any]


def block_differs(difference: Difference, buffers: Sequence[Filled]) -> Diagnostic:
    """The first block that differs (TTL1590)."""
    push, wrong = difference.push, difference.wrong
    buffer = buffers[push.buffer]
    first = tuple(int(index) for index in np.argwhere(wrong)[0])
    before = f"{counted(push.order, 'block')} pushed before it, on all nodes, {'is' if push.order == 1 else 'are'} the same"
    found = error(
        "TTL1590",
        f"the {ordinal(push.number + 1)} block pushed into {buffer.shown} on node {push.coordinates} is not what the simulator makes it",
        notes=(
            f"{_element(first, push)} is {difference.found[first].item()} on the emulated chip, "
            f"{difference.expected[first].item()} in the simulator",
            f"{int(wrong.sum()):,} of the {wrong.size:,} elements of the block differ; {before if push.order else 'nothing was pushed before it'}",
        ),
    )
    return _placed(found, push, buffer)


def count_differs(push: Push, wanted: int, there: int, buffers: Sequence[Filled]) -> Diagnostic:
    """Another number of blocks in a buffer (TTL1591)."""
    buffer = buffers[push.buffer]
    found = error(
        "TTL1591",
        f"{counted(there, 'block')} {'is' if there == 1 else 'are'} pushed into {buffer.shown} on node "
        f"{push.coordinates} on the emulated chip, and {wanted} in the simulator",
    )
    return _placed(found, push, buffer)


def tensor_differs(
    found: Array, expected: Array, wrong: Array, outputs: Sequence[Output], operation: str
) -> Diagnostic:
    """A tensor that differs though all blocks are the same: the first of its blocks (TTL1590)."""
    first = tuple(int(index) for index in np.argwhere(wrong)[0])
    output = next((each for each in outputs if None not in each.extents), outputs[0] if outputs else None)
    extents = _extents(output, found.shape)
    block = tuple(index // extent for index, extent in zip(first, extents, strict=True))
    part = wrong[
        tuple(slice(at * extent, (at + 1) * extent) for at, extent in zip(block, extents, strict=True))
    ]
    name = output.name if output is not None else "a tensor"
    blocks = {tuple(place) for place in (np.argwhere(wrong) // np.array(extents)).tolist()}
    all_blocks = prod(-(-size // extent) for size, extent in zip(found.shape, extents, strict=True))
    said = error(
        "TTL1590",
        f"block {_place(block)} of {name} is not what the simulator makes it",
        notes=(
            f"element {_place(first)} is {found[first].item()} on the emulated chip, "
            f"{expected[first].item()} in the simulator",
            f"{int(part.sum()):,} of the {part.size:,} elements of the block differ, "
            f"and {len(blocks):,} of {all_blocks:,} blocks of {name} in {operation}",
        ),
    )
    if output is None or not output.stored:
        return said.at(output.copied if output is not None else user_span())
    said = _at_all(said, output.stored, "stored")
    return said.also(output.copied, "copied to the tensor here") if output.copied is not None else said


def _placed(found: Diagnostic, push: Push, buffer: Filled) -> Diagnostic:
    """A report at the lines that fill a block, and at the one that pushes it."""
    pushed, how = _pushed(push)
    fills = buffer.stored or buffer.copied
    if not fills:
        return found.at(pushed or user_span(), how)
    found = _at_all(found, fills, "stored" if buffer.stored else "copied")
    return found.also(pushed, how) if pushed is not None else found


def _pushed(push: Push) -> tuple[Span | None, str]:
    """Where a block is pushed; where it is reserved, if that is done by the end of a with statement."""
    pushed = span_of_site(push.site) if push.site is not None else None
    if pushed is None or push.reserved is None or pushed.end_line <= pushed.line:
        return pushed, "pushed here"
    return span_of_site(push.reserved), "pushed at the end of this with statement"


def _at_all(found: Diagnostic, spans: Sequence[Span], what: str) -> Diagnostic:
    *others, last = spans
    found = found.at(last, f"{what} here")
    for span in others:
        found = found.also(span, "and here")
    return found


def _element(index: tuple[int, ...], push: Push) -> str:
    """Where an element is in its block: by itself, and in its tile where there are several."""
    if push.type.layout is not Layout.TILE or prod(push.type.shape) == 1:
        return f"element {_place(index)}"
    tile = (*index[:-2], index[-2] // TILE, index[-1] // TILE)
    within = (index[-2] % TILE, index[-1] % TILE)
    return f"element {_place(index)}, which is {_place(within)} of tile {_place(tile)},"


def _extents(output: Output | None, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Extents of a block along the axes of a tensor; the whole axis where they are not known."""
    if output is None or len(output.extents) != len(shape):
        return shape
    return tuple(
        size if extent is None else extent for extent, size in zip(output.extents, shape, strict=True)
    )


def _place(index: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, index))})"
