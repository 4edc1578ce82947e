"""Values chosen by a branch of the node that cannot be values of the IR: the possible values, and their conditions.

They appear in the IR only when they are used: a text, a tuple, a buffer, under the condition that it is the chosen one.
There are as many parts as different values, however many branches led to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import MethodType
from typing import Any

from xdsl.ir import Block, Operation, SSAValue

from ttl.frontend.classes import Instance
from ttl.frontend.scalars import NodeCondition, NodeInteger, NodeRatio, both, either, negated, plain_key
from ttl.frontend.values import Poison, PrintedText, RangeValue, ReadKernel, Sequential, UserFunction, same

# The most parts. More values than this are a table, with which the node computes in another way.
MOST_PARTS = 64

Part = tuple[NodeCondition, Any]


class Selected(Poison):
    """One of several values, with conditions exactly one of which holds.

    Code that does not support it treats it as its base class, a value that a branch has lost.
    """

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Part, ...], lost: Poison | Selected) -> None:
        super().__init__(lost.reason, reported=False)
        self.parts = parts

    def ttl_held(self) -> tuple[Any, ...]:
        """The values that it may be."""
        return tuple(value for _, value in self.parts)

    def goes_with(self, other: Selected) -> bool:
        """Return whether both are chosen by the same conditions, so that their parts correspond."""
        return len(self.parts) == len(other.parts) and all(
            ours is theirs or plain_key(ours) == plain_key(theirs)
            for (ours, _), (theirs, _) in zip(self.parts, other.parts, strict=True)
        )


class Joint:
    """The end of one branch: the values of names after it, chosen by its condition.

    Names with the same choices share the same conditions, so that they stay connected.
    """

    def __init__(self, condition: NodeCondition, blocks: Sequence[Block]) -> None:
        self._condition = condition
        self._blocks = blocks
        self._otherwise: NodeCondition | None = None
        self._made: dict[tuple[int, ...], NodeCondition] = {}
        self._kept: list[Any] = []

    def parts(self, first: Any, second: Any) -> tuple[Part, ...] | None:
        """Return the possible values of a name and their conditions.

        None if one of the values belongs to the branch and cannot leave it.
        """
        groups: list[tuple[Any, list[NodeCondition]]] = []
        if self._otherwise is None:
            self._otherwise = negated(self._condition)
        for way, value in ((self._condition, first), (self._otherwise, second)):
            for when, item in value.parts if type(value) is Selected else ((None, value),):
                if not self.can_leave(item) or (when is not None and not self.can_leave(when)):
                    return None
                holds = way if when is None else self._noted(when, way)
                for known, conditions in groups:
                    if same(known, item):
                        conditions.append(holds)
                        break
                else:
                    groups.append((item, [holds]))
        if len(groups) > MOST_PARTS:
            return None
        return tuple((self._any(conditions), entry) for entry, conditions in groups)

    def _noted(self, when: NodeCondition, way: NodeCondition) -> NodeCondition:
        key = (0, id(way), id(when))
        if key not in self._made:
            self._made[key] = opaque(both(way, when))
            self._kept += (when, way)
        return self._made[key]

    def _any(self, conditions: list[NodeCondition]) -> NodeCondition:
        if len(conditions) == 1:
            return conditions[0]
        key = (1, *map(id, conditions))
        if key not in self._made:
            result: Any = False
            for condition in conditions:
                result = either(result, condition)
            self._made[key] = opaque(result)
            self._kept += conditions
        return self._made[key]

    def can_leave(self, value: Any) -> bool:
        """Whether a value has a meaning outside the branch: it contains no value made in the branch's blocks."""
        return means_outside(value, self._blocks)


def means_outside(value: Any, blocks: Sequence[Block]) -> bool:
    """Whether a value has a meaning outside of blocks: it contains no value made in them."""

    def inside(ssa: SSAValue) -> bool:
        owner = ssa.owner
        block = owner.parent if isinstance(owner, Operation) else owner
        while block is not None:
            if any(block is item for item in blocks):
                return True
            above = block.parent_op()
            block = None if above is None else above.parent
        return False

    return _is_outside(value, inside)


def opaque(condition: NodeCondition) -> NodeCondition:
    """Return a condition with a new key, so that conditions made from it have short keys."""
    return NodeCondition(
        condition.builder, ("selected", object()), condition.loops, condition.ssa, operands=(condition,)
    )


def _is_outside(value: Any, inside: Callable[[SSAValue], bool]) -> bool:
    """Whether no value of the IR in a value is ``inside`` the blocks that are being left."""
    seen: set[int] = set()
    worklist: list[Any] = [value]
    while worklist:
        part = worklist.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, SSAValue):
            if inside(part):
                return False
            continue
        parts = _parts_of(part)
        if parts is None:
            return False
        worklist += parts
    return True


def _parts_of(value: Any) -> Iterable[Any] | None:
    """Return the parts of a value; None for an object of the evaluation, whose parts do not count."""
    match value:
        case None | str() | bytes() | int() | float() | complex() | type():
            return ()
        case NodeInteger():
            return [atom.ssa for atom, _ in value.terms]
        case NodeCondition():
            return value.operands
        case NodeRatio():
            return (value.above, value.below)
        case PrintedText():
            return value.parts
        case tuple() | list() | set() | frozenset():
            return value
        case dict():
            return value.values()
        case slice() | RangeValue():
            return (value.start, value.stop, value.step)
        case Instance():
            return value.ttl_values.values()
        case MethodType():
            return (value.__self__,)
        case UserFunction() | ReadKernel():
            return ()
        case Poison() | Sequential():
            return None
    ssa = getattr(value, "ssa", None)
    if isinstance(ssa, SSAValue):
        return (ssa,)
    return None if type(value).__module__.startswith("ttl.frontend.") else ()
