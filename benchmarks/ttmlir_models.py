"""Transformer layers in TTIR, as text: attention, two normalisations, a perceptron. Any number of operations."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

_HEADER = (
    "#any_device = #tt.operand_constraint<dram|l1|scalar|tile|none|interleaved|single_bank|height_sharded|width_sharded"
    "|block_sharded|any_layout|any_device|any_device_tile|l1_block_sharded>\n"
)
_REDUCED = "keep_dim = true, dim_arg = [-1 : i32]"


class _Writer:
    def __init__(self, element: str) -> None:
        self.lines: list[str] = []
        self.operations = 0
        self._element = element
        self._numbers = count()

    def tensor(self, *shape: int) -> str:
        """A type."""
        return f"tensor<{'x'.join(map(str, shape))}x{self._element}>"

    def op(
        self, name: str, inputs: list[tuple[str, str]], type: str, attributes: str = ""
    ) -> tuple[str, str]:
        """An operation and its destination; the value and its type."""
        init, result = f"%{next(self._numbers)}", f"%{next(self._numbers)}"
        self.lines.append(f"    {init} = tensor.empty() : {type}")
        values = ", ".join([value for value, _ in inputs] + [init])
        types = ", ".join([type_ for _, type_ in inputs] + [type])
        inside = [f"operand_constraints = [{', '.join(['#any_device'] * (len(inputs) + 1))}]"]
        if name in _ELEMENTWISE:
            inside.append(f"operandSegmentSizes = array<i32: {len(inputs)}, 1>")
        if attributes:
            inside.append(attributes)
        self.lines.append(
            f'    {result} = "ttir.{name}"({values}) <{{{", ".join(inside)}}}> : ({types}) -> {type}'
        )
        self.operations += 1
        return result, type

    def constant(self, value: float, type: str) -> tuple[str, str]:
        """A tensor of one number."""
        result = f"%{next(self._numbers)}"
        self.lines.append(
            f'    {result} = "ttir.constant"() <{{value = dense<{value:e}> : {type}}}> : () -> {type}'
        )
        self.operations += 1
        return result, type


_ELEMENTWISE = {"add", "multiply", "subtract", "rsqrt", "gelu"}


def transformer(
    operations: int, *, sequence: int = 128, heads: int = 4, width: int = 256, element: str = "f32"
) -> str:
    """A module of layers with at least so many operations of TTIR (destinations not counted)."""
    writer = _Writer(element)
    rows = writer.tensor(sequence, width)
    weights: list[tuple[str, str]] = []

    def weight(*shape: int) -> tuple[str, str]:
        weights.append((f"%w{len(weights)}", writer.tensor(*shape)))
        return weights[-1]

    x = ("%x", rows)
    for step in _layers(writer, x, sequence, heads, width, weight):
        x = step
        if writer.operations >= operations:
            break
    arguments = ", ".join(f"{name}: {type}" for name, type in [("%x", rows), *weights])
    body = "\n".join(writer.lines)
    return (
        f"{_HEADER}module {{\n  func.func @forward({arguments}) -> {rows} {{\n{body}\n"
        f"    return {x[0]} : {rows}\n  }}\n}}\n"
    )


def _layers(
    writer: _Writer, x: tuple[str, str], sequence: int, heads: int, width: int, weight
) -> Iterator[tuple[str, str]]:  # type: ignore[no-untyped-def]
    rows, column = writer.tensor(sequence, width), writer.tensor(sequence, 1)
    head = width // heads
    while True:
        y = _normalised(writer, x, rows, column, weight)
        projected = []
        for _ in range(3):
            z = writer.op("matmul", [y, weight(width, width)], rows)
            z = writer.op(
                "reshape",
                [z],
                writer.tensor(sequence, heads, head),
                f"shape = [{sequence} : i32, {heads} : i32, {head} : i32]",
            )
            projected.append(
                writer.op(
                    "transpose", [z], writer.tensor(heads, sequence, head), "dim0 = 0 : si32, dim1 = 1 : si32"
                )
            )
        query, key, value = projected
        key = writer.op(
            "transpose", [key], writer.tensor(heads, head, sequence), "dim0 = -2 : si32, dim1 = -1 : si32"
        )
        scores = writer.op("matmul", [query, key], writer.tensor(heads, sequence, sequence))
        scores = writer.op(
            "multiply", [scores, writer.constant(head**-0.5, writer.tensor(1, 1, 1))], scores[1]
        )
        scores = writer.op("softmax", [scores], scores[1], "dimension = -1 : si32")
        mixed = writer.op("matmul", [scores, value], writer.tensor(heads, sequence, head))
        mixed = writer.op(
            "transpose", [mixed], writer.tensor(sequence, heads, head), "dim0 = 0 : si32, dim1 = 1 : si32"
        )
        mixed = writer.op("reshape", [mixed], rows, f"shape = [{sequence} : i32, {width} : i32]")
        mixed = writer.op("matmul", [mixed, weight(width, width)], rows)
        x = writer.op("add", [x, mixed], rows)
        yield x
        y = _normalised(writer, x, rows, column, weight)
        wide = writer.op("matmul", [y, weight(width, 4 * width)], writer.tensor(sequence, 4 * width))
        wide = writer.op("gelu", [wide], wide[1])
        x = writer.op("add", [x, writer.op("matmul", [wide, weight(4 * width, width)], rows)], rows)
        yield x


def _normalised(writer: _Writer, x: tuple[str, str], rows: str, column: str, weight) -> tuple[str, str]:  # type: ignore[no-untyped-def]
    mean = writer.op("mean", [x], column, _REDUCED)
    centred = writer.op("subtract", [x, mean], rows)
    variance = writer.op("mean", [writer.op("multiply", [centred, centred], rows)], column, _REDUCED)
    inverse = writer.op(
        "rsqrt", [writer.op("add", [variance, writer.constant(1e-5, column)], column)], column
    )
    width = int(rows.split("x")[1])
    scaled = writer.op("multiply", [writer.op("multiply", [centred, inverse], rows), weight(1, width)], rows)
    return writer.op("add", [scaled, weight(1, width)], rows)
