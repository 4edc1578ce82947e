"""Write the models of this folder, as TTIR: a perceptron of three layers and one layer of a transformer.

    python examples/models/write_models.py [FOLDER]

Weights are arguments, in the shapes that training gives them. Each operation has a name as its location, which is how
errors, golden results and performance reports call it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

HEADER = (
    "// Written by examples/models/write_models.py.\n"
    "#any_device = #tt.operand_constraint<dram|l1|scalar|tile|none|interleaved|single_bank|height_sharded|width_sharded"
    "|block_sharded|any_layout|any_device|any_device_tile|l1_block_sharded>\n"
)
ELEMENTWISE = ("add", "gelu", "multiply", "relu", "rsqrt", "subtract")


@dataclass(frozen=True)
class Value:
    """A tensor: its name, and its shape."""

    name: str
    shape: tuple[int, ...]
    element: str

    @property
    def type(self) -> str:
        return f"tensor<{'x'.join(map(str, self.shape))}x{self.element}>"


@dataclass
class Model:
    """A function that is being written."""

    element: str
    arguments: list[Value] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def argument(self, name: str, *shape: int) -> Value:
        """An input or a weight."""
        self.arguments.append(Value(f"%{name}", shape, self.element))
        return self.arguments[-1]

    def constant(self, name: str, number: float, *shape: int) -> Value:
        """A tensor of one number."""
        value = Value(f"%{name}", shape, self.element)
        self.lines.append(
            f'{value.name} = "ttir.constant"() <{{value = dense<{number:e}> : {value.type}}}> : () -> {value.type} loc("{name}")'
        )
        return value

    def op(
        self, kind: str, name: str, inputs: list[Value], shape: tuple[int, ...], attributes: str = ""
    ) -> Value:
        """An operation and its destination."""
        destination, result = (
            Value(f"%{name}_out", shape, self.element),
            Value(f"%{name}", shape, self.element),
        )
        operands = [*inputs, destination]
        inside = [f"operand_constraints = [{', '.join(['#any_device'] * len(operands))}]"]
        if kind in ELEMENTWISE:
            inside.append(f"operandSegmentSizes = array<i32: {len(inputs)}, 1>")
        if attributes:
            inside.append(attributes)
        self.lines.append(f"{destination.name} = tensor.empty() : {destination.type}")
        self.lines.append(
            f'{result.name} = "ttir.{kind}"({", ".join(one.name for one in operands)}) <{{{", ".join(inside)}}}> : '
            f'({", ".join(one.type for one in operands)}) -> {result.type} loc("{name}")'
        )
        return result

    def text(self, result: Value) -> str:
        """The module."""
        arguments = ", ".join(f"{one.name}: {one.type}" for one in self.arguments)
        body = "".join(f"    {line}\n" for line in self.lines)
        return (
            f"{HEADER}module {{\n  func.func @forward({arguments}) -> {result.type} {{\n{body}"
            f"    return {result.name} : {result.type}\n  }}\n}}\n"
        )


def perceptron(batch: int = 64, widths: tuple[int, ...] = (784, 512, 256, 10)) -> str:
    """Images of handwritten digits to the probabilities of ten: products, biases, rectifiers and a softmax."""
    model = Model("bf16")
    x = model.argument("images", batch, widths[0])
    layers = list(pairwise(widths))
    for number, (width, next_width) in enumerate(layers):
        weight = model.argument(f"weight{number}", width, next_width)
        bias = model.argument(f"bias{number}", 1, next_width)
        shape = (batch, next_width)
        x = model.op("matmul", f"product{number}", [x, weight], shape)
        x = model.op("add", f"biased{number}", [x, bias], shape)
        if number < len(layers) - 1:
            x = model.op("relu", f"positive{number}", [x], shape)
    x = model.op("softmax", "probabilities", [x], x.shape, "dimension = -1 : si32")
    return model.text(x)


def transformer(sequence: int = 128, width: int = 256, heads: int = 4) -> str:
    """One layer: attention and a perceptron, each behind a normalisation and beside what goes around it."""
    model = Model("f32")
    rows, head = (sequence, width), width // heads
    x = model.argument("tokens", *rows)

    def normalised(x: Value, name: str) -> Value:
        column, reduced = (sequence, 1), "keep_dim = true, dim_arg = [-1 : i32]"
        mean = model.op("mean", f"{name}_mean", [x], column, reduced)
        centred = model.op("subtract", f"{name}_centred", [x, mean], rows)
        squares = model.op("multiply", f"{name}_squares", [centred, centred], rows)
        variance = model.op("mean", f"{name}_variance", [squares], column, reduced)
        safe = model.op(
            "add", f"{name}_safe", [variance, model.constant(f"{name}_small", 1e-5, *column)], column
        )
        inverse = model.op("rsqrt", f"{name}_inverse", [safe], column)
        y = model.op("multiply", f"{name}_unit", [centred, inverse], rows)
        y = model.op("multiply", f"{name}_scaled", [y, model.argument(f"{name}_scale", 1, width)], rows)
        return model.op("add", f"{name}_normal", [y, model.argument(f"{name}_shift", 1, width)], rows)

    def of_heads(x: Value, name: str) -> Value:
        z = model.op("matmul", f"{name}_product", [x, model.argument(f"{name}_weight", width, width)], rows)
        shape = (sequence, heads, head)
        z = model.op(
            "reshape", f"{name}_split", [z], shape, f"shape = [{', '.join(f'{one} : i32' for one in shape)}]"
        )
        return model.op("transpose", name, [z], (heads, sequence, head), "dim0 = 0 : si32, dim1 = 1 : si32")

    y = normalised(x, "attention")
    query, key, value = (of_heads(y, name) for name in ("query", "key", "value"))
    key = model.op(
        "transpose", "key_turned", [key], (heads, head, sequence), "dim0 = -2 : si32, dim1 = -1 : si32"
    )
    scores = model.op("matmul", "scores", [query, key], (heads, sequence, sequence))
    scale = model.constant("scale", head**-0.5, 1, 1, 1)
    scores = model.op("multiply", "scores_scaled", [scores, scale], scores.shape)
    weights = model.op("softmax", "attention_weights", [scores], scores.shape, "dimension = -1 : si32")
    mixed = model.op("matmul", "mixed", [weights, value], (heads, sequence, head))
    mixed = model.op(
        "transpose", "mixed_turned", [mixed], (sequence, heads, head), "dim0 = 0 : si32, dim1 = 1 : si32"
    )
    mixed = model.op("reshape", "mixed_joined", [mixed], rows, f"shape = [{sequence} : i32, {width} : i32]")
    mixed = model.op("matmul", "attended", [mixed, model.argument("output_weight", width, width)], rows)
    x = model.op("add", "after_attention", [x, mixed], rows)
    y = normalised(x, "perceptron")
    wide = (sequence, 4 * width)
    y = model.op("matmul", "widened", [y, model.argument("wide_weight", width, 4 * width)], wide)
    y = model.op("gelu", "activated", [y], wide)
    y = model.op("matmul", "narrowed", [y, model.argument("narrow_weight", 4 * width, width)], rows)
    return model.text(model.op("add", "after_perceptron", [x, y], rows))


def models() -> Iterator[tuple[str, str]]:
    """The files of this folder and their texts."""
    yield "mlp.mlir", perceptron()
    yield "transformer_layer.mlir", transformer()


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent
    for name, text in models():
        (folder / name).write_text(text, encoding="utf-8")
