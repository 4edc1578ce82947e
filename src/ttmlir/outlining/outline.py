"""``ttir-to-ttl``: regions of a model become operations of TT-Lang, written as Python, and calls of them."""

from __future__ import annotations

import keyword
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from tt_model.attributes.tt_system import arch_of
from tt_model.flatbuffer.files import write_whole
from tt_model.operations.emission import Emission
from tt_model.operations.explanation import EXPLANATION
from tt_model.operations.operation import TTIROperation
from tt_model.operations.shared import TTIRReshapeOp, TTIRTransposeOp, TTIRTTLangOp
from tt_model.operations.tensors import tensor_type_of
from tt_model.operations.ttir import TTIRConstantOp
from tt_model.operations.value_names import identifier
from tt_model.tt_lang.outlined import wrong_operations
from ttl.analysis.dominance import of_kinds
from ttl.arch import chip_named
from ttl.ir.failure import NotLegalized, Remarks
from ttl.ir.locations import first_span
from ttl.ir.reports import Report, about
from ttmlir.outlining.building import GroupOutline, ReadValue, arranged, outlines_of
from ttmlir.outlining.grouping import groups_of, is_elementwise, why_no_step
from ttmlir.outlining.module_text import (
    VERSION_TAG,
    OutlinedKernelText,
    is_unchanged,
    kernel_text,
    module_text,
)
from ttmlir.outlining.naming import common, unique
from ttmlir.outlining.region import OutlinedRegion, RegionNames
from ttmlir.outlining.views import MOVEMENTS

# The modules that the generated module imports, directly or indirectly.
_IMPORTED = frozenset({"ttl", "ttnn", "ttmlir", "ttrt", "numpy", "math", "torch"})


@dataclass(frozen=True)
class TTIRToTTLang(ModulePass):
    """Fuse regions into operations of TT-Lang, write those to the Python module ``output``, and call them.

    With ``fuse=false`` every operation is a region by itself.

    Expects: TTIR with tensors. Elementwise chains, reductions along rows, softmax, normalisations, products with the
    operations behind them and transposes of the last two dimensions become operations of TT-Lang; all other operations
    stay. Each operation of TT-Lang is checked as ``ttl check`` does; if the check finds an error, or that the operation
    does not fit on a node, its region stays TTIR and a warning says why. Guarantees: the results of the module are the
    same; every new ``ttir.tt_lang_op`` names an operation of the file. If the file was changed after it was written,
    the pass does not overwrite it: it fails, and the module is unchanged.
    """

    name = "ttir-to-ttl"
    output: str = "kernels.py"
    fuse: bool = True

    def __post_init__(self) -> None:
        stem, extension = os.path.splitext(os.path.basename(self.output))
        if stem in _IMPORTED:
            raise ValueError(
                f"'{self.output}' would hide the module {stem}, which the operations import: choose another name"
            )
        if extension != ".py" or not stem.isidentifier() or keyword.iskeyword(stem):
            raise ValueError(
                f"'{self.output}' is not the name of a Python module, such as kernels.py: the model refers to operations by that name"
            )

    @property
    def module(self) -> str:
        """The name of the module that is written."""
        return os.path.splitext(os.path.basename(self.output))[0]

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self._refuse_to_overwrite(op)
        outlines = [
            outline
            for function in of_kinds(op, FuncOp)
            for block in function.body.blocks
            for outline in outlines_of(groups_of(block, fuse=self.fuse), fuse=self.fuse)
        ]
        arch = arch_of(op).partition("_")[0]
        shared: defaultdict[OutlinedRegion, list[GroupOutline]] = defaultdict(list)
        for outline in outlines:
            shared[outline.region].append(outline)
        kernels = _kernels(shared, self.module, chip_named(arch).grid)
        wrong = wrong_operations(
            module_text(list(kernels.values()), _title(op), trial=False),
            [kernel.name for kernel in kernels.values()],
            arch,
        )
        failed = [
            (outline, wrong[kernel.name])
            for region, kernel in kernels.items()
            if kernel.name in wrong
            for outline in shared[region]
        ]
        remarks = [_stays(outline, reason) for outline, reason in failed]
        kernels = {region: kernel for region, kernel in kernels.items() if kernel.name not in wrong}
        if kernels:
            self._write(op, module_text(list(kernels.values()), _title(op)))
        became: dict[SSAValue, SSAValue] = {}
        for outline in outlines:
            if outline.region in kernels:
                _call(outline, kernels[outline.region], self.module, became)
        _remove_unused(op)
        explain(op, {outline.root: reason for outline, reason in failed})
        if not kernels:
            raise Remarks(remarks or [_nothing(op)])
        if remarks:
            raise Remarks(remarks)

    def _refuse_to_overwrite(self, op: ModuleOp) -> None:
        try:
            with open(self.output, encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            return
        except (OSError, UnicodeDecodeError) as problem:
            raise NotLegalized([about(op, f"cannot write {self.output}: {_why(problem)}")]) from None
        if text and not is_unchanged(text):
            message = f"{self.output} was changed since --ttir-to-ttl wrote it, and is not overwritten"
            way = Report(
                message="move it away, or give another name: --ttir-to-ttl=output=other.py", severity="note"
            )
            raise NotLegalized([about(op, message, way)])

    def _write(self, op: ModuleOp, text: str) -> None:
        try:
            write_whole(self.output, text.encode())
        except OSError as problem:
            raise NotLegalized([about(op, f"cannot write {self.output}: {_why(problem)}")]) from None


def _kernels(
    shared: Mapping[OutlinedRegion, Sequence[GroupOutline]], module: str, grid: tuple[int, int]
) -> dict[OutlinedRegion, OutlinedKernelText]:
    """The operation of each region. One for several equal regions of the model has the words that their names share."""
    names: dict[OutlinedRegion, RegionNames] = {}
    wanted: list[str] = []
    for region, outlines in shared.items():
        mnemonics = [step.mnemonic for step in region.steps]
        names[region] = (
            outlines[0].names
            if len(outlines) == 1
            else common([outline.names for outline in outlines], mnemonics)
        )
        wanted.append(names[region].steps[-1])
    result = {}
    for (region, outlines), name in zip(shared.items(), unique(wanted), strict=True):
        stands_for = [outline.names.steps[-1] for outline in outlines]
        result[region] = kernel_text(name, region, names[region], stands_for, module, grid)
    return result


def _call(
    outline: GroupOutline, kernel: OutlinedKernelText, module: str, became: dict[SSAValue, SSAValue]
) -> None:
    """Replace a region by the call of its operation. ``became``: outputs of replaced regions, with results of calls."""
    root = outline.root
    emission = Emission(root)
    reads = [_brought(read, became, emission) for read in outline.reads]
    type = tensor_type_of(outline.output)
    empty = emission.empty(type)
    result = emission.make(
        "ttir.tt_lang_op",
        [reads, [empty]],
        type,
        kernel_id=kernel.kernel_id(module),
        version_tag=VERSION_TAG,
        arg_roles=kernel.roles,
        shard_spec="",
    )
    result.name_hint = root.result.name_hint
    became[outline.output] = result
    outline.output.replace_all_uses_with(result)


def _brought(read: ReadValue, became: Mapping[SSAValue, SSAValue], emission: Emission) -> SSAValue:
    """A value in the shape in which a kernel reads it."""
    value = became.get(read.value, read.value)
    return value if read.arrangement is None else arranged(value, read.arrangement, emission)


def _remove_unused(module: ModuleOp) -> None:
    """Erase operations without uses, and pairs of movements that undo each other."""
    functions = of_kinds(module, FuncOp)
    for block in (block for function in functions for block in function.body.blocks):
        for op in reversed(list(block.ops)):
            if isinstance(op, MOVEMENTS) and (source := _undone(op)) is not None:
                op.result.replace_all_uses_with(source)
            if (
                isinstance(op, EmptyOp | TTIROperation)
                and op.results
                and not any(result.uses for result in op.results)
            ):
                block.erase_op(op)


def _undone(op: TTIROperation) -> SSAValue | None:
    """Return the operand of the movement before ``op`` if ``op`` undoes that movement; else None."""
    other = op.operands[0].owner
    if type(other) is not type(op) or other.operands[0].type != op.result.type:
        return None
    if isinstance(op, TTIRTransposeOp) and isinstance(other, TTIRTransposeOp):
        rank = len(tensor_type_of(op.result).get_shape())
        dims = [{one.dim0 % rank, one.dim1 % rank} for one in (op, other)]
        return other.operands[0] if dims[0] == dims[1] else None
    return other.operands[0] if isinstance(op, TTIRReshapeOp) else None


def _stays(outline: GroupOutline, reason: str) -> Report:
    root = outline.root
    text = (
        f"{len(outline.operations)} operations up to '{root.name}' stay as they are: no operation of TT-Lang is "
        f"possible for them: {reason}"
    )
    return Report(message=text, severity="warning", span=first_span(root.location), operation=root)


def _nothing(op: ModuleOp) -> Report:
    text = (
        "no operation of the module becomes one of TT-Lang: there are no elementwise chains, reductions of the last "
        "dimension, softmax, products or transposes of the last two dimensions of f32 or bf16"
    )
    return Report(message=text, severity="warning", span=first_span(op.location))


def _title(module: ModuleOp) -> str:
    name = module.sym_name.data if module.sym_name is not None else ""
    span = first_span(module.location)
    if name:
        return f"the model {identifier(name)}"
    return (
        "a model"
        if span is None or span.file.startswith("<")
        else f"the model in {os.path.basename(span.file)}"
    )


def _why(problem: Exception) -> str:
    return problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)


def explain(module: ModuleOp, failed: Mapping[Operation, str]) -> None:
    """Explain why each remaining operation of TTIR stays. ``failed``: reasons, by last operations of failed regions."""
    explanation = EXPLANATION.get()
    if explanation is None:
        return
    for op in module.walk():
        if isinstance(op, TTIROperation) and not isinstance(op, TTIRTTLangOp | TTIRConstantOp):
            reason = (
                f"no operation of TT-Lang is possible: {failed[op]}" if op in failed else _why_it_stays(op)
            )
            for result in op.results:
                explanation.because(result, f"stays TTIR: {reason}")


def _why_it_stays(op: TTIROperation) -> str:
    if reason := why_no_step(op):
        return reason
    if is_elementwise(op):
        return "alone it is not faster: TTNN has the same operation"
    return "its region does not become an operation of TT-Lang, or its blocks are not whole tiles of its operands"
