"""Attributes of values in kernels: those that the program's own objects have, and no other of what stands for them."""

from __future__ import annotations

from typing import Any

from ttl.frontend import refusals
from ttl.frontend.kernel.kinds import NUMBERS_OF_NODE, ValueKind, kind_of, stand_in
from ttl.frontend.reals import as_real
from ttl.frontend.scalars import NodeCondition, NodeInteger
from ttl.frontend.stop import Reject, static_needed
from ttl.frontend.values import RangeValue, Sequential
from ttl.lang.block import Block
from ttl.lang.buffer import DataflowBuffer
from ttl.lang.copy import GroupTransfer, Transfer
from ttl.lang.expr import BlockExpr

OTHERS: Any = object()
"""What stands for the attributes that Python looks up."""
_PUBLIC: dict[ValueKind, tuple[type, ...]] = {
    ValueKind.EXPRESSION: (BlockExpr,),
    ValueKind.BLOCK: (Block,),
    ValueKind.BUFFER: (DataflowBuffer,),
}
_WHOLE = {"real": 1, "numerator": 1, "imag": 0, "denominator": 0}


def attribute(value: Any, name: str) -> Any:
    """``value.name`` of what stands for a value of the node; ``OTHERS`` where the object itself has it, or has not.

    Raises ``AttributeError`` for what the program's object would not have.
    """
    if isinstance(value, NUMBERS_OF_NODE):
        return _of_number(value, name)
    if isinstance(value, Sequential):
        if isinstance(value, RangeValue) and name in ("start", "stop", "step"):
            return OTHERS
        raise static_needed(f"{name} of a range or list")
    if isinstance(value, GroupTransfer | Transfer):
        public: tuple[type, ...] = (GroupTransfer if isinstance(value, GroupTransfer) else Transfer,)
    else:
        public = _PUBLIC.get(kind_of(value), ()) if isinstance(value, BlockExpr | DataflowBuffer) else ()
    if public and not any(hasattr(kind, name) for kind in public):
        raise AttributeError(f"'{public[0].__name__}' object has no attribute '{name}'")
    return OTHERS


def _of_number(value: Any, name: str) -> Any:
    known = stand_in(value)
    getattr(known, name)  # which fails as it does on every node
    if name == "__class__":
        return type(known)
    if isinstance(value, NodeInteger) and name in _WHOLE:
        return value if _WHOLE[name] else int(name == "denominator")
    if name == "imag":
        return 0 if isinstance(value, NodeCondition) else 0.0
    if name == "real" and not isinstance(value, NodeCondition):
        return as_real(value)
    raise Reject(refusals.not_on_node(f"{name} of a number", "compute it with the operators of numbers"))
