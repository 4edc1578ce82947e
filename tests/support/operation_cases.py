"""Every operation of the format with operands' shapes, as modules of TTIR: ``CASES``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from support.ttmlir_models import operation

UNARY = "abs cbrt ceil cos exp expm1 floor gelu isfinite log log1p logical_not neg reciprocal relu rsqrt sigmoid sign sin sqrt"
BINARY = (
    "add div eq ge gt le logical_and logical_or logical_xor lt maximum minimum multiply ne remainder subtract"
)
FLOATS = ("f32", "bf16")
# ``ui`` types do not come from frontends; signless ones are unsigned on the chip.
WHOLE = ("i32", "i16", "i8")
SHAPES = ("33x65", "2x3x40", "64", "1x2x31x7")


@dataclass(frozen=True, slots=True)
class Case:
    """An operation; shapes have no element type but where it is always the same one."""

    name: str
    inputs: tuple[str, ...]
    output: str
    attributes: str = ""
    dtypes: tuple[str, ...] = (*FLOATS, *WHOLE)

    def text(self, dtype: str, constraint: str) -> str:
        return operation(
            self.name,
            [_typed(shape, dtype) for shape in self.inputs],
            _typed(self.output, dtype),
            self.attributes,
            constraint=constraint,
        )


def _typed(shape: str, dtype: str) -> str:
    return f"{shape}x{dtype}" if shape.split("x")[-1].isdigit() else shape


def elementwise() -> Iterator[Case]:
    for index, name in enumerate(UNARY.split()):
        shape = SHAPES[index % len(SHAPES)]
        whole = name in ("abs", "relu", "neg", "sign", "logical_not")
        yield Case(name, (shape,), shape, dtypes=(*FLOATS, *WHOLE) if whole else FLOATS)
    repeated = (
        ("33x65", "33x65"),
        ("33x65", "1x65"),
        ("33x1", "33x65"),
        ("2x3x40", "40"),
        ("1", "2x3x4"),
        ("4x1", "1x5"),
    )
    for index, name in enumerate(BINARY.split()):
        for first, second in (repeated[0], repeated[1 + index % 5]):
            yield Case(name, (first, second), _larger(first, second))
    yield Case("where", ("33x65",) * 3, "33x65")
    yield Case("where", ("33x1", "33x65", "1x65"), "33x65")
    yield Case("leaky_relu", ("2x40",), "2x40", "parameter = 0.1 : f32", FLOATS)
    yield Case("clamp", ("33x65",), "33x65", "min = -0.5 : f32, max = 0.7 : f32", dtypes=FLOATS)
    yield Case("clamp", ("33x65",), "33x65", "min = 5.0 : f32, max = 70.0 : f32", dtypes=WHOLE)
    for source in (*FLOATS, *WHOLE):
        for target in (*FLOATS, *WHOLE):
            if source != target:
                yield Case("typecast", (f"33x65x{source}",), f"33x65x{target}", dtypes=(source,))


def _larger(*shapes: str) -> str:
    extents = np.broadcast_shapes(*(tuple(map(int, shape.split("x"))) for shape in shapes))
    return "x".join(map(str, extents))


def reductions() -> Iterator[Case]:
    for name in ("sum", "mean", "max"):
        dtypes = FLOATS if name == "mean" else (*FLOATS, *WHOLE)
        for dims, kept, dropped in (
            ("[1 : i32]", "4x1x40", "4x40"),
            ("[-1 : i32]", "4x33x1", "4x33"),
            ("[0 : i32, 2 : i32]", "1x33x1", "33"),
            ("[2 : i32, -3 : i32]", "1x33x1", "33"),
            ("[0 : i32, 1 : i32, 2 : i32]", "1x1x1", "1"),
        ):
            yield Case(name, ("4x33x40",), kept, f"keep_dim = true, dim_arg = {dims}", dtypes=dtypes)
            yield Case(name, ("4x33x40",), dropped, f"keep_dim = false, dim_arg = {dims}", dtypes=dtypes)
        yield Case(name, ("4x33x40",), "1x1x1", "keep_dim = true", dtypes=dtypes)
        yield Case(name, ("4x33x40",), "1", "keep_dim = false", dtypes=dtypes)
    yield Case("softmax", ("4x33",), "4x33", "dimension = -1 : si32", dtypes=FLOATS)
    yield Case("softmax", ("4x33x5",), "4x33x5", "dimension = 0 : si32", dtypes=FLOATS)


def moving() -> Iterator[Case]:
    yield Case("transpose", ("4x33x5",), "5x33x4", "dim0 = 0 : si32, dim1 = -1 : si32")
    yield Case("reshape", ("4x33x5",), "12x55", "shape = [12 : i32, 55 : i32]")
    yield Case("squeeze", ("4x1x5",), "4x5", "dim = -2 : si32")
    yield Case("unsqueeze", ("4x5",), "4x5x1", "dim = -1 : si32")
    yield Case("broadcast", ("1x5",), "4x5", "dimension = [0]")
    for dim, shape in ((0, "8x33"), (-1, "4x66")):
        yield Case("concat", ("4x33", "4x33"), shape, f"dim = {dim} : si32")
    yield Case("concat", ("4x33", "4x1", "4x2"), "4x36", "dim = 1 : si32")
    for begins, ends, step, shape in (
        ("0 : i32, 1 : i32", "4 : i32, 33 : i32", "1 : i32, 3 : i32", "4x11"),
        ("-2 : i32, -9 : i32", "4 : i32, -1 : i32", "1 : i32, 2 : i32", "2x4"),
        ("3 : i32, 32 : i32", "0 : i32, 2 : i32", "-1 : i32, -7 : i32", "3x5"),
    ):
        yield Case("slice", ("4x33",), shape, f"begins = [{begins}], ends = [{ends}], step = [{step}]")
    yield Case("index", ("4x33",), "4x4", "dim = 1 : i32, begin = 3 : i32, end = 31 : i32, step = 8 : i32")
    yield Case("index", ("4x33",), "4x32", "dim = -1 : i32, begin = 0 : i32, end = -1 : i32, step = 1 : i32")
    yield Case("all_gather", ("4x33",), "4x33", "dim = 1 : si32", dtypes=FLOATS)


def products() -> Iterator[Case]:
    for first, second, shape in (
        ("33x65", "65x7", "33x7"),
        ("2x33x65", "65x7", "2x33x7"),
        ("65", "65x7", "7"),
        ("33x65", "65", "33"),
        ("65", "65", "1"),
        ("3x1x4x5", "2x5x6", "3x2x4x6"),
    ):
        yield Case("matmul", (first, second), shape)
    yield Case("embedding", ("3x5xi32", "40x64"), "3x5x64", dtypes=FLOATS)
    for stride, padding, dilation, groups, bias, shape in (
        ((1, 1), (1, 1), (1, 1), 1, False, "2x9x12x8"),
        ((2, 1), (0, 2), (1, 2), 1, True, "2x4x12x8"),
        ((1, 2), (2, 0), (2, 1), 2, True, "2x9x5x8"),
    ):
        text = f"groups = {groups} : si32, {_window(stride, padding, dilation)}"
        operands = ("2x9x12x4", f"8x{4 // groups}x3x3", *(("1x1x1x8",) if bias else ()))
        yield Case("conv2d", operands, shape, text, dtypes=FLOATS)
    pools = (
        ((2, 3), (1, 1), (0, 0), (1, 1), "false", "2x8x10x4"),
        ((3, 2), (2, 1), (1, 0), (1, 2), "false", "2x5x10x4"),
        ((2, 2), (2, 2), (0, 1), (1, 1), "true", "2x5x7x4"),
    )
    for kernel, stride, padding, dilation, ceil_mode, shape in pools:
        text = f"kernel_height = {kernel[0]} : si32, kernel_width = {kernel[1]} : si32"
        text += f", {_window(stride, padding, dilation)}"
        yield Case("max_pool2d", ("2x9x12x4",), shape, f"{text}, ceil_mode = {ceil_mode}", dtypes=("bf16",))


def _window(stride: tuple[int, int], padding: tuple[int, int], dilation: tuple[int, int]) -> str:
    sides = {
        "padding_top": padding[0],
        "padding_bottom": padding[0],
        "padding_left": padding[1],
        "padding_right": padding[1],
    }
    both = {"stride": stride, "dilation": dilation}
    numbers = sides | {
        f"{name}_{of}": two[at] for name, two in both.items() for at, of in enumerate(("height", "width"))
    }
    return ", ".join(f"{name} = {value} : si32" for name, value in numbers.items())


CASES = [*elementwise(), *reductions(), *moving(), *products()]
