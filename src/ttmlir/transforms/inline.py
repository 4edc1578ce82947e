"""``inline``: calls are replaced by the operations of the called function."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import LocationAttr, ModuleOp, UnknownLoc
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ttl.analysis.dominance import of_kinds
from ttl.ir.locations import CallLoc, as_location
from ttmlir.transforms.canonicalize import canonicalize
from ttmlir.transforms.symbols import SymbolUses, is_private


@dataclass(frozen=True)
class InlineCalls(ModulePass):
    """Replace calls by the bodies of the functions that they name, and erase private functions without references.

    Expects: calls whose types are those of the functions. Guarantees: every remaining call is recursive, or its
    function has no body in the module or a body of several blocks; every function is as ``canonicalize`` leaves it,
    also one without calls. Operations from another function have the location ``callsite(place there at place of the
    call)``.
    """

    name = "inline"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk()):
            if isinstance(inner, ModuleOp):
                _Inliner(ctx, op, inner).run()


class _Inliner:
    def __init__(self, context: Context, whole: ModuleOp, module: ModuleOp) -> None:
        self._context = context
        self._whole = whole
        self._module = module
        self._functions = {op.sym_name.data: op for op in module.body.ops if isinstance(op, FuncOp)}
        self._calls = {name: _calls_in(function) for name, function in self._functions.items()}
        # The number of references to each function, by calls and by other operations.
        self._uses = dict.fromkeys(self._functions, 0)

    def run(self) -> None:
        self._count_uses()
        order, recursive = _callees_first({name: _names(calls) for name, calls in self._calls.items()})
        for name in order:
            if name not in self._uses:
                continue  # it was erased, since it has no references
            function = self._functions[name]
            canonicalize(self._context, self._whole, function)
            inlined = [
                self._inline(call)
                for call in _calls_in(function)
                if call.callee.root_reference.data not in recursive
            ]
            if any(inlined):
                canonicalize(self._context, self._whole, function)
            self._erase_unused()

    def _count_uses(self) -> None:
        for calls in self._calls.values():
            for name in _names(calls):
                if name in self._uses:
                    self._uses[name] += 1
        symbols = SymbolUses()
        for op in self._module.walk():
            if not isinstance(op, CallOp | FuncOp | ModuleOp):
                for name in symbols.of_one(op):
                    if name in self._uses:
                        self._uses[name] += 1

    def _inline(self, call: CallOp) -> bool:
        """Replace a call by the body of its function; return whether that was possible."""
        name = call.callee.root_reference.data
        function = self._functions.get(name)
        if function is None or len(function.body.blocks) != 1:
            return False
        self._uses[name] -= 1
        if self._uses[name] or not is_private(function):
            function = function.clone()
        _move_body(function, call)
        return True

    def _erase_unused(self) -> None:
        worklist = [name for name, count in self._uses.items() if count == 0]
        while worklist:
            name = worklist.pop()
            function = self._functions[name]
            if name not in self._uses or not is_private(function) or not function.body.blocks:
                continue
            del self._uses[name]
            for called in _names(_calls_in(function)):
                if called in self._uses:
                    self._uses[called] -= 1
                    if self._uses[called] == 0:
                        worklist.append(called)
            Rewriter.erase_op(function, safe_erase=False)


def _calls_in(function: FuncOp) -> list[CallOp]:
    return of_kinds(function, CallOp)


def _names(calls: list[CallOp]) -> list[str]:
    return [call.callee.root_reference.data for call in calls]


def _callees_first(calls: dict[str, list[str]]) -> tuple[list[str], set[str]]:
    """Return the functions, each after those that it calls, and the set of functions that may be recursive."""
    order: list[str] = []
    done: set[str] = set()
    recursive: set[str] = set()
    for root in calls:
        path: list[str] = []
        # Functions, each with an iterator over its remaining calls; an explicit stack allows chains of any length.
        stack = [] if root in done else [(root, iter(calls[root]))]
        if stack:
            path.append(root)
        while stack:
            name, remaining = stack[-1]
            callee = next((other for other in remaining if other in calls and other not in done), None)
            if callee is None:
                stack.pop()
                path.pop()
                done.add(name)
                order.append(name)
            elif callee in path:
                recursive.update(path[path.index(callee) :])
            else:
                path.append(callee)
                stack.append((callee, iter(calls[callee])))
    return order, recursive


def _move_body(function: FuncOp, call: CallOp) -> None:
    """Replace a call by the operations of a function, which loses them."""
    body = function.body.block
    target = call.parent
    assert target is not None
    for argument, value in zip(body.args, call.operands, strict=True):
        argument.replace_all_uses_with(value)
    places: dict[LocationAttr, LocationAttr] = {}
    results: tuple[SSAValue, ...] = ()
    last = body.last_op
    for op in list(body.ops):
        if op is last:
            results = tuple(op.operands)
            Rewriter.erase_op(op)
            continue
        body.detach_op(op)
        _place_at_call(op, call.location, places)
        target.insert_op_before(op, call)
    for old, new in zip(call.results, results, strict=True):
        old.replace_all_uses_with(new)
    Rewriter.erase_op(call)


def _place_at_call(op: Operation, call: LocationAttr, places: dict[LocationAttr, LocationAttr]) -> None:
    if isinstance(call, UnknownLoc):
        return
    for inner in op.walk():
        place = inner.location
        if place not in places:
            places[place] = as_location(CallLoc((place, call)))
        inner.location = places[place]
