"""``func``: functions, calls and returns."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects import func as xdsl_func
from xdsl.dialects.builtin import StringAttr as TextAttr
from xdsl.dialects.builtin import SymbolRefAttr as XdslSymbolRef
from xdsl.ir import Block as XdslBlock
from xdsl.ir import Region as XdslRegion

from ttmlir.bindings.attributes import ArrayAttr, DictAttr, FlatSymbolRefAttr, StringAttr, TypeAttr
from ttmlir.bindings.insertion import InsertionPoint
from ttmlir.bindings.operation_base import insert
from ttmlir.bindings.operations import (
    BlockHandle,
    OperationHandle,
    OpResultList,
    OpView,
    RegionHandle,
    value_of,
)
from ttmlir.bindings.scope import (
    Attribute,
    Location,
    Type,
    context_or_current,
    location_or_current,
    wrap_attribute,
    wrap_type,
)
from ttmlir.bindings.types import FunctionType


class FuncOp(OpView):
    """A function: ``func.func @name(...) -> ... {...}``."""

    OPERATION_NAME = "func.func"

    def __init__(
        self,
        name: str | StringAttr | OperationHandle,
        type: FunctionType | tuple[Sequence[Type], Sequence[Type]] | None = None,
        *,
        visibility: str | StringAttr | None = None,
        body_builder: Callable[[FuncOp], None] | None = None,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None:
        if isinstance(name, OperationHandle):
            super().__init__(name)
            return
        if type is None:
            raise TypeError("FuncOp() missing the argument 'type'")
        place = location_or_current(loc)
        of_type = type if isinstance(type, FunctionType) else FunctionType.get(*type, context=place.context)
        text = name if isinstance(name, str) else name.value
        visible = visibility.value if isinstance(visibility, StringAttr) else visibility
        operation = xdsl_func.FuncOp(
            text,
            of_type.xdsl,
            XdslRegion(),
            visible,
        )
        self._write(operation, place, ip)
        if body_builder is not None:
            block = self.add_entry_block()
            with InsertionPoint(block):
                body_builder(self)

    @property
    def _function(self) -> xdsl_func.FuncOp:
        operation = self.xdsl
        assert isinstance(operation, xdsl_func.FuncOp)
        return operation

    @property
    def name(self) -> StringAttr:
        """The name of the function."""
        return StringAttr.wrapping(self._function.sym_name, self.context)

    @property
    def type(self) -> FunctionType:
        return FunctionType.wrapping(self._function.function_type, self.context)

    @property
    def function_type(self) -> TypeAttr:
        return TypeAttr.get(self.type)

    @property
    def visibility(self) -> StringAttr | None:
        visible = self._function.sym_visibility
        return None if visible is None else StringAttr.wrapping(visible, self.context)

    @property
    def sym_name(self) -> StringAttr:
        return self.name

    @property
    def is_external(self) -> bool:
        """Whether it has no body."""
        return not self._function.body.blocks

    @property
    def body(self) -> RegionHandle:
        return RegionHandle(self._function.body, self.context)

    @property
    def entry_block(self) -> BlockHandle:
        if self.is_external:
            raise IndexError("External function does not have a body")
        return BlockHandle(self._function.body.blocks[0], self.context)

    @property
    def arguments(self) -> OpResultList:
        return self.entry_block.arguments

    def add_entry_block(self, arg_locs: Sequence[Location] | None = None) -> BlockHandle:
        """Give it a body: one block whose arguments have the types of its inputs."""
        if not self.is_external:
            raise IndexError("The function already has an entry block!")
        block = XdslBlock(arg_types=list(self._function.function_type.inputs.data))
        for index, argument in enumerate(block.args):
            argument.location = (self.location if arg_locs is None else arg_locs[index]).xdsl
        self._function.body.add_block(block)
        return BlockHandle(block, self.context)

    @property
    def arg_attrs(self) -> ArrayAttr:
        """A dictionary for each argument."""
        attributes = self._function.arg_attrs
        if attributes is None:
            return ArrayAttr.get([DictAttr.get({}, self.context) for _ in self.type.inputs], self.context)
        return ArrayAttr.wrapping(attributes, self.context)

    @arg_attrs.setter
    def arg_attrs(self, attributes: ArrayAttr | Sequence[Attribute]) -> None:
        array = attributes if isinstance(attributes, ArrayAttr) else ArrayAttr.get(attributes, self.context)
        self.xdsl.properties["arg_attrs"] = array.xdsl

    @classmethod
    def from_py_func(
        cls, *inputs: Type, results: Sequence[Type] | None = None, name: str | None = None
    ) -> Callable[[Callable[..., Any]], Any]:
        """A decorator that makes a ``FuncOp`` and calls the function once, with values of the types, to make its body.

        The values that the function returns are those of the ``func.return``. A parameter ``func_op`` receives the
        ``FuncOp``. The name of the function then stands for a function that makes a call of the ``FuncOp``, which is
        its attribute ``func_op``.
        """

        def decorate(written: Callable[..., Any]) -> Any:
            context = context_or_current(inputs[0].context if inputs else None)
            symbol = name or written.__name__
            known = [] if results is None else list(results)
            function = FuncOp(symbol, FunctionType.get(list(inputs), known, context=context))
            block = function.add_entry_block()
            with InsertionPoint(block):
                arguments = list(function.arguments)
                takes = inspect.signature(written).parameters
                extra = {"func_op": function} if "func_op" in takes else {}
                returned = written(*arguments, **extra)
                values = _returned(returned)
                if results is None:
                    types = [wrap_type(value.type, context) for value in values]
                    function._function.function_type = FunctionType.get(
                        list(inputs), types, context=context
                    ).xdsl
                last = block.xdsl.last_op
                if not isinstance(last, xdsl_func.ReturnOp):
                    operation = xdsl_func.ReturnOp(*values)
                    operation.location = location_or_current(None).xdsl
                    insert(OperationHandle.wrapping(operation, context), None)

            def call(*values: Any) -> Any:
                return CallOp(function, list(values))

            call.__name__ = written.__name__
            call.func_op = function  # type: ignore[attr-defined]
            return call

        return decorate


def _returned(returned: Any) -> list[Any]:
    if returned is None:
        return []
    if isinstance(returned, list | tuple | OpResultList):
        return [value_of(value) for value in returned]
    if isinstance(returned, OperationHandle | OpView):
        return [value_of(value) for value in returned.results]
    return [value_of(returned)]


class ReturnOp(OpView):
    """``return``."""

    OPERATION_NAME = "func.return"

    def __init__(
        self,
        operands_: Sequence[Any] | OperationHandle,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None:
        if isinstance(operands_, OperationHandle) and operands_.name == self.OPERATION_NAME:
            super().__init__(operands_)
            return
        place = location_or_current(loc)
        operation = xdsl_func.ReturnOp(*_returned(operands_))
        self._write(operation, place, ip)

    @property
    def operands_(self) -> Any:
        return self.operands


class CallOp(OpView):
    """``call @function(...)``: of a function's operation, or of a name with the result types."""

    OPERATION_NAME = "func.call"

    def __init__(
        self,
        calleeOrResults: Any,
        argumentsOrCallee: Any = None,
        arguments: Sequence[Any] | None = None,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None:
        if isinstance(calleeOrResults, OperationHandle):
            super().__init__(calleeOrResults)
            return
        place = location_or_current(loc)
        if isinstance(calleeOrResults, FuncOp):
            if arguments is not None:
                raise ValueError("unexpected third argument when constructing a call to a function")
            callee, operands = calleeOrResults.name.value, argumentsOrCallee or []
            results = calleeOrResults.type.results
        else:
            if isinstance(argumentsOrCallee, FlatSymbolRefAttr | str):
                callee = argumentsOrCallee if isinstance(argumentsOrCallee, str) else argumentsOrCallee.value
            else:
                raise ValueError("expected the name of the function as the second argument")
            operands, results = arguments or [], list(calleeOrResults)
        operation = xdsl_func.CallOp(
            XdslSymbolRef(TextAttr(callee)),
            [value_of(one) for one in operands],
            [one.xdsl for one in results],
        )
        self._write(operation, place, ip)

    @property
    def callee(self) -> FlatSymbolRefAttr:
        return FlatSymbolRefAttr(wrap_attribute(self.xdsl.properties["callee"], self.context))


WRITTEN = (FuncOp, ReturnOp, CallOp)
