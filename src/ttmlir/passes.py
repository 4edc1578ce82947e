"""Pipelines and their stages as functions, under the names of the real project's bindings.

All take a module and change it. A failure is a ``RuntimeError`` that names every operation that cannot be compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tt_model.flatbuffer.files import write_whole
from ttl.diag.errors import WrongRequest
from ttl.ir.failure import NotLegalized
from ttl.ir.pipeline import parse_pipeline, with_options
from ttl.ir.reports import line_of_inputs, render
from ttmlir.bindings.goldens import DataType, GoldenTensor, SharedVoidPtr, create_golden_tensor
from ttmlir.bindings.modules import Module
from ttmlir.bindings.running import run_passes
from ttmlir.bindings.scope import MLIRError
from ttmlir.transforms.decompose_layouts import in_steps
from ttmlir.transforms.orders.propagate_transposes import PropagateTransposes, RecordedPropagation
from ttmlir.transforms.pipelines import PIPELINES
from ttmlir.translate.serialise import ttnn_to_flatbuffer

__all__ = [
    "DataType",
    "GoldenTensor",
    "SharedVoidPtr",
    "create_golden_tensor",
    "stablehlo_to_ttir_pipeline",
    "ttir_to_ttmetal_backend_pipeline",
    "ttir_to_ttnn_backend_pipeline",
    "ttmetal_to_flatbuffer_file",
    "ttnn_pipeline_analysis_passes",
    "ttnn_pipeline_dealloc_pass",
    "ttnn_pipeline_layout_decomposition_pass",
    "ttnn_pipeline_lowering_passes",
    "ttnn_pipeline_ttir_passes",
    "ttnn_to_flatbuffer_binary",
    "ttnn_to_flatbuffer_file",
]

_TTNN = "ttir-to-ttnn-backend-pipeline"
_TTMETAL = "ttir-to-ttmetal-backend-pipeline"
_STABLEHLO = "stablehlo-to-ttir-pipeline"
_LATER = "comes with the runtime of TTMetal; until then compile to TTNN"


def ttir_to_ttnn_backend_pipeline(
    module: Module, options: str = "", *, moved: dict[str, tuple[int, ...]] | None = None
) -> None:
    """Compile TTIR to TTNN. ``options`` as on the command line: ``"system-desc-path=x.ttsys mesh-shape=1,1"``.

    ``moved``, an addition of this project, receives the permutations of results by ``ttir-propagate-transposes``, by
    the names of their locations.
    """

    def passes(pipeline: Any) -> Sequence[ModulePass]:
        steps: Sequence[ModulePass] = pipeline.passes()
        if moved is None:
            return steps
        return [
            RecordedPropagation(moved) if isinstance(step, PropagateTransposes) else step for step in steps
        ]

    _run(module, options, _TTNN, passes)


def ttir_to_ttmetal_backend_pipeline(module: Module, options: str = "") -> None:
    """Compile TTIR to TTMetal. ``options`` as on the command line: ``"system-desc-path=x.ttsys mesh-shape=1,1"``."""
    _run(module, options, _TTMETAL, lambda pipeline: pipeline.passes())


def ttnn_pipeline_ttir_passes(module: Module, options: str = "") -> None:
    """The first stage: TTIR to simpler TTIR of one function, for a device."""
    _run(module, options, _TTNN, lambda pipeline: pipeline.ttir_passes())


def ttnn_pipeline_lowering_passes(module: Module, options: str = "") -> None:
    """The second stage: layouts, then TTNN."""
    _run(module, options, _TTNN, lambda pipeline: pipeline.lowering_passes())


def ttnn_pipeline_analysis_passes(module: Module, options: str = "") -> None:
    """The third stage: the optimizer, if it is enabled."""
    _run(module, options, _TTNN, lambda pipeline: pipeline.analysis_passes())


def ttnn_pipeline_layout_decomposition_pass(module: Module, options: str = "") -> None:
    """The fourth stage: changes of layout become the operations of the runtime."""
    _run(module, options, _TTNN, lambda pipeline: pipeline.layout_decomposition_passes())


def ttnn_pipeline_dealloc_pass(module: Module, options: str = "") -> None:
    """The last stage: tensors are deallocated after their last use."""
    _run(module, options, _TTNN, lambda pipeline: pipeline.dealloc_passes())


def stablehlo_to_ttir_pipeline(module: Module, options: str = "") -> None:
    """Convert StableHLO to TTIR. ``options`` as on the command line: ``"enable-remove-dead-values=false"``."""
    _run(module, options, _STABLEHLO, lambda pipeline: pipeline.passes())


def _run(module: Module, options: str, name: str, stage: Callable[[Any], Sequence[ModulePass]]) -> None:
    try:
        (step,) = parse_pipeline(f"{name}{{{options}}}")
        passes = stage(with_options(PIPELINES[name], step, "pipeline"))
    except WrongRequest as problem:
        raise RuntimeError(f"Failed to add pipeline to pass manager: {problem}") from None
    try:
        run_passes(module.operation, passes, "Failed to run pass manager")
    except MLIRError as problem:
        raise RuntimeError(str(problem)) from problem


def ttnn_to_flatbuffer_file(module: Module, filepath: str, goldenMap: Mapping[str, GoldenTensor]) -> None:
    """Write a TTNN module as a ``.ttnn`` file with golden tensors by the names of locations.

    Raises ``RuntimeError`` with every operation that cannot be written, and for a path that cannot be written to; the
    file then does not exist, or is unchanged.
    """
    content = flatbuffer_of(module, goldenMap)
    try:
        write_whole(filepath, content)
    except OSError as problem:
        raise RuntimeError(f"Failed to open file: {filepath}: {problem.strerror or problem}") from None


def ttmetal_to_flatbuffer_file(module: Module, filepath: str, goldenMap: Mapping[str, GoldenTensor]) -> None:
    """Write a TTMetal module as a ``.ttm`` file (comes later)."""
    raise NotImplementedError(f"ttmetal_to_flatbuffer_file {_LATER}")


def ttnn_to_flatbuffer_binary(module: Module) -> bytes:
    """A TTNN module as a binary in memory, for ``ttrt.binary.load_binary_from_capsule``. Raises ``RuntimeError``."""
    return flatbuffer_of(module, {})


def flatbuffer_of(module: Module, goldens: Mapping[str, GoldenTensor]) -> bytes:
    """The bytes of a ``.ttnn`` file with golden tensors by name. Raises ``RuntimeError``."""
    operation = module.operation.xdsl
    if not isinstance(operation, ModuleOp):
        raise RuntimeError(f"a module is written, not {operation.name}")
    try:
        return ttnn_to_flatbuffer(in_steps(Context(), operation), goldens)
    except NotLegalized as problem:
        text = "".join(render(report, line_of_inputs("", "")) for report in problem.reports)
        raise RuntimeError(f"Failed to write flatbuffer:\n{text}") from None
