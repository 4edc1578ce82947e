"""Modules of one operation of TT-MLIR, written in one line: ``4x8xf32; 4x8xf32 | 4x8xf32`` are its operands, by group.

What is no type of MLIR already is the inside of a tensor type; ``device`` is a device. ``#host``, ``#dram`` and the other
layouts are defined for tensors of 64x128 elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tt_model.operations.dialects import operation_class, rows_of

_TTNN = "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), "
_METAL = "#tt.layout<(d0, d1) -> (d0, d1), undef, "
LAYOUTS = {
    "host": f"{_TTNN}<1x1>, memref<64x128xf32, #ttnn.buffer_type<system_memory>>>",
    "host_interleaved": f"{_TTNN}<1x1>, memref<64x128xf32, #ttnn.buffer_type<system_memory>>, interleaved>",
    "host_tiles": f"{_TTNN}<1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<system_memory>>>",
    "dram": f"{_TTNN}<1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<dram>>, interleaved>",
    "dram_rows": f"{_TTNN}<1x1>, memref<64x128xf32, #ttnn.buffer_type<dram>>, interleaved>",
    "dram_none": f"{_TTNN}<1x1>, memref<64x128xf32, #ttnn.buffer_type<dram>>>",
    "dram_sharded": f"{_TTNN}<1x1>, memref<64x128xf32, #ttnn.buffer_type<dram>>, height_sharded>",
    "small_sharded": f"{_TTNN}<1x1>, memref<64x128xf32, #ttnn.buffer_type<l1_small>>, height_sharded>",
    "l1": f"{_TTNN}<1x1>, memref<2x4x!tt.tile<32x32, f32>, #ttnn.buffer_type<l1>>, interleaved>",
    "l1_sharded": f"{_TTNN}<8x1>, memref<8x128xf32, #ttnn.buffer_type<l1>>, height_sharded>",
    "l1_sharded_cube": "#ttnn.ttnn_layout<(d0, d1) -> (0, d0, d1), <1x1x1>, "
    "memref<1x64x128xf32, #ttnn.buffer_type<l1>>, height_sharded>",
    "l1_blocks": f"{_TTNN}<4x4>, memref<16x32xf32, #ttnn.buffer_type<l1>>, block_sharded>",
    "metal_l1": f"{_METAL}<1x1>, memref<64x128xf32, #tt.memory_space<l1>>>",
    "metal_host": f"{_METAL}<1x1>, memref<64x128xf32, #tt.memory_space<system>>>",
}
DEVICE = (
    "!tt.device<<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), "
    "dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>>"
)


@dataclass(frozen=True, slots=True)
class SingleOperation:
    """An operation by itself. ``attributes`` and ``regions`` are text as it stands."""

    name: str
    operands: str
    results: str
    attributes: str = ""
    regions: str = ""

    def text(self) -> str:
        """The module. Empty operand constraints and the sizes of operand groups are filled in."""
        row = operation_class(self.name).ROW
        groups = [_types(group) for group in self.operands.split("|")]
        operands = [type for group in groups for type in group]
        results = _types(self.results)
        attributes = [self.attributes] if self.attributes else []
        if "operand_constraints" in row.attribute_named and "operand_constraints" not in self.attributes:
            attributes.append("operand_constraints = []")
        if row.segments and "operandSegmentSizes" not in self.attributes:
            sizes = ", ".join(str(len(group)) for group in groups)
            attributes.append(f"operandSegmentSizes = array<i32: {sizes}>")
        names = ", ".join(f"%arg{index}" for index in range(len(operands)))
        arguments = ", ".join(f"%arg{index}: {type}" for index, type in enumerate(operands))
        values = f"%0{':' + str(len(results)) if len(results) > 1 else ''} = " if results else ""
        inherent = f" <{{{', '.join(attributes)}}}>" if attributes else ""
        regions = f" {self.regions}" if self.regions else ""
        given = results[0] if len(results) == 1 else f"({', '.join(results)})"
        used = f"{self.operands} {self.results}"
        aliases = [f"#{name} = {text}\n" for name, text in LAYOUTS.items() if re.search(f"#{name}\\b", used)]
        return (
            f"{''.join(aliases)}func.func @forward({arguments}) {{\n"
            f'  {values}"{self.name}"({names}){inherent}{regions} : ({", ".join(operands)}) -> {given}\n'
            "  return\n}\n"
        )


def _types(text: str) -> list[str]:
    return [_type(word.strip()) for word in text.split(";") if word.strip()]


def _type(word: str) -> str:
    if word == "device":
        return DEVICE
    return f"tensor<{word}>" if re.fullmatch(r"(\d+x)+[a-z]+\d+(, #\w+)?", word) else word


class Refused(NamedTuple):
    """An operation in its module, and the start of the message that refuses it, behind the operation's name."""

    name: str
    text: str
    message: str


_REFUSED = Path(__file__).parents[1] / "ttmlir" / "operations" / "refused.mlir"


@cache
def refused() -> tuple[Refused, ...]:
    """The operations of ``refused.mlir``; then of every elementwise operation of TTNN two results that do not fit."""
    return (*_refused_in_text(_REFUSED.read_text("utf-8")), *_refused_elementwise())


def _refused_in_text(text: str) -> Iterator[Refused]:
    head, *cases = re.split(r"^// error: ", text, flags=re.M)
    aliases = [line for line in head.splitlines() if re.match(r"[#!]", line)]
    for case in cases:
        message, operation = case.rstrip("\n").split("\n", 1)
        name, types = operation.split('"')[1], operation[operation.rindex(" : (") + 4 :]
        inputs = re.split(r", (?=tensor|!|memref|i)", types[: types.rindex(") -> ")])
        arguments = ", ".join(f"%{number}: {type}" for number, type in enumerate(inputs) if type)
        used = [line for line in aliases if re.search(rf"{line.split(' ')[0]}\b", operation)]
        module = "\n".join([*used, f"func.func @forward({arguments}) {{", operation, "return", "}"])
        yield Refused(name, module, message)


def _refused_elementwise() -> Iterator[Refused]:
    for row in rows_of("ttnn").rows:
        slope = "parameter = 1.0 : f32" if "parameter" in row.attribute_named else ""
        for operands, message in (
            ("1x8xf32 | 4x8xf32", "result has shape (4, 8), and operands and attributes make (1, 8)"),
            (
                "4x8xf32; 4x7xf32 | 4x8xf32",
                "operands of the shapes (4, 8), (4, 7) do not repeat to one shape",
            ),
        ):
            if row.elementwise:
                yield Refused(row.name, SingleOperation(row.name, operands, "4x8xf32", slope).text(), message)
