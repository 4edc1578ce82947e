"""Conversion of functions of StableHLO to new bodies in TTIR, with all refusals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tt_model.integers.bounds import WAY_OUT
from tt_model.integers.intervals import Interval
from tt_model.operations.operation import row_of
from tt_model.stablehlo.dialect import (
    OF_BITS,
    PRODUCTS,
    HLOConcatenate,
    HLOControlFlow,
    HLOGather,
    HLOOperation,
    HLOPad,
    HLOReduce,
    HLOScatter,
    HLOUpdate,
)
from tt_model.stablehlo.numbers import converted_type, is_truth, shape_of, tensor_type
from tt_model.stablehlo.widths import Widths, widths_of
from ttl.ir.refusals import Refusal, Refused
from ttmlir.compositions.dimensions import MOST_DIMENSIONS
from ttmlir.transforms.from_stablehlo.many_dimensions import is_large, results_of_many
from ttmlir.transforms.from_stablehlo.rules import RULES, why_there_is_none
from ttmlir.transforms.from_stablehlo.writer import Writer

Refusals = list[tuple[Operation, Refusal]]


@dataclass(frozen=True)
class FunctionInTTIR:
    """A converted function: its body, its type, and the limits of its arguments, by position."""

    function: FuncOp
    body: Region
    type: FunctionType
    limits: Mapping[int, Interval] = field(default_factory=dict)


def converted_functions(module: ModuleOp, *, is_whole: bool = True) -> tuple[list[FunctionInTTIR], Refusals]:
    """Return the converted functions of a module, which stays unchanged, and all its refusals.

    ``is_whole``: loops are unrolled and calls inlined, so that the widths of integers can be determined.
    """
    refused: Refusals = []
    bodies: list[FunctionInTTIR] = []
    for op in module.walk():
        if isinstance(op, FuncOp):
            bodies.append(_converted_function(op, widths_of(op) if is_whole else Widths(), refused))
        elif (refusal := _out_of_place(op)) is not None:
            refused.append((op, refusal))
    return bodies, refused


def _out_of_place(op: Operation) -> Refusal | None:
    """Return the refusal of an operation that is outside of functions; None for others."""
    parent = op.parent_op()
    if isinstance(op, ModuleOp) or not isinstance(parent, ModuleOp):
        return None
    return Refusal("it is outside of a function", "what works: functions of a module, and operations in them")


def _converted_function(function: FuncOp, widths: Widths, refused: Refusals) -> FunctionInTTIR:
    """Convert the body and the type of a function; refusals are added to ``refused``."""
    types: list[list[Attribute]] = []
    for side in (function.function_type.inputs, function.function_type.outputs):
        types.append([])
        for type in side:
            try:
                types[-1].append(converted_type(type))
            except Refused as problem:
                refused.append((function, problem.refusal))
                types[-1].append(type)
    converted = FunctionType.from_lists(*types)
    if len(function.body.blocks) > 1:
        refused.append((function, Refusal("it has several blocks", "what works: functions of one block")))
        return FunctionInTTIR(function, Region(), converted)
    if not function.body.blocks:
        return FunctionInTTIR(function, Region(), converted)
    refused += [(op, Refusal(why, f"what works: {WAY_OUT}")) for op, why in widths.too_wide]
    writer = _FunctionWriter(Block(arg_types=types[0]), widths, refused)
    writer.take_arguments(function.body.block)
    writer.convert_block(function.body.block)
    if writer.has_tables:
        _erase_unused(writer.block)
    return FunctionInTTIR(function, Region(writer.block), converted, widths.limits)


def _erase_unused(block: Block) -> None:
    """Erase operations whose results are unused, such as the sources of tables."""
    for op in reversed(list(block.ops)):
        if op.results and not any(result.first_use is not None for result in op.results):
            block.erase_op(op)


class _FunctionWriter(Writer):
    """Writes a function; refusals are added to a list."""

    def __init__(self, block: Block, widths: Widths, refused: Refusals) -> None:
        super().__init__(block, widths)
        self.refused = refused

    def convert(self, op: Operation) -> Sequence[SSAValue]:
        parent = op.parent_op()
        if isinstance(parent, HLOControlFlow) and op.next_op is None:
            return ()  # the end of a refused loop or branch
        try:
            folded = _known_results(op, self) if _is_of_bits(op) or op in self.widths.folded else None
            return _results_of(op, self) if folded is None else folded
        except Refused as problem:
            known = _known_results(op, self)
            if known is not None:
                return known
            self.refused.append((op, problem.refusal))
        if isinstance(op, HLOControlFlow):
            for region in op.regions:
                self.become(region.block.args, [self.stand_in(argument) for argument in region.block.args])
                self.convert_block(region.block)
        return [self.stand_in(result) for result in op.results]


def _is_of_bits(op: Operation) -> bool:
    """Whether an operation works on the bits of integers, for which TTIR needs many operations: a table is cheaper."""
    return isinstance(op, OF_BITS) and not is_truth(tensor_type(op.results[0]).element_type)


def _known_results(op: Operation, w: Writer) -> Sequence[SSAValue] | None:
    """Return the results of an operation as tables if they depend on constants only; else None.

    Random numbers with a known key are an example.
    """
    if not op.results or isinstance(op, HLOControlFlow) or op.name.startswith("arith."):
        return None
    tables = [table for result in op.results if (table := w.known[result]) is not None]
    if len(tables) < len(op.results):
        return None
    try:
        types = [converted_type(result.type) for result in op.results]
        written = [w.constant(table, type.element_type) for table, type in zip(tables, types, strict=True)]
    except Refused:
        return None
    w.has_tables = True
    return written


def _require_whole(op: Operation, w: Writer) -> None:
    """Raise ``Refused`` for operands of a return or a call that exist in fewer dimensions than their types have."""
    for value in op.operands:
        rank = len(tensor_type(value).get_shape())
        if rank > MOST_DIMENSIONS and w[value].type != converted_type(value.type):
            raise Refused(
                f"the function returns a tensor of {rank} dimensions, but a reshape supports at most {MOST_DIMENSIONS}",
                "what works: a reshape to fewer dimensions before, and one back outside of the model",
            )


def _results_of(op: Operation, w: Writer) -> Sequence[SSAValue]:
    empty = results_without_elements(op, w)
    if empty is not None:
        return empty
    rule = RULES.get(op.name)
    if rule is not None:
        try:
            results = results_of_many(op, rule, w) if is_large(op) else rule(op, w)
        except (IndexError, KeyError, ValueError, TypeError, AssertionError, AttributeError) as problem:
            raise Refused(
                f"it is not valid StableHLO: {type(problem).__name__}: {problem}".rstrip(": "),
                "what works: text that StableHLO's own verifier accepts",
            ) from problem
        for old, new in zip(op.results, results, strict=True):
            wanted = converted_type(old.type)
            if new.type != wanted and len(wanted.get_shape()) <= MOST_DIMENSIONS:
                raise Refused(
                    f"its result is {old.type}, but its conversion computes {new.type}",
                    "what works: text that StableHLO's own verifier accepts",
                )
        return results
    match op:
        case ReturnOp() | CallOp():
            _require_whole(op, w)
            copy: Operation = ReturnOp(*w.operands(op))
            if isinstance(op, CallOp):
                copy = CallOp(op.callee, w.operands(op), [converted_type(one.type) for one in op.results])
            return w.add(copy).results
        case _ if isinstance(op, EmptyOp) or ((row := row_of(op)) is not None and row.dialect == "ttir"):
            return w.add(op.clone({old: w[old] for old in op.operands})).results
    known = isinstance(op, HLOOperation)
    raise Refused(*(why_there_is_none(op) if known else _FOREIGN))


_FOREIGN = (
    "beside StableHLO and CHLO there may be TTIR, tensor.empty, functions, calls and returns",
    "what works: operations of StableHLO; constants of arith by the pass convert-arith-to-stablehlo",
)


def _has_none(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType) and 0 in value.type.get_shape()


def results_without_elements(op: Operation, w: Writer) -> Sequence[SSAValue] | None:
    """Return the results of an operation that returns or takes tensors without elements.

    None for other operations, for concatenations, and for a place without coordinates. Raises ``Refused``.
    """
    given, created = (
        [one for one in op.operands if _has_none(one)],
        [one for one in op.results if _has_none(one)],
    )
    if not given and not created:
        return None
    if isinstance(op, ReturnOp | CallOp | HLOControlFlow) or not isinstance(op, HLOOperation):
        raise Refused(f"{(given or created)[0].type} has no elements", "what works: tensors with elements")
    if created:
        if len(created) < len(op.results):
            raise Refused(f"{created[0].type} has no elements", "what works: tensors with elements")
        w.has_tables = True
        return [w.stand_in(one) for one in op.results]
    if isinstance(op, (HLOGather, HLOScatter)) and given == [op.operands[1]]:
        return None  # a place without coordinates: the whole operand
    if isinstance(op, HLOConcatenate):
        return None
    if isinstance(op, (HLOUpdate, HLOScatter)) and len(op.results) == 1:
        return [w[op.operands[0]]]
    if isinstance(op, (HLOPad, HLOReduce)) and len(op.operands) == 2:
        return [_filled(op, w[op.operands[1]], w)]
    if isinstance(op, PRODUCTS):
        type = w.result(op)
        return [w.filled(0, type.get_shape(), type.element_type)]
    raise Refused(f"{given[0].type} has no elements", "what works: tensors with elements")


def _filled(op: Operation, number: SSAValue, w: Writer) -> SSAValue:
    shape = shape_of(op.results[0])
    return w.broadcast(w.reshape(number, [1] * len(shape)), shape or (1,))
