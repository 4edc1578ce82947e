"""The operations of ``tensor``: a class and a function for each that is known here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ttmlir.bindings.insertion import InsertionPoint
from ttmlir.bindings.operations import OperationHandle, OpView, ValueHandle
from ttmlir.bindings.scope import Attribute, Location, Type
from ttmlir.bindings.types import RankedTensorType, ShapedType
from ttmlir.bindings.views import member_of, namespace_of, views_of


class EmptyOp(OpView):
    """``tensor.empty``: of extents (numbers, or values of type ``index``) and an element type."""

    OPERATION_NAME = "tensor.empty"

    def __init__(
        self,
        sizes: Sequence[int | ValueHandle] | OperationHandle,
        element_type: Type | None = None,
        *,
        encoding: Attribute | None = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None:
        if isinstance(sizes, OperationHandle):
            super().__init__(sizes)
            return
        if element_type is None:
            raise TypeError("EmptyOp() missing the argument 'element_type'")
        dynamic = ShapedType.get_dynamic_size()
        shape = [size if isinstance(size, int) else dynamic for size in sizes]
        of_type = RankedTensorType.get(shape, element_type, encoding)
        values = [size for size in sizes if not isinstance(size, int)]
        super().__init__(views_of("tensor")["EmptyOp"](of_type, values, loc=loc, ip=ip).operation)

    @property
    def dynamic_sizes(self) -> Any:
        """The extents that are values."""
        return self.operands


def empty(
    sizes: Sequence[int | ValueHandle] | Type,
    element_type: Type | Sequence[ValueHandle] | None = None,
    *,
    encoding: Attribute | None = None,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> ValueHandle:
    """A tensor of extents and an element type, or of a whole type and the extents it leaves open."""
    if not isinstance(sizes, Type):
        if not isinstance(element_type, Type):
            raise TypeError(f"empty() expected the type of the elements, got {element_type!r}")
        made_of_extents: ValueHandle = EmptyOp(
            sizes, element_type, encoding=encoding, loc=loc, ip=ip
        ).results[0]
        return made_of_extents
    open_extents = element_type or []
    if isinstance(open_extents, Type):
        raise TypeError(
            "empty() takes extents and an element type, or a tensor type and the extents it leaves open"
        )
    result: ValueHandle = views_of("tensor")["EmptyOp"](sizes, open_extents, loc=loc, ip=ip).results[0]
    return result


WRITTEN = (EmptyOp,)


def __getattr__(name: str) -> Any:
    return member_of("tensor", name)


def __dir__() -> list[str]:
    return sorted({*namespace_of("tensor"), "EmptyOp", "empty"})
