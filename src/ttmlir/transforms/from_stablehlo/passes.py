"""The passes of ``stablehlo-to-ttir-pipeline``."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr, TensorType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tt_model.operations.constants import give_limits
from ttl.analysis.dominance import of_kinds
from ttl.ir.failure import NotLegalized
from ttl.ir.refusals import Refusal, reports_of
from ttl.ir.reports import Report, about
from ttmlir.transforms.inline import InlineCalls


@dataclass(frozen=True)
class ConvertArithToStableHLO(ModulePass):
    """Convert constants of arith to StableHLO.

    Expects: StableHLO, functions, and of arith ``arith.constant`` with tensors only. Guarantees: no arith. All other
    operations of arith are reported.
    """

    name = "convert-arith-to-stablehlo"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from tt_model.stablehlo.dialect import operation_named

        if reports := self.foresees(op):
            raise NotLegalized(reports)
        for inner in of_kinds(op, ConstantOp):
            constant = operation_named("stablehlo.constant").create(
                result_types=[inner.result.type], properties={"value": inner.value}, location=inner.location
            )
            Rewriter.replace_op(inner, constant)

    def foresees(self, module: ModuleOp) -> list[Report]:
        """Return the refusals that the pass would raise."""
        return reports_of(
            [
                (
                    inner,
                    Refusal(
                        "only constant tensors of arith are converted to StableHLO, no other operations of arith",
                        _NO_ARITH,
                    ),
                )
                for inner in module.walk()
                if inner.name.startswith("arith.")
                and not (isinstance(inner, ConstantOp) and isinstance(inner.result.type, TensorType))
            ],
            explicitly=True,
        )


_NO_ARITH = "what works: arith.constant with a tensor; operations of StableHLO, such as stablehlo.add, for others of arith"


@dataclass(frozen=True)
class LegalizeCompositeToCall(ModulePass):
    """Replace composites by calls of their decompositions.

    Expects: composites whose ``decomposition`` is a function of the module. Guarantees: no ``stablehlo.composite``; names,
    versions and attributes of composites are dropped.
    """

    name = "stablehlo-legalize-composite-to-call"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {inner.sym_name.data for inner in of_kinds(op, FuncOp)}
        from tt_model.stablehlo.dialect import HLOComposite

        composites = of_kinds(op, HLOComposite)
        missing = [
            about(
                inner,
                f"'{inner.name}' op decomposition {_decomposition(inner)} is not a function of the module",
            )
            for inner in composites
            if _function_of(inner) not in functions
        ]
        if missing:
            raise NotLegalized(missing)
        for inner in composites:
            call = CallOp(
                _function_of(inner) or "", list(inner.operands), [result.type for result in inner.results]
            )
            call.location = inner.location
            Rewriter.replace_op(inner, call)


def _decomposition(op: Operation) -> Attribute | None:
    return op.properties.get("decomposition", op.attributes.get("decomposition"))


def _function_of(op: Operation) -> str | None:
    symbol = _decomposition(op)
    return symbol.root_reference.data if isinstance(symbol, SymbolRefAttr) else None


@dataclass(frozen=True)
class UnrollControlFlow(ModulePass):
    """Unroll loops and branches of StableHLO.

    Expects: functions of StableHLO. Guarantees: no ``stablehlo.while``, ``if`` and ``case`` outside of bodies of reductions;
    if there were any, calls are inlined, too. All loops whose number of iterations depends on data are reported.
    """

    name = "stablehlo-unroll-control-flow"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from tt_model.stablehlo.dialect import HLOControlFlow

        if not any(isinstance(inner, HLOControlFlow) for inner in op.walk()):
            return
        from ttmlir.transforms.from_stablehlo.control_flow import unroll

        InlineCalls().apply(ctx, op)
        unroll(op)


@dataclass(frozen=True)
class ConvertStableHLOToTTIR(ModulePass):
    """Convert StableHLO and CHLO to TTIR.

    Expects: functions of StableHLO, CHLO, TTIR and calls. Guarantees: TTIR, ``tensor.empty``, functions, calls and
    returns, on tensors of at least one dimension: i1 has become bf16, i64 i32, f64 f32. If 32 bits are enough for all
    i64 only within limits of the arguments, the function has these as ``ttir.limits``; calls are inlined if there is
    i64. Each operation writes to a ``tensor.empty`` of its own and constrains all its operands to tiles on the device.
    If operations have no equivalent, all of them are reported, and the module is unchanged, except for inlined calls.
    """

    name = "convert-stablehlo-to-ttir"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from tt_model.stablehlo.widths import has_wide_integers
        from ttmlir.transforms.from_stablehlo.functions import converted_functions

        if has_wide_integers(op) and any(isinstance(inner, CallOp) for inner in op.walk()):
            # The range of an integer follows from all operations that compute it.
            InlineCalls().apply(ctx, op)
        bodies, refused = converted_functions(op)
        if refused:
            for one in bodies:
                one.body.drop_all_references()
            raise NotLegalized(reports_of(refused, explicitly=True))
        for one in bodies:
            one.function.properties["function_type"] = one.type
            old = one.function.regions[0]
            one.function.detach_region(old)
            one.function.add_region(one.body)
            old.drop_all_references()
            if one.limits:
                give_limits(one.function, one.limits)

    def foresees(self, module: ModuleOp) -> list[Report]:
        """Return the refusals that the pass would raise, also inside loops and branches that are not unrolled yet."""
        from tt_model.stablehlo.dialect import HLOControlFlow
        from tt_model.stablehlo.shardy import SdyOperation
        from ttmlir.transforms.from_stablehlo.functions import converted_functions

        bodies, refused = converted_functions(module, is_whole=False)
        for one in bodies:
            one.body.drop_all_references()
        others = [one for one in refused if not isinstance(one[0], HLOControlFlow | SdyOperation)]
        return reports_of(others, explicitly=True)
