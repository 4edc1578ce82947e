"""From operations of the ``ttl`` dialect to kernels in C++ and descriptions: what every way to compile goes through."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.ir import Block, Operation, Region

from ttl.arch import Chip
from ttl.codegen.cpp import kernel_files
from ttl.codegen.description import ProgramDescription
from ttl.codegen.descriptor import describe
from ttl.codegen.installed import NEWEST, installed_generation
from ttl.diag import Diagnostic
from ttl.diag.errors import InternalError
from ttl.diag.internal import findings_of, internal_error
from ttl.dialects import ttl as dialect
from ttl.dialects.ttkernel import ProgramOp
from ttl.ir.failure import NotLowered
from ttl.ir.locations import span_of
from ttl.ir.verifier import RepeatedVerification, require_valid
from ttl.ops.row import Generation
from ttl.passes.compute.by_matrix_unit import can_spare_buffers
from ttl.passes.marks import WHY
from ttl.passes.narrow import can_be_narrower
from ttl.passes.pipeline import pipeline
from ttl.settings import Settings, current_chip
from ttl.source.spans import Span

# Where passes note what they decided, and why.
# Buffers do not fit into L1, or there are more than a node has.
_TOO_LARGE, _TOO_MANY = "TTL1430", "TTL1431"


@dataclass(frozen=True, slots=True)
class Remark:
    """A decision of the compiler, at the line of the program it is about; None where it is about none."""

    span: Span | None
    text: str


@dataclass(slots=True)
class Compiled:
    """What came out: programs that could be compiled, in the order of the module, and what could not."""

    programs: list[ProgramOp] = field(default_factory=list)
    descriptions: list[ProgramDescription] = field(default_factory=list)
    # For each program its kernels, by file name.
    sources: list[Mapping[str, str]] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    # Operations that were not looked at, and why.
    notes: list[str] = field(default_factory=list)


def compile_module(
    module: ModuleOp,
    settings: Settings,
    *,
    generation: Generation | None = None,
    after_each: Callable[[str, ModuleOp], None] | None = None,
) -> Compiled:
    """Compile every operation of a module; each that cannot be is among the diagnostics, with its reasons.

    The module is left as it is. ``after_each`` is called with the name of each pass that ran and what it made.
    """
    compiled = Compiled()
    chip = current_chip()
    chosen = generation or installed_generation() or NEWEST
    for operation in module.body.block.ops:
        if not isinstance(operation, dialect.OperationOp):
            continue
        if _has_shapes(operation):
            _compile(operation, compiled, chip, chosen, after_each, settings.verify_each)
        else:
            compiled.notes.append(
                f"operation {operation.operation_name}: no call gives it tensors of known shapes; declare some "
                "with @ttl.example(ttl.TensorSpec(...))"
            )
    return compiled


def _has_shapes(operation: dialect.OperationOp) -> bool:
    """Whether the tensors of an operation are those of a call, and not symbols for any."""
    tensors = (value.type for value in operation.body.block.args if isinstance(value.type, TensorType))
    return all(extent != dialect.DYNAMIC for type_ in tensors for extent in dialect.tensor_shape(type_))


def _compile(
    operation: dialect.OperationOp,
    compiled: Compiled,
    chip: Chip,
    generation: Generation,
    after_each: Callable[[str, ModuleOp], None] | None,
    verify_each: bool,
) -> None:
    reasons: dict[Remark, None] = {}
    try:
        program = _lowered(operation, chip, reasons, after_each, verify_each)
        with _internal("printing", operation):
            files = kernel_files(program, generation)
            sources = {name: file.text for name, file in files.items()}
            lines = {name: file.lines for name, file in files.items()}
            description = describe(program, sources, chip, generation, lines)
    except NotLowered as failure:
        compiled.diagnostics += failure.diagnostics
        return
    except InternalError as failure:
        compiled.diagnostics += findings_of(failure)
        return
    finally:
        compiled.remarks += reasons
    compiled.programs.append(program)
    compiled.sources.append(sources)
    compiled.descriptions.append(description)


def _lowered(
    operation: dialect.OperationOp,
    chip: Chip,
    reasons: dict[Remark, None],
    after_each: Callable[[str, ModuleOp], None] | None,
    verify_each: bool,
) -> ProgramOp:
    """Run the passes; where intermediate values do not fit into L1, once more with none that only saves time, then
    with one of them narrower.

    Raises ``NotLowered`` as the first time, where that does not help.
    """
    first: NotLowered | None = None
    sparing, narrow = False, 0
    while True:
        own = operation.clone()
        own.location = operation.location
        module = ModuleOp(Region(Block([own])))
        result: dict[Remark, None] = {}
        verification = RepeatedVerification() if verify_each else None
        if verification is not None:
            with _internal("the front end", operation):
                verification.require_valid(module)
        try:
            for one in pipeline(chip, spare_buffers=sparing, narrow=narrow):
                with _internal(one.name, operation):
                    one.apply(_CONTEXT, module)
                    if verification is not None:
                        verification.require_valid(module)
                result |= dict.fromkeys(_remarks(module))
                if after_each is not None:
                    after_each(one.name, module)
        except NotLowered as failure:
            if first is None:
                first = failure
                reasons |= _last_words(result)
            codes = {finding.code for finding in failure.diagnostics}
            if not sparing and codes <= {_TOO_LARGE, _TOO_MANY} and can_spare_buffers(module):
                sparing = True
            elif codes <= {_TOO_LARGE} and can_be_narrower(module):
                narrow += 1
            else:
                raise first from None
            continue
        if verification is not None:
            with _internal("the last pass", operation):
                require_valid(module)
        reasons.clear()
        reasons |= _last_words(result)
        (program,) = (op for op in module.body.block.ops if isinstance(op, ProgramOp))
        return program


@contextmanager
def _internal(step: str, operation: dialect.OperationOp) -> Iterator[None]:
    """A mistake of ours is a finding at the operation, and says in which step: the others are still compiled."""
    try:
        yield
    except NotLowered:
        raise
    except Exception as raised:
        doing = f"{step}, operation {operation.operation_name}"
        raise internal_error(raised, doing=doing, at=span_of(operation)) from raised


_CONTEXT = Context()


def _remarks(module: ModuleOp) -> Iterator[Remark]:
    for op in module.walk():
        reason = op.attributes.get(WHY)
        if isinstance(reason, StringAttr):
            yield Remark(_place_of(op), reason.data)


def _last_words(result: dict[Remark, None]) -> dict[Remark, None]:
    """Without what a later pass said in the same words and went on."""
    longer = {(remark.span, remark.text) for remark in result}
    return {
        remark: None
        for remark in result
        if not any(span == remark.span and text.startswith(f"{remark.text}; ") for span, text in longer)
    }


def _place_of(op: Operation) -> Span | None:
    return span_of(op)
