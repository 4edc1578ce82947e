"""``--compare``: what an operation does on the emulated chip, beside what it does in the simulator.

The simulator runs first, on the same contents, and every block that it pushes into a dataflow buffer is remembered;
then the contents are put back, and the chip runs. The first block that differs by more than the hardware may is
reported at the line that fills it: in the order of the simulator, in which nothing comes before what it is made of.
Then come the numbers of blocks, and what is in the tensors at the end.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy.typing as npt

from ttl import settings
from ttl.codegen.description import ProgramDescription
from ttl.codegen.traced import Traced
from ttl.diag import Diagnostic, ProgramError
from ttl.diag.words import listed
from ttl.emu.blocks import Blocks
from ttl.emu.differences import block_differs, count_differs, tensor_differs
from ttl.emu.pushes import Pushes, without_undefined
from ttl.emu.tolerance import differing, largest_of
from ttl.host.access import array_of, writable_array
from ttl.host.tensor import Tensor
from ttl.settings import override
from ttl.sim.launch import observed
from ttl.sim.placement import Launch

Array = npt.NDArray[Any]

_NARROW = (
    "fp32_dest_acc_en=False rounds to 16 bits in the registers, sums at every step; the simulator rounds once, "
    "where a value is stored"
)


@contextlib.contextmanager
def compared(
    launched: Launch, tensors: Sequence[Tensor], description: ProgramDescription, what: Traced
) -> Iterator[Blocks]:
    """Run in the simulator, then what is inside, on the same contents; both must push and leave the same.

    Gives the watcher for the run inside. Raises ``ProgramError`` TTL1590 with the first block that differs, TTL1591
    where not as many are pushed, or with what the simulator says.
    """
    before = [array_of(tensor).copy() for tensor in tensors]
    pushes, expected = _simulated(launched, tensors, before)
    found = pushes.found
    undefined = None
    if what.undefined:
        sanitized, poisoned = _simulated(launched, tensors, before, sanitize=True)
        found = list(without_undefined(found, sanitized.found))
        undefined = [each != each for each in poisoned]
    blocks = Blocks(found, what, description)
    yield blocks
    name = launched.operation.function.__name__
    if blocks.first is not None:
        raise ProgramError(_noting(block_differs(blocks.first, what.buffers), launched, what))
    for push, wanted, there in blocks.counts():
        raise ProgramError(count_differs(push, wanted, there, what.buffers))
    for number, (tensor, wanted_values) in enumerate(zip(tensors, expected, strict=True)):
        left = tensor.dtype.load(array_of(tensor).copy())
        wrong = differing(left, wanted_values, tensor.dtype, largest_of(wanted_values), what.approximated)
        if undefined is not None:
            wrong &= ~undefined[number]
        if wrong.any():
            written = [each for each in what.outputs if each.tensor == number]
            raise ProgramError(
                _noting(tensor_differs(left, wanted_values, wrong, written, name), launched, what)
            )


def _noting(difference: Diagnostic, launched: Launch, what: Traced) -> Diagnostic:
    """With what the program itself asks for, or the chip cannot, that may be the reason."""
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
    """What the simulator pushes and leaves; the tensors are as before."""
    pushes = Pushes()
    chosen = settings.current().sanitize if sanitize is None else sanitize
    with override(target="sim", compare=False, sanitize=chosen), contextlib.redirect_stdout(io.StringIO()):
        observed(replace(launched, settings=settings.current()), pushes)
    left = [tensor.dtype.load(array_of(tensor).copy()) for tensor in tensors]
    for tensor, contents in zip(tensors, before, strict=True):
        writable_array(tensor)[...] = contents
    return pushes, left
