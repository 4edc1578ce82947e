"""Operations, values, blocks and regions, under the names of MLIR's Python bindings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

from xdsl import ir
from xdsl.ir import SSAValue

from ttl.ir.parser import nowhere_in
from ttl.source.public_names import known_as
from ttmlir.bindings.attributes import as_attribute
from ttmlir.bindings.operation_base import (
    InsertionPlace,
    OperationBase,
    WalkOrder,
    WalkResult,
    detach,
    insert,
    walk,
)
from ttmlir.bindings.parsing import parse_module
from ttmlir.bindings.printing import value_name, value_text
from ttmlir.bindings.scope import (
    Attribute,
    Context,
    Location,
    Type,
    context_or_current,
    location_or_current,
    wrap_type,
)


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
        """The operation that defines the value, or the block of an argument."""
        if isinstance(self._value, ir.OpResult):
            return OperationHandle.wrapping(self._value.op, self.context)
        assert isinstance(self._value, ir.BlockArgument)
        return BlockHandle(self._value.block, self.context)

    @property
    def uses(self) -> Iterator[OpOperand]:
        """The uses of the value, the last one first as MLIR keeps them."""
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
        assert isinstance(self._value, ir.OpResult)
        return self._value.index


class BlockArgument(ValueHandle):
    """An argument of a block."""

    @property
    def arg_number(self) -> int:
        assert isinstance(self._value, ir.BlockArgument)
        return self._value.index


class OpOperand:
    """A use of a value: the operation that uses it, and the operand number."""

    def __init__(self, owner: OperationHandle, operand_number: int) -> None:
        self.owner = owner.opview
        self.operand_number = operand_number


class _Bounded(Sequence[Any]):
    """A list whose members are looked up in the operation at each access."""

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


class _OperationBase(OperationBase):
    """The properties and methods that an operation and its view have in common."""

    @property
    def operation(self) -> OperationHandle:
        raise NotImplementedError

    @property
    def context(self) -> Context:
        return self.operation._context

    @property
    def xdsl(self) -> ir.Operation:
        """The operation as xDSL has it."""
        return self.operation._operation

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
    def regions(self) -> _Bounded:
        return _Bounded([RegionHandle(one, self.context) for one in self.xdsl.regions])

    @property
    def successors(self) -> _Bounded:
        return _Bounded([BlockHandle(one, self.context) for one in self.xdsl.successors])

    @property
    def opview(self) -> Any:
        """The operation's view, of the class that its dialect defines."""
        return OpView.class_named(self.operation.name)(self.operation)

    def walk(
        self,
        callback: Callable[[OperationHandle], WalkResult],
        walk_order: WalkOrder = WalkOrder.POST_ORDER,
    ) -> None:
        """Call ``callback`` with the operation and those nested in it."""
        context = self.context
        walk(self.xdsl, lambda op: callback(OperationHandle.wrapping(op, context)), walk_order)

    def detach_from_parent(self) -> Any:
        """Take it out of its block."""
        if self.xdsl.parent is None:
            raise ValueError("Detached operation has no parent.")
        detach(self.xdsl)
        return self.opview

    def clone(self, ip: InsertionPlace | None = None) -> Any:
        """A copy of it, with the same operands."""
        copied = OperationHandle.wrapping(self.xdsl.clone(), self.context)
        insert(copied, ip)
        return copied.opview


@known_as("Operation")
class OperationHandle(_OperationBase):
    """An operation of any kind. ``OperationHandle.create`` makes one, ``opview`` is its view of its own class."""

    _operation: ir.Operation
    _context: Context

    @classmethod
    def wrapping(cls, operation: ir.Operation, context: Context) -> OperationHandle:
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

    @staticmethod
    def create(
        name: str,
        results: Sequence[Type] | None = None,
        operands: Sequence[ValueHandle | OperationHandle | OpView] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        successors: Sequence[BlockHandle] | None = None,
        regions: int = 0,
        loc: Location | None = None,
        ip: InsertionPlace | bool | None = None,
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
            regions=[ir.Region() for _ in range(regions)],
            location=place.xdsl,
        )
        handle = OperationHandle.wrapping(operation, context)
        insert(handle, ip)
        return handle.opview if known else handle

    @staticmethod
    def parse(source: str, *, source_name: str = "-", context: Context | None = None) -> Any:
        """Parse a text, and return its only operation, or a module of its operations. Raises ``MLIRError``."""
        known = context_or_current(context)
        module = parse_module(source, known, source_name)
        operations = list(module.body.block.ops)
        if module.location != nowhere_in(source_name) or len(operations) != 1:
            return OperationHandle.wrapping(module, known).opview
        detach(operations[0])
        return OperationHandle.wrapping(operations[0], known).opview


Operation = OperationHandle


class OpView(_OperationBase):
    """The view of an operation that its dialect gives: its operands and attributes by name."""

    OPERATION_NAME: ClassVar[str] = ""
    # Returns the class of the views of operations by name; ``ttmlir.bindings.modules`` sets it.
    class_named: ClassVar[Callable[[str], type[OpView]]] = staticmethod(lambda name: OpView)

    def __init__(self, operation: OperationHandle) -> None:
        self._view_of = operation.operation

    def _write(self, operation: ir.Operation, place: Location, point: InsertionPlace | bool | None) -> None:
        """Become the view of a new operation, and insert it at a place in a block."""
        operation.location = place.xdsl
        self._view_of = OperationHandle.wrapping(operation, place.context)
        insert(self._view_of, point)

    @property
    def operation(self) -> OperationHandle:
        return self._view_of

    def __repr__(self) -> str:
        return str(self)


@known_as("Block")
class BlockHandle:
    """A list of operations with arguments."""

    def __init__(self, block: ir.Block, context: Context) -> None:
        self._block = block
        self.context = context

    @property
    def xdsl(self) -> ir.Block:
        """The block as xDSL has it."""
        return self._block

    @staticmethod
    def create_at_start(
        parent: RegionHandle, arg_types: Sequence[Type] = (), arg_locs: Sequence[Location] | None = None
    ) -> BlockHandle:
        """A new first block of a region."""
        block = ir.Block(arg_types=[one.xdsl for one in arg_types])
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
        block = ir.Block(arg_types=[one.xdsl for one in arg_types])
        region.insert_block(block, region.get_block_index(self._block) + offset)
        return _located(BlockHandle(block, self.context), arg_locs)

    @property
    def arguments(self) -> OpResultList:
        return OpResultList([wrap_value(one, self.context) for one in self._block.args])

    def add_argument(self, type: Type, loc: Location) -> ValueHandle:
        """Add an argument."""
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
        """The operation that contains the block, or None."""
        parent = self._block.parent_op()
        return None if parent is None else OperationHandle.wrapping(parent, self.context).opview

    @property
    def region(self) -> RegionHandle:
        region = self._block.parent_region()
        if region is None:
            raise ValueError("the block is not in a region")
        return RegionHandle(region, self.context)

    def append(self, operation: OperationHandle | OpView) -> None:
        """Move an operation to the end of the block."""
        moved = operation.operation.xdsl
        if moved.parent is not None:
            detach(moved)
        self._block.add_op(moved)

    def handle_of(self, operation: ir.Operation) -> OperationHandle:
        """Return a handle of an operation in this block."""
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

    def __init__(self, region: ir.Region, context: Context) -> None:
        self._region = region
        self.context = context

    @property
    def xdsl(self) -> ir.Region:
        """The region as xDSL has it."""
        return self._region

    @property
    def blocks(self) -> BlockList:
        return BlockList(self)

    @property
    def owner(self) -> Any:
        """The operation that contains the region, or None."""
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
        """Append a block with arguments of these types."""
        block = ir.Block(arg_types=[one.xdsl for one in args])
        self._region.xdsl.add_block(block)
        return _located(BlockHandle(block, self._region.context), arg_locs)


def _located(block: BlockHandle, places: Sequence[Location] | None) -> BlockHandle:
    for argument, place in zip(block.xdsl.args, places or (), strict=False):
        argument.location = place.xdsl
    return block


def wrap_value(value: SSAValue, context: Context) -> ValueHandle:
    """Return a handle of an xDSL value, of its class in the bindings."""
    kind = OpResult if isinstance(value, ir.OpResult) else BlockArgument
    return kind.wrapping(value, context)


def value_of(value: Any) -> SSAValue:
    """Return the value itself, or the only result if the argument is an operation."""
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
