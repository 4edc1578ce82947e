"""The function of a tile program, read as a graph. Nothing of the user's runs: the front end evaluates its Python."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from ttl.arch import Chip
from ttl.design.graph import Graph, without_unused
from ttl.design.graph_recorder import ChangedValue, GraphRecorder
from ttl.design.values import TracedValue
from ttl.diag import Diagnostic
from ttl.diag.report import COLLECTOR
from ttl.frontend import flow
from ttl.frontend.domain import Signals
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.kernel.builder import new_block
from ttl.frontend.kernel.domain import KernelDomain
from ttl.frontend.kernel.repetition import KernelLoop
from ttl.frontend.python import HANDLERS
from ttl.frontend.stop import Endless, Reject
from ttl.frontend.values import RETURN, UNBOUND, Poison, Scope, UserFunction
from ttl.host.tensor import Tensor
from ttl.lang.tiles import TILES, TileAxis, TileLoop, TileTensor
from ttl.rules import design as rules
from ttl.rules import kernel_definitions as kernels
from ttl.source.depth import room
from ttl.source.scopes import body_of, locals_of
from ttl.source.spans import READING


class _TileLoop(KernelLoop):
    """A loop of a tile program; a loop over blocks becomes a loop of the graph."""

    recorder: GraphRecorder

    def whole(self, iterated: Any) -> Signals | None:
        if isinstance(iterated, TileAxis):
            iterated = TileLoop(iterated, None, None)
        if isinstance(iterated, TileLoop):
            return self.recorder.looped(self._statement, iterated)
        return super().whole(iterated)


class TileDomain(KernelDomain):
    """The kernel domain as the body of an operation sees it, with loops over blocks."""

    recorder: GraphRecorder

    def repetition(self, statement: ast.For | ast.While) -> KernelLoop:
        loop = _TileLoop(self.reader, self.tracer, self._loops, statement)
        loop.recorder = self.recorder
        return loop

    def bind(self, target: ast.Name, value: Any) -> None:
        super().bind(target, value)
        if isinstance(value, TracedValue) and not value.value.name:
            value.value.name = target.id

    def captured(self, value: Any, node: ast.AST) -> Any:
        if isinstance(value, Tensor):
            self.reader.place = node
            raise Reject(rules.captured_tensor(getattr(node, "id", "this tensor")))
        return super().captured(value, node)

    def read(self, scope: Scope, node: ast.Name, value: Any) -> Any:
        if isinstance(value, ChangedValue):
            self.reader.place = node
            raise Reject(value.finding)
        return super().read(scope, node, value)


@room()
def read(
    function: UserFunction,
    arguments: Mapping[str, Any],
    grid: tuple[int, ...],
    chip: Chip,
    choices: Mapping[Any, int],
) -> tuple[Graph | None, list[Diagnostic]]:
    """Return the graph of a tile program, and the findings about it.

    ``choices`` are values of knobs, by default the first.
    """
    recorder = GraphRecorder(choices)

    def domain(reader: Evaluator) -> TileDomain:
        own = TileDomain(reader, grid, chip, {}, "pure")
        own.recorder, recorder.reader = recorder, reader
        own.language.refuse(print, rules.printed())
        return own

    reader = Evaluator(HANDLERS, domain)
    node = function.node
    tensors = {name: value for name, value in arguments.items() if isinstance(value, Tensor)}
    token = TILES.set(recorder)
    try:
        with READING.given(reader), COLLECTOR.given(reader.diagnostics.append):
            scope = Scope(function.scope, locals_of(node))
            reader.begin(scope, function.file, function.globals, node)
            for name, value in arguments.items():
                # A tensor that is passed twice is a single one, under the first name.
                own = next((other for other in tensors if tensors[other] is value), name)
                scope.names[name] = TileTensor(recorder, own, value) if name in tensors else value
            scope.names[RETURN] = UNBOUND
            with reader.domain.builder.inside(new_block()):  # type: ignore[attr-defined]
                try:
                    flow.block(reader, body_of(node), after=None)
                except Endless as stopped:
                    reader.report(stopped.finding)
                    reader.failed = True
                _require_nothing_returned(reader, scope, node)
    finally:
        TILES.reset(token)
    if reader.failed:
        return None, reader.diagnostics
    graph = Graph(
        getattr(node, "name", "program"),
        tensors,
        without_unused(recorder.body),
        tuple(recorder.knobs.values()),
        recorder.chosen,
        function.file.span(node),
    )
    return graph, reader.diagnostics


def _require_nothing_returned(reader: Evaluator, scope: Scope, node: ast.AST) -> None:
    """Refuse a return value: the results of a tile program are in tensors."""
    value = scope.names.get(RETURN, UNBOUND)
    if value is UNBOUND or value is None or isinstance(value, Poison):
        return
    returned = (one for one in ast.walk(node) if isinstance(one, ast.Return) and one.value is not None)
    reader.place = next(returned, node)
    reader.report(kernels.returned(f"tile program {getattr(node, 'name', '')}", value))
    reader.failed = True
