"""Models that call operations of TT-Lang: compiled, written to a binary, run beside the reference."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from tt_model.operations.dialects import DIALECTS
from tt_model.operations.stages import OperationT
from ttl.ir.context import make_context
from ttl.ir.driver import Driver, Options, Timing
from ttl.ir.forms import MLIRText
from ttl.ir.parser import parse_text
from ttl.ir.reports import Report
from ttmlir.transforms.pipelines import PIPELINES
from ttmlir.translate.serialise import ttnn_to_flatbuffer

MODELS = Path(__file__).resolve().parents[2] / "examples" / "models"
MODEL = (MODELS / "three_operations.mlir").read_text(encoding="utf-8")


def compiled(text: str, *more: Any, **options: Any) -> tuple[ModuleOp, list[Report]]:
    """A model after the backend pipeline with options, and passes after it; the errors."""
    context = make_context(DIALECTS)
    module = parse_text(context, text, "model.mlir")
    passes = [*PIPELINES["ttir-to-ttnn-backend-pipeline"](**options).passes(), *more]
    driver = Driver({}, passes, Options(), Timing(), print, MLIRText())
    return module, [report for report in driver.run_passes(context, module) if report.severity == "error"]


def content_of(text: str, *more: Any, **options: Any) -> bytes:
    """The file of a model."""
    module, errors = compiled(text, *more, **options)
    assert not errors, [(error.message, [note.message for note in error.notes]) for error in errors]
    return ttnn_to_flatbuffer(module)


def binary_of(text: str, *more: Any, **options: Any) -> Any:
    """A model as a binary."""
    from ttrt.binary import load_binary_from_capsule

    return load_binary_from_capsule(content_of(text, *more, **options))


def operation(module: ModuleOp, kind: type[OperationT]) -> OperationT:
    """The only operation of a class."""
    (op,) = (op for op in module.walk() if isinstance(op, kind))
    return op


def run(binary: Any, target: Any = "sim", kind: str = "TTLangOp") -> tuple[Sequence[Any], Sequence[Any], Any]:
    """Inputs, outputs and the report of a run in which every operation agrees with the reference."""
    from support.ttmlir_models import golden_run

    done = golden_run(binary, tt_lang=target)
    assert any(kind in one.operation for one in done.golden.comparisons)
    assert not done.complaint(0.999), done.complaint(0.999)
    return done.inputs, done.outputs, done.report
