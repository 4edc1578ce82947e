"""A model file in the explorer: read, compiled with a policy and overrides, measured, with alternative layouts.

TTIR is compiled; a module of TTNN, a binary and the IR of TT-Lang are shown as they are. Measurements are estimates: no card is
used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from xdsl.dialects.builtin import ModuleOp, NameLoc, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tt_adapter.graphs import location_name, name_of_place
from tt_model.attributes.ttnn import TTNNLayoutAttr
from tt_model.binaries.estimate import Estimate, estimates
from tt_model.binaries.reference import ReferenceModules
from tt_model.binaries.submission import prepared
from tt_model.operations.dialects import DIALECTS
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.executor import run_program
from tt_model.runtime.problems import RuntimeProblem
from ttl.diag.errors import WrongRequest
from ttl.dialects.text import DIALECTS as OF_TT_LANG
from ttl.ir.context import make_context
from ttl.ir.driver import Driver, Options, Timing
from ttl.ir.failure import NotLegalized
from ttl.ir.forms import MLIRText
from ttl.ir.parser import parse_text
from ttl.ir.pipeline import parse_pipeline, with_options
from ttl.ir.reports import InvalidIR, Report, line_of_inputs, render
from ttl.session.patience import Unavailable
from ttmlir.overrides import Overrides
from ttmlir.transforms.optimizer.requests import name_of, override_text
from ttmlir.transforms.optimizer.ttnn_optimizer import TTNNOptimizer
from ttmlir.transforms.pipelines import PIPELINES, TTIRToTTNNBackendPipeline
from ttmlir.transforms.upgrade.later import upgraded_text
from ttmlir.translate.serialise import ttnn_to_flatbuffer
from ttrt.binary import Binary, FlatbufferError, load_binary_from_capsule, load_binary_from_path
from ttrt.common.golden import golden_check
from ttrt.common.programs import initialised, system_for

PIPELINE = "ttir-to-ttnn-backend-pipeline"
# The optimizer's policies, by tt-explorer's names, with their pipeline options; the last policy is ours.
POLICIES: Mapping[str, str] = MappingProxyType(
    {
        "DF Sharding": "enable-optimizer=true memory-layout-analysis-enabled=true memory-layout-analysis-policy=DFSharding",
        "L1 Interleaved": "enable-optimizer=true memory-layout-analysis-enabled=true "
        "memory-layout-analysis-policy=L1Interleaved",
        "Optimizer Disabled": "enable-optimizer=true memory-layout-analysis-enabled=false",
        "Fastest": "enable-optimizer=true memory-layout-analysis-enabled=true memory-layout-analysis-policy=Fastest",
    }
)
# Programs with larger inputs are not run for their golden results.
_MOST_ELEMENTS = 1 << 24
# The policy when none is requested.
DEFAULT_POLICY = "Optimizer Disabled"


@dataclass(frozen=True, slots=True)
class ModelSource:
    """A file: its module, the module's dialect, and the binary that the module is from."""

    path: Path
    module: ModuleOp
    dialect: str
    binary: Binary | None = None


def read(path: str) -> ModelSource:
    """Read a ``.mlir`` or ``.ttir`` text, or a ``.ttnn`` binary. Raises ``WrongRequest``."""
    file = Path(path)
    if file.suffix == ".ttnn":
        try:
            binary = load_binary_from_path(file)
            module = ReferenceModules(binary).module(0)
            _locate(module, binary)
            return ModelSource(file, module, "ttnn", binary)
        except IndexError:
            raise WrongRequest(f"{file.name} has no program") from None
        except (FlatbufferError, Unavailable) as problem:
            raise WrongRequest(f"{file.name}: {problem}") from None
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "it is not text"
        raise WrongRequest(f"{file.name} cannot be read: {reason}") from None
    module = _parsed(text, file.name)
    dialects = {op.name.partition(".")[0] for op in module.walk()}
    known = ("ttkernel", "ttmetal", "ttnn", "stablehlo", "ttir", "ttl")
    return ModelSource(file, module, next((one for one in known if one in dialects), "builtin"))


def _locate(module: ModuleOp, binary: Binary) -> None:
    """Set the locations of operations, which a binary stores beside each operation and not in the module's text."""
    steps = binary.programs[0]["operations"]
    for op, step in zip(operations_of(module), steps, strict=False):
        text = step.get("debug_info", "")
        name = name_of_place(text[text.rfind("loc(") :]) if "loc(" in text else "unknown"
        if name != "unknown":
            op.location = NameLoc(StringAttr(name), op.location)


def operations_of(module: ModuleOp) -> list[Operation]:
    """The operations of the first program of a module of TTNN, in the order of its binary."""
    function = next(op for op in module.walk() if isinstance(op, FuncOp) and op.body.blocks)
    return [op for op in function.body.block.ops if op.name.startswith("ttnn.")]


def _parsed(text: str, name: str) -> ModuleOp:
    try:
        context = make_context({**OF_TT_LANG, **DIALECTS}, allow_unregistered=True)
        return parse_text(context, upgraded_text(text, name), name)
    except InvalidIR as problem:
        raise WrongRequest(render(problem.reports[0], line_of_inputs(name, text)).strip()) from None


@dataclass(frozen=True, slots=True)
class LayoutChoices:
    """The layouts that the result of an operation may have, as overrides spell them, and the one that it gets."""

    name: str
    operation: str
    shape: tuple[int, ...]
    chosen: str
    legal: tuple[str, ...]
    overridden: bool
    reasons: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the choices as an object for JSON."""
        return {
            "name": self.name,
            "operation": self.operation,
            "shape": list(self.shape),
            "chosen": self.chosen,
            "legal": list(self.legal),
            "overridden": self.overridden,
            "reasons": list(self.reasons),
        }


@dataclass(frozen=True, slots=True)
class MeasuredResult:
    """The time of one operation of a compiled module, and the difference of its result from the reference."""

    location: str
    operation: str
    nanoseconds: int
    cycles: int
    bound: str
    cores: int
    pcc: float | None
    agrees: bool | None

    def facts(self) -> dict[str, str]:
        """Return the figures as attributes of a node."""
        said = {
            "estimated time [µs]": f"{self.nanoseconds / 1000:,.3f}",
            "bound by": self.bound,
            "cores": str(self.cores),
        }
        if self.pcc is not None:
            said["PCC"] = f"{self.pcc:.6f}"
        return said


@dataclass(eq=False)
class CompiledSource:
    """A module of TTNN and its binary. ``warnings`` are those of the compiler."""

    module: ModuleOp
    binary: Binary
    options: str
    warnings: list[str] = field(default_factory=list)

    @cached_property
    def estimates(self) -> dict[int, Estimate]:
        """The estimates, by the number of the operation in the program."""
        chip = system_for(self.binary, "").chips[0]
        return {one.index: one for one in estimates(self.binary.programs[0], chip)}

    @property
    def nanoseconds(self) -> int:
        """The estimated time of the whole program on the chip, in ns, without the host's part."""
        return sum(one.nanoseconds(one.cycles) for one in self.estimates.values() if not one.on_host)

    def measured(self, *, golden: bool = True) -> dict[Operation, MeasuredResult]:
        """The measurements of each operation that has work.

        With ``golden``, results are compared with the reference.
        """
        pcc = self._golden() if golden else {}
        found = {}
        for index, op in enumerate(operations_of(self.module)):
            one = self.estimates.get(index)
            if one is None:
                continue
            correlation, agrees = pcc.get(index, (None, None))
            found[op] = MeasuredResult(
                name_of_place(one.location),
                one.operation,
                one.nanoseconds(one.cycles),
                one.cycles,
                one.bound,
                one.cores,
                correlation,
                agrees,
            )
        return found

    def _golden(self) -> dict[int, tuple[float | None, bool | None]]:
        program = prepared(self.binary, 0)
        elements = sum(_volume(shape) for shape in program.input_shapes)
        if elements > _MOST_ELEMENTS:
            self.warnings.append(
                f"not run beside the reference: its inputs are {elements:,} elements, more than {_MOST_ELEMENTS:,}"
            )
            return {}
        system = system_for(self.binary, "")
        found: dict[int, tuple[float | None, bool | None]] = {}
        try:
            inputs = initialised(program, "randn", 0)
            check = golden_check(self.binary, 0, inputs)
            device = SimulatedDevice(system, list(range(len(system.chips))))

            def observe(pool: Any, step: Any) -> None:
                before = len(check.comparisons)
                check(pool, step)
                if len(check.comparisons) > before:
                    last = check.comparisons[-1]
                    found[step.at.index] = (last.pcc, not last.diverges(0.99))

            run_program(device, program, inputs, before=check.before, observe=observe)
        except (Unavailable, RuntimeProblem) as problem:
            self.warnings.append(f"not run beside the reference: {problem}")
        return found


def layout_text(op: Operation) -> str:
    """Return the layout of an operation's first result, as overrides spell it; empty if it has no layout."""
    result = next(iter(op.results), None)
    encoding = getattr(result.type, "encoding", None) if result is not None else None
    return override_text(encoding.data) if isinstance(encoding, TTNNLayoutAttr) else ""


def _volume(shape: Iterable[int]) -> int:
    elements = 1
    for extent in shape:
        elements *= extent
    return elements


def compiled(
    source: ModelSource,
    *,
    policy: str = DEFAULT_POLICY,
    overrides: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
    system_desc_path: str = "",
) -> CompiledSource:
    """Compile a module of TTIR. Raises ``WrongRequest`` with everything that prevents it.

    Args:
        policy: one of ``POLICIES``.
        overrides: layouts by the names of locations, as ``override-output-layout`` spells them.
        options: further options of the pipeline, such as ``mesh-shape=1,2``.
    """
    pipeline = _pipeline(policy, overrides or {}, options, system_desc_path)
    module = _ttir(source)
    said = _run(pipeline.passes(), module)
    try:
        binary = load_binary_from_capsule(ttnn_to_flatbuffer(module))
    except NotLegalized as problem:
        raise WrongRequest(_texts(problem.reports)) from None
    words = " ".join(f"{key}={value}" for key, value in _options(pipeline).items())
    return CompiledSource(module, binary, words, said)


def choices(
    source: ModelSource,
    *,
    policy: str = DEFAULT_POLICY,
    overrides: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
    system_desc_path: str = "",
) -> list[LayoutChoices]:
    """The legal layouts and the chosen layout of each result that the optimizer places. Raises ``WrongRequest``.

    Results of a module that is not TTIR have the layout that they have, and no other.
    """
    if source.dialect != "ttir":
        placed = ((op, layout_text(op)) for op in source.module.walk())
        return [
            LayoutChoices(location_name(op), op.name, _shape(op), layout, (), False, ())
            for op, layout in placed
            if layout
        ]
    found = _choices(source, _pipeline(policy, overrides or {}, options, system_desc_path))
    if not overrides:
        return found
    # An override leaves one legal layout; the alternatives are the legal layouts without overrides.
    free = {
        (one.name, one.operation): one
        for one in _choices(source, _pipeline(policy, {}, options, system_desc_path))
    }
    return [
        replace(one, legal=free[one.name, one.operation].legal)
        if one.overridden and (one.name, one.operation) in free
        else one
        for one in found
    ]


def _choices(source: ModelSource, pipeline: TTIRToTTNNBackendPipeline) -> list[LayoutChoices]:
    module = _ttir(source)
    _run([*pipeline.ttir_passes(), *pipeline.lowering_passes()], module)
    optimizer = next(one for one in pipeline.analysis_passes() if isinstance(one, TTNNOptimizer))
    try:
        decided = optimizer.decisions(module)
    except NotLegalized as problem:
        raise WrongRequest(_texts(problem.reports)) from None
    found = []
    for _, decisions in decided:
        for op, legal in decisions.legal.items():
            name, chosen = name_of(op), decisions.now(op)
            if name is None or chosen is None:
                continue
            found.append(
                LayoutChoices(
                    name,
                    op.name,
                    _shape(op),
                    override_text(chosen),
                    tuple(dict.fromkeys(map(override_text, legal))),
                    op in decisions.overridden,
                    tuple(decisions.why.get(op, ())),
                )
            )
    return found


def _shape(op: Operation) -> tuple[int, ...]:
    return tuple(op.results[0].type.get_shape())  # type: ignore[attr-defined]


def _pipeline(
    policy: str, overrides: Mapping[str, str], options: Sequence[str], system_desc_path: str
) -> TTIRToTTNNBackendPipeline:
    if policy not in POLICIES:
        raise WrongRequest(f"there is no policy {policy!r}: it is one of {', '.join(POLICIES)}")
    words = [POLICIES[policy], *options]
    if overrides:
        try:
            words.append(Overrides(output_layouts=overrides).options())
        except ValueError as problem:
            raise WrongRequest(str(problem)) from None
    if system_desc_path:
        words.append(f"system-desc-path={system_desc_path}")
    try:
        (step,) = parse_pipeline(f"{PIPELINE}{{{' '.join(words)}}}")
        made = with_options(PIPELINES[PIPELINE], step, "pipeline")
    except (WrongRequest, ValueError) as problem:
        raise WrongRequest(f"the options of the pipeline are wrong: {problem}") from None
    assert isinstance(made, TTIRToTTNNBackendPipeline)
    return made


def _options(pipeline: TTIRToTTNNBackendPipeline) -> dict[str, str]:
    """Return the pipeline's options that differ from their defaults, as text."""
    plain = TTIRToTTNNBackendPipeline()
    return {
        name.replace("_", "-"): str(getattr(pipeline, name))
        for name in pipeline.__dataclass_fields__
        if getattr(pipeline, name) != getattr(plain, name)
    }


def _ttir(source: ModelSource) -> ModuleOp:
    """Copy the module for a compilation."""
    if source.dialect != "ttir":
        raise WrongRequest(
            f"{source.path.name} is a module of {source.dialect}: only modules of TTIR can be compiled; others can only be viewed"
        )
    return _parsed(source.path.read_text(encoding="utf-8"), source.path.name)


def _run(passes: Sequence[ModulePass], module: ModuleOp) -> list[str]:
    driver = Driver({}, list(passes), Options(), Timing(), print, MLIRText())
    reports = driver.run_passes(make_context(DIALECTS), module)
    errors = [report for report in reports if report.severity == "error"]
    if errors:
        raise WrongRequest(_texts(errors))
    return [report.message for report in reports if report.severity == "warning"]


def _texts(reports: Iterable[Report]) -> str:
    return "\n".join(render(report, line_of_inputs("", "")).strip() for report in reports)
