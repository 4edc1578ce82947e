"""The parts of ``ttmlir-opt``: the dialects of TT-MLIR, its passes and pipelines, and passes of MLIR that go with them."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from itertools import chain

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tt_model.layouts.values import LayoutError
from tt_model.operations import explanation
from tt_model.operations.dialects import DIALECTS
from tt_model.operations.explanation import EXPLANATION, ExplainedTensor, Explanation
from tt_model.stablehlo.pretty import generic_text
from ttl.ir import upstream
from ttl.ir.driver import Watch
from ttl.ir.forms import MLIRText
from ttl.ir.reports import Report, about
from ttl.ir.tool import Tool
from ttmlir.transforms import memory_map
from ttmlir.transforms.memory_map import WorstMoment
from ttmlir.transforms.pipelines import PASSES, PIPELINES, as_spelled_now
from ttmlir.transforms.upgrade.later import upgraded_text

_NO_DEVICE = "leave tt.device out, and --ttir-implicit-device makes it of tt.system_desc"
# Parts of messages, and what to say with them. The first one that fits counts.
_HINTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"tt\.metal_layout\b"),
        "tt.layout was called metal_layout a week after 2024-11-21, whose dialects this tool reads: write #tt.layout",
    ),
    (
        re.compile(r"operation .*'(d2m|ttkernel|ttmetal)\."),
        "this operation came after 2024-11-21, whose dialects this tool reads",
    ),
    (
        re.compile(r"operation .*'(mhlo|onnx|torch|linalg)\."),
        "a module has to be in TTIR, StableHLO or TOSA: there is no conversion from other dialects",
    ),
    (
        re.compile(r"unregistered operation '(ttir|ttnn)\."),
        "operations of other dates than 2024-11-21 are not read; --allow-unregistered-dialect does not change that",
    ),
    (
        re.compile(r"'ttir\.\S+' op .*(operandSegmentSizes|operands?, but)"),
        "operations of ttir take the tensor that they write, such as a tensor.empty, as their last operand: of those of "
        "2024-11-21, which this tool reads, do not create it themselves, and elementwise ones need "
        "operandSegmentSizes = array<i32: inputs, 1>",
    ),
)


# The same of messages that say more with the line that they are about.
_HINTS_OF_LINES: tuple[tuple[str, re.Pattern[str], str], ...] = (
    (
        "expected '{'",
        re.compile(r"#tt\.system_desc<"),
        "this is an older form of #tt.system_desc: it has the host's processors first, [{role = host, ...}], and each chip as "
        "{arch = <...>, grid = 8x8, l1_size = ..., ...}; leave tt.system_desc out, and --ttir-load-system-desc "
        "gives the module one",
    ),
    (
        "expected 'l1Map'",
        re.compile(""),
        f"this is an older form of #tt.device: l1Map and dramMap stand between workerGrid and meshShape; {_NO_DEVICE}",
    ),
    (
        "expected 'workerGrid'",
        re.compile(""),
        "this is an older form of #tt.device: its parts are named, workerGrid = ..., l1Map = ..., dramMap = ..., "
        f"meshShape = , chipIds = [0]; {_NO_DEVICE}",
    ),
    (
        "expected an affine map",
        re.compile(r"#tt\.layout<\s*\d"),
        "this is an older form of #tt.layout, with strides: it begins with an affine map, such as (d0, d1) -> (d0, d1), or "
        "(d0, d1, d2) -> (d0 * 64 + d1, d2) for a tensor of three dimensions on a grid of two",
    ),
    (
        "requires attribute 'operand_constraints'",
        re.compile(""),
        "operations of ttir need a constraint on the place of each operand: operand_constraints = [#c, #c], one for each, with "
        "#c = #tt.operand_constraint<dram|l1|tile|any_device_tile>",
    ),
    (
        "invalid kind of type specified",
        re.compile(r"tensor\.empty"),
        "this is an older form of tensor.empty: the type after the colon must be the type of its result only",
    ),
)


def hint_for(report: Report, line: str) -> str | None:
    """Return a hint on the line of text that an error is about, or None."""
    of_message = (hint for pattern, hint in _HINTS if pattern.search(report.message))
    of_line = (
        hint for text, pattern, hint in _HINTS_OF_LINES if text in report.message and pattern.search(line)
    )
    return next(chain(of_message, of_line), None)


class Explain(Watch):
    """Why tensors lie as they do."""

    flag = "explain"
    summary = "explain for every tensor which layout it got and why, and for every conversion what needed it"

    def __init__(self) -> None:
        self._explanation = Explanation()
        self._tensors: list[ExplainedTensor] = []

    def watching(self) -> AbstractContextManager[object]:
        return EXPLANATION.given(self._explanation)

    def look(self, module: ModuleOp) -> list[Report]:
        self._tensors += self._explanation.tensors(module)
        return []

    def text(self, *, as_json: bool = False) -> str:
        return explanation.as_json(self._tensors) if as_json else explanation.as_text(self._tensors)


class ShowMemory(Watch):
    """Reports the tensors in the memory of the device. A module that does not fit is an error."""

    flag = "memory-map"
    summary = "report what is in L1 and DRAM when they are fullest, and refuse a module that does not fit"

    def __init__(self) -> None:
        self._moments: list[WorstMoment] = []

    def look(self, module: ModuleOp) -> list[Report]:
        try:
            moments = memory_map.memory_map(module)
        except LayoutError as problem:
            return [about(module, str(problem))]
        self._moments += moments
        return memory_map.too_large(moments, module)

    def text(self, *, as_json: bool = False) -> str:
        return memory_map.as_json(self._moments) if as_json else memory_map.text(self._moments)


def _passes() -> tuple[type[ModulePass], ...]:
    ours = {kind.name for kind in PASSES}
    return (*PASSES, *(kind for kind in upstream.PASSES if kind.name not in ours))


def _in_our_form(text: str, file: str, first_line: int) -> str:
    """A text with the pretty form of StableHLO, or of 2025 and later, as one that this tool reads."""
    return upgraded_text(generic_text(text, file, first_line), file, first_line)


TTMLIR_OPT = Tool(
    name="ttmlir-opt",
    dialects=DIALECTS,
    passes=_passes(),
    pipelines=PIPELINES,
    form=MLIRText(),
    watches=(Explain, ShowMemory),
    respelled=as_spelled_now,
    hint=hint_for,
    generic=_in_our_form,
)
