"""Rewrites of Python that leave its meaning alone: each is applied wherever it can be."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from textwrap import dedent
from typing import Any

from support.random_programs.python.programs import Program

Fresh = Callable[[], str]
Statement = Callable[[Any, Fresh], "str | None"]
"""The text of the statements instead of one, or None where the rewrite does not fit."""
_LEAVING = (ast.Break, ast.Continue, ast.Return)
_PLAIN = (ast.Name, ast.Constant)


def rewritten(program: Program, name: str) -> Program | None:
    """A program with a rewrite applied to its kernels; None where it fits nowhere."""
    done = {part: _applied(getattr(program, part), name) for part in ("movement", "compute")}
    if all(text is None for text in done.values()):
        return None
    fields: dict[str, Any] = {part: text for part, text in done.items() if text is not None}
    return replace(program, **fields)


def _applied(text: str, name: str) -> str | None:
    tree = ast.parse(dedent(text))
    rewriter = _Rewriter(REWRITES[name])
    tree = rewriter.visit(tree)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n" if rewriter.count else None


class _Rewriter(ast.NodeTransformer):
    def __init__(self, rewrite: Statement) -> None:
        self.rewrite = rewrite
        self.count = 0
        names = (f"t_{number}" for number in count(1))
        self.fresh: Fresh = lambda: next(names)

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.JoinedStr | ast.MatchValue | ast.Nonlocal):
            return node
        node = self.generic_visit(node)
        context = getattr(node, "ctx", None)
        if not isinstance(node, ast.stmt | ast.expr) or isinstance(context, ast.Store | ast.Del):
            return node
        text = self.rewrite(node, self.fresh)
        if text is None:
            return node
        self.count += 1
        if isinstance(node, ast.expr):
            return ast.parse(text, mode="eval").body
        return ast.parse(text).body


def _u(*nodes: ast.AST | list[Any]) -> Iterator[str]:
    for node in nodes:
        yield "\n".join(map(ast.unparse, node)) if isinstance(node, list) else ast.unparse(node)


def _inside(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


def _has(node: ast.AST | list[Any], *kinds: type[ast.AST]) -> bool:
    nodes = node if isinstance(node, list) else [node]
    return any(isinstance(each, kinds) for one in nodes for each in ast.walk(one))


def _assigned(node: Any) -> tuple[str, str] | None:
    """The name and the value of an assignment to one name."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, ast.unparse(value)
    return None


def _is_range(node: Any) -> bool:
    return isinstance(node, ast.For) and ast.unparse(node.iter).startswith("range(") and not node.orelse


# --- statements -----------------------------------------------------------------------------------------------------


def _named_argument(node: Any, fresh: Fresh) -> str | None:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=[first, *others])) if not isinstance(
            first, ast.Starred
        ):
            name = fresh()
            return f"{name} = {ast.unparse(first)}\nprint({', '.join([name, *_u(*others)])})"
    return None


def _named_return(node: Any, fresh: Fresh) -> str | None:
    match node:
        case ast.Return(value=ast.expr() as value):
            name = fresh()
            return f"{name} = {ast.unparse(value)}\nreturn {name}"
    return None


def _to_conditional(node: Any, fresh: Fresh) -> str | None:
    match node:
        case ast.If(body=[one], orelse=[other]):
            first, second = _assigned(one), _assigned(other)
            if first and second and first[0] == second[0]:
                return f"{first[0]} = {first[1]} if {ast.unparse(node.test)} else {second[1]}"
    return None


def _from_conditional(node: Any, fresh: Fresh) -> str | None:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.IfExp(test=test, body=body, orelse=orelse)):
            condition, first, second = _u(test, body, orelse)
            return f"if {condition}:\n    {name} = {first}\nelse:\n    {name} = {second}"
    return None


def _for_to_while(node: Any, fresh: Fresh) -> str | None:
    if not (_is_range(node) and len(node.iter.args) == 1):
        return None
    number, end = fresh(), fresh()
    target, limit, body = _u(node.target, node.iter.args[0], node.body)
    head = f"{end} = {limit}\n{number} = 0\nwhile {number} < {end}:"
    return f"{head}\n    {target} = {number}\n    {number} += 1\n{_inside(body)}"


def _while_true(node: Any, fresh: Fresh) -> str | None:
    if not isinstance(node, ast.While) or node.orelse or isinstance(node.test, ast.Constant):
        return None
    test, body = _u(node.test, node.body)
    return f"while True:\n    if not ({test}):\n        break\n{_inside(body)}"


def _swapped_branches(node: Any, fresh: Fresh) -> str | None:
    if not (isinstance(node, ast.If) and node.orelse):
        return None
    test, body, orelse = _u(node.test, node.body, node.orelse)
    return f"if not ({test}):\n{_inside(orelse)}\nelse:\n{_inside(body)}"


def _own_else(node: Any, fresh: Fresh) -> str | None:
    if not isinstance(node, ast.If):
        return None
    test, body = _u(node.test, node.body)
    orelse = next(_u(node.orelse)) or "pass"
    return f"if {test}:\n{_inside(body)}\nelse:\n    pass\n{_inside(orelse)}"


def _plain_assignment(node: Any, fresh: Fresh) -> str | None:
    match node:
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
            sign = ast.unparse(ast.BinOp(ast.Constant(1), op, ast.Constant(1))).strip("1 ")
            return f"{name} = {name} {sign} ({ast.unparse(value)})"
    return None


def _of_assignment(form: str) -> Statement:
    def rewrite(node: Any, fresh: Fresh) -> str | None:
        found = _assigned(node)
        return None if found is None else form.format(name=found[0], value=found[1], other=fresh())

    return rewrite


def _named_condition(node: Any, fresh: Fresh) -> str | None:
    if not isinstance(node, ast.If):
        return None
    node.test = ast.parse(f"({fresh()} := {ast.unparse(node.test)})", mode="eval").body
    return ast.unparse(node)


def _whole_range(node: Any, fresh: Fresh) -> str | None:
    match node:
        case ast.Call(func=ast.Name(id="range"), args=[end]):
            return f"range(0, {ast.unparse(end)}, 1)"
    return None


def _empty_else(node: Any, fresh: Fresh) -> str | None:
    if not isinstance(node, ast.For | ast.While) or node.orelse:
        return None
    return f"{ast.unparse(node)}\nelse:\n    pass"


def _else_after_return(node: Any, fresh: Fresh) -> str | None:
    if not isinstance(node, ast.FunctionDef):
        return None
    for number, each in enumerate(node.body[:-1]):
        match each:
            case ast.If(body=[*_, ast.Return()], orelse=[]):
                each.orelse = node.body[number + 1 :]
                node.body = node.body[: number + 1]
                return ast.unparse(node)
    return None


def _both_ways(node: Any, fresh: Fresh) -> str | None:
    """The same in both branches of a condition of the node."""
    if not isinstance(node, ast.Assign | ast.AugAssign | ast.Expr):
        return None
    text = _inside(ast.unparse(node))
    return f"if n > 2:\n{text}\nelse:\n{text}"


def _always(node: Any, fresh: Fresh) -> str | None:
    """Under a condition of the node that always holds."""
    if not isinstance(node, ast.Expr | ast.AugAssign):
        return None
    return f"if n < 6:\n{_inside(ast.unparse(node))}"


def _loop_of_one(node: Any, fresh: Fresh) -> str | None:
    if not isinstance(node, ast.Expr | ast.AugAssign):
        return None
    return f"for {fresh()} in range(1):\n{_inside(ast.unparse(node))}"


def _loop_left_at_once(node: Any, fresh: Fresh) -> str | None:
    if not isinstance(node, ast.Expr | ast.AugAssign):
        return None
    return f"while True:\n{_inside(ast.unparse(node))}\n    break"


def _unrolled(node: Any, fresh: Fresh) -> str | None:
    if not _is_range(node) or _has(node.body, *_LEAVING, ast.FunctionDef):
        return None
    match node.iter.args:
        case [ast.Constant(value=int(end))] if 0 < end < 5:
            target, body = _u(node.target, node.body)
            return "\n".join(f"{target} = {number}\n{body}" for number in range(end))
    return None


def _own_function(node: Any, fresh: Fresh) -> str | None:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"))) if not _has(node, ast.NamedExpr):
            name = fresh()
            return f"def {name}():\n    {ast.unparse(node)}\n{name}()"
    return None


def _function_with_default(node: Any, fresh: Fresh) -> str | None:
    """What a function captures is an argument instead."""
    if not isinstance(node, ast.FunctionDef) or node.args.kwonlyargs or not _has(node.body, ast.Name):
        return None
    names = {each.arg for each in node.args.args}
    if "n" in names or not any(isinstance(each, ast.Name) and each.id == "n" for each in ast.walk(node)):
        return None
    node.args.kwonlyargs.append(ast.arg("n"))
    node.args.kw_defaults.append(ast.Name("n", ast.Load()))
    return ast.unparse(node)


def _if_to_match(node: Any, fresh: Fresh) -> str | None:
    match node:
        case ast.If(
            test=ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=int(number))])
        ):
            subject, body = _u(left, node.body)
            orelse = next(_u(node.orelse)) or "pass"
            return f"match {subject}:\n    case {number}:\n{_inside(_inside(body))}\n    case _:\n{_inside(_inside(orelse))}"
    return None


def _lambda_to_def(node: Any, fresh: Fresh) -> str | None:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda(args=arguments, body=body)):
            return f"def {name}({ast.unparse(arguments)}):\n    return {ast.unparse(body)}"
    return None


def _dead_code(node: Any, fresh: Fresh) -> str | None:
    found = _assigned(node)
    return None if found is None else f"{ast.unparse(node)}\nif n > 100:\n    {found[0]} = 77"


# --- expressions ----------------------------------------------------------------------------------------------------


def _of_node(form: str) -> Statement:
    return lambda node, fresh: form if isinstance(node, ast.Name) and node.id == "n" else None


def _of_number(node: Any, fresh: Fresh) -> str | None:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return f"({node.value - 1} + 1)"
    return None


def _links(node: Any, fresh: Fresh) -> str | None:
    match node:
        case ast.Compare(left=left, ops=[first, second], comparators=[middle, right]) if isinstance(
            middle, _PLAIN
        ):
            one, other = ast.Compare(left, [first], [middle]), ast.Compare(middle, [second], [right])
            return f"({ast.unparse(one)} and {ast.unparse(other)})"
    return None


def _or_to_conditional(node: Any, fresh: Fresh) -> str | None:
    match node:
        case ast.BoolOp(op=op, values=[ast.Name(id=name), other]):
            first, second = (
                (name, ast.unparse(other)) if isinstance(op, ast.Or) else (ast.unparse(other), name)
            )
            return f"({first} if {name} else {second})"
    return None


def _mirrored(node: Any, fresh: Fresh) -> str | None:
    signs = {ast.Lt: ">", ast.LtE: ">=", ast.Gt: "<", ast.GtE: "<=", ast.Eq: "==", ast.NotEq: "!="}
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in signs and not _has(
            node, ast.Call, ast.NamedExpr
        ):
            return f"(({ast.unparse(right)}) {signs[type(op)]} ({ast.unparse(left)}))"
    return None


def _not_the_opposite(node: Any, fresh: Fresh) -> str | None:
    signs = {ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "=="}
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in signs:
            return f"(not ({ast.unparse(left)}) {signs[type(op)]} ({ast.unparse(right)}))"
    return None


def _of_tuple(node: Any, fresh: Fresh) -> str | None:
    match node:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.In()], comparators=[ast.Tuple(elts=[one, other])]):
            return f"({name} == {ast.unparse(one)} or {name} == {ast.unparse(other)})"
    return None


def _starred(node: Any, fresh: Fresh) -> str | None:
    match node:
        case ast.Call(func=ast.Name(id="print"), args=[_, *_]):
            return f"print(*({', '.join(_u(*node.args))},))"
    return None


def _least(node: Any, fresh: Fresh) -> str | None:
    match node:
        case ast.Call(func=ast.Name(id="min" | "max" as name), args=[one, other], keywords=[]) if isinstance(
            one, _PLAIN
        ) and isinstance(other, _PLAIN):
            first, second = _u(one, other)
            sign = "<=" if name == "min" else ">="
            return f"({first} if {first} {sign} {second} else {second})"
    return None


def _negated_condition(node: Any, fresh: Fresh) -> str | None:
    match node:
        case ast.IfExp(test=test, body=body, orelse=orelse):
            condition, first, second = _u(test, body, orelse)
            return f"({second} if not ({condition}) else {first})"
    return None


def _called_at_once(node: Any, fresh: Fresh) -> str | None:
    if isinstance(node, ast.BinOp) and not _has(node, ast.NamedExpr):
        return f"(lambda: {ast.unparse(node)})()"
    return None


REWRITES: dict[str, Statement] = {
    "name the first argument of a print": _named_argument,
    "name what is returned": _named_return,
    "if to a conditional expression": _to_conditional,
    "a conditional expression to if": _from_conditional,
    "for to while": _for_to_while,
    "while to an endless loop": _while_true,
    "swap the branches of if": _swapped_branches,
    "elif to if in else": _own_else,
    "an augmented assignment to a plain one": _plain_assignment,
    "assign by a tuple": _of_assignment("({name},) = ({value},)"),
    "assign twice": _of_assignment("{name} = {other} = {value}"),
    "assign in an expression": _of_assignment("({name} := {value})"),
    "assign through another name": _of_assignment("{other} = {value}\n{name} = {other}"),
    "assign through a list": _of_assignment("{name} = [{value}][0]"),
    "name a condition": _named_condition,
    "all arguments of range": _whole_range,
    "an else that does nothing": _empty_else,
    "what follows a return to else": _else_after_return,
    "the same in both branches": _both_ways,
    "a condition that always holds": _always,
    "a loop of one iteration": _loop_of_one,
    "an endless loop that is left at once": _loop_left_at_once,
    "unroll a loop": _unrolled,
    "a print in a function of its own": _own_function,
    "a captured number to an argument": _function_with_default,
    "if to match": _if_to_match,
    "a lambda to a function": _lambda_to_def,
    "an assignment that never happens": _dead_code,
    "the node plus nothing": _of_node("(n + 0)"),
    "the node as an integer": _of_node("int(n)"),
    "the node from a tuple": _of_node("(0, n)[1]"),
    "the node from a dictionary": _of_node("{'k': n}['k']"),
    "the node from a function": _of_node("(lambda: n)()"),
    "the node from a choice": _of_node("(n if n > 1 else n)"),
    "a sum for a number": _of_number,
    "a chain of comparisons to and": _links,
    "or and and to a conditional expression": _or_to_conditional,
    "a comparison from the other side": _mirrored,
    "not the opposite comparison": _not_the_opposite,
    "in to or": _of_tuple,
    "arguments by a star": _starred,
    "min and max to a conditional expression": _least,
    "not the condition of an expression": _negated_condition,
    "an expression to a lambda that is called at once": _called_at_once,
}
