"""Records facts while a program is read and analysed: objects become plain data at once."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType, MappingProxyType
from typing import TYPE_CHECKING, Any

from ttl.check.watching import WATCHER
from ttl.design.notes import notes
from ttl.design.reading import read
from ttl.design.values import BlockIndex, TracedValue
from ttl.diag.values import is_int
from ttl.diag.words import counted
from ttl.dialects import ttl as dialect
from ttl.frontend.host.operations import ReadOperation
from ttl.frontend.kernel.nets import TracedDstPipe, TracedSrcPipe
from ttl.frontend.kernel.objects import (
    TracedBlock,
    TracedBuffer,
    TracedExpr,
    TracedGroup,
    TracedReceive,
    TracedTransfer,
)
from ttl.frontend.kernel.selected import Selected
from ttl.frontend.kernel.slicing import TracedSlice
from ttl.frontend.observing import OBSERVER
from ttl.frontend.reals import NodeFloat
from ttl.frontend.scalars import NodeCondition, NodeInteger, NodeRatio, bounds_of
from ttl.frontend.unknown import Unknown
from ttl.frontend.values import RangeValue, ReadKernel, UserFunction
from ttl.host.tensor import Tensor
from ttl.ir.locations import chain_of, span_of
from ttl.lang.pipe import Pipe, PipeNet
from ttl.lang.semaphore import MulticastRemoteSemaphore, Semaphore, UnicastRemoteSemaphore
from ttl.lang.tiles import TileAxis, TileTensor
from ttl.protocol.blocks import State
from ttl.service.facts import (
    AcquireFact,
    Extent,
    InferredFact,
    Kind,
    PlaceFact,
    PlanFact,
    RecordedFacts,
    Release,
    StepFact,
    TensorKind,
    ThreadFact,
    ValueFact,
    place_key,
)
from ttl.service.statements import innermost, suite_of, variable_of
from ttl.source.spans import Span
from ttl.source.trees import SourceFile, source_file

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from ttl.design.operation import Design
    from ttl.frontend.lowering import ReadRequest

# The values kept of one place: unrolled loops and calls of a function reach it again and again.
MOST_VALUES = 6
_MOST_TIMES = 64
_LONGEST_TEXT = 60
_RELEASES: Mapping[type, Release] = MappingProxyType({dialect.DfbPushOp: "push", dialect.DfbPopOp: "pop"})


class Recorder:
    """The observer and watcher that ``recording`` installs."""

    def __init__(self) -> None:
        self._places: dict[tuple[SourceFile, int, int, int, int], dict[ValueFact, None]] = {}
        self._times: dict[ast.AST, int] = {}
        # Objects without a place of their own, by identity, and the place where each was met first: where it was made.
        self._origins: dict[int, tuple[Any, Span]] = {}
        self._acquires: dict[AcquireFact, None] = {}
        self._steps: dict[tuple[Span, Span], tuple[dict[State | None, None], dict[State, None]]] = {}
        self._inferred: dict[tuple[str, Span], InferredFact] = {}
        self._threads: dict[ThreadFact, None] = {}
        self._plans: tuple[PlanFact, ...] = ()

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record the reading and checking that happens inside the context."""
        with OBSERVER.given(self), WATCHER.given(self):
            yield

    def facts(self) -> RecordedFacts:
        """Return the facts recorded since the last call, in the order of places."""
        places = [PlaceFact(_span(key), tuple(values)) for key, values in self._places.items() if values]
        steps = [
            StepFact(span, acquired, tuple(before), tuple(after))
            for (span, acquired), (before, after) in self._steps.items()
        ]
        facts = RecordedFacts(
            tuple(sorted(places, key=place_key)),
            tuple(steps),
            tuple(self._inferred.values()),
            tuple(self._acquires),
            tuple(self._threads),
            self._plans,
        )
        self.__init__()  # type: ignore[misc]
        return facts

    def designed(self, wanted: ReadRequest, design: Design | None) -> None:
        """Record the values of a tile program with the chosen sizes, and its plan, if it could be designed.

        Nothing is recorded if an extent of a tensor is not known.
        """
        tensors = (value for value in wanted.arguments.values() if isinstance(value, Tensor))
        if any(not isinstance(extent, int) for tensor in tensors for extent in tensor.shape):
            return
        choices = {} if design is None else design.plan.graph.choices
        read(wanted.function, wanted.arguments, wanted.grid, wanted.chip, choices)
        if design is not None:
            self._plans = tuple(PlanFact(note.span, note.label, note.why) for note in notes(design))

    # --- the Observer protocol ----------------------------------------------------------------------------------

    def value(self, file: SourceFile, node: ast.AST, value: Any) -> None:
        """Record the value of an expression, or of a name that is bound."""
        if type(node) is ast.Constant or type(value) is Unknown:
            return
        times = self._times[node] = self._times.get(node, 0) + 1
        if times > _MOST_TIMES:
            return
        assert isinstance(node, ast.expr)
        if type(node) is ast.Name and (node.end_col_offset or 0) - node.col_offset != len(node.id.encode()):
            return  # a name that a definition or an import binds: the node has the place of the statement
        key = file, node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0
        values = self._places.get(key)
        if values is None:
            values = self._places[key] = {}
        parts = [part for _, part in value.parts] if type(value) is Selected else (value,)
        for part in parts:
            try:
                described = self._described(part, file, node)
            except Exception:  # the object cannot be inspected: reading continues without its value
                described = None
            if described is not None and (described in values or len(values) < MOST_VALUES):
                values[described] = None

    def _described(self, value: Any, file: SourceFile, node: ast.expr) -> ValueFact | None:
        kind = type(value)
        describe = _DESCRIPTIONS.get(kind)
        if describe is not None:
            if kind is TracedBlock and value.span is not None and value.buffer.span is not None:
                self._acquires[
                    AcquireFact(
                        value.span,
                        value.buffer.span,
                        "reserve" if value.reserved else "wait",
                        value.kernel,
                        value.tracer.kind or "data movement",
                    )
                ] = None
            return describe(value)
        if isinstance(value, TracedSrcPipe | TracedDstPipe):
            return ValueFact(kind="pipe", text=kind.__name__, origin=self._origin(value.net, file, node))
        if kind in _BY_PLACE:
            return ValueFact(kind=_BY_PLACE[kind], origin=self._origin(value, file, node))
        if isinstance(value, Semaphore):
            return ValueFact(kind="semaphore", origin=self._origin(value, file, node))
        if isinstance(value, Tensor):
            return _tensor(value)
        return _other(value)

    def _origin(self, value: Any, file: SourceFile, node: ast.expr) -> Span:
        known = self._origins.get(id(value))
        if known is None:
            known = self._origins[id(value)] = value, file.span(node)
        return known[1]

    # --- the Watcher protocol -----------------------------------------------------------------------------------

    def step(self, op: Operation, acquire: dialect.AcquireOp, before: State | None, after: State) -> None:
        """Record a change of a block's state."""
        if isinstance(op, dialect.ReleaseOp | dialect.WaitOp) and op.how != "explicit":
            return  # it has the place of the call that it releases or waits for, but happens elsewhere
        span, acquired = span_of(op), span_of(acquire)
        if span is None or acquired is None:
            return
        befores, afters = self._steps.setdefault((span, acquired), ({}, {}))
        befores[before] = None
        afters[after] = None

    def inferred(self, operation: dialect.OperationOp) -> None:
        """Record the inferred pushes, pops and waits of an operation, and the threads if it is written as one body."""
        whole = span_of(operation)
        for kernel in operation.kernels:
            own = span_of(kernel)
            if whole is not None and own is not None and (own.file, own.line) == (whole.file, whole.line):
                self._thread(kernel, kernel.sym_name.data)
            for op in kernel.walk():
                if isinstance(op, dialect.ReleaseOp | dialect.WaitOp) and op.how == "inferred":
                    self._infer(op)

    def _thread(self, kernel: Operation, name: str) -> None:
        """Record the places of a kernel that the program does not define: it was split from an operation's one body."""
        for op in kernel.walk():
            span = span_of(op)
            if op is not kernel and span is not None:
                self._threads[ThreadFact(span, name)] = None

    def _infer(self, op: dialect.ReleaseOp | dialect.WaitOp) -> None:
        of = span_of(op)
        file = None if of is None else source_file(of.file)
        if of is None or file is None:
            return
        path = innermost(file.tree, of.line, _column(file, of))
        if not path:
            return
        statement = path[-1]
        assert isinstance(statement, ast.stmt)
        suite = suite_of(path)
        last = max(suite.index(statement), _last_before(op, file, suite))
        fact = InferredFact(
            _RELEASES.get(type(op), "wait"),
            of,
            file.extent(suite[last]),
            variable_of(statement, of, file),
            file.extent(statement),
        )
        known = self._inferred.get((fact.how, of))
        if known is None or known.after.line < fact.after.line:
            self._inferred[fact.how, of] = fact


def _last_before(op: Operation, file: SourceFile, suite: list[ast.stmt]) -> int:
    """The index of the last statement of a suite that was read before an operation; -1 without such a statement."""
    before = op.prev_op
    while before is not None:
        if not (isinstance(before, dialect.ReleaseOp | dialect.WaitOp) and before.how == "inferred"):
            own = span_of(before)
            for span in (*(() if own is None else (own,)), *chain_of(before)):
                for number, statement in enumerate(suite):
                    inside = statement.lineno <= span.line <= (statement.end_lineno or statement.lineno)
                    if span.file == file.path and inside:
                        return number
        before = before.prev_op
    return -1


def _column(file: SourceFile, span: Span) -> int:
    """The column of a place in bytes from 0, as syntax trees count."""
    lines = file.text.split("\n", span.line)
    return len(lines[span.line - 1][: span.column - 1].encode())


def _span(key: tuple[SourceFile, int, int, int, int]) -> Span:
    file, line, column, end_line, end_column = key
    node = ast.Pass(lineno=line, col_offset=column, end_lineno=end_line, end_col_offset=end_column)
    return file.extent(node)


# --- values ----------------------------------------------------------------------------------------------------


def _tensor(value: Tensor) -> ValueFact:
    shape = tuple(extent if isinstance(extent, int) else None for extent in value.shape)
    config = value.memory_config()
    memory = f"{config.buffer_type.name}, {config.memory_layout.name.replace('_', ' ').lower()}"
    return ValueFact(
        kind="tensor",
        tensor=TensorKind(shape=shape, dtype=value.dtype.name, layout=value.layout.word, memory=memory),
    )


def _block(value: TracedBlock) -> ValueFact:
    buffer = value.buffer
    return ValueFact(
        kind="block",
        name=buffer.name,
        block=buffer.type,
        count=buffer.block_count,
        acquired="reserve" if value.reserved else "wait",
        kernel=value.kernel,
        origin=value.span,
        made=buffer.span,
    )


def _extent(value: Any) -> Extent:
    if isinstance(value, int):
        return int(value)
    low, high = bounds_of(value)
    return low, high


def _slice(value: TracedSlice) -> ValueFact:
    return ValueFact(
        kind="tensor slice",
        extents=tuple(map(_extent, value.extents)),
        unit=value.layout.unit,
        text=value.dtype.name,
    )


def _node_integer(value: NodeInteger) -> ValueFact:
    low, high = value.bounds
    if low is None and high is None:
        return ValueFact(kind="number", text="known on the node only")
    ends = " to ".join("?" if end is None else str(end) for end in (low, high))
    return ValueFact(kind="number", text=f"{ends}, known on the node only")


def _user_function(value: UserFunction) -> ValueFact:
    return ValueFact(kind="function", name=value.name, origin=value.file.span(value.node))


def _operation(value: ReadOperation) -> ValueFact:
    function: UserFunction = value.function
    return ValueFact(kind="operation", name=function.name, origin=function.file.span(function.node))


def _kernel(value: ReadKernel) -> ValueFact:
    function = value.function
    return ValueFact(
        kind="kernel", name=function.name, kernel=value.kind, origin=function.file.span(function.node)
    )


def _buffer(value: TracedBuffer) -> ValueFact:
    return ValueFact(
        kind="dataflow buffer",
        name=value.name,
        block=value.type,
        count=value.block_count,
        origin=value.span,
        made=value.span,
    )


def _tile_tensor(value: TileTensor) -> ValueFact:
    return ValueFact(
        kind="tile tensor", extents=value.shape, unit="element", text=value.dtype.name, name=value.name
    )


def _block_of_axis(value: BlockIndex) -> ValueFact:
    return ValueFact(kind="block of an axis", text=f"{counted(value.step, 'tile')} of {value.axis.name}")


def _axis(value: TileAxis) -> ValueFact:
    unit = "tile" if value.unit > 1 else "iteration"
    return ValueFact(kind="axis", text=f"{value.extent} elements, {counted(value.units, unit)}")


def _plain(value: Any) -> ValueFact:
    return ValueFact(kind="number", text=_shown(value))


_DESCRIPTIONS: dict[type, Callable[[Any], ValueFact | None]] = {
    TracedValue: lambda value: ValueFact(kind="tile value", block=value.value.type, extents=value.shape),
    TileTensor: _tile_tensor,
    TileAxis: _axis,
    BlockIndex: _block_of_axis,
    TracedExpr: lambda value: ValueFact(kind="expression", block=value.type),
    TracedBlock: _block,
    TracedBuffer: _buffer,
    TracedSlice: _slice,
    NodeInteger: _node_integer,
    NodeFloat: lambda value: ValueFact(kind="number", text="known on the node only"),
    NodeRatio: lambda value: ValueFact(kind="number", text="known on the node only"),
    NodeCondition: lambda value: ValueFact(kind="condition", text="known on the node only"),
    RangeValue: lambda value: ValueFact(kind="container", text="range known on the node only"),
    UserFunction: _user_function,
    ReadOperation: _operation,
    ReadKernel: _kernel,
    int: _plain,
    float: _plain,
    str: lambda value: ValueFact(kind="other", text=_shown(value)),
    bool: lambda value: ValueFact(kind="condition", text=str(value)),
    slice: lambda value: _parts(value),
    tuple: lambda value: _parts(value),
    list: lambda value: _parts(value),
    range: lambda value: ValueFact(kind="container", text=repr(value)),
    type(None): lambda value: None,
}
_BY_PLACE: dict[type, Kind] = {
    PipeNet: "pipe net",
    Pipe: "pipe",
    TracedGroup: "transfer group",
    TracedTransfer: "transfer",
    TracedReceive: "transfer",
    UnicastRemoteSemaphore: "semaphore",
    MulticastRemoteSemaphore: "semaphore",
}


def _other(value: Any) -> ValueFact | None:
    """The fact for a function of the language or an integer of a library; None for other values."""
    name = getattr(value, "__name__", "")
    module = getattr(value, "__module__", None) or ""
    if (
        isinstance(name, str)
        and isinstance(module, str)
        and module.startswith(("ttl.math", "ttl.block", "ttl.lang."))
    ):
        public = module if module in ("ttl.math", "ttl.block") else "ttl"
        return ValueFact(kind="language", name=f"{public}.{name}")
    if isinstance(value, FunctionType | type) or not is_int(value):
        return None
    return _plain(int(value))


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 3]}..."


def _parts(value: Any) -> ValueFact | None:
    """The fact for a container or slice; its members are listed if it is short and they are numbers or texts."""
    if isinstance(value, slice):
        members = [value.start, value.stop]
        if value.step is not None:
            members.append(value.step)
        shown = [None if member is None else _member(member) for member in members]
        return ValueFact(kind="container", text=f"slice({', '.join(text or 'None' for text in shown)})")
    if len(value) > 8:
        return ValueFact(kind="container", text=f"{type(value).__name__} of {len(value)}")
    shown = [_member(member) for member in value]
    if None in shown:
        return ValueFact(kind="container", text=f"{type(value).__name__} of {len(value)}")
    inside = ", ".join(text or "" for text in shown)
    if isinstance(value, list):
        return ValueFact(kind="container", text=f"[{inside}]")
    return ValueFact(kind="container", text=f"({inside},)" if len(value) == 1 else f"({inside})")


def _member(value: Any) -> str | None:
    if isinstance(value, int | float | str):
        return _shown(value)
    if isinstance(value, NodeInteger):
        low, high = value.bounds
        return f"{'?' if low is None else low} to {'?' if high is None else high}"
    return None
