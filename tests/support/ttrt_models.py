"""Binaries for command lines of ``ttrt``: one that is right, and others that are wrong in one way each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.ttnn_binaries import Binary as Tables
from ttmlir.flatbuffer.encode import encode
from ttmlir.flatbuffer.schema import schema
from ttmlir.layouts.system_desc import SystemRecord, system


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


def models() -> dict[str, bytes]:
    """By name: ``model.ttnn``, one of another release, one that is cut off, and one that uses what it gave back."""
    right = exponential()
    built = Tables()
    x = built.input([32, 64])
    built.op("DeallocateOp", **{"in": x})
    y = built.op("EltwiseOp", type="Exp", ins=[x], out=built.tensor([32, 64]))
    return {
        "model.ttnn": right,
        "older.ttnn": exponential(patch=7),
        "cut.ttnn": right[:300],
        "freed.ttnn": built.content(built.output([32, 64], y), system("n150")),
    }


def provide_models(folder: Path) -> None:
    """Write all of them."""
    for name, content in models().items():
        (folder / name).write_bytes(content)
