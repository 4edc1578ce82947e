"""Compiles operations of the ``ttl`` dialect to kernels in C++ and descriptions: every way to compile goes through here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass

from ttl.analysis.dominance import walked
from ttl.arch import Chip
from ttl.check.integers import too_wide_in
from ttl.codegen.cpp import kernel_files
from ttl.codegen.description import ProgramDescription
from ttl.codegen.descriptor import describe
from ttl.codegen.installed import NEWEST, installed_generation
from ttl.codegen.scheduled import SCHEDULE, CompileSchedule, schedule_of, scheduled
from ttl.diag import Diagnostic
from ttl.diag.errors import InternalError
from ttl.diag.internal import findings_of, internal_error
from ttl.dialects import ttl as dialect
from ttl.dialects.ttkernel import ProgramOp
from ttl.ir.failure import NotLowered, placed
from ttl.ir.locations import span_of
from ttl.ir.verifier import RepeatedVerification, require_valid
from ttl.passes import choices
from ttl.passes.choices import ChoicePoint, ChoosingPass
from ttl.passes.compute.by_matrix_unit import can_spare_buffers
from ttl.passes.marks import WHY
from ttl.passes.narrow import can_be_narrower
from ttl.passes.pipeline import pipeline
from ttl.rows.row import Generation
from ttl.session.compile_options import for_operation, read_options
from ttl.settings import Settings, current_chip
from ttl.source.depth import room
from ttl.source.spans import Span

# The errors for buffers that do not fit into L1, and for more buffers than a node has.
_TOO_LARGE, _TOO_MANY = "TTL1430", "TTL1431"


@dataclass(frozen=True, slots=True)
class Remark:
    """A decision of the compiler, and the place in the program that it is about; None if it is about no place."""

    span: Span | None
    text: str


@dataclass(slots=True)
class Compiled:
    """The result of a compilation: the compiled programs, in the order of the module, and the diagnostics of the others."""

    programs: list[ProgramOp] = field(default_factory=list)
    descriptions: list[ProgramDescription] = field(default_factory=list)
    # The kernels of each program, by file name.
    sources: list[Mapping[str, str]] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    # Texts about operations that were not compiled, with the reasons.
    notes: list[str] = field(default_factory=list)
    # The choices of each program, with ``with_choices``.
    choices: list[tuple[ChoicePoint, ...]] = field(default_factory=list)
    # The passes that ran on each program, and its schedule, if it has one.
    passes: list[tuple[ModulePass, ...]] = field(default_factory=list)
    schedules: list[CompileSchedule | None] = field(default_factory=list)


@room()
def compile_module(
    module: ModuleOp,
    settings: Settings,
    *,
    generation: Generation | None = None,
    after_each: Callable[[str, ModuleOp], None] | None = None,
    with_choices: bool = False,
    then: Sequence[ModulePass] = (),
) -> Compiled:
    """Compile every operation of a module. The diagnostics say why an operation could not be compiled.

    The module is not changed. ``after_each`` is called after each pass with the name of the pass and its module.
    ``with_choices`` collects the choices of passes and their alternatives. ``then`` are passes that run last.
    """
    compiled = Compiled()
    options = read_options(settings.compile_option)
    chip = current_chip(settings)
    chosen = generation or installed_generation() or NEWEST
    for operation in module.body.block.ops:
        if not isinstance(operation, dialect.OperationOp):
            continue
        if has_shapes(operation):
            own = for_operation(options, operation.operation_name) or _tuned(operation)
            try:
                schedule = schedule_of(operation, settings)
            except NotLowered as failure:
                compiled.diagnostics += failure.diagnostics
                continue
            run = _Lowering(
                operation, chip, own, after_each, settings.verify_each, with_choices, then, schedule
            )
            _compile(run, compiled, chosen)
        else:
            compiled.notes.append(
                f"operation {operation.operation_name}: no call passes it tensors of known shapes; declare some "
                "with @ttl.example(ttl.TensorSpec(...))"
            )
    return compiled


def _tuned(operation: dialect.OperationOp) -> Mapping[str, str]:
    """The compile options for a call of a program from the file of tuned configurations."""
    text = operation.attributes.get("ttl.compile_option")
    return for_operation(read_options(text.data), "") if isinstance(text, StringAttr) else {}


def options_of_nothing(module: ModuleOp, settings: Settings) -> list[Diagnostic]:
    """Errors for compile options of operations that a whole program does not have (TTL1460)."""
    names = [op.operation_name for op in module.body.block.ops if isinstance(op, dialect.OperationOp)]
    options = read_options(settings.compile_option)
    return [
        choices.no_operation(str(option), option.operation, names)
        for option in options
        if option.operation is not None and option.operation not in names
    ]


def has_shapes(operation: dialect.OperationOp) -> bool:
    """Whether the tensors of an operation have the shapes of a call, and no symbolic extents."""
    tensors = (value.type for value in operation.body.block.args if isinstance(value.type, TensorType))
    return all(extent != dialect.DYNAMIC for type_ in tensors for extent in dialect.tensor_shape(type_))


def _compile(lowering: _Lowering, compiled: Compiled, generation: Generation) -> None:
    operation, chip = lowering.operation, lowering.chip
    too_wide = too_wide_in(operation, operation.grid.extents)
    if too_wide:
        compiled.diagnostics += too_wide
        return
    try:
        program = lowering.run()
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
        compiled.remarks += lowering.reasons
    compiled.programs.append(program)
    compiled.sources.append(sources)
    compiled.descriptions.append(description)
    compiled.choices.append(tuple(lowering.choices))
    compiled.passes.append(lowering.passes)
    compiled.schedules.append(lowering.schedule)


class _Lowering:
    """The lowering of one operation by the passes."""

    def __init__(
        self,
        operation: dialect.OperationOp,
        chip: Chip,
        options: Mapping[str, str],
        after_each: Callable[[str, ModuleOp], None] | None,
        verify_each: bool,
        with_choices: bool,
        then: Sequence[ModulePass],
        schedule: CompileSchedule | None,
    ) -> None:
        self.schedule = schedule
        self.passes: tuple[ModulePass, ...] = ()
        self.operation = operation
        self.chip = chip
        self._options = options
        self._after_each = after_each
        self._verify_each = verify_each
        self._with_choices = with_choices
        self._then = then
        self.reasons: dict[Remark, None] = {}
        self.choices: list[ChoicePoint] = []

    def run(self) -> ProgramOp:
        """Run the passes, and again with other options if there are too many buffers, or if they do not fit into L1.

        First, buffers that only save time are left out; then, buffers are made narrower step by step. Compile options
        that are set are not changed. Raises ``NotLowered`` with the errors of the first attempt if that does not help.
        """
        first: NotLowered | None = None
        options = {**self._options}
        if self.schedule is not None and self.schedule.chain is not None:
            options |= self.schedule.options(self.operation)
        narrow_is_chosen = "narrow" in options
        while True:
            own = self.operation.clone()
            own.location = self.operation.location
            own.attributes.pop(SCHEDULE, None)
            module = ModuleOp(Region(Block([own])))
            remarks: dict[Remark, None] = {}
            try:
                self._through(self._passes(options), module, remarks)
            except NotLowered as failure:
                if first is None:
                    first = failure
                    self.reasons |= _last_words(remarks)
                codes = {finding.code for finding in failure.diagnostics}
                if (
                    "spare-buffers" not in options
                    and codes <= {_TOO_LARGE, _TOO_MANY}
                    and can_spare_buffers(module)
                ):
                    options["spare-buffers"] = "true"
                elif not narrow_is_chosen and codes <= {_TOO_LARGE} and can_be_narrower(module):
                    options["narrow"] = str(int(options.get("narrow", "0")) + 1)
                else:
                    raise first from None
                continue
            self.reasons = _last_words(remarks)
            (program,) = (op for op in module.body.block.ops if isinstance(op, ProgramOp))
            return program

    def _passes(self, options: Mapping[str, str]) -> tuple[ModulePass, ...]:
        try:
            return (*pipeline(self.chip, options), *self._then)
        except ValueError as problem:
            raise NotLowered([placed(choices.no_value(str(problem)), self.operation)]) from None

    def _through(self, passes: Sequence[ModulePass], module: ModuleOp, remarks: dict[Remark, None]) -> None:
        verification = RepeatedVerification() if self._verify_each else None
        if verification is not None:
            with _internal("the front end", self.operation):
                verification.require_valid(module)
        self.choices = []
        self.passes = tuple(passes)

        def apply(one: ModulePass, module: ModuleOp) -> None:
            with _internal(one.name, self.operation):
                one.apply(_CONTEXT, module)
                if verification is not None:
                    verification.require_valid(module)
                if self._with_choices and isinstance(one, ChoosingPass):
                    self.choices += one.choices(module)
            remarks.update(dict.fromkeys(_remarks(module)))
            if self._after_each is not None:
                self._after_each(one.name, module)

        if self.schedule is not None:
            shown = self._after_each or (lambda step, module: None)
            scheduled(self.schedule, self.operation, module, self.chip, passes, apply, shown)
        else:
            for one in passes:
                apply(one, module)
        if verification is not None:
            with _internal("the last pass", self.operation):
                require_valid(module)


@contextmanager
def _internal(step: str, operation: dialect.OperationOp) -> Iterator[None]:
    """Turn an exception into a finding at the operation that names the step, so that other operations are compiled."""
    try:
        yield
    except NotLowered:
        raise
    except Exception as raised:
        doing = f"{step}, operation {operation.operation_name}"
        raise internal_error(raised, doing=doing, at=span_of(operation)) from raised


_CONTEXT = Context()


def _remarks(module: ModuleOp) -> Iterator[Remark]:
    for op in walked(module):
        reason = op.attributes.get(WHY)
        if isinstance(reason, StringAttr):
            yield Remark(_place_of(op), reason.data)


def _last_words(result: dict[Remark, None]) -> dict[Remark, None]:
    """Drop remarks that a later pass repeated and continued."""
    texts: dict[Span | None, list[str]] = {}
    for remark in result:
        texts.setdefault(remark.span, []).append(remark.text)
    return {
        remark: None
        for remark in result
        if not any(text.startswith(f"{remark.text}; ") for text in texts[remark.span])
    }


def _place_of(op: Operation) -> Span | None:
    return span_of(op)
