"""The kinds of values while a kernel is read. Every value is of one of them; a value of any other kind is refused."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Any

from ttl.frontend import refusals
from ttl.frontend.classes import Instance, Super, UserClass, Wrapped
from ttl.frontend.kernel.iterators import MemberIterator
from ttl.frontend.kernel.selected import Selected
from ttl.frontend.reals import NodeFloat
from ttl.frontend.scalars import NodeCondition, NodeInteger, NodeRatio
from ttl.frontend.stop import Poisoned, Reject
from ttl.frontend.unknown import NotKnown, ReadArray, Unknown
from ttl.frontend.values import Poison, PrintedText, ReadKernel, Sequential, UserFunction
from ttl.host.tensor import Tensor
from ttl.lang.block import Block, BlockView
from ttl.lang.buffer import DataflowBuffer
from ttl.lang.expr import BlockExpr
from ttl.lang.pipe import Pipe, PipeIdentity, PipeNet
from ttl.lang.semaphore import MulticastRemoteSemaphore, Semaphore, UnicastRemoteSemaphore
from ttl.lang.transfers import DeferredSlice, GroupTransfer, TensorSlice, Transfer


class ValueKind(IntEnum):
    """Kinds of values. A value is *known* while the kernel is compiled, or *of the node*: known only when it runs."""

    meaning: str

    def __new__(cls, meaning: str) -> ValueKind:
        """Number the kinds in the order of their definition: they are rows and columns of the table in ``algebra``."""
        self = int.__new__(cls, len(cls.__members__))
        self._value_, self.meaning = int(self), meaning
        return self

    NUMBER = "integer or truth value that is known"
    REAL = "float that is known"
    TEXT = "text or bytes"
    OBJECT = "any other object that is known: None, functions, classes, enumerations, arrays, ranges"
    INSTANCE = "object of a class of the program"
    TUPLE = "tuple (its members may be of any kind)"
    LIST = "list (its members may be of any kind)"
    DICT = "dictionary (its keys are known, its values may be of any kind)"
    SET = "set"
    ITERATOR = "iterator: of zip, map, enumerate, a generator expression"
    INTEGER = "integer of the node: coordinates, numbers of loops, and what is computed from them"
    FLOAT = "float of the node"
    RATIO = "quotient of two integers of the node"
    CONDITION = "truth value of the node"
    CHOICE = "one of several known values, chosen on the node: a text, a tuple, a buffer, a function"
    SEQUENCE = "range or part of a list whose length or members the node knows"
    PRINTED = "text with a value of the node in it, for print"
    EXPRESSION = "block expression"
    BLOCK = "block, or a sub-view of one"
    BUFFER = "dataflow buffer"
    TENSOR = "tensor, or a node's shard of one"
    PIPE = "pipe, pipe net or semaphore"
    HANDLE = "transfer handle, group of transfers or slice of a tensor"


_BY_TYPE: Mapping[type, ValueKind] = MappingProxyType(
    {
        int: ValueKind.NUMBER,
        bool: ValueKind.NUMBER,
        float: ValueKind.REAL,
        str: ValueKind.TEXT,
        bytes: ValueKind.TEXT,
        type(None): ValueKind.OBJECT,
        range: ValueKind.OBJECT,
        slice: ValueKind.OBJECT,
        tuple: ValueKind.TUPLE,
        list: ValueKind.LIST,
        dict: ValueKind.DICT,
        set: ValueKind.SET,
        frozenset: ValueKind.SET,
        NodeInteger: ValueKind.INTEGER,
        NodeFloat: ValueKind.FLOAT,
        NodeRatio: ValueKind.RATIO,
        NodeCondition: ValueKind.CONDITION,
        Selected: ValueKind.CHOICE,
        PrintedText: ValueKind.PRINTED,
        Instance: ValueKind.INSTANCE,
    }
)
# The first class that fits counts, because a block is also a block expression.
_BY_BASE: tuple[tuple[type | tuple[type, ...], ValueKind], ...] = (
    (Sequential, ValueKind.SEQUENCE),
    (MemberIterator, ValueKind.ITERATOR),
    ((Block, BlockView), ValueKind.BLOCK),
    (BlockExpr, ValueKind.EXPRESSION),
    (DataflowBuffer, ValueKind.BUFFER),
    ((Tensor, DeferredSlice), ValueKind.TENSOR),
    (
        (Pipe, PipeIdentity, PipeNet, Semaphore, UnicastRemoteSemaphore, MulticastRemoteSemaphore),
        ValueKind.PIPE,
    ),
    ((Transfer, GroupTransfer, TensorSlice), ValueKind.HANDLE),
    (int, ValueKind.NUMBER),
    (float, ValueKind.REAL),
    ((str, bytes), ValueKind.TEXT),
    (tuple, ValueKind.TUPLE),
    (list, ValueKind.LIST),
    (dict, ValueKind.DICT),
    ((set, frozenset), ValueKind.SET),
)
# The classes that stand for objects of the program. Other classes that stand for values have a kind, or are refused.
_STAND_FOR_OBJECTS = (UserFunction, UserClass, ReadKernel, Wrapped, Super, ReadArray)
_OURS = tuple(f"ttl.frontend.{room}" for room in ("scalars", "reals", "values", "unknown", "classes", "kernel.selected", "kernel.tables", "kernel.iterators", "kernel.carrying"))  # fmt: skip

NUMBERS_OF_NODE = (NodeInteger, NodeFloat, NodeRatio, NodeCondition)


def kind_of(value: Any) -> ValueKind:
    """Return the kind of a value.

    Raises ``Poisoned`` for a value that was lost, and ``Reject`` for one of a kind that is not listed here.
    """
    kind = _BY_TYPE.get(type(value))
    if kind is not None:
        return kind
    for bases, kind in _BY_BASE:
        if isinstance(value, bases):
            return kind
    if isinstance(value, Unknown):
        raise NotKnown(value)
    if isinstance(value, Poison):
        raise Poisoned
    if type(value).__module__.startswith(_OURS) and not isinstance(value, _STAND_FOR_OBJECTS):
        raise Reject(refusals.must_be_known("this"))
    return ValueKind.OBJECT


def stand_in(value: Any) -> Any:
    """Return a number of the kind that a value will have on the node; any other value unchanged."""
    return _STAND_INS.get(type(value), value)


_STAND_INS: Mapping[type, Any] = {NodeInteger: 1, NodeRatio: 0.5, NodeFloat: 0.5, NodeCondition: True}
