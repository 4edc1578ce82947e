"""Branches as C++: their results are variables that each branch assigns, or one conditional expression."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from ttl.codegen.cpp.body import BodyPrinter
from ttl.codegen.cpp.expr import negation
from ttl.codegen.cpp.types import declaration

# The variables of results; None for results without a use.
Variables = Sequence[str | None]


def write_if(body: BodyPrinter, op: scf.IfOp) -> None:
    """Print an ``if``; its results are variables that both branches assign, or one conditional expression."""
    if not body.demand.is_needed(op):
        return
    condition = body.arithmetic.known(op.cond)
    if condition is not None:
        _write_decided(body, op, op.true_region if condition.number else op.false_region)
        return
    if _is_choice(body, op):
        _write_choice(body, op)
        return
    variables = _given(body, op, op.output, "chosen")
    _write_branches(body, op, variables, "if")
    for result, variable in zip(op.output, variables, strict=True):
        if variable is not None:
            body.bind(result, variable)


def _given(body: BodyPrinter, op: Operation, results: Sequence[SSAValue], fallback: str) -> Variables:
    """Declare variables for results, without a value."""
    variables: list[str | None] = []
    for result in results:
        if not body.demand.is_held(result):
            variables.append(None)
            continue
        variable = body.names.fresh(result.name_hint, fallback)
        body.write(op, f"{declaration(result, variable, body.ranges, constant=False)};")
        variables.append(variable)
    return variables


def _write_decided(body: BodyPrinter, op: scf.IfOp, region: Region) -> None:
    """Print the branch that is always taken in place of the ``if``."""
    if not region.blocks:
        return
    body.block(region.block)
    end = region.block.last_op
    for position, result in enumerate(op.output):
        if body.demand.is_held(result):
            assert end is not None
            body.inline(result, body.held(end.operands[position], result))


def _write_branches(body: BodyPrinter, op: scf.IfOp, variables: Variables, word: str) -> None:
    then = op.true_region.block
    otherwise = op.false_region.block if op.false_region.blocks else None
    condition = body.use(op.cond)
    if otherwise is not None and not any(variables):
        if body.is_inline(then):
            then, otherwise, condition = otherwise, None, negation(condition)
        elif body.is_inline(otherwise):
            otherwise = None
    head = f"{word} ({condition.text}) {{"
    if word == "if":
        body.write(op, head)
    else:
        body.writer.line(head)
    _branch(body, then, op.output, variables)
    if otherwise is None:
        body.writer.line("}")
        return
    only = _only_branch(body, otherwise) if not any(variables) else None
    if only is not None:
        _write_branches(body, only, (), "} else if")
        return
    body.writer.line("} else {")
    _branch(body, otherwise, op.output, variables)
    body.writer.line("}")


def _branch(body: BodyPrinter, block: Block, results: Sequence[SSAValue], variables: Variables) -> None:
    def assign() -> None:
        for position, variable in enumerate(variables):
            if variable is not None:
                assert block.last_op is not None
                value = body.held(block.last_op.operands[position], results[position])
                body.writer.line(f"{variable} = {value.text};")

    body.scope(block, assign)


def _only_branch(body: BodyPrinter, block: Block) -> scf.IfOp | None:
    """The only statement of a block, if it is an ``if`` without results whose condition can contain all expressions.

    None for other blocks.
    """
    needed = [op for op in block.ops if isinstance(op, scf.IfOp) and body.demand.is_needed(op)]
    if len(needed) != 1 or any(map(body.demand.is_held, needed[0].output)):
        return None
    if body.arithmetic.known(needed[0].cond) is not None or not body.is_inline(block, beside=needed[0]):
        return None
    body.inlined(block, beside=needed[0])
    return needed[0]


def _is_choice(body: BodyPrinter, op: scf.IfOp) -> bool:
    """Whether both branches only compute one value."""
    if len(op.output) != 1 or not op.false_region.blocks:
        return False
    return all(body.is_inline(region.block) for region in (op.true_region, op.false_region))


def _write_choice(body: BodyPrinter, op: scf.IfOp) -> None:
    result, values = op.output[0], []
    if not body.demand.is_held(result):
        return
    for region in (op.true_region, op.false_region):
        body.inlined(region.block)
        assert region.block.last_op is not None
        values.append(region.block.last_op.operands[0])
    expr = body.arithmetic.choice(op.cond, values[0], values[1], result)
    variable = body.names.fresh(result.name_hint, "chosen")
    body.write(op, f"{declaration(result, variable, body.ranges, constant=True)} = {expr.text};")
    body.bind(result, variable)
