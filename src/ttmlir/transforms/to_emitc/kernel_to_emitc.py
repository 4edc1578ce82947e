"""The conversion of one function by ``convert-ttkernel-to-emitc``: a kernel in ``emitc``, in the text of 2024-11-21."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects import arith, scf
from xdsl.dialects.arith import IntegerOverflowFlag
from xdsl.dialects.builtin import FunctionType, IntegerAttr, IntegerType, Signedness, StringAttr, i32, i64
from xdsl.dialects.emitc import EmitC_LValueType, EmitC_OpaqueType, EmitC_PointerType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from tt_model.attributes.ttkernel import L1AddrType, PlacedCBType
from tt_model.layouts.enums import CBPort
from tt_model.operations.operation import TTKernelOperation
from tt_model.operations.ttkernel import (
    TTKernelBuiltinOp,
    TTKernelReturnOp,
    TTKernelUnreachableOp,
    combined_call,
)
from ttl.analysis.intervals import FIRST_UNSIGNED
from ttl.codegen.api_calls import CallConversion
from ttl.dialects.ttkernel import KernelCallOp, L1AddrPtrType, NocAddrType, class_of
from ttl.emitc.conversion import ARITHMETIC
from ttl.emitc.dialect import opaque, operation
from ttl.ir.refusals import Refusal, Refused
from ttl.kernel_api.function_rows import CppSnippet

_WORD = EmitC_OpaqueType(StringAttr("volatile tt_l1_ptr uint32_t"))
_STORE = class_of("store_to_l1")
_BUFFER = EmitC_OpaqueType(StringAttr("::tt::CB"))
_TYPES: Mapping[type[Attribute], Attribute] = MappingProxyType(
    {NocAddrType: i64, L1AddrType: i32, L1AddrPtrType: EmitC_PointerType(_WORD)}
)
# The C++ names of ports, by the first letters of their words.
_PORTS = MappingProxyType({"in": "c_in", "dfl": "dataflow", "out": "c_out", "int": "c_intermed"})
# Signed overflow is undefined in C++: without the no-wrap flag these operations are unsigned. Operations on bits are
# always unsigned.
_MAY_WRAP = (arith.AddiOp, arith.SubiOp, arith.MuliOp)
_SIGNED = (arith.DivSIOp, arith.RemSIOp)
_BITS = (arith.AndIOp, arith.OrIOp, arith.XOrIOp)
_WAY_OUT = "what works in a kernel: calls of ttkernel, scf.for, scf.if, and arith on integers"


class KernelConversion(CallConversion):
    """The conversion of one function. The new body is kept until everything has been converted."""

    def __init__(self, function: FuncOp) -> None:
        self._body = Block()
        super().__init__(self._body)
        self._function = function

    def prepare(self) -> list[tuple[Operation, Refusal]]:
        """Build the new body; return the operations that cannot be converted, with the reasons."""
        function = self._function
        others = [
            argument.type
            for argument in function.body.block.args
            if not isinstance(argument.type, PlacedCBType)
        ]
        if others or function.function_type.outputs.data:
            other = f"an argument of type {others[0]}" if others else "results"
            way_out = "what works: kernels, whose arguments are circular buffers and which return nothing"
            return [(function, Refusal(f"'{function.sym_name.data}' has {other}", way_out))]
        if len(function.body.blocks) > 1:
            return [(function, Refusal("it has several blocks", "what works: scf.for in one block"))]
        for argument in function.body.block.args:
            assert isinstance(argument.type, PlacedCBType)
            variable = self.variable(_BUFFER, _port_text(argument.type.data.port))
            self.become([argument], [self.load(variable)])
        self.convert_block(function.body.block)
        return self.refused

    def commit(self) -> None:
        """Replace the old body by the new one."""
        function = self._function
        old = function.body.block
        function.body.insert_block(self._body, 0)
        for op in reversed(list(old.ops)):
            Rewriter.erase_op(op, safe_erase=False)
        function.body.erase_block(old)
        function.function_type = FunctionType.from_lists([], [])
        function.arg_attrs = None

    def stand_in(self, value: SSAValue) -> SSAValue:
        return self.computed("constant", result=i32, value=IntegerAttr(0, i32))

    def convert(self, op: Operation) -> Sequence[SSAValue]:
        match op:
            case arith.ConstantOp(value=IntegerAttr(type=IntegerType() as type_) as number):
                return [self.computed("constant", result=type_, value=number)]
            case _ if isinstance(op, (*_MAY_WRAP, *_SIGNED, *_BITS)):
                return [self._arithmetic(op)]
            case arith.CmpiOp():
                is_unsigned = op.predicate.value.data >= FIRST_UNSIGNED
                operands = self._unsigned(op) if is_unsigned else self.uses(op.operands)
                return [self.compared(op, operands, op.result.type)]
            case arith.IndexCastOp():
                return [self.computed("cast", self.use(op.input), result=op.result.type)]
            case arith.SelectOp():
                return [self.computed("conditional", *self.uses(op.operands), result=op.result.type)]
            case scf.ForOp():
                return self._for(op)
            case scf.IfOp():
                return self._if(op)
            case scf.YieldOp():
                return ()  # the loop or branch converts its end
            case TTKernelOperation():
                return self._kernel_operation(op)
            case _:
                raise Refused(f"'{op.name}' has no meaning in a kernel", _WAY_OUT)

    def _arithmetic(self, op: Operation) -> SSAValue:
        type_, name = op.results[0].type, ARITHMETIC[type(op)]
        is_signed = isinstance(op, _SIGNED)
        if isinstance(op, _MAY_WRAP):
            is_signed = IntegerOverflowFlag.NSW in op.overflow_flags.data
        if is_signed:
            return self.computed(name, *self.uses(op.operands), result=type_)
        given = self._unsigned(op)
        return self.computed("cast", self.computed(name, *given, result=given[0].type), result=type_)

    def _unsigned(self, op: Operation) -> list[SSAValue]:
        """The operands as integers without a sign."""
        type_ = op.operands[0].type
        if not isinstance(type_, IntegerType):
            raise Refused(f"it computes with {type_}", _WAY_OUT)
        unsigned = IntegerType(type_.width.data, Signedness.UNSIGNED)
        return [self.computed("cast", value, result=unsigned) for value in self.uses(op.operands)]

    def _variables(self, op: Operation) -> list[SSAValue]:
        """A variable for each result."""
        return [self.variable(_converted(result.type)) for result in op.results]

    def _inside(
        self, block: Block, source: Block, variables: Sequence[SSAValue], arguments: Sequence[SSAValue]
    ) -> None:
        """Convert a block into another one, which loads variables at its beginning and assigns them at its end."""
        with self.inside(block):
            self.become(arguments, self._loaded(variables[: len(arguments)]))
            self.convert_block(source)
            end = source.last_op
            assert end is not None
            self._assign(variables, end.operands)
            self.add(operation("yield"))

    def _if(self, op: scf.IfOp) -> Sequence[SSAValue]:
        variables = self._variables(op)
        branches = [Block() if region.blocks else None for region in (op.true_region, op.false_region)]
        for block, region in zip(branches, op.regions, strict=True):
            if block is not None:
                self._inside(block, region.block, variables, ())
        self.add(operation("if", self.use(op.cond), regions=branches))
        return self._loaded(variables)

    def _for(self, op: scf.ForOp) -> Sequence[SSAValue]:
        variables = self._variables(op)
        self._assign(variables, op.iter_args)
        bounds = self.uses((op.lb, op.ub, op.step))
        counter, *carried = op.body.block.args
        block = Block(arg_types=[counter.type])
        self.become([counter], block.args)
        self._inside(block, op.body.block, variables, carried)
        self.add(operation("for", *bounds, regions=[block]))
        return self._loaded(variables)

    def _assign(self, variables: Sequence[SSAValue], values: Sequence[SSAValue]) -> None:
        for variable, value in zip(variables, values, strict=True):
            self.assign(variable, self.use(value))

    def _loaded(self, variables: Sequence[SSAValue]) -> list[SSAValue]:
        return [self.load(variable) for variable in variables]

    # Operations of TTKernel.

    def _kernel_operation(self, op: TTKernelOperation) -> Sequence[SSAValue]:
        match op:
            case TTKernelReturnOp():
                if op.parent is not self._function.body.block:
                    raise Refused(
                        "it is inside a loop", "what works: 'ttkernel.return' at the end of a function"
                    )
                self.add(ReturnOp())
                return ()
            case TTKernelBuiltinOp():
                self.call(op.op, self.uses(op.operands))
                return ()
            case KernelCallOp():
                return self._call(op)
            case TTKernelUnreachableOp():
                self.call("__builtin_unreachable", [])
                if op.parent is self._function.body.block:
                    self.add(ReturnOp())
                return ()
        combined = combined_call(op)
        if combined is None:
            return ()
        name, operands = combined
        call = class_of(name).create(operands=operands)
        try:
            return self._call(call)
        finally:
            call.drop_all_references()

    def _call(self, op: KernelCallOp) -> Sequence[SSAValue]:
        if isinstance(op, _STORE):
            value, pointer, offset = self.uses(op.operands)
            number = self.computed("cast", value, result=_WORD)
            place = self.computed("subscript", pointer, offset, result=EmitC_LValueType(_WORD))
            self.assign(place, number)
            return ()
        result = _converted(op.results[0].type) if op.results else None
        match op.call.statements("2024-11"):
            case (CppSnippet(text=text),) if result is not None and not op.operands:
                return [self.computed("constant", result=result, value=opaque(text))]
        # Functions that did not exist in 2024 list their arguments if some are constants.
        lists_arguments = bool(op.call.constants) and op.call.of_2024 is None
        called = self.api_call(op, "2024-11", result, lists_arguments=lists_arguments)
        return () if called is None else [called]


def _converted(type_: Attribute) -> Attribute:
    return _TYPES.get(type(type_), type_)


def _port_text(port: CBPort) -> str:
    word = port.keyword.removeprefix("cb_")
    return f"::tt::CB::{_PORTS[word[:-1]]}{word[-1]}"
