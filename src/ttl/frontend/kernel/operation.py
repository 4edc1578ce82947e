"""Reads one operation, with the arguments of a call, as a ``ttl.operation``."""

from __future__ import annotations

import ast
import hashlib
import importlib
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block

from ttl.arch import Chip
from ttl.arch.microcores import MOVEMENT
from ttl.diag import Diagnostic, Severity, TTLError
from ttl.diag.report import COLLECTOR
from ttl.diag.values import short
from ttl.dialects import ttl as ir
from ttl.dialects.compute import attribute_of
from ttl.frontend import flow, refusals
from ttl.frontend.domain import Signals
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.kernel.builder import new_block, region
from ttl.frontend.kernel.domain import KernelDomain
from ttl.frontend.kernel.library_calls import HostCalls
from ttl.frontend.kernel.objects import TracedBlock
from ttl.frontend.kernel.one_body import with_kernels
from ttl.frontend.kernel.regions import discard
from ttl.frontend.kernel.tensors import SymbolicTensor, tensor_type
from ttl.frontend.lowered import OperationRead, Specialisation
from ttl.frontend.observing import OBSERVER
from ttl.frontend.python import HANDLERS
from ttl.frontend.stop import Endless, Poisoned, Reject
from ttl.frontend.values import RETURN, UNBOUND, Poison, Scope, TileProgram, UserFunction, same
from ttl.host.tensor import ACTIVE, Tensor
from ttl.ir.locations import span_of
from ttl.lang.arguments import misplaced
from ttl.lang.context import CURRENT
from ttl.protocol.devices import DeviceGrid, node_grid
from ttl.rules import composition
from ttl.rules import kernel_definitions as rules
from ttl.rules.devices import match_mesh as match_domain
from ttl.rules.launches import match_device, match_mesh, match_sizes
from ttl.rules.resources import Buffer, check_buffers
from ttl.source.depth import MOST_LEVELS, beyond, room
from ttl.source.scopes import body_of, locals_of, unused_kernel
from ttl.source.spans import READING, Span

# The module that designs explicit operations from tile programs. It depends on this package, and is imported late.
_DESIGNER = "ttl.design.operation"


class OperationReader:
    """Reads one operation. ``unknown`` are the containers and objects whose content is not known."""

    def __init__(
        self, grid: tuple[int, ...], chip: Chip, unknown: Mapping[int, Any], host_calls: HostCalls
    ) -> None:
        self.evaluator = Evaluator(
            {**HANDLERS, ast.Return: self._return},
            lambda reader: KernelDomain(reader, grid, chip, unknown, host_calls),
        )
        # The scope and description of the operation or kernel being read; descriptions of those that return a value.
        self._whole: tuple[Scope, str] | None = None
        self._returning: set[str] = set()
        domain = self.evaluator.domain
        assert isinstance(domain, KernelDomain)
        self.domain = domain
        self._tracer, self._builder = domain.tracer, domain.builder

    def read(self, function: UserFunction, arguments: Mapping[str, Any]) -> ir.OperationOp | None:
        """Read the operation; return None if some of it could not be compiled. The findings are in the evaluator."""
        current, active = CURRENT.set(cast("Any", self._tracer)), ACTIVE.set(self._tracer)
        reader = self.evaluator
        try:
            with READING.given(reader), COLLECTOR.given(reader.diagnostics.append):
                return self._operation(function, arguments)
        finally:
            ACTIVE.reset(active)
            CURRENT.reset(current)

    def _operation(self, function: UserFunction, arguments: Mapping[str, Any]) -> ir.OperationOp | None:
        node = function.node
        scope = Scope(function.scope, locals_of(node))
        self.evaluator.begin(scope, function.file, function.globals, node)
        block = new_block()
        self._tracer.body = block
        with self._builder.inside(block):
            for name, value in arguments.items():
                scope.names[name] = value
                if isinstance(value, Tensor):
                    self.evaluator.place = node
                    self._argument(name, value)
            scope.names[RETURN] = UNBOUND
            self._whole = scope, f"operation {function.name}"
            self._body(node)
            self.evaluator.place = node
            unused = unused_kernel(node)
            if unused is not None and not self.evaluator.failed:
                self.evaluator.place = unused
                self.evaluator.report(rules.looks_like_kernel(unused.name))
            if not self.domain.language.kernels and not self.evaluator.failed:
                self.evaluator.place = node
                self.evaluator.report(rules.no_kernel(function.name))
            kernels = self.domain.language.kernels
            self._tracer.kernels[:] = [
                (self._name(number), kernel.kind) for number, kernel in enumerate(kernels)
            ]
            for number in range(len(kernels)):
                self._kernel(number)
        wrong = self.evaluator.failed or any(
            finding.severity is Severity.ERROR for finding in self.evaluator.diagnostics
        )
        if wrong:
            self._report_size(block)
            discard(block)
            return None
        names = [name for name, _ in self._tracer.slices.arguments]
        self.evaluator.place = node
        op = ir.OperationOp(
            name=function.name,
            arg_names=names,
            arg_types=[argument.type for argument in block.args],
            grid=self._tracer.grid,
            body=region(block),
        )
        op.location = self.evaluator.location()
        return op

    def _report_size(self, block: Block) -> None:
        """Report buffers that do not fit on the nodes.

        A run reports that first, and an incomplete operation is not checked.
        """
        ops = [op for op in block.ops if isinstance(op, ir.CreateDfbOp)]
        spans = [span_of(op) for op in ops]
        buffers = [
            Buffer(
                op.buffer_name.data,
                op.result.type.block_type,
                op.result.type.block_count,
                span.line if span is not None else 0,
                memory=None if op.memory is None else "a tensor",
            )
            for op, span in zip(ops, spans, strict=True)
        ]
        finding = check_buffers(buffers, self._tracer.chip)
        if finding is not None:
            self.evaluator.diagnostics.append(finding.diagnostic.at(spans[finding.index], finding.label))

    def _argument(self, name: str, tensor: Tensor) -> None:
        tracer = self._tracer
        assert tracer.body is not None
        known = next((other for other, item in tracer.slices.arguments if item is tensor), None)
        argument = tracer.body.insert_arg(tensor_type(tensor), len(tracer.body.args))
        tracer.slices.arguments.append((name, tensor))
        if known is None:
            tracer.slices.accessor_of(tensor, argument)
        if isinstance(tensor, SymbolicTensor):
            assert tracer.body is not None
            tensor.bind(tracer.builder, tracer.body, argument)

    def _name(self, number: int) -> str:
        """The name of a kernel. Kernels with the same name are numbered."""
        names = [kernel.function.name for kernel in self.domain.language.kernels[: number + 1]]
        return rules.numbered_name(names[-1], names.count(names[-1]))

    def _kernel(self, number: int) -> None:
        kernel = self.domain.language.kernels[number]
        function, tracer, name = kernel.function, self._tracer, self._name(number)
        block = new_block()
        tracer.kernel, tracer.kind = name, kernel.kind  # type: ignore[assignment]
        for buffer in tracer.buffers:
            buffer.held.clear()
        mark = self.evaluator.mark()
        try:
            with self._builder.inside(block), self.domain.regions.inside(0):
                self._kernel_body(function)
        finally:
            tracer.kernel = tracer.kind = None
        self._forget_changes(mark)
        self.evaluator.place = function.node
        kind = ir.ComputeKernelOp if kernel.kind == "compute" else ir.DataMovementKernelOp
        hint = None if kernel.noc is None else MOVEMENT[kernel.noc]
        self._builder.emit(kind(name=name, body=region(block), hint=hint))

    def _forget_changes(self, mark: int) -> None:
        """Make variables that a kernel has changed unusable in other kernels. Blocks are refused there anyway."""
        for scope, name, before in self.evaluator.changed_since(mark).values():
            value = scope.names.get(name, UNBOUND)
            if not same(before, value) and not isinstance(value, TracedBlock):
                scope.names[name] = Poison("another kernel assigns it", reported=False)

    def _kernel_body(self, function: UserFunction) -> None:
        node = function.node
        scope = Scope(function.scope, locals_of(node))
        arguments = node.args
        names = [parameter.arg for parameter in (*arguments.posonlyargs, *arguments.args)]
        scope.names.update(zip(names[len(names) - len(function.defaults) :], function.defaults, strict=True))
        scope.names[RETURN] = UNBOUND
        with self.evaluator.within(scope, function.file, function.globals, (), node):
            self.evaluator.place = node
            self._whole = scope, f"kernel {function.name}"
            self._body(node)

    def _body(self, node: Any) -> None:
        """Evaluate all statements of an operation or kernel, unless they are too many."""
        try:
            flow.block(self.evaluator, body_of(node), after=None)
        except Endless as stopped:
            self.evaluator.report(stopped.finding)
            self.evaluator.steps, self.evaluator.failed = 0, True

    def _return(self, reader: Evaluator, statement: ast.Return) -> Signals:
        """Refuse a value that an operation or kernel returns, before a loop or branch loses it."""
        if self._whole is None or reader.scope is not self._whole[0]:
            return cast("Signals", HANDLERS[ast.Return](reader, statement))
        what, value = self._whole[1], None
        if isinstance(statement.value, ast.Name):
            lost = reader.scope.names.get(statement.value.id)
            value = lost.of if isinstance(lost, Poison) else None
        if statement.value is not None and value is None:
            value = reader.lazy(statement.value)
        if what not in self._returning and value is not None and not isinstance(value, Poison):
            self._returning.add(what)
            reader.place = statement.value or statement
            reader.report(rules.returned(what, value))
        reader.assign(reader.scope, RETURN, None)
        return {"return": True}


@room()
def lower(
    function: UserFunction,
    arguments: Mapping[str, Any],
    grid: tuple[int, ...],
    chip: Chip,
    called_at: Span | None = None,
    options: Mapping[str, bool | str] | None = None,
    unknown: Mapping[int, Any] | None = None,
    host_calls: HostCalls = "pure",
) -> OperationRead:
    """Read an operation.

    ``options`` are those of the compiler: attributes of the operation. ``unknown`` are the containers and objects, under their
    identity, whose content is not known. ``host_calls``: which functions of libraries are called while the operation is read.
    """
    designed = None
    # Designing a tile program reads designs that are not chosen, and values that are not in its source: not observed.
    with OBSERVER.given(None) if isinstance(function, TileProgram) else nullcontext():
        if isinstance(function, TileProgram):
            designer = importlib.import_module(_DESIGNER)
            designed, findings = designer.design(function, arguments, grid, chip)
            if designed is None:
                return _not_read(function, findings)
            function, grid = designer.explicit_function(function, designed), designed.plan.grid
        reader = OperationReader(grid, chip, unknown or {}, host_calls)
    finding = _match_launch(function.name, grid, chip, arguments, called_at)
    for deep in beyond(function.node):
        finding = refusals.too_deep(MOST_LEVELS).at(function.file.span(deep))
    if finding is not None:
        return _not_read(function, (finding.at(called_at or function.file.span(function.node)),))
    apart = with_kernels(function)
    for called, place in apart.calls:
        asked: dict[str, tuple[object, object]] = (
            {"grid": (called.grid, node_grid(grid))} if isinstance(called.grid, tuple) else {}
        )
        asked |= {
            name: (value, (options or {}).get(name))
            for name, value in called.options.items()
            if value is not None
        }
        different = [name for name, (own, here) in asked.items() if own != here]
        if different:
            reader.evaluator.diagnostics.append(
                composition.other_launch(
                    called.name, function.name, {name: asked[name] for name in different}
                ).at(place)
            )
    if apart.function is None:
        return _not_read(function, apart.findings, apart.called)
    try:
        op = reader.read(apart.function, arguments)
    except (Reject, Poisoned, TTLError) as stopped:  # the evaluation of each statement catches these
        raise AssertionError("a finding outside of every statement") from stopped
    if op is not None:
        op.attributes |= {f"ttl.{name}": attribute_of(value) for name, value in (options or {}).items()}
    return OperationRead(
        findings=deduplicated(reader.evaluator.diagnostics),
        call=Specialisation(
            operation=function.name,
            arguments=tuple(_shown(name, value) for name, value in arguments.items()),
            complete=op is not None,
            expressions=reader.domain.expressions,
            tensors=tuple(tensor for _, tensor in reader.domain.tracer.slices.arguments),
            designed="" if designed is None else designed.summary,
        ),
        files=reader.evaluator.files,
        operation=op,
        called=apart.called,
        design=designed,
    )


def _not_read(
    function: UserFunction, findings: tuple[Diagnostic, ...], called: tuple[UserFunction, ...] = ()
) -> OperationRead:
    """The result for an operation that is not read."""
    call = Specialisation(operation=function.name, arguments=(), complete=False)
    return OperationRead(
        findings=findings, call=call, files={function.file.path: function.file.text}, called=called
    )


def keep(operation: ir.OperationOp, module: ModuleOp) -> None:
    """Add an operation to a module, under a unique name for each specialisation: ``double``, ``double_2`` ..."""
    taken = {op.sym_name.data for op in module.ops if isinstance(op, ir.OperationOp)}
    name, number = operation.sym_name.data, 1
    while operation.sym_name.data in taken:
        number += 1
        operation.sym_name = StringAttr(f"{name}_{number}")
    module.body.block.add_op(operation)


def _match_launch(
    name: str, grid: tuple[int, ...], chip: Chip, arguments: Mapping[str, Any], called_at: Span | None
) -> Diagnostic | None:
    """The error if a grid does not fit the device, or arguments are not on the same mesh, device or host; else None."""
    sizes = {
        len(value.shards)
        for value in arguments.values()
        if isinstance(value, Tensor) and value.shards is not None
    }
    devices = next(iter(sizes), None)
    return (
        match_device(name, node_grid(grid), chip)
        or match_sizes(sizes)
        or (match_domain(grid.domain, devices) if isinstance(grid, DeviceGrid) else match_mesh(grid, devices))
        or misplaced(name, arguments, called_at)
    )


def deduplicated(findings: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return each finding once: an unrolled loop reports it in every iteration."""
    seen: dict[object, Diagnostic] = {}
    for finding in findings:
        place = None if finding.primary is None else finding.primary.span
        seen.setdefault((finding.code, place), finding)
    return tuple(seen.values())


def dependencies_of(files: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The files, with the hashes of their text."""
    return tuple(
        (path, hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest())
        for path, text in sorted(files.items())
    )


def _shown(name: str, value: Any) -> str:
    if isinstance(value, Tensor):
        return f"{name}: {'x'.join(str(number) for number in value.shape)} {value.dtype.name}"
    return f"{name}={short(value)}"
