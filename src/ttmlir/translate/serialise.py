"""A TTNN module as a ``.ttnn`` file.

The table of an operation follows from its row: fields with the name of an operand or an
attribute take it, the others are named here. A tensor is one ``TensorRef`` from its producer to its last reader; a result
that has a destination is the destination's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from tt_model.attributes.tt import DeviceAttr, DeviceType
from tt_model.attributes.tt_system import SystemDescAttr
from tt_model.attributes.ttnn import TTNNLayoutAttr
from tt_model.flatbuffer.encode import encode
from tt_model.flatbuffer.files import FlatbufferError
from tt_model.flatbuffer.schema import schema
from tt_model.flatbuffer.stored_inputs import StoredInput, section_of
from tt_model.flatbuffer.system_desc import dim2d, system_desc_fields
from tt_model.flatbuffer.version import version_fields
from tt_model.layouts.device import DeviceRecord, core_rectangles
from tt_model.layouts.elements import data_type_of
from tt_model.layouts.enums import BufferType, MemorySpace
from tt_model.layouts.layout import LayoutRecord, MemRef, TTNNLayout
from tt_model.layouts.mesh import rows_and_columns
from tt_model.layouts.values import LayoutError
from tt_model.operations.constants import limits_of_arguments, values_of_arguments
from tt_model.operations.operation import RowOperation, is_destination_style
from ttl.analysis.dominance import of_kinds
from ttl.ir.assembly import AssemblyPrinter, Style
from ttl.ir.dense import count_of
from ttl.ir.failure import NotLegalized
from ttl.ir.mlir_text import print_as_mlir
from ttl.ir.numbering import Numbering
from ttl.ir.reports import Report, about
from ttl.ir.upstream_text import FORMS
from ttmlir.translate.tables import TABLES

SCHEMA = "TTNN/binary.fbs"
# Larger tables are left out of the text of an operation.
ELIDED_FROM = 16
# The path of an operation in a file. Every operation but the last, which returns, has an entry.
_OPERATION = re.compile(r"TTNNBinary\.programs\[(\d+)\]\.operations\[(\d+)\]\.type\.")
_SPACES = {
    BufferType.DRAM: MemorySpace.DeviceDRAM,
    BufferType.L1: MemorySpace.DeviceL1,
    BufferType.SystemMemory: MemorySpace.System,
}


class StoredGolden(Protocol):
    """A golden tensor: values that an operation should give. ``data`` are its bytes."""

    @property
    def name(self) -> str: ...
    @property
    def shape(self) -> Sequence[int]: ...
    @property
    def strides(self) -> Sequence[int]: ...
    @property
    def dtype(self) -> int: ...
    @property
    def data(self) -> bytes: ...


def ttnn_to_flatbuffer(
    module: ModuleOp,
    golden_map: Mapping[str, StoredGolden] | None = None,
    *,
    debug_info: bool = True,
    cpp: str = "",
) -> bytes:
    """Return the bytes of the file, followed by a section with the arguments that are constants.

    Raises ``NotLegalized``.

    Args:
        module: functions of TTNN operations; it has ``tt.device`` and ``tt.system_desc``.
        golden_map: golden tensors by location, or ``input_0`` and so on.
        debug_info: with the text of the module and of each operation.
        cpp: the C++ of the module, which is kept beside its text.
    """
    device, system = module.attributes.get("tt.device"), module.attributes.get("tt.system_desc")
    if not isinstance(device, DeviceAttr) or not isinstance(system, SystemDescAttr):
        missing = "tt.device" if not isinstance(device, DeviceAttr) else "tt.system_desc"
        raise NotLegalized(
            [about(module, f"the module has no {missing}: compile it with --ttir-to-ttnn-backend-pipeline")]
        )
    writer = _Writer(device.data, debug_info)
    shared = debug_information(module, "ttnn", golden_map or {}, cpp) if debug_info or golden_map else None
    functions = [op for op in of_kinds(module, FuncOp) if op.body.blocks]
    programs = [writer.program(function, shared) for function in functions]
    if writer.reports:
        raise NotLegalized(writer.reports)
    fields = {**version_fields(), "system_desc": system_desc_fields(system.data), "programs": programs}
    try:
        content = encode(schema(SCHEMA), fields)
        return b"".join([content, *section_of(list(known_inputs(functions)), len(content))])
    except FlatbufferError as problem:
        raise NotLegalized([_unfit(module, functions, str(problem))]) from None


def known_inputs(functions: Sequence[FuncOp]) -> Iterator[StoredInput]:
    """Yield the arguments that are constants, with their values, and those with limits, with their limits."""
    for program, function in enumerate(functions):
        values, limits = values_of_arguments(function), limits_of_arguments(function)
        for index in sorted({*values, *limits}):
            value, type_ = values.get(index), function.function_type.inputs.data[index]
            assert isinstance(type_, TensorType)
            yield StoredInput(
                program=program,
                index=index,
                name=f"input_{index}" if value is None else f"constant.{index}",
                data_type=data_type_of(type_.element_type),
                shape=tuple(type_.get_shape()),
                elements=None if value is None else partial(_elements, value),
                limits=limits.get(index),
            )


def _elements(value: DenseIntOrFPElementsAttr[Any]) -> bytes:
    return bytes(value.data.data * (count_of(value) // max(1, len(value))))


def _unfit(module: ModuleOp, functions: Sequence[FuncOp], problem: str) -> Report:
    """Report a number that its field cannot hold, at the operation that has it."""
    place = _OPERATION.match(problem)
    if place is None:
        return about(module, f"the module cannot be written: {problem}")
    operations = [op for op in functions[int(place[1])].body.block.ops if not isinstance(op, ReturnOp)]
    op = operations[int(place[2])]
    return about(op, f"'{op.name}' op cannot be written: {problem[place.end() :]}")


def debug_information(
    module: ModuleOp, name: str, golden_map: Mapping[str, StoredGolden], cpp: str = ""
) -> dict[str, Any]:
    """The table ``DebugInfo`` of a module in the dialect of this name."""
    entries = [
        {
            "key": key,
            "value": {
                "name": golden.name,
                "shape": list(golden.shape),
                "stride": list(golden.strides),
                "dtype": int(golden.dtype),
                "data": golden.data,
            },
        }
        for key, golden in golden_map.items()
    ]
    source = print_as_mlir(module, Style())
    return {
        "mlir": {"name": name, "source": source},
        "cpp": cpp,
        "golden_info": {"golden_map": entries},
    }


class _Writer:
    """The tables of one file. Equal tables are one object, which the encoder writes once."""

    def __init__(self, device: DeviceRecord, debug_info: bool) -> None:
        self.reports: list[Report] = []
        self._device = device
        self._debug_info = debug_info
        self._next_id = 1
        self._references: dict[SSAValue, dict[str, Any]] = {}
        self._descriptions: dict[Attribute, dict[str, Any]] = {}
        self._layouts: dict[tuple[Attribute, tuple[int, ...]], dict[str, Any]] = {}
        self._memories: dict[tuple[MemRef, int], dict[str, Any]] = {}

    def program(self, function: FuncOp, debug_info: dict[str, Any] | None) -> dict[str, Any]:
        """The table of a function."""
        if len(function.body.blocks) != 1:
            count = len(function.body.blocks)
            self._refuse(
                function, f"'func.func' op has {count} blocks; programs in files cannot have branches"
            )
            return {}
        block = function.body.block
        inputs = [self.reference(argument, function) for argument in block.args]
        printer = _texts(function) if self._debug_info else None
        operations = entries_of(block, self._operation, printer)
        outputs = [self.reference(value, end) for end in returns_of(block) for value in end.operands]
        program = {
            "name": function.sym_name.data,
            "inputs": inputs,
            "outputs": outputs,
            "operations": operations,
        }
        return program if debug_info is None else program | {"debug_info": debug_info}

    def _operation(self, op: Operation) -> tuple[str, dict[str, Any]] | None:
        flatbuffer = op.ROW.flatbuffer if isinstance(op, RowOperation) else None
        fields = TABLES.of(type(op))
        if flatbuffer is None or fields is None:
            self._refuse(op, f"'{op.name}' op is not in the format of .ttnn files")
            return None
        try:
            return flatbuffer.table, fields(op, self)
        except LayoutError as problem:
            self._refuse(op, f"'{op.name}' op cannot be written: {problem}")
            return None

    def _refuse(self, op: Operation, message: str) -> None:
        self.reports.append(about(op, message))

    # Tensors and devices.

    def reference(self, value: SSAValue, op: Operation) -> dict[str, Any]:
        """The ``TensorRef`` of a value: that of the destination it was written to."""
        while isinstance(owner := value.owner, RowOperation) and is_destination_style(owner):
            value = owner.inits[owner.results.index(value)]
        known = self._references.get(value)
        return self._new_reference(value, op) if known is None else known

    def _new_reference(self, value: SSAValue, op: Operation) -> dict[str, Any]:
        number, self._next_id = self._next_id, self._next_id + 1
        try:
            description = self._description(value, op)
        except LayoutError as problem:
            self._refuse(op, f"'{op.name}' op cannot be written: {problem}")
            description = {}
        reference = {"global_id": number, "address": 0, "size": 0, "desc": description}
        self._references[value] = reference
        return reference

    def _description(self, value: SSAValue, op: Operation) -> dict[str, Any]:
        type_ = value.type
        known = self._descriptions.get(type_)
        if known is not None:
            return known
        encoding = type_.encoding if isinstance(type_, TensorType) else None
        if not isinstance(type_, TensorType) or not isinstance(encoding, TTNNLayoutAttr):
            what = "an argument" if isinstance(value, BlockArgument) else "a value"
            self._refuse(op, f"'{op.name}' op has {what} of type {type_}, which has no ttnn_layout")
            return {}
        shape = tuple(type_.get_shape())
        description = {"shape": list(shape), "layout": self._layout(encoding, shape)}
        self._descriptions[type_] = description
        return description

    def _layout(self, encoding: TTNNLayoutAttr, shape: tuple[int, ...]) -> dict[str, Any]:
        key = (encoding, shape)
        known = self._layouts.get(key)
        if known is None:
            layout = encoding.data
            known = self._layouts[key] = {
                "stride": list(layout.stride(shape)),
                "oob_val": 0,
                "core_range_set": core_ranges(layout, self._device),
                "memory_desc": self._memory(layout),
            }
        return known

    def _memory(self, layout: TTNNLayout) -> dict[str, Any]:
        key = (layout.memref, int(layout.memory_layout))
        known = self._memories.get(key)
        if known is None:
            space = _SPACES.get(layout.buffer_type)
            if space is None:
                raise LayoutError(f"files cannot hold a tensor in {layout.buffer_type.keyword}")
            known = self._memories[key] = {
                "shape": list(layout.memref.shape),
                "tile_shape": dim2d(layout.tile_shape),
                "data_type": int(layout.data_type),
                "memory_space": int(space),
                "memory_layout": int(layout.memory_layout),
                "size": layout.shard_bytes,
            }
        return known

    def device(self, value: SSAValue) -> dict[str, Any]:
        """The ``DeviceRef`` of a value: the number of its first chip."""
        assert isinstance(value.type, DeviceType)
        return {"global_id": value.type.data.chip_ids[0]}

    def mesh(self) -> dict[str, int]:
        """The mesh of chips that the programs run on: as one row, unless it has several rows and several columns."""
        rows, columns = self.rows_and_columns()
        return {"y": 1, "x": rows * columns} if min(rows, columns) == 1 else {"y": rows, "x": columns}

    def rows_and_columns(self) -> tuple[int, int]:
        """The mesh of chips as the module has it."""
        return rows_and_columns(self._device.mesh_shape)


def entries_of(
    block: Block,
    table_of: Callable[[Operation], tuple[str, dict[str, Any]] | None],
    printer: AssemblyPrinter | None,
) -> list[dict[str, Any]]:
    """The entries of a program's operations that have a table from ``table_of``, with text if there is a printer."""
    entries = []
    for op in block.ops:
        table = None if isinstance(op, ReturnOp) else table_of(op)
        if table is None:
            continue
        kind, fields = table
        entry: dict[str, Any] = {"type_type": kind, "type": fields}
        if printer is not None:
            printer.print_op(op)
            entry["debug_info"] = printer.take()
        entries.append(entry)
    return entries


def returns_of(block: Block) -> list[ReturnOp]:
    """Return the return operation of a program, its last one, if there is one."""
    return [op for op in block.ops if isinstance(op, ReturnOp)]


def _texts(function: FuncOp) -> AssemblyPrinter:
    style = Style(locations=True, local_scope=True, elide_from=ELIDED_FROM)
    return AssemblyPrinter(style, Numbering(function, unique=False), {}, FORMS)


def core_ranges(layout: TTNNLayout | LayoutRecord, device: DeviceRecord) -> list[dict[str, Any]]:
    """The cores of a layout's grid as rectangles.

    Raises ``LayoutError`` for a grid that reaches beyond the first chip, because files describe only that chip.
    """
    return [
        {"loc": dim2d((one.y, one.x)), "size": dim2d((one.height, one.width))}
        for one in core_rectangles(layout.grid.shape, device)
    ]
