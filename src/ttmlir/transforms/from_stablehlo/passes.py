"""The passes of ``stablehlo-to-ttir-pipeline``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import FunctionType, ModuleOp, SymbolRefAttr, TensorType, f32
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ttl.ir.failure import NotLegalized
from ttl.ir.reports import Report, about
from ttmlir.operations.operation import row_of
from ttmlir.stablehlo.dialect import HLOOperation, operation_named
from ttmlir.stablehlo.known import Known
from ttmlir.stablehlo.numbers import converted_type
from ttmlir.stablehlo.problems import Unsupported
from ttmlir.stablehlo.reading import attribute
from ttmlir.transforms.from_stablehlo.control_flow import UNROLLED
from ttmlir.transforms.from_stablehlo.rules import RULES, why_there_is_none
from ttmlir.transforms.from_stablehlo.writer import Writer
from ttmlir.transforms.refusals import Refusal, reports_of


@dataclass(frozen=True)
class ConvertArithToStableHLO(ModulePass):
    """Convert constants of arith to StableHLO.

    Expects: StableHLO, functions, and of arith ``arith.constant`` with tensors only. Guarantees: no arith. Everything else is
    reported, all of it.
    """

    name = "convert-arith-to-stablehlo"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if reports := self.foresees(op):
            raise NotLegalized(reports)
        for inner in [inner for inner in op.walk() if isinstance(inner, ConstantOp)]:
            constant = operation_named("stablehlo.constant").create(
                result_types=[inner.result.type], properties={"value": inner.value}, location=inner.location
            )
            Rewriter.replace_op(inner, constant)

    def foresees(self, module: ModuleOp) -> list[Report]:
        """What the pass is going to refuse."""
        return reports_of(
            [
                (
                    inner,
                    Refusal(
                        "StableHLO is made of tensors that are constant, and of no other arithmetic",
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
    """Replace composites by calls of the functions that they are made of.

    Expects: composites whose ``decomposition`` is a function of the module. Guarantees: no ``stablehlo.composite``; names,
    versions and attributes of composites are forgotten.
    """

    name = "stablehlo-legalize-composite-to-call"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {inner.sym_name.data for inner in op.walk() if isinstance(inner, FuncOp)}
        composites = [inner for inner in op.walk() if inner.name == "stablehlo.composite"]
        missing = [
            about(
                inner, f"'{inner.name}' op decomposition {_decomposition(inner)} is no function of the module"
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
    return attribute(op, "decomposition")


def _function_of(op: Operation) -> str | None:
    symbol = _decomposition(op)
    return symbol.root_reference.data if isinstance(symbol, SymbolRefAttr) else None


@dataclass(frozen=True)
class ConvertStableHLOToTTIR(ModulePass):
    """Convert StableHLO and CHLO to TTIR.

    Expects: functions of StableHLO, CHLO, TTIR and calls. Guarantees: TTIR, ``tensor.empty``, functions, calls and returns,
    on tensors of at least one dimension: i1 has become bf16, i64 i32, f64 f32. Each operation writes to a ``tensor.empty``
    of its own and wants tiles on the device of all its operands. What has no equivalent is reported, all of it, and
    nothing is changed then.
    """

    name = "convert-stablehlo-to-ttir"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        bodies, refused = _converted(op)
        if refused:
            for _, body, _ in bodies:
                body.drop_all_references()
            raise NotLegalized(reports_of(refused, explicitly=True))
        for function, body, type in bodies:
            function.properties["function_type"] = type
            old = function.regions[0]
            function.detach_region(old)
            function.add_region(body)
            old.drop_all_references()

    def foresees(self, module: ModuleOp) -> list[Report]:
        """What the pass is going to refuse, also inside of loops and branches that are not written out yet."""
        bodies, refused = _converted(module)
        for _, body, _ in bodies:
            body.drop_all_references()
        return reports_of([one for one in refused if one[0].name not in UNROLLED], explicitly=True)


Refusals = list[tuple[Operation, Refusal]]


def _converted(module: ModuleOp) -> tuple[list[tuple[FuncOp, Region, FunctionType]], Refusals]:
    """What becomes of the functions of a module, beside it, and all that is refused of it."""
    refused: Refusals = []
    bodies: list[tuple[FuncOp, Region, FunctionType]] = []
    for op in module.walk():
        if isinstance(op, FuncOp):
            bodies.append((op, *_converted_function(op, refused)))
        elif (refusal := _out_of_place(op)) is not None:
            refused.append((op, refusal))
    return bodies, refused


def _out_of_place(op: Operation) -> Refusal | None:
    """Why an operation may not stand where it stands: outside of functions."""
    parent = op.parent_op()
    if isinstance(op, ModuleOp) or not isinstance(parent, ModuleOp):
        return None
    return Refusal(
        "it stands outside of a function", "what works: functions of a module, and operations in them"
    )


def _converted_function(function: FuncOp, refused: Refusals) -> tuple[Region, FunctionType]:
    """The body and the type in TTIR; refusals are added to the list."""
    types: list[list[Attribute]] = []
    for side in (function.function_type.inputs, function.function_type.outputs):
        types.append([])
        for type in side:
            try:
                types[-1].append(converted_type(type))
            except Unsupported as problem:
                refused.append((function, Refusal(problem.condition, problem.way_out)))
                types[-1].append(type)
    converted = FunctionType.from_lists(*types)
    if len(function.body.blocks) > 1:
        refused.append((function, Refusal("it has several blocks", "what works: functions of one block")))
        return Region(), converted
    if not function.body.blocks:
        return Region(), converted
    block = function.body.block
    new = Block(arg_types=types[0])
    for old_argument, argument in zip(block.args, new.args, strict=True):
        argument.name_hint, argument.location = old_argument.name_hint, old_argument.location
    writer = Writer(new, Known(), dict(zip(block.args, new.args, strict=True)), function.location)
    for op in block.ops:
        _convert(op, writer, refused)
    return Region(new), converted


def _convert(op: Operation, w: Writer, refused: Refusals) -> None:
    w.location = op.location
    try:
        results = _results_of(op, w)
    except Unsupported as problem:
        refused.append((op, Refusal(problem.condition, problem.way_out)))
        results = None
        if op.name in UNROLLED:
            for region in op.regions:
                for argument in region.block.args:
                    w.values[argument] = _stand_in(argument, w)
                for inner in region.block.ops:
                    if inner is not region.block.last_op:
                        _convert(inner, w, refused)
    for index, old in enumerate(op.results):
        if results is None:
            w.values[old] = _stand_in(old, w)
            continue
        w.values[old] = results[index]
        results[index].name_hint = results[index].name_hint or old.name_hint


def _stand_in(value: SSAValue, w: Writer) -> SSAValue:
    """A tensor in place of a value that there is not, so that those who read it can be asked, too."""
    try:
        return w.empty(converted_type(value.type))
    except Unsupported:
        return w.empty(TensorType(f32, [1]))


def _results_of(op: Operation, w: Writer) -> Sequence[SSAValue]:
    rule = RULES.get(op.name)
    if rule is not None:
        try:
            results = rule(op, w)
        except (IndexError, KeyError, ValueError, TypeError, AssertionError, AttributeError) as problem:
            raise Unsupported(
                f"it is not as StableHLO has it: {type(problem).__name__}: {problem}".rstrip(": "),
                "what works: text that StableHLO's own verifier accepts",
            ) from problem
        for old, new in zip(op.results, results, strict=True):
            wanted = converted_type(old.type)
            if new.type != wanted:
                raise Unsupported(
                    f"its result is {old.type}, and what it computes is {new.type}",
                    "what works: text that StableHLO's own verifier accepts",
                )
        return results
    match op:
        case ReturnOp() | CallOp():
            copy: Operation = ReturnOp(*w.operands(op))
            if isinstance(op, CallOp):
                copy = CallOp(op.callee, w.operands(op), [converted_type(one.type) for one in op.results])
            copy.location = op.location
            w.block.add_op(copy)
            return copy.results
        case _ if isinstance(op, EmptyOp) or ((row := row_of(op)) is not None and row.dialect == "ttir"):
            copied = op.clone({old: w[old] for old in op.operands})
            w.block.add_op(copied)
            return copied.results
    known = isinstance(op, HLOOperation)
    raise Unsupported(*(why_there_is_none(op) if known else _FOREIGN))


_FOREIGN = (
    "beside StableHLO and CHLO there may be TTIR, tensor.empty, functions, calls and returns",
    "what works: operations of StableHLO; constants of arith by the pass convert-arith-to-stablehlo",
)
