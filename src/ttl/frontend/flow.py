"""Control flow: what is known takes one way; the rest becomes regions of the IR, or is unrolled."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, ClassVar

from ttl.diag import TTLError
from ttl.dialects import ttl as ir
from ttl.frontend import refusals
from ttl.frontend.definitions import Definitions
from ttl.frontend.loops import MOST_UNROLLED
from ttl.frontend.names import ends
from ttl.frontend.objects import TracedBlock, TracedSignpost
from ttl.frontend.regions import RETURN, Signals, drop
from ttl.frontend.scalars import Condition, both, either, negated
from ttl.frontend.stop import Reject, StaticNeeded
from ttl.frontend.values import sequential

# Iterations of a ``while`` that is evaluated step by step before it is built as a loop of the IR.
_PEELED = 64


class Flow(Definitions):
    """Evaluation of branches, loops, ``with`` and what leaves them."""

    def _return(self, statement: ast.Return) -> Signals:
        self.scope.names[RETURN] = None if statement.value is None else self.lazy(statement.value)
        self.returned = statement.value
        return {"return": True}

    def _break(self, statement: ast.Break) -> Signals:
        del statement
        return {"break": True}

    def _continue(self, statement: ast.Continue) -> Signals:
        del statement
        return {"continue": True}

    def _if(self, statement: ast.If, rest: list[ast.stmt] | None = None) -> Signals:
        tested = self.lazy(statement.test)
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
                # What the loop takes along is about the loop; what has to be known, about where it has to be.
                outer = StaticNeeded(length.loops, needed.what, needed.finding)
                outer.span = (needed.span or self.span) if needed.finding is None else None
                self.place = statement.iter
                raise outer from None
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
            total = joined(total, self.guarded(running, lambda: self.block(statement.orelse)))
        return total

    def _while(self, statement: ast.While) -> Signals:
        before = self.snapshot()
        last = self.builder.block.last_op
        for _ in range(_PEELED):
            self.step()
            tested, end = self.snapshot(), self.builder.block.last_op
            condition = self.truth(self.lazy(statement.test))
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
        condition = self.truth(self.lazy(statement.test))
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

    STATEMENTS: ClassVar[dict[type[ast.stmt], Callable[[Any, Any], Any]]] = {
        **Definitions.STATEMENTS,
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


def joined(first: Signals, second: Signals) -> Signals:
    """What may leave one of two pieces of code."""
    return {name: either(first.get(name, False), second.get(name, False)) for name in {**first, **second}}


def _require_context(value: Any) -> None:
    with value:
        pass
