"""Which values the C++ of a kernel mentions, and how often."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Block, Operation, Region, SSAValue

from ttl.codegen.cpp.patterns import inputs_of


class Demand:
    """The mentions of values by statements, and by the expressions that statements need.

    ``is_expression`` says which operations are expressions: they have no effect, and are written where they are
    used, or not at all. ``is_number`` says which values are written as numbers, whatever computes them.
    """

    def __init__(
        self,
        body: Region,
        *,
        is_expression: Callable[[Operation], bool],
        is_number: Callable[[SSAValue], bool],
    ) -> None:
        self._is_expression = is_expression
        self._is_number = is_number
        self._mentions: dict[SSAValue, list[Operation]] = {}
        for op in body.walk():
            if not is_expression(op):
                for operand in op.operands:
                    self._mention(operand, op)

    def count(self, value: SSAValue) -> int:
        """How often a value is mentioned."""
        return len(self._mentions.get(value, ()))

    def only_user(self, value: SSAValue) -> Operation | None:
        """The operation that mentions a value, where it is one, and once."""
        users = self._mentions.get(value, ())
        return users[0] if len(users) == 1 else None

    def is_used_beside(self, value: SSAValue) -> bool:
        """Whether the one mention of a value is in the block that computes it, so that nothing is computed more often."""
        user = self.only_user(value)
        return user is not None and user.parent is block_of(value)

    def _mention(self, value: SSAValue, user: Operation) -> None:
        known = self._mentions.setdefault(value, [])
        known.append(user)
        owner = value.owner
        if len(known) > 1 or not isinstance(owner, Operation) or self._is_number(value):
            return
        if self._is_expression(owner):
            for operand in inputs_of(owner):
                self._mention(operand, owner)


def block_of(value: SSAValue) -> Block | None:
    """The block in which a value comes to be."""
    return value.owner if isinstance(value.owner, Block) else value.owner.parent
