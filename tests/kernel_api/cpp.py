"""Kernels that call every row of the table once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ttl.kernel_api import CALLS, Call
from ttl.kernel_api.fabric import HELPERS, helper_of
from ttl.kernel_api.function_rows import BASE_HEADERS
from ttl.rows import dtypes
from ttl.rows.row import Generation

Thread = Literal["tensix", "noc"]

# C++ of a value of each kind, and of what is called by other names.
_VALUES = {
    "cb": "0",
    "index": "i",
    "l1": "l1",
    "noc": "noc",
    "accessor": "interleaved",
    "semaphore": "semaphore",
    "pointer": "words",
    "flag": "i > 0",
}
_WORDS = {
    "pool": ("PoolType::SUM", "PoolType::MAX"),
    "dim": ("ReduceDim::REDUCE_ROW", "ReduceDim::REDUCE_COL", "ReduceDim::REDUCE_SCALAR"),
    "how": ("BroadcastType::ROW", "BroadcastType::COL", "BroadcastType::SCALAR"),
    "operation": ("EltwiseBinaryType::ELWADD", "EltwiseBinaryType::ELWSUB", "EltwiseBinaryType::ELWMUL"),
    "end": ("TSLICE_RD_PTR", "TSLICE_WR_PTR"),
    "faces": ("VectorMode::C", "VectorMode::R"),
    "reuse": ("EltwiseBinaryReuseDestType::DEST_TO_SRCA", "EltwiseBinaryReuseDestType::DEST_TO_SRCB"),
}
_CONSTANTS: Mapping[str, Any] = {"int": 1, "bool": True, "float": -1.5, "bits": -1.5, "text": 'a "b" {}\n'}

_NOC = """\
  uint32_t l1 = get_write_ptr(0);
  uint64_t noc = get_noc_addr(l1);
  volatile tt_l1_ptr uint32_t* semaphore = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
  volatile tt_l1_ptr uint32_t* words = semaphore;
  constexpr auto interleaved_args = TensorAccessorArgs<0>();
  const auto interleaved = TensorAccessor(interleaved_args, i, 2048);
  constexpr auto sharded_args = TensorAccessorArgs<2>();
  const auto sharded = TensorAccessor(sharded_args, i, 2048);
"""
# Of an interleaved tensor, then of one of 4x4 tiles in shards of 2x2 in two banks of L1.
ACCESSORS = "KERNEL_COMPILE_TIME_ARGS=2,2048,1,2048,2,2,4,4,2,2,65537"


def constants_of(row: Call, which: int) -> dict[str, Any]:
    """Constants for a row; ``which`` chooses among enumerators."""
    found: dict[str, Any] = {}
    for each in row.constants:
        if each.kind == "word":
            words = words_of(row, each.name)
            found[each.name] = words[which % len(words)]
        elif each.kind == "format":
            found[each.name] = formats_of(row)
        else:
            found[each.name] = _CONSTANTS[each.kind]
    return found


def words_of(row: Call, name: str) -> tuple[str, ...]:
    """The enumerators that an argument of a row takes."""
    return _WORDS[name]


def formats_of(row: Call) -> dtypes.DType:
    """An element type that a function takes: some have none of floats, others none of integers."""
    return dtypes.INT32 if "int" in row.name or "bitwise" in row.name else dtypes.BFLOAT16


def statement(row: Call, generation: Generation, which: int = 0) -> str:
    """One call of a row in C++."""
    operands = [_VALUES[each.kind] for each in row.operands]
    if "shard" in row.name:
        operands = ["sharded" if text == "interleaved" else text for text in operands]
    text = "; ".join(row.spell(generation, operands, constants_of(row, which)))
    return f"  (void)({text});\n" if row.result else f"  {text};\n" if text else ""


def kernel(thread: Thread, generation: Generation) -> str:
    """A kernel with one call of every row that a thread has; of those with enumerators, one for each."""
    rows = [row for row in CALLS.values() if row.thread in (thread, "any") and generation in row.spelling]
    headers = {*BASE_HEADERS[thread], *(header for row in rows for header in row.headers[generation])}
    if thread == "noc":
        headers.add("api/tensor/tensor_accessor.h")
    lines = [f'#include "{header}"\n' for header in sorted(headers)]
    if thread == "tensix" and generation == "0.69":
        lines = [
            "#define REDUCE_OP PoolType::SUM\n",
            "#define REDUCE_DIM ReduceDim::REDUCE_ROW\n",
            *lines,
        ]
    lines += [HELPERS[name] for row in rows if (name := helper_of(row)) is not None]
    lines.append("void kernel_main() {\n  uint32_t i = get_arg_val<uint32_t>(0);\n")
    if thread == "noc":
        lines.append(_NOC)
    for row in rows:
        words = max(
            (len(words_of(row, each.name)) for each in row.constants if each.kind == "word"), default=1
        )
        lines += [statement(row, generation, which) for which in range(words)]
    return "".join([*lines, "}\n"])
