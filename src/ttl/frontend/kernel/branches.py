"""Branches whose way is known on the node only: both are evaluated, and what they leave behind is merged."""

from __future__ import annotations

import ast
from typing import Any

from xdsl.dialects import scf
from xdsl.ir import Block, Region

from ttl.frontend.domain import Course, Signals
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.kernel.builder import new_block, region
from ttl.frontend.kernel.carrying import Carrying, LoopVar
from ttl.frontend.kernel.merging import CarriedKind, common, from_ir, hull, kind_of, to_ir
from ttl.frontend.kernel.regions import Names, Regions, Retries, discard, is_signal, loops_of, set_names
from ttl.frontend.kernel.selected import Joint, Part, Selected
from ttl.frontend.kernel.tracer import Tracer
from ttl.frontend.scalars import NodeCondition, negated
from ttl.frontend.values import UNBOUND, Poison, Scope, same

# A name whose value a branch of the IR hands out, or the member at a position of its tuple; its kind and both values.
_Merged = tuple[Scope, str, int | None, CarriedKind, Any, Any]


class Branches:
    """The join of what two courses leave behind."""

    def __init__(
        self, reader: Evaluator, tracer: Tracer, regions: Regions, carrying: Carrying, retries: Retries
    ) -> None:
        self._reader = reader
        self._tracer = tracer
        self._regions = regions
        self._carrying = carrying
        self._retries = retries

    def branch(
        self,
        condition: NodeCondition,
        first: Course,
        second: Course | None = None,
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
        condition: NodeCondition,
        first: Course,
        second: Course | None,
        statement: ast.stmt | None,
        then_block: Block,
        else_block: Block,
    ) -> Signals:
        builder, place = self._tracer.builder, self._reader.place
        tested = condition.ssa()
        before = self._regions.names()
        with builder.inside(then_block), self._regions.inside(None), self._regions.assuming(condition, True):
            first_signals = first()
        after_first = self._regions.names()
        set_names(before)
        second_signals: Signals = {}
        if second is not None:
            with (
                builder.inside(else_block),
                self._regions.inside(None),
                self._regions.assuming(condition, False),
            ):
                second_signals = second()
        after_second = self._regions.names()
        merged = self._merge(
            before,
            after_first,
            after_second,
            (first_signals, second_signals),
            statement,
            Joint(condition, (then_block, else_block)),
        )
        results: list[tuple[CarriedKind, Any, Any]] = [(kind, a, b) for _, _, _, kind, a, b in merged]
        signals, wanted = self._signals(condition, first_signals, second_signals)
        results.extend((CarriedKind("truth"), a, b) for _, a, b in wanted)
        if not results and then_block.first_op is None and else_block.first_op is None:
            return signals
        self._reader.place = place
        with builder.inside(then_block):
            builder.emit(scf.YieldOp(*(to_ir(self._tracer, a, kind) for kind, a, _ in results)))
        with builder.inside(else_block):
            builder.emit(scf.YieldOp(*(to_ir(self._tracer, b, kind) for kind, _, b in results)))
        empty = not results and else_block.first_op is else_block.last_op
        if empty:
            assert else_block.last_op is not None
            else_block.erase_op(else_block.last_op)
        result = builder.emit(
            scf.IfOp(
                tested,
                [kind.attribute for kind, _, _ in results],
                region(then_block),
                Region() if empty else region(else_block),
            )
        )
        values = list(result.results)
        for (scope, name, at, kind, a, b), ssa in zip(merged, values, strict=False):
            loops = condition.loops | loops_of(a) | loops_of(b)
            bounds = hull(a, b) if kind.kind == "index" else (None, None)
            value = from_ir(self._tracer, ssa, kind, loops, bounds)
            if at is not None:
                members = scope.names[name]
                value = (*members[:at], value, *members[at + 1 :])
            scope.names[name] = value
        for (name, a, b), ssa in zip(wanted, values[len(merged) :], strict=True):
            loops = condition.loops | loops_of(a) | loops_of(b)
            signals[name] = from_ir(self._tracer, ssa, CarriedKind("truth"), loops)
        return signals

    def guarded(self, condition: Any, body: Course) -> Signals:
        """Evaluate under a condition, which may be known after all."""
        if not isinstance(condition, NodeCondition):
            return body() if condition else {}
        return self.branch(condition, body)

    def _signals(
        self, condition: NodeCondition, first: Signals, second: Signals
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
        before: Names,
        first: Names,
        second: Names,
        signals: tuple[Signals, Signals],
        statement: ast.stmt | None,
        joint: Joint,
    ) -> list[_Merged]:
        """Names with another value in each branch: those that can be one value of the IR; the others are poisoned."""
        merged: list[_Merged] = []
        # Whoever has left the function has no part in what the names mean afterwards.
        gone_first, gone_second = (signal.get("return") is True for signal in signals)
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
                        self._retries.selecting = True
                        result[name] = Selected(parts, lost)
                    elif not lost.reported and self._are_wanted(statement, name, a, b):
                        members = self._members_merged(a, b)
                        if members is not None:
                            merged += [(scope, name, at, *item) for at, item in members]
                            result[name] = a
                    continue
                merged.append((scope, name, None, kind, a, b))
                result[name] = a
            scope.names = result
        return merged

    def _selected(self, joint: Joint, a: Any, b: Any) -> tuple[Part, ...] | None:
        """The values of a name, by condition; of what is selected before kernels, texts only."""
        if self._tracer.kernel is None and not (isinstance(a, str | None) and isinstance(b, str | None)):
            return None
        return joint.parts(a, b)

    def _are_wanted(self, statement: ast.stmt | None, name: str, a: Any, b: Any) -> bool:
        """Whether a name has tuples of one length after a branch, and something reads it."""
        return (
            type(a) is tuple
            and type(b) is tuple
            and len(a) == len(b)
            and any(name in names for item, names in self._retries.read_after if item is statement)
        )

    @staticmethod
    def _members_merged(first: Any, second: Any) -> list[tuple[int, tuple[CarriedKind, Any, Any]]] | None:
        """The members in which two tuples differ; None where some cannot be values of the IR."""
        members_merged = []
        for at, (a, b) in enumerate(zip(first, second, strict=True)):
            if same(a, b):
                continue
            kind = common(kind_of(a), kind_of(b))
            if kind is None:
                return None
            members_merged.append((at, (kind, a, b)))
        return members_merged

    def _settled(self, scope: Scope, name: str, a: Any, b: Any) -> tuple[Any, Any]:
        """Values of which one is what a loop would carry: it does."""
        if isinstance(a, LoopVar):
            a = self._carrying.carried(scope, name, a)
        if isinstance(b, LoopVar):
            b = self._carrying.carried(scope, name, b)
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
