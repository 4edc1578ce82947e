"""Loops as C++: values that a loop carries are variables, which the end of an iteration assigns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, SSAValue

from ttl.codegen.cpp.body import BodyPrinter
from ttl.codegen.cpp.demand import block_of, inputs_of
from ttl.codegen.cpp.expr import CppExpr, converted, infix, name, negation
from ttl.codegen.cpp.types import counter_type, declaration, type_of

_COUNTERS = ("i", "j", "k", "l", "m", "n")
_COMPOUND: Mapping[type[Operation], str] = {arith.AddiOp: "+", arith.SubiOp: "-", arith.MuliOp: "*"}


def write_for(body: BodyPrinter, op: scf.ForOp) -> None:
    """Print a ``for`` loop; the variables that it carries from one iteration to the next are declared before it."""
    if not body.demand.is_needed(op):
        return
    if body.ranges.never_runs(op):
        for result, value in zip(op.res, op.iter_args, strict=True):
            if body.demand.is_held(result):
                body.inline(result, body.held(value, result))
        return
    block = op.body.block
    induction, *carried = block.args
    variables = _carried(body, op, op.iter_args, carried)
    ctype = counter_type(op, body.ranges)
    first = body.arithmetic.held(op.lb, ctype)
    end = converted(_bound(body, op, op.ub, "end"), ctype)
    step = _bound(body, op, op.step, "step")
    body.names.enter()
    counter = _counter(body, induction)
    body.inline(induction, name(counter, ctype))
    advance = f"++{counter}" if step.number == 1 else f"{counter} += {step.text}"
    test = infix(name(counter, ctype), "<", end, "bool")
    body.write(op, f"for ({ctype} {counter} = {first.text}; {test.text}; {advance}) {{")
    body.scope(block, lambda: _assign(body, block, carried, variables))
    body.writer.line("}")
    body.names.leave()
    _hold(body, op.res, variables)


def _counter(body: BodyPrinter, induction: SSAValue) -> str:
    hint = (induction.name_hint or "").strip("_")
    if hint and hint not in _COUNTERS:
        return body.names.fresh(hint, "i")
    letters = (hint, *_COUNTERS) if hint else _COUNTERS
    return body.names.fresh(next(filter(body.names.is_free, letters), None), "i")


def _bound(body: BodyPrinter, op: scf.ForOp, value: SSAValue, fallback: str) -> CppExpr:
    """Return the bound of a loop, which every iteration evaluates.

    One with several operators, or with parentheses or a call, becomes a variable.
    """
    expr = body.use(value)
    if expr.is_flat and sum(sign != "!" for sign in expr.signs) <= 1:
        return expr
    variable = body.names.fresh(value.name_hint, fallback)
    body.write(op, f"{declaration(value, variable, body.ranges, constant=True)} = {expr.text};")
    return name(variable, type_of(value, body.ranges))


# The variables of carried values, by position; None for values without a use.
Variables = Sequence[str | None]


def _carried(
    body: BodyPrinter, op: scf.ForOp | scf.WhileOp, initial: Sequence[SSAValue], carried: Sequence[SSAValue]
) -> Variables:
    """Declare the variables of carried values, with their initial values."""
    variables: list[str | None] = []
    for position, (value, argument) in enumerate(zip(initial, carried, strict=True)):
        if not body.demand.is_carried(op, position):
            variables.append(None)
            continue
        variable = _taken_over(body, op, value, argument)
        if variable is None:
            variable = body.names.fresh(argument.name_hint or value.name_hint, "carried")
            body.write(
                op,
                f"{declaration(argument, variable, body.ranges, constant=False)} = {body.held(value, argument).text};",
            )
        variables.append(variable)
    _hold(body, carried, variables)
    return variables


def _taken_over(body: BodyPrinter, op: Operation, value: SSAValue, argument: SSAValue) -> str | None:
    """The variable of a value, if a loop can carry the value in it: the type fits, and only the loop uses the value.

    None if a new variable is needed.
    """
    variable = body.variables.get(value)
    if variable is None or body.demand.only_user(value) is not op or block_of(value) is not op.parent:
        return None
    return variable if type_of(value, body.ranges) == type_of(argument, body.ranges) else None


def _hold(body: BodyPrinter, values: Sequence[SSAValue], variables: Variables) -> None:
    for value, variable in zip(values, variables, strict=True):
        if variable is None:
            continue
        body.bind(value, variable)
        body.variables[value] = variable


@dataclass(frozen=True, slots=True)
class _Assignment:
    variable: str
    expr: CppExpr
    text: str


def _assign(body: BodyPrinter, block: Block, arguments: Sequence[SSAValue], variables: Variables) -> None:
    """Assign the carried values of the next iteration, each read before it is overwritten."""
    end = block.last_op
    assert end is not None
    left = []
    for variable, value, argument in zip(variables, end.operands, arguments, strict=True):
        if variable is None:
            continue
        expr = body.held(value, argument)
        if expr.text != variable:
            left.append(_Assignment(variable, expr, _compound(body, value, argument, variable)))
    while left:
        free = next((assignment for assignment in left if not _is_read(assignment, left)), None)
        if free is None:
            # Every remaining variable is read by another assignment: the new value of one is computed first.
            first = left.pop(0)
            kept = body.names.fresh(f"next_{first.variable}", "next")
            body.writer.line(f"const auto {kept} = {first.expr.text};")
            left.append(
                _Assignment(first.variable, name(kept, first.expr.ctype), f"{first.variable} = {kept};")
            )
            continue
        left.remove(free)
        body.writer.line(free.text)


def _is_read(assignment: _Assignment, others: Sequence[_Assignment]) -> bool:
    return any(other is not assignment and assignment.variable in other.expr.names for other in others)


def _compound(body: BodyPrinter, value: SSAValue, argument: SSAValue, variable: str) -> str:
    """The assignment of a carried value: ``x += y`` where the next ``x`` is ``x + y``, else ``x = ...``."""
    whole = body.held(value, argument).text
    owner = value.owner
    if (
        not isinstance(owner, arith.AddiOp | arith.SubiOp | arith.MuliOp)
        or whole.isidentifier()
        or inputs_of(owner) != (owner.lhs, owner.rhs)  # ``x - x // n * n``, written as ``x % n``
        or body.use(owner.lhs).text != variable
        or body.arithmetic.known(value) is not None
    ):
        return f"{variable} = {whole};"
    other = body.held(owner.rhs, argument)
    sign, number = _COMPOUND[type(owner)], other.number
    if number is not None and number < 0 and sign != "*":
        sign, number = "-" if sign == "+" else "+", -number
    if number == 1 and sign != "*":
        return f"{sign}{sign}{variable};"
    return f"{variable} {sign}= {other.text if number is None else number};"


def write_while(body: BodyPrinter, op: scf.WhileOp) -> None:
    """Print a ``while`` loop, or an infinite loop with a ``break`` in the middle."""
    if not body.demand.is_needed(op):
        return
    before, after = op.before_region.block, op.after_region.block
    condition = before.last_op
    assert isinstance(condition, scf.ConditionOp)
    variables = _carried(body, op, op.arguments, before.args)
    if list(condition.args) == list(before.args):
        _hold(body, after.args, variables)
        results = variables
    else:
        results = _passed(body, op)
        _hold(body, after.args, results)
    body.names.enter()
    if results is variables and body.is_inline(before):
        body.inlined(before)
        body.write(op, f"while ({body.use(condition.condition).text}) {{")
        body.scope(after, lambda: _assign(body, after, before.args, variables))
    else:
        body.write(op, "while (true) {")
        body.scope(before, lambda: _middle(body, condition, op, variables, results))
    body.names.leave()
    body.writer.line("}")
    _hold(body, op.res, results)


def _passed(body: BodyPrinter, op: scf.WhileOp) -> Variables:
    """Declare the variables of values that the test passes to the body and to the code after the loop."""
    variables: list[str | None] = []
    for result, argument in zip(op.res, op.after_region.block.args, strict=True):
        if not body.demand.is_held(result) and not body.demand.is_held(argument):
            variables.append(None)
            continue
        variable = body.names.fresh(result.name_hint, "last")
        body.write(op, f"{declaration(argument, variable, body.ranges, constant=False)};")
        variables.append(variable)
    return variables


def _middle(
    body: BodyPrinter, condition: scf.ConditionOp, op: scf.WhileOp, variables: Variables, results: Variables
) -> None:
    if results is not variables:
        for variable, value, passed in zip(results, condition.args, op.after_region.block.args, strict=True):
            if variable is None:
                continue
            body.writer.line(f"{variable} = {body.held(value, passed).text};")
    body.writer.line(f"if ({negation(body.use(condition.condition)).text}) {{")
    with body.writer.indented():
        body.writer.line("break;")
    body.writer.line("}")
    body.block(op.after_region.block)
    _assign(body, op.after_region.block, op.before_region.block.args, variables)
