"""Operations that compute a tile of the result from one tile of each operand: elementwise ones, transposes, moves.

As in the library's kernels, a tile of each operand is read when there is room for it, and a tile of the result is
written when it is complete. Operands in the same shards as the result are not moved: a circular buffer occupies the
shard.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tt_model.cost.operations import OperationCall
from tt_model.cost.rates import is_of_matrix_unit, row_of
from tt_model.cost.tensors import CostedTensor, is_sharded
from tt_model.emulated.parts import (
    RESULT,
    Core,
    Matrices,
    Parts,
    Share,
    equal_shares,
    same_shards,
    shares_of_shards,
)
from tt_model.layouts.enums import DataType
from tt_model.operations import shared, ttnn
from tt_model.operations.elementwise import TTNNAddOp, TTNNElementwiseOp, TTNNMultiplyOp
from tt_model.operations.stages import PerClass
from ttl.emu import rectangle
from ttl.emu.memory import Placed
from ttl.rows.row import TileCall
from ttl.rows.row import TileFunction as TileFunctionName
from ttl.rows.table import op
from ttl.session.patience import Unavailable

# The distances, in tiles of an operand, from one matrix, row and column of the result to the next.
Steps = tuple[int, int, int]
# Operations of the matrix unit for which the order of the operands does not matter.
_COMMUTES = (TTNNAddOp, TTNNMultiplyOp)
# The words in the functions' names for the part of the second operand that is repeated.
_REPEATED = MappingProxyType({(True, False): "rows", (False, True): "cols", (True, True): "scalar"})
_HEADERS = ("api/compute/tile_move_copy.h", "api/compute/reconfig_data_format.h")


@dataclass(frozen=True, kw_only=True, slots=True)
class TilewiseFunction:
    """The function that a core applies to a tile of each operand; ``order`` lists the operands as the function takes them."""

    start: str
    compute: str
    headers: tuple[str, ...] = ()
    order: tuple[int, ...] = (0,)


def program(call: OperationCall, parts: Parts) -> Placed:
    """Put together the program of a call, and return the place of its result. Raises ``Unavailable``."""
    of_kind = FUNCTIONS.of(call.kind)
    assert of_kind is not None, "a test asks for the function of each class that this is the program of"
    function = of_kind(call)
    out = call.outputs[0]
    inputs = [call.inputs[number] for number in function.order]
    steps = [_steps(call, one) for one in inputs]
    shares = _shares(call, inputs, out)
    here = sum(
        1 << number
        for number, one in enumerate(inputs)
        if _lies_with(one, out, inputs) and steps[number] == _same(out)
    )
    placed = [parts.place(call.inputs[number], number) for number in function.order]
    result = parts.place(out)
    result_here = is_sharded(out)
    most = max(share.count for share in shares.values())
    cores = tuple(shares)
    moves = call.kind is ttnn.TTNNToMemoryConfigOp
    for number, one in enumerate(inputs):
        lies = bool(here >> number & 1)
        if moves and result_here:
            parts.buffer(0, most, cores, out.data_type, at=result)
        else:
            parts.buffer(
                number, most if lies else 2, cores, one.data_type, at=placed[number] if lies else None
            )
    if not moves:
        parts.buffer(
            RESULT, most if result_here else 2, cores, out.data_type, at=result if result_here else None
        )
    _kernels(parts, call, function, shares, placed, result, steps, here=here, moves=moves)
    return result


def _kernels(
    parts: Parts,
    call: OperationCall,
    function: TilewiseFunction,
    shares: Mapping[Core, Share],
    placed: list[Placed],
    result: Placed,
    steps: list[Steps],
    *,
    here: int,
    moves: bool,
) -> None:
    matrices = Matrices.of(call.outputs[0].shape)
    operands = [word for one, step in zip(placed, steps, strict=True) for word in (one.address, *step)]
    parts.kernel(
        "tiles_in",
        "ncrisc",
        {core: (*share.words, matrices.rows, *operands) for core, share in shares.items()},
        defines={"OPERANDS": len(placed), "HERE": here},
        tensors=placed,
    )
    if not moves:
        parts.kernel(
            "tilewise",
            "compute",
            {core: (share.count,) for core, share in shares.items()},
            defines={"OPERANDS": len(placed), "START": function.start, "COMPUTE": function.compute},
            headers=(*_HEADERS, *function.headers),
            fp32_dst=call.data_type is DataType.Float32,
        )
    parts.kernel(
        "tiles_out",
        "brisc",
        {core: (*share.words, matrices.columns, result.address, 1) for core, share in shares.items()},
        defines={"RESULT": 0 if moves else RESULT, "RESULT_HERE": int(is_sharded(call.outputs[0]))},
        tensors=[result],
    )


def _shares(call: OperationCall, inputs: list[CostedTensor], out: CostedTensor) -> dict[Core, Share]:
    """The share of each core: shards are computed on where they are; other tiles are spread over the chip."""
    if is_sharded(out):
        return shares_of_shards(out)
    alike = next((one for one in inputs if is_sharded(one) and _shape(one) == _shape(out)), None)
    if alike is not None and call.kind is not shared.TTNNTransposeOp:
        return shares_of_shards(alike)
    rows, columns = call.grid[-2:]
    return equal_shares(Matrices.of(out.shape), rectangle(columns, rows))


def _lies_with(one: CostedTensor, out: CostedTensor, inputs: list[CostedTensor]) -> bool:
    """Whether an operand lies in the shards of the cores that compute the result from it."""
    if is_sharded(out):
        return same_shards(one, out)
    first = next((other for other in inputs if is_sharded(other)), None)
    return first is not None and same_shards(one, first)


def _shape(tensor: CostedTensor) -> tuple[int, ...]:
    return tuple(tensor.shape)


def _same(out: CostedTensor) -> Steps:
    matrices = Matrices.of(out.shape)
    return matrices.rows * matrices.columns, matrices.columns, 1


def _steps(call: OperationCall, operand: CostedTensor) -> Steps:
    """The steps between tiles of an operand for adjacent tiles of the result. Raises ``Unavailable``."""
    out, mine = Matrices.of(call.outputs[0].shape), Matrices.of(operand.shape)
    if call.kind is shared.TTNNTransposeOp:
        return mine.rows * mine.columns, 1, mine.columns
    repeated = mine.count == 1 and out.count > 1
    if mine.count not in (1, out.count):
        raise Unavailable("operands that are repeated along some of the outer dimensions")
    by_row = mine.columns if mine.rows == out.rows else 0
    by_column = 1 if mine.columns == out.columns else 0
    if mine.rows not in (1, out.rows) or mine.columns not in (1, out.columns):
        raise Unavailable("operands of another shape")
    return (0 if repeated else mine.rows * mine.columns), by_row, by_column


# Functions


def _elementwise(call: OperationCall) -> TilewiseFunction:
    if len(call.inputs) == 2 and is_of_matrix_unit(call.kind):
        return _of_matrix_unit(call)
    tile_call = _tile_call(call)
    out, init = call.outputs[0], tile_call.init
    assert init is not None
    count = len(call.inputs)
    into_registers = "; ".join(_into_register(number, one, out) for number, one in enumerate(call.inputs))
    arguments = {"unary": "0", "dst": "0, 1, 0", "ternary": "0, 1, 2, 0"}[tile_call.form]
    begin, function = (f"{one.name}{_template(one, call.data_type)}" for one in (init, tile_call.function))
    return TilewiseFunction(
        start=f"compute_kernel_hw_startup(0, {count - 1}, RESULT)",
        compute=f"{into_registers}; {begin}(); {function}({arguments})",
        headers=(tile_call.header, "api/compute/bcast.h"),
        order=tuple(range(count)),
    )


def _into_register(number: int, operand: CostedTensor, out: CostedTensor) -> str:
    """The C++ code that copies a tile of an operand, repeated to a whole tile, into the register of its number."""
    repeated = _repeats(operand, out)
    if repeated == (False, False):
        return f"copy_tile_to_dst_init_short({number}); copy_tile({number}, 0, {number})"
    kind = {"rows": "ROW", "cols": "COL", "scalar": "SCALAR"}[_REPEATED[repeated]]
    broadcast = f"BroadcastType::{kind}"
    return f"unary_bcast_init<{broadcast}>({number}); unary_bcast<{broadcast}>({number}, 0, {number})"


def _template(function: TileFunctionName, data_type: DataType) -> str:
    """The template arguments of a function: not approximate, in the format of the elements."""
    word = "DataFormat::Float32" if data_type is DataType.Float32 else "DataFormat::Float16_b"
    words = [word if slot.kind == "format" else "false" for slot in function.template]
    return f"<{', '.join(words)}>" if words else ""


def _tile_call(call: OperationCall) -> TileCall:
    """The call of the vector unit that computes the function. Raises ``Unavailable``."""
    row = row_of(call.kind)
    form = {1: "unary", 2: "dst", 3: "ternary"}.get(len(call.inputs))
    for one in op(row).hardware.get("0.81", ()) if row is not None else ():
        types = {dtype.name for dtype in one.dtypes}
        plain = not one.function.arguments and all(
            slot.kind in ("bool", "format") for slot in one.function.template
        )
        if one.form == form and plain and one.init is not None and "bfloat16" in types:
            return one
    raise Unavailable(f"{call.word} of {len(call.inputs)} operands")


def _of_matrix_unit(call: OperationCall) -> TilewiseFunction:
    """The function of the matrix unit, whose name begins with the name of the language's row."""
    name, out = call.kind.ROW.function, call.outputs[0]
    first, second = (_repeats(one, out) for one in call.inputs)
    order = (0, 1)
    if first != (False, False):
        if second != (False, False) or call.kind not in _COMMUTES:
            raise Unavailable(f"{call.word} of two operands that are repeated within a tile")
        order, second = (1, 0), first
    start = "binary_op_init_common(0, 1, RESULT)"
    if second == (False, False):
        return TilewiseFunction(
            start=f"{start}; {name}_tiles_init(0, 1)",
            compute=f"{name}_tiles(0, 1, 0, 0, 0)",
            headers=("api/compute/eltwise_binary.h",),
            order=order,
        )
    kind = _REPEATED[second]
    return TilewiseFunction(
        start=f"compute_kernel_hw_startup(0, 1, RESULT); {name}_bcast_{kind}_init(0, 1)",
        compute=f"{name}_tiles_bcast_{kind}(0, 1, 0, 0, 0)",
        headers=("api/compute/bcast.h",),
        order=order,
    )


def _repeats(operand: CostedTensor, out: CostedTensor) -> tuple[bool, bool]:
    """Whether an operand has one row that is repeated, and whether it has one column that is repeated."""
    mine, whole = (1, 1, *operand.shape)[-2:], (1, 1, *out.shape)[-2:]
    return mine[0] == 1 != whole[0], mine[1] == 1 != whole[1]


def _cast(call: OperationCall) -> TilewiseFunction:
    return TilewiseFunction(
        start="compute_kernel_hw_startup(0, 0, RESULT); copy_tile_to_dst_init_short(0)",
        compute="copy_tile(0, 0, 0)",
    )


def _move(call: OperationCall) -> TilewiseFunction:
    return TilewiseFunction(start="", compute="")


def _transposed(call: OperationCall) -> TilewiseFunction:
    rank = len(call.outputs[0].shape)
    dims = {int(call.fields[name]) % rank for name in ("dim0", "dim1")}
    if dims != {rank - 1, rank - 2}:
        raise Unavailable("a transpose of dimensions other than the last two")
    return TilewiseFunction(
        start="compute_kernel_hw_startup(0, 0, RESULT); transpose_init(0)",
        compute="transpose_tile(0, 0, 0)",
        headers=("api/compute/transpose.h",),
    )


FUNCTIONS = PerClass[Callable[[OperationCall], TilewiseFunction]](
    ((TTNNElementwiseOp, ttnn.TTNNClampOp), _elementwise),
    (ttnn.TTNNTypecastOp, _cast),
    (ttnn.TTNNToMemoryConfigOp, _move),
    (shared.TTNNTransposeOp, _transposed),
)
