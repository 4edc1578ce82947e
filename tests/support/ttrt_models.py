"""Binaries for command lines of ``ttrt``: one that is right, and others that are wrong in one way each."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from support.ttnn_binaries import Binary as Tables
from tt_model.flatbuffer.encode import encode
from tt_model.flatbuffer.schema import schema
from tt_model.layouts.known_systems import system
from tt_model.layouts.system_desc import SystemRecord


def exponential(word: str = "Exp", target: SystemRecord | None = None, **version: int) -> bytes:
    """``y = exp(x)`` of 32 x 64 elements, or another function of one operand."""
    from ttrt import binary

    built = Tables()
    x = built.input([32, 64])
    y = built.op("EltwiseOp", type=word, ins=[x], out=built.tensor([32, 64]))
    built.op("DeallocateOp", **{"in": x})
    outputs = built.output([32, 64], y)
    built.op("DeallocateOp", **{"in": y})
    content = built.content(outputs, target or system("n150"), mlir="module {}")
    if not version:
        return content
    values: dict[str, Any] = binary.as_dict(binary.load_binary_from_capsule(content))
    values["version"].update(version)
    return encode(schema("TTNN/binary.fbs"), values)


@cache
def too_large() -> bytes:
    """``y = relu(x)`` of 40,000 x 40,000 elements: more than a chip holds twice."""
    from support.ttmlir_programs import T, compiled, function, operation
    from ttmlir.translate.serialise import ttnn_to_flatbuffer

    shape = "40000x40000xf32"
    return ttnn_to_flatbuffer(
        compiled(
            function(f"%a: tensor<{shape}>", shape, operation("%0", "relu", "%a", [shape], shape, T), "%0")
        )
    )


# ``y = x * x`` in StableHLO, in integers of 64 bits and in those of 32; and five times, which may need more than 32.
_SQUARE = """func.func @main(%x: tensor<4xi{width}>) -> tensor<4xi{width}> {{
  %0 = "stablehlo.multiply"(%x, %x) : (tensor<4xi{width}>, tensor<4xi{width}>) -> tensor<4xi{width}>
{more}  return %{last} : tensor<4xi{width}>
}}
"""


def power(width: int, factors: int = 2) -> str:
    """The text of a product of ``factors`` equal factors."""
    type_ = f"tensor<4xi{width}>"
    more = "".join(
        f'  %{at} = "stablehlo.multiply"(%{at - 1}, %x) : ({type_}, {type_}) -> {type_}\n'
        for at in range(1, factors - 1)
    )
    return _SQUARE.format(width=width, more=more, last=factors - 2)


def absolute(extents: str) -> str:
    """The text of ``y = abs(x)`` in TTIR, of a tensor with these extents."""
    type_ = f"tensor<{extents}f32>"
    tiles = "#tt.operand_constraint<dram|l1|tile|any_device_tile>"
    return f"""func.func @main(%x: {type_}) -> {type_} {{
  %0 = tensor.empty() : {type_}
  %1 = "ttir.abs"(%x, %0) <{{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [{tiles}, {tiles}]}}> : ({type_}, {type_}) -> {type_}
  return %1 : {type_}
}}
"""


@cache
def squares() -> bytes:
    """The file of a square of integers of 64 bits."""
    from tt_model.operations.dialects import DIALECTS
    from ttl.ir.context import make_context
    from ttl.ir.parser import parse_text
    from ttmlir.transforms.pipelines import StableHLOToTTIRPipeline, TTIRToTTNNBackendPipeline
    from ttmlir.translate.serialise import ttnn_to_flatbuffer

    context = make_context(DIALECTS)
    module = parse_text(context, power(64), "wide.mlir")
    for one in (*StableHLOToTTIRPipeline().passes(), *TTIRToTTNNBackendPipeline().passes()):
        one.apply(context, module)
    return ttnn_to_flatbuffer(module)


def models() -> dict[str, bytes]:
    """By name: ``model.ttnn``, one of another release, one that is cut off, one that uses what it gave back,
    one that no chip has memory for, one that takes integers up to 16,383, and texts of StableHLO."""
    right = exponential()
    built = Tables()
    x = built.input([32, 64])
    built.op("DeallocateOp", **{"in": x})
    y = built.op("EltwiseOp", type="Exp", ins=[x], out=built.tensor([32, 64]))
    return {
        "model.ttnn": right,
        "older.ttnn": exponential(patch=7),
        "cut.ttnn": right[:300],
        "large.ttnn": too_large(),
        "freed.ttnn": built.content(built.output([32, 64], y), system("n150")),
        "squares.ttnn": squares(),
        "wide.mlir": power(64, factors=5).encode(),
        "narrow.mlir": power(32, factors=5).encode(),
        "scalar.mlir": absolute("").encode(),
        "one.mlir": absolute("1x").encode(),
    }


def provide_models(folder: Path) -> None:
    """Write all of them."""
    import numpy as np

    for name, content in models().items():
        (folder / name).write_bytes(content)
    for name, numbers in (("small", [-3, 0, 7, 9]), ("large", [0, 1, 2, 1 << 20])):
        (folder / name).mkdir(exist_ok=True)
        np.save(folder / name / "input_0.npy", np.array(numbers))
