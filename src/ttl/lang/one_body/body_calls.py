"""Calls of a body: the functions they call, their results, and the threads of their statements."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from types import MethodType, ModuleType
from typing import Any

from ttl.lang import debug, extern, grid, kernels
from ttl.lang.copy import copy, wait_any
from ttl.lang.devices import DeviceDomain
from ttl.lang.distributed import distribute
from ttl.lang.elements import copy_tensor_page, raw_element_read, raw_element_write, read_index
from ttl.lang.extern_calls import KINDS
from ttl.lang.making_buffers import (
    make_dataflow_buffer_like,
    make_dfb,
    make_dfb_allocation_group,
    make_tensor_backed_dfb,
)
from ttl.lang.older_functions import OlderProgram
from ttl.lang.one_body.expressions import COMPUTED, METHODS, NUMBER, Expressions, shortened
from ttl.lang.one_body.names import MISSING, ComposedOperation
from ttl.lang.one_body.threads import ThreadCell
from ttl.lang.one_body.values import (
    ANY,
    PLAIN,
    Collected,
    LocalFunction,
    Method,
    OfBuffer,
    OfNet,
    OfSemaphore,
    OfTensor,
    OutsideObject,
    PipeEnd,
    PlainValue,
    ThreadValue,
    Value,
    Values,
    members,
)
from ttl.lang.operation import Operation
from ttl.lang.pipe import Pipe, PipeNet
from ttl.lang.resets import reset_all_dfbs, reset_dfbs
from ttl.lang.semaphore import Semaphore
from ttl.lang.transfers import GroupTransfer
from ttl.lang.unrolling import static_range
from ttl.rules import composition
from ttl.rules import one_body as rules
from ttl.rules.external import no_thread

_TRANSFER = "a transfer"
_ELEMENT = "an element that is read"
_ANSWER = "what C++ gives"
_MAKERS = (make_dataflow_buffer_like, make_dfb, make_tensor_backed_dfb)
_FIRST = "which receive is complete first"
_ELEMENTS = (raw_element_read, raw_element_write, read_index)
# The modules of the functions over blocks, with their current and older names.
_OF_BLOCKS = frozenset({"ttl.math", "ttl.block", "ttl.lang.older_functions", "ttl"})
_SHARED = (grid.node, grid.grid_size, debug.signpost, static_range)
_PURE = frozenset(
    {
        "abs", "all", "any", "bin", "bool", "callable", "chr", "complex", "dict", "divmod", "enumerate", "filter", "float",
        "format", "frozenset", "getattr", "hasattr", "hex", "int", "isinstance", "iter", "len", "list", "map", "max", "min",
        "next", "oct", "ord", "pow", "range", "repr", "reversed", "round", "set", "slice", "sorted", "str", "sum", "tuple",
        "type", "zip",
    }
)  # fmt: skip
_ADDING = frozenset({"append", "add", "extend", "insert", "update", "setdefault", "appendleft"})
DEEPEST = 12
"""The deepest nesting of calls."""
Run = Callable[[LocalFunction, list[Values], dict[str, Values], ast.AST], Values]
Compose = Callable[[ComposedOperation, ast.Call], None]


class BodyCalls:
    """The values of calls. ``run`` reads functions of the program, ``compose`` operations that are called."""

    def __init__(self, expressions: Expressions, run: Run, compose: Compose) -> None:
        self._expressions = expressions
        self._run = run
        self._compose = compose
        self.of_operations = 0
        """The number of calls of operations so far."""
        self._ends: dict[tuple[object, str], ThreadCell] = {}

    def of(self, node: ast.Call) -> Values:
        """Return the possible results of a call, and put its statement on the thread of the call."""
        function = node.func
        if isinstance(function, ast.Attribute):
            owners = _called(self._expressions.of(function.value), function.attr)
            callees: Values = frozenset(
                value
                for owner in owners
                for value in (
                    self._expressions.attribute(frozenset({owner}), function.attr)
                    if isinstance(owner, OutsideObject)
                    else [Method(frozenset({owner}), function.attr)]
                )
            )
        else:
            callees = self._expressions.of(function)
        arguments = [self._expressions.of(argument) for argument in node.args]
        keywords = {keyword.arg or "**": self._expressions.of(keyword.value) for keyword in node.keywords}
        result: set[Value] = set()
        for callee in callees:
            match callee:
                case OutsideObject(value=value):
                    result |= self._call_known(value, node, arguments, keywords)
                case Method(receivers=receivers, name=name):
                    for receiver in receivers:
                        if isinstance(receiver, OfBuffer):
                            alone = len(callees) == 1 and not receiver.several
                            result |= self._of_buffer(receiver, name, node, keywords, alone=alone)
                        else:
                            result |= self._call_method(receiver, name, node, arguments, keywords)
                case LocalFunction(receiver=None):
                    result |= self._run(callee, arguments, keywords, node)
                case LocalFunction(receiver=receiver):
                    result |= self._run(callee, [receiver or ANY, *arguments], keywords, node)
                case _:
                    self._unknown(node)
                    result.add(PLAIN)
        return frozenset(result) or ANY

    def _unknown(self, node: ast.Call) -> None:
        self._expressions.report(rules.unknown_call(shortened(ast.unparse(node.func))), node)

    def _call_known(
        self, value: Any, node: ast.Call, arguments: list[Values], keywords: dict[str, Values]
    ) -> Values:
        given = frozenset[Value]().union(*arguments, *keywords.values())
        if value is kernels.compute or value is kernels.datamovement or value is OlderProgram:
            self._expressions.is_divided = True
            return ANY
        if value is copy:
            return self._copy(node, arguments, keywords)
        if value is copy_tensor_page:
            self._expressions.use(given)
            target = keywords.get("block", arguments[2] if len(arguments) > 2 else ANY)
            return self._copy(node, [*arguments[:1], target], {"src": keywords.get("tensor", ANY)})
        if any(value is function for function in _ELEMENTS):
            self._expressions.anchor("data movement", node)
            self._expressions.use(given)
            return self._expressions.held(node, _ELEMENT)
        if value is wait_any:
            self._expressions.anchor("data movement", node)
            self._expressions.use(given)
            return self._expressions.held(node, _FIRST)
        if value is distribute:  # copies from and to it are copies of the tensor
            return keywords.get("tensor", arguments[0] if arguments else ANY)
        if value is GroupTransfer:
            self._expressions.anchor("data movement", node)
            return self._expressions.held(node, _TRANSFER)
        if any(value is maker for maker in _MAKERS):
            leaf = self._expressions.leaf
            leaf.constructs = node
            in_loop = any(isinstance(head.node, ast.For | ast.While) for head in leaf.heads)
            several = in_loop or self._expressions.repeats > 0
            place = (self._expressions.context, id(node))
            return frozenset({self._expressions.made(lambda: OfBuffer(place, several), node)})
        if value is reset_dfbs or value is reset_all_dfbs:
            self._expressions.leaf.everywhere = True
            return ANY
        if value is extern.call_extern_func:
            return self._extern(node, keywords)
        if any(value is plain for plain in extern.PLAIN):
            return given if value is extern.raw_addr else ANY
        if value is PipeNet:
            self._expressions.leaf.constructs = node
            return frozenset(
                {self._expressions.made(lambda: OfNet((self._expressions.context, id(node))), node)}
            )
        if value is Semaphore:
            self._expressions.leaf.constructs = node
            return frozenset({self._expressions.made(OfSemaphore, node)})
        if value is Pipe or value is make_dfb_allocation_group:
            return ANY
        if getattr(value, "__module__", None) == DeviceDomain.__module__ or value is Pipe.pairwise:
            of_node = getattr(value, "__func__", None) in (
                DeviceDomain.current_index,
                DeviceDomain.is_current,
            )
            self._expressions.leaf.of_node |= of_node
            return ANY
        if any(value is shared for shared in _SHARED):
            self._expressions.leaf.of_node |= value is grid.node
            return ANY
        if isinstance(value, Operation):
            self.of_operations += 1
            called = self._expressions.frame.defined.names.operation(value)
            if called is None:
                self._unknown(node)
            elif len(self._expressions.of(node.func)) > 1:
                self._expressions.report(composition.which(), node)
            else:
                self._compose(called, node)
            return ANY
        module = getattr(value, "__module__", None) or ""
        if module in _OF_BLOCKS and not isinstance(value, type | ModuleType):
            self._expressions.anchor("compute", node)
            self._expressions.use(given)
            return self._expressions.held(node, COMPUTED)
        if value is print:
            self._expressions.use(given)
            tensors = {item.tensor for item in given if isinstance(item, OfTensor)}
            if tensors:  # its data depend on the order of the transfers that access it
                self._expressions.anchor("data movement", node, "read")
                self._expressions.leaf.cell.root.reads |= tensors
            elif not any(isinstance(item, ThreadValue) for item in given):
                self._expressions.leaf.effect = node
            return ANY
        name = getattr(value, "__name__", "")
        if module == "builtins" and name in _PURE and getattr(builtins, name, None) is value:
            return self._pure(node, arguments, given)
        defined = self._expressions.frame.defined.names.function(value)
        if defined is not None:
            around: LocalFunction = self._expressions.made(
                lambda: LocalFunction(defined, None), node, id(value)
            )
            receiver = value.__self__ if isinstance(value, MethodType) else MISSING
            if receiver is not MISSING:
                arguments = [frozenset({self._expressions.lifted(receiver)}), *arguments]
            return self._run(around, arguments, keywords, node)
        if self._expressions.frame.defined.names.is_library(value):
            return self._pure(node, arguments, given)
        if self._expressions.frame.defined.names.is_class(value):
            return self._object(value, node, arguments, keywords, given)
        self._unknown(node)
        return ANY

    def _extern(self, node: ast.Call, keywords: dict[str, Values]) -> Values:
        """A call of the user's C++, on the thread that it names. It may read and write the tensors that it gets."""
        if not self._selects(node, keywords):
            self._expressions.report(no_thread(shortened(ast.unparse(node.func))), node)
        tensors = {
            item.tensor for item in members(keywords.get("func_args", ANY)) if isinstance(item, OfTensor)
        }
        self._expressions.leaf.cell.root.writes |= tensors
        gives = keywords.keys() & {"result_type", "condition_result"}
        return self._expressions.held(node, _ANSWER) if gives else ANY

    def _selects(self, node: ast.Call, keywords: dict[str, Values]) -> bool:
        """Put a statement on the thread that ``kernel=`` names; False if it names no thread, or several."""
        values = keywords.get("kernel", frozenset())
        kinds = {
            getattr(item.value, "kind", item.value) if isinstance(item, OutsideObject) else None
            for item in values
        }
        kind = KINDS.get(kinds.pop()) if len(kinds) == 1 else None
        if kind is not None:
            self._expressions.anchor(kind, node)
        return kind is not None

    def _pure(self, node: ast.Call, arguments: list[Values], given: Values) -> Values:
        """Call a function that only computes numbers, or puts its arguments into a container."""
        self._expressions.use(given)
        for argument in given:
            if isinstance(argument, LocalFunction):
                self._run(argument, [ANY] * len(argument.defined.node.args.args), {}, node)
        inner = frozenset(item for item in members(given) if not isinstance(item, PlainValue))
        if not inner:
            return ANY
        container: Collected = self._expressions.made(Collected, node)
        container.values |= inner
        return frozenset({container}) | ANY

    def _object(
        self,
        kind: type,
        node: ast.Call,
        arguments: list[Values],
        keywords: dict[str, Values],
        given: Values,
    ) -> Values:
        """An object of a class of the program."""
        container: Collected = self._expressions.made(Collected, node)
        container.kind = kind
        container.values |= given
        begin = self._expressions.method_of(container, "__init__")
        if begin is not None:
            method: LocalFunction = self._expressions.made(lambda: LocalFunction(begin, None), node, "init")
            self._run(method, [frozenset({container}), *arguments], keywords, node)
        return frozenset({container})

    def _call_method(
        self,
        receiver: Value,
        name: str,
        node: ast.Call,
        arguments: list[Values],
        keywords: dict[str, Values],
    ) -> Values:
        given = frozenset[Value]().union(*arguments, *keywords.values())
        match receiver:
            case ThreadValue(is_block=True) if name == "store":
                self._expressions.anchor("compute", node)
                self._expressions.use(given | {receiver})
                return ANY
            case ThreadValue():
                if name not in ("push", "pop") or not self._selects(node, keywords):
                    self._require_no_selector(name, node, keywords)
                self._expressions.use(given | {receiver})
                return ANY if name in METHODS else self._expressions.held(node, NUMBER)
            case OfNet(place=net) if name in ("if_src", "if_dst"):
                sends = name == "if_src"
                self._expressions.anchor("data movement", node)
                cell = self._expressions.leaf.cell.root
                cell.nets.add(net)
                end: PipeEnd = self._expressions.made(lambda: PipeEnd(net, sends), node)
                for function in given:
                    if isinstance(function, LocalFunction):
                        self._run(function, [frozenset({end})], {}, node)
                    elif isinstance(function, OutsideObject):
                        self._call_known(function.value, node, [frozenset({end})], {})
                return ANY
            case OfTensor() if name == "shard":
                return frozenset({receiver})
            case OfSemaphore():
                if name.startswith("get_remote"):
                    return frozenset({receiver})
                self._expressions.anchor("data movement", node, "semaphore")
                self._expressions.use(given)
                return ANY
            case Collected():
                method = self._expressions.method_of(receiver, name)
                if method is not None:
                    bound: LocalFunction = self._expressions.made(
                        lambda: LocalFunction(method, None), node, name
                    )
                    return self._run(bound, [frozenset({receiver}), *arguments], keywords, node)
                if name in _ADDING:
                    receiver.values |= given | (members(given) if name in ("extend", "update") else set())
                    receiver.items = None
                    return ANY
                return frozenset(receiver.values) | ANY
            case OutsideObject() | LocalFunction() | Method():
                self._unknown(node)
                return ANY
        self._expressions.use(given)
        return ANY

    def _require_no_selector(self, name: str, node: ast.Call, keywords: dict[str, Values]) -> None:
        if "kernel" in keywords:
            self._expressions.report(rules.selector(name), node)

    def _of_buffer(
        self, buffer: OfBuffer, name: str, node: ast.Call, keywords: dict[str, Values], *, alone: bool
    ) -> Values:
        """Acquire or release a block. One kernel has each end of a buffer.

        ``alone``: the buffer is known, so that its blocks are on one thread.
        """
        self._require_no_selector(name, node, keywords)
        how = {
            "reserve": "reserve",
            "wait": "wait",
            "push": "reserve",
            "publish": "reserve",
            "pop": "wait",
        }.get(name)
        if how is None:
            self._unknown(node)
            return ANY
        end = self._ends.setdefault((buffer.place, how), self._expressions.new_cell())
        if name == "publish":
            self._expressions.anchor("data movement", node)
        if name in ("push", "pop", "publish"):
            self._expressions.leaf.tied = True
            self._expressions.threads.join(self._expressions.leaf.cell, end, rules.mixed)
            return ANY
        block: ThreadValue = self._expressions.made(
            lambda: ThreadValue(self._expressions.new_cell(), how, node, is_block=True), node
        )
        if not any(known is block for known, _ in self._expressions.blocks):
            self._expressions.blocks.append((block, self._expressions.frame.defined.file))
        if alone:
            self._expressions.threads.join(
                end, block.cell, self._expressions.in_helper(self._expressions.conflict(block))
            )
        self._expressions.leaf.tied = True
        self._expressions.threads.join(
            self._expressions.leaf.cell,
            block.cell,
            self._expressions.in_helper(self._expressions.conflict(block)),
        )
        return frozenset({block})

    def _copy(self, node: ast.Call, arguments: list[Values], keywords: dict[str, Values]) -> Values:
        self._expressions.anchor("data movement", node)
        source = arguments[0] if arguments else keywords.get("src", ANY)
        target = arguments[1] if len(arguments) > 1 else keywords.get("dst", ANY)
        self._expressions.use(source | target)
        cell = self._expressions.leaf.cell.root
        for value in source:
            match value:
                case OfTensor(tensor=tensor):
                    cell.roles.add("read")
                    cell.reads.add(tensor)
                case PipeEnd():
                    cell.roles.add("receive")
        for value in target:
            match value:
                case OfTensor(tensor=tensor):
                    cell.roles.add("write")
                    cell.writes.add(tensor)
                case PipeEnd():
                    cell.roles.add("send")
        return self._expressions.held(node, _TRANSFER)


def _called(owners: Values, method: str) -> Values:
    """Return those possible values that have a method of the language, if there are any; else all."""
    known = frozenset(
        owner for owner in owners if isinstance(owner, OfBuffer | OfNet | OfSemaphore | ThreadValue)
    )
    return known if known and method in METHODS else owners
