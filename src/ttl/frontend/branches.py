"""Branches whose way is known on the node only: both are evaluated, and what they leave behind is merged."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from xdsl.dialects import scf
from xdsl.ir import Block, Region

from ttl.frontend import refusals
from ttl.frontend.builder import new_block, region
from ttl.frontend.carrying import Carrying, LoopVar
from ttl.frontend.merging import Kind, common, from_ir, hull, kind_of, same, to_ir
from ttl.frontend.objects import TracedBlock
from ttl.frontend.regions import Signals, discard, is_signal, loops_of
from ttl.frontend.scalars import Condition, negated
from ttl.frontend.selected import Joint, Part, Selected
from ttl.frontend.stop import Reject, Undecided
from ttl.frontend.values import UNBOUND, Poison, Scope

_CHOSEN = "$chosen"
# A name whose value a branch of the IR hands out, or the member at a position of its tuple; its kind and both values.
_Merged = tuple[Scope, str, int | None, Kind, Any, Any]


class Branches(Carrying):
    """Branches."""

    def branch(
        self,
        condition: Condition,
        first: Callable[[], Signals],
        second: Callable[[], Signals] | None = None,
        statement: ast.stmt | None = None,
    ) -> Signals:
        """Evaluate both ways a condition may go, and merge what they leave behind."""
        then_block, else_block = new_block(), new_block()
        try:
            return self._branch(condition, first, second, statement, then_block, else_block)
        except BaseException:
            for block in (then_block, else_block):
                if block.parent is None:
                    discard(block)
            raise

    def _branch(
        self,
        condition: Condition,
        first: Callable[[], Signals],
        second: Callable[[], Signals] | None,
        statement: ast.stmt | None,
        then_block: Block,
        else_block: Block,
    ) -> Signals:
        builder, place = self.builder, self.place
        tested = condition.ssa()
        before = self._names()
        with builder.inside(then_block), self._region(None), self.assuming(condition, True):
            first_signals = first()
        after_first = self._names()
        self._set_names(before)
        second_signals: Signals = {}
        if second is not None:
            with builder.inside(else_block), self._region(None), self.assuming(condition, False):
                second_signals = second()
        after_second = self._names()
        merged = self._merge(
            before,
            after_first,
            after_second,
            (first_signals, second_signals),
            statement,
            Joint(condition, (then_block, else_block)),
        )
        results: list[tuple[Kind, Any, Any]] = [(kind, a, b) for _, _, _, kind, a, b in merged]
        signals, wanted = self._signals(condition, first_signals, second_signals)
        results.extend((Kind("truth"), a, b) for _, a, b in wanted)
        if not results and then_block.first_op is None and else_block.first_op is None:
            return signals
        self.place = place
        with builder.inside(then_block):
            builder.emit(scf.YieldOp(*(to_ir(self.tracer, a, kind) for kind, a, _ in results)))
        with builder.inside(else_block):
            builder.emit(scf.YieldOp(*(to_ir(self.tracer, b, kind) for kind, _, b in results)))
        empty = not results and else_block.first_op is else_block.last_op
        if empty:
            assert else_block.last_op is not None
            else_block.erase_op(else_block.last_op)
        made = builder.emit(
            scf.IfOp(
                tested,
                [kind.attribute for kind, _, _ in results],
                region(then_block),
                Region() if empty else region(else_block),
            )
        )
        values = list(made.results)
        for (scope, name, at, kind, a, b), ssa in zip(merged, values, strict=False):
            loops = condition.loops | loops_of(a) | loops_of(b)
            bounds = hull(a, b) if kind.kind == "index" else (None, None)
            value = from_ir(self.tracer, ssa, kind, loops, bounds)
            if at is not None:
                members = scope.names[name]
                value = (*members[:at], value, *members[at + 1 :])
            scope.names[name] = value
        for (name, a, b), ssa in zip(wanted, values[len(merged) :], strict=True):
            loops = condition.loops | loops_of(a) | loops_of(b)
            signals[name] = from_ir(self.tracer, ssa, Kind("truth"), loops)
        return signals

    def guarded(self, condition: Any, body: Callable[[], Signals]) -> Signals:
        """Evaluate under a condition, which may be known after all."""
        if not isinstance(condition, Condition):
            return body() if condition else {}
        return self.branch(condition, body)

    def chosen(
        self,
        condition: Condition,
        first: Callable[[], Any],
        second: Callable[[], Any],
        node: ast.AST,
        of: Selected | None = None,
    ) -> Any:
        """The value of ``a if condition else b``; ``of`` is what is selected by the condition where it is not that."""
        scope = self.scope
        outer = scope.names.get(_CHOSEN)

        def set_to(value: Callable[[], Any]) -> Callable[[], Signals]:
            def run() -> Signals:
                made = value()
                if isinstance(made, TracedBlock) and self.tracer.kind == "compute":
                    made = self.tracer.read(made)
                scope.names[_CHOSEN] = made
                return {}

            return run

        self.branch(condition, set_to(first), set_to(second), None if of is None else of.statement)
        result = scope.names.pop(_CHOSEN)
        if outer is not None:
            scope.names[_CHOSEN] = outer
        if type(result) is Selected and self.tracer.kernel is not None:
            expression = of.expression if of is not None else node if isinstance(node, ast.IfExp) else None
            return Selected(result.parts, result, expression)
        if isinstance(result, Poison):
            if of is not None:
                self.require_one(of)
            if isinstance(node, ast.IfExp) and self.tracer.kernel is not None:
                raise Undecided(node)
            self.place = node
            raise Reject(refusals.not_known_here("this expression", result.reason))
        return result

    def require_one(self, value: Selected) -> None:
        """A selected value is needed as one."""
        raise NotImplementedError

    def _signals(
        self, condition: Condition, first: Signals, second: Signals
    ) -> tuple[Signals, list[tuple[str, Any, Any]]]:
        """What leaves the whole: known conditions, and those that the branches have to hand out."""
        signals: Signals = {}
        wanted: list[tuple[str, Any, Any]] = []
        for name in {**first, **second}:
            a, b = first.get(name, False), second.get(name, False)
            if isinstance(a, bool) and isinstance(b, bool):
                signals[name] = True if a and b else condition if a else negated(condition)
            else:
                wanted.append((name, a, b))
        return signals, wanted

    def _merge(
        self,
        before: list[tuple[Scope, dict[str, Any]]],
        first: list[tuple[Scope, dict[str, Any]]],
        second: list[tuple[Scope, dict[str, Any]]],
        signals: tuple[Signals, Signals],
        statement: ast.stmt | None,
        joint: Joint,
    ) -> list[_Merged]:
        """Names with another value in each branch: those that can be one value of the IR; the others are poisoned."""
        merged: list[_Merged] = []
        # Whoever has left the function has no part in what the names mean afterwards.
        gone_first, gone_second = (each.get("return") is True for each in signals)
        for (scope, earlier), (_, ours), (_, theirs) in zip(before, first, second, strict=True):
            result: dict[str, Any] = {}
            for name in {**ours, **theirs}:
                a, b = ours.get(name, UNBOUND), theirs.get(name, UNBOUND)
                if not is_signal(name) and gone_first is not gone_second:
                    # The value is looked at by the one that stays only.
                    kept = b if gone_first else a
                    if same(kept, earlier.get(name, UNBOUND)):
                        result[name] = kept
                        continue
                    nothing = {"index": 0, "truth": False}.get(getattr(kind_of(kept), "kind", ""))
                    if nothing is not None and gone_first:
                        a = nothing
                    elif nothing is not None:
                        b = nothing
                if same(a, b):
                    result[name] = a
                    continue
                a, b = self._settled(scope, name, a, b)
                kind = common(kind_of(a), kind_of(b))
                if kind is None:
                    result[name] = lost = _lost(a, b, statement)
                    parts = None if lost.reported else self._selected(joint, a, b)
                    if parts is not None:
                        self.selecting = True
                        result[name] = Selected(parts, lost)
                    elif not lost.reported and self._are_wanted(statement, name, a, b):
                        members = self._members_merged(a, b)
                        if members is not None:
                            merged += [(scope, name, at, *each) for at, each in members]
                            result[name] = a
                    continue
                merged.append((scope, name, None, kind, a, b))
                result[name] = a
            scope.names = result
        return merged

    def _selected(self, joint: Joint, a: Any, b: Any) -> tuple[Part, ...] | None:
        """The values of a name, by condition; of what is selected before kernels, texts only."""
        if self.tracer.kernel is None and not (isinstance(a, str | None) and isinstance(b, str | None)):
            return None
        return joint.parts(a, b)

    def _are_wanted(self, statement: ast.stmt | None, name: str, a: Any, b: Any) -> bool:
        """Whether a name has tuples of one length after a branch, and something reads it."""
        return (
            type(a) is tuple
            and type(b) is tuple
            and len(a) == len(b)
            and any(name in names for each, names in self.read_after if each is statement)
        )

    @staticmethod
    def _members_merged(first: Any, second: Any) -> list[tuple[int, tuple[Kind, Any, Any]]] | None:
        """The members in which two tuples differ; None where some cannot be values of the IR."""
        found = []
        for at, (a, b) in enumerate(zip(first, second, strict=True)):
            if same(a, b):
                continue
            kind = common(kind_of(a), kind_of(b))
            if kind is None:
                return None
            found.append((at, (kind, a, b)))
        return found

    def _settled(self, scope: Scope, name: str, a: Any, b: Any) -> tuple[Any, Any]:
        """Values of which one is what a loop would carry: it does."""
        if isinstance(a, LoopVar):
            a = self.carried(scope, name, a)
        if isinstance(b, LoopVar):
            b = self.carried(scope, name, b)
        return a, b


def _lost(a: Any, b: Any, statement: ast.stmt | None) -> Poison:
    """What a name is after a branch that gives it values which cannot be one."""
    for value in (a, b):
        if isinstance(value, Poison) and value.reported:
            return value
    if a is UNBOUND or b is UNBOUND:
        reason = "a branch that depends on the node assigns it, the other does not"
    else:
        reason = "branches that depend on the node give it different values"
    return Poison(reason, reported=False, statement=statement)
