"""Functions of TTNN operations as functions of ``emitc``: calls of the C++ library of a date.

Expects and guarantees: see ``convert-ttnn-to-emitc``, which is this for a whole module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects.builtin import FunctionType, StringAttr, TensorType
from xdsl.dialects.emitc import EmitC_OpaqueType, EmitC_PointerType
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tt_model.attributes.tt import DeviceType
from tt_model.layouts.enums import DataType, PageLayout, TensorMemoryLayout
from tt_model.operations.operation import TTNNOperation
from tt_model.operations.ttnn import TTNNDeallocateOp, TTNNEmptyOp, TTNNGetDeviceOp
from ttl.emitc.conversion import EmitcConversion
from ttl.emitc.dialect import EmitcOp, operation
from ttl.ir.refusals import Refusal, Refused
from ttmlir.standalone.cpp_api import LIBRARIES, CppApi, CppFunction, CppLibrary, CppParameter, given
from ttmlir.standalone.library_functions import (
    NOT_TTNN,
    Argument,
    FirstNumber,
    LibraryCall,
    Placement,
    Tensors,
    TensorShape,
    call_of,
    layout_of,
    require_taken,
)
from ttmlir.standalone.python_text import BUFFER_TYPES, MEMORY_LAYOUTS, data_type_name, float_text
from ttmlir.standalone.values import WRITES_INTO, is_made

HEADER = "ttnn-precompiled.hpp"
_LAYOUTS: Mapping[PageLayout, str] = MappingProxyType(
    {PageLayout.RowMajor: "ROW_MAJOR", PageLayout.Tile: "TILE", PageLayout.Invalid: "INVALID"}
)
# C++ types of integers on the host.
_NUMBERS: Mapping[DataType, str] = MappingProxyType(
    {
        DataType.UInt32: "std::uint32_t",
        DataType.UInt16: "std::uint16_t",
        DataType.UInt8: "std::uint8_t",
    }
)


def _opaque_type(text: str) -> EmitC_OpaqueType:
    return EmitC_OpaqueType(StringAttr(text))


_TENSOR = _opaque_type("ttnn::Tensor")
_ANY = _opaque_type("auto")


class LibraryConversion:
    """The conversion of functions to the library of a date."""

    def __init__(self, api: CppApi) -> None:
        self._library = LIBRARIES[api]
        self.refused: list[tuple[Operation, Refusal]] = []

    def include(self) -> EmitcOp:
        """Return the include that the functions need in front of them."""
        return operation("include", include=StringAttr(HEADER))

    def function(self, function: FuncOp) -> FuncOp:
        """Return a function of the same name on C++ tensors.

        Operations without a form in the library are added to ``refused``.
        """
        inputs, outputs = (
            [_converted(self._library, one) for one in types]
            for types in (function.function_type.inputs.data, function.function_type.outputs.data)
        )
        body = Region()
        if function.body.blocks:
            block = Block(arg_types=inputs)
            body.add_block(block)
            conversion = _FunctionConversion(self._library, block)
            conversion.become(function.body.blocks[0].args, block.args)
            conversion.convert_block(function.body.blocks[0])
            self.refused += conversion.refused
            if len(function.body.blocks) > 1:
                branches = Refusal(
                    f"it has {len(function.body.blocks)} blocks", "what works: a function without branches"
                )
                self.refused.append((function, branches))
        result = FuncOp(
            function.sym_name.data,
            FunctionType.from_lists(inputs, outputs),
            body,
            visibility=function.sym_visibility,
        )
        result.location = function.location
        return result


def _converted(library: CppLibrary, type_: Attribute) -> Attribute:
    match type_:
        case TensorType():
            return _TENSOR
        case DeviceType():
            return EmitC_PointerType(_opaque_type(library.device))
    return type_


class _FunctionConversion(EmitcConversion):
    """Converts the body of one function."""

    def __init__(self, library: CppLibrary, block: Block) -> None:
        super().__init__(block)
        self._library = library

    def stand_in(self, value: SSAValue) -> SSAValue:
        return self._value("", (), _ANY)

    def convert(self, op: Operation) -> Sequence[SSAValue] | None:
        types = [_converted(self._library, result.type) for result in op.results]
        match op:
            case ReturnOp():
                return self.add(ReturnOp(*self.uses(op.operands))).results
            case CallOp():
                return self.add(CallOp(op.callee, self.uses(op.operands), types)).results
            case TTNNOperation():
                return self._library_call(op, types)
            case _:
                raise Refused("it is not an operation of TTNN", NOT_TTNN)

    def _value(self, callee: str, arguments: Sequence[SSAValue | str], result: Attribute) -> SSAValue:
        """Add a call, and return its result."""
        return self.call(callee, arguments, [result]).results[0]

    # Operations of TTNN.

    def _library_call(self, op: TTNNOperation, types: Sequence[Attribute]) -> Sequence[SSAValue] | None:
        match op:
            case TTNNGetDeviceOp():
                return self.call("ttnn::DeviceGetter::getInstance", (), types).results
            case TTNNEmptyOp() if not is_made(op, self._library.into | WRITES_INTO):
                return None
            case TTNNDeallocateOp() if op.input not in self.became:
                return None
        call = call_of(op)
        if self._library is LIBRARIES["0.81"]:
            require_taken(op, call)
        if isinstance(op, TTNNEmptyOp) and self._is_only_written(op):
            call = _as_empty(call)
        name, arguments = call.function, dict(call.arguments)
        if name in self._library.into and call.destination is not None:
            # The output tensor determines both.
            arguments = {key: one for key, one in arguments.items() if key not in ("dtype", "memory_config")}
            arguments["output_tensor"] = call.destination
        function = self._library.functions.get(name)
        if function is None:
            raise Refused(
                f"it is not known how C++ calls the library's function {name}",
                "what works: ttmlir-translate --ttnn-to-python; or a row in src/ttmlir/standalone/cpp_api.py",
            )
        arguments = _as_parameters(function, arguments)
        texts = [self._argument(parameter, arguments) for parameter in given(function, arguments)]
        if op.ROW.writes:
            self.call(function.name, texts)
            return [self.use(op.inits[0])]
        if not op.results:
            return self.call(function.name, texts).results
        result = self._result(function, texts)
        if call.shape is not None:
            result = self._reshaped(result, call.shape)
        if call.destination is not None and name not in self._library.into:
            self.become([call.destination], [result])
        return [result]

    def _is_only_written(self, op: TTNNEmptyOp) -> bool:
        return "empty" in self._library.functions and not is_made(op, WRITES_INTO)

    def _result(self, function: CppFunction, arguments: Sequence[SSAValue | str]) -> SSAValue:
        if function.is_tensor:
            return self._value(function.name, arguments, _TENSOR)
        parts = self._value(function.name, arguments, _ANY)
        return self._value("ttnn::first_tensor", (parts,), _TENSOR)

    def _reshaped(self, value: SSAValue, shape: tuple[int, ...]) -> SSAValue:
        function = self._library.functions["reshape"]
        extents = self._argument(function.parameters[1], {"shape": TensorShape(shape)})
        return self._value(function.name, (value, extents), _TENSOR)

    def _argument(self, parameter: CppParameter, arguments: Mapping[str, Argument]) -> SSAValue | str:
        if parameter.name not in arguments:
            assert parameter.default is not None, parameter
            return parameter.default
        value, space = arguments[parameter.name], self._library.namespace
        match value:
            case SSAValue():
                if isinstance(value.type, DeviceType) and "reference_wrapper" in parameter.type:
                    type_ = _opaque_type(f"std::reference_wrapper<{self._library.device}>")
                    return self._value("ttnn::device_reference", (self.use(value),), type_)
                return self.use(value)
            case Tensors():
                tensors = self.uses(value.values)
                return self._value("ttnn::tensor_list", tensors, _opaque_type("std::vector<ttnn::Tensor>"))
            case FirstNumber():
                word = _NUMBERS[layout_of(value.tensor).data_type]
                number = _opaque_type(word)
                return self._value(f"ttnn::first_number<{word}>", (self.use(value.tensor),), number)
            case TensorShape():
                return self._shape(parameter, value.extents)
            case Placement():
                return self._placement(value)
            case DataType():
                return f"{space}::DataType::{data_type_name(value).upper()}"
            case PageLayout():
                return f"{space}::Layout::{_LAYOUTS[value]}"
            case bool():
                return "true" if value else "false"
            case float():
                return _float(value)
            case int():
                return f"{value}.0f" if parameter.type == "float" else str(value)
        return _numbers(parameter, value)

    def _shape(self, parameter: CppParameter, extents: tuple[int, ...]) -> SSAValue | str:
        if "Shape" not in parameter.type:
            return _numbers(parameter, extents)
        text = self._library.shape.format(", ".join(map(str, extents)))
        callee, _, argument = text.partition("(")
        return self._value(callee, (argument[:-1],), _opaque_type(f"{self._library.namespace}::Shape"))

    def _placement(self, placement: Placement) -> SSAValue:
        words = {**MEMORY_LAYOUTS, TensorMemoryLayout.SingleBank: "SINGLE_BANK"}
        word = words.get(placement.memory_layout, "NONE")
        if word not in self._library.memory_layouts:
            known = ", ".join(sorted(self._library.memory_layouts))
            raise Refused(
                f"the library has no memory layout {placement.memory_layout.keyword}", f"what works: {known}"
            )
        space = self._library.namespace
        arguments = [
            f"{space}::TensorMemoryLayout::{word}",
            f"{space}::BufferType::{BUFFER_TYPES[placement.buffer_type]}",
        ]
        if placement.shard is not None:
            arguments.append(_shard(placement))
        return self._value(f"{space}::MemoryConfig", arguments, _opaque_type(f"{space}::MemoryConfig"))


# Other names of a sole tensor parameter, and arguments that an older library's function implies.
_TENSORS = MappingProxyType({"tensor": "input_tensor", "input_tensor": "tensor"})
_IMPLIED: Mapping[str, tuple[object, ...]] = MappingProxyType(
    {"ceil_mode": (False,), "output_layout": (PageLayout.RowMajor,), "dtype": tuple(DataType)}
)


def _as_parameters(function: CppFunction, arguments: Mapping[str, Argument]) -> dict[str, Argument]:
    """Return arguments by the function's parameter names.

    Arguments that the function implies are left out. Raises ``Refused`` for other arguments without a parameter.
    """
    known = {parameter.name for parameter in function.parameters}
    result: dict[str, Argument] = {}
    for name, value in arguments.items():
        parameter = name if name in known else _TENSORS.get(name, name)
        if parameter in known:
            result[parameter] = value
        elif value not in _IMPLIED.get(name, ()):
            raise Refused(
                f"{function.name} of that date has no {name}", "what works: the library of today, api=0.81"
            )
    return result


def _as_empty(call: LibraryCall) -> LibraryCall:
    """Return a call that makes an uninitialised tensor: a tensor that is only written to has no values before."""
    return LibraryCall(function="empty", arguments=call.arguments)


def _float(value: float) -> str:
    """A literal of C++."""
    text = float_text(value)
    if text.startswith("float("):
        sign = "-" if "-" in text else ""
        limits = "std::numeric_limits<float>"
        return f"{limits}::quiet_NaN()" if "nan" in text else f"{sign}{limits}::infinity()"
    return f"{text if any(mark in text for mark in '.e') else f'{text}.0'}f"


def _numbers(parameter: CppParameter, values: Sequence[int]) -> str:
    listed = ", ".join(map(str, values))
    if "SmallVector" in parameter.type:
        return f"ttsl::SmallVector<int, 8>{{{listed}}}"
    if "std::array<unsigned" in parameter.type:
        return f"std::array<unsigned int, 2>{{{listed}}}"
    if "std::array" in parameter.type:
        return f"std::array<uint32_t, 2>{{{listed}}}"
    return f"std::vector<int>{{{listed}}}"


def _shard(placement: Placement) -> str:
    """Return the shard specification of a memory configuration."""
    shard = placement.shard
    assert shard is not None
    metal = "tt::tt_metal"
    ranges = ", ".join(
        f"{metal}::CoreRange({metal}::CoreCoord({one.x}, {one.y}), "
        f"{metal}::CoreCoord({one.x + one.width - 1}, {one.y + one.height - 1}))"
        for one in shard.cores
    )
    return (
        f"{metal}::ShardSpec({metal}::CoreRangeSet(std::set<{metal}::CoreRange>{{{ranges}}}), "
        f"{{{shard.shape[0]}, {shard.shape[1]}}}, {metal}::ShardOrientation::ROW_MAJOR)"
    )
