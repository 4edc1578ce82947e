"""Statements: each is evaluated by itself, so that one that cannot be compiled does not hide what is wrong with the next."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from typing import Any, ClassVar, Literal

from ttl.diag import TTLError
from ttl.dialects import ttl as ir
from ttl.frontend import library, refusals
from ttl.frontend.calls import Calls
from ttl.frontend.control import MOST_UNROLLED, RETURN, Signals, drop
from ttl.frontend.names import assigned, ends, has_choice, is_generator, reads, returns
from ttl.frontend.objects import TracedBlock, TracedSignpost
from ttl.frontend.scalars import Condition, both, either, negated
from ttl.frontend.stop import Lost, Poisoned, Reject, StaticNeeded, Undecided
from ttl.frontend.values import KernelFunction, Poison, UserFunction, sequential
from ttl.host.tensor import Tensor
from ttl.protocol.blocks import KernelKind
from ttl.rules import kernels as rules
from ttl.rules.expressions import item_assigned
from ttl.rules.labels import FIRST_KERNEL

# Methods that mean nothing without their parentheses.
_CALLED = frozenset({"push", "pop", "wait", "wait_all", "reserve"})
# Iterations of a ``while`` that is evaluated step by step before it is built as a loop of the IR.
_PEELED = 64


class Statements(Calls):
    """Evaluation of statements."""

    def block(self, body: list[ast.stmt]) -> Signals:
        """Evaluate statements in order; what follows one that may leave is evaluated under the condition that it did not."""
        left: Signals = {}
        for position, statement in enumerate(body):
            if isinstance(statement, ast.If) and ends(statement.body) is not ends(statement.orelse):
                # What follows belongs to the branch that goes on.
                return _joined(left, self.statement(statement, body[position + 1 :]))
            if has_choice(statement):
                decided = self._decided_by_need(statement, body[position + 1 :])
                if decided is not None:
                    return _joined(left, decided)
            if isinstance(statement, ast.If | ast.For) and self._may_lose(statement, body[position + 1 :]):
                return _joined(left, self._kept_alive(statement, body[position + 1 :]))
            signals = self.statement(statement)
            if not signals:
                continue
            if any(when is True for when in signals.values()):
                return _joined(left, signals)
            gone: Any = False
            for when in signals.values():
                gone = either(gone, when)
            left = _joined(left, signals)
            rest = body[position + 1 :]
            if rest:
                staying = negated(gone)
                more = self.guarded(staying, lambda rest=rest: self.block(rest))  # type: ignore[misc]
                left = _joined(
                    left,
                    {
                        name: both(staying, when) if when is not True else staying
                        for name, when in more.items()
                    },
                )
            return left
        return left

    def _decided_by_need(self, statement: ast.stmt, rest: list[ast.stmt]) -> Signals | None:
        """Evaluate a statement and what follows; where one of its conditional expressions has to be decided, for each
        decision. None where nothing of the kind is in the way of the usual course."""
        if self.tracer.kernel is None or statement in self.open_statements:
            return None
        before, last = self.snapshot(), self.builder.block.last_op
        self.open_statements.append(statement)
        try:
            return self.block([statement, *rest])
        except Undecided as undecided:
            chosen = undecided.expression
            self._drop_after(last)
            self.restore(before)
        finally:
            self.open_statements.remove(statement)
        self.place = chosen.test
        condition = self.truth(self.eval(chosen.test))

        def evaluated(decision: bool) -> Signals:
            self.decided[chosen] = decision
            try:
                return self.block([statement, *rest])
            finally:
                del self.decided[chosen]

        if not isinstance(condition, Condition):
            return evaluated(bool(condition))
        return self.branch(condition, lambda: evaluated(True), lambda: evaluated(False))

    def _may_lose(self, statement: ast.If | ast.For, rest: list[ast.stmt]) -> bool:
        """Whether what follows reads a name that a branch or loop assigns, which could be lost then."""
        if self.tracer.kernel is None or statement in self.open_statements or not rest:
            return False
        names = assigned(statement)
        return any(reads(each)[name] for each in rest for name in names)

    def _kept_alive(self, statement: ast.If | ast.For, rest: list[ast.stmt]) -> Signals:
        """Evaluate a branch or loop and what follows. Where that needs a value which is lost, evaluate what follows in
        both branches, or unroll the loop."""
        before, last = self.snapshot(), self.builder.block.last_op
        self.open_statements.append(statement)
        try:
            return self.block([statement, *rest])
        except Lost as lost:
            if lost.statement is not statement:
                raise
            self._drop_after(last)
            self.restore(before)
        finally:
            self.open_statements.remove(statement)
        if isinstance(statement, ast.If):
            return self.statement(statement, rest)
        self.unrolled.add(statement)
        try:
            return self.block([statement, *rest])
        finally:
            self.unrolled.discard(statement)

    def statement(self, statement: ast.stmt, rest: list[ast.stmt] | None = None) -> Signals:
        """Evaluate one statement. What is wrong with it is reported, and what it would have assigned is not known.

        ``rest`` is what follows an ``if`` of which one branch leaves: evaluated with it.
        """
        self.step()
        self.place = statement
        handler = self._STATEMENTS.get(type(statement))
        try:
            if handler is None:
                raise self._unsupported(statement)
            if rest is not None:
                assert isinstance(statement, ast.If)
                return self._if(statement, rest)
            return handler(self, statement) or {}
        except Reject as rejected:
            self.report(rejected.finding)
        except Poisoned:
            pass
        except TTLError as raised:
            for finding in raised.diagnostics:
                self.report(finding)
        except StaticNeeded as needed:
            if needed.loops & frozenset(self.builder.open_loops):
                raise
            finding = needed.finding or refusals.must_be_known(needed.what)
            self.report(finding.at(needed.span))
        self.failed = True
        for name in assigned(statement):
            (self.scope.holder(name) or self.scope).names[name] = Poison()
        if returns(statement):
            self.scope.names[RETURN] = Poison()
        return self.block(rest) if rest else {}

    # --- assignments ------------------------------------------------------------------------------------------

    def _assign(self, statement: ast.Assign) -> None:
        value = self._named_value(statement.targets[0], statement.value)
        if isinstance(statement.targets[0], ast.Name) and isinstance(value, list | tuple | dict):
            self.tracer.name_members(statement.targets[0].id, value)
        for target in statement.targets:
            self.assign(target, value)

    def _named_value(self, target: ast.expr, value: ast.expr) -> Any:
        """The value of an expression that is assigned: what it makes is named after the target."""
        before = self.tracer.target
        try:
            if (
                isinstance(target, ast.Tuple)
                and isinstance(value, ast.Tuple)
                and len(target.elts) == len(value.elts)
            ):
                values = []
                for each, part in zip(target.elts, value.elts, strict=True):
                    self.tracer.target = each.id if isinstance(each, ast.Name) else None
                    values.append(self.eval(part))
                if not any(isinstance(part, ast.Starred) for part in value.elts):
                    return tuple(values)
            self.tracer.target = target.id if isinstance(target, ast.Name) else None
            return self.eval(value)
        finally:
            self.tracer.target = before

    def _annotated(self, statement: ast.AnnAssign) -> None:
        if statement.value is not None:
            self.assign(statement.target, self._named_value(statement.target, statement.value))

    def _augmented(self, statement: ast.AugAssign) -> None:
        target = statement.target
        if isinstance(target, ast.Name):
            load = ast.copy_location(ast.Name(target.id, ast.Load()), target)
            current = self.eval(load)
            self.assign(target, self.inplace(statement, current, self.eval(statement.value)))
            return
        if isinstance(target, ast.Subscript):
            holder, index = self.eval(target.value), self.eval(target.slice)
            self.place = target
            current = self.item(holder, index)
            result = self.inplace(statement, current, self.eval(statement.value))
            self._set_item(target, holder, index, result)
            return
        raise Reject(refusals.construct("assignment to an attribute", help="use a variable"))

    def assign(self, target: ast.expr, value: Any) -> None:
        """Assign a value to a target."""
        match target:
            case ast.Name(id=name):
                scope = self.scope.holder(name)
                if scope is None:
                    self.place = target
                    raise Reject(
                        refusals.construct(
                            f"assignment to the global {name}",
                            notes=("kernels of all nodes would change one variable of the host",),
                            help="use a variable of the operation or kernel",
                        )
                    )
                scope.names[name] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                self._unpack(target, targets, value)
            case ast.Subscript():
                holder, index = self.eval(target.value), self.eval(target.slice)
                self._set_item(target, holder, index, value)
            case ast.Starred():
                self.assign(target.value, value)
            case _:
                self.place = target
                raise Reject(
                    refusals.construct(
                        "assignment to an attribute",
                        notes=("objects exist while the program is compiled, for all nodes at once",),
                        help="use a variable, or make a new object with the value",
                    )
                )

    def _unpack(self, target: ast.expr, targets: list[ast.expr], value: Any) -> None:
        members = self.members(value, target)
        self.place = target
        starred = [position for position, each in enumerate(targets) if isinstance(each, ast.Starred)]
        if starred:
            first = starred[0]
            rest = len(targets) - first - 1
            if len(members) >= len(targets) - 1:
                middle = self.born(members[first : len(members) - rest])
                members = [*members[:first], middle, *members[len(members) - rest :]]
        if len(members) != len(targets):
            more = "too many" if len(members) > len(targets) else "not enough"
            raise Reject(
                refusals.raises(
                    "ValueError", f"{more} values to unpack, {len(members)} for {len(targets)} names"
                )
            )
        for each, member in zip(targets, members, strict=True):
            self.assign(each, member)

    def _set_item(self, target: ast.Subscript, holder: Any, index: Any, value: Any) -> None:
        self.place = target
        if isinstance(holder, Tensor):
            raise Reject(item_assigned())
        if isinstance(holder, list | dict):
            self.require_mutable(holder)
            self.python(holder.__setitem__, self._hashable(index, target), value)
            return
        self.python(_set_item, holder, index, value)

    def _delete(self, statement: ast.Delete) -> None:
        for target in statement.targets:
            match target:
                case ast.Name(id=name):
                    scope = self.scope.holder(name)
                    if scope is not None:
                        scope.names.pop(name, None)
                case ast.Subscript():
                    holder, index = self.eval(target.value), self.eval(target.slice)
                    self.place = target
                    self.require_mutable(holder)
                    self.python(holder.__delitem__, index)
                case _:
                    raise self._unsupported(statement)

    # --- expressions, definitions -----------------------------------------------------------------------------

    def _expression(self, statement: ast.Expr) -> None:
        value = statement.value
        if isinstance(value, ast.Attribute) and value.attr in _CALLED:
            self.place = value
            raise Reject(rules.uncalled(ast.unparse(value)))
        self.eval(value)

    def _definition(self, statement: ast.FunctionDef) -> None:
        made: Any = self._function(statement)
        for decorator in reversed(statement.decorator_list):
            value = self.eval(decorator)
            self.place = decorator
            if isinstance(value, library.Decorator):
                made = self.register(made, value.kind)
            elif library.find(value) is not None:
                made = self.apply(value, [made], {})
            else:
                raise Reject(
                    refusals.construct(
                        "a decorator other than @ttl.compute() and @ttl.datamovement()",
                        help="call what it does, or drop it",
                    )
                )
        self.assign(ast.copy_location(ast.Name(statement.name, ast.Store()), statement), made)

    def register(self, function: Any, kind: KernelKind | str) -> KernelFunction:
        """``@ttl.compute()`` or ``@ttl.datamovement()`` on a function."""
        if not isinstance(function, UserFunction):
            raise Reject(rules.no_function("compute" if kind == "compute" else "datamovement", function))
        if self.tracer.kernel is not None:
            raise Reject(rules.made_in_kernel(f"kernel {function.name} defined", self.tracer.kernel))
        if self.regions:
            raise Reject(refusals.on_some_nodes(f"kernel {function.name} defined"))
        made = sum(1 for other in self.kernels if other.function.name == function.name)
        if made and all(
            other.function.node is not function.node
            for other in self.kernels
            if other.function.name == function.name
        ):
            first = next(each.function for each in self.kernels if each.function.name == function.name)
            raise Reject(rules.same_name(function.name).also(first.file.span(first.node), FIRST_KERNEL))
        alike = [other.function.name for other in self.kernels if other.kind == kind]
        finding = rules.one_too_many(kind, rules.numbered_name(function.name, made + 1), alike)  # type: ignore[arg-type]
        if finding is not None:
            raise Reject(finding)
        self._require_plain(function)
        self._require_no_parameters(function)
        kernel = KernelFunction(function, kind)
        self.kernels.append(kernel)
        return kernel

    def _require_plain(self, function: UserFunction) -> None:
        node = function.node
        cause: Literal["async", "yield"] | None = None
        if isinstance(node, ast.AsyncFunctionDef):
            cause = "async"
        elif isinstance(node, ast.FunctionDef) and is_generator(node):
            cause = "yield"
        if cause is not None:
            raise Reject(rules.not_plain(f"kernel {function.name}", cause).at(function.file.span(node)))

    def _require_no_parameters(self, function: UserFunction) -> None:
        arguments = function.node.args
        names = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        required = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
        if required or arguments.kwonlyargs:
            finding = rules.has_parameters(function.name, names)
            raise Reject(finding.at(function.file.span(function.node)))

    def _import(self, statement: ast.Import | ast.ImportFrom) -> None:
        for alias in statement.names:
            if isinstance(statement, ast.ImportFrom):
                module = self.imported(statement.module or "", statement.level)
                value = self.captured(self.python(getattr, module, alias.name), statement)
            else:
                value = self.imported(alias.name, 0)
                if alias.asname is None and "." in alias.name:
                    value = self.imported(alias.name.partition(".")[0], 0)
            name = alias.asname or alias.name.partition(".")[0]
            self.assign(ast.copy_location(ast.Name(name, ast.Store()), statement), value)

    def imported(self, name: str, level: int) -> Any:
        """A module that is imported inside a function: of the standard library, of ours, or loaded already."""
        if level == 0 and (
            name in sys.modules
            or name.partition(".")[0] in (*sys.stdlib_module_names, "ttl", "ttnn", "numpy")
        ):
            return self.python(importlib.import_module, name)
        raise Reject(
            refusals.construct(
                f"import of {'.' * level}{name} inside an operation cannot be compiled",
                help="import it at the top of the file",
            )
        )

    def _nothing(self, statement: ast.stmt) -> None:
        del statement

    # --- control flow -----------------------------------------------------------------------------------------

    def _return(self, statement: ast.Return) -> Signals:
        self.scope.names[RETURN] = None if statement.value is None else self.eval(statement.value)
        self.returned = statement.value
        return {"return": True}

    def _break(self, statement: ast.Break) -> Signals:
        del statement
        return {"break": True}

    def _continue(self, statement: ast.Continue) -> Signals:
        del statement
        return {"continue": True}

    def _if(self, statement: ast.If, rest: list[ast.stmt] | None = None) -> Signals:
        tested = self.eval(statement.test)
        self.place = statement.test
        condition = self.truth(tested)
        first, second = statement.body, statement.orelse
        if rest is not None:
            first, second = (each if ends(each) else [*each, *rest] for each in (first, second))
        if not isinstance(condition, Condition):
            return self.block(first if condition else second)
        self.place = statement.test
        return self.branch(
            condition,
            lambda: self.block(first),
            (lambda: self.block(second)) if second else None,
            statement if rest is None else None,
        )

    def _for(self, statement: ast.For) -> Signals:
        iterated = self.eval(statement.iter)
        self.place = statement.iter
        over = sequential(iterated)
        if over is None:
            return self._unrolled(statement, self.members(iterated, statement.iter))
        length = over.length
        if isinstance(length, int) and (
            length <= 1
            or self.tracer.kernel is None
            or (statement in self.unrolled and length <= MOST_UNROLLED)
        ):
            return self._unrolled(statement, [over.at(position) for position in range(length)])
        try:
            self.place = statement.iter
            return self.structured(statement, over)
        except StaticNeeded as needed:
            if needed.loops <= frozenset(self.builder.open_loops):
                raise  # a loop further out has to be unrolled
            if not isinstance(length, int):
                self.place = statement.iter
                raise StaticNeeded(length.loops, needed.what, needed.finding) from None
        if length > MOST_UNROLLED:
            self.place = statement.iter
            raise Reject(
                refusals.too_large(
                    f"a loop of {length} iterations would have to be unrolled",
                    notes=("something in it must be known while the program is compiled",),
                    help=f"unrolled are at most {MOST_UNROLLED} iterations; keep what varies in numbers and block expressions",
                )
            )
        return self._unrolled(statement, [over.at(position) for position in range(length)])

    def _unrolled(self, statement: ast.For, members: list[Any]) -> Signals:
        total: Signals = {}
        running: Any = True
        for member in members:
            self.step()

            def once(member: Any = member) -> Signals:
                self.assign(statement.target, member)
                return self.block(statement.body)

            signals = self.guarded(running, once)
            broke, returned = signals.get("break", False), signals.get("return", False)
            if returned is not False:
                total["return"] = either(total.get("return", False), returned)
            running = both(running, negated(either(broke, returned)))
            if running is False:
                break
        if statement.orelse and running is not False:
            total = _joined(total, self.guarded(running, lambda: self.block(statement.orelse)))
        return total

    def _while(self, statement: ast.While) -> Signals:
        before = self.snapshot()
        last = self.builder.block.last_op
        for _ in range(_PEELED):
            self.step()
            tested, end = self.snapshot(), self.builder.block.last_op
            condition = self.truth(self.eval(statement.test))
            self.place = statement.test
            if isinstance(condition, Condition):
                self._drop_after(end)
                self.restore(tested)
                self.place = statement.test
                return self.repeated(statement)
            if not condition:
                return self.block(statement.orelse)
            signals = self.block(statement.body)
            if signals.get("break") is True:
                return {}
            if signals.get("return") is True:
                return {"return": True}
            if any(name in signals for name in ("break", "return")):
                break
        # Long, or left under a condition of the node: a loop of the IR after all.
        self._drop_after(last)
        self.restore(before)
        self.place = statement.test
        return self.repeated(statement)

    def _drop_after(self, last: Any) -> None:
        block = self.builder.block
        while block.last_op is not None and block.last_op is not last:
            drop(block.last_op)
        self.builder.forget()

    def _with(self, statement: ast.With) -> Signals:
        entered: list[tuple[Any, ast.expr]] = []
        for item in statement.items:
            value = self.eval(item.context_expr)
            self.place = item.context_expr
            if not isinstance(value, TracedBlock | TracedSignpost):
                self.python(_require_context, value)
                raise Reject(
                    refusals.construct(
                        "with on something else than blocks and signposts",
                        help="write with dfb.reserve() as blk: or with dfb.wait() as blk: or with ttl.signpost(...):",
                    )
                )
            given = self.python(value.__enter__)
            entered.append((value, item.context_expr))
            if item.optional_vars is not None:
                self.assign(item.optional_vars, given)
        signals = self.block(statement.body)
        for value, expression in reversed(entered):
            self.place = expression
            self.python(value.__exit__, None, None, None)
        return signals

    def _assert(self, statement: ast.Assert) -> None:
        condition = self.truth(self.eval(statement.test))
        self.place = statement.test
        text = ast.unparse(statement.test)
        if statement.msg is not None and isinstance(statement.msg, ast.Constant):
            text = str(statement.msg.value)
        if isinstance(condition, Condition):
            self.tracer.emit(ir.AssertOp(condition.ssa(), text))
        elif not condition:
            raise Reject(refusals.fails(f"this assertion fails: {text}"))

    def _raise(self, statement: ast.Raise) -> Signals:
        raised = "an exception" if statement.exc is None else ast.unparse(statement.exc)
        if statement.exc is not None and raised.startswith("ttl."):
            error = self.eval(statement.exc)  # which says that these are not for programs to raise
            if isinstance(error, TTLError):
                raise error
        if not any(self.regions) and None not in self.regions:
            raise Reject(refusals.fails(f"the operation raises {raised}"))
        self.tracer.emit(ir.AssertOp(self.builder.truth(False), f"raises {raised}"))
        return {"return": True}

    def _unsupported(self, statement: ast.stmt) -> Reject:
        what, advice = _UNSUPPORTED.get(type(statement), (type(statement).__name__, ""))
        return Reject(refusals.construct(f"{what}", help=advice))

    _STATEMENTS: ClassVar[dict[type[ast.stmt], Callable[[Any, Any], Any]]] = {
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
        ast.Delete: _delete,
        ast.Expr: _expression,
        ast.FunctionDef: _definition,
        ast.Import: _import,
        ast.ImportFrom: _import,
        ast.Pass: _nothing,
        ast.Global: _nothing,
        ast.Nonlocal: _nothing,
        ast.Return: _return,
        ast.Break: _break,
        ast.Continue: _continue,
        ast.If: _if,
        ast.For: _for,
        ast.While: _while,
        ast.With: _with,
        ast.Assert: _assert,
        ast.Raise: _raise,
    }


_UNSUPPORTED: dict[type[ast.stmt], tuple[str, str]] = {
    ast.Try: ("try", "a kernel has no exceptions on the chip; test the condition before, with if"),
    ast.ClassDef: ("a class defined in an operation", "define it at the top of the file"),
    ast.AsyncFunctionDef: ("an async function", "write def: kernels wait for one another through buffers"),
    ast.AsyncFor: ("async for", "write for"),
    ast.AsyncWith: ("async with", "write with"),
    ast.Match: ("match", "write if and elif"),
}


def _joined(first: Signals, second: Signals) -> Signals:
    return {name: either(first.get(name, False), second.get(name, False)) for name in {**first, **second}}


def _set_item(holder: Any, index: Any, value: Any) -> None:
    holder[index] = value


def _require_context(value: Any) -> None:
    with value:
        pass
