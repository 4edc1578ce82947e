"""``ttkernel.ir``: the types of the ``ttkernel`` dialect."""

from __future__ import annotations

from typing import Any

from tt_model.attributes import ttkernel
from tt_model.attributes.memory import memref_of_type, type_of_memref
from tt_model.layouts.enums import CBPort
from tt_model.layouts.records import CircularBufferRecord
from ttl.source.public_names import known_as
from ttmlir.bindings.dialect_attributes import DialectAttribute, member, refusing
from ttmlir.bindings.scope import Context, Type, wrap_type


@known_as("CBType")
class CBTypeHandle(DialectAttribute):
    """``!ttkernel.cb``: a circular buffer."""

    OF = ttkernel.PlacedCBType

    @staticmethod
    def get(ctx: Context, address: int, port: int, memref: Type) -> Type:
        """Return a buffer of one page, the whole of ``memref``."""
        record = memref_of_type(memref.xdsl)
        buffer = refusing(CircularBufferRecord, member(CBPort, port), int(address), record, record.bytes, 1)
        return wrap_type(ttkernel.PlacedCBType(buffer), ctx)

    @staticmethod
    def cast(type: Type) -> CBType:
        """The object of this class for a plain type."""
        if not isinstance(type.xdsl, ttkernel.PlacedCBType):
            raise TypeError(f"expected a ttkernel.cb, got {type}")
        return CBType(type.xdsl, type.context)

    @property
    def shape(self) -> list[int]:
        return list(self.data.memref.shape)

    @property
    def memref(self) -> Any:
        return wrap_type(type_of_memref(self.data.memref), self.context)


CBType = CBTypeHandle
