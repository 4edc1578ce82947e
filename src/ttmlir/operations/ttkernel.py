"""The operations of TTKernel: the text of kernels, as TT-MLIR of 2024-11-21 writes them.

Most of them are calls of the kernel API. Where ``ttl.kernel_api`` has the function, the row names it, and what the function does
is said there once; the operands are the same ones in the same order. Those that passes decide by, or read fields of, are written as
classes; the others are rows, of which classes are made.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from ttl.kernel_api import CALLS
from ttmlir.operations import kinds, verify_regions
from ttmlir.operations.fields import attribute, operand, operands
from ttmlir.operations.operation import OperationTable, TTKernelOperation
from ttmlir.operations.row import AttributeDefinition, OperandDefinition, ResultDefinition, Row, Trait

_KINDS = MappingProxyType(
    {
        "": kinds.INTEGER32,
        "cb": kinds.CIRCULAR_BUFFER,
        "l1": kinds.INTEGER32_OR_L1_ADDRESS,
        "noc": kinds.NOC_ADDRESS,
        "pointer": kinds.L1_ADDRESS_POINTER,
    }
)


class TTKernelReductionOp(TTKernelOperation):
    """An operation of a reduction."""

    reduce_type = attribute(kinds.REDUCE_TYPE)
    reduce_dim = attribute(kinds.REDUCE_DIM)


class TTKernelReduceInitOp(TTKernelReductionOp, name="ttkernel.reduce_init", kernel_function="reduce_init"):
    """Prepares a reduction of tiles."""

    in_cb = operand(kinds.CIRCULAR_BUFFER)
    scaling_cb = operand(kinds.CIRCULAR_BUFFER)
    out_cb = operand(kinds.CIRCULAR_BUFFER)


class TTKernelReduceTileOp(TTKernelReductionOp, name="ttkernel.reduce_tile", kernel_function="reduce_tile"):
    """Reduces a tile into a register, each element times the scaling."""

    in_cb = operand(kinds.CIRCULAR_BUFFER)
    scaling_cb = operand(kinds.CIRCULAR_BUFFER)
    in_tile_index = operand(kinds.INTEGER32)
    scaling_tile_index = operand(kinds.INTEGER32)
    dst_index = operand(kinds.INTEGER32)


class TTKernelCopyTileInitOp(TTKernelOperation, name="ttkernel.copy_tile_init"):
    """Prepares the copying of tiles."""


class TTKernelCopyTileOp(TTKernelOperation, name="ttkernel.copy_tile", kernel_function="copy_tile"):
    """Copies a tile of a circular buffer into a register."""

    cb0 = operand(kinds.CIRCULAR_BUFFER)
    tile_index_cb = operand(kinds.INTEGER32)
    tile_index_dst = operand(kinds.INTEGER32)


class TTKernelUntilizeInitOp(
    TTKernelOperation, name="ttkernel.untilize_init", verify=verify_regions.in_kernel("UntilizeInitOp")
):
    """Prepares the making of rows from tiles."""

    cb_in = operand(kinds.CIRCULAR_BUFFER, name="cbIn")
    cb_out = operand(kinds.CIRCULAR_BUFFER, name="cbOut")


class TTKernelUntilizeBlockOp(
    TTKernelOperation, name="ttkernel.untilize_block", verify=verify_regions.in_kernel("UntilizeBlockOp")
):
    """Makes rows of tiles."""

    cb_in = operand(kinds.CIRCULAR_BUFFER, name="cbIn")
    num_tiles = operand(kinds.INTEGER32, name="numTiles")
    cb_out = operand(kinds.CIRCULAR_BUFFER, name="cbOut")


class TTKernelBinaryOpInitCommonOp(TTKernelOperation, name="ttkernel.binary_op_init_common"):
    """Prepares operations on two buffers."""

    in0_cb = operand(kinds.CIRCULAR_BUFFER)
    in1_cb = operand(kinds.CIRCULAR_BUFFER)
    out_cb = operand(kinds.CIRCULAR_BUFFER)


class TTKernelUnaryOpInitCommonOp(TTKernelOperation, name="ttkernel.unary_op_init_common"):
    """Prepares operations on one buffer."""

    icb = operand(kinds.CIRCULAR_BUFFER)
    ocb = operand(kinds.CIRCULAR_BUFFER)


class TTKernelMulTilesInitFOp(TTKernelOperation, name="ttkernel.mul_tiles_init_f"):
    """Prepares the multiplication of tiles, its arithmetic only."""


class TTKernelTilizeInitOp(
    TTKernelOperation,
    name="ttkernel.tilize_init",
    verify=verify_regions.in_kernel("TilizeInitOp"),
    kernel_function="tilize_init",
):
    """Prepares the making of tiles from rows."""

    cb_in = operand(kinds.CIRCULAR_BUFFER, name="cbIn")
    num_tiles = operand(kinds.INTEGER32, name="numTiles")
    cb_out = operand(kinds.CIRCULAR_BUFFER, name="cbOut")


class TTKernelCBPopFrontOp(
    TTKernelOperation,
    name="ttkernel.cb_pop_front",
    verify=verify_regions.in_kernel("CBPopFrontOp"),
    kernel_function="cb_pop_front",
):
    """Frees pages that were read."""

    cb = operand(kinds.CIRCULAR_BUFFER)
    num_pages = operand(kinds.INTEGER32, name="numPages")


class TTKernelNocAsyncReadOnePacketWithStateOp(
    TTKernelOperation,
    name="ttkernel.noc_async_read_one_packet_with_state",
    kernel_function="noc_async_read_one_packet_with_state",
):
    """Begins to read a packet as prepared."""

    source = operand(kinds.NOC_ADDRESS, name="srcNocAddr")
    destination = operand(kinds.INTEGER32_OR_L1_ADDRESS, name="dstLocalL1Addr")


class TTKernelCastToL1PtrOp(
    TTKernelOperation,
    name="ttkernel.reinterpret_cast<volatile tt_l1_ptr uint32_t*>",
    results=(ResultDefinition(name="l1_ptr", kind=kinds.L1_ADDRESS_POINTER),),
):
    """An address as a pointer."""

    addr = operand(kinds.INTEGER32_OR_L1_ADDRESS)


class TTKernelStoreToL1Op(TTKernelOperation, name="ttkernel.store_to_l1", kernel_function="store_to_l1"):
    """Writes a number; `offset` counts words."""

    value = operand(kinds.INTEGER32)
    l1_ptr = operand(kinds.L1_ADDRESS_POINTER)
    offset = operand(kinds.INTEGER32)


class TTKernelZerosOp(TTKernelOperation, results=(ResultDefinition(name="result", kind=kinds.INTEGER32),)):
    """An operation on memory that holds zeros."""


class TTKernelMemZerosBaseOp(TTKernelZerosOp, name="ttkernel.mem_zeros_base"):
    """The address of memory that holds zeros."""


class TTKernelMemZerosSizeOp(TTKernelZerosOp, name="ttkernel.mem_zeros_size"):
    """How many bytes of memory hold zeros."""


class TTKernelBuiltinOp(
    TTKernelOperation, name="ttkernel.builtin", verify=verify_regions.in_kernel("BuiltinOp")
):
    """Calls a kernel by its name.

    `op` is the name, `kind` the kind of kernel. No pass makes it.
    """

    arguments = operands(kinds.MEMREF_OR_CIRCULAR_BUFFER, name="args")
    op = attribute(kinds.SYMBOL)
    kind = attribute(kinds.SYMBOL)


_TERMINATOR: tuple[Trait, ...] = ("Pure", "ReturnLike", "Terminator")


class TTKernelReturnOp(
    TTKernelOperation,
    name="ttkernel.return",
    traits=_TERMINATOR,
    verify=verify_regions.in_kernel("ReturnOp"),
):
    """Ends a kernel."""


_NOC_ADDRESS = (ResultDefinition(name="nocAddr", kind=kinds.NOC_ADDRESS),)


class TTKernelGetNocAddrOp(TTKernelOperation, name="ttkernel.get_noc_addr", results=_NOC_ADDRESS):
    """The address of the own memory on the network."""

    l1_address = operand(kinds.INTEGER32, name="l1Address")


class TTKernelGetNocAddrXYOp(
    TTKernelOperation,
    name="ttkernel.get_noc_addr_xy",
    results=_NOC_ADDRESS,
    kernel_function="get_noc_addr_xy",
):
    """The address of the memory of a core on the network."""

    x = operand(kinds.INTEGER32)
    y = operand(kinds.INTEGER32)
    l1_address = operand(kinds.INTEGER32, name="l1Address")


def _operation(
    mnemonic: str, class_name: str, operands: str, summary: str, *, result: str | None = None, **fields: Any
) -> Row:
    """``operands`` and ``result`` are ``name:kind``, a 32-bit integer without a kind."""
    words = [word.partition(":") for word in operands.split()]
    results = () if result is None else (result.partition(":"),)
    return Row(
        name=f"ttkernel.{mnemonic}",
        class_name=class_name,
        summary=summary,
        operands=tuple(OperandDefinition(name=name, kind=_KINDS[kind]) for name, _, kind in words),
        results=tuple(ResultDefinition(name=name, kind=_KINDS[kind]) for name, _, kind in results),
        **fields,
    )


def _call(mnemonic: str, class_name: str, operands: str, summary: str, **fields: Any) -> Row:
    """A call of the function of the same name in the kernel API."""
    return _operation(mnemonic, class_name, operands, summary, **{"kernel_function": mnemonic, **fields})


def _in_kernel(mnemonic: str, class_name: str, operands: str, summary: str, **fields: Any) -> Row:
    """One that stands in a kernel only."""
    return _operation(
        mnemonic,
        class_name,
        operands,
        summary,
        verify=verify_regions.in_kernel(f"{class_name}Op"),
        **fields,
    )


def _data_types(*names: str) -> tuple[AttributeDefinition, ...]:
    return tuple(AttributeDefinition(name=name, kind=kinds.DATA_TYPE_NUMBER) for name in names)


# Constants of the table of the kernel API as attributes. Numbers that it takes as bits are numbers here.
_CONSTANT_KINDS = MappingProxyType(
    {
        "bits": kinds.F32,
        "float": kinds.F32,
        "int": kinds.I32,
        "bool": kinds.BOOL,
        "format": kinds.DATA_TYPE,
        "word": kinds.STRING,
    }
)
_OPERAND_KINDS = MappingProxyType({"cb": kinds.CIRCULAR_BUFFER, "index": kinds.INTEGER32})


def _from_the_table(name: str) -> Row:
    """A call that came after 2024-11-21, as the table of the kernel API has it: its operands, its constants as attributes."""
    call = CALLS[name]
    words = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    return Row(
        name=f"ttkernel.{name}",
        class_name=words,
        summary=call.doc[:1].upper() + call.doc[1:],
        doc="Not of 2024-11-21: from the table of the kernel API, for what the way to TTMetal computes beyond it.",
        operands=tuple(
            OperandDefinition(name=one.name, kind=_OPERAND_KINDS[one.kind]) for one in call.operands
        ),
        attributes=tuple(
            AttributeDefinition(name=one.name, kind=_CONSTANT_KINDS[one.kind]) for one in call.constants
        ),
        kernel_function=name,
    )


_BINARY_FUNCTIONS = ("add", "sub", "mul", "div", "eq", "ne", "lt", "le", "gt", "ge", "remainder")
_UNARY_FUNCTIONS = (
    *(
        "abs",
        "negative",
        "expm1",
        "log",
        "log1p",
        "sqrt",
        "rsqrt",
        "sin",
        "cos",
        "relu",
        "leaky_relu",
        "gelu",
    ),
    *("sigmoid", "clamp", "sign", "typecast", "unary_eq", "unary_ne", "where"),
)
# What the way to TTMetal calls beyond the operations of 2024-11-21.
LATER_CALLS = (
    *(f"{name}_binary_tile{end}" for name in _BINARY_FUNCTIONS for end in ("", "_init")),
    *(f"binary_{name}_tile{end}" for name in ("max", "min") for end in ("", "_init")),
    *(f"{name}_tile{end}" for name in _UNARY_FUNCTIONS for end in ("", "_init")),
    *("floor_tile", "ceil_tile", "rounding_op_tile_init", "mul_unary_tile", "binop_with_scalar_tile_init"),
    *("sub_tiles", "sub_tiles_init", "matmul_hw_startup", "matmul_init", "matmul_tiles", "reduce_uninit"),
    *("transpose_init", "transpose_tile", "unary_bcast_init", "unary_bcast", "unary_bcast_uninit"),
    *("reconfig_data_format_srca", "reconfig_data_format_srcb"),
)


class TTKernelMatmulHwStartupOp(TTKernelOperation, row=_from_the_table("matmul_hw_startup")):
    """Starts the units for products."""


_TILES = "in0_cb:cb in1_cb:cb in0_tile_index in1_tile_index dst_index"

_ROWS = (
    # Tiles in registers, without the buffers that they come from: kept from an older form of the dialect.
    _operation("add", "Add", "dst_index", "Adds the unpacked tiles into a register."),
    _operation("mul", "Mul", "dst_index", "Multiplies the unpacked tiles into a register."),
    _operation("sub", "Sub", "dst_index", "Subtracts the unpacked tiles into a register."),
    _operation("matmul", "Matmul", "dst_index", "Multiplies the unpacked tiles as matrices into a register."),
    _operation("pack", "Pack", "dst_index out_cb:cb out_index", "Packs a register into a circular buffer."),
    _operation(
        "pack_set_data_type",
        "PackSetDataType",
        "",
        "Sets the data type that is packed.",
        attributes=_data_types("data_type"),
    ),
    _operation("unpack_a", "UnpackA", "cb:cb src_index", "Unpacks one tile."),
    _operation(
        "unpack_ab",
        "UnpackAB",
        "cb_a:cb src_a_index cb_b:cb src_b_index",
        "Unpacks a tile of each of two buffers.",
    ),
    _operation(
        "unpack_set_data_type",
        "UnpackSetDataType",
        "",
        "Sets the data types that are unpacked.",
        attributes=_data_types("data_type_a", "data_type_b"),
    ),
    # Compute.
    _call("add_tiles_init", "AddTilesInit", "in0_cb:cb in1_cb:cb", "Prepares the addition of tiles."),
    _call("add_tiles", "AddTiles", _TILES, "Adds two tiles of circular buffers into a register."),
    _call("exp_tile_init", "ExpTileInit", "", "Prepares exponentials."),
    _call("exp_tile", "ExpTile", "tile_index", "Exponentials of a register, in place."),
    _call("mul_tiles_init", "MulTilesInit", "in0_cb:cb in1_cb:cb", "Prepares the multiplication of tiles."),
    _call("mul_tiles", "MulTiles", _TILES, "Multiplies two tiles of circular buffers into a register."),
    _call(
        "pack_tile",
        "PackTile",
        "dst_index out_cb:cb out_index",
        "Packs a register into a tile of a circular buffer.",
    ),
    _call("recip_tile_init", "RecipTileInit", "", "Prepares reciprocals."),
    _call("recip_tile", "RecipTile", "tile_index", "Reciprocals of a register, in place."),
    _call("tile_regs_acquire", "TileRegsAcquire", "", "Waits for the registers, for computing."),
    _call("tile_regs_commit", "TileRegsCommit", "", "Hands the registers over to the packer."),
    _call("tile_regs_wait", "TileRegsWait", "", "Waits for the registers, for packing."),
    _call("tile_regs_release", "TileRegsRelease", "", "Hands the registers back."),
    _in_kernel(
        "tilize_block",
        "TilizeBlock",
        "cbIn:cb numTiles cbOut:cb",
        "Makes tiles of rows.",
        kernel_function="tilize_block",
    ),
    # Circular buffers.
    *(
        _in_kernel(f"cb_{name}", class_name, "cb:cb numPages", summary, kernel_function=f"cb_{name}")
        for name, class_name, summary in (
            ("push_back", "CBPushBack", "Hands over pages that were written."),
            ("reserve_back", "CBReserveBack", "Waits for pages to write to."),
            ("wait_front", "CBWaitFront", "Waits for pages to read."),
        )
    ),
    _call(
        "get_write_ptr",
        "GetWritePtr",
        "cb:cb",
        "The address of the page that is written next.",
        result="writePtr",
    ),
    # The network on chip.
    _call("noc_async_read", "NocAsyncRead", "srcNocAddr:noc dstLocalL1Addr size", "Begins to read bytes."),
    _call("noc_async_read_barrier", "NocAsyncReadBarrier", "", "Waits for what is being read."),
    _call(
        "noc_async_read_one_packet_set_state",
        "NocAsyncReadOnePacketSetState",
        "srcNocAddr:noc size",
        "Prepares reading of packets of one size.",
    ),
    _call("noc_async_write", "NocAsyncWrite", "srcLocalL1Addr dstNocAddr:noc size", "Begins to write bytes."),
    _call("noc_async_write_barrier", "NocAsyncWriteBarrier", "", "Waits for what is being written."),
    # Structure.
    _operation("unreachable", "Unreachable", "", "Ends a block that is never left.", traits=_TERMINATOR),
    # After 2024-11-21.
    *(_from_the_table(name) for name in LATER_CALLS if name != "matmul_hw_startup"),
)

TTKERNEL = OperationTable("ttkernel", globals(), rows=_ROWS)
