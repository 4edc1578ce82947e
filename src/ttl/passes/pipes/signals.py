"""The semaphores of a net, as a kernel uses them."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from ttl.dialects.ttkernel import GetSemaphoreOp, call
from ttl.passes.building import Building, Number

# A semaphore that is one of several in a row: the name of the first; its number is put in when they are numbered.
FIRST = "ttl.first_semaphore"


def semaphore(build: Building, names: list[str], index: Number = 0) -> SSAValue:
    """One of several semaphores of this node, which have numbers in a row."""
    if len(names) == 1:
        index = 0
    if isinstance(index, int):
        return build.add(GetSemaphoreOp(names[index])).results[0]
    return _of_number(build, "semaphore_of_number", names[0], index)


def address(build: Building, names: list[str], index: Number = 0) -> SSAValue:
    """Its address, which is the same on every node."""
    if len(names) > 1 and not isinstance(index, int):
        found = _of_number(build, "semaphore_address_of_number", names[0], index)
    else:
        found = build.ask("get_semaphore_address", semaphore(build, names, index))
    found.name_hint = f"{names[0]}_address"
    return found


def _of_number(build: Building, function: str, first: str, index: SSAValue) -> SSAValue:
    op = call(function, index)
    op.attributes[FIRST] = StringAttr(first)
    op.results[0].name_hint = first
    return build.add(op).results[0]
