"""The reasons for every tensor's layout, and the cause of every conversion: ``--explain``.

Passes record their decisions while they run, in the explanation of the run if there is one. The reasons of a value are
copied to the values that replace it in later passes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from xdsl.dialects.builtin import ModuleOp, NameLoc, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from tt_model.attributes.ttnn import TTNNLayoutAttr
from tt_model.layouts.enums import OperandConstraint, TensorMemoryLayout
from tt_model.layouts.layout import TTNNLayout
from ttl.ir.locations import span_of
from ttl.session import Part


@dataclass(frozen=True, kw_only=True, slots=True)
class ExplainedCandidate:
    """A layout that a result may have, spelled in ``override`` as for ``override-output-layout``.

    ``cycles`` is the estimate of the operation with it, including the launch, or None without an estimate; ``bound`` is
    the resource that the operation waits for; ``l1_bytes`` are those of the fullest core. ``against`` is the objection
    to the layout, empty for the chosen one.
    """

    override: str
    chosen: bool
    cycles: int | None
    bound: str
    cores: int
    l1_bytes: int
    against: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ExplainedTensor:
    """A tensor of the compiled module, and the reasons for its layout.

    ``place`` is the place in the model of the operation that it comes from, ``operation`` is the one that produces it
    in the compiled module, ``layout`` is in words, and ``reasons`` are in the order in which the passes decided.
    ``name`` is that of its location, by which overrides refer to it; ``candidates`` are the layouts that the optimizer
    chose from.
    """

    function: str
    place: str
    operation: str
    shape: tuple[int, ...]
    layout: str
    reasons: tuple[str, ...]
    name: str = ""
    candidates: tuple[ExplainedCandidate, ...] = ()


class Explanation:
    """The reasons and candidates that the passes of one run recorded for values."""

    def __init__(self) -> None:
        self._reasons: dict[SSAValue, tuple[str, ...]] = {}
        self._candidates: dict[SSAValue, tuple[ExplainedCandidate, ...]] = {}

    def because(self, value: SSAValue, reason: str) -> None:
        """Record the reason for a decision about a value, once."""
        known = self._reasons.get(value, ())
        if reason not in known:
            self._reasons[value] = (*known, reason)

    def offered(self, value: SSAValue, candidates: tuple[ExplainedCandidate, ...]) -> None:
        """Record the candidates that a pass chose from for a value."""
        self._candidates[value] = candidates

    def became(self, old: SSAValue, new: SSAValue) -> None:
        """Copy the reasons and candidates of a value to the value that replaces it."""
        for reason in self._reasons.get(old, ()):
            self.because(new, reason)
        if old in self._candidates:
            self._candidates.setdefault(new, self._candidates[old])

    def of(self, value: SSAValue) -> tuple[str, ...]:
        """Return the reasons that were recorded for a value."""
        return self._reasons.get(value, ())

    def tensors(self, module: ModuleOp) -> Iterator[ExplainedTensor]:
        """The tensors of a module in program order."""
        for function in module.walk():
            if not isinstance(function, FuncOp):
                continue
            name = function.sym_name.data
            for block in function.body.blocks:
                for argument in block.args:
                    yield from self._tensor(name, argument, "argument", _place(function))
                for op in block.ops:
                    for result in op.results:
                        yield from self._tensor(name, result, op.name, _place(op))

    def _tensor(
        self, function: str, value: SSAValue, operation: str, place: str
    ) -> Iterator[ExplainedTensor]:
        type = value.type
        if not isinstance(type, TensorType):
            return
        reasons = self.of(value)
        if not reasons and isinstance(value, BlockArgument):
            reasons = ("arguments of functions arrive in memory of the host",)
        encoding = type.encoding
        layout = words(encoding.data) if isinstance(encoding, TTNNLayoutAttr) else "no layout"
        yield ExplainedTensor(
            function=function,
            place=place,
            operation=operation,
            shape=tuple(type.get_shape()),
            layout=layout,
            reasons=reasons,
            name=_name(value),
            candidates=self._candidates.get(value, ()),
        )

    def text(self, module: ModuleOp) -> str:
        """Return a paragraph for each tensor, to be read by people."""
        return as_text(self.tensors(module))

    def json(self, module: ModuleOp) -> str:
        """Return a list with an object for each tensor, to be read by programs."""
        return as_json(self.tensors(module))


def as_text(tensors: Iterable[ExplainedTensor]) -> str:
    """The explanation as text: a paragraph for each tensor; the steps of one conversion share a paragraph."""
    lines: list[str] = []
    before: ExplainedTensor | None = None
    for tensor in tensors:
        if before is None or tensor.function != before.function:
            lines.append(f"function {tensor.function}")
        shape = "x".join(map(str, tensor.shape))
        said = tensor.reasons
        if before is not None and _is_next_step(before, tensor):
            said = tensor.reasons[-1:]
        else:
            lines.append(f"  {tensor.place}: {tensor.operation} {shape}: {tensor.layout}")
        lines += [f"    {reason}" for reason in said]
        lines += _candidate_lines(tensor.candidates)
        before = tensor
    return "\n".join(lines) + "\n"


# The number of candidates that the text shows in addition to the chosen one; JSON contains all of them.
_SHOWN = 6


def _candidate_lines(candidates: tuple[ExplainedCandidate, ...]) -> list[str]:
    """The first candidates in their order, and the chosen one."""
    lines = []
    for index, one in enumerate(candidates):
        if index < _SHOWN or one.chosen:
            cycles = (
                "no estimate"
                if one.cycles is None
                else f"{one.cycles:,} cycles, {one.bound}, {one.cores} cores"
            )
            lines.append(
                f"    {'>' if one.chosen else ' '} {one.override}: {cycles}; {one.against or 'chosen'}"
            )
    if len(candidates) > _SHOWN:
        shown = sum(index < _SHOWN or one.chosen for index, one in enumerate(candidates))
        lines.append(f"      and {len(candidates) - shown} more: --explain=FILE.json has all")
    return lines


def _name(value: SSAValue) -> str:
    location = value.location if isinstance(value, BlockArgument) else getattr(value.owner, "location", None)
    return location.desc.data if isinstance(location, NameLoc) else ""


def as_json(tensors: Iterable[ExplainedTensor]) -> str:
    """The explanation as JSON: a list with an object for each tensor."""
    import json

    return json.dumps([asdict(tensor) for tensor in tensors], indent=2) + "\n"


def _none() -> Explanation | None:
    return None


# The explanation of the run; None where none is requested.
EXPLANATION: Part[Explanation | None] = Part(_none)


def words(layout: TTNNLayout) -> str:
    """A layout in words: ``DRAM, interleaved, 2x4 tiles 32x32 of f32, on 1x1 cores``."""
    shape = "x".join(map(str, layout.memref.shape))
    data_type = layout.data_type.keyword
    rows, columns = layout.tile_shape
    pages = (
        f"{shape} tiles {rows}x{columns} of {data_type}"
        if layout.is_tiled
        else f"rows {shape} of {data_type}"
    )
    if layout.buffer_type.is_host:
        return f"host, {pages}"
    grid = "x".join(map(str, layout.grid.shape))
    return f"{layout.buffer_type.name}, {layout.memory_layout.keyword}, {pages}, on {grid} cores"


def _is_next_step(before: ExplainedTensor, tensor: ExplainedTensor) -> bool:
    """Return whether two tensors are steps of one conversion.

    Such steps have the same place, the same layout, and the same reasons except for the last one.
    """
    return (
        before.function == tensor.function
        and before.place == tensor.place
        and len(before.reasons) > 1
        and before.reasons[:-1] == tensor.reasons[:-1]
        and before.layout == tensor.layout
    )


def why(constraint: OperandConstraint) -> str:
    """Return the decisions that the bits of a constraint lead to, in words."""
    if constraint.memory_space.is_host:
        return "host, because neither dram nor l1 is allowed"
    on_dram = OperandConstraint.DRAM in constraint
    place = "DRAM, because dram is allowed" if on_dram else "L1, because l1 is allowed and dram is not"
    memory_layout = constraint.memory_layout
    if memory_layout is TensorMemoryLayout.None_:
        spread = "no memory layout, because none is allowed"
    elif memory_layout is TensorMemoryLayout.Interleaved:
        spread = "interleaved, because that is allowed"
    else:
        spread = f"{memory_layout.keyword}, the first that is allowed"
    pages = (
        "tiles, because scalar is not allowed" if constraint.is_tiled else "rows, because scalar is allowed"
    )
    return f"{place}; {spread}; {pages}"


def _place(op: Operation) -> str:
    span = span_of(op)
    return "<unknown>" if span is None else f"{span.file}:{span.line}:{span.column}"
