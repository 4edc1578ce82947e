"""Statements of kernels around values: ``with``, ``assert``, ``raise``, decorators and imports."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from typing import Any

from ttl.diag import TTLError
from ttl.dialects import ttl as ir
from ttl.frontend import refusals
from ttl.frontend.domain import Signals
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.function_calls import apply
from ttl.frontend.kernel.language import KernelDecorator, Language
from ttl.frontend.kernel.objects import TracedBlock, TracedSignpost
from ttl.frontend.kernel.regions import Regions
from ttl.frontend.kernel.tracer import Tracer
from ttl.frontend.scalars import NodeCondition
from ttl.frontend.stop import Reject
from ttl.rules import kernel_definitions as rules
from ttl.rules.debugging import signpost_alone

# Methods whose names without parentheses have no effect.
_CALLED = frozenset({"push", "pop", "wait", "wait_all", "reserve"})


class Statements:
    """Statements that do not compute values."""

    def __init__(
        self,
        reader: Evaluator,
        tracer: Tracer,
        regions: Regions,
        language: Language,
        python: Callable[..., Any],
    ) -> None:
        self._reader = reader
        self._tracer = tracer
        self._regions = regions
        self._language = language
        self._python = python

    def refused(self, node: ast.AST) -> Exception:
        """Return the exception for a construct that kernels cannot have."""
        what, advice = _UNSUPPORTED.get(type(node), (type(node).__name__, ""))
        return Reject(refusals.construct(what, help=advice))

    def entered(self, value: Any) -> Any:
        """Enter a ``with`` of blocks or signposts."""
        if not isinstance(value, TracedBlock | TracedSignpost):
            self._python(_require_context, value)
            raise Reject(
                refusals.construct(
                    "with on an object other than blocks and signposts",
                    help="write with dfb.reserve() as blk: or with dfb.wait() as blk: or with ttl.signpost(...):",
                )
            )
        return self._python(value.__enter__)

    def exited(self, value: Any) -> None:
        """Release the block, end the signpost."""
        self._python(value.__exit__, None, None, None)

    def asserted(self, condition: Any, statement: ast.Assert) -> None:
        """Emit an assertion for the node; a false one is an error."""
        text = ast.unparse(statement.test)
        if isinstance(statement.msg, ast.Constant):
            text = str(statement.msg.value)
        if not isinstance(condition, NodeCondition):
            raise Reject(refusals.fails(f"this assertion fails: {text}"))
        self._tracer.emit(ir.AssertOp(condition.ssa(), text))

    def raised(self, statement: ast.Raise) -> Signals:
        """Emit an assertion that fails on the node; it is an error if every node reaches it."""
        raised = "an exception" if statement.exc is None else ast.unparse(statement.exc)
        if statement.exc is not None and raised.startswith("ttl."):
            error = self._reader.eval(statement.exc)  # reports that programs should not raise these
            if isinstance(error, TTLError):
                raise error
        if all(region == 0 for region in self._regions.open):
            raise Reject(refusals.fails(f"the operation raises {raised}"))
        self._tracer.emit(ir.AssertOp(self._tracer.builder.truth(False), f"raises {raised}"))
        return {"return": True}

    def stands_alone(self, node: ast.expr) -> None:
        """Refuse a method without its call, and a signpost without its region."""
        if isinstance(node, ast.Attribute) and node.attr in _CALLED:
            self._reader.place = node
            raise Reject(rules.uncalled(ast.unparse(node)))
        value = self._reader.lazy(node)
        if isinstance(value, TracedSignpost):
            self._reader.place = node
            raise Reject(signpost_alone(value.name))

    def decorated(self, decorator: Any, data: Any, node: ast.expr) -> Any:
        """Return a kernel, or the result of applying a function of the language to a function."""
        if isinstance(decorator, KernelDecorator):
            return self._language.register(data, decorator.kind, decorator.selector, decorator.noc)
        if self._language.find(decorator) is None:
            raise Reject(
                refusals.construct(
                    "a decorator other than @ttl.compute() and @ttl.datamovement()",
                    help="call the decorator's function in the body, or remove it",
                )
            )
        return apply(self._reader, decorator, [data], {})

    def module(self, name: str, level: int) -> Any:
        """Return a module that is imported inside a function: of the standard library, of ours, or already loaded."""
        if level == 0 and (
            name in sys.modules
            or name.partition(".")[0] in (*sys.stdlib_module_names, "ttl", "ttnn", "numpy")
        ):
            return self._python(importlib.import_module, name)
        raise Reject(
            refusals.construct(
                f"import of {'.' * level}{name} inside an operation cannot be compiled",
                help="import it at the top of the file",
            )
        )

    def imported(self, module: Any, statement: ast.ImportFrom, alias: ast.alias) -> dict[str, Any]:
        """``from module import name``."""
        value = self._reader.domain.captured(self._python(getattr, module, alias.name), statement)
        return {alias.asname or alias.name: value}


_PATTERNS = "compare with values, or take a tuple apart: write if and elif for the rest"
_UNSUPPORTED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Await: ("await", "kernels wait for one another through buffers, pipes and semaphores"),
    ast.Yield: ("yield", "return a list, or loop where the values are used"),
    ast.YieldFrom: ("yield from", "return a list, or loop where the values are used"),
    ast.ClassDef: ("a class defined in an operation", "define it at the top of the file"),
    ast.AsyncFunctionDef: ("an async function", "write def: kernels wait for one another through buffers"),
    ast.AsyncFor: ("async for", "write for"),
    ast.AsyncWith: ("async with", "write with"),
    ast.MatchClass: ("a pattern for a class", _PATTERNS),
    ast.MatchMapping: ("a pattern for the keys of a dictionary", _PATTERNS),
    ast.MatchOr: ("an alternative with names of its own", _PATTERNS),
}


def _require_context(value: Any) -> None:
    with value:
        pass
