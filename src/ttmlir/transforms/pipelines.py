"""All passes and pipelines of TT-MLIR, with their options.

The methods of the class of ``ttir-to-ttnn-backend-pipeline`` are its stages, from top to bottom: each expects the
guarantees of the stage before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ttl.ir.failure import Remarks, without_effect
from ttl.ir.pipeline import PassPipeline, WrittenPass, option_text
from ttmlir.outlining.outline import TTIRToTTLang
from ttmlir.transforms.canonicalize import CanonicalizeModule
from ttmlir.transforms.common_subexpressions import MergeCommonSubexpressions
from ttmlir.transforms.deallocate import TTNNDeallocate
from ttmlir.transforms.decompose_layouts import TTNNDecomposeLayouts
from ttmlir.transforms.decomposition import DecomposeTTIR
from ttmlir.transforms.from_stablehlo.distribution import DistributeOverMesh
from ttmlir.transforms.from_stablehlo.passes import (
    ConvertArithToStableHLO,
    ConvertStableHLOToTTIR,
    LegalizeCompositeToCall,
    UnrollControlFlow,
)
from ttmlir.transforms.from_tosa import ConvertTosaToTTIR
from ttmlir.transforms.in_place import TTNNWriteInPlace
from ttmlir.transforms.inline import InlineCalls
from ttmlir.transforms.metal.allocate import TTIRAllocate
from ttmlir.transforms.metal.buffers import GenericOpCBs, GenericRegionOperandsToMemref
from ttmlir.transforms.metal.constants import ConstantAsFill
from ttmlir.transforms.metal.generic import TTIRGeneric, TTIRGenericKernel
from ttmlir.transforms.metal.layout import TTIRLayout
from ttmlir.transforms.metal.split_layout import SplitCompoundLayout
from ttmlir.transforms.metal.to_ttmetal import ConvertTTIRToTTMetal
from ttmlir.transforms.optimizer.ttnn_optimizer import TTNNOptimizer
from ttmlir.transforms.orders.propagate_transposes import PropagateTransposes
from ttmlir.transforms.remove_dead_values import RemoveDeadValues
from ttmlir.transforms.symbols import RemoveDeadSymbols
from ttmlir.transforms.system_desc import ImplicitDevice, LoadSystemDesc
from ttmlir.transforms.to_emitc.ttkernel_to_emitc import ConvertTTKernelToEmitC
from ttmlir.transforms.to_emitc.ttnn_to_emitc import ConvertTTNNToEmitC
from ttmlir.transforms.to_ttnn import ConvertTTIRToTTNN
from ttmlir.transforms.tt_lang import LowerTTLangToGeneric, ResolveTTLangKernels
from ttmlir.transforms.ttnn_layout import TTNNLayoutPass
from ttmlir.transforms.upgrade.passes import Upgrade


@dataclass(frozen=True)
class IgnoredOptions(ModulePass):
    """Report the options of a pipeline that have no effect, and how they would get one; the module stays unchanged."""

    name = "ignored-options"
    options: tuple[tuple[str, str], ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise Remarks([without_effect(option, way_out) for option, way_out in self.options])


@dataclass(frozen=True)
class TTIRToTTNNBackendPipeline(PassPipeline):
    """Compile TTIR to TTNN.

    The stages are the methods, in the order in which they run; the bindings have each of them as a function, too.
    """

    name = "ttir-to-ttnn-backend-pipeline"
    enable_optimizer: bool = False
    insert_memreconfig: str = ""
    override_output_layout: str = ""
    memory_layout_analysis_enabled: bool = False
    memreconfig_enabled: bool = True
    memory_layout_analysis_policy: str = "DFSharding"
    system_desc_path: str = ""
    max_legal_layouts: int = 64
    mesh_shape: tuple[int, ...] = ()
    resolve_tt_lang_kernels: bool = False
    allow_tt_lang: tuple[str, ...] = ()
    tt_lang_python_module: str = ResolveTTLangKernels.python_module
    tt_lang_python_function: str = ResolveTTLangKernels.python_function
    lower_tt_lang_to_generic: bool = False
    # Not an option of the real project of 2024-11-21.
    propagate_transposes: bool = False

    def __post_init__(self) -> None:
        self._optimizer()  # its options are checked even if it does not run
        self._resolver()

    def _optimizer(self) -> TTNNOptimizer:
        return TTNNOptimizer(
            insert_memreconfig=self.insert_memreconfig,
            override_output_layout=self.override_output_layout,
            memory_layout_analysis_enabled=self.memory_layout_analysis_enabled,
            memreconfig_enabled=self.memreconfig_enabled,
            memory_layout_analysis_policy=self.memory_layout_analysis_policy,
            max_legal_layouts=self.max_legal_layouts,
        )

    def _resolver(self) -> ResolveTTLangKernels:
        return ResolveTTLangKernels(
            mesh_shape=self.mesh_shape,
            python_module=self.tt_lang_python_module,
            python_function=self.tt_lang_python_function,
            allow_tt_lang=self.allow_tt_lang,
        )

    def ttir_passes(self) -> list[ModulePass]:
        """TTIR to simpler TTIR of one function, for a device."""
        return [
            DecomposeTTIR(),
            InlineCalls(),
            *([PropagateTransposes()] if self.propagate_transposes else []),
            LoadSystemDesc(path=self.system_desc_path),
            ImplicitDevice(mesh_shape=self.mesh_shape),
        ]

    def lowering_passes(self) -> list[ModulePass]:
        """Layouts, then TTNN."""
        return [TTNNLayoutPass(), ConvertTTIRToTTNN(), RemoveDeadValues()]

    def analysis_passes(self) -> list[ModulePass]:
        """Return the optimizer, if it is enabled."""
        return [self._optimizer()] if self.enable_optimizer else []

    def layout_decomposition_passes(self) -> list[ModulePass]:
        """Return the pass that splits changes of layout into steps of the runtime."""
        return [TTNNDecomposeLayouts()]

    def dealloc_passes(self) -> list[ModulePass]:
        """Return the passes that write in place and deallocate memory after the last use."""
        return [TTNNWriteInPlace(), TTNNDeallocate()]

    def tt_lang_passes(self) -> list[ModulePass]:
        """Return the passes for kernels of TT-Lang, if they are enabled; a list of permitted modules enables them, too."""
        lower: list[ModulePass] = [LowerTTLangToGeneric()] if self.lower_tt_lang_to_generic else []
        wanted = self.resolve_tt_lang_kernels or self.allow_tt_lang or lower
        return [self._resolver(), *lower] if wanted else []

    def ignored(self) -> list[ModulePass]:
        """Return the pass that reports options without effect because another option is missing, if any."""
        off: dict[str, list[str]] = {}
        if not self.enable_optimizer:
            off["add enable-optimizer=true"] = [field.name for field in fields(TTNNOptimizer)]
        if not (self.resolve_tt_lang_kernels or self.allow_tt_lang or self.lower_tt_lang_to_generic):
            off["add resolve-tt-lang-kernels=true"] = ["tt_lang_python_module", "tt_lang_python_function"]
        ignored = tuple(
            (f"{name.replace('_', '-')}={option_text(getattr(self, name))}", way_out)
            for way_out, names in off.items()
            for name in names
            if (value := getattr(self, name, None)) != getattr(type(self), name, None)
            or (name in self.given and not isinstance(value, bool))
        )
        return [IgnoredOptions(ignored)] if ignored else []

    def passes(self) -> list[ModulePass]:
        return [
            *self.ignored(),
            *self.ttir_passes(),
            *self.lowering_passes(),
            *self.analysis_passes(),
            *self.layout_decomposition_passes(),
            *self.dealloc_passes(),
            *self.tt_lang_passes(),
        ]


@dataclass(frozen=True)
class TTIRToEmitCPipeline(TTIRToTTNNBackendPipeline):
    """Compile TTIR to TTNN, and that to EmitC, of which ``ttmlir-translate --mlir-to-cpp`` prints C++."""

    name = "ttir-to-emitc-pipeline"
    api: str = ConvertTTNNToEmitC.api

    def passes(self) -> list[ModulePass]:
        return [*super().passes(), ConvertTTNNToEmitC(api=self.api)]


@dataclass(frozen=True)
class TTIRToTTMetalBackendPipeline(PassPipeline):
    """Compile TTIR to TTMetal: kernels, and the commands that run them on cores."""

    name = "ttir-to-ttmetal-backend-pipeline"
    system_desc_path: str = ""
    mesh_shape: tuple[int, ...] = ()

    def passes(self) -> list[ModulePass]:
        return [
            LoadSystemDesc(path=self.system_desc_path),
            ImplicitDevice(mesh_shape=self.mesh_shape),
            ConstantAsFill(),
            TTIRGeneric(),
            TTIRLayout(
                init_memory_space="l1", default_memory_space="l1", default_device_memory_layout="none"
            ),
            # Not a pass of the real project of 2024-11-21, whose last pass cannot convert a compound change of layout.
            SplitCompoundLayout(),
            GenericOpCBs(),
            GenericRegionOperandsToMemref(),
            TTIRAllocate(),
            ConvertTTIRToTTMetal(),
        ]


@dataclass(frozen=True)
class StableHLOToTTIRPipeline(PassPipeline):
    """Convert StableHLO to TTIR."""

    name = "stablehlo-to-ttir-pipeline"
    enable_arith_to_stablehlo: bool = True
    enable_composite_to_call: bool = True
    enable_remove_dead_values: bool = True

    def passes(self) -> list[ModulePass]:
        return [
            *([ConvertArithToStableHLO()] if self.enable_arith_to_stablehlo else []),
            *([LegalizeCompositeToCall()] if self.enable_composite_to_call else []),
            DistributeOverMesh(),
            UnrollControlFlow(),
            ConvertStableHLOToTTIR(),
            *([RemoveDeadValues()] if self.enable_remove_dead_values else []),
        ]


PASSES: tuple[type[ModulePass], ...] = (
    Upgrade,
    ConvertArithToStableHLO,
    LegalizeCompositeToCall,
    DistributeOverMesh,
    UnrollControlFlow,
    ConvertStableHLOToTTIR,
    ConvertTosaToTTIR,
    DecomposeTTIR,
    InlineCalls,
    PropagateTransposes,
    LoadSystemDesc,
    ImplicitDevice,
    TTNNLayoutPass,
    ConvertTTIRToTTNN,
    RemoveDeadValues,
    CanonicalizeModule,
    MergeCommonSubexpressions,
    RemoveDeadSymbols,
    TTNNOptimizer,
    TTNNDecomposeLayouts,
    TTNNWriteInPlace,
    TTNNDeallocate,
    ResolveTTLangKernels,
    LowerTTLangToGeneric,
    ConstantAsFill,
    TTIRGeneric,
    TTIRGenericKernel,
    TTIRLayout,
    SplitCompoundLayout,
    GenericOpCBs,
    GenericRegionOperandsToMemref,
    TTIRAllocate,
    ConvertTTIRToTTMetal,
    ConvertTTKernelToEmitC,
    TTIRToTTLang,
    ConvertTTNNToEmitC,
)

PIPELINES: Mapping[str, type[PassPipeline]] = {
    pipeline.name: pipeline
    for pipeline in (
        TTIRToTTNNBackendPipeline,
        TTIRToEmitCPipeline,
        TTIRToTTMetalBackendPipeline,
        StableHLOToTTIRPipeline,
    )
}


def as_spelled_now(steps: Sequence[WrittenPass]) -> list[WrittenPass]:
    """Translate passes from the older spelling on the page of the tool to the current one.

    The page compiles to TTNN by ``--ttir-load-system-desc --ttir-layout --convert-ttir-to-ttnn``. If TTNN follows,
    ``ttir-layout`` becomes ``ttnn-layout``, which needs the device that ``ttir-implicit-device`` gives the module.
    """
    names = [step.name for step in steps]
    if "ttir-layout" not in names or "convert-ttir-to-ttnn" not in names[names.index("ttir-layout") :]:
        return list(steps)
    now: list[WrittenPass] = []
    for step in steps:
        if step.name != "ttir-layout":
            now.append(step)
            continue
        needed = ("ttir-load-system-desc", "ttir-implicit-device")
        now += [replace(step, name=name, options={}) for name in needed if name not in names]
        now.append(replace(step, name="ttnn-layout", options={}))
    return now
