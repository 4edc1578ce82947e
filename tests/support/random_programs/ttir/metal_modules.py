"""Random modules that the way to TTMetal takes, valid by construction: tensors on grids of several cores, in L1 and DRAM, in tiles
and in rows; work in place and work that has to be streamed; broadcasts, reductions, products, changes of layout.

``random_metal_module(seed)`` is always the same module for the same seed.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from support.random_programs.ttir import operations
from support.random_programs.ttir.modules import (
    CONSTRAINTS,
    Argument,
    FunctionText,
    RandomModule,
    Tensor,
    header_of,
)

UNARY = tuple(name for name in operations.UNARY if name != "cbrt")
BINARY = (
    "add", "subtract", "multiply", "div", "maximum", "minimum", "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or",
    "logical_xor", "remainder",
)  # fmt: skip
WHOLE = (32, 64, 96, 128)
ANY_EXTENT = (1, 5, 17, 32, 33, 40, 64, 96)
GRIDS = ((1, 1), (1, 1), (1, 2), (2, 1), (2, 2), (3, 2))
LARGEST = 128 * 128


@dataclass(frozen=True, slots=True)
class LaidOutTensor(Tensor):
    """A value whose type may say how it lies."""

    layout: str = ""

    @property
    def type(self) -> str:
        """As text."""
        plain = f"{''.join(f'{extent}x' for extent in self.shape)}{self.dtype}"
        return f"tensor<{plain}, {self.layout}>" if self.layout else f"tensor<{plain}>"


def layout_text(
    shape: tuple[int, ...], dtype: str, grid: tuple[int, int], *, tiled: bool, space: str = "l1"
) -> str:
    """``#tt.layout`` of a tensor on a grid. Shards of rows are of whole tiles."""
    rows, columns = math.prod(shape[:-1]), shape[-1]
    height, width = (-(-extent // parts) for extent, parts in zip((rows, columns), grid))
    tiles = (-(-height // 32), -(-width // 32))
    element = f"!tt.tile<32x32, {dtype}>" if tiled else dtype
    extents = tiles if tiled else (tiles[0] * 32, tiles[1] * 32)
    dims = [f"d{index}" for index in range(len(shape))]
    parts, stride = [], 1
    for dim, extent in reversed(list(zip(dims[:-1], shape[:-1]))):
        parts.append(f"{dim} * {stride}" if stride > 1 else dim)
        stride *= extent
    row = " + ".join(reversed(parts)) or "0"
    return (
        f"#tt.layout<({', '.join(dims)}) -> ({row}, {dims[-1]}), undef, <{grid[0]}x{grid[1]}>, "
        f"memref<{extents[0]}x{extents[1]}x{element}, #tt.memory_space<{space}>>>"
    )


def random_metal_module(seed: int, kinds: Sequence[str] = (), names: Sequence[str] = ()) -> RandomModule:
    """The module with this number. ``kinds``: those that it is made of; ``names``: the operations of TTIR; all where
    none is given."""
    writer = _FunctionWriter(random.Random(seed), names)
    writer.fill([writing for kind, writing in _WRITERS.items() if not kinds or kind in kinds])
    text = "\n".join([*header_of({}), writer.text()])
    return RandomModule(seed, text + "\n", {"forward": tuple(writer.arguments)})


class _FunctionWriter(FunctionText):
    """A function that is being written."""

    def __init__(self, choice: random.Random, names: Sequence[str]) -> None:
        super().__init__(choice)
        self.names = names

    def fill(self, writers: Sequence[tuple[int, Callable[[_FunctionWriter, Tensor], Tensor | None]]]) -> None:
        for _ in range(self.choice.randint(1, 2)):
            self.argument(self.shape())
        wanted, written = self.choice.randint(1, 7), 0
        weights = [weight for weight, _ in writers]
        for _ in range(10 * wanted):
            if written >= wanted:
                break
            ((_, write),) = self.choice.choices(writers, weights)
            result = write(self, self.choice.choice(self.values[-3:]))
            if result is not None:
                self.values.append(result)
                written += 1
        computed = [value for value in self.values if not value.name.startswith("%arg")]
        self.outputs = computed[-2:] or self.values[-1:]

    # Values.

    def shape(self) -> tuple[int, ...]:
        while True:
            extents = WHOLE if self.choice.random() < 0.75 else ANY_EXTENT
            rank = self.choice.choice((2, 2, 2, 2, 1, 3))
            shape = tuple(self.choice.choice(extents) for _ in range(rank))
            if rank == 3:
                shape = (self.choice.choice((1, 2, 3)), *shape[1:])
            if math.prod(shape) <= LARGEST:
                return shape

    def laid_out(self, shape: tuple[int, ...], dtype: str, *, tiled: bool) -> str:
        """A layout, or none: then the pass chooses it."""
        if self.choice.random() < 0.4 or dtype not in ("f32", "bf16"):
            return ""
        grid = self.choice.choice(GRIDS)
        space = "dram" if not tiled and self.choice.random() < 0.2 else "l1"
        return layout_text(shape, dtype, grid, tiled=tiled or self.choice.random() < 0.5, space=space)

    def one_of(self, known: Sequence[str]) -> str:
        """An operation of those that are wanted."""
        return self.choice.choice([name for name in known if not self.names or name in self.names] or known)

    def argument(self, shape: tuple[int, ...], dtype: str = "") -> Tensor:
        dtype = dtype or self.choice.choice(("f32", "f32", "bf16"))
        layout = self.laid_out(shape, dtype, tiled=False)
        tensor = LaidOutTensor(f"%arg{len(self.arguments)}", shape, dtype, layout)
        self.arguments.append(Argument(tensor))
        self.values.append(tensor)
        return tensor

    def like(self, shape: tuple[int, ...], dtype: str = "") -> Tensor:
        """A value of this shape, or a new argument, or a constant."""
        fitting = [value for value in self.values if value.shape == shape and dtype in ("", value.dtype)]
        if fitting and self.choice.random() < 0.6:
            return self.choice.choice(fitting)
        if self.choice.random() < 0.2:
            return self.constant(shape)
        return self.argument(shape, dtype)

    def constant(self, shape: tuple[int, ...]) -> Tensor:
        tensor = LaidOutTensor(self.fresh(), shape, "f32")
        self.put_constant(tensor, self.choice.choice(("0.0", "1.0", "-2.5", "0.25")))
        return tensor

    def operation(
        self,
        name: str,
        inputs: Sequence[Tensor],
        shape: tuple[int, ...],
        dtype: str = "",
        attributes: Sequence[str] = (),
        *,
        segments: bool = False,
        layout: str | None = None,
    ) -> Tensor | None:
        if math.prod(shape) > 2 * LARGEST:
            return None
        dtype = dtype or inputs[0].dtype
        wanted = self.laid_out(shape, dtype, tiled=True) if layout is None else layout
        result: Tensor = LaidOutTensor(self.fresh(), shape, dtype, wanted)
        self.put_empty(result)
        operands = [*inputs, result]
        parts = list(attributes)
        if segments:
            parts.append(f"operandSegmentSizes = array<i32: {len(inputs)}, 1>")
        constraint = self.choice.choice(list(CONSTRAINTS))
        value = replace(result, name=self.fresh())
        self.put_operation(name, operands, parts, [f"#{constraint}"] * len(operands), value)
        return value


# Operations. ``None``: it does not apply.


def _unary(writer: _FunctionWriter, source: Tensor) -> Tensor | None:
    return writer.operation(writer.one_of(UNARY), [source], source.shape, segments=True)


def _parametric(writer: _FunctionWriter, source: Tensor) -> Tensor | None:
    if writer.choice.random() < 0.5:
        slope = ["parameter = 0.25 : f32"]
        return writer.operation("leaky_relu", [source], source.shape, attributes=slope, segments=True)
    limits = ["min = -1.5 : f32", "max = 2.0 : f32"]
    layout = source.layout if isinstance(source, LaidOutTensor) else ""
    return writer.operation("clamp", [source], source.shape, attributes=limits, layout=layout)


def _binary(writer: _FunctionWriter, source: Tensor) -> Tensor | None:
    other = writer.like(source.shape)
    pair = [source, other] if writer.choice.random() < 0.5 else [other, source]
    dtype = writer.choice.choice(("f32", source.dtype))
    return writer.operation(writer.one_of(BINARY), pair, source.shape, dtype, segments=True)


def _itself(writer: _FunctionWriter, source: Tensor) -> Tensor | None:
    return writer.operation(writer.one_of(BINARY), [source, source], source.shape, segments=True)


def _where(writer: _FunctionWriter, source: Tensor) -> Tensor | None:
    inputs = [writer.like(source.shape), source, writer.like(source.shape)]
    return writer.operation("where", inputs, source.shape, source.dtype, segments=True)


def _repeated(writer: _FunctionWriter, source: Tensor) -> Tensor | None:
    """Rows, columns or one number against a matrix."""
    shape = source.shape
    kinds = [(1,) * len(shape), (*(1,) * (len(shape) - 1), shape[-1]), (*shape[:-1], 1), shape[-1:]]
    other = writer.argument(writer.choice.choice(kinds))
    pair = [source, other] if writer.choice.random() < 0.6 else [other, source]
    dtype = writer.choice.choice(("f32", "bf16"))
    return writer.operation(writer.one_of(BINARY), pair, shape, dtype, segments=True)


def _broadcast(writer: _FunctionWriter, source: Tensor) -> Tensor | None:
    if len(source.shape) != 2 or (source.shape[0] > 1 and source.shape[1] > 1):
        return None
    shape = tuple(extent if extent > 1 else writer.choice.choice((1, 40, 64)) for extent in source.shape)
    return writer.operation("broadcast", [source], shape, attributes=["dimension = [0, 1]"])


def _typecast(writer: _FunctionWriter, source: Tensor) -> Tensor | None:
    dtype = "bf16" if source.dtype == "f32" else "f32"
    return writer.operation("typecast", [source], source.shape, dtype, segments=True)


def _reduction(writer: _FunctionWriter, source: Tensor) -> Tensor | None:
    shape, rank = source.shape, len(source.shape)
    over = writer.choice.choice(("last", "others", "all"))
    dims = {"last": [rank - 1], "others": list(range(rank - 1)), "all": list(range(rank))}[over]
    counts = (shape[-1] if over != "others" else 32, math.prod(shape[:-1]) if over != "last" else 32)
    if not dims or any(count % 32 and count > 1 for count in counts):
        return None
    name = writer.one_of(("sum", "mean", "max"))
    number = math.prod(shape[dim] for dim in dims)
    if name == "mean" and number & (number - 1):
        return None  # one by it is no float32
    reduced = tuple(1 if dim in dims else extent for dim, extent in enumerate(shape))
    if over == "others" and rank == 2 and writer.choice.random() < 0.3:
        attributes = ["keep_dim = false", f"dim_arg = {operations.i32(dims)}"]
        return writer.operation(name, [source], shape[-1:], attributes=attributes)
    signed = [dim - rank if writer.choice.random() < 0.3 else dim for dim in dims]
    attributes = ["keep_dim = true", f"dim_arg = {operations.i32(signed)}"]
    return writer.operation(name, [source], reduced, attributes=attributes)


def _matmul(writer: _FunctionWriter, source: Tensor) -> Tensor | None:
    shape = source.shape
    if len(shape) < 2 or shape[-1] % 32:
        return None
    columns = writer.choice.choice((*WHOLE, 17))
    right = writer.argument((*(1,) * (len(shape) - 2), shape[-1], columns))
    return writer.operation("matmul", [source, right], (*shape[:-1], columns))


def _transpose(writer: _FunctionWriter, source: Tensor) -> Tensor | None:
    if len(source.shape) != 2:
        return None
    attributes = operations.si32(dim0=writer.choice.choice((0, -2)), dim1=1)
    return writer.operation("transpose", [source], source.shape[::-1], attributes=attributes)


def _unit(writer: _FunctionWriter, source: Tensor) -> Tensor | None:
    """A dimension of extent one that comes or goes."""
    shape = source.shape
    if len(shape) == 3 and shape[0] == 1:
        return writer.operation("squeeze", [source], shape[1:], attributes=operations.si32(dim=0))
    if len(shape) == 2:
        return writer.operation("unsqueeze", [source], (1, *shape), attributes=operations.si32(dim=0))
    return None


def _to_layout(writer: _FunctionWriter, source: Tensor) -> Tensor | None:
    """Another grid, another memory, tiles or rows."""
    if not isinstance(source, LaidOutTensor) or not source.layout:
        return None
    grid, tiled = writer.choice.choice(GRIDS), writer.choice.random() < 0.5
    space = writer.choice.choice(("l1", "l1", "dram"))
    layout = layout_text(source.shape, source.dtype, grid, tiled=tiled, space=space)
    result = LaidOutTensor(writer.fresh(), source.shape, source.dtype, layout)
    writer.put_empty(result)
    value = replace(result, name=writer.fresh())
    writer.lines.append(
        f'    {value.name} = "ttir.to_layout"({source.name}, {result.name}) : ({source.type}, {result.type}) -> {value.type}'
    )
    return value


# How often, and what writes it.
_WRITERS: Mapping[str, tuple[int, Callable[[_FunctionWriter, Tensor], Tensor | None]]] = {
    "unary": (5, _unary), "parametric": (1, _parametric), "binary": (6, _binary), "itself": (1, _itself), "where": (1, _where),
    "repeated": (3, _repeated), "broadcast": (1, _broadcast), "typecast": (1, _typecast), "reduction": (4, _reduction),
    "matmul": (2, _matmul), "transpose": (2, _transpose), "unit": (1, _unit), "to_layout": (2, _to_layout),
}  # fmt: skip
