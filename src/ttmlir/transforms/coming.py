"""Passes that have a name and options already and do their work later. Asking for one is an error that says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, make_dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ttl.ir.failure import Remarks
from ttl.ir.reports import Report
from ttmlir.transforms.overrides import parse_memory_reconfigurations, parse_output_layouts

POLICIES = ("DFSharding", "L1Interleaved")
SECOND_HALF = (
    "it comes with the second half of TT-MLIR; what there is compiles TTIR to TTNN and to TTMetal: "
    "--ttir-to-ttnn-backend-pipeline, --ttir-to-ttmetal-backend-pipeline"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Coming:
    """A pass that is not there yet: its name, what it will do, and its options with their defaults."""

    name: str
    summary: str
    options: Mapping[str, str] = field(default_factory=dict)


_COMING = (
    Coming(name="convert-ttnn-to-emitc", summary="TTNN to EmitC, of which MLIR prints C++"),
    Coming(name="convert-arith-to-stablehlo", summary="arith.constant to StableHLO"),
    Coming(name="stablehlo-legalize-composite-to-call", summary="composites of StableHLO to calls"),
    Coming(name="convert-stablehlo-to-ttir", summary="StableHLO to TTIR"),
)


@dataclass(frozen=True)
class ComingPass(ModulePass):
    """A pass that cannot be asked for yet."""

    def __post_init__(self) -> None:
        raise ValueError(f"it has no implementation yet: {SECOND_HALF}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise NotImplementedError(self.name)


def _coming_pass(coming: Coming) -> type[ModulePass]:
    class_name = "".join(word.capitalize() for word in coming.name.split("-"))
    namespace = {
        "name": coming.name,
        "__doc__": f"{coming.summary[:1].upper()}{coming.summary[1:]} (comes later).",
    }
    if not coming.options:  # no need to write code for it
        return type(class_name, (ComingPass,), namespace)
    options = [(name, "str", field(default=default)) for name, default in coming.options.items()]
    return make_dataclass(class_name, options, bases=(ComingPass,), namespace=namespace, frozen=True)


COMING_PASSES: tuple[type[ModulePass], ...] = tuple(_coming_pass(coming) for coming in _COMING)


@dataclass(frozen=True)
class TTNNOptimizer(ModulePass):
    """Choose layouts and shards of results (comes later; the options are read).

    Expects: TTNN before ``ttnn-decompose-layouts``. Changes nothing yet, and says so in a warning: the module is right
    without it, only slower.
    """

    name = "ttnn-optimizer"
    insert_memreconfig: str = ""
    override_output_layout: str = ""
    memory_layout_analysis_enabled: bool = False
    memreconfig_enabled: bool = True
    memory_layout_analysis_policy: str = "DFSharding"
    max_legal_layouts: int = 64

    def __post_init__(self) -> None:
        parse_output_layouts(self.override_output_layout)
        parse_memory_reconfigurations(self.insert_memreconfig)
        if self.memory_layout_analysis_policy not in POLICIES:
            raise ValueError(
                "invalid memory layout analysis policy "
                f"{self.memory_layout_analysis_policy}; it is one of {', '.join(POLICIES)}"
            )
        if self.max_legal_layouts < 1:
            raise ValueError(f"max-legal-layouts is at least 1, not {self.max_legal_layouts}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        asked = [
            f"{option}={value}"
            for option, value in (
                ("override-output-layout", self.override_output_layout),
                ("insert-memreconfig", self.insert_memreconfig),
            )
            if value
        ]
        raise Remarks([_no_optimizer(op, asked)])


def _no_optimizer(module: Operation, asked: list[str]) -> Report:
    ignored = f"; without effect: {', '.join(asked)}" if asked else ""
    return Report(
        severity="warning",
        message=f"ttnn-optimizer has no implementation yet and changes nothing{ignored}",
        notes=(
            Report(
                severity="note",
                message="results keep the layouts of ttnn-layout; the optimizer comes with the second half of TT-MLIR",
            ),
        ),
    )
