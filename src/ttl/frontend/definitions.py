"""Definitions in an operation: kernels, functions, imports; and expressions that stand alone."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from typing import Any, ClassVar, Literal

from ttl.frontend import library, refusals
from ttl.frontend.assignments import Assignments
from ttl.frontend.names import is_generator
from ttl.frontend.objects import TracedSignpost
from ttl.frontend.stop import Reject
from ttl.frontend.values import KernelFunction, UserFunction
from ttl.protocol.blocks import KernelKind
from ttl.rules import kernels as rules
from ttl.rules.debugging import signpost_alone
from ttl.rules.labels import FIRST_KERNEL

# Methods that mean nothing without their parentheses.
_CALLED = frozenset({"push", "pop", "wait", "wait_all", "reserve"})


class Definitions(Assignments):
    """Evaluation of what defines something."""

    def _expression(self, statement: ast.Expr) -> None:
        value = statement.value
        if isinstance(value, ast.Attribute) and value.attr in _CALLED:
            self.place = value
            raise Reject(rules.uncalled(ast.unparse(value)))
        result = self.eval(value)
        if isinstance(result, TracedSignpost):
            self.place = value
            raise Reject(signpost_alone(result.name))

    def _definition(self, statement: ast.FunctionDef) -> None:
        made: Any = self._function(statement)
        for decorator in reversed(statement.decorator_list):
            value = self.eval(decorator)
            self.place = decorator
            if isinstance(value, library.Decorator):
                made = self.register(made, value.kind)
            elif library.find(value) is not None:
                made = self.apply(value, [made], {})
            else:
                raise Reject(
                    refusals.construct(
                        "a decorator other than @ttl.compute() and @ttl.datamovement()",
                        help="call what it does, or drop it",
                    )
                )
        self.assign(ast.copy_location(ast.Name(statement.name, ast.Store()), statement), made)

    def register(self, function: Any, kind: KernelKind | str) -> KernelFunction:
        """``@ttl.compute()`` or ``@ttl.datamovement()`` on a function."""
        if not isinstance(function, UserFunction):
            raise Reject(rules.no_function("compute" if kind == "compute" else "datamovement", function))
        if self.tracer.kernel is not None:
            raise Reject(rules.made_in_kernel(f"kernel {function.name} defined", self.tracer.kernel))
        if self.regions:
            raise Reject(refusals.on_some_nodes(f"kernel {function.name} defined"))
        made = sum(1 for other in self.kernels if other.function.name == function.name)
        if made and all(
            other.function.node is not function.node
            for other in self.kernels
            if other.function.name == function.name
        ):
            first = next(each.function for each in self.kernels if each.function.name == function.name)
            raise Reject(rules.same_name(function.name).also(first.file.span(first.node), FIRST_KERNEL))
        alike = [other.function.name for other in self.kernels if other.kind == kind]
        finding = rules.one_too_many(kind, rules.numbered_name(function.name, made + 1), alike)  # type: ignore[arg-type]
        if finding is not None:
            raise Reject(finding)
        self._require_plain(function)
        self._require_no_parameters(function)
        kernel = KernelFunction(function, kind)
        self.kernels.append(kernel)
        return kernel

    def _require_plain(self, function: UserFunction) -> None:
        node = function.node
        cause: Literal["async", "yield"] | None = None
        if isinstance(node, ast.AsyncFunctionDef):
            cause = "async"
        elif isinstance(node, ast.FunctionDef) and is_generator(node):
            cause = "yield"
        if cause is not None:
            raise Reject(rules.not_plain(f"kernel {function.name}", cause).at(function.file.span(node)))

    def _require_no_parameters(self, function: UserFunction) -> None:
        arguments = function.node.args
        names = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        required = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
        if required or arguments.kwonlyargs:
            finding = rules.has_parameters(function.name, names)
            raise Reject(finding.at(function.file.span(function.node)))

    def _import(self, statement: ast.Import | ast.ImportFrom) -> None:
        for alias in statement.names:
            if isinstance(statement, ast.ImportFrom):
                module = self.imported(statement.module or "", statement.level)
                value = self.captured(self.python(getattr, module, alias.name), statement)
            else:
                value = self.imported(alias.name, 0)
                if alias.asname is None and "." in alias.name:
                    value = self.imported(alias.name.partition(".")[0], 0)
            name = alias.asname or alias.name.partition(".")[0]
            self.assign(ast.copy_location(ast.Name(name, ast.Store()), statement), value)

    def imported(self, name: str, level: int) -> Any:
        """A module that is imported inside a function: of the standard library, of ours, or loaded already."""
        if level == 0 and (
            name in sys.modules
            or name.partition(".")[0] in (*sys.stdlib_module_names, "ttl", "ttnn", "numpy")
        ):
            return self.python(importlib.import_module, name)
        raise Reject(
            refusals.construct(
                f"import of {'.' * level}{name} inside an operation cannot be compiled",
                help="import it at the top of the file",
            )
        )

    def _nothing(self, statement: ast.stmt) -> None:
        del statement

    STATEMENTS: ClassVar[dict[type[ast.stmt], Callable[[Any, Any], Any]]] = {
        **Assignments.STATEMENTS,
        ast.Expr: _expression,
        ast.FunctionDef: _definition,
        ast.Import: _import,
        ast.ImportFrom: _import,
        ast.Pass: _nothing,
        ast.Global: _nothing,
        ast.Nonlocal: _nothing,
    }
