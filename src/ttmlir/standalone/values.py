"""Values of a function as variables of a program: the tensors of the program, and their names.

An operation of destination style writes to a ``ttnn.empty``. A program calls a function that makes its result, so that most of
those tensors are never made; a later operation on one, such as a deallocation, applies to the result.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Container, Iterable
from math import prod
from typing import TypeAlias

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from tt_model.attributes.tt import DeviceType
from tt_model.layouts.enums import PageLayout
from tt_model.operations.operation import RowOperation, is_destination_style
from tt_model.operations.shared import TTNNReshapeOp
from tt_model.operations.tensors import shape_of
from tt_model.operations.ttnn import (
    TTNN,
    TTNNDeallocateOp,
    TTNNEmbeddingOp,
    TTNNEmptyOp,
    TTNNFromDeviceOp,
    TTNNToDeviceOp,
    TTNNToLayoutOp,
    TTNNToMemoryConfigOp,
    TTNNTypecastOp,
)
from tt_model.operations.value_names import identifier, located_name, name_of

# Operations whose destination must exist, because their kernels write into it.
WRITES_INTO = frozenset(row.mnemonic for row in TTNN.rows if row.runs_kernels or row.writes)
_Step: TypeAlias = TTNNToDeviceOp | TTNNFromDeviceOp | TTNNToLayoutOp | TTNNToMemoryConfigOp | TTNNTypecastOp
_LAID_OUT = re.compile(r"_layout$")
_GENERIC = re.compile(r"(arg|x)?\d*")


def is_made(op: TTNNEmptyOp, written: Container[str] = WRITES_INTO) -> bool:
    """Whether a program makes the tensor of a ``ttnn.empty``.

    It does if an operation reads the tensor, returns it, or is in ``written``: these get the tensor that they write to.
    """
    return any(
        not _is_only_said(use.operation, use.index, written) for result in op.results for use in result.uses
    )


def _is_only_said(user: Operation, index: int, written: Container[str]) -> bool:
    if not isinstance(user, RowOperation):
        return False
    if isinstance(user, TTNNDeallocateOp):
        return True
    if not is_destination_style(user) or user.ROW.mnemonic in written:
        return False
    first, end = user.init_bounds
    return first <= index < end


class Variables:
    """The variables of one function. ``taken`` are names in other use."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = {*taken, *keyword.kwlist, *dir(builtins)}
        # The base name of a value, before its layout was appended.
        self._bases: dict[SSAValue, str] = {}
        self._names: dict[SSAValue, str] = {}
        # Groups of variables that share memory.
        self._shared: dict[str, set[str]] = {}

    def name(self, value: SSAValue) -> str:
        """The variable of a value."""
        return self._names[value]

    def knows(self, value: SSAValue) -> bool:
        """Whether a value has a variable."""
        return value in self._names

    def same(self, value: SSAValue, other: SSAValue) -> None:
        """Use the variable of ``other`` for ``value``."""
        self._names[value] = self._names[other]

    def give(self, value: SSAValue, name: str) -> None:
        """Use ``name`` as the variable of ``value``."""
        self._names[value] = name

    def share(self, value: SSAValue, source: SSAValue) -> None:
        """Record that ``value`` shares the memory of ``source``."""
        group = self._shared.setdefault(self._names[source], {self._names[source]})
        group.add(self._names[value])
        self._shared[self._names[value]] = group

    def release(self, value: SSAValue) -> bool:
        """Release a value after its last use; return whether its memory is free then: no other value shares it."""
        name = self._names[value]
        group = self._shared.get(name, {name})
        group.discard(name)
        return not group

    def argument(self, value: SSAValue) -> str:
        """Return a name for a parameter: the model's, else that of the operand for which its layout is changed."""
        name = name_of(value)
        users = [use.operation for use in value.uses]
        if _GENERIC.fullmatch(name) and users:
            name = _of_operand(users[0]) or name
        return self._new(value, name, "")

    def result(self, value: SSAValue) -> str:
        """Return a name for an operation's result: the model's, plus the layout if the operation changes only that."""
        op = value.owner
        if not isinstance(op, RowOperation):
            return self._new(value, name_of(value), "")
        if isinstance(op, TTNNEmptyOp):
            return self._new(value, name_of(_written(op)), "")
        if not isinstance(op, _Step):
            return self._new(value, name_of(value), "")
        source = op.input
        base = self._bases.get(source, "x")
        if _GENERIC.fullmatch(base):
            base = _of_operand(op) or base
        return self._new(value, base, _suffix(op))

    def unique(self, wanted: str) -> str:
        """Return a name that is not in use, as near to the requested one as possible: ``scale``, ``scale_2``."""
        number, chosen = 1, wanted
        while chosen in self._taken:
            number += 1
            chosen = f"{wanted}_{number}"
        self._taken.add(chosen)
        return chosen

    def _new(self, value: SSAValue, base: str, suffix: str) -> str:
        self._bases[value] = base
        self._names[value] = self.unique(f"{base}{suffix}")
        return self._names[value]


def _of_operand(op: Operation) -> str | None:
    """Return the name of the operand that a layout step is for, from its location ``NAME_in_0_layout``."""
    located = located_name(op.location)
    if located is None or not _LAID_OUT.search(located):
        return None
    return identifier(_LAID_OUT.sub("", located))


def _written(op: TTNNEmptyOp) -> SSAValue:
    """Return the result of the operation that writes into a ``ttnn.empty``; without one, the tensor itself."""
    for use in op.result.uses:
        user = use.operation
        if isinstance(user, RowOperation) and is_destination_style(user) and op.result in user.inits:
            return user.results[user.inits.index(op.result)]
    return op.result


def _suffix(op: _Step) -> str:
    match op:
        case TTNNToDeviceOp():
            return "_on_device"
        case TTNNFromDeviceOp():
            return "_on_host"
        case TTNNToLayoutOp():
            return "_tiled" if op.layout == PageLayout.Tile else "_rows"
        case TTNNTypecastOp():
            return f"_{op.dtype.keyword}"
        case TTNNToMemoryConfigOp():
            config = op.memory_config
            return "_sharded" if config.memory_layout.is_sharded else f"_{config.buffer_type.keyword}"


def device_of(function: FuncOp) -> DeviceType | None:
    """Return the type of the device in a function, or None."""
    for op in function.walk():
        for result in op.results:
            if isinstance(result.type, DeviceType):
                return result.type
    return None


def rows_looked_up(argument: SSAValue) -> int | None:
    """Return the number of rows of the table that an argument indexes; None if it is not an index."""
    worklist, seen = [argument], set()
    while worklist:
        value = worklist.pop()
        for use in value.uses:
            user = use.operation
            if not isinstance(user, RowOperation) or user in seen:
                continue
            seen.add(user)
            if isinstance(user, TTNNEmbeddingOp) and user.input is value:
                return prod(shape_of(user.weight)[:-1])
            if isinstance(user, TTNNReshapeOp | _Step):
                worklist += user.results
    return None
