"""Whether a loop, or a function that it may call, has a place that may need a value known during compilation.

This is asked before values are analysed; for most loops the answer is no.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from itertools import chain
from types import ModuleType, NoneType
from typing import Any

from ttl.frontend.classes import Instance, UserClass
from ttl.frontend.effects import AsFunction
from ttl.frontend.kernel import call_facts
from ttl.frontend.kernel.iterators import MemberIterator
from ttl.frontend.kernel.selected import Selected
from ttl.frontend.kernel.tables import can_look_up
from ttl.frontend.kernel.variable_facts import Frame
from ttl.frontend.reals import NodeFloat
from ttl.frontend.scalars import NodeCondition, NodeInteger, NodeRatio
from ttl.frontend.unknown import Unknown
from ttl.frontend.values import UNBOUND, Poison, RangeValue, UserFunction
from ttl.host.tensor import Tensor
from ttl.lang.buffer import DataflowBuffer
from ttl.lang.expr import BlockExpr
from ttl.lang.pipe import PipeNet
from ttl.source.facts import fact_of_syntax
from ttl.source.scopes import LEAVES, all_nodes, body_of, parts, reads

# Classes of values whose operations need no known values.
_HARMLESS = (int, float, NoneType, Tensor, DataflowBuffer, BlockExpr, PipeNet, RangeValue, range, slice, NodeInteger, NodeCondition, NodeFloat, NodeRatio, Poison)  # fmt: skip
_METHODS = frozenset(name for kind in (str, list, dict, set) for name in dir(kind)) - {"pop", "copy"}
_FUNCTIONS = frozenset(
    map(
        id,
        (
            range,
            len,
            enumerate,
            zip,
            reversed,
            min,
            max,
            abs,
            sum,
            any,
            all,
            print,
            isinstance,
            bool,
            float,
            slice,
        ),
    )
)


def may_need(loop: ast.For | ast.While, frame: Frame, as_function: AsFunction) -> bool:
    """Return whether a loop may need a known value, or change a container."""
    seen: set[int] = set()
    left: list[tuple[ast.AST, Frame]] = [(part, frame) for part in parts(loop)]
    while left:
        source, around = left.pop()
        if _has_place(source):
            return True
        for name in reads(source):
            value = around.value(name)
            if value is UNBOUND:
                value = getattr(builtins, name, UNBOUND)
            if (
                value is UNBOUND
                or isinstance(value, _HARMLESS)
                or id(value) in seen
                or id(value) in _FUNCTIONS
            ):
                continue
            seen.add(id(value))
            if can_look_up(value) and (isinstance(value, tuple) or name in _only_indexed(source)):
                continue
            function = value if isinstance(value, UserFunction) else as_function(value)
            if function is None:
                if not _is_of_language(value):
                    return True
            else:
                inner = Frame(function.scope, function.globals)
                left += [(statement, inner) for statement in body_of(function.node)]
    return False


def _is_of_language(value: Any) -> bool:
    """Whether a value is a module, function or object of the language, and does not stand for one of the program."""
    if isinstance(value, Instance | UserClass | MemberIterator | Selected | Unknown):
        return False
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return str(module or "").partition(".")[0] == "ttl"


@fact_of_syntax
def _has_place(source: ast.AST) -> bool:
    """Return whether source has, by its syntax, a place that needs a known value; the values of names do not count."""
    return any(_is_place(node) for node in all_nodes(source) if type(node) not in LEAVES)


def _is_place(node: ast.AST) -> bool:
    match node:
        case ast.BinOp(op=op, right=right) | ast.AugAssign(op=op, value=right):
            if isinstance(op, ast.Pow | ast.LShift | ast.RShift):
                return not isinstance(right, ast.Constant)
            return isinstance(op, ast.Mod | ast.Mult) and any(map(_is_sequence, parts(node)))
        case ast.FormattedValue():
            return node.format_spec is not None or node.conversion not in (-1, ord("s"))
        case ast.Subscript(value=value):
            return not isinstance(value, ast.Name)
        case ast.Call(func=ast.Attribute(value=owner) as function):
            if isinstance(owner, ast.Name):
                return False  # the value of the name is checked elsewhere
            return function.attr in _METHODS or (_has_parameters(function) and not _are_literal(node))
        case ast.Assign(value=value):
            return isinstance(value, ast.List | ast.Dict | ast.JoinedStr) or _is_sequence(value)
        case ast.Call(func=ast.Name(id="range"), args=[_, _, step]):
            return not isinstance(step, ast.Constant | ast.UnaryOp)
        case ast.Call(func=function):
            return not isinstance(function, ast.Name)
        case ast.Compare(ops=relations):
            return any(isinstance(relation, ast.In | ast.NotIn) for relation in relations)
        case ast.Return(value=value):
            return value is not None
        case ast.Dict(keys=keys):
            return not all(isinstance(key, ast.Constant) for key in keys)
    return isinstance(
        node,
        ast.Set | ast.Starred | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.Lambda,
    )


def _are_literal(call: ast.Call) -> bool:
    """Whether all arguments except the first are literals."""
    given = [*call.args[1:], *(keyword.value for keyword in call.keywords)]
    return not any(
        isinstance(node, ast.Name | ast.Call) for node in chain.from_iterable(map(all_nodes, given))
    )


@fact_of_syntax
def _only_indexed(source: ast.AST) -> frozenset[str]:
    """Return the names that are only used as the object of an index."""
    indexed = Counter(
        node.value.id
        for node in all_nodes(source)
        if isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and isinstance(node.ctx, ast.Load)
    )
    return frozenset(name for name, count in reads(source).items() if indexed[name] == count)


def _is_sequence(node: ast.AST) -> bool:
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    return is_text or isinstance(node, ast.List | ast.Tuple | ast.JoinedStr)


def _has_parameters(function: ast.Attribute) -> bool:
    """Return whether a call may be of an operation on blocks with other parameters than blocks."""
    match function.value:
        case ast.Attribute(attr="math" | "block" as namespace):
            op = call_facts.operation(namespace, function.attr)
            return op is not None and bool(op.params) and op.family != "fill"
    return False
