"""``ttl-canonicalize`` and ``ttkernel-canonicalize``: folding, common subexpressions, loop invariants and dead code.

Expects: any module. Guarantees: integers that are known are constants. An operation without an effect runs once in a
block and the blocks inside it, before the loops it does not depend on (but parts of an index stay with the rest of it),
and not at all if it is unused. Loops that run once or never, branches that are decided (by known values, or by a branch
around them), and unused results of branches are gone. Operations with an effect stay, in their order, except unused
reads of blocks. Values of whole blocks leave neither their loop nor their block: whether one is worth keeping is not
decided here. Every operation keeps its location in the program. Running the pass again changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsolatedFromAbove

from ttl.analysis.arithmetic import COMMUTATIVE, held, integer_of
from ttl.analysis.effects import is_dead, is_free, only_reads, written_pieces
from ttl.analysis.fixed_point import iterations
from ttl.analysis.loops import Loop, bound, initial_values, trips
from ttl.dialects import ttl as dialect
from ttl.dialects.effects import L1
from ttl.ir.rewriting import Fold, rewrite
from ttl.passes.canonical.branches import decide_conditions, drop_unused_results
from ttl.passes.canonical.folding import fold
from ttl.passes.canonical.invariants import leaving
from ttl.passes.contracts import Contract, PassFact

# Folding one operation may allow folding others, which takes a few rounds; each is a walk over the module.
_MOST_ROUNDS = 200
_OFFSETS = (arith.AddiOp, arith.SubiOp)
Key = tuple[Any, ...]


@dataclass(frozen=True)
class CanonicalizeOperations(ModulePass):
    """Fold known arithmetic, compute each value once, and move it out of loops that it does not depend on."""

    name = "ttl-canonicalize"
    contract: ClassVar = Contract(before=(PassFact.BUFFERED,))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for _ in iterations("canonicalization", _MOST_ROUNDS):
            changed = _fold_queries(op) | decide_conditions(op)
            if not simplify(op) and not changed:
                return


@dataclass(frozen=True)
class CanonicalizeKernels(ModulePass):
    """Canonicalize programs of kernels as ttl-canonicalize does operations."""

    name = "ttkernel-canonicalize"
    contract: ClassVar = Contract(needs=(PassFact.KERNELS,))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for _ in iterations("canonicalization", _MOST_ROUNDS):
            changed = decide_conditions(op)
            if not simplify(op) and not changed:
                return


def _fold_queries(module: ModuleOp) -> bool:
    return rewrite(module, [Fold()])


def simplify(module: ModuleOp) -> bool:
    """Run one round over a module; return whether anything changed."""
    round_ = _Round()
    round_.region(module.body, _Scope(None))
    return round_.changed


class _Scope:
    """The operations whose values are known in a block, and in the blocks around it."""

    def __init__(self, outer: _Scope | None) -> None:
        self.outer = outer
        self.known: dict[Key, Operation] = {}
        # Tensors, and reads of blocks of a buffer: valid in this block of the IR only.
        self._here: dict[Key, Operation] = {}

    def find(self, key: Key, *, here: bool) -> Operation | None:
        """Return the operation that computed the value of a key, or None."""
        if here:
            return self._here.get(key)
        scope: _Scope | None = self
        while scope is not None:
            op = scope.known.get(key)
            if op is not None:
                return op
            scope = scope.outer
        return None

    def add(self, key: Key, op: Operation, *, here: bool) -> None:
        """Remember an operation."""
        (self._here if here else self.known)[key] = op

    @property
    def has_reads(self) -> bool:
        """Whether reads of blocks are remembered."""
        return any(map(only_reads, self._here.values()))

    def forget_reads(self, block: SSAValue | None = None) -> None:
        """Forget the reads of a block that may have been written; of all blocks for None."""
        for key in [key for key, op in self._here.items() if only_reads(op)]:
            if block is None or block in self._here[key].operands:
                del self._here[key]


class _Round:
    def __init__(self) -> None:
        self.changed = False

    def region(self, region: Region, scope: _Scope) -> None:
        for block in region.blocks:
            self.block(block, _Scope(scope))

    def block(self, block: Block, scope: _Scope) -> None:
        op = block.first_op
        while op is not None:
            op = self._visit(op, scope)
        for op in reversed(list(block.ops)):
            if is_dead(op):
                self._erase(op)

    def _visit(self, op: Operation, scope: _Scope) -> Operation | None:
        """Simplify an operation; return the operation to visit next."""
        following = op.next_op
        if op.regions:
            return self._control(op, scope, following)
        if len(op.results) == 1 and (known := fold(op)) is not None:
            value = known if isinstance(known, SSAValue) else self._constant(known, op, scope)
            if value is not None:
                self._replace(op, [value])
                return following
        if self._regroup(op, scope):
            return op  # with its new operands it may fold
        if op.parent is not None:
            self._once(op, scope)
        return following

    # --- computed once ---------------------------------------------------------------------------------------

    def _once(self, op: Operation, scope: _Scope) -> None:
        is_read = only_reads(op) and all(isinstance(result.type, TensorType) for result in op.results)
        if not is_read and not is_free(op):
            _note_effect(op, scope)
            return
        if not op.results:
            return
        here = is_read or any(isinstance(result.type, TensorType) for result in op.results)
        key = _key_of(op)
        match_ = scope.find(key, here=here)
        if match_ is None:
            scope.add(key, op, here=here)
        else:
            self._replace(op, match_.results)

    def _constant(self, number: int, op: Operation, scope: _Scope) -> SSAValue | None:
        type_ = op.results[0].type
        if held(number, type_) is None:
            return None
        return self._integer(number, type_, op, scope)

    def _integer(self, number: int, type_: Any, op: Operation, scope: _Scope) -> SSAValue:
        """Return a constant: one in scope that has the same value, else a new one in front of an operation."""
        new_op = arith.ConstantOp(IntegerAttr(number, type_))
        key = _key_of(new_op)
        result = scope.find(key, here=False)
        if result is not None:
            return result.results[0]
        new_op.location = op.location
        Rewriter.insert_op(new_op, InsertPoint.before(op))
        scope.add(key, new_op, here=False)
        return new_op.result

    def _regroup(self, op: Operation, scope: _Scope) -> bool:
        """Move constants to the right, and combine them: ``(x + 1) + 2`` is ``x + 3``, ``(x * 2) * 3`` is ``x * 6``."""
        if not isinstance(op, _OFFSETS) and op.name not in COMMUTATIVE:
            return False
        left, right = op.operands
        number = integer_of(right)
        if number is None:
            if op.name not in COMMUTATIVE or integer_of(left) is None:
                return False
            op.operands = (right, left)
            self.changed = True
            return True
        if isinstance(op, arith.MuliOp):
            return self._factored(op, left, number, scope)
        return isinstance(op, _OFFSETS) and self._offset(op, left, number, scope)

    def _factored(self, op: Operation, left: SSAValue, number: int, scope: _Scope) -> bool:
        inner = left.owner
        before = integer_of(inner.operands[1]) if isinstance(inner, arith.MuliOp) else None
        if before is None or held(before * number, op.results[0].type) is None:
            return False
        assert isinstance(inner, Operation)
        constant = self._integer(before * number, op.results[0].type, op, scope)
        op.operands = (inner.operands[0], constant)
        self.changed = True
        return True

    def _offset(self, op: Operation, left: SSAValue, number: int, scope: _Scope) -> bool:
        """Combine constants that are added or subtracted into one addition or subtraction of a positive constant."""
        inner = left.owner
        total = number if isinstance(op, arith.AddiOp) else -number
        if (
            isinstance(inner, arith.AddiOp | arith.SubiOp)
            and (before := integer_of(inner.operands[1])) is not None
        ):
            left = inner.operands[0]
            total += before if isinstance(inner, arith.AddiOp) else -before
        elif (number >= 0) or total == -total:
            return False
        type_ = op.results[0].type
        if held(total, type_) is None or held(-total, type_) is None:
            return False
        if total == 0:
            self._replace(op, [left])
            return False
        constant = self._integer(abs(total), type_, op, scope)
        new_op = arith.AddiOp(left, constant) if total > 0 else arith.SubiOp(left, constant)
        key = _key_of(new_op)
        result = scope.find(key, here=False)
        if result is None:
            new_op.location = op.location
            Rewriter.insert_op(new_op, InsertPoint.before(op))
            scope.add(key, new_op, here=False)
            result = new_op
        else:
            new_op.erase()
        self._replace(op, result.results)
        return False

    # --- loops and branches ----------------------------------------------------------------------------------

    def _control(self, op: Operation, scope: _Scope, following: Operation | None) -> Operation | None:
        match op:
            case scf.IfOp():
                chosen = integer_of(op.cond)
                if chosen is not None:
                    return self._inline(op, op.true_region if chosen else op.false_region, ()) or following
            case scf.ForOp() | affine.ForOp():
                iterations = trips(op)
                if iterations == 0:
                    self._replace(op, initial_values(op))
                    return following
                if iterations == 1:
                    return (
                        self._inline(op, op.body, (self._first(op, scope), *initial_values(op))) or following
                    )
        inner = _Scope(None) if op.has_trait(IsolatedFromAbove) or _is_kernel(op) else scope
        for region in op.regions:
            self.region(region, inner)
        match op:
            case scf.ForOp() | affine.ForOp():
                self._settle_carried(op)
                self._hoist(op)
            case scf.IfOp():
                self._settle_branches(op)
        # ``is_free`` looks at all nested operations, so it is asked only where there are reads to forget.
        if scope.has_reads and not is_free(op):
            scope.forget_reads()
        if isinstance(op, scf.IfOp) and drop_unused_results(op) is not None:
            self.changed = True
        return following

    def _first(self, loop: Loop, scope: _Scope) -> SSAValue:
        if isinstance(loop, scf.ForOp):
            return loop.lb
        first = bound(loop.lowerBoundMap)
        assert first is not None
        return self._integer(first, loop.body.block.args[0].type, loop, scope)

    def _inline(self, op: Operation, region: Region, arguments: tuple[SSAValue, ...]) -> Operation | None:
        """Replace an operation by the operations of a region; return the first of them, None for an empty region."""
        if not region.blocks:
            self._replace(op, [])
            return None
        block = region.block
        end = block.last_op
        assert end is not None
        first = block.first_op if block.first_op is not end else None
        for argument, value in zip(block.args, arguments, strict=True):
            # A constant has other uses, for which the name of this loop's variable would be wrong.
            if isinstance(value.owner, arith.ConstantOp):
                argument.name_hint = None
            argument.replace_all_uses_with(value)
        values = [*end.operands]
        Rewriter.erase_op(end)
        for item in list(block.ops):
            item.detach()  # type: ignore[no-untyped-call]
            Rewriter.insert_op(item, InsertPoint.before(op))
        self._replace(op, values)
        return first

    def _settle_carried(self, loop: Loop) -> None:
        """Replace the values that every iteration of a loop carries on unchanged by their initial values."""
        end = loop.body.block.last_op
        assert end is not None
        for argument, carried, initial, result in zip(
            loop.body.block.args[1:], end.operands, initial_values(loop), loop.results, strict=True
        ):
            if carried is argument or carried is initial:
                for value in (argument, result):
                    if value.uses:
                        value.replace_all_uses_with(initial)
                        self.changed = True

    def _settle_branches(self, op: scf.IfOp) -> None:
        """Replace the results of an ``scf.if`` whose branches yield the same value."""
        ends = [region.block.last_op for region in op.regions if region.blocks]
        if len(ends) != 2:
            return
        for result, first, second in zip(op.results, *(end.operands for end in ends if end), strict=True):
            if first is second and result.uses:
                result.replace_all_uses_with(first)
                self.changed = True

    def _hoist(self, loop: Loop) -> None:
        for op in leaving(loop.body.block):
            op.detach()  # type: ignore[no-untyped-call]
            Rewriter.insert_op(op, InsertPoint.before(loop))
            self.changed = True

    # --- changes ---------------------------------------------------------------------------------------------

    def _replace(self, op: Operation, values: Any) -> None:
        for result, value in zip(op.results, values, strict=True):
            if value.name_hint is None:
                value.name_hint = result.name_hint
            result.replace_all_uses_with(value)
        self._erase(op)

    def _erase(self, op: Operation) -> None:
        Rewriter.erase_op(op)
        self.changed = True


def _key_of(op: Operation) -> Key:
    operands = tuple(op.operands)
    if op.name in COMMUTATIVE:
        operands = tuple(sorted(operands, key=id))
    return (
        op.name,
        operands,
        frozenset(op.attributes.items()),
        frozenset(op.properties.items()),
        tuple(result.type for result in op.results),
    )


def _note_effect(op: Operation, scope: _Scope) -> None:
    """Forget the reads that the effect of an operation invalidates."""
    pieces = written_pieces(op, L1)
    for piece in (None,) if pieces is None else pieces:
        scope.forget_reads(piece)


def _is_kernel(op: Operation) -> bool:
    """Whether an operation is a kernel: its body runs elsewhere, and cannot use values computed outside of it."""
    return isinstance(op, dialect.UserKernelOp)
