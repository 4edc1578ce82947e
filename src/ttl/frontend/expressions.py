"""Expressions: the whole of them, on top of operators, names and containers."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar

from ttl.frontend import refusals
from ttl.frontend.applying import Text
from ttl.frontend.containers import Containers
from ttl.frontend.objects import TracedExpr
from ttl.frontend.reals import Real
from ttl.frontend.scalars import Condition, Ratio, Scalar
from ttl.frontend.selected import Selected
from ttl.frontend.stop import Reject
from ttl.frontend.tables import plain
from ttl.frontend.values import UserFunction
from ttl.host.tensor import Tensor
from ttl.lang.block import Block


class Expressions(Containers):
    """Evaluation of expressions."""

    def eval(self, node: ast.expr) -> Any:
        """The value of an expression."""
        handler = self.HANDLERS.get(type(node))
        if handler is None:
            self.place = node
            what, advice = _UNSUPPORTED.get(type(node), (type(node).__name__, ""))
            raise Reject(refusals.construct(what, help=advice))
        return handler(self, node)

    # --- literals ---------------------------------------------------------------------------------------------

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _joined(self, node: ast.JoinedStr) -> Any:
        parts: list[Any] = []
        known = True
        for each in node.values:
            if isinstance(each, ast.Constant):
                parts.append(each.value)
                continue
            assert isinstance(each, ast.FormattedValue)
            value = self.lazy(each.value)
            if type(value) is Selected:
                parts.append((value, each))
                continue
            if isinstance(value, Scalar | Condition | Ratio | Real | TracedExpr | Block | Tensor):
                known = False
                parts.append(value)
                continue
            parts.append(self._formatted(value, each))
        if any(type(each) is tuple for each in parts):
            return self._selected_text(parts, known)
        return "".join(parts) if known else Text(tuple(parts))

    def _formatted(self, value: Any, node: ast.FormattedValue) -> Any:
        spec = "" if node.format_spec is None else self.eval(node.format_spec)
        self.place = node
        if node.conversion in (ord("r"), ord("a")):
            value = self.python(repr, value)
        elif node.conversion == ord("s"):
            value = self.python(str, value)
        return self.python(format, value, spec)

    def _selected_text(self, parts: list[Any], known: bool) -> Any:
        """A text with values in it that are selected on the node: pairs of them and of where they are."""
        if not known:
            for each in parts:
                if type(each) is tuple:
                    self.require_one(each[0])
        places = [each[1] if type(each) is tuple else None for each in parts]
        values = [each[0] if type(each) is tuple else each for each in parts]

        def text(values: list[Any]) -> str:
            return "".join(
                value if node is None else self._formatted(value, node)
                for value, node in zip(values, places, strict=True)
            )

        return self.mapped(values, text, branching=False)

    def _lambda(self, node: ast.Lambda) -> UserFunction:
        return self._function(node)

    def _function(self, node: ast.FunctionDef | ast.Lambda) -> UserFunction:
        arguments = node.args
        return UserFunction(
            node,
            self.file,
            self.scope,
            self.globals,
            tuple(self.eval(each) for each in arguments.defaults),
            {
                each.arg: self.eval(default)
                for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
                if default is not None
            },
        )

    def _if_expression(self, node: ast.IfExp) -> Any:
        if node in self.decided:
            return self.lazy(node.body if self.decided[node] else node.orelse)
        self.place = node.test
        condition = self.truth(self.lazy(node.test))
        if not isinstance(condition, Condition):
            return self.lazy(node.body if condition else node.orelse)
        self.place = node
        return self.chosen(condition, lambda: self.lazy(node.body), lambda: self.lazy(node.orelse), node)

    def _named(self, node: ast.NamedExpr) -> Any:
        value = self.lazy(node.value)
        self.assign(node.target, value)
        return value

    # --- parts ------------------------------------------------------------------------------------------------

    def _attribute(self, node: ast.Attribute) -> Any:
        value = self.lazy(node.value)
        self.place = node
        if type(value) is Selected:
            return self.mapped([value], lambda each: self.attribute(each[0], node.attr), branching=True)
        if isinstance(value, ModuleType):
            return self.captured(self.python(getattr, value, node.attr), node)
        return self.attribute(value, node.attr)

    def attribute(self, value: Any, name: str) -> Any:
        """``value.name``."""
        return plain(self.python(getattr, value, name))

    HANDLERS: ClassVar[dict[type[ast.expr], Callable[[Any, Any], Any]]] = {
        **Containers.HANDLERS,
        ast.Constant: _constant,
        ast.JoinedStr: _joined,
        ast.Lambda: _lambda,
        ast.IfExp: _if_expression,
        ast.NamedExpr: _named,
        ast.Attribute: _attribute,
    }


_UNSUPPORTED: dict[type[ast.expr], tuple[str, str]] = {
    ast.Await: ("await", "kernels wait for one another through buffers, pipes and semaphores"),
    ast.Yield: ("yield", "return a list, or loop where the values are used"),
    ast.YieldFrom: ("yield from", "return a list, or loop where the values are used"),
}
