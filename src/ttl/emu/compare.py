"""``--compare``: the results of an operation on the emulated chip beside those in the simulator.

The simulator runs first, on the same contents, and every block that it pushes into a dataflow buffer is remembered; then the
contents are restored, and the chip runs. The first block that differs by more than the hardware may is reported at the line that
fills it: first in the order of the simulator, in which a block never precedes those that it is computed from. The numbers of
blocks and the final contents of the tensors follow."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from ttl.codegen.description import ProgramDescription
from ttl.codegen.filled import Filled
from ttl.codegen.outputs import Output
from ttl.codegen.traced import Traced
from ttl.diag import Diagnostic, ProgramError, error
from ttl.diag.words import counted, listed, ordinal
from ttl.emu.agreement import AGREED
from ttl.emu.blocks import ComparedBlocks, Difference
from ttl.emu.meshes import wiring_of
from ttl.emu.pushes import Push, Pushes, without_undefined
from ttl.emu.tolerance import differing, largest_of
from ttl.host.access import array_of, writable_array
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import Array
from ttl.rows.types import TILE, Layout
from ttl.settings import override
from ttl.sim.launch import observed
from ttl.sim.placement import Launch
from ttl.source.spans import Span, span_of_site, user_span

_NARROW = (
    "fp32_dest_acc_en=False rounds to 16 bits in the registers, sums at every step; the simulator rounds once, "
    "where a value is stored"
)


@contextlib.contextmanager
def compared(
    launched: Launch, tensors: Sequence[Tensor], description: ProgramDescription, what: Traced
) -> Iterator[ComparedBlocks]:
    """Run a launch in the simulator, then the body of the context, on the same contents.

    Both must push the same blocks and leave the same tensors. Yields the watcher for the run inside. Raises
    ``ProgramError`` TTL1590 with the first block that differs, TTL1591 where another number of blocks is pushed, or the
    error of the simulator.
    """
    # The parts of a tensor on several chips, one for each.
    parts = [(number, part) for number, tensor in enumerate(tensors) for part in tensor.shards or (tensor,)]
    places = wiring_of(tensors).places if description.mesh else (0,)
    tensors = [part for _, part in parts]
    before = [array_of(tensor).copy() for tensor in tensors]
    pushes, expected = _simulated(launched, tensors, before)
    result = pushes.found
    undefined = None
    if what.undefined:
        sanitized, poisoned = _simulated(launched, tensors, before, sanitize=True)
        result = list(without_undefined(result, sanitized.found))
        undefined = [array != array for array in poisoned]
    name = launched.operation.function.__name__
    agreed = AGREED.get()
    blocks = ComparedBlocks(result, what, description, name, agreed, places)
    yield blocks
    if blocks.first is not None:
        raise ProgramError(_noting(block_differs(blocks.first, what.buffers), launched, what))
    for push, wanted, there in blocks.counts():
        raise ProgramError(count_differs(push, wanted, there, what.buffers))
    for at, ((number, tensor), wanted_values) in enumerate(zip(parts, expected, strict=True)):
        left = tensor.dtype.load(array_of(tensor).copy())
        wrong = differing(left, wanted_values, tensor.dtype, largest_of(wanted_values), what.approximated)
        ignored = None if undefined is None else undefined[at]
        if ignored is not None:
            wrong &= ~ignored
        if wrong.any():
            written = [output for output in what.outputs if output.tensor == number]
            raise ProgramError(
                _noting(tensor_differs(left, wanted_values, wrong, written, name), launched, what)
            )
        agreed.tensors += 1
        names = [output.name for output in what.outputs if output.tensor == number]
        agreed.add(left, wanted_values, ignored, f"{names[0] if names else 'a tensor'} of {name}")
    agreed.launched(name)


def _noting(difference: Diagnostic, launched: Launch, what: Traced) -> Diagnostic:
    """Return the finding with notes on requests of the program, or limits of the chip, that may be the reason."""
    if launched.operation.options.get("fp32_dest_acc_en") is False:
        difference = difference.noting(_NARROW)
    if what.cut:
        difference = difference.noting(
            f"a product of matrices reads {listed(what.cut)}, of which the chip keeps 11 of 24 bits then: what is computed "
            "from there may be off by 2^-10 of it, and by more behind a function such as exp"
        )
    return difference


def _simulated(
    launched: Launch, tensors: Sequence[Tensor], before: Sequence[Array], *, sanitize: bool | None = None
) -> tuple[Pushes, list[Array]]:
    """Return the blocks that the simulator pushes, and the final contents of the tensors, which are restored afterwards."""
    pushes = Pushes()
    chosen = launched.settings.sanitize if sanitize is None else sanitize
    with (
        override(target="sim", compare=False, sanitize=chosen) as own,
        contextlib.redirect_stdout(io.StringIO()),
    ):
        observed(replace(launched, settings=own), pushes)
    left = [tensor.dtype.load(array_of(tensor).copy()) for tensor in tensors]
    for tensor, contents in zip(tensors, before, strict=True):
        writable_array(tensor)[...] = contents
    return pushes, left


# --- messages ---------------------------------------------------------------------------------------------


def block_differs(difference: Difference, buffers: Sequence[Filled]) -> Diagnostic:
    """The first block that differs (TTL1590)."""
    push, wrong = difference.push, difference.wrong
    buffer = buffers[push.buffer]
    first = tuple(int(index) for index in np.argwhere(wrong)[0])
    before = f"{counted(push.order, 'block')} pushed before it, on all nodes, {'is' if push.order == 1 else 'are'} the same"
    finding = error(
        "TTL1590",
        f"the {ordinal(push.number + 1)} block pushed into {buffer.shown} on node {push.coordinates} is not what the simulator makes it",
        notes=(
            f"{_element(first, push)} is {difference.found[first].item()} on the emulated chip, "
            f"{difference.expected[first].item()} in the simulator",
            f"{int(wrong.sum()):,} of the {wrong.size:,} elements of the block differ; {before if push.order else 'nothing was pushed before it'}",
        ),
    )
    return _placed(finding, push, buffer)


def count_differs(push: Push, wanted: int, there: int, buffers: Sequence[Filled]) -> Diagnostic:
    """Another number of blocks in a buffer (TTL1591)."""
    buffer = buffers[push.buffer]
    finding = error(
        "TTL1591",
        f"{counted(there, 'block')} {'is' if there == 1 else 'are'} pushed into {buffer.shown} on node "
        f"{push.coordinates} on the emulated chip, and {wanted} in the simulator",
    )
    return _placed(finding, push, buffer)


def tensor_differs(
    array: Array, expected: Array, wrong: Array, outputs: Sequence[Output], operation: str
) -> Diagnostic:
    """A tensor that differs though all blocks are the same: the first of its blocks (TTL1590)."""
    first = tuple(int(index) for index in np.argwhere(wrong)[0])
    output = next((item for item in outputs if None not in item.extents), outputs[0] if outputs else None)
    extents = _extents(output, array.shape)
    block = tuple(index // extent for index, extent in zip(first, extents, strict=True))
    part = wrong[
        tuple(slice(at * extent, (at + 1) * extent) for at, extent in zip(block, extents, strict=True))
    ]
    name = output.name if output is not None else "a tensor"
    blocks = {tuple(place) for place in (np.argwhere(wrong) // np.array(extents)).tolist()}
    all_blocks = prod(-(-size // extent) for size, extent in zip(array.shape, extents, strict=True))
    said = error(
        "TTL1590",
        f"block {_place(block)} of {name} is not what the simulator makes it",
        notes=(
            f"element {_place(first)} is {array[first].item()} on the emulated chip, "
            f"{expected[first].item()} in the simulator",
            f"{int(part.sum()):,} of the {part.size:,} elements of the block differ, "
            f"and {len(blocks):,} of {all_blocks:,} blocks of {name} in {operation}",
        ),
    )
    if output is None or not output.stored:
        return said.at(output.copied if output is not None else user_span())
    said = _at_all(said, output.stored, "stored")
    return said.also(output.copied, "copied to the tensor here") if output.copied is not None else said


def _placed(finding: Diagnostic, push: Push, buffer: Filled) -> Diagnostic:
    """A report at the lines that fill a block, and at the one that pushes it."""
    pushed, how = _pushed(push)
    fills = buffer.stored or buffer.copied
    if not fills:
        return finding.at(pushed or user_span(), how)
    finding = _at_all(finding, fills, "stored" if buffer.stored else "copied")
    return finding.also(pushed, how) if pushed is not None else finding


def _pushed(push: Push) -> tuple[Span | None, str]:
    """Where a block is pushed; where it is reserved, if that is done by the end of a with statement."""
    pushed = span_of_site(push.site) if push.site is not None else None
    if pushed is None or push.reserved is None or pushed.end_line <= pushed.line:
        return pushed, "pushed here"
    return span_of_site(push.reserved), "pushed at the end of this with statement"


def _at_all(finding: Diagnostic, spans: Sequence[Span], what: str) -> Diagnostic:
    *others, last = spans
    finding = finding.at(last, f"{what} here")
    for span in others:
        finding = finding.also(span, "and here")
    return finding


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
