"""Functions of the language while source is read: kernels, nodes, semaphores, printing."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from types import MethodType
from typing import Any, Literal

from ttl.diag import Diagnostic
from ttl.dialects import ttl as ir
from ttl.frontend import refusals
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.kernel.objects import (
    TracedBlock,
    TracedBuffer,
    TracedExpr,
    TracedGroup,
    TracedSignpost,
    TracedView,
)
from ttl.frontend.kernel.regions import Regions
from ttl.frontend.kernel.tracer import Tracer
from ttl.frontend.library import HANDLERS, Handler
from ttl.frontend.limits import is_hashable
from ttl.frontend.reals import NodeFloat, as_real
from ttl.frontend.scalars import NodeCondition, NodeInteger, NodeRatio, both, compare, either
from ttl.frontend.special_methods import pieces_of
from ttl.frontend.stop import Reject
from ttl.frontend.values import ReadKernel, UserFunction
from ttl.host.tensor import Tensor
from ttl.lang import debug, extern, grid, kernels, older_functions
from ttl.lang.deprecated import note_current_core, note_print_options, note_program
from ttl.lang.devices import DeviceDomain
from ttl.lang.extern_calls import NamedKernel
from ttl.lang.pipe import PipeNet
from ttl.lang.semaphore import Semaphore
from ttl.lang.transfers import GroupTransfer
from ttl.protocol.blocks import KernelKind
from ttl.rules import kernel_definitions as rules
from ttl.rules.debugging import OLDER_OPTIONS, match_options, match_print
from ttl.rules.labels import FIRST_KERNEL
from ttl.rules.launches import dimensions
from ttl.rules.semaphores import initial_varies, semaphore_value
from ttl.source.scopes import is_generator


class KernelDecorator:
    """``@ttl.compute()`` or ``@ttl.datamovement()``."""

    __slots__ = ("kind", "noc", "selector")

    def __init__(self, kind: KernelKind, selector: NamedKernel | None, noc: int | None) -> None:
        self.kind, self.selector, self.noc = kind, selector, noc


class Language:
    """The language's functions, and the kernels that were defined."""

    def __init__(self, tracer: Tracer, regions: Regions, python: Callable[..., Any]) -> None:
        self._tracer = tracer
        self._regions = regions
        self._python = python
        self.kernels: list[ReadKernel] = []
        self._handlers: dict[Any, Handler] = {
            **HANDLERS,
            grid.node: self._node,
            kernels.compute: partial(self._kernel, kernels.compute, "compute"),
            kernels.datamovement: partial(self._kernel, kernels.datamovement, "data movement"),
            Semaphore: self._semaphore,
            GroupTransfer: self._group,
            debug.signpost: self._signpost,
            older_functions.OlderProgram: self._program,
            **{function: partial(self._as_in_python, function) for function in extern.PLAIN},
            print: self._print,
            _ignored: lambda reader, arguments, keywords: None,
        }

    def refuse(self, function: Any, finding: Diagnostic) -> None:
        """Report a finding for calls of a function from now on."""

        def refused(reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
            raise Reject(finding)

        self._handlers[function] = refused

    def find(self, function: Any) -> Handler | None:
        """Return the handler of a function of the language, or of Python's; None for any other."""
        if isinstance(function, MethodType):
            of = function.__self__
            if function.__func__ is PipeNet.is_active:
                return partial(self._is_active, of)
            if isinstance(of, DeviceDomain) and function.__func__ is DeviceDomain.is_current:
                return partial(self._is_current, of)
            if getattr(function.__func__, "__name__", "") == "has_current_core":
                return partial(self._has_current_core, of)
        return self._handlers.get(function) if is_hashable(function) else None

    def _node(self, reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        dims = self._python(_dims, *arguments, **keywords)
        rank = dimensions("node", dims)
        if isinstance(rank, Diagnostic):
            raise Reject(rank)
        return self._tracer.node(rank)

    def _semaphore(self, reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        value = self._python(_value, *arguments, **keywords)
        if isinstance(value, NodeInteger):
            raise Reject(initial_varies())
        initial = semaphore_value(value)
        if isinstance(initial, Diagnostic):
            raise Reject(initial)
        return self._python(self._tracer.semaphore, initial)

    def _group(self, reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        self._python(GroupTransfer, *arguments, **keywords)
        return TracedGroup(self._tracer)

    def _signpost(self, reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        name = self._python(_name, *arguments, **keywords)
        return self._python(TracedSignpost, self._tracer, name)

    def _as_in_python(
        self, function: Any, reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]
    ) -> Any:
        """Call a function itself: it only reads its arguments, or calls the current execution, which is the tracer."""
        return self._python(function, *arguments, **keywords)

    def _program(self, reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """Evaluate ``ttl.Program(...)``. Neither the call nor its result has an effect."""
        self._python(note_program)
        for argument in arguments:
            if not isinstance(argument, ReadKernel):
                raise Reject(rules.not_a_kernel(argument))
        return _ignored

    # --- printing -----------------------------------------------------------------------------------------------

    def _print(self, reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> None:
        older = tuple(name for name in keywords if name in OLDER_OPTIONS)
        if older:
            self._python(note_print_options, older)
            keywords = {name: value for name, value in keywords.items() if name not in older}
            if not arguments:
                return
        pages = keywords.get("num_pages")
        shown = [
            value
            for value in arguments
            if isinstance(value, Tensor | TracedExpr | TracedBlock | TracedView | TracedBuffer)
        ]
        others = {name: value for name, value in keywords.items() if name != "num_pages"}
        finding = match_options(others) or match_print(
            len(shown), pages, tensor=bool(shown) and isinstance(shown[0], Tensor)
        )
        if finding is not None:
            raise Reject(finding)
        separator = str(keywords.get("sep", " "))
        parts: list[Any] = []
        for position, argument in enumerate(arguments):
            if position:
                parts.append(separator)
            parts.extend(pieces_of(reader, argument))
        pieces, operands = [""], []
        for part in parts:
            operand = self._printed(part)
            if operand is None:
                pieces[-1] += str(part)
            else:
                operands.append(operand)
                pieces.append("")
        if self._tracer.kernel is not None:
            self._tracer.emit(ir.PrintOp(pieces, operands, num_pages=pages))

    def _printed(self, value: Any) -> Any:
        """Return a value as an operand of a print; None for a text that is known while source is read."""
        if isinstance(value, TracedView):
            return self._tracer.read(value).ssa
        if isinstance(value, TracedExpr | TracedBlock | TracedBuffer):
            return value.ssa
        if isinstance(value, NodeInteger | NodeCondition):
            return value.ssa()
        if isinstance(value, NodeFloat | NodeRatio):
            return self._python(as_real, value).ssa
        return self._tracer.slices.accessor(value) if isinstance(value, Tensor) else None

    # --- where the node is --------------------------------------------------------------------------------------

    def _is_active(self, net: Any, reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """``net.is_active()``, evaluated as ``net.is_src() or net.is_dst()``."""
        return either(self._tracer.nets.is_pipe(net, "src"), self._tracer.nets.is_pipe(net, "dst"))

    def _is_current(
        self, domain: DeviceDomain, reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]
    ) -> Any:
        """``domain.is_current(device)``."""
        device = self._python(domain.index_order, *arguments, **keywords)
        return compare("eq", self._python(domain.current_index), device)

    def _has_current_core(
        self, pipe: Any, reader: Evaluator, arguments: list[Any], keywords: dict[str, Any]
    ) -> Any:
        """``pipe.has_current_core()``: the coordinates of the node are those of an end."""
        self._python(note_current_core)
        is_here: Any = False
        for end in (pipe.src, pipe.dst):
            entries = end if isinstance(end, tuple | list) else (end,)
            here = self._tracer.node(len(entries))
            inside: Any = True
            for entry, coordinate in zip(entries, here if len(entries) > 1 else (here,), strict=True):
                if isinstance(entry, slice):
                    inside = both(inside, compare("ge", coordinate, entry.start or 0))
                    inside = (
                        inside if entry.stop is None else both(inside, compare("lt", coordinate, entry.stop))
                    )
                else:
                    inside = both(inside, compare("eq", coordinate, entry))
            is_here = either(is_here, inside)
        return is_here

    # --- kernels ------------------------------------------------------------------------------------------------

    def _kernel(
        self,
        public: Callable[..., Any],
        kind: KernelKind,
        reader: Evaluator,
        arguments: list[Any],
        keywords: dict[str, Any],
    ) -> Any:
        """``ttl.compute`` and ``ttl.datamovement``, with and without parentheses."""
        if arguments and isinstance(arguments[0], UserFunction):
            return self.register(arguments[0], kind)
        if arguments or keywords.keys() - ({"kernel"} if kind == "compute" else {"kernel", "noc"}):
            return self._python(public, *arguments, **keywords)
        selector, noc = keywords.get("kernel"), keywords.get("noc")
        self._python(kernels.require_selector, kind, selector)
        self._python(kernels.require_noc, noc)
        return KernelDecorator(kind, selector, noc)

    def register(
        self, function: Any, kind: KernelKind, selector: NamedKernel | None = None, noc: int | None = None
    ) -> ReadKernel:
        """Register a function as a kernel of the operation."""
        if not isinstance(function, UserFunction):
            raise Reject(rules.no_function("compute" if kind == "compute" else "datamovement", function))
        if self._tracer.kernel is not None:
            raise Reject(rules.made_in_kernel(f"kernel {function.name} defined", self._tracer.kernel))
        if self._regions.open:
            raise Reject(refusals.on_some_nodes(f"kernel {function.name} defined"))
        named = [other.function for other in self.kernels if other.function.name == function.name]
        if named and all(other.node is not function.node for other in named):
            first = named[0]
            raise Reject(rules.same_name(function.name).also(first.file.span(first.node), FIRST_KERNEL))
        alike = [other.function.name for other in self.kernels if other.kind == kind]
        finding = rules.one_too_many(kind, rules.numbered_name(function.name, len(named) + 1), alike)
        if finding is not None:
            raise Reject(finding)
        _require_plain(function)
        _require_no_parameters(function)
        kernel = ReadKernel(function, kind, noc)
        self.kernels.append(kernel)
        if selector is not None:
            name = rules.numbered_name(function.name, len(named) + 1)
            earlier = self._tracer.selected.setdefault(selector, name)
            if earlier != name:
                raise Reject(rules.same_selector(name, earlier))
        return kernel


def _require_plain(function: UserFunction) -> None:
    node = function.node
    cause: Literal["async", "yield"] | None = None
    if isinstance(node, ast.AsyncFunctionDef):
        cause = "async"
    elif isinstance(node, ast.FunctionDef) and is_generator(node):
        cause = "yield"
    if cause is not None:
        raise Reject(rules.not_plain(f"kernel {function.name}", cause).at(function.file.span(node)))


def _require_no_parameters(function: UserFunction) -> None:
    arguments = function.node.args
    names = [parameter.arg for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    required = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    if required or arguments.kwonlyargs:
        finding = rules.has_parameters(function.name, names)
        raise Reject(finding.at(function.file.span(function.node)))


def _dims(dims: Any = 2) -> Any:
    return dims


def _value(value: Any = 0) -> Any:
    return value


def _name(name: Any) -> Any:
    return name


# They have the parameters of public functions, and messages about a wrong call name these functions.
_dims.__qualname__, _value.__qualname__, _name.__qualname__ = "node", "Semaphore", "signpost"


def _ignored(*arguments: Any) -> None:
    del arguments
