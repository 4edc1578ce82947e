"""``sum``, ``any``, ``all``, ``min``, ``max`` and ``len`` of a comprehension whose length only the node knows.

Such a comprehension becomes a loop that keeps one value: the source of that loop is made here, and evaluated like any
other. ``sum`` adds the same values in the same order as Python's loop; ``any`` and ``all`` leave the loop where Python
does.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Mapping
from typing import Any

from ttl.dialects import ttl as ir
from ttl.frontend.containers import require_apart
from ttl.frontend.domain import NOT_REDUCED
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.flow import block
from ttl.frontend.kernel.tracer import Tracer
from ttl.frontend.scalars import NodeCondition
from ttl.frontend.values import Scope
from ttl.session import cached
from ttl.source.facts import fact_of_syntax
from ttl.source.parsing import parse
from ttl.source.scopes import assigned, locate, may_act, own_names

_Comprehension = ast.GeneratorExp | ast.ListComp
_FIRST, _KEPT, _HAS, _NEXT = "$first", "$kept", "$has", "$next"

# Functions that leave the loop as soon as their result is known.
_LEAVING = ("any", "all")
# The value that each function keeps before the first member, and its step for one member.
_STEPS: Mapping[Callable[..., Any], tuple[Any, str]] = {
    builtins.sum: (0, f"{_KEPT} = {_KEPT} + {_NEXT}"),
    builtins.len: (0, f"{_KEPT} = {_KEPT} + 1"),
    builtins.any: (False, f"if {_NEXT}:\n  {_KEPT} = True\n  break"),
    builtins.all: (True, f"if not {_NEXT}:\n  {_KEPT} = False\n  break"),
    builtins.min: (0, f"{_KEPT} = min({_KEPT}, {_NEXT}) if {_HAS} else {_NEXT}\n{_HAS} = True"),
    builtins.max: (0, f"{_KEPT} = max({_KEPT}, {_NEXT}) if {_HAS} else {_NEXT}\n{_HAS} = True"),
}


def reduced(reader: Evaluator, tracer: Tracer, function: Any, node: ast.Call) -> Any:
    """The result of such a function; ``NOT_REDUCED`` if it is another function, or all members are known one by one."""
    step = _STEPS.get(function) if isinstance(function, type(len)) else None
    if step is None or tracer.kernel is None or len(node.args) > 1:
        return NOT_REDUCED
    given = {keyword.arg for keyword in node.keywords}
    parts = _parts(node.args[0], function.__name__)
    if not parts or not given <= {"start" if function is sum else "default"}:
        return NOT_REDUCED
    kept, has = step[0], False
    for keyword in node.keywords:
        kept = reader.eval(keyword.value)
    for part in parts:
        first = reader.eval(part.generators[0].iter if isinstance(part, _Comprehension) else part)
        if isinstance(part, _Comprehension):
            require_apart(reader, part, own_names(part))
        scope = Scope(reader.scope, _names(part))
        scope.names |= {_FIRST: first, _KEPT: kept, _HAS: has}
        with reader.within(scope, reader.file, reader.globals, reader.chain):
            reader.place = node
            block(reader, _statements(part, function.__name__), after=None)
            kept, has = (
                reader.domain.read(scope, ast.Name(name, ast.Load()), scope.names[name])
                for name in (_KEPT, _HAS)
            )
    reader.place = node
    if function in (min, max) and not node.keywords:
        _require_member(reader, tracer, function, has)
    return kept


def _require_member(reader: Evaluator, tracer: Tracer, function: Any, has: Any) -> None:
    """Refuse ``min`` and ``max`` without members, for which Python raises an exception."""
    if isinstance(has, NodeCondition):
        tracer.emit(ir.AssertOp(has.ssa(), f"{function.__name__}() has at least one member"))
    elif not has:
        reader.domain.python(function, [])


@cached(maxsize=1024)
def _parts(argument: ast.expr, function: str) -> list[ast.expr]:
    """Return the sources of the members: a comprehension, or the members of a list and the comprehensions in it.

    Empty if all members are known.
    """
    if isinstance(argument, ast.GeneratorExp) and function == "len":
        return []
    parts = [argument]
    if isinstance(argument, ast.List | ast.Tuple):
        if function not in ("sum", "min", "max", "len"):
            return []
        parts = [part.value if isinstance(part, ast.Starred) else part for part in argument.elts]
        if any(
            isinstance(part, ast.Starred) is not isinstance(value, _Comprehension)
            for part, value in zip(argument.elts, parts, strict=True)
        ):
            return []
    is_open = any(
        isinstance(part, _Comprehension)
        and (_may_be_open(part) or (function in _LEAVING and may_act(part.elt)))
        for part in parts
    )
    return parts if is_open else []


def _may_be_open(comprehension: _Comprehension) -> bool:
    """Return whether the node may decide a comprehension's length: by a condition, or a non-literal iterable."""
    generators = comprehension.generators
    return not any(part.is_async for part in generators) and any(
        part.ifs or not isinstance(part.iter, ast.Tuple | ast.List) for part in generators
    )


@fact_of_syntax
def _names(part: ast.expr) -> frozenset[str]:
    names = {_FIRST, _KEPT, _HAS, _NEXT}
    if isinstance(part, _Comprehension):
        names |= {name for generator in part.generators for name in assigned(generator.target)}
    return frozenset(names)


@cached(maxsize=1024)
def _statements(part: ast.expr, function: str) -> list[ast.stmt]:
    """Return the statements that apply the function to each member of a comprehension, or to one member."""
    by_name = {step.__name__: source for step, (_, source) in _STEPS.items()}
    text = by_name[function]
    if isinstance(part, ast.ListComp) and function in _LEAVING:
        text = text.replace("\n  break", "")  # Python makes the whole list first
    # Identifiers in source cannot begin with a dollar sign, so it is inserted after parsing.
    body = parse("".join(f"\n{line}" for line in text.replace("$", "_ttl_").split("\n"))).body
    for statement in body:
        for item in ast.walk(statement):
            if isinstance(item, ast.Name) and item.id.startswith("_ttl_"):
                item.id = "$" + item.id.removeprefix("_ttl_")
            elif isinstance(item, ast.Call) and isinstance(item.func, ast.Name):
                item.func = ast.Constant(getattr(builtins, item.func.id))
    one = part if isinstance(part, _Comprehension) else None
    value = ast.Name(_FIRST, ast.Load()) if one is None else one.elt
    member = ast.Assign([ast.Name(_NEXT, ast.Store())], value)
    inner: list[ast.stmt] = [member, *body]
    generators = [] if one is None else one.generators
    for depth in reversed(range(len(generators))):
        generator = generators[depth]
        for test in reversed(generator.ifs):
            inner = [ast.If(test, inner, [])]
        iterated = generator.iter if depth else ast.Name(_FIRST, ast.Load())
        loop = ast.For(generator.target, iterated, inner, [])
        loop.unrolled = True  # type: ignore[attr-defined]
        inner = [loop]
    for statement in inner:
        locate(statement, part)
    return inner
