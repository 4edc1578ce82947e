"""A TTMetal module as a ``.ttm`` file: for each function a program, whose queue has a command for each operation.

A tensor is one ``TensorRef`` from its allocation on; a result that has a destination is the destination's. Kernels are written as
C++, with the circular buffers that their regions have as arguments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from tt_model.attributes.tt import DeviceAttr, TTLayoutAttr
from tt_model.attributes.tt_system import SystemDescAttr
from tt_model.flatbuffer.encode import encode
from tt_model.flatbuffer.files import FlatbufferError
from tt_model.flatbuffer.schema import schema
from tt_model.flatbuffer.stored_inputs import section_of
from tt_model.flatbuffer.system_desc import dim2d, system_desc_fields
from tt_model.flatbuffer.version import version_fields
from tt_model.layouts.device import DeviceRecord
from tt_model.layouts.elements import data_type_of
from tt_model.layouts.enums import NocIndex
from tt_model.layouts.layout import LayoutRecord, MemRef
from tt_model.layouts.placed import MatrixPlacement, encoded
from tt_model.layouts.records import CircularBufferRecord, EthernetConfig, TensixConfig
from tt_model.layouts.values import LayoutError
from tt_model.operations.operation import RowOperation, is_destination_style
from tt_model.operations.ttmetal import (
    TTMetalAllocOp,
    TTMetalDeallocOp,
    TTMetalDispatchOp,
    TTMetalHostReadOp,
    TTMetalHostWriteOp,
)
from tt_model.reference.meanings import elements
from ttl.analysis.dominance import of_kinds
from ttl.ir.assembly import AssemblyPrinter, Style
from ttl.ir.failure import NotLegalized
from ttl.ir.numbering import Numbering
from ttl.ir.reports import Report, about
from ttl.ir.upstream_text import FORMS
from ttmlir.emitc import kernel_sources
from ttmlir.translate.serialise import (
    ELIDED_FROM,
    StoredGolden,
    core_ranges,
    debug_information,
    entries_of,
    known_inputs,
    returns_of,
)

SCHEMA = "TTMetal/binary.fbs"
Fields = dict[str, Any]


def ttmetal_to_flatbuffer(
    module: ModuleOp, golden_map: Mapping[str, StoredGolden] | None = None, *, debug_info: bool = True
) -> bytes:
    """The bytes of the file. Raises ``NotLegalized``.

    Args:
        module: functions of TTMetal operations, whose tensors have addresses; it has ``tt.device`` and ``tt.system_desc``.
        golden_map: golden tensors by location, or ``input_0`` and so on.
        debug_info: with the text of the module and of each operation.
    """
    device, system = module.attributes.get("tt.device"), module.attributes.get("tt.system_desc")
    if not isinstance(device, DeviceAttr) or not isinstance(system, SystemDescAttr):
        missing = "tt.device" if not isinstance(device, DeviceAttr) else "tt.system_desc"
        raise NotLegalized(
            [
                about(
                    module, f"the module has no {missing}: compile it with --ttir-to-ttmetal-backend-pipeline"
                )
            ]
        )
    writer = _MetalWriter(device.data, debug_info)
    shared = debug_information(module, "ttmetal", golden_map or {}) if debug_info or golden_map else None
    functions = [op for op in of_kinds(module, FuncOp) if op.body.blocks]
    programs = [writer.program(function, shared) for function in functions]
    if writer.reports:
        raise NotLegalized(writer.reports)
    fields = {**version_fields(), "system_desc": system_desc_fields(system.data), "programs": programs}
    try:
        content = encode(schema(SCHEMA), fields)
        # Constants are inputs that the user passes; for other inputs the limits of their numbers are stored.
        limited = [replace(one, elements=None) for one in known_inputs(functions) if one.limits is not None]
        return b"".join([content, *section_of(limited, len(content))])
    except FlatbufferError as problem:
        raise NotLegalized([about(module, f"the module cannot be written: {problem}")]) from None


class _MetalWriter:
    """The tables of one file. Equal tables are one object, which the encoder writes once."""

    def __init__(self, device: DeviceRecord, debug_info: bool) -> None:
        self.reports: list[Report] = []
        self._device = device
        self._debug_info = debug_info
        self._next_id = 1
        self._references: dict[SSAValue, Fields] = {}
        self._descriptions: dict[Attribute, Fields] = {}

    def program(self, function: FuncOp, debug_info: Fields | None) -> Fields:
        """The table of a function."""
        if len(function.body.blocks) != 1:
            count = len(function.body.blocks)
            self._refuse(
                function, f"'func.func' op has {count} blocks; programs in files cannot have branches"
            )
            return {}
        block = function.body.block
        inputs = self._inputs(function)
        printer = _texts(function) if self._debug_info else None
        commands = entries_of(block, self._command, printer)
        outputs = [self.reference(value, end) for end in returns_of(block) for value in end.operands]
        name = function.sym_name.data
        queue = {"name": name, "commands": commands}
        device = {"inputs": inputs, "outputs": outputs, "command_queues": [queue]}
        program = {"name": name, "inputs": inputs, "outputs": outputs, "device_programs": [device]}
        return program if debug_info is None else program | {"debug_info": debug_info}

    def _inputs(self, function: FuncOp) -> list[Fields]:
        given: Any = function.attributes.get("tt.arg_alloc")
        arguments = function.body.block.args
        allocations = [one.data for one in given.data] if given is not None else []
        if len(allocations) != len(arguments):
            self._refuse(
                function,
                f"'func.func' op has {len(arguments)} arguments, but addresses for {len(allocations)}: "
                "compile it with --ttir-to-ttmetal-backend-pipeline",
            )
            return []
        return [
            self._new_reference(argument, function, at.address, at.size)
            for argument, at in zip(arguments, allocations)
        ]

    # Commands.

    def _command(self, op: Operation) -> tuple[str, Fields] | None:
        try:
            match op:
                case TTMetalAllocOp():
                    return self._alloc(op)
                case TTMetalDeallocOp():
                    return "DeallocateBufferCommand", {"ref": self.reference(op.operands[0], op)}
                case TTMetalHostWriteOp():
                    return self._host_write(op)
                case TTMetalHostReadOp():
                    source, target = (self.reference(one, op) for one in op.operands)
                    return "EnqueueReadBufferCommand", {"src": source, "dst": target}
                case TTMetalDispatchOp():
                    return self._dispatch(op)
        except NotLegalized as problem:
            self.reports += problem.reports
            return None
        except (LayoutError, ValueError) as problem:
            self._refuse(op, f"'{op.name}' op cannot be written: {problem}")
            return None
        self._refuse(op, f"'{op.name}' op is not in the format of .ttm files")
        return None

    def _alloc(self, op: TTMetalAllocOp) -> tuple[str, Fields] | None:
        reference = self._new_reference(op.result, op, op.address, op.size)
        # Host memory needs no command: it is allocated when data is read into it.
        return None if op.memory_space.is_host else ("CreateBufferCommand", {"ref": reference})

    def _host_write(self, op: TTMetalHostWriteOp) -> tuple[str, Fields]:
        target = self.reference(op.operands[0], op)
        layout, shape = _described(op.result)
        words = _words(np.asarray(elements(op.value)), layout, shape)
        return "EnqueueWriteBufferCommand", {
            "src_type": "ConstantBuffer32",
            "src": {"data": words},
            "dst": target,
        }

    def _dispatch(self, op: TTMetalDispatchOp) -> tuple[str, Fields]:
        operands = [self.reference(value, op) for value in op.operands]
        texts = kernel_sources(op)
        kernels = []
        for config, text in zip(op.kernel_configs, texts, strict=True):
            kind, fields = _config(config.data)
            cores = text.cores
            kernels.append(
                {
                    "kernel_type": "KernelSource",
                    "kernel": {"source": text.text, "config_type": kind, "config": fields},
                    "core_range_set": [{"loc": dim2d(cores.offset), "size": dim2d(cores.size)}],
                    "cbs": [self._circular_buffer(buffer, operands) for buffer in text.buffers],
                }
            )
        return "EnqueueProgramCommand", {"operands": operands, "program": {"kernels": kernels}}

    def _circular_buffer(self, buffer: CircularBufferRecord, operands: Sequence[Fields]) -> Fields:
        """Return the table of a circular buffer, with the dispatch's tensor in whose memory it lies, if there is one."""
        number, self._next_id = self._next_id, self._next_id + 1
        own = next((one for one in operands if one["address"] == buffer.address), None)
        return {
            "global_id": number,
            **({} if own is None else {"tensor_ref": own}),
            "address": buffer.address,
            "desc": {
                "port": int(buffer.port),
                "memory_desc": _memory(buffer.memref),
                "page_size": buffer.page_size,
                "num_buffers": buffer.num_buffers,
            },
        }

    # Tensors.

    def reference(self, value: SSAValue, op: Operation) -> Fields:
        """The ``TensorRef`` of a value: that of the memory that it was written to."""
        while isinstance(owner := value.owner, RowOperation) and is_destination_style(owner):
            value = owner.inits[owner.results.index(value)]
        known = self._references.get(value)
        if known is None:
            self._refuse(op, f"'{op.name}' op has a value of type {value.type}, which has no address")
            known = self._references[value] = {}
        return known

    def _new_reference(self, value: SSAValue, op: Operation, address: int, size: int) -> Fields:
        number, self._next_id = self._next_id, self._next_id + 1
        description: Fields = {}
        try:
            description = self._description(value)
        except LayoutError as problem:
            self._refuse(op, f"'{op.name}' op cannot be written: {problem}")
        reference = {"global_id": number, "address": address, "size": size, "desc": description}
        self._references[value] = reference
        return reference

    def _description(self, value: SSAValue) -> Fields:
        known = self._descriptions.get(value.type)
        if known is None:
            layout, shape = _described(value)
            known = self._descriptions[value.type] = {
                "shape": list(shape),
                "layout": {
                    "stride": list(layout.stride(shape)),
                    "oob_val": int(layout.oob),
                    "core_range_set": core_ranges(layout, self._device),
                    "memory_desc": _memory(layout.memref) | {"memory_layout": int(layout.memory_layout)},
                },
            }
        return known

    def _refuse(self, op: Operation, message: str) -> None:
        self.reports.append(about(op, message))


def _described(value: SSAValue) -> tuple[LayoutRecord, tuple[int, ...]]:
    type = value.type
    if not isinstance(type, TensorType) or not isinstance(type.encoding, TTLayoutAttr):
        raise LayoutError(f"a value of type {type} has no tt.layout")
    return type.encoding.data, tuple(type.get_shape())


def _memory(memref: MemRef) -> Fields:
    space: Any = memref.space
    return {
        "shape": list(memref.shape),
        "tile_shape": dim2d(tuple(getattr(memref.element, "shape", (1, 1)))),
        "data_type": int(data_type_of(memref.element)),
        "memory_space": int(space),
        "size": memref.bytes,
    }


def _config(config: TensixConfig | EthernetConfig | NocIndex) -> tuple[str, Fields]:
    match config:
        case TensixConfig():
            return "TensixConfig", {
                "math_fidelity": int(config.math_fidelity),
                "fp32_dest_acc_en": config.fp32_dest_acc_en,
                "math_approx_mode": config.math_approx_mode,
                "unpack_to_dest_mode": [int(mode) for mode in config.unpack_to_dest_mode],
            }
        case EthernetConfig():
            return "EthernetConfig", {"eth_type": int(config.eth_type), "noc_index": int(config.noc_index)}
    return "NocConfig", {"noc_index": int(config)}


def _words(values: Any, layout: LayoutRecord, shape: tuple[int, ...]) -> list[int]:
    """Return the words that the host writes: a single word if all elements are equal, else the words of all shards.

    Raises ``LayoutError`` for elements that the host cannot write.
    """
    kind = data_type_of(layout.element)
    if values.size and (values == values.flat[0]).all():
        (first,) = encoded(np.asarray(values).reshape(-1)[:1], kind)
        raw = first.tobytes() * (4 // first.itemsize)
        return [int.from_bytes(raw[:4], "little")]
    placed = MatrixPlacement.of_layout(layout, shape)
    return list(map(int, np.frombuffer(placed.shards_of(values, kind).tobytes(), "<u4")))


def _texts(function: FuncOp) -> AssemblyPrinter:
    style = Style(locations=True, local_scope=True, elide_from=ELIDED_FROM, regions=False)
    return AssemblyPrinter(style, Numbering(function, unique=False), {}, FORMS)
