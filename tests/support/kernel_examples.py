"""One example of the assembly of every operation of ``ttkernel``: the documentation shows it, the tests read it."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import indent
from types import MappingProxyType
from typing import Literal

from xdsl.ir import Operation

from support.dialect_examples import TENSOR as _TENSOR
from support.dialect_examples import TILE as _TILE
from support.dialect_examples import braced
from ttl.dialects import ttkernel
from ttl.dialects.compute import attribute_of
from ttl.dialects.ttkernel import KernelCallOp
from ttl.kernel_api import CALLS, Call, CallParameter
from ttl.rows import dtypes

# What examples stand in: ``{}`` is the place, ``{kernel}`` how its kernel begins.
_PRELUDE = f"""\
ttkernel.program @example("a") grid <4x2> {{
  ttkernel.tensor_arg @a index 0 : {_TENSOR}
  ttkernel.circular_buffer @a_dfb index 0 pages 4 of 2048 bytes : {_TILE} by user
  ttkernel.declare_semaphore @ready id 0 = 0
  {{kernel}} {{
    %i = arith.constant 0 : index
    %flag = arith.constant true
    %cb = ttkernel.get_cb @a_dfb : !ttkernel.cb<4, {_TILE}>
{{values}}{{}}
  }}
}}
"""
_NOC = 'ttkernel.kernel @read noc on ncrisc noc 0 common ["address(a)"] accessors ["a"]'
_TENSIX = "ttkernel.kernel @compute tensix"
_VALUES = """\
    %accessor = ttkernel.accessor @a
    %semaphore = ttkernel.get_semaphore @ready
    %l1 = ttkernel.get_write_ptr %cb : <4, !ttl.tile<32x32, bf16>>
    %noc = ttkernel.get_noc_addr_local %l1
    %pointer = ttkernel.reinterpret_l1 %l1
"""

# Where the example of an operation is not a line in a kernel: the whole module, as text.
_KERNEL = (
    'ttkernel.kernel @read noc on ncrisc noc 0 common ["address(a)", "noc_x(1)"] accessors ["a"] {\n'
    '  %c0 = ttkernel.common_arg "noc_x(1)"\n}'
)
_COMPUTE = (
    'ttkernel.kernel @compute tensix config {math_fidelity = "HiFi4", fp32_dest_acc_en = true, '
    'unpack_to_dest_fp32 = ["a_dfb"]} {\n  ttkernel.tile_regs_acquire\n}'
)
_IN_A_PROGRAM: Mapping[type[Operation], str] = MappingProxyType(
    {
        ttkernel.TensorArgOp: f"ttkernel.tensor_arg @b index 1 : {_TENSOR}",
        ttkernel.CircularBufferOp: (
            f'ttkernel.circular_buffer @scaler index 1 pages 1 of 2048 bytes : {_TILE} by compiler initial "ones"'
        ),
        ttkernel.SemaphoreOp: "ttkernel.declare_semaphore @done id 1 = 0",
        ttkernel.GlobalSemaphoreOp: "ttkernel.global_semaphore @row_valid = 0",
        ttkernel.KernelOp: f"{_KERNEL}\n{_COMPUTE}",
    }
)
_IN_A_KERNEL: Mapping[type[Operation], str] = MappingProxyType(
    {
        ttkernel.GetCBOp: f"%a_dfb = ttkernel.get_cb @a_dfb : !ttkernel.cb<4, {_TILE}>",
        ttkernel.AccessorOp: "%a = ttkernel.accessor @a",
        ttkernel.GetSemaphoreOp: "%ready = ttkernel.get_semaphore @ready",
        ttkernel.CommonArgOp: '%address = ttkernel.common_arg "address(a)"',
        ttkernel.TableOp: "%column = ttkernel.lookup [0, 3, 1, 2] at %i",
        ttkernel.DPrintOp: r'ttkernel.dprint ["row ", "\0A"](%i : index)',
        ttkernel.ZoneOp: 'ttkernel.zone "load" {\n  ttkernel.noc_async_read_barrier\n}',
    }
)
# Enumerators of C++, by the arguments that take them.
_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "operation": "EltwiseBinaryType::ELWADD", "reuse": "EltwiseBinaryReuseDestType::DEST_TO_SRCA", "pool": "PoolType::SUM",
        "dim": "ReduceDim::REDUCE_ROW", "how": "BroadcastType::ROW", "end": "TSLICE_RD_PTR", "faces": "VectorMode::C",
    }
)  # fmt: skip


def example_of(kind: type[Operation]) -> str:
    """The assembly of an operation. Raises KeyError for one that has no example."""
    if issubclass(kind, KernelCallOp):
        return _call(kind.CALL)
    if kind is ttkernel.ProgramOp:
        return 'ttkernel.program @scale("a", "b") grid <8x8> {\n}'
    return _IN_A_PROGRAM[kind] if kind in _IN_A_PROGRAM else _IN_A_KERNEL[kind]


def module_with(kind: type[Operation]) -> str:
    """A module, as text, in which the example of an operation stands."""
    example = example_of(kind)
    if kind is ttkernel.ProgramOp:
        return braced("module", example)
    if kind in _IN_A_PROGRAM:
        return braced("module", braced("ttkernel.program @example() grid <1x1>", example))
    computes = issubclass(kind, KernelCallOp) and kind.CALL.thread == "tensix"
    return _in_kernel("tensix" if computes else "noc", example)


def module_with_calls(thread: Literal["tensix", "noc"]) -> str:
    """A module, as text, with the examples of all calls of a thread, one after the other."""
    rows = [row for row in CALLS.values() if row.thread in (thread, "any")]
    return _in_kernel(thread, "\n".join(_call(row).replace("%result", f"%{row.name}") for row in rows))


def _in_kernel(thread: Literal["tensix", "noc"], example: str) -> str:
    whole = _PRELUDE.replace("{kernel}", _TENSIX if thread == "tensix" else _NOC)
    whole = whole.replace("{values}", "" if thread == "tensix" else _VALUES)
    return braced("module", whole.replace("{}", indent(example, "    ")))


def _call(row: Call) -> str:
    result = "" if row.result is None else "%result = "
    operands = ", ".join(f"%{_value(operand)}" for operand in row.operands)
    constants = ", ".join(f"{constant.name} = {_constant(constant)}" for constant in row.constants)
    types = ", ".join(f"<4, {_TILE}>" for operand in row.operands if operand.kind == "cb")
    parts = (f"{result}ttkernel.{row.name}", operands, f"{{{constants}}}" if constants else "")
    return " ".join(filter(None, parts)) + (f" : {types}" if types else "")


def _value(argument: CallParameter) -> str:
    return "i" if argument.kind == "index" else argument.kind


def _constant(argument: CallParameter) -> str:
    match argument.kind:
        case "int":
            return str(attribute_of(2))
        case "bool":
            return str(attribute_of(False))
        case "float" | "bits":
            return str(attribute_of(0.5))
        case "format":
            return str(attribute_of(dtypes.BFLOAT16))
        case "word":
            return str(attribute_of(_WORDS[argument.name]))
    return str(attribute_of("text"))
