"""What ``ttmlir-opt`` is made of: the dialects of TT-MLIR, its passes and pipelines, and passes of MLIR that go with them."""

from __future__ import annotations

from xdsl.passes import ModulePass

from ttl.ir import upstream
from ttl.ir.forms import MLIRText
from ttl.ir.tool import Tool
from ttmlir.operations.dialects import DIALECTS
from ttmlir.opt.eras import hint_for
from ttmlir.opt.watches import Explain, ShowMemory
from ttmlir.stablehlo.pretty import generic_text
from ttmlir.transforms.pipelines import PASSES, PIPELINES, as_spelled_now
from ttmlir.transforms.upgrade.later import upgraded_text


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
