"""The kernel domain: values that only the node knows are values of the IR, and so are branches and loops over them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from ttl.arch import Chip
from ttl.diag import Diagnostic, TTLError
from ttl.dialects.structure import hint_name
from ttl.frontend import refusals
from ttl.frontend.classes import Instance, property_of
from ttl.frontend.domain import Signals
from ttl.frontend.evaluator import EXPRESSIONS_BETWEEN, MOST_STATEMENTS, Evaluator
from ttl.frontend.expressions import formatted
from ttl.frontend.function_calls import apply
from ttl.frontend.kernel.applying import FunctionApplication
from ttl.frontend.kernel.arithmetic import KernelOperators
from ttl.frontend.kernel.branches import Branches, computes_numbers
from ttl.frontend.kernel.builder import Builder
from ttl.frontend.kernel.calling import Calling
from ttl.frontend.kernel.carrying import Carrying, LoopVar
from ttl.frontend.kernel.finals import try_
from ttl.frontend.kernel.items import Items
from ttl.frontend.kernel.iterators import (
    HANDED_ON,
    MADE_OUTSIDE,
    MemberIterator,
    is_iterator,
    iterator,
    lose,
    ranged,
)
from ttl.frontend.kernel.language import Language
from ttl.frontend.kernel.library_calls import HostCalls
from ttl.frontend.kernel.loops import Loops
from ttl.frontend.kernel.objects import TracedBuffer, TracedExpr
from ttl.frontend.kernel.reductions import reduced
from ttl.frontend.kernel.regions import Regions
from ttl.frontend.kernel.repetition import KernelLoop
from ttl.frontend.kernel.selected import Selected
from ttl.frontend.kernel.selecting import Selecting
from ttl.frontend.kernel.statements import Statements
from ttl.frontend.kernel.tables import plain
from ttl.frontend.kernel.tracer import Tracer
from ttl.frontend.mutable import is_container, mutates
from ttl.frontend.operators import truth_of
from ttl.frontend.reals import NodeFloat
from ttl.frontend.scalars import NodeCondition, NodeInteger, NodeRatio
from ttl.frontend.stop import Endless, Poisoned, Reject, static_needed
from ttl.frontend.unknown import Unknown
from ttl.frontend.values import RETURN, UNBOUND, Poison, PrintedText, Scope, copied
from ttl.host.tensor import Tensor
from ttl.lang.block import Block
from ttl.lang.pipe import PipeNet
from ttl.rules.expressions import item_assigned
from ttl.rules.words import kernel_where
from ttl.session import go_on
from ttl.source.scopes import assigned, outermost_loop, returns

_CHANGED = "something that is changed in a way that is not known"
_OPAQUE = (NodeInteger, NodeCondition, NodeRatio, NodeFloat, TracedExpr, Block, TracedBuffer, Tensor)


class KernelDomain:
    """Values of one operation. ``Domain`` documents the methods.

    ``unknown`` are the containers and objects whose content is not known.
    """

    nothing_returned = UNBOUND

    def __init__(
        self,
        reader: Evaluator,
        grid: tuple[int, ...],
        chip: Chip,
        unknown: Mapping[int, Any],
        host_calls: HostCalls,
    ) -> None:
        self.reader = reader
        self.constructs: dict[type[ast.AST], Callable[[Any, Any], Any]] = {ast.Try: try_}
        self.builder = builder = Builder(reader.location)
        self.tracer = tracer = Tracer(reader, builder, grid, chip)
        # The number of expressions that were evaluated.
        self.expressions = 0
        self._unknown = unknown
        # Copies of the user's containers, by the identity of the original.
        self._copies: dict[int, tuple[Any, Any]] = {}
        self.regions = regions = Regions(reader, builder, tracer)
        self._carrying = Carrying(reader, tracer)
        branches = Branches(reader, tracer, regions, self._carrying)
        self._loops = Loops(reader, tracer, regions, self._carrying, branches)
        self._selecting = selecting = Selecting(reader, tracer, regions, branches)
        applying = FunctionApplication(reader)
        self.python = python = applying.python
        self.language = Language(tracer, regions, python)
        calling = Calling(reader, tracer, applying, selecting, self.language, regions, host_calls)
        arithmetic = KernelOperators(reader, selecting, python)
        items = Items(reader, tracer, selecting, python)
        self.one = selecting.one
        self.operated, self.inplace = arithmetic.operated, arithmetic.inplace
        self.signed, self.related, self.truth = arithmetic.signed, arithmetic.related, arithmetic.truth
        self.item, self.members, self.steps, self.key = items.item, items.members, items.steps, items.key
        self.unpacked, self.changed_at = items.members, items.changed_at
        self.calling = calling
        self.as_read = calling.classes.object
        self.call, self.apply, self.inlined = calling.call, calling.apply, calling.inlined
        self.mapped, self.chosen, self.each = selecting.mapped, selecting.chosen, selecting.each
        statements = Statements(reader, tracer, regions, self.language, python)
        self.refused, self.stands_alone, self.decorated = (
            statements.refused,
            statements.stands_alone,
            statements.decorated,
        )
        self.entered, self.exited = statements.entered, statements.exited
        self.asserted, self.raised = statements.asserted, statements.raised
        self.module, self.imported = statements.module, statements.imported
        self.branch, self.guarded, self.connected = branches.branch, branches.guarded, selecting.connected
        self.born, self.require_mutable, self.spoil = regions.born, regions.require_mutable, regions.spoil
        tracer.conditional = lambda: bool(regions.open)
        tracer.nets.call_function = calling.called_by_language
        tracer.nets.read_region = regions.read_region

    # --- evaluation -------------------------------------------------------------------------------------------

    def eval(self, node: ast.expr) -> Any:
        value = self.lazy(node)
        if type(value) is Selected:
            self.reader.place = node
            self._selecting.require_one(value)
        return value

    def lazy(self, node: ast.expr) -> Any:
        """The value of an expression, which may be selected on the node."""
        self.expressions += 1
        if not self.expressions % EXPRESSIONS_BETWEEN:
            go_on()
        value = self.reader.meaning(node)
        if self._unknown and id(value) in self._unknown:
            self.reader.place = node
            self._selecting.refuse("this", self._known(value))
        return value

    def attempt(self, node: ast.expr, compute: Callable[[], Any]) -> Any:
        return compute()

    def gave_up(self, statement: ast.stmt, raised: Exception) -> None:
        """Report the error in a statement, and make the names that it would have assigned unknown."""
        reader = self.reader
        match raised:
            case Endless():
                raise
            case Reject():
                reader.report(raised.finding)
            case Poisoned():
                pass
            case TTLError():
                for finding in raised.diagnostics:
                    reader.report(finding)
            case RecursionError():
                reader.place = statement
                reader.report(
                    refusals.too_large(
                        "branches, loops and calls are nested too deeply here",
                        help="join conditions with and and or, or move what is inside to a table",
                    )
                )
            case _:
                raise
        reader.failed = True
        for name in assigned(statement):
            reader.assign(reader.scope.holder(name) or reader.scope, name, Poison())
        if returns(statement):
            reader.assign(reader.scope, RETURN, Poison())

    def too_long(self) -> Exception:
        """Return the error for too many statements, at the outermost unrolled loop around the place."""
        reader = self.reader
        finding = refusals.too_many_statements(MOST_STATEMENTS)
        loop = outermost_loop(reader.function, reader.place)
        if loop is not None:
            head = loop.iter if isinstance(loop, ast.For) else loop.test
            finding = finding.at(reader.file.span(head), "this loop is written out")
        return Endless(finding)

    def noted(self, finding: Diagnostic) -> Diagnostic:
        """A finding with a note about its kernel, and about the first node unless a condition of the node decides."""
        kernel = self.tracer.kernel
        if kernel is None or any(note.startswith("in ") for note in finding.notes):
            return finding
        if None in self.regions.open:
            return finding.noting(f"in kernel {kernel}")
        return finding.noting(f"in {kernel_where(self.tracer.kind, kernel, (0,) * len(self.tracer.grid))}")

    # --- names ------------------------------------------------------------------------------------------------

    def read(self, scope: Scope, node: ast.Name, value: Any) -> Any:
        if isinstance(value, Poison):
            self.reader.place = node
            if type(value) is Selected:
                return self._selecting.narrowed(value)
            self._selecting.refuse(node.id, value)
        if type(value) is NodeInteger:
            parts = self._selecting.numbers(value)
            return parts[0][1] if len(parts) == 1 else value
        if type(value) is LoopVar:
            self.reader.place = node
            return self._carrying.carried(scope, node.id, value)
        return self._from_outside(value) if is_iterator(value) else self.regions.sound(value)

    def captured(self, value: Any, node: ast.AST) -> Any:
        """Lift a value from outside the operation. Containers are copied, so that the user's do not change."""
        if isinstance(value, Poison):
            self.reader.place = node
            self._selecting.refuse(getattr(node, "id", "this"), value)
        if type(value) in (list, dict, set):
            known = self._copies.get(id(value))
            if known is None:
                instead = self._known if self._unknown else None
                known = self._copies[id(value)] = (value, copied(value, instead))
            return self.regions.sound(known[1])
        if isinstance(value, PipeNet) and isinstance(node, ast.Name):
            self.tracer.nets.known_as(value, node.id)
        return self._from_outside(value) if is_iterator(value) else plain(value)

    def _from_outside(self, value: Any) -> Any:
        """Return a stand-in, of which no member can be taken, for an iterator made outside of the operation."""
        return (
            value
            if self.regions.is_born(value)
            else iterator(None, type(value).__name__, self.regions, MADE_OUTSIDE)
        )

    def _known(self, value: Any) -> Any:
        """Return the value, or an unknown value if its content is not known."""
        return Unknown(why=_CHANGED) if id(value) in self._unknown else value

    def bind(self, target: ast.Name, value: Any) -> None:
        """Assign a value to a variable, and name its objects in the IR after the variable."""
        scope = self.reader.scope.holder(target.id)
        if scope is None:
            self.reader.place = target
            raise Reject(
                refusals.construct(
                    f"assignment to the global {target.id}",
                    notes=("kernels of all nodes would change one variable of the host",),
                    help="use a variable of the operation or kernel",
                )
            )
        self.reader.assign(scope, target.id, value)
        self.tracer.name_first(target.id, value)
        if isinstance(value, TracedExpr) and value.ssa.name_hint is None:
            hint_name(value.ssa, target.id)

    def unbind(self, target: ast.Name) -> None:
        scope = self.reader.scope.holder(target.id)
        if scope is not None:
            self.reader.delete(scope, target.id)

    def naming(self, name: str | None, evaluate: Callable[[ast.expr], Any], value: ast.expr) -> Any:
        """Return the value of an expression. Buffers and nets that it makes are named after the target of the assignment."""
        before, self.tracer.target = self.tracer.target, name
        try:
            return evaluate(value)
        finally:
            self.tracer.target = before

    def named(self, name: str, value: Any) -> None:
        """Name buffers in a container after the variable to which it is assigned, and their positions in it."""
        if isinstance(value, list | tuple | dict):
            self.tracer.name_members(name, value)

    # --- parts of values --------------------------------------------------------------------------------------

    def set_item(self, target: ast.Subscript, holder: Any, index: Any, value: Any) -> None:
        self.reader.place = target
        if isinstance(holder, Tensor):
            raise Reject(item_assigned())
        if isinstance(holder, list | dict):
            self.regions.require_mutable(holder, value)
            if isinstance(holder, list) and isinstance(index, slice):
                value = self.members(value, target)
            self.python(holder.__setitem__, self.changed_at(holder, index, target), value)
        else:
            if is_container(holder):
                self.require_mutable(holder)
            self.python(operator.setitem, holder, index, value)

    def delete_item(self, holder: Any, index: Any) -> None:
        self.require_mutable(holder)
        self.python(holder.__delitem__, index)

    def attribute(self, value: Any, name: str) -> Any:
        """Return ``value.name``; properties of a class that was read are evaluated."""
        if type(value) is Selected:
            return self.mapped([value], lambda item: self.attribute(item[0], name), branching=True)
        getter = property_of(value, name)
        if getter is not None:
            return apply(self.reader, getter, [value], {})
        return plain(self.python(getattr, value, name))

    def set_attribute(self, holder: Any, name: str, value: Any) -> None:
        """Assign an attribute of an object that is being initialised; refuse it later."""
        if self.calling.is_unfinished(holder):
            holder.ttl_values[name] = value
            return
        if isinstance(holder, Instance):
            self.regions.spoil(holder)
        raise Reject(refusals.attribute_assigned())

    def delete_attribute(self, target: ast.Attribute, statement: ast.Delete) -> None:
        """Refuse to delete an attribute."""
        raise self.refused(statement)

    def changed_by(self, value: Any, method: str) -> Any:
        if type(value) is Selected and any(mutates(part, method) for _, part in value.parts):
            self._selecting.require_one(value)
        if not mutates(value, method):
            return None
        self.require_mutable(value)
        return value

    def quietly(
        self, take: Callable[[], Any], partly: list[Any] | None = None, refusal: Diagnostic | None = None
    ) -> Any:
        reader, block, place, regions = self.reader, self.builder.block, self.reader.place, self.regions
        before, last, is_changed = (reader.mark(), reader.births), block.last_op, regions.since()
        taken: list[Any] = []
        outer, regions.partly = regions.partly, taken
        try:
            result = take()
        finally:
            regions.partly = outer
        if partly is None:
            lose(taken)
        else:
            partly += taken
        has_changed = is_changed() or reader.has_changed(*before, LoopVar)
        if has_changed or not computes_numbers(block, last):
            reader.place = place
            raise Reject(refusal or refusals.does_something_when_taken())
        return result

    def drawn(self, members: Any, kind: str, *held: Any) -> Any:
        """Return an iterator: taking a member changes it."""
        return self.born(iterator(members, kind, self.regions, held=held))

    def taken(self, value: Any) -> Any:
        """Return the source of an iterator that is computed from positions; any other value unchanged.

        Afterwards it is not known which members of the iterator are left.
        """
        of = ranged(value)
        if of is None or not isinstance(value, MemberIterator):
            return value
        value.changed()
        value.lose(HANDED_ON)
        return of

    def unlisted(self, value: Any) -> Any:
        of = ranged(value)
        return None if of is None or isinstance(of.length, int) else self.taken(value)

    def not_followed(self, node: ast.expr) -> None:
        """Do nothing, because an error in a comprehension ends its statement."""

    # --- texts ------------------------------------------------------------------------------------------------

    def is_opaque(self, value: Any) -> bool:
        return isinstance(value, _OPAQUE)

    def shown(self, value: Any, node: ast.FormattedValue) -> Any:
        """Return a value in an f-string: its text, an operand to print on the node, or a selected value with its place."""
        if type(value) is Selected:
            return (value, node)
        if self.is_opaque(value) and node.format_spec is None and node.conversion in (-1, ord("s")):
            return value
        return formatted(self.reader, value, node)

    def text(self, parts: list[Any]) -> Any:
        """Return a text, or an object to print if not all of the text is known."""
        parts = [piece for part in parts for piece in (part.parts if type(part) is PrintedText else [part])]
        places = [part[1] if type(part) is tuple else None for part in parts]
        if not any(places):
            return PrintedText(tuple(parts)) if any(map(self.is_opaque, parts)) else "".join(parts)

        def joined(values: list[Any]) -> Any:
            return self.text(
                [
                    value if node is None else self.shown(value, node)
                    for value, node in zip(values, places, strict=True)
                ]
            )

        return self.mapped(
            [part[0] if type(part) is tuple else part for part in parts], joined, branching=None
        )

    # --- control flow -----------------------------------------------------------------------------------------

    def condition(self, test: ast.expr) -> Any:
        """Evaluate a test: a Python truth value, or a condition of the node."""
        if test in self._selecting.decided:
            return self._selecting.decided[test]
        return truth_of(self.reader, test)

    def decided(self, test: ast.expr) -> bool:
        truth = self.truth(self.reader.eval(test))
        if isinstance(truth, NodeCondition):
            self.reader.place = test
            raise static_needed("the condition of a comprehension")
        return bool(truth)

    def reduced(self, function: Any, node: ast.Call) -> Any:
        """``sum`` and the like of a comprehension whose number of members the node knows."""
        return reduced(self.reader, self.tracer, function, node)

    def returned(self, signals: Signals, value: Any) -> Any:
        """Return the result of a function, which is None on paths that reach its end."""
        when = signals.get("return", False)
        if value is UNBOUND or when is False:
            return Poison() if type(value) is Poison and value.reported else None
        if when is True or value is None or isinstance(value, Poison):
            return value
        return self.chosen(when, lambda: value, lambda: None, self.reader.place)

    def repetition(self, statement: ast.For | ast.While) -> KernelLoop:
        return KernelLoop(self.reader, self.tracer, self._loops, statement)
