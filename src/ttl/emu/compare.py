"""``--compare``: what an operation leaves on the emulated chip, beside what the simulator leaves.

The simulator runs first, on the same contents; then they are put back, and the chip runs. The first block that differs
by more than the hardware may is reported at the line that stores it.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ttl.codegen.outputs import Output
from ttl.diag import Diagnostic, ProgramError, error
from ttl.host.access import array_of, writable_array
from ttl.host.tensor import Tensor
from ttl.ops.dtypes import DType
from ttl.settings import override
from ttl.sim import launch as simulator
from ttl.sim.placement import Launch
from ttl.source.spans import user_span

Array = npt.NDArray[Any]

# How far an element may be off: two steps of the stored type, relative to it, and a step of the TF32 that the matrix
# unit computes with, relative to the largest element of the tensor, for sums that cancel.
_STEPS = 2.0
_TF32 = 2.0**-9


@contextlib.contextmanager
def compared(launched: Launch, tensors: Sequence[Tensor], outputs: Sequence[Output]) -> Iterator[None]:
    """Run in the simulator, then what is inside, on the same contents; both must leave the same.

    Raises ``ProgramError`` TTL1590 with the first block that differs, or with what the simulator says.
    """
    before = [array_of(tensor).copy() for tensor in tensors]
    with override(target="sim", compare=False), contextlib.redirect_stdout(io.StringIO()):
        simulator.launch(launched.operation, launched.args, launched.kwargs)
    expected = [tensor.dtype.load(array_of(tensor).copy()) for tensor in tensors]
    for tensor, contents in zip(tensors, before, strict=True):
        writable_array(tensor)[...] = contents
    yield
    for number, (tensor, wanted) in enumerate(zip(tensors, expected, strict=True)):
        found = tensor.dtype.load(array_of(tensor).copy())
        wrong = _differing(found, wanted, tensor.dtype)
        if wrong.any():
            written = [each for each in outputs if each.tensor == number]
            raise ProgramError(
                _differs(_Difference(found, wanted, wrong), written, launched.operation.function.__name__)
            )


@dataclass(frozen=True, slots=True)
class _Difference:
    """Contents of a tensor on the chip and in the simulator, and which elements differ."""

    found: Array
    expected: Array
    wrong: Array


def _differing(found: Array, expected: Array, dtype: DType) -> Array:
    """Elements that differ by more than the hardware may."""
    same = (found == expected) | ((found != found) & (expected != expected))
    if not dtype.is_float:
        return np.asarray(~same)
    relative = max(_STEPS * 2.0**-dtype.mantissa_bits, _TF32)
    finite = expected[np.isfinite(expected)]
    largest = float(np.abs(finite).max(initial=0.0))
    with np.errstate(all="ignore"):
        distance = np.abs(found.astype(np.float64) - expected.astype(np.float64))
        near = distance <= relative * np.abs(expected.astype(np.float64)) + _TF32 * largest
    different: Array = ~(same | near)
    return different


def _differs(what: _Difference, outputs: Sequence[Output], operation: str) -> Diagnostic:
    """The first block that differs."""
    first = tuple(int(index) for index in np.argwhere(what.wrong)[0])
    output = next((each for each in outputs if None not in each.extents), outputs[0] if outputs else None)
    extents = _extents(output, what.found.shape)
    block = tuple(index // extent for index, extent in zip(first, extents, strict=True))
    part = tuple(slice(at * extent, (at + 1) * extent) for at, extent in zip(block, extents, strict=True))
    wrong = what.wrong[part]
    name = output.name if output is not None else "a tensor"
    blocks = {tuple(place) for place in (np.argwhere(what.wrong) // np.array(extents)).tolist()}
    all_blocks = int(
        np.prod([-(-size // extent) for size, extent in zip(what.found.shape, extents, strict=True)])
    )
    found = error(
        "TTL1590",
        f"block {_place(block)} of {name} is not what the simulator makes it",
        notes=(
            f"element {_place(first)} is {what.found[first].item()} on the emulated chip, "
            f"{what.expected[first].item()} in the simulator",
            f"{int(wrong.sum()):,} of the {wrong.size:,} elements of the block differ, "
            f"and {len(blocks):,} of {all_blocks:,} blocks of {name} in {operation}",
        ),
    )
    if output is None or not output.stored:
        return found.at(output.copied if output is not None else user_span())
    *others, last = output.stored
    found = found.at(last, "stored here")
    for span in others:
        found = found.also(span, "and here")
    return found.also(output.copied, "copied to the tensor here") if output.copied is not None else found


def _extents(output: Output | None, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Extents of a block along the axes of a tensor; the whole axis where they are not known."""
    if output is None or len(output.extents) != len(shape):
        return shape
    return tuple(
        size if extent is None else extent for extent, size in zip(output.extents, shape, strict=True)
    )


def _place(index: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, index))})"
