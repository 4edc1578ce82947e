"""Loops and branches become straight-line code, since TTIR has no control flow.

A loop is unrolled, so its number of iterations must be known: its condition may depend on constants and counters only.
If the chosen branch is known, only that branch remains; if it depends on data, all branches are computed, and one
result is selected.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from tt_model.stablehlo.attributes import word_named
from tt_model.stablehlo.dialect import HLOControlFlow, HLOIf, HLOWhile, operation_named
from tt_model.stablehlo.known import Known
from ttl.ir.dense import dense
from ttl.ir.failure import NotLegalized
from ttl.ir.refusals import Refusal, Refused, reports_of
from ttmlir.transforms.greedy import erase_unused

# The most operations of loops in an unrolled program.
MOST_OPERATIONS = 100_000

_TRIPS = (
    "what works: loops whose condition depends on constants and counters only, such as lax.fori_loop with known bounds and "
    "lax.scan; a loop whose end depends on data must run outside of the model"
)


def unroll(op: ModuleOp) -> None:
    """Unroll loops and branches of functions. Raises ``NotLegalized`` with a report for each that is not possible."""
    refused: list[tuple[Operation, Refusal]] = []
    for function in op.walk():
        if isinstance(function, FuncOp):
            for block in function.body.blocks:
                _Unrolling(refused).run(list(block.ops))
    if refused:
        raise NotLegalized(reports_of(refused, explicitly=True))
    erase_unused(op)


class _Unrolling:
    """Unrolls the loops of one block."""

    def __init__(self, refused: list[tuple[Operation, Refusal]]) -> None:
        self._refused = refused
        self._known = Known()
        self._written = 0

    def run(self, operations: Sequence[Operation]) -> None:
        """Unroll the loops and branches among operations of the block, in order."""
        for op in operations:
            if not isinstance(op, HLOControlFlow):
                continue
            try:
                results = self._loop(op) if isinstance(op, HLOWhile) else self._branches(op)
            except Refused as problem:
                self._refused.append((op, problem.refusal))
                continue
            for old, new in zip(op.results, results, strict=True):
                old.replace_all_uses_with(new)
            Rewriter.erase_op(op)

    def _loop(self, op: Operation) -> list[SSAValue]:
        carried: list[SSAValue] = list(op.operands)
        condition, body = (region.block for region in op.regions)
        trips = 0
        while self._goes_on(condition, carried, trips):
            self._written += len(body.ops)
            if self._written > MOST_OPERATIONS:
                raise Refused(
                    f"unrolled it has more than {MOST_OPERATIONS:,} operations ({trips} times {len(body.ops)} so far)",
                    "what works: fewer steps, or arrays instead of a loop over their elements",
                )
            carried = self._inlined(body, carried, op)
            trips += 1
        return carried

    def _goes_on(self, condition: Block, carried: Sequence[SSAValue], trips: int) -> bool:
        known = Known(
            {argument: self._known[value] for argument, value in zip(condition.args, carried, strict=True)}
        )
        last = condition.last_op
        assert last is not None
        answer = known.number(last.operands[0])
        if answer is None:
            when = f"after {trips} steps" if trips else "from the beginning"
            raise Refused(f"its condition is not known when the model is compiled, {when}", _TRIPS)
        return bool(answer)

    def _inlined(self, body: Block, arguments: Sequence[SSAValue], before: Operation) -> list[SSAValue]:
        """Insert the unrolled operations of a body in front of an operation; return the results of the body."""
        values: dict[SSAValue, SSAValue] = dict(zip(body.args, arguments, strict=True))
        block = before.parent
        assert block is not None
        copies: list[Operation] = []
        for op in body.ops:
            if op is body.last_op:
                break
            copy = op.clone(values)
            for old_inner, inner in zip(op.walk(), copy.walk(), strict=True):
                inner.location = old_inner.location
            block.insert_op_before(copy, before)
            copies.append(copy)
        last = body.last_op
        assert last is not None
        # Returned values may come from operations that are unrolled next, so they are read after that.
        holder = operation_named("stablehlo.optimization_barrier").create(
            operands=[values.get(value, value) for value in last.operands],
            result_types=[value.type for value in last.operands],
        )
        block.insert_op_before(holder, before)
        self.run(copies)
        results = list(holder.operands)
        Rewriter.erase_op(holder)
        return results

    def _branches(self, op: Operation) -> list[SSAValue]:
        bodies = [region.block for region in op.regions]
        choice = self._known.number(op.operands[0])
        is_if = isinstance(op, HLOIf)
        if choice is not None:
            number = (0 if choice else 1) if is_if else int(choice)
            # An index out of range selects the last branch.
            chosen = bodies[number if 0 <= number < len(bodies) else -1]
            return self._inlined(chosen, (), op)
        all_of_them = [self._inlined(body, (), op) for body in bodies]
        results = all_of_them[-1]
        for number in range(len(bodies) - 2, -1, -1):
            condition = op.operands[0] if is_if else self._is(op, number)
            results = [
                self._made("stablehlo.select", [condition, one, other], one.type, op)
                for one, other in zip(all_of_them[number], results, strict=True)
            ]
        return results

    def _is(self, op: Operation, number: int) -> SSAValue:
        """Build the comparison of the index of a case with ``number``."""
        index = op.operands[0]
        type = index.type
        assert isinstance(type, TensorType)
        constant = self._made("stablehlo.constant", [], type, op, value=dense(type, [number]))
        truth = TensorType(IntegerType(1), type.get_shape())
        return self._made(
            "stablehlo.compare",
            [index, constant],
            truth,
            op,
            comparison_direction=word_named("comparison_direction", "EQ"),
        )

    def _made(
        self,
        name: str,
        operands: Sequence[SSAValue],
        type: Attribute,
        before: Operation,
        **properties: Attribute,
    ) -> SSAValue:
        new = operation_named(name).create(
            operands=operands, result_types=[type], properties=properties, location=before.location
        )
        block = before.parent
        assert block is not None
        block.insert_op_before(new, before)
        return new.results[0]
