"""Programs of one operation each: every row over element types, layouts, ranks, padding and parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from support.random_programs.language.reference import BLOCK_FLOATS, FLOATS, INTEGERS, is_float
from support.random_programs.language.spec import Instr, Port, Program, Shape, TensorSpec
from ttl.diag import Diagnostic
from ttl.host import api as ttnn
from ttl.rows.row import Op
from ttl.rows.table import OPS
from ttl.rows.types import BlockType, Layout

_ITEMS = 3
_CUT = 7
# Parameters of functions that have no default for them, in the order of the row.
_PARAMETERS: dict[str, tuple[tuple[Any, ...], ...]] = {
    "exp": ((False, 1.0), (False, -0.5)), "relu_max": ((6,), (2.5,)), "relu_min": ((1,), (-1,)),
    "leaky_relu": ((0.01,), (2,)), "elu": ((1.0,), (0.5,)), "gelu": ((False,), (True,)),
    "celu": ((2.0, 0.5),), "prelu": ((0.25,),), "softplus": ((1.0, 1.0, 20.0), (2.0, 0.5, 1.0)),
    "hardtanh": ((-1, 1), (0, 2.5)), "selu": ((1.0507, 1.67326),), "round": ((0,), (1,)),
    "clamp": ((-1, 1), (-0.5, 0)), "threshold": ((1, -3), (-1, 7)),
}  # fmt: skip
# Where a sum overflows, or how a value without meaning is converted, depends on the order and on the machine.
_TAME = ("matmul", "reduce_sum", "typecast", "broadcast")
_SHAPES: dict[bool, tuple[Shape, ...]] = {
    True: ((1, 2), (2, 2, 1), (2, 1, 1, 2)),
    False: ((33,), (5, 33), (2, 3, 16)),
}
# Their parameters are about dimensions: all of them at every rank.
_SHAPED = ("matmul", "reduce_sum", "reduce_max", "broadcast", "squeeze", "unsqueeze")
_DTYPES = (*FLOATS, *INTEGERS)


class _Case(NamedTuple):
    """An application: names and numbers, shapes of the blocks among them, parameters, shape of the result."""

    args: tuple[Any, ...]
    shapes: tuple[Shape, ...]
    params: tuple[Any, ...]
    result: Shape


def programs(row: Op) -> Iterator[Program]:
    """All programs of a row."""
    for tiled in (True, False):
        for shape in _SHAPES[tiled]:
            for dtype in _DTYPES:
                usual = dtype in ("bfloat16", "float32")
                if not usual and len(shape) != 2:
                    continue
                cases = _cases(row, shape, dtype)
                every = row.name in _SHAPED or (len(shape) == 2 and (usual or dtype == "int32"))
                for case in cases if every else list(cases)[:1]:
                    program = _program(row, case, dtype, tiled)
                    if program is not None:
                        yield program


def telling(row: Op) -> list[Program]:
    """The programs of a row that say something which those of the rows before it do not.

    Of a row that takes the same operands as an earlier one, and that the same kinds of calls compute for the same element
    types, those over two dimensions of tiles: layouts, ranks and padding are nothing to what it computes.
    """
    first = next(other for other in OPS if _lowering(other) == _lowering(row))
    if first is row:
        return list(programs(row))
    return [program for program in programs(row) if program.tiled and len(program.outputs[0].block) == 2]


def _lowering(row: Op) -> object:
    """Equal for rows that differ in the names of their calls, parameters and what is computed only."""
    if row.name in (*_SHAPED, "transpose", "fill", "typecast", "pow"):
        return row.name
    calls = tuple((call.form, call.dtypes) for call in row.hardware["0.81"])
    return tuple(operand.scalar for operand in row.operands), row.accepts, bool(row.params), calls


def _cases(row: Op, shape: Shape, dtype: str) -> Iterator[_Case]:
    *outer, rows, columns = (1, *shape) if len(shape) == 1 else shape
    names = tuple("abc"[: len(row.operands)])
    ones = (1,) * len(outer)
    # Shapes of operands, parameters, and the shape of the result.
    moved: list[tuple[tuple[Shape, ...], tuple[Any, ...], Shape]] = []
    match row.name:
        case "matmul":
            moved = [(((*outer, rows, rows + 1), (*outer, rows + 1, columns)), (), (*outer, rows, columns))]
        case "reduce_sum" | "reduce_max":
            moved = [
                ((shape,), ([-1], None), (*outer, rows, 1)), ((shape,), ([-2], None), (*outer, 1, columns)),
                ((shape,), ([-1, -2], (*outer, 1, 1)), (*outer, 1, 1)),
            ]  # fmt: skip
            if outer:
                moved += [
                    ((shape,), ([0], None), (1, *shape[1:])),
                    ((shape,), ([0, -1], None), (1, *shape[1:-1], 1)),
                ]
        case "broadcast":
            moved = [
                (((*outer, rows, 1),), ([-1], shape), shape), (((*outer, 1, columns),), ([-2], shape), shape),
                (((*ones, 1, 1),), (list(range(len(shape))), shape), shape),
            ]  # fmt: skip
            moved += [(((1, *shape[1:]),), ([0], shape), shape)] if outer else []
        case "transpose":
            moved = [((shape,), (), shape[::-1])]
        case "squeeze":
            moved = [(((1, *shape),), ([0],), shape), (((*shape[:-2], 1, *shape[-2:]),), ([-3],), shape)]
        case "unsqueeze":
            moved = [((shape,), ([0],), (1, *shape)), ((shape,), ([-3],), (*shape[:-2], 1, *shape[-2:]))]
        case "fill":
            for value in (3, -0.75) if is_float(dtype) else (3,):
                yield _Case((), (), (value, shape, None), shape)
        case "typecast":
            for target in (dtype, *(each for each in _DTYPES if each != dtype)):
                yield _Case(names, (shape,), (target,), shape)
        case "pow":
            for exponent in (3, 0, 7):
                yield _Case(("a", exponent), (shape,), (), shape)
        case _:
            defaults = tuple(param.default for param in row.params)
            for params in _PARAMETERS.get(row.name, (defaults,)):
                yield _Case(names, (shape,) * len(names), params, shape)
            for number, operand in enumerate(row.operands):
                args = (*names[:number], 2, *names[number + 1 :])
                if operand.scalar:
                    yield _Case(args, (shape,) * (len(names) - 1), (), shape)
    for shapes, params, result in moved:
        yield _Case(names, shapes, params, result)


def _program(row: Op, case: _Case, dtype: str, tiled: bool) -> Program | None:
    """None where the language has no such operation."""
    if not tiled and any(dtype in BLOCK_FLOATS for dtype in (dtype, *case.params) if isinstance(dtype, str)):
        return None
    layout = Layout.TILE if tiled else Layout.ROW_MAJOR
    blocks = iter(BlockType.of(shape, getattr(ttnn, dtype), layout) for shape in case.shapes)
    params = [
        getattr(ttnn, value) if param.name == "dtype" else layout if param.name == "layout" else value
        for param, value in zip(row.params, case.params, strict=True)
    ]
    checked = tuple(param.check(value) for param, value in zip(row.params, params, strict=True))
    if layout not in row.layouts or any(isinstance(each, Diagnostic) for each in checked):
        return None
    operands = tuple(next(blocks) if isinstance(arg, str) else arg for arg in case.args)
    result = row.infer(operands, checked)
    if isinstance(result, Diagnostic):
        return None
    assert result.shape == case.result, f"{row.name}: {result.shape} is not {case.result}"
    out = dtype if row.name == "fill" else result.dtype.name
    names = [arg for arg in case.args if isinstance(arg, str)]
    inputs = tuple(
        _tensor(name, shape, dtype, tiled, _data(row, number, dtype))
        for number, (name, shape) in enumerate(zip(names, case.shapes, strict=True))
    )
    output = _tensor("result", case.result, out, tiled, "whole")
    given = tuple(
        (param.name, value)
        for param, value in zip(row.params, case.params, strict=True)
        if value is not None and value is not ...
    )
    args = tuple(f"in_{arg}" if isinstance(arg, str) else arg for arg in case.args)
    return Program(
        seed=sum(map(ord, repr((row.name, case, dtype, tiled)))),
        grid=(2, 1),
        tensors=(*inputs, output),
        inputs=tuple(_port("in", spec.name, shape) for spec, shape in zip(inputs, case.shapes, strict=True)),
        inner=(),
        outputs=(_port("out", "result", case.result),),
        body=(
            Instr(name="t", kind="op", op=row.name, args=args, params=given, shape=case.result,
                  integer=not is_float(out)),
            Instr(name="s", kind="store", args=("t",), target="out_result", shape=case.result, integer=not is_float(out)),
        ),
        blocks=(_ITEMS,),
        items=f"range(me, {_ITEMS}, nodes)",
        tiled=tiled,
    )  # fmt: skip


def _data(row: Op, number: int, dtype: str) -> str:
    if row.name in ("where", "mask", "mask_posinf") and number == (0 if row.name == "where" else 1):
        return "whole"
    if not is_float(dtype):
        return "wide"
    return "real" if row.name in _TAME else "edge"


def _tensor(name: str, block: Shape, dtype: str, tiled: bool, data: str) -> TensorSpec:
    """A block for each item; with an outer dimension, the last row and column of tiles of operands are cut."""
    shape = [_ITEMS, *block]
    if tiled:
        cut = _CUT if len(block) == 3 and name != "result" and dtype not in BLOCK_FLOATS else 0
        shape[-2:] = [32 * extent - cut for extent in shape[-2:]]
    return TensorSpec(name=name, shape=tuple(shape), dtype=dtype, tiled=tiled, data=data, seed=ord(name[0]))


def _port(direction: str, tensor: str, block: Shape) -> Port:
    return Port(
        name=f"{direction}_{tensor}", tensor=tensor, block=block, index="item, ...",
        kernel="read" if direction == "in" else "write",
    )  # fmt: skip
