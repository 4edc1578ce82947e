"""``convert-ttkernel-to-emitc``: kernels become calls of C++ functions, for ``ttmlir-translate --mlir-to-cpp``.

The text and all names are those of 2024-11-21. ``ttmlir.emitc`` writes kernels with the names of a current generation
of ttnn.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Region
from xdsl.passes import ModulePass

from tt_model.operations.operation import TTKernelOperation
from ttl.analysis.dominance import of_kinds
from ttl.ir.failure import NotLegalized
from ttl.ir.refusals import reports_of
from ttl.ir.reports import Report
from ttmlir.transforms.to_emitc.kernel_to_emitc import KernelConversion


@dataclass(frozen=True)
class ConvertTTKernelToEmitC(ModulePass):
    """Convert TTKernel to EmitC.

    Expects: functions whose arguments are circular buffers, one for each kernel. Guarantees: the same functions without
    arguments, in ``emitc``; functions without operations of TTKernel stay unchanged. If a conversion is refused, the
    module stays unchanged.
    """

    name = "convert-ttkernel-to-emitc"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = [function for function in of_kinds(op, FuncOp) if _is_kernel(function)]
        conversions = [KernelConversion(function) for function in kernels]
        refused = [refusal for conversion in conversions for refusal in conversion.prepare()]
        if refused:
            raise NotLegalized(reports_of(refused, explicitly=True))
        for conversion in conversions:
            conversion.commit()

    def foresees(self, module: ModuleOp) -> list[Report]:
        """Return no refusals: the pass that builds kernels emits only operations that can be converted."""
        return []


def _is_kernel(function: FuncOp) -> bool:
    return bool(function.body.blocks) and any(isinstance(op, TTKernelOperation) for op in function.walk())


def kernel_function(block: Block, name: str) -> FuncOp:
    """Copy a kernel, the block of a region of a ``ttmetal.dispatch``, into a function."""
    region = Region([Block(arg_types=[argument.type for argument in block.args])])
    copied = dict(zip(block.args, region.block.args, strict=True))
    for op in block.ops:
        region.block.add_op(op.clone(copied))
    return FuncOp(name, FunctionType.from_lists([argument.type for argument in block.args], []), region)
