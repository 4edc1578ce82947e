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


def _passes() -> tuple[type[ModulePass], ...]:
    ours = {kind.name for kind in PASSES}
    return (*PASSES, *(kind for kind in upstream.PASSES if kind.name not in ours))


TTMLIR_OPT = Tool(
    name="ttmlir-opt",
    dialects=DIALECTS,
    passes=_passes(),
    pipelines=PIPELINES,
    form=MLIRText(),
    watches=(Explain, ShowMemory),
    respelled=as_spelled_now,
    hint=hint_for,
    generic=generic_text,
)
