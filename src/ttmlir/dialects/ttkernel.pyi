"""The operations of ``ttkernel``. Written by scripts/update_ttmlir_stubs.py from the rows."""

from collections.abc import Sequence
from typing import Any

from ttmlir.bindings import ttkernel_ir
from ttmlir.bindings.operations import Operation, OpResultList, OpView, Value
from ttmlir.bindings.registration import register_dialect as register_dialect
from ttmlir.bindings.scope import InsertionPoint, Location
from ttmlir.bindings.types import Type

_Value = Value | Operation | OpView
ir = ttkernel_ir

class AbsTileOp(OpView):
    """Absolute value."""

    def __init__(
        self,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...

def abs_tile(
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class AbsTileInitOp(OpView):
    """Before abs_tile, abs_tile_int32."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def abs_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class AddOp(OpView):
    """Adds the unpacked tiles into a register."""

    def __init__(
        self,
        dst_index: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def dst_index(self) -> Value: ...

def add(
    dst_index: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class AddBinaryTileOp(OpView):
    """Sum, element by element."""

    def __init__(
        self,
        d0: _Value,
        d1: _Value,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d0(self) -> Value: ...
    @property
    def d1(self) -> Value: ...
    @property
    def d(self) -> Value: ...

def add_binary_tile(
    d0: _Value,
    d1: _Value,
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class AddBinaryTileInitOp(OpView):
    """Before add_binary_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def add_binary_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class AddTilesOp(OpView):
    """Adds two tiles of circular buffers into a register."""

    def __init__(
        self,
        in0_cb: _Value,
        in1_cb: _Value,
        in0_tile_index: _Value,
        in1_tile_index: _Value,
        dst_index: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def in0_cb(self) -> Value: ...
    @property
    def in1_cb(self) -> Value: ...
    @property
    def in0_tile_index(self) -> Value: ...
    @property
    def in1_tile_index(self) -> Value: ...
    @property
    def dst_index(self) -> Value: ...

def add_tiles(
    in0_cb: _Value,
    in1_cb: _Value,
    in0_tile_index: _Value,
    in1_tile_index: _Value,
    dst_index: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class AddTilesInitOp(OpView):
    """Prepares the addition of tiles."""

    def __init__(
        self,
        in0_cb: _Value,
        in1_cb: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def in0_cb(self) -> Value: ...
    @property
    def in1_cb(self) -> Value: ...

def add_tiles_init(
    in0_cb: _Value,
    in1_cb: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class BinaryMaxTileOp(OpView):
    """The larger of two, element by element."""

    def __init__(
        self,
        d0: _Value,
        d1: _Value,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d0(self) -> Value: ...
    @property
    def d1(self) -> Value: ...
    @property
    def d(self) -> Value: ...

def binary_max_tile(
    d0: _Value,
    d1: _Value,
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class BinaryMaxTileInitOp(OpView):
    """Before binary_max_tile, binary_max_tile_by_faces."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def binary_max_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class BinaryMinTileOp(OpView):
    """The smaller of two, element by element."""

    def __init__(
        self,
        d0: _Value,
        d1: _Value,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d0(self) -> Value: ...
    @property
    def d1(self) -> Value: ...
    @property
    def d(self) -> Value: ...

def binary_min_tile(
    d0: _Value,
    d1: _Value,
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class BinaryMinTileInitOp(OpView):
    """Before binary_min_tile, binary_min_tile_by_faces."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def binary_min_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class BinaryOpInitCommonOp(OpView):
    """Prepares operations on two buffers."""

    def __init__(
        self,
        in0_cb: _Value,
        in1_cb: _Value,
        out_cb: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def in0_cb(self) -> Value: ...
    @property
    def in1_cb(self) -> Value: ...
    @property
    def out_cb(self) -> Value: ...

def binary_op_init_common(
    in0_cb: _Value,
    in1_cb: _Value,
    out_cb: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class BinopWithScalarTileInitOp(OpView):
    """Before add_unary_tile, add_unary_tile_by_value, add_unary_tile_int32, add_unary_tile_int32_by_value, sub_unary_tile, sub_unary_tile_by_value, sub_unary_tile_int32, sub_unary_tile_int32_by_value, mul_unary_tile, mul_unary_tile_by_value, rsub_unary_tile, rsub_unary_tile_by_value."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def binop_with_scalar_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class BuiltinOp(OpView):
    """Calls a kernel by its name."""

    def __init__(
        self,
        args: Sequence[_Value],
        op: Any,
        kind: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def args(self) -> OpResultList: ...
    op: Any
    kind: Any

def builtin(
    args: Sequence[_Value],
    op: Any,
    kind: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class CBPopFrontOp(OpView):
    """Frees pages that were read."""

    def __init__(
        self,
        cb: _Value,
        numPages: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def cb(self) -> Value: ...
    @property
    def numPages(self) -> Value: ...

def cb_pop_front(
    cb: _Value,
    num_pages: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class CBPushBackOp(OpView):
    """Hands over pages that were written."""

    def __init__(
        self,
        cb: _Value,
        numPages: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def cb(self) -> Value: ...
    @property
    def numPages(self) -> Value: ...

def cb_push_back(
    cb: _Value,
    num_pages: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class CBReserveBackOp(OpView):
    """Waits for pages to write to."""

    def __init__(
        self,
        cb: _Value,
        numPages: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def cb(self) -> Value: ...
    @property
    def numPages(self) -> Value: ...

def cb_reserve_back(
    cb: _Value,
    num_pages: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class CBWaitFrontOp(OpView):
    """Waits for pages to read."""

    def __init__(
        self,
        cb: _Value,
        numPages: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def cb(self) -> Value: ...
    @property
    def numPages(self) -> Value: ...

def cb_wait_front(
    cb: _Value,
    num_pages: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class CeilTileOp(OpView):
    """Rounded up."""

    def __init__(
        self,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...

def ceil_tile(
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ClampTileOp(OpView):
    """X limited to min .. max."""

    def __init__(
        self,
        d: _Value,
        min: Any,
        max: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...
    min: Any
    max: Any

def clamp_tile(
    d: _Value,
    min: Any,
    max: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ClampTileInitOp(OpView):
    """Before clamp_tile, clamp_tile_int32."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def clamp_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class CopyTileOp(OpView):
    """Copies a tile of a circular buffer into a register."""

    def __init__(
        self,
        cb0: _Value,
        tile_index_cb: _Value,
        tile_index_dst: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def cb0(self) -> Value: ...
    @property
    def tile_index_cb(self) -> Value: ...
    @property
    def tile_index_dst(self) -> Value: ...

def copy_tile(
    cb0: _Value,
    tile_index_cb: _Value,
    tile_index_dst: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class CopyTileInitOp(OpView):
    """Prepares the copying of tiles."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def copy_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class CosTileOp(OpView):
    """Cosine."""

    def __init__(
        self,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...

def cos_tile(
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class CosTileInitOp(OpView):
    """Before cos_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def cos_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class DivBinaryTileOp(OpView):
    """Quotient, element by element."""

    def __init__(
        self,
        d0: _Value,
        d1: _Value,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d0(self) -> Value: ...
    @property
    def d1(self) -> Value: ...
    @property
    def d(self) -> Value: ...

def div_binary_tile(
    d0: _Value,
    d1: _Value,
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class DivBinaryTileInitOp(OpView):
    """Before div_binary_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def div_binary_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class EqBinaryTileOp(OpView):
    """1 where the first is equal, else 0, element by element."""

    def __init__(
        self,
        d0: _Value,
        d1: _Value,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d0(self) -> Value: ...
    @property
    def d1(self) -> Value: ...
    @property
    def d(self) -> Value: ...

def eq_binary_tile(
    d0: _Value,
    d1: _Value,
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class EqBinaryTileInitOp(OpView):
    """Before eq_binary_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def eq_binary_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ExpTileOp(OpView):
    """Exponentials of a register, in place."""

    def __init__(
        self,
        tile_index: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def tile_index(self) -> Value: ...

def exp_tile(
    tile_index: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ExpTileInitOp(OpView):
    """Prepares exponentials."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def exp_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class Expm1TileOp(OpView):
    """Exp(x) - 1, exact also near 0."""

    def __init__(
        self,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...

def expm1_tile(
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class Expm1TileInitOp(OpView):
    """Before expm1_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def expm1_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class FloorTileOp(OpView):
    """Rounded down."""

    def __init__(
        self,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...

def floor_tile(
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class GeBinaryTileOp(OpView):
    """1 where the first is greater or equal, else 0, element by element."""

    def __init__(
        self,
        d0: _Value,
        d1: _Value,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d0(self) -> Value: ...
    @property
    def d1(self) -> Value: ...
    @property
    def d(self) -> Value: ...

def ge_binary_tile(
    d0: _Value,
    d1: _Value,
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class GeBinaryTileInitOp(OpView):
    """Before ge_binary_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def ge_binary_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class GeluTileOp(OpView):
    """Gaussian error linear unit: x times the normal distribution's integral up to x."""

    def __init__(
        self,
        d: _Value,
        approximate: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...
    approximate: Any

def gelu_tile(
    d: _Value,
    approximate: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class GeluTileInitOp(OpView):
    """Before gelu_tile."""

    def __init__(
        self,
        approximate: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    approximate: Any

def gelu_tile_init(
    approximate: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class GetNocAddrOp(OpView):
    """The address of the own memory on the network."""

    def __init__(
        self,
        nocAddr: Type,
        l1Address: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def l1Address(self) -> Value: ...
    @property
    def nocAddr(self) -> Value: ...

def get_noc_addr(
    noc_addr: Type,
    l1_address: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class GetNocAddrXYOp(OpView):
    """The address of the memory of a core on the network."""

    def __init__(
        self,
        nocAddr: Type,
        x: _Value,
        y: _Value,
        l1Address: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def x(self) -> Value: ...
    @property
    def y(self) -> Value: ...
    @property
    def l1Address(self) -> Value: ...
    @property
    def nocAddr(self) -> Value: ...

def get_noc_addr_xy(
    noc_addr: Type,
    x: _Value,
    y: _Value,
    l1_address: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class GetWritePtrOp(OpView):
    """The address of the page that is written next."""

    def __init__(
        self,
        writePtr: Type,
        cb: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def cb(self) -> Value: ...
    @property
    def writePtr(self) -> Value: ...

def get_write_ptr(
    write_ptr: Type,
    cb: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class GtBinaryTileOp(OpView):
    """1 where the first is greater, else 0, element by element."""

    def __init__(
        self,
        d0: _Value,
        d1: _Value,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d0(self) -> Value: ...
    @property
    def d1(self) -> Value: ...
    @property
    def d(self) -> Value: ...

def gt_binary_tile(
    d0: _Value,
    d1: _Value,
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class GtBinaryTileInitOp(OpView):
    """Before gt_binary_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def gt_binary_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class LeBinaryTileOp(OpView):
    """1 where the first is less or equal, else 0, element by element."""

    def __init__(
        self,
        d0: _Value,
        d1: _Value,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d0(self) -> Value: ...
    @property
    def d1(self) -> Value: ...
    @property
    def d(self) -> Value: ...

def le_binary_tile(
    d0: _Value,
    d1: _Value,
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class LeBinaryTileInitOp(OpView):
    """Before le_binary_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def le_binary_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class LeakyReluTileOp(OpView):
    """X, or slope * x for negative x."""

    def __init__(
        self,
        d: _Value,
        slope: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...
    slope: Any

def leaky_relu_tile(
    d: _Value,
    slope: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class LeakyReluTileInitOp(OpView):
    """Before leaky_relu_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def leaky_relu_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class Log1pTileOp(OpView):
    """Log(x + 1), exact also near 0."""

    def __init__(
        self,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...

def log1p_tile(
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class Log1pTileInitOp(OpView):
    """Before log1p_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def log1p_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class LogTileOp(OpView):
    """Natural logarithm."""

    def __init__(
        self,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...

def log_tile(
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class LogTileInitOp(OpView):
    """Before log_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def log_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class LtBinaryTileOp(OpView):
    """1 where the first is less, else 0, element by element."""

    def __init__(
        self,
        d0: _Value,
        d1: _Value,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d0(self) -> Value: ...
    @property
    def d1(self) -> Value: ...
    @property
    def d(self) -> Value: ...

def lt_binary_tile(
    d0: _Value,
    d1: _Value,
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class LtBinaryTileInitOp(OpView):
    """Before lt_binary_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def lt_binary_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MatmulOp(OpView):
    """Multiplies the unpacked tiles as matrices into a register."""

    def __init__(
        self,
        dst_index: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def dst_index(self) -> Value: ...

def matmul(
    dst_index: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MatmulHwStartupOp(OpView):
    """The same where the first unit is the matrix unit, whose sources are swapped."""

    def __init__(
        self,
        in0: _Value,
        in1: _Value,
        out: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def in0(self) -> Value: ...
    @property
    def in1(self) -> Value: ...
    @property
    def out(self) -> Value: ...

def matmul_hw_startup(
    in0: _Value,
    in1: _Value,
    out: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MatmulInitOp(OpView):
    """Before matmul_tiles."""

    def __init__(
        self,
        in0: _Value,
        in1: _Value,
        transpose: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def in0(self) -> Value: ...
    @property
    def in1(self) -> Value: ...
    transpose: Any

def matmul_init(
    in0: _Value,
    in1: _Value,
    transpose: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MatmulTilesOp(OpView):
    """Product of two tiles, added to a register."""

    def __init__(
        self,
        in0: _Value,
        in1: _Value,
        i: _Value,
        j: _Value,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def in0(self) -> Value: ...
    @property
    def in1(self) -> Value: ...
    @property
    def i(self) -> Value: ...
    @property
    def j(self) -> Value: ...
    @property
    def d(self) -> Value: ...

def matmul_tiles(
    in0: _Value,
    in1: _Value,
    i: _Value,
    j: _Value,
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MemZerosBaseOp(OpView):
    """The address of memory that holds zeros."""

    def __init__(
        self,
        result: Type,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def mem_zeros_base(
    result: Type,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MemZerosSizeOp(OpView):
    """How many bytes of memory hold zeros."""

    def __init__(
        self,
        result: Type,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def mem_zeros_size(
    result: Type,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MulOp(OpView):
    """Multiplies the unpacked tiles into a register."""

    def __init__(
        self,
        dst_index: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def dst_index(self) -> Value: ...

def mul(
    dst_index: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MulBinaryTileOp(OpView):
    """Product, element by element."""

    def __init__(
        self,
        d0: _Value,
        d1: _Value,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d0(self) -> Value: ...
    @property
    def d1(self) -> Value: ...
    @property
    def d(self) -> Value: ...

def mul_binary_tile(
    d0: _Value,
    d1: _Value,
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MulBinaryTileInitOp(OpView):
    """Before mul_binary_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def mul_binary_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MulTilesOp(OpView):
    """Multiplies two tiles of circular buffers into a register."""

    def __init__(
        self,
        in0_cb: _Value,
        in1_cb: _Value,
        in0_tile_index: _Value,
        in1_tile_index: _Value,
        dst_index: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def in0_cb(self) -> Value: ...
    @property
    def in1_cb(self) -> Value: ...
    @property
    def in0_tile_index(self) -> Value: ...
    @property
    def in1_tile_index(self) -> Value: ...
    @property
    def dst_index(self) -> Value: ...

def mul_tiles(
    in0_cb: _Value,
    in1_cb: _Value,
    in0_tile_index: _Value,
    in1_tile_index: _Value,
    dst_index: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MulTilesInitOp(OpView):
    """Prepares the multiplication of tiles."""

    def __init__(
        self,
        in0_cb: _Value,
        in1_cb: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def in0_cb(self) -> Value: ...
    @property
    def in1_cb(self) -> Value: ...

def mul_tiles_init(
    in0_cb: _Value,
    in1_cb: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MulTilesInitFOp(OpView):
    """Prepares the multiplication of tiles, its arithmetic only."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def mul_tiles_init_f(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class MulUnaryTileOp(OpView):
    """Product, element by element."""

    def __init__(
        self,
        d: _Value,
        b: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...
    b: Any

def mul_unary_tile(
    d: _Value,
    b: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class NeBinaryTileOp(OpView):
    """1 where the first is different, else 0, element by element."""

    def __init__(
        self,
        d0: _Value,
        d1: _Value,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d0(self) -> Value: ...
    @property
    def d1(self) -> Value: ...
    @property
    def d(self) -> Value: ...

def ne_binary_tile(
    d0: _Value,
    d1: _Value,
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class NeBinaryTileInitOp(OpView):
    """Before ne_binary_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def ne_binary_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class NegativeTileOp(OpView):
    """Negation."""

    def __init__(
        self,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...

def negative_tile(
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class NegativeTileInitOp(OpView):
    """Before negative_tile, negative_tile_int32."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def negative_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class NocAsyncReadOp(OpView):
    """Begins to read bytes."""

    def __init__(
        self,
        srcNocAddr: _Value,
        dstLocalL1Addr: _Value,
        size: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def srcNocAddr(self) -> Value: ...
    @property
    def dstLocalL1Addr(self) -> Value: ...
    @property
    def size(self) -> Value: ...

def noc_async_read(
    src_noc_addr: _Value,
    dst_local_l1_addr: _Value,
    size: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class NocAsyncReadBarrierOp(OpView):
    """Waits for what is being read."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def noc_async_read_barrier(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class NocAsyncReadOnePacketSetStateOp(OpView):
    """Prepares reading of packets of one size."""

    def __init__(
        self,
        srcNocAddr: _Value,
        size: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def srcNocAddr(self) -> Value: ...
    @property
    def size(self) -> Value: ...

def noc_async_read_one_packet_set_state(
    src_noc_addr: _Value,
    size: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class NocAsyncReadOnePacketWithStateOp(OpView):
    """Begins to read a packet as prepared."""

    def __init__(
        self,
        srcNocAddr: _Value,
        dstLocalL1Addr: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def srcNocAddr(self) -> Value: ...
    @property
    def dstLocalL1Addr(self) -> Value: ...

def noc_async_read_one_packet_with_state(
    src_noc_addr: _Value,
    dst_local_l1_addr: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class NocAsyncWriteOp(OpView):
    """Begins to write bytes."""

    def __init__(
        self,
        srcLocalL1Addr: _Value,
        dstNocAddr: _Value,
        size: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def srcLocalL1Addr(self) -> Value: ...
    @property
    def dstNocAddr(self) -> Value: ...
    @property
    def size(self) -> Value: ...

def noc_async_write(
    src_local_l1_addr: _Value,
    dst_noc_addr: _Value,
    size: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class NocAsyncWriteBarrierOp(OpView):
    """Waits for what is being written."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def noc_async_write_barrier(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class PackOp(OpView):
    """Packs a register into a circular buffer."""

    def __init__(
        self,
        dst_index: _Value,
        out_cb: _Value,
        out_index: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def dst_index(self) -> Value: ...
    @property
    def out_cb(self) -> Value: ...
    @property
    def out_index(self) -> Value: ...

def pack(
    dst_index: _Value,
    out_cb: _Value,
    out_index: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class PackSetDataTypeOp(OpView):
    """Sets the data type that is packed."""

    def __init__(
        self,
        data_type: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    data_type: Any

def pack_set_data_type(
    data_type: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class PackTileOp(OpView):
    """Packs a register into a tile of a circular buffer."""

    def __init__(
        self,
        dst_index: _Value,
        out_cb: _Value,
        out_index: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def dst_index(self) -> Value: ...
    @property
    def out_cb(self) -> Value: ...
    @property
    def out_index(self) -> Value: ...

def pack_tile(
    dst_index: _Value,
    out_cb: _Value,
    out_index: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class RecipTileOp(OpView):
    """Reciprocals of a register, in place."""

    def __init__(
        self,
        tile_index: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def tile_index(self) -> Value: ...

def recip_tile(
    tile_index: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class RecipTileInitOp(OpView):
    """Prepares reciprocals."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def recip_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ReconfigDataFormatSrcaOp(OpView):
    """The first unpacker reads the format of another buffer."""

    def __init__(
        self,
        srca: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def srca(self) -> Value: ...

def reconfig_data_format_srca(
    srca: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ReconfigDataFormatSrcbOp(OpView):
    """The second unpacker reads the format of another buffer."""

    def __init__(
        self,
        srcb: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def srcb(self) -> Value: ...

def reconfig_data_format_srcb(
    srcb: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ReduceInitOp(OpView):
    """Prepares a reduction of tiles."""

    def __init__(
        self,
        in_cb: _Value,
        scaling_cb: _Value,
        out_cb: _Value,
        reduce_type: Any,
        reduce_dim: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def in_cb(self) -> Value: ...
    @property
    def scaling_cb(self) -> Value: ...
    @property
    def out_cb(self) -> Value: ...
    reduce_type: Any
    reduce_dim: Any

def reduce_init(
    in_cb: _Value,
    scaling_cb: _Value,
    out_cb: _Value,
    reduce_type: Any,
    reduce_dim: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ReduceTileOp(OpView):
    """Reduces a tile into a register, each element times the scaling."""

    def __init__(
        self,
        in_cb: _Value,
        scaling_cb: _Value,
        in_tile_index: _Value,
        scaling_tile_index: _Value,
        dst_index: _Value,
        reduce_type: Any,
        reduce_dim: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def in_cb(self) -> Value: ...
    @property
    def scaling_cb(self) -> Value: ...
    @property
    def in_tile_index(self) -> Value: ...
    @property
    def scaling_tile_index(self) -> Value: ...
    @property
    def dst_index(self) -> Value: ...
    reduce_type: Any
    reduce_dim: Any

def reduce_tile(
    in_cb: _Value,
    scaling_cb: _Value,
    in_tile_index: _Value,
    scaling_tile_index: _Value,
    dst_index: _Value,
    reduce_type: Any,
    reduce_dim: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ReduceUninitOp(OpView):
    """After reductions."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def reduce_uninit(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class CastToL1PtrOp(OpView):
    """An address as a pointer."""

    def __init__(
        self,
        l1_ptr: Type,
        addr: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def addr(self) -> Value: ...
    @property
    def l1_ptr(self) -> Value: ...

def reinterpret_cast_volatile_tt_l1_ptr_uint32_t(
    l1_ptr: Type,
    addr: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ReluTileOp(OpView):
    """Rectifier: max(x, 0)."""

    def __init__(
        self,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...

def relu_tile(
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ReluTileInitOp(OpView):
    """Before relu_tile, relu_tile_int32."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def relu_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class RemainderBinaryTileOp(OpView):
    """Remainder with the sign of the divisor, element by element."""

    def __init__(
        self,
        d0: _Value,
        d1: _Value,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d0(self) -> Value: ...
    @property
    def d1(self) -> Value: ...
    @property
    def d(self) -> Value: ...

def remainder_binary_tile(
    d0: _Value,
    d1: _Value,
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class RemainderBinaryTileInitOp(OpView):
    """Before remainder_binary_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def remainder_binary_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class ReturnOp(OpView):
    """Ends a kernel."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def return_(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class RoundingOpTileInitOp(OpView):
    """Before frac_tile, trunc_tile, round_tile, floor_tile, ceil_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def rounding_op_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class RsqrtTileOp(OpView):
    """Reciprocal square root, 1 / sqrt(x)."""

    def __init__(
        self,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...

def rsqrt_tile(
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class RsqrtTileInitOp(OpView):
    """Before rsqrt_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def rsqrt_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SigmoidTileOp(OpView):
    """1 / (1 + exp(-x))."""

    def __init__(
        self,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...

def sigmoid_tile(
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SigmoidTileInitOp(OpView):
    """Before sigmoid_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def sigmoid_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SignTileOp(OpView):
    """1 for positive, -1 for negative elements, 0 for zero."""

    def __init__(
        self,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...

def sign_tile(
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SignTileInitOp(OpView):
    """Before sign_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def sign_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SinTileOp(OpView):
    """Sine."""

    def __init__(
        self,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...

def sin_tile(
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SinTileInitOp(OpView):
    """Before sin_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def sin_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SqrtTileOp(OpView):
    """Square root."""

    def __init__(
        self,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...

def sqrt_tile(
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SqrtTileInitOp(OpView):
    """Before sqrt_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def sqrt_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class StoreToL1Op(OpView):
    """Writes a number; `offset` counts words."""

    def __init__(
        self,
        value: _Value,
        l1_ptr: _Value,
        offset: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def value(self) -> Value: ...
    @property
    def l1_ptr(self) -> Value: ...
    @property
    def offset(self) -> Value: ...

def store_to_l1(
    value: _Value,
    l1_ptr: _Value,
    offset: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SubOp(OpView):
    """Subtracts the unpacked tiles into a register."""

    def __init__(
        self,
        dst_index: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def dst_index(self) -> Value: ...

def sub(
    dst_index: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SubBinaryTileOp(OpView):
    """Difference, element by element."""

    def __init__(
        self,
        d0: _Value,
        d1: _Value,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d0(self) -> Value: ...
    @property
    def d1(self) -> Value: ...
    @property
    def d(self) -> Value: ...

def sub_binary_tile(
    d0: _Value,
    d1: _Value,
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SubBinaryTileInitOp(OpView):
    """Before sub_binary_tile."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def sub_binary_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SubTilesOp(OpView):
    """Difference of tile i of one buffer and tile j of another."""

    def __init__(
        self,
        in0: _Value,
        in1: _Value,
        i: _Value,
        j: _Value,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def in0(self) -> Value: ...
    @property
    def in1(self) -> Value: ...
    @property
    def i(self) -> Value: ...
    @property
    def j(self) -> Value: ...
    @property
    def d(self) -> Value: ...

def sub_tiles(
    in0: _Value,
    in1: _Value,
    i: _Value,
    j: _Value,
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class SubTilesInitOp(OpView):
    """Before sub_tiles."""

    def __init__(
        self,
        in0: _Value,
        in1: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def in0(self) -> Value: ...
    @property
    def in1(self) -> Value: ...

def sub_tiles_init(
    in0: _Value,
    in1: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class TileRegsAcquireOp(OpView):
    """Waits for the registers, for computing."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def tile_regs_acquire(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class TileRegsCommitOp(OpView):
    """Hands the registers over to the packer."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def tile_regs_commit(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class TileRegsReleaseOp(OpView):
    """Hands the registers back."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def tile_regs_release(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class TileRegsWaitOp(OpView):
    """Waits for the registers, for packing."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def tile_regs_wait(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class TilizeBlockOp(OpView):
    """Makes tiles of rows."""

    def __init__(
        self,
        cbIn: _Value,
        numTiles: _Value,
        cbOut: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def cbIn(self) -> Value: ...
    @property
    def numTiles(self) -> Value: ...
    @property
    def cbOut(self) -> Value: ...

def tilize_block(
    cb_in: _Value,
    num_tiles: _Value,
    cb_out: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class TilizeInitOp(OpView):
    """Prepares the making of tiles from rows."""

    def __init__(
        self,
        cbIn: _Value,
        numTiles: _Value,
        cbOut: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def cbIn(self) -> Value: ...
    @property
    def numTiles(self) -> Value: ...
    @property
    def cbOut(self) -> Value: ...

def tilize_init(
    cb_in: _Value,
    num_tiles: _Value,
    cb_out: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class TransposeInitOp(OpView):
    """Before transpose_tile."""

    def __init__(
        self,
        cb: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def cb(self) -> Value: ...

def transpose_init(
    cb: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class TransposeTileOp(OpView):
    """A tile, transposed, into a register."""

    def __init__(
        self,
        cb: _Value,
        i: _Value,
        d: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def cb(self) -> Value: ...
    @property
    def i(self) -> Value: ...
    @property
    def d(self) -> Value: ...

def transpose_tile(
    cb: _Value,
    i: _Value,
    d: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class TypecastTileOp(OpView):
    """Converted to another element type."""

    def __init__(
        self,
        d: _Value,
        in_format: Any,
        out_format: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...
    in_format: Any
    out_format: Any

def typecast_tile(
    d: _Value,
    in_format: Any,
    out_format: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class TypecastTileInitOp(OpView):
    """Before typecast_tile."""

    def __init__(
        self,
        in_format: Any,
        out_format: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    in_format: Any
    out_format: Any

def typecast_tile_init(
    in_format: Any,
    out_format: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class UnaryBcastOp(OpView):
    """The first row, column or element of a tile, repeated."""

    def __init__(
        self,
        in_: _Value,
        i: _Value,
        d: _Value,
        how: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def in_(self) -> Value: ...
    @property
    def i(self) -> Value: ...
    @property
    def d(self) -> Value: ...
    how: Any

def unary_bcast(
    in_: _Value,
    i: _Value,
    d: _Value,
    how: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class UnaryBcastInitOp(OpView):
    """Before unary_bcast, of buffers that are not unpacked to the registers."""

    def __init__(
        self,
        in_: _Value,
        out: _Value,
        how: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def in_(self) -> Value: ...
    @property
    def out(self) -> Value: ...
    how: Any

def unary_bcast_init(
    in_: _Value,
    out: _Value,
    how: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class UnaryBcastUninitOp(OpView):
    """After unary_bcast."""

    def __init__(
        self,
        in_: _Value,
        how: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def in_(self) -> Value: ...
    how: Any

def unary_bcast_uninit(
    in_: _Value,
    how: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class UnaryEqTileOp(OpView):
    """1 where the first is equal, else 0, element by element."""

    def __init__(
        self,
        d: _Value,
        b: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...
    b: Any

def unary_eq_tile(
    d: _Value,
    b: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class UnaryEqTileInitOp(OpView):
    """Before unary_eq_tile, unary_eq_tile_by_value, unary_eq_tile_int32, unary_eq_tile_int32_by_value."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def unary_eq_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class UnaryNeTileOp(OpView):
    """1 where the first is different, else 0, element by element."""

    def __init__(
        self,
        d: _Value,
        b: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d(self) -> Value: ...
    b: Any

def unary_ne_tile(
    d: _Value,
    b: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class UnaryNeTileInitOp(OpView):
    """Before unary_ne_tile, unary_ne_tile_by_value, unary_ne_tile_int32, unary_ne_tile_int32_by_value."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def unary_ne_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class UnaryOpInitCommonOp(OpView):
    """Prepares operations on one buffer."""

    def __init__(
        self,
        icb: _Value,
        ocb: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def icb(self) -> Value: ...
    @property
    def ocb(self) -> Value: ...

def unary_op_init_common(
    icb: _Value,
    ocb: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class UnpackAOp(OpView):
    """Unpacks one tile."""

    def __init__(
        self,
        cb: _Value,
        src_index: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def cb(self) -> Value: ...
    @property
    def src_index(self) -> Value: ...

def unpack_a(
    cb: _Value,
    src_index: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class UnpackABOp(OpView):
    """Unpacks a tile of each of two buffers."""

    def __init__(
        self,
        cb_a: _Value,
        src_a_index: _Value,
        cb_b: _Value,
        src_b_index: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def cb_a(self) -> Value: ...
    @property
    def src_a_index(self) -> Value: ...
    @property
    def cb_b(self) -> Value: ...
    @property
    def src_b_index(self) -> Value: ...

def unpack_ab(
    cb_a: _Value,
    src_a_index: _Value,
    cb_b: _Value,
    src_b_index: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class UnpackSetDataTypeOp(OpView):
    """Sets the data types that are unpacked."""

    def __init__(
        self,
        data_type_a: Any,
        data_type_b: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    data_type_a: Any
    data_type_b: Any

def unpack_set_data_type(
    data_type_a: Any,
    data_type_b: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class UnreachableOp(OpView):
    """Ends a block that is never left."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def unreachable(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class UntilizeBlockOp(OpView):
    """Makes rows of tiles."""

    def __init__(
        self,
        cbIn: _Value,
        numTiles: _Value,
        cbOut: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def cbIn(self) -> Value: ...
    @property
    def numTiles(self) -> Value: ...
    @property
    def cbOut(self) -> Value: ...

def untilize_block(
    cb_in: _Value,
    num_tiles: _Value,
    cb_out: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class UntilizeInitOp(OpView):
    """Prepares the making of rows from tiles."""

    def __init__(
        self,
        cbIn: _Value,
        cbOut: _Value,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def cbIn(self) -> Value: ...
    @property
    def cbOut(self) -> Value: ...

def untilize_init(
    cb_in: _Value,
    cb_out: _Value,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class WhereTileOp(OpView):
    """The element of one of two, by a condition."""

    def __init__(
        self,
        d0: _Value,
        d1: _Value,
        d2: _Value,
        d: _Value,
        out_format: Any,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...
    @property
    def d0(self) -> Value: ...
    @property
    def d1(self) -> Value: ...
    @property
    def d2(self) -> Value: ...
    @property
    def d(self) -> Value: ...
    out_format: Any

def where_tile(
    d0: _Value,
    d1: _Value,
    d2: _Value,
    d: _Value,
    out_format: Any,
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...

class WhereTileInitOp(OpView):
    """Before where_tile, where_tile_float16_b."""

    def __init__(
        self,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | bool | None = None,
    ) -> None: ...

def where_tile_init(
    *,
    loc: Location | None = None,
    ip: InsertionPoint | bool | None = None,
) -> Any: ...
