"""``convert-ttkernel-to-emitc``: kernels become calls of C++ functions, of which ``ttmlir-translate --mlir-to-cpp`` prints C++.

The text is that of 2024-11-21, name by name. What a kernel is today, in the names of a generation of ttnn, ``ttmlir.emitc`` says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.arith import IntegerOverflowFlag
from xdsl.dialects.builtin import (
    ArrayAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    Signedness,
    StringAttr,
    SymbolRefAttr,
    i32,
    i64,
)
from xdsl.dialects.emitc import EmitC_LValueType, EmitC_OpaqueType, EmitC_PointerType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ttl.analysis.intervals import FIRST_UNSIGNED
from ttl.emitc.dialect import opaque, operation
from ttl.ir.failure import NotLegalized
from ttl.ir.reports import Report
from ttl.kernel_api import CALLS
from ttl.kernel_api.model import Applied
from ttl.ops.row import Generation
from ttmlir.attributes.ttkernel import CBType, L1AddrPtrType, L1AddrType, NocAddrType
from ttmlir.layouts.element_types import DTYPES
from ttmlir.layouts.enums import CBPort, DataType, ReduceDim, ReduceType
from ttmlir.operations.operation import RowOperation
from ttmlir.operations.ttkernel import LATER_CALLS
from ttmlir.transforms.refusals import Refusal, Refused, reports_of

_WORD = EmitC_OpaqueType(StringAttr("volatile tt_l1_ptr uint32_t"))
_BUFFER = EmitC_OpaqueType(StringAttr("::tt::CB"))
_TYPES: Mapping[type[Attribute], Attribute] = MappingProxyType(
    {NocAddrType: i64, L1AddrType: i32, L1AddrPtrType: EmitC_PointerType(_WORD)}
)
# What a port is called in C++, by the first letters of its word.
_PORTS = MappingProxyType({"in": "c_in", "dfl": "dataflow", "out": "c_out", "int": "c_intermed"})
_POOLS = MappingProxyType({ReduceType.Sum: "SUM", ReduceType.Max: "MAX"})
_ARITHMETIC: Mapping[type[Operation], str] = MappingProxyType(
    {
        arith.AddiOp: "add",
        arith.SubiOp: "sub",
        arith.MuliOp: "mul",
        arith.DivSIOp: "div",
        arith.RemSIOp: "rem",
        arith.AndIOp: "bitwise_and",
        arith.OrIOp: "bitwise_or",
        arith.XOrIOp: "bitwise_xor",
    }
)
# Signed overflow has no meaning in C++: without the flag these are done without a sign. Bits have none in any case.
_MAY_WRAP = (arith.AddiOp, arith.SubiOp, arith.MuliOp)
_SIGNED = (arith.DivSIOp, arith.RemSIOp)
# Of MLIR's predicates those of emitc, in which there are no unsigned ones.
_PREDICATES = (0, 1, 2, 3, 4, 5, 2, 3, 4, 5)
_NOT_CONVERTED = frozenset(
    {
        *("add", "sub", "mul", "matmul", "pack", "pack_set_data_type", "unpack_a", "unpack_ab"),
        *("unpack_set_data_type", "unreachable"),
    }
)
# Calls that came later are spelled as in the older generation that there is.
_LATER: Generation = "0.69"
_WAY_OUT = "what works in a kernel: calls of ttkernel, scf.for, scf.if, and arith on integers"


@dataclass(frozen=True)
class ConvertTTKernelToEmitC(ModulePass):
    """TTKernel to EmitC.

    Expects: functions whose arguments are circular buffers, one for each kernel. Guarantees: the same functions without arguments,
    in ``emitc``; functions without operations of TTKernel stay as they are. A refused conversion leaves the module as it was.
    """

    name = "convert-ttkernel-to-emitc"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = [
            function for function in op.walk() if isinstance(function, FuncOp) and _is_kernel(function)
        ]
        conversions = [_KernelConversion(function) for function in kernels]
        refused = [refusal for conversion in conversions for refusal in conversion.prepare()]
        if refused:
            raise NotLegalized(reports_of(refused, explicitly=True))
        for conversion in conversions:
            conversion.commit()

    def foresees(self, module: ModuleOp) -> list[Report]:
        """Nothing: what it takes is written by the pass that makes kernels."""
        return []


def _is_kernel(function: FuncOp) -> bool:
    return bool(function.body.blocks) and any(op.name.startswith("ttkernel.") for op in function.walk())


def kernel_function(block: Block, name: str) -> FuncOp:
    """A function that is a copy of a kernel: of the block of a region of a ``ttmetal.dispatch``."""
    region = Region([Block(arg_types=[argument.type for argument in block.args])])
    copied = dict(zip(block.args, region.block.args, strict=True))
    for op in block.ops:
        region.block.add_op(op.clone(copied))
    return FuncOp(name, FunctionType.from_lists([argument.type for argument in block.args], []), region)


class _KernelConversion:
    """The conversion of one function. The new body is kept until everything has been converted."""

    def __init__(self, function: FuncOp) -> None:
        self._function = function
        self._body = Block()
        self._block = self._body
        self._values: dict[SSAValue, SSAValue] = {}
        self._refused: list[tuple[Operation, Refusal]] = []

    def prepare(self) -> list[tuple[Operation, Refusal]]:
        """Make the new body; what cannot be converted, and why."""
        function = self._function
        others = [
            argument.type for argument in function.body.block.args if not isinstance(argument.type, CBType)
        ]
        if others or function.function_type.outputs.data:
            other = f"an argument of type {others[0]}" if others else "results"
            way_out = "what works: kernels, whose arguments are circular buffers and which give nothing"
            return [(function, Refusal(f"'{function.sym_name.data}' has {other}", way_out))]
        if len(function.body.blocks) > 1:
            return [(function, Refusal("it has several blocks", "what works: scf.for in one block"))]
        for argument in function.body.block.args:
            assert isinstance(argument.type, CBType)
            port = _port_text(argument.type.data.port)
            variable = self._value("variable", result=EmitC_LValueType(_BUFFER), value=opaque(port))
            self._values[argument] = self._value("load", variable, result=_BUFFER)
        self._convert(function.body.block)
        return self._refused

    def commit(self) -> None:
        """Put the new body in the place of the old one."""
        function = self._function
        old = function.body.block
        function.body.insert_block(self._body, 0)
        for op in reversed(list(old.ops)):
            Rewriter.erase_op(op, safe_erase=False)
        function.body.erase_block(old)
        function.function_type = FunctionType.from_lists([], [])
        function.arg_attrs = None

    # Operations at the end of the block.

    def _add(self, op: Operation) -> Operation:
        self._block.add_op(op)
        return op

    def _value(self, name: str, *operands: SSAValue, result: Attribute, **attributes: Any) -> SSAValue:
        return self._add(operation(name, *operands, results=[result], **attributes)).results[0]

    def _convert(self, block: Block) -> None:
        for op in block.ops:
            before = self._block.last_op
            try:
                self._operation(op)
            except Refused as problem:
                self._refused.append((op, problem.refusal))
                for result in op.results:
                    # One report is enough: what uses it is looked at with a number in its place.
                    self._values[result] = self._value("constant", result=i32, value=IntegerAttr(0, i32))
            added = self._block.last_op
            while added is not None and added is not before:
                added.location = op.location
                added = added.prev_op

    def _operation(self, op: Operation) -> None:
        match op:
            case arith.ConstantOp(value=IntegerAttr(type=IntegerType() as type_) as number):
                self._values[op.result] = self._value("constant", result=type_, value=number)
            case _ if type(op) in _ARITHMETIC:
                self._values[op.results[0]] = self._arithmetic(op)
            case arith.CmpiOp():
                which = op.predicate.value.data
                a, b = self._unsigned(op) if which >= FIRST_UNSIGNED else self._given(op)
                predicate = IntegerAttr(_PREDICATES[which], i64)
                self._values[op.result] = self._value("cmp", a, b, result=op.result.type, predicate=predicate)
            case arith.IndexCastOp():
                value = self._values[op.input]
                self._values[op.result] = self._value("cast", value, result=op.result.type)
            case arith.SelectOp():
                operands = [self._values[value] for value in op.operands]
                self._values[op.result] = self._value("conditional", *operands, result=op.result.type)
            case scf.ForOp():
                self._for(op)
            case scf.IfOp():
                self._if(op)
            case scf.YieldOp():
                pass  # the end of a loop or a branch, which these convert
            case RowOperation() if op.ROW.dialect == "ttkernel":
                self._kernel_operation(op)
            case _:
                raise Refused(f"'{op.name}' has no meaning in a kernel", _WAY_OUT)

    def _arithmetic(self, op: Operation) -> SSAValue:
        type_, name = op.results[0].type, _ARITHMETIC[type(op)]
        is_signed = isinstance(op, _SIGNED)
        if isinstance(op, _MAY_WRAP):
            is_signed = IntegerOverflowFlag.NSW in op.overflow_flags.data
        if is_signed:
            return self._value(name, *self._given(op), result=type_)
        given = self._unsigned(op)
        return self._value("cast", self._value(name, *given, result=given[0].type), result=type_)

    def _given(self, op: Operation) -> list[SSAValue]:
        return [self._values[value] for value in op.operands]

    def _unsigned(self, op: Operation) -> list[SSAValue]:
        """The operands as integers without a sign."""
        type_ = op.operands[0].type
        if not isinstance(type_, IntegerType):
            raise Refused(f"it computes with {type_}", _WAY_OUT)
        unsigned = IntegerType(type_.width.data, Signedness.UNSIGNED)
        return [self._value("cast", value, result=unsigned) for value in self._given(op)]

    def _variables(self, op: Operation) -> list[SSAValue]:
        """A variable for each result."""
        return [
            self._value("variable", result=EmitC_LValueType(_converted(result.type)), value=opaque(""))
            for result in op.results
        ]

    def _inside(
        self, block: Block, source: Block, variables: Sequence[SSAValue], arguments: Sequence[SSAValue]
    ) -> None:
        """Convert a block into another one, which loads variables at its beginning and assigns them at its end."""
        outer, self._block = self._block, block
        self._load(variables[: len(arguments)], arguments)
        self._convert(source)
        end = source.last_op
        assert end is not None
        self._assign(variables, end.operands)
        self._add(operation("yield"))
        self._block = outer

    def _if(self, op: scf.IfOp) -> None:
        variables = self._variables(op)
        branches: list[Block | None] = []
        for region in (op.true_region, op.false_region):
            if not region.blocks:
                branches.append(None)
                continue
            block = Block()
            self._inside(block, region.block, variables, ())
            branches.append(block)
        self._add(operation("if", self._values[op.cond], regions=branches))
        self._load(variables, op.results)

    def _for(self, op: scf.ForOp) -> None:
        variables = self._variables(op)
        self._assign(variables, op.iter_args)
        bounds = [self._values[value] for value in (op.lb, op.ub, op.step)]
        source = op.body.block
        block = Block(arg_types=[source.args[0].type])
        self._values[source.args[0]] = block.args[0]
        self._inside(block, source, variables, source.args[1:])
        self._add(operation("for", *bounds, regions=[block]))
        self._load(variables, op.results)

    def _assign(self, variables: Sequence[SSAValue], values: Iterable[SSAValue]) -> None:
        for variable, value in zip(variables, values, strict=True):
            self._add(operation("assign", variable, self._values[value]))

    def _load(self, variables: Sequence[SSAValue], values: Iterable[SSAValue]) -> None:
        for variable, value in zip(variables, values, strict=True):
            self._values[value] = self._value("load", variable, result=_converted(value.type))

    # Operations of TTKernel.

    def _kernel_operation(self, op: RowOperation) -> None:
        name = op.ROW.mnemonic
        if name in _NOT_CONVERTED:
            raise Refused(
                f"'{op.name}' has no function in C++", "what works: operations on tiles of circular buffers"
            )
        if name in LATER_CALLS:
            self._later(op)
            return
        operands = [self._values[value] for value in op.operands]
        match name:
            case "return":
                if op.parent is not self._function.body.block:
                    raise Refused(
                        "it is inside a loop", "what works: 'ttkernel.return' at the end of a function"
                    )
                self._add(ReturnOp())
            case "mem_zeros_base" | "mem_zeros_size":
                self._values[op.results[0]] = self._value("constant", result=i32, value=opaque(name.upper()))
            case "store_to_l1":
                value, pointer, offset = operands
                number = self._value("cast", value, result=_WORD)
                place = self._value("subscript", pointer, offset, result=EmitC_LValueType(_WORD))
                self._add(operation("assign", place, number))
            case "reduce_init" | "reduce_tile":
                self._call(op, name, operands, _reduction(op))
            case "builtin":
                symbol = op.properties["op"]
                assert isinstance(symbol, SymbolRefAttr)
                self._call(op, symbol.root_reference.data, operands)
            case _:
                self._call(op, "get_noc_addr" if name == "get_noc_addr_xy" else name, operands)

    def _call(
        self,
        op: RowOperation,
        callee: str,
        operands: Sequence[SSAValue],
        template: Sequence[str] = (),
        arguments: Sequence[Attribute] | None = None,
    ) -> None:
        call = operation(
            "call_opaque",
            *operands,
            results=[_converted(result.type) for result in op.results],
            callee=StringAttr(callee),
            args=None if arguments is None else ArrayAttr(arguments),
            template_args=ArrayAttr(map(opaque, template)) if template else None,
        )
        self._add(call)
        self._values.update(zip(op.results, call.results, strict=True))

    def _later(self, op: RowOperation) -> None:
        """A call that 2024 did not have, as the table of the kernel API spells it."""
        row = CALLS[op.ROW.mnemonic]
        given = dict(
            zip(
                (one.name for one in row.operands),
                (self._values[value] for value in op.operands),
                strict=True,
            )
        )
        texts = row.texts({one.name: _constant(op.value(one.name)) for one in row.constants})
        for statement in row.spelling[_LATER]:
            if not isinstance(statement, Applied) or not statement.is_plain:
                pieces = list(statement.pieces({**texts, **given}))
                text = "".join(
                    piece.replace("{", "{{") if isinstance(piece, str) else "{}" for piece in pieces
                )
                values = [piece for piece in pieces if isinstance(piece, SSAValue)]
                self._add(operation("verbatim", *values, value=StringAttr(f"{text};")))
                continue
            words = [str(part) for part in statement.arguments]
            operands = [given[word] for word in words if word in given]
            positions = iter(range(len(operands)))
            arguments: list[Attribute] = [
                IntegerAttr(next(positions), IndexType()) if word in given else opaque(texts.get(word, word))
                for word in words
            ]
            template = [texts.get(str(part), str(part)) for part in statement.template]
            self._call(op, statement.named(texts), operands, template, arguments if texts else None)


def _constant(value: object) -> object:
    return DTYPES[value] if isinstance(value, DataType) else value


def _converted(type_: Attribute) -> Attribute:
    return _TYPES.get(type(type_), type_)


def _port_text(port: CBPort) -> str:
    word = port.keyword.removeprefix("cb_")
    return f"::tt::CB::{_PORTS[word[:-1]]}{word[-1]}"


def _reduction(op: RowOperation) -> list[str]:
    pool, dim = op.value("reduce_type"), op.value("reduce_dim")
    if dim is ReduceDim.None_:
        raise Refused(
            f"it reduces along '{dim.keyword}'",
            "what works: reduce_dim_row, reduce_dim_col, reduce_dim_scalar",
        )
    first = ["true"] if op.ROW.mnemonic == "reduce_init" else []
    along = {ReduceDim.Row: "ROW", ReduceDim.Col: "COL", ReduceDim.Scalar: "SCALAR"}[dim]
    return [*first, f"PoolType::{_POOLS[pool]}", f"ReduceDim::REDUCE_{along}"]
