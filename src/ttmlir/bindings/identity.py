"""Kinds of types and attributes (``TypeID``), and the dialects of a context, as in MLIR's bindings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xdsl.context import Context as XdslContext
from xdsl.dialects.builtin import UnregisteredAttr
from xdsl.ir import Attribute as XdslAttribute


@dataclass(frozen=True, slots=True)
class TypeID:
    """The kind of a type or an attribute: equal ids, with equal hashes, mean the same kind."""

    kind: type[XdslAttribute]

    @classmethod
    def of(cls, attribute: XdslAttribute, shown: object) -> TypeID:
        """Return the id of an attribute's kind; ``shown`` is its text in messages. Raises ``ValueError`` for unregistered ones."""
        if isinstance(attribute, UnregisteredAttr):
            raise ValueError(f"{shown!r} has no typeid.")
        return cls(type(attribute))


@dataclass(frozen=True, slots=True)
class DialectDescriptor:
    """``ctx.get_dialect_descriptor("arith")``: the description of a dialect."""

    namespace: str

    def __repr__(self) -> str:
        return f"<DialectDescriptor {self.namespace}>"


@dataclass(frozen=True, slots=True)
class LoadedDialect:
    """``ctx.dialects["arith"]``, which MLIR calls ``Dialect``."""

    descriptor: DialectDescriptor

    def __repr__(self) -> str:
        return f"<Dialect {self.descriptor.namespace}>"


class Dialects:
    """``ctx.dialects``: dialects by their names, as items or as members; a dialect is loaded on first use."""

    __slots__ = ("_context",)

    def __init__(self, context: XdslContext) -> None:
        self._context = context

    def __getitem__(self, name: str) -> LoadedDialect:
        """Return a dialect. Raises ``IndexError`` if there is no such dialect."""
        try:
            return LoadedDialect(descriptor_in(self._context, name))
        except ValueError as problem:
            raise IndexError(str(problem)) from None

    def __getattr__(self, name: str) -> Any:
        try:
            return LoadedDialect(descriptor_in(self._context, name))
        except ValueError as problem:
            raise AttributeError(str(problem)) from None


def descriptor_in(context: XdslContext, name: str) -> DialectDescriptor:
    """Load a dialect and return its descriptor. Raises ``ValueError`` if there is no such dialect."""
    if name not in {
        *context.registered_dialect_names,
        *(dialect.name for dialect in context.loaded_dialects),
    }:
        raise ValueError(f"Dialect '{name}' not found")
    context.get_dialect(name)
    return DialectDescriptor(name)
