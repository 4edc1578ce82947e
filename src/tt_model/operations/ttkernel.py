"""Operations of ``ttkernel`` in the text of TT-MLIR of 2024-11-21.

Most of them are calls of the kernel API, and so operations of ``ttl.dialects.ttkernel``: the operands, effect and C++
of a call are defined once, in ``ttl.kernel_api``. This module has the spelling of that date: names of operations and
operands, numbers as 32-bit integers, constants as attributes. A class made from a row derives from the class of the
call.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, ClassVar

from xdsl.ir import Operation, SSAValue

from tt_model.layouts.element_types import DTYPES
from tt_model.layouts.enums import DataType, ReduceDim, ReduceType
from tt_model.operations import kinds
from tt_model.operations.conditions import verify_regions
from tt_model.operations.fields import attribute, operand, operands
from tt_model.operations.operation import OperationTable, RowOperation, TTKernelOperation
from tt_model.operations.row import AttributeDefinition, OperandDefinition, ResultDefinition, Row, Trait
from ttl.dialects.ttkernel import KernelCallOp, class_of
from ttl.ir.refusals import Refused
from ttl.kernel_api import CallParameter, call

# The types of values in the text. An address in a core's own memory is a number; for ``local``, it may be an L1
# address, too.
_KINDS = MappingProxyType(
    {
        "index": kinds.INTEGER32,
        "l1": kinds.INTEGER32,
        "local": kinds.INTEGER32_OR_L1_ADDRESS,
        "cb": kinds.CIRCULAR_BUFFER,
        "noc": kinds.NOC_ADDRESS,
        "pointer": kinds.L1_ADDRESS_POINTER,
    }
)
# Constants in the table of the kernel API as attributes. Constants that it takes as bits are numbers here.
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
# Constants with another name in the text, and those that it lacks, with the values that the functions used then.
_REDUCTION = MappingProxyType({"pool": "reduce_type", "dim": "reduce_dim"})
_USUAL = MappingProxyType({"approx": False})
_WORDS = MappingProxyType(
    {
        ReduceType.Sum: "PoolType::SUM",
        ReduceType.Max: "PoolType::MAX",
        ReduceDim.Row: "ReduceDim::REDUCE_ROW",
        ReduceDim.Col: "ReduceDim::REDUCE_COL",
        ReduceDim.Scalar: "ReduceDim::REDUCE_SCALAR",
    }
)


class TTKernelCallOp(TTKernelOperation, KernelCallOp):
    """A call of the kernel API in the text of 2024-11-21, in generic form."""

    print = TTKernelOperation.print
    parse = TTKernelOperation.parse  # type: ignore[assignment]  # the generic form is read elsewhere

    @property
    def constants(self) -> dict[str, Any]:
        """The constants of the call by name. Raises ``Refused`` for constants that no function takes."""
        return {one.name: self._constant(one.name) for one in self.CALL.constants}

    def _constant(self, name: str) -> Any:
        given = self.ROW.attribute_named.get(_REDUCTION.get(name, name))
        if given is None:
            return _USUAL[name]
        value = self.value_of(given)
        match value:
            case ReduceDim.None_:
                dims = [one.keyword for one in _WORDS if isinstance(one, ReduceDim)]
                raise Refused(f"it reduces along '{value.keyword}'", f"what works: {', '.join(dims)}")
            case ReduceType() | ReduceDim():
                return _WORDS[value]
            case DataType() if value not in DTYPES:
                raise Refused(
                    f"'{name}' is {value.keyword}, which no register holds",
                    f"what works: {', '.join(dtype.keyword for dtype in DTYPES)}",
                )
            case DataType():
                return DTYPES[value]
        return value


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


class TTKernelUnreachableOp(TTKernelOperation, name="ttkernel.unreachable", traits=_TERMINATOR):
    """Ends a block that is never left."""


# Tiles in registers, without the buffers that they come from: kept from an older form of the dialect.


class TTKernelUnpackABOp(TTKernelOperation, name="ttkernel.unpack_ab"):
    """Unpacks a tile of each of two buffers."""

    left = operand(kinds.CIRCULAR_BUFFER, name="cb_a")
    left_index = operand(kinds.INTEGER32, name="src_a_index")
    right = operand(kinds.CIRCULAR_BUFFER, name="cb_b")
    right_index = operand(kinds.INTEGER32, name="src_b_index")


class UnpackedTilesOp(TTKernelOperation):
    """An operation on two tiles that were unpacked before. ``FUNCTION`` unpacks them and computes."""

    dst_index = operand(kinds.INTEGER32)
    FUNCTION: ClassVar[str]


class TTKernelAddOp(UnpackedTilesOp, name="ttkernel.add"):
    """Adds the unpacked tiles into a register."""

    FUNCTION = "add_tiles"


class TTKernelMulOp(UnpackedTilesOp, name="ttkernel.mul"):
    """Multiplies the unpacked tiles into a register."""

    FUNCTION = "mul_tiles"


class TTKernelSubOp(UnpackedTilesOp, name="ttkernel.sub"):
    """Subtracts the unpacked tiles into a register."""

    FUNCTION = "sub_tiles"


class TTKernelMatmulOp(UnpackedTilesOp, name="ttkernel.matmul"):
    """Multiplies the unpacked tiles as matrices into a register."""

    FUNCTION = "matmul_tiles"


class UncallableOp(TTKernelOperation):
    """An operation that no function of the kernel API performs.

    ``WHY_NOT`` is the reason, and what to write instead.
    """

    WHY_NOT: ClassVar[tuple[str, str]]


_FORMAT = "the kernel API takes the data type from the circular buffer, not as an argument"


class TTKernelPackSetDataTypeOp(UncallableOp, name="ttkernel.pack_set_data_type"):
    """Sets the data type for packing."""

    data_type = attribute(kinds.DATA_TYPE_NUMBER)
    WHY_NOT = (_FORMAT, "what works: 'ttkernel.pack_tile' into a circular buffer of that type")


class TTKernelUnpackAOp(UncallableOp, name="ttkernel.unpack_a"):
    """Unpacks one tile."""

    cb = operand(kinds.CIRCULAR_BUFFER)
    src_index = operand(kinds.INTEGER32)
    WHY_NOT = (
        "nothing in the dialect computes on one unpacked tile",
        "what works: 'ttkernel.copy_tile', which unpacks a tile and copies it into a register",
    )


class TTKernelUnpackSetDataTypeOp(UncallableOp, name="ttkernel.unpack_set_data_type"):
    """Sets the data types for unpacking."""

    data_type_a = attribute(kinds.DATA_TYPE_NUMBER)
    data_type_b = attribute(kinds.DATA_TYPE_NUMBER)
    WHY_NOT = (
        _FORMAT,
        "what works: tiles of circular buffers of these types, and 'ttkernel.reconfig_data_format_srca' and "
        "'ttkernel.reconfig_data_format_srcb' between them",
    )


def _class_name(mnemonic: str) -> str:
    return "".join(
        word.upper() if word in ("cb", "ab", "xy") else word.capitalize() for word in mnemonic.split("_")
    )


def _operands(words: str, taken: tuple[CallParameter, ...]) -> tuple[OperandDefinition, ...]:
    """The operands named by ``words``.

    A name may be followed by a colon and a kind, if that differs from the kind of the call's argument.
    """
    names = [word.partition(":") for word in words.split()]
    return tuple(
        OperandDefinition(name=name, kind=_KINDS[said or one.kind])
        for (name, _, said), one in zip(names, taken, strict=True)
    )


def _call(
    mnemonic: str,
    words: str,
    summary: str,
    *,
    of: str = "",
    class_name: str = "",
    result: str = "",
    in_kernel: bool = False,
    attributes: tuple[AttributeDefinition, ...] = (),
    doc: str = "",
) -> Row:
    """The row of a call of a function of the kernel API; ``of`` is the function's name if the text has another one.

    ``words`` names its operands, ``result`` its result. ``in_kernel``: it may only be in a kernel.
    """
    function = call(of or mnemonic)
    class_name = class_name or _class_name(mnemonic)
    kind = function.result
    return Row(
        name=f"ttkernel.{mnemonic}",
        class_name=class_name,
        summary=summary,
        doc=doc,
        operands=_operands(words, function.operands),
        attributes=attributes,
        results=() if kind is None else (ResultDefinition(name=result, kind=_KINDS[kind]),),
        verify=verify_regions.in_kernel(f"{class_name}Op") if in_kernel else (),
        kernel_function=function.name,
    )


def _later(name: str) -> Row:
    """The row of a call that is newer than 2024-11-21, with operands and constants of the kernel API's table.

    The constants are attributes.
    """
    function = call(name)
    return _call(
        name,
        " ".join(one.name for one in function.operands),
        function.doc[:1].upper() + function.doc[1:],
        attributes=tuple(
            AttributeDefinition(name=one.name, kind=_CONSTANT_KINDS[one.kind]) for one in function.constants
        ),
        doc="Not in the dialect of 2024-11-21: from the table of the kernel API, for operations that the TTMetal pipeline needs.",
    )


_BINARY_FUNCTIONS = ("add", "sub", "mul", "div", "eq", "ne", "lt", "le", "gt", "ge", "remainder")
_UNARY_FUNCTIONS = (
    *("abs", "negative", "expm1", "log", "log1p", "sqrt", "rsqrt", "sin", "cos", "relu"),
    *("leaky_relu", "gelu", "sigmoid", "clamp", "sign", "typecast", "unary_eq", "unary_ne", "where"),
)
# Operations that the conversion to TTMetal uses in addition to those of 2024-11-21.
LATER_CALLS = (
    *(f"{name}_binary_tile{end}" for name in _BINARY_FUNCTIONS for end in ("", "_init")),
    *(f"binary_{name}_tile{end}" for name in ("max", "min") for end in ("", "_init")),
    *(f"{name}_tile{end}" for name in _UNARY_FUNCTIONS for end in ("", "_init")),
    *("floor_tile", "ceil_tile", "rounding_op_tile_init", "mul_unary_tile", "binop_with_scalar_tile_init"),
    *("sub_tiles", "sub_tiles_init", "matmul_hw_startup", "matmul_init", "matmul_tiles", "reduce_uninit"),
    *("transpose_init", "transpose_tile", "unary_bcast_init", "unary_bcast", "unary_bcast_uninit"),
    *("reconfig_data_format_srca", "reconfig_data_format_srcb"),
)


_REDUCED = (
    AttributeDefinition(name="reduce_type", kind=kinds.REDUCE_TYPE),
    AttributeDefinition(name="reduce_dim", kind=kinds.REDUCE_DIM),
)
_TILES = "in0_cb in1_cb in0_tile_index in1_tile_index dst_index"

_ROWS = (
    _call("pack", "dst_index out_cb out_index", "Packs a register into a circular buffer.", of="pack_tile"),
    # Compute.
    _call("unary_op_init_common", "icb ocb", "Prepares operations on one buffer."),
    _call("binary_op_init_common", "in0_cb in1_cb out_cb", "Prepares operations on two buffers."),
    _call("copy_tile_init", "", "Prepares the copying of tiles.", of="copy_tile_init_of_any"),
    _call(
        "copy_tile", "cb0 tile_index_cb tile_index_dst", "Copies a tile of a circular buffer into a register."
    ),
    _call("add_tiles_init", "in0_cb in1_cb", "Prepares the addition of tiles."),
    _call("add_tiles", _TILES, "Adds two tiles of circular buffers into a register."),
    _call("exp_tile_init", "", "Prepares exponentials."),
    _call("exp_tile", "tile_index", "Exponentials of a register, in place."),
    _call("mul_tiles_init", "in0_cb in1_cb", "Prepares the multiplication of tiles."),
    _call("mul_tiles_init_f", "", "Prepares the multiplication of tiles, its arithmetic only."),
    _call("mul_tiles", _TILES, "Multiplies two tiles of circular buffers into a register."),
    _call("pack_tile", "dst_index out_cb out_index", "Packs a register into a tile of a circular buffer."),
    _call("recip_tile_init", "", "Prepares reciprocals."),
    _call("recip_tile", "tile_index", "Reciprocals of a register, in place."),
    _call("reduce_init", "in_cb scaling_cb out_cb", "Prepares a reduction of tiles.", attributes=_REDUCED),
    _call(
        "reduce_tile",
        "in_cb scaling_cb in_tile_index scaling_tile_index dst_index",
        "Reduces a tile into a register, each element times the scaling.",
        attributes=_REDUCED,
    ),
    _call("tile_regs_acquire", "", "Waits for the registers, for computing."),
    _call("tile_regs_commit", "", "Hands the registers over to the packer."),
    _call("tile_regs_wait", "", "Waits for the registers, for packing."),
    _call("tile_regs_release", "", "Hands the registers back."),
    _call("tilize_init", "cbIn numTiles cbOut", "Prepares the conversion of rows to tiles.", in_kernel=True),
    _call("tilize_block", "cbIn numTiles cbOut", "Makes tiles of rows.", in_kernel=True),
    _call("untilize_init", "cbIn cbOut", "Prepares the conversion of tiles to rows.", in_kernel=True),
    _call("untilize_block", "cbIn numTiles cbOut", "Makes rows of tiles.", in_kernel=True),
    # Circular buffers.
    _call("cb_pop_front", "cb numPages", "Frees pages that were read.", in_kernel=True),
    _call("cb_push_back", "cb numPages", "Hands over pages that were written.", in_kernel=True),
    _call("cb_reserve_back", "cb numPages", "Waits for pages to write to.", in_kernel=True),
    _call("cb_wait_front", "cb numPages", "Waits for pages to read.", in_kernel=True),
    _call("get_write_ptr", "cb", "The address of the page that is written next.", result="writePtr"),
    # The network on chip.
    _call(
        "get_noc_addr",
        "l1Address",
        "The address of the own memory on the network.",
        of="get_noc_addr_local",
        result="nocAddr",
    ),
    _call(
        "get_noc_addr_xy",
        "x y l1Address",
        "The address of the memory of a core on the network.",
        result="nocAddr",
    ),
    _call("noc_async_read", "srcNocAddr dstLocalL1Addr size", "Begins to read bytes."),
    _call("noc_async_read_barrier", "", "Waits until reads have completed."),
    _call(
        "noc_async_read_one_packet_set_state", "srcNocAddr size", "Prepares reading of packets of one size."
    ),
    _call(
        "noc_async_read_one_packet_with_state",
        "srcNocAddr:noc dstLocalL1Addr:local",
        "Starts to read a packet as prepared.",
    ),
    _call("noc_async_write", "srcLocalL1Addr dstNocAddr size", "Begins to write bytes."),
    _call("noc_async_write_barrier", "", "Waits until writes have completed."),
    # Memory.
    _call(
        "mem_zeros_base", "", "The address of memory that holds zeros.", of="zeros_address", result="result"
    ),
    _call(
        "mem_zeros_size",
        "",
        "The number of bytes of memory that hold zeros.",
        of="zeros_size",
        result="result",
    ),
    _call(
        "reinterpret_cast<volatile tt_l1_ptr uint32_t*>",
        "addr:local",
        "An address as a pointer.",
        of="reinterpret_l1",
        class_name="CastToL1Ptr",
        result="l1_ptr",
    ),
    _call("store_to_l1", "value l1_ptr offset", "Writes a number; `offset` counts words."),
    # After 2024-11-21.
    *map(_later, LATER_CALLS),
)


def _class_of_row(row: Row) -> type[RowOperation]:
    """The class of the call that a row describes."""
    assert row.kernel_function is not None
    bases = (TTKernelCallOp, class_of(row.kernel_function))
    namespace = {"__doc__": row.summary, "__module__": __name__}
    kind: type[RowOperation] = type(f"TTKernel{row.class_name}Op", bases, namespace, row=row)
    return kind


TTKERNEL = OperationTable("ttkernel", globals(), rows=_ROWS, make=_class_of_row)


def combined_call(op: Operation) -> tuple[str, tuple[SSAValue, ...]] | None:
    """Return the function that unpacks two tiles and computes on them, and its operands.

    These are returned for the operation that computes. The result is None for the operation that unpacks, which is
    part of that call. Raises ``Refused`` if either of the two is without the other, and for operations that no
    function performs.
    """
    match op:
        case TTKernelUnpackABOp():
            if not isinstance(_next_of_pair(op, is_before=False), UnpackedTilesOp):
                raise Refused(
                    "nothing in its block computes on the tiles that it unpacks",
                    "what works: 'ttkernel.add', 'sub', 'mul' or 'matmul' behind it",
                )
            return None
        case UnpackedTilesOp():
            unpack = _next_of_pair(op, is_before=True)
            if not isinstance(unpack, TTKernelUnpackABOp):
                raise Refused(
                    "no tiles are unpacked for it in its block",
                    "what works: one 'ttkernel.unpack_ab' before each operation on unpacked tiles",
                )
            return op.FUNCTION, (
                unpack.left,
                unpack.right,
                unpack.left_index,
                unpack.right_index,
                *op.operands,
            )
        case UncallableOp():
            raise Refused(*op.WHY_NOT)
    raise Refused(
        "no function of the kernel API does it", "what works: operations on tiles of circular buffers"
    )


def _next_of_pair(op: Operation, *, is_before: bool) -> Operation | None:
    """The nearest operation before or after in the block that unpacks two tiles, or computes on unpacked tiles."""
    at = op.prev_op if is_before else op.next_op
    while at is not None and not isinstance(at, TTKernelUnpackABOp | UnpackedTilesOp):
        at = at.prev_op if is_before else at.next_op
    return at
