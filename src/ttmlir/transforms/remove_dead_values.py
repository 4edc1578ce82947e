"""``remove-dead-values``: values on which no result of a public function and no effect depends are not computed."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ttmlir.transforms.greedy import erase_unused, has_no_effect
from ttmlir.transforms.symbols import SymbolUses, is_private


@dataclass(frozen=True)
class RemoveDeadValues(ModulePass):
    """Erase unused operations without an effect, and unused arguments and results of private functions.

    Expects: any module. Guarantees: no unused ``tensor.empty``, ``ttnn.empty`` or other operation without an effect.
    Operations that may have an effect stay even if unused: that is every other operation of TTIR and TTNN. Public
    functions keep their types.
    """

    name = "remove-dead-values"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = _private_functions(op)
        if functions:
            _Liveness(op, functions).shorten_signatures()
        erase_unused(op)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Private:
    """A private function to which only calls refer, and these calls."""

    function: FuncOp
    calls: list[CallOp]


def _private_functions(module: ModuleOp) -> dict[str, _Private]:
    functions = {
        op.sym_name.data: _Private(function=op, calls=[])
        for op in module.body.ops
        if isinstance(op, FuncOp) and is_private(op) and len(op.body.blocks) == 1
    }
    if not functions:
        return functions
    symbols = SymbolUses()
    for op in module.walk():
        if isinstance(op, CallOp):
            called = functions.get(op.callee.root_reference.data)
            if called is not None:
                called.calls.append(op)
        elif not isinstance(op, FuncOp | ModuleOp):
            for name in symbols.of_one(op):
                functions.pop(name, None)  # another operation than a call refers to it
    return {name: private for name, private in functions.items() if private.calls}


class _Liveness:
    """The live values: those on which an effect or a result of a public function depends.

    Arguments and results of private functions are live if the function or its calls need them.
    """

    def __init__(self, module: ModuleOp, functions: dict[str, _Private]) -> None:
        self._functions = functions
        self._live: set[SSAValue] = set()
        waiting: list[SSAValue] = []
        for op in module.walk():
            if self._is_root(op):
                waiting.extend(op.operands)
        while waiting:
            value = waiting.pop()
            if value not in self._live:
                self._live.add(value)
                waiting.extend(self._needed_for(value))

    def _is_root(self, op: Operation) -> bool:
        if isinstance(op, CallOp):
            return op.callee.root_reference.data not in self._functions
        if isinstance(op, ReturnOp):
            return self._private_around(op) is None
        return not has_no_effect(op)

    def _private_around(self, op: Operation) -> _Private | None:
        function = op.parent_op()
        if not isinstance(function, FuncOp):
            return None
        private = self._functions.get(function.sym_name.data)
        return private if private is not None and private.function is function else None

    def _needed_for(self, value: SSAValue) -> list[SSAValue]:
        owner = value.owner
        if not isinstance(owner, Operation):
            function = owner.parent_op()
            private = self._functions.get(function.sym_name.data) if isinstance(function, FuncOp) else None
            if private is None or private.function is not function:
                return []
            return [call.operands[_index_of(value)] for call in private.calls]
        if isinstance(owner, CallOp):
            called = self._functions.get(owner.callee.root_reference.data)
            if called is not None:
                return [_return_of(called.function).operands[_index_of(value)]]
        return list(owner.operands)

    def shorten_signatures(self) -> None:
        """Remove dead arguments and results from private functions and their calls."""
        dead_arguments = {
            name: [
                index
                for index, value in enumerate(private.function.body.block.args)
                if value not in self._live
            ]
            for name, private in self._functions.items()
        }
        dead_results = {
            name: [
                index
                for index in range(len(private.function.function_type.outputs))
                if not any(call.results[index] in self._live for call in private.calls)
            ]
            for name, private in self._functions.items()
        }
        for name, private in self._functions.items():
            _drop_results(private, dead_results[name])
        for name, private in self._functions.items():
            _drop_arguments(private, dead_arguments[name])


def _index_of(value: SSAValue) -> int:
    index = getattr(value, "index", None)
    assert isinstance(index, int)
    return index


def _return_of(function: FuncOp) -> Operation:
    last = function.body.block.last_op
    assert last is not None
    return last


def _drop_results(private: _Private, dead: list[int]) -> None:
    if not dead:
        return
    function = private.function
    returned = _return_of(function)
    returned.operands = [value for index, value in enumerate(returned.operands) if index not in dead]
    signature = function.function_type
    outputs = [type for index, type in enumerate(signature.outputs) if index not in dead]
    function.function_type = FunctionType.from_lists(list(signature.inputs), outputs)
    for position, call in enumerate(private.calls):
        block = call.parent
        assert block is not None
        shorter = CallOp(call.callee, list(call.operands), outputs)
        shorter.attributes.update(call.attributes)
        shorter.location = call.location
        block.insert_op_before(shorter, call)
        kept = [result for index, result in enumerate(call.results) if index not in dead]
        for old, new in zip(kept, shorter.results, strict=True):
            old.replace_all_uses_with(new)
        private.calls[position] = shorter
        Rewriter.erase_op(call, safe_erase=False)


def _drop_arguments(private: _Private, dead: list[int]) -> None:
    function = private.function
    # An operation on a dead argument is dead itself, and is erased with it.
    erase_unused(function)
    block = function.body.block
    dead = [index for index in dead if block.args[index].first_use is None]
    if not dead:
        return
    for index in reversed(dead):
        block.erase_arg(block.args[index])
    signature = function.function_type
    inputs = [type for index, type in enumerate(signature.inputs) if index not in dead]
    function.function_type = FunctionType.from_lists(inputs, list(signature.outputs))
    for call in private.calls:
        call.operands = [value for index, value in enumerate(call.operands) if index not in dead]
