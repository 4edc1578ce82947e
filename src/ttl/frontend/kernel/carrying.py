"""Names whose values loops carry: a name becomes a value of the loop only when the loop reads it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from xdsl.ir import Block, SSAValue

from ttl.dialects import ttl as ir
from ttl.frontend import refusals
from ttl.frontend.effects import Place
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.kernel.merging import CarriedKind, common, from_ir, kind_of
from ttl.frontend.kernel.objects import TracedBlock, TracedExpr, receive_in
from ttl.frontend.kernel.regions import flags
from ttl.frontend.kernel.retyping import Retyping, type_of
from ttl.frontend.kernel.selected import Selected
from ttl.frontend.kernel.tracer import Tracer
from ttl.frontend.stop import Reject
from ttl.frontend.values import Poison, Scope
from ttl.rules.pipes import handed_on
from ttl.rules.words import describe
from ttl.session.patience import Unavailable
from ttl.source.scopes import only_values


class LoopVar:
    """The value of a name that a loop may change, until the loop first reads the name."""

    __slots__ = ("loop", "prior")

    def __init__(self, prior: Any, loop: CarryingLoop) -> None:
        self.prior = prior
        self.loop = loop

    def ttl_held(self) -> tuple[Any, ...]:
        """The value before the loop, as the only member."""
        return (self.prior,)


@dataclass(eq=False, slots=True)
class CarryingLoop:
    """A loop that is being built."""

    number: int
    block: Block
    # For each place: its value before the loop, its kind, and its argument of the block.
    carried: dict[Place, tuple[Any, CarriedKind, SSAValue]] = field(default_factory=dict)
    # The values at the beginning of an iteration, for the places that the loop has read.
    values: dict[Place, Any] = field(default_factory=dict)
    # For places whose kind of number changes in an iteration, the kind that holds both.
    types: dict[Place, CarriedKind] = field(default_factory=dict)
    # The value of the loop's variable in an iteration, if it has one.
    member: Any = None


class Carrying:
    """Values from one iteration to the next."""

    def __init__(self, reader: Evaluator, tracer: Tracer) -> None:
        self._reader = reader
        self._tracer = tracer

    def carried(self, scope: Scope, name: str, variable: LoopVar) -> Any:
        """Make a loop carry a name that it changes and reads, and return the name's value in the loop."""
        loop, prior = variable.loop, variable.prior
        place = scope, name
        if isinstance(prior, LoopVar) and place not in loop.carried:
            prior = self.carried_outside(scope, name, prior)
        if place in loop.carried:  # it was read before, in the other way of a branch
            _, kind, ssa = loop.carried[place]
        else:
            given = kind_of(prior)
            if isinstance(prior, TracedBlock) and self._is_value(scope, name, loop):
                given = CarriedKind("expr", prior.buffer.type)
            if given is None:
                what = prior.parts[0][1] if type(prior) is Selected else prior
                self._reader.assign(scope, name, Poison())
                if receive_in(what):
                    raise Reject(handed_on(name, f"it goes to the next iteration{refusals.COUNTED}"))
                raise Reject(refusals.carried(name, describe(what)))
            kind = loop.types.get(place, given)
            ssa = loop.block.insert_arg(kind.attribute, len(loop.block.args))
            loop.carried[place] = (prior, kind, ssa)
        if place not in loop.values:
            open_loops = self._tracer.builder.open_loops
            loops = frozenset(open_loops[: open_loops.index(loop.number) + 1])
            loop.values[place] = from_ir(self._tracer, ssa, kind, loops)
        self._reader.assign(scope, name, loop.values[place])
        return loop.values[place]

    def settled(self, scope: Scope, name: str, value: Any) -> Any:
        """Return the value of a name. If a loop would have to carry the name, the loop carries it from now on."""
        return self.carried(scope, name, value) if isinstance(value, LoopVar) else value

    def begun(self, scope: Scope, name: str, value: Any) -> Any:
        """Return the value of a name at the beginning of an iteration, if the loop has read it; else ``value``."""
        return value.loop.values.get((scope, name), value) if isinstance(value, LoopVar) else value

    def carried_outside(self, scope: Scope, name: str, variable: LoopVar) -> Any:
        """The value before an inner loop of a name that an outer loop carries."""
        current = scope.names.get(name)
        value = self.carried(scope, name, variable)
        if current is not None:
            self._reader.assign(scope, name, current)
        return value

    def _is_value(self, scope: Scope, name: str, loop: CarryingLoop) -> bool:
        """Whether the first value of a name is the content of a block, not the block itself.

        A loop that may be left early does not use this and is unrolled, because the value often decides where it ends.
        """
        return flags(loop.number)[0] not in scope.names and name in only_values(self._reader.function)

    def require_kind(self, name: str, value: Any, kind: CarriedKind, *, told: bool) -> None:
        """Refuse a value after an iteration whose kind differs from the kind that the loop carries.

        ``told``: that kind differs from the kind of the value before the loop.
        """
        after = kind_of(value)
        if common(kind, after) != kind or (told and after != kind):
            raise Reject(refusals.other_kind(name))

    def settle_types(self, loop: CarryingLoop) -> None:
        """Give block expressions that a loop carries an element type that holds them before and after an iteration."""
        retyping, is_settled = Retyping(), False
        while not is_settled:
            is_settled = True
            for (scope, name), (prior, kind, ssa) in loop.carried.items():
                after = scope.names.get(name)
                if kind.type is None or not isinstance(after, TracedExpr):
                    continue
                value = retyping.current(after.ssa)
                if value is not after.ssa:
                    after = TracedExpr(self._tracer, value, type_of(value))
                    self._reader.assign(scope, name, after)
                wanted = common(kind, kind_of(after))
                if wanted is None or wanted == kind:
                    continue
                assert wanted.type is not None
                try:
                    retyping.retype(ssa, wanted.type)
                except Unavailable:
                    raise Reject(refusals.other_kind(name)) from None
                loop.carried[scope, name] = prior, wanted, retyping.current(ssa)
                is_settled = False

    def require_kept(self, loop: CarryingLoop) -> None:
        """Refuse a loop that changes a block and also carries the value that the block had before the loop."""
        for (_, name), (prior, _, _) in loop.carried.items():
            if not isinstance(prior, TracedBlock):
                continue
            for use in prior.ssa.uses:
                if not isinstance(use.operation, ir.BlockReadOp) and loop.block.find_ancestor_op_in_block(
                    use.operation
                ):
                    raise Reject(refusals.carried(name, describe(prior)))
