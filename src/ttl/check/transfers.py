"""Handles of transfers and groups of them (specification, "Copy", "Group transfer"): each is waited for once.

The effects of copies on blocks are checked in ``states``. A handle with at most one use, in its own block, cannot be
wrong, and most handles are of this kind: a kernel with no others, and without groups, is not followed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Self

from xdsl.ir import Operation, SSAValue

from ttl.analysis.dominance import of_kinds
from ttl.analysis.scalars import Slots
from ttl.check.context import CheckContext
from ttl.check.flow.analyse import analyse
from ttl.check.flow.facts import Facts
from ttl.diag.model import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.ir.locations import span_of
from ttl.rules import copies as rules
from ttl.rules.labels import COPY_STARTED


def check(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Find transfers and groups that are waited for twice, and transfers that are added to a group twice or too late."""
    slots = Slots(context.grid)
    findings: list[Diagnostic] = []
    for kernel in operation.kernels:
        if kernel.kind == "data movement" and any(
            _may_be_wrong(op) for op in of_kinds(kernel, dialect.CreateGroupOp, dialect.CopyOp)
        ):
            findings += analyse(kernel, slots, _action, Handles)
    return findings


def _may_be_wrong(op: Operation) -> bool:
    if isinstance(op, dialect.CreateGroupOp):
        return True
    if not isinstance(op, dialect.CopyOp):
        return False
    uses = [use.operation for use in op.result.uses]
    return len(uses) > 1 or any(use.parent is not op.parent for use in uses)


class Handles:
    """The handles of a kernel on one path: active transfers, and groups that were not waited for."""

    __slots__ = ("added", "facts", "groups", "names", "starts", "waited")

    def __init__(self) -> None:
        self.facts: Facts = {}
        self.starts: tuple[int, ...] | None = None  # of sub-views, which are not followed here
        # A handle under another name, where control flow hands it on.
        self.names: dict[SSAValue, SSAValue] = {}
        self.waited: frozenset[SSAValue] = frozenset()
        self.groups: dict[SSAValue, tuple[SSAValue, ...]] = {}
        # Pairs of a group and a handle whose latest transfer is in the group.
        self.added: frozenset[tuple[SSAValue, SSAValue]] = frozenset()

    def copy(self) -> Self:
        """Return a copy that continues on another path."""
        other = type(self)()
        other.facts = dict(self.facts)
        other.names = dict(self.names)
        other.waited = self.waited
        other.groups = dict(self.groups)
        other.added = self.added
        return other

    def key(self) -> Hashable:
        """A key that is equal for paths that continue in the same way."""
        return frozenset(self.names.items()), self.waited, frozenset(self.groups.items()), self.added

    def leave(self, born: Sequence[SSAValue]) -> None:
        """Forget values that go out of scope, but not the transfers that a group still waits for."""
        for value in born:
            self.names.pop(value, None)
            self.groups.pop(value, None)
        held = {member for group in self.groups.values() for member in group}
        self.waited -= {value for value in born if value not in held}
        self.added = frozenset(pair for pair in self.added if not set(pair) & set(born))

    def bind(self, targets: Sequence[SSAValue], sources: Sequence[SSAValue]) -> None:
        """Bind new names to handles that control flow passes on."""
        names = [self.names.get(source, source) for source in sources]
        self.names.update(zip(targets, names))

    def wait(
        self, handle: SSAValue, twice: Callable[[], Diagnostic] = rules.waited_twice
    ) -> Diagnostic | None:
        """Mark a handle as waited for; return the finding if it was already."""
        handle = self.names.get(handle, handle)
        if handle in self.waited:
            started = handle.owner
            place = span_of(started) if isinstance(started, Operation) else None
            return twice().also(place, COPY_STARTED)
        self.waited |= {handle}
        return None


Action = Callable[[Handles], "Diagnostic | None"]


def _action(op: Operation) -> Action | None:
    """Return the effect of an operation on handles; None if it has no effect."""
    match op:
        case dialect.CopyOp():
            return lambda path: _start(path, op.result)
        case dialect.WaitOp():
            return lambda path: path.wait(op.transfer)
        case dialect.WaitAnyOp():
            return lambda path: _wait_for_first(path, op)
        case dialect.CreateGroupOp():
            return lambda path: _make_group(path, op.result)
        case dialect.GroupAddOp():
            return lambda path: _add(path, op.group, op.transfer)
        case dialect.GroupWaitOp():
            return lambda path: _wait_for_group(path, op.group)
    return None


def _wait_for_first(path: Handles, op: dialect.WaitAnyOp) -> Diagnostic | None:
    """Return the finding if one of the receives was waited for already; all of them stay open for a later wait."""
    waited, finding = path.waited, None
    for handle in op.transfers:
        finding = finding or path.wait(handle)
    path.waited = waited
    return finding


def _start(path: Handles, handle: SSAValue) -> None:
    path.waited -= {handle}
    path.added = frozenset(pair for pair in path.added if pair[1] is not handle)


def _make_group(path: Handles, group: SSAValue) -> None:
    path.groups[group] = ()
    path.waited -= {group}
    path.added = frozenset(pair for pair in path.added if pair[0] is not group)


def _add(path: Handles, group: SSAValue, handle: SSAValue) -> Diagnostic | None:
    group = path.names.get(group, group)
    if group in path.waited:
        return rules.added_after_wait()
    members = path.groups.get(group, ())
    handle = path.names.get(handle, handle)
    if (group, handle) in path.added:
        return rules.added_twice()
    path.added |= {(group, handle)}
    # A loop adds a new transfer in each iteration; all of them count as one.
    if handle not in members:
        path.groups[group] = (*members, handle)
    return None


def _wait_for_group(path: Handles, group: SSAValue) -> Diagnostic | None:
    group = path.names.get(group, group)
    if group in path.waited:
        return rules.group_waited_twice()
    path.waited |= {group}
    finding = None
    for member in path.groups.pop(group, ()):
        finding = finding or path.wait(member, rules.member_waited_twice)
    return finding
