"""Operations, values, blocks and regions, under the names of MLIR's Python bindings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar, Self, TextIO

from xdsl.dialects import builtin
from xdsl.ir import (
    Block as XdslBlock,
)
from xdsl.ir import (
    BlockArgument as XdslBlockArgument,
)
from xdsl.ir import (
    Operation as XdslOperation,
)
from xdsl.ir import (
    OpResult as XdslOpResult,
)
from xdsl.ir import (
    Region as XdslRegion,
)
from xdsl.ir import (
    SSAValue,
)
from xdsl.traits import IsTerminator

from ttl.source.public_names import known_as
from ttmlir.bindings.attributes import as_attribute
from ttmlir.bindings.parsing import parse_module
from ttmlir.bindings.printing import operation_text, value_name, value_text, verify_operation
from ttmlir.bindings.scope import (
    Attribute,
    Context,
    Location,
    NamedAttribute,
    Scoped,
    Type,
    context_or_current,
    current_context,
    innermost_first,
    location_or_current,
    raise_for,
    wrap_attribute,
    wrap_type,
)


class WalkOrder(Enum):
    """Whether an operation comes before what is in it, or after."""

    PRE_ORDER = 0
    POST_ORDER = 1


class WalkResult(Enum):
    """The next step of a walk."""

    ADVANCE = 0
    INTERRUPT = 1
    SKIP = 2


@known_as("Value")
class ValueHandle:
    """A value: the result of an operation or an argument of a block."""

    context: Context

    def __init__(self, value: ValueHandle) -> None:
        self._value: SSAValue = value._value
        self.context = value.context

    @classmethod
    def wrapping(cls, value: SSAValue, context: Context) -> Self:
        """A handle of a value of xDSL."""
        handle = cls.__new__(cls)
        handle._value = value
        handle.context = context
        return handle

    @classmethod
    def isinstance(cls, other: ValueHandle) -> bool:
        """Whether a value is of this class."""
        return isinstance(other, cls)

    @property
    def xdsl(self) -> SSAValue:
        """The value as xDSL has it."""
        return self._value

    @property
    def type(self) -> Type:
        return wrap_type(self._value.type, self.context)

    def set_type(self, type: Type) -> None:
        """Give it another type."""
        self._value._type = type.xdsl

    @property
    def owner(self) -> OperationHandle | BlockHandle:
        """The operation whose result it is, or the block whose argument."""
        if isinstance(self._value, XdslOpResult):
            return OperationHandle.wrapping(self._value.op, self.context)
        assert isinstance(self._value, XdslBlockArgument)
        return BlockHandle(self._value.block, self.context)

    @property
    def uses(self) -> Iterator[OpOperand]:
        """Where it is used, last use first as MLIR keeps them."""
        uses = list(self._value.uses)
        return (
            OpOperand(OperationHandle.wrapping(use.operation, self.context), use.index)
            for use in reversed(uses)
        )

    def replace_all_uses_with(self, new: ValueHandle | OperationHandle | OpView) -> None:
        """Have its users use another value."""
        self._value.replace_all_uses_with(value_of(new))

    def get_name(self, use_local_scope: bool = False) -> str:
        """``%0``, as its function prints it."""
        return value_name(self._value)

    def maybe_downcast(self) -> ValueHandle:
        return wrap_value(self._value, self.context)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ValueHandle) and other._value is self._value

    def __hash__(self) -> int:
        return id(self._value)

    def __str__(self) -> str:
        return f"Value({value_text(self._value, self.context.xdsl)})"

    def __repr__(self) -> str:
        return str(self)

    def dump(self) -> None:
        """Print it."""
        print(self)


Value = ValueHandle


class OpResult(ValueHandle):
    """A result of an operation."""

    @property
    def result_number(self) -> int:
        assert isinstance(self._value, XdslOpResult)
        return self._value.index


class BlockArgument(ValueHandle):
    """An argument of a block."""

    @property
    def arg_number(self) -> int:
        assert isinstance(self._value, XdslBlockArgument)
        return self._value.index


class OpOperand:
    """A use of a value: who uses it, and as which operand."""

    def __init__(self, owner: OperationHandle, operand_number: int) -> None:
        self.owner = owner.opview
        self.operand_number = operand_number


class _Bounded(Sequence[Any]):
    """A list that is looked up in the operation each time."""

    def __init__(self, items: Sequence[Any]) -> None:
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: Any) -> Any:
        return self._items[index]


class OpOperandList(_Bounded):
    """The operands of an operation; an entry can be set."""

    def __init__(self, operation: OperationHandle) -> None:
        super().__init__([wrap_value(one, operation.context) for one in operation.xdsl.operands])
        self._operation = operation

    def __setitem__(self, index: int, value: ValueHandle) -> None:
        self._operation.xdsl.operands[index] = value._value


class OpResultList(_Bounded):
    """The results of an operation."""

    @property
    def types(self) -> list[Type]:
        return [one.type for one in self._items]


class OpAttributeMap:
    """The attributes of an operation, inherent and discardable ones together."""

    def __init__(self, operation: OperationHandle) -> None:
        self._operation = operation

    def _all(self) -> dict[str, Any]:
        return {**self._operation.xdsl.properties, **self._operation.xdsl.attributes}

    def __contains__(self, name: object) -> bool:
        return name in self._operation.xdsl.properties or name in self._operation.xdsl.attributes

    def __len__(self) -> int:
        return len(self._all())

    def __getitem__(self, key: str | int) -> Any:
        """By name the attribute; by position the named attribute."""
        attributes = self._all()
        if isinstance(key, int):
            names = sorted(attributes)
            if not -len(names) <= key < len(names):
                raise IndexError("attempt to access out-of-bounds attribute")
            return NamedAttribute(names[key], wrap_attribute(attributes[names[key]], self._operation.context))
        if key not in attributes:
            raise KeyError("attempt to access a non-existent attribute")
        return wrap_attribute(attributes[key], self._operation.context)

    def __iter__(self) -> Iterator[NamedAttribute]:
        return (self[index] for index in range(len(self)))

    def __setitem__(self, name: str, value: Attribute) -> None:
        operation = self._operation.xdsl
        target = operation.properties if name in self._operation.inherent_names() else operation.attributes
        target[name] = as_attribute(value, self._operation.context)

    def __delitem__(self, name: str) -> None:
        operation = self._operation.xdsl
        if name in operation.attributes:
            del operation.attributes[name]
        elif name in operation.properties:
            del operation.properties[name]
        else:
            raise KeyError("attempt to delete a non-existent attribute")


class _OperationBase:
    """The properties and methods that an operation and its view have in common."""

    @property
    def operation(self) -> OperationHandle:
        raise NotImplementedError

    @property
    def context(self) -> Context:
        return self.operation._context

    @property
    def xdsl(self) -> XdslOperation:
        """The operation as xDSL has it."""
        return self.operation._operation

    @property
    def name(self) -> Any:
        """The full name of the operation: ``ttir.add``; the view of a function or a module has its symbol's name instead."""
        operation = self.xdsl
        if isinstance(operation, builtin.UnregisteredOp):
            return operation.op_name.data
        return operation.name

    @property
    def location(self) -> Location:
        return Location(self.xdsl.location, self.context)

    @property
    def parent(self) -> OperationHandle | OpView | None:
        parent = self.xdsl.parent_op()
        return None if parent is None else OperationHandle.wrapping(parent, self.context)

    @property
    def block(self) -> BlockHandle | None:
        block = self.xdsl.parent
        return None if block is None else BlockHandle(block, self.context)

    @property
    def operands(self) -> OpOperandList:
        return OpOperandList(self.operation)

    @property
    def results(self) -> OpResultList:
        return OpResultList([wrap_value(one, self.context) for one in self.xdsl.results])

    @property
    def result(self) -> Any:
        """The only result."""
        results = self.xdsl.results
        if len(results) != 1:
            raise ValueError(
                f"Cannot call .result on operation {self.operation.name} which has {len(results)} results (it is "
                "only valid for operations with a single result)"
            )
        return wrap_value(results[0], self.context)

    @property
    def attributes(self) -> OpAttributeMap:
        return OpAttributeMap(self.operation)

    @property
    def regions(self) -> _Bounded:
        return _Bounded([RegionHandle(one, self.context) for one in self.xdsl.regions])

    @property
    def successors(self) -> _Bounded:
        return _Bounded([BlockHandle(one, self.context) for one in self.xdsl.successors])

    @property
    def opview(self) -> Any:
        """The view that its class in the dialects gives."""
        return OpView.class_named(self.operation.name)(self.operation)

    def verify(self) -> bool:
        """Check it and what is in it. Raises ``MLIRError``."""
        raise_for("Verification failed", verify_operation(self.xdsl), self.context)
        return True

    def get_asm(
        self,
        binary: bool = False,
        large_elements_limit: int | None = None,
        enable_debug_info: bool = False,
        pretty_debug_info: bool = False,
        print_generic_op_form: bool = False,
        use_local_scope: bool = False,
        assume_verified: bool = False,
        skip_regions: bool = False,
    ) -> Any:
        """Return the text of the operation; bytes if ``binary``. ``enable_debug_info`` prints locations."""
        text = operation_text(
            self.xdsl,
            self.context.xdsl,
            generic=print_generic_op_form,
            locations=enable_debug_info,
            local_scope=use_local_scope,
            elide_above=large_elements_limit,
            skip_regions=skip_regions,
        )
        return text.encode() if binary else text

    def print(
        self,
        file: TextIO | None = None,
        binary: bool = False,
        large_elements_limit: int | None = None,
        enable_debug_info: bool = False,
        pretty_debug_info: bool = False,
        print_generic_op_form: bool = False,
        use_local_scope: bool = False,
        assume_verified: bool = False,
        skip_regions: bool = False,
    ) -> None:
        """Print its text to a file, or to standard output."""
        import sys

        text = self.get_asm(
            binary,
            large_elements_limit,
            enable_debug_info,
            pretty_debug_info,
            print_generic_op_form,
            use_local_scope,
            assume_verified,
            skip_regions,
        )
        (file or sys.stdout).write(text if binary else f"{text}\n" if not text.endswith("\n") else text)

    def __str__(self) -> str:
        return str(self.get_asm(assume_verified=True))

    def walk(
        self,
        callback: Callable[[OperationHandle], WalkResult],
        walk_order: WalkOrder = WalkOrder.POST_ORDER,
    ) -> None:
        """Call ``callback`` with the operation and those in it."""
        _walk(self.xdsl, callback, walk_order, self.context)

    def detach_from_parent(self) -> Any:
        """Take it out of its block."""
        if self.xdsl.parent is None:
            raise ValueError("Detached operation has no parent.")
        _detach(self.xdsl)
        return self.opview

    def move_after(self, other: OperationHandle | OpView) -> None:
        """Move it behind another operation."""
        _detach(self.xdsl)
        block = other.operation.xdsl.parent
        if block is None:
            raise ValueError("cannot move after an operation that is not in a block")
        block.insert_op_after(self.xdsl, other.operation.xdsl)

    def move_before(self, other: OperationHandle | OpView) -> None:
        """Move it in front of another operation."""
        _detach(self.xdsl)
        block = other.operation.xdsl.parent
        if block is None:
            raise ValueError("cannot move before an operation that is not in a block")
        block.insert_op_before(self.xdsl, other.operation.xdsl)

    def erase(self) -> None:
        """Delete it; its results must not be used."""
        if self.xdsl.parent is not None:
            _detach(self.xdsl)
        self.xdsl.erase()

    def clone(self, ip: InsertionPoint | None = None) -> Any:
        """A copy of it, with the same operands."""
        copied = OperationHandle.wrapping(self.xdsl.clone(), self.context)
        _insert(copied, ip)
        return copied.opview

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _OperationBase) and other.xdsl is self.xdsl

    def __hash__(self) -> int:
        return id(self.xdsl)


@known_as("Operation")
class OperationHandle(_OperationBase):
    """An operation of any kind. ``OperationHandle.create`` makes one, ``opview`` is its view of its own class."""

    _operation: XdslOperation
    _context: Context

    @classmethod
    def wrapping(cls, operation: XdslOperation, context: Context) -> OperationHandle:
        """A handle of an operation of xDSL."""
        handle = cls.__new__(cls)
        handle._operation = operation
        handle._context = context
        return handle

    @property
    def operation(self) -> OperationHandle:
        return self

    @property
    def is_attached(self) -> bool:
        """Whether it is in a block."""
        return self._operation.parent is not None

    def inherent_names(self) -> frozenset[str]:
        """The names of the attributes that belong to its definition."""
        row = getattr(self._operation, "ROW", None)
        if row is not None:
            return frozenset(row.inherent)
        definition = getattr(self._operation, "get_irdl_definition", None)
        return frozenset(definition().properties) if definition is not None else frozenset()

    @staticmethod
    def create(
        name: str,
        results: Sequence[Type] | None = None,
        operands: Sequence[ValueHandle | OperationHandle | OpView] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        successors: Sequence[BlockHandle] | None = None,
        regions: int = 0,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
        infer_type: bool = False,
    ) -> Any:
        """An operation by its name. It goes to ``ip``, or to the current insertion point; with ``ip=False`` nowhere."""
        place = location_or_current(loc)
        context = place.context
        kind = context.xdsl.get_optional_op(name)
        known = kind is not None and (
            name.partition(".")[0] in context.xdsl.complete or not context.allow_unregistered_dialects
        )
        if kind is None:
            raise ValueError(
                f"operation '{name}' is not registered in the context; set "
                "allow_unregistered_dialects to create operations of unknown dialects"
            )
        given = {key: as_attribute(value, context) for key, value in (attributes or {}).items()}
        inherent: dict[str, Any] = {}
        definition = getattr(kind, "get_irdl_definition", None)
        if known and definition is not None:
            inherent = {key: given.pop(key) for key in list(given) if key in definition().properties}
        operation = kind.create(
            operands=[value_of(one) for one in operands or ()],
            result_types=[one.xdsl for one in results or ()],
            properties=inherent,
            attributes=given,
            successors=[block.xdsl for block in successors or ()],
            regions=[XdslRegion() for _ in range(regions)],
            location=place.xdsl,
        )
        handle = OperationHandle.wrapping(operation, context)
        _insert(handle, ip)
        return handle.opview if known else handle

    @staticmethod
    def parse(source: str, *, source_name: str = "-", context: Context | None = None) -> Any:
        """The one operation that a text has. Raises ``MLIRError``."""
        known = context_or_current(context)
        module = parse_module(source, known, source_name)
        operations = list(module.body.block.ops)
        if len(operations) != 1:
            return OperationHandle.wrapping(module, known).opview
        _detach(operations[0])
        return OperationHandle.wrapping(operations[0], known).opview


Operation = OperationHandle


class OpView(_OperationBase):
    """The view of an operation that its dialect gives: its operands and attributes by name."""

    OPERATION_NAME: ClassVar[str] = ""
    # The class of the views of operations of a name; ``ttmlir.bindings.modules`` brings those of the dialects.
    class_named: ClassVar[Callable[[str], type[OpView]]] = staticmethod(lambda name: OpView)

    def __init__(self, operation: OperationHandle) -> None:
        self._view_of = operation.operation

    def _write(self, operation: XdslOperation, place: Location, point: InsertionPoint | bool | None) -> None:
        """Become the view of a new operation, which goes to a place in a block."""
        operation.location = place.xdsl
        self._view_of = OperationHandle.wrapping(operation, place.context)
        _insert(self._view_of, point)

    @property
    def operation(self) -> OperationHandle:
        return self._view_of

    def __repr__(self) -> str:
        return str(self)


@known_as("Block")
class BlockHandle:
    """A list of operations with arguments."""

    def __init__(self, block: XdslBlock, context: Context) -> None:
        self._block = block
        self.context = context

    @property
    def xdsl(self) -> XdslBlock:
        """The block as xDSL has it."""
        return self._block

    @staticmethod
    def create_at_start(
        parent: RegionHandle, arg_types: Sequence[Type] = (), arg_locs: Sequence[Location] | None = None
    ) -> BlockHandle:
        """A new first block of a region."""
        block = XdslBlock(arg_types=[one.xdsl for one in arg_types])
        parent.xdsl.insert_block(block, 0)
        return _located(BlockHandle(block, parent.context), arg_locs)

    def create_before(self, *arg_types: Type, arg_locs: Sequence[Location] | None = None) -> BlockHandle:
        """A new block in front of this one."""
        return self._beside(arg_types, arg_locs, 0)

    def create_after(self, *arg_types: Type, arg_locs: Sequence[Location] | None = None) -> BlockHandle:
        """A new block behind this one."""
        return self._beside(arg_types, arg_locs, 1)

    def _beside(
        self, arg_types: Sequence[Type], arg_locs: Sequence[Location] | None, offset: int
    ) -> BlockHandle:
        region = self._block.parent_region()
        if region is None:
            raise ValueError("the block is not in a region")
        block = XdslBlock(arg_types=[one.xdsl for one in arg_types])
        region.insert_block(block, region.get_block_index(self._block) + offset)
        return _located(BlockHandle(block, self.context), arg_locs)

    @property
    def arguments(self) -> OpResultList:
        return OpResultList([wrap_value(one, self.context) for one in self._block.args])

    def add_argument(self, type: Type, loc: Location) -> ValueHandle:
        """One more argument."""
        argument = self._block.insert_arg(type.xdsl, len(self._block.args))
        argument.location = loc.xdsl
        return wrap_value(argument, self.context)

    def erase_argument(self, index: int) -> None:
        self._block.erase_arg(self._block.args[index])

    @property
    def operations(self) -> OperationList:
        return OperationList(self)

    @property
    def owner(self) -> Any:
        """The operation that it is in."""
        parent = self._block.parent_op()
        return None if parent is None else OperationHandle.wrapping(parent, self.context).opview

    @property
    def region(self) -> RegionHandle:
        region = self._block.parent_region()
        if region is None:
            raise ValueError("the block is not in a region")
        return RegionHandle(region, self.context)

    def append(self, operation: OperationHandle | OpView) -> None:
        """Put an operation at the end, taking it out of where it is."""
        moved = operation.operation.xdsl
        if moved.parent is not None:
            _detach(moved)
        self._block.add_op(moved)

    def handle_of(self, operation: XdslOperation) -> OperationHandle:
        """A handle of an operation in here."""
        return OperationHandle.wrapping(operation, self.context)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.operations)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BlockHandle) and other._block is self._block

    def __hash__(self) -> int:
        return id(self._block)

    def __str__(self) -> str:
        return "\n".join(str(operation) for operation in self)


Block = BlockHandle


class OperationList:
    """The operations of a block, as views."""

    def __init__(self, block: BlockHandle) -> None:
        self._block = block

    def __iter__(self) -> Iterator[Any]:
        for operation in list(self._block.xdsl.ops):
            yield self._block.handle_of(operation).opview

    def __len__(self) -> int:
        return len(list(self._block.xdsl.ops))

    def __getitem__(self, index: int) -> Any:
        return self._block.handle_of(list(self._block.xdsl.ops)[index]).opview


@known_as("Region")
class RegionHandle:
    """A list of blocks."""

    def __init__(self, region: XdslRegion, context: Context) -> None:
        self._region = region
        self.context = context

    @property
    def xdsl(self) -> XdslRegion:
        """The region as xDSL has it."""
        return self._region

    @property
    def blocks(self) -> BlockList:
        return BlockList(self)

    @property
    def owner(self) -> Any:
        """The operation that it is of."""
        parent = self._region.parent
        return None if parent is None else OperationHandle.wrapping(parent, self.context).opview

    def __iter__(self) -> Iterator[BlockHandle]:
        return iter(self.blocks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RegionHandle) and other._region is self._region

    def __hash__(self) -> int:
        return id(self._region)


Region = RegionHandle


class BlockList(_Bounded):
    """The blocks of a region."""

    def __init__(self, region: RegionHandle) -> None:
        super().__init__([BlockHandle(block, region.context) for block in region.xdsl.blocks])
        self._region = region

    def append(self, *args: Type, arg_locs: Sequence[Location] | None = None) -> BlockHandle:
        """A new last block with arguments of these types."""
        block = XdslBlock(arg_types=[one.xdsl for one in args])
        self._region.xdsl.add_block(block)
        return _located(BlockHandle(block, self._region.context), arg_locs)


def _located(block: BlockHandle, places: Sequence[Location] | None) -> BlockHandle:
    for argument, place in zip(block.xdsl.args, places or (), strict=False):
        argument.location = place.xdsl
    return block


def wrap_value(value: SSAValue, context: Context) -> ValueHandle:
    """A handle of a value of xDSL, of the class that it has in the bindings."""
    kind = OpResult if isinstance(value, XdslOpResult) else BlockArgument
    return kind.wrapping(value, context)


def value_of(value: Any) -> SSAValue:
    """The value that is meant: itself, or the only result of an operation."""
    match value:
        case ValueHandle():
            return value._value
        case OperationHandle() | OpView():
            return value.result._value  # type: ignore[no-any-return]
        case SSAValue():
            return value
    if isinstance(value, Sequence) and len(value) == 1:
        return value_of(value[0])
    raise TypeError(f"expected a value, or an operation with one result, got {value!r}")


def _detach(operation: Any) -> None:
    operation.detach()


def _insert(operation: OperationHandle, point: InsertionPoint | bool | None) -> None:
    target = current_insertion_point() if point is None else point
    if isinstance(target, InsertionPoint):
        target.insert(operation)


def _walk(
    operation: XdslOperation,
    callback: Callable[[OperationHandle], WalkResult],
    order: WalkOrder,
    context: Context,
) -> WalkResult:
    if order is WalkOrder.PRE_ORDER:
        result = callback(OperationHandle.wrapping(operation, context))
        if result is WalkResult.INTERRUPT:
            return result
        if result is WalkResult.SKIP:
            return WalkResult.ADVANCE
    for region in operation.regions:
        for block in region.blocks:
            for inner in list(block.ops):
                if _walk(inner, callback, order, context) is WalkResult.INTERRUPT:
                    return WalkResult.INTERRUPT
    if order is WalkOrder.POST_ORDER:
        return callback(OperationHandle.wrapping(operation, context))
    return WalkResult.ADVANCE


class InsertionPoint(Scoped):
    """Where new operations go: at the end of a block, or before an operation. ``with`` makes it the current one."""

    current: ClassVar[CurrentInsertionPoint]

    def __init__(self, beforeOperation: OperationHandle | OpView | BlockHandle) -> None:
        if isinstance(beforeOperation, BlockHandle):
            self._block, self._before = beforeOperation, None
        else:
            operation = beforeOperation.operation
            block = operation.block
            if block is None:
                raise ValueError("Expected a parent block, but the operation is in none")
            self._block, self._before = block, operation
        self.context = self._block.context

    @staticmethod
    def at_block_begin(block: BlockHandle) -> InsertionPoint:
        """Before the first operation of a block."""
        first = next(iter(block.operations), None)
        return InsertionPoint(block if first is None else first)

    @staticmethod
    def at_block_terminator(block: BlockHandle) -> InsertionPoint:
        """Before the last operation of a block, which must be a terminator."""
        last = block.xdsl.last_op
        if last is None or not last.has_trait(IsTerminator, value_if_unregistered=True):
            raise ValueError("Block has no terminator")
        point = InsertionPoint(block)
        point._before = block.operations[-1].operation
        return point

    @staticmethod
    def after(operation: OperationHandle | OpView) -> InsertionPoint:
        """After an operation."""
        following = operation.operation.xdsl.next_op
        block = operation.operation.block
        if block is None:
            raise ValueError("Expected a parent block, but the operation is in none")
        point = InsertionPoint(block)
        if following is not None:
            point._before = block.handle_of(following)
        return point

    @property
    def block(self) -> BlockHandle:
        """The block it is in."""
        return self._block

    @property
    def ref_operation(self) -> OperationHandle | None:
        """The operation that new ones go before; None at the end of the block."""
        return self._before

    def insert(self, operation: OperationHandle | OpView) -> None:
        """Put an operation that is in no block here."""
        inserted = operation.operation.xdsl
        if inserted.parent is not None:
            raise ValueError(
                "Attempt to insert operation that has already been inserted: detach it first with "
                "detach_from_parent()"
            )
        if self._before is None:
            self._block.xdsl.add_op(inserted)
        else:
            self._block.xdsl.insert_op_before(inserted, self._before.xdsl)


def current_insertion_point() -> InsertionPoint | None:
    """The insertion point that was entered last, unless another context was entered since."""
    context = current_context()
    for entered in innermost_first():
        if entered.context is not context:
            break
        if isinstance(entered, InsertionPoint):
            return entered
    return None


class CurrentInsertionPoint:
    """``InsertionPoint.current``."""

    def __get__(self, instance: object, owner: type | None = None) -> InsertionPoint:
        point = current_insertion_point()
        if point is None:
            raise ValueError("No current InsertionPoint")
        return point


InsertionPoint.current = CurrentInsertionPoint()
