"""A compute kernel that calls every tile function the rows name, to be type-checked against real headers.

``python tests/ops/probe.py 0.81 > probe.cpp`` and then the type check of a published ttnn wheel on it. The rows
of both generations were accepted by the headers of ttnn 0.69.0 and 0.81.1.
"""

from __future__ import annotations

import re
import sys

from ttl.ops.dtypes import BFLOAT16, FLOAT32, INT32, UINT16, UINT32
from ttl.ops.row import Generation, TileCall
from ttl.ops.table import OPS

_VALUES = {
    "d": "0", "d0": "0", "d1": "1", "d2": "2", "cb0": "0", "cb1": "1", "i0": "0", "i1": "0", "cbo": "16", "s": "2",
    "dim": "ReduceDim::REDUCE_ROW", "bcast": "COL", "ct": "1", "rt": "1", "kt": "1", "f:value": "1.5f", "p:approx": "false", "p:approximate": "false",
}  # fmt: skip
_KINDS = {"p": "0x3f800000u", "n": "0x3f800000u", "i": "2"}


_FORMATS = {FLOAT32: "Float32", BFLOAT16: "Float16_b", INT32: "Int32", UINT32: "UInt32", UINT16: "UInt16"}


def filled(text: str, data_format: str = "Float32") -> str:
    """C++ with a value for every placeholder. Raises KeyError for one that hardware.py does not describe."""

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name.startswith("fmt:"):
            return data_format
        return _VALUES[name] if name in _VALUES else _KINDS[name.partition(":")[0]]

    return re.sub(r"\{([\w:]+)\}", value, text)


def kernel(generation: Generation) -> str:
    """The kernel for one generation of the API."""
    calls = [(row.name, call) for row in OPS for call in row.hardware[generation]]
    lines = (
        ["#define REDUCE_OP PoolType::SUM", "#define REDUCE_DIM ReduceDim::REDUCE_ROW"]
        if generation == "0.69"
        else []
    )
    lines += [f'#include "{header}"' for header in dict.fromkeys(call.header for _, call in calls)]
    lines += ["", "void kernel_main() {"]
    for name, call in calls:
        formats = _formats(call) if "{fmt:" in call.call else ["Float32"]
        lines += [f"    {filled(call.init, each)} {filled(call.call, each)}  // {name}" for each in formats]
    return "\n".join([*lines, "}", ""])


def _formats(call: TileCall) -> list[str]:
    if call.form == "ternary":
        return ["Float16_b", "Float32", "Int32", "UInt32"]  # what where_tile knows
    return [name for dtype, name in _FORMATS.items() if dtype in call.dtypes]


if __name__ == "__main__":
    print(kernel("0.69" if sys.argv[1] == "0.69" else "0.81"), end="")
