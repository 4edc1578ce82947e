"""What values are called that nobody named: after what gives them, or what they are for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from ttl.analysis.arithmetic import integer_of
from ttl.codegen.entries import Address, read_entry
from ttl.dialects.ttkernel import CommonArgOp, KernelCallOp, class_of

_BY_KIND: Mapping[str, str] = {"noc": "noc_addr", "semaphore": "semaphore", "l1": "address"}
# The first operands of a loop: where it begins, and where it ends.
_BOUNDS = 2
# What a result is called that nobody named, by what gives it; ``{0}`` is its first operand.
_COMMON_ARGUMENT = class_of("get_common_arg_val")
_CALLED: Mapping[str, str] = {
    "get_write_ptr": "{0}_l1",
    "get_read_ptr": "{0}_l1",
    "get_tile_size": "{0}_tile_bytes",
    "get_absolute_logical_x": "node_x",
    "get_absolute_logical_y": "node_y",
    "get_noc_multicast_addr": "multicast_addr",
    "reinterpret_l1": "words",
    "load_from_l1": "word",
    "load_semaphore": "{0}_value",
}


def fallback(op: Operation, first: str, common_args: Sequence[str]) -> str:
    """A name for the result of an operation; ``first`` is its first operand in C++."""
    match op:
        case CommonArgOp():
            entry = read_entry(op.entry)
            return (
                f"{entry.tensor}_address"
                if isinstance(entry, Address)
                else str(entry).strip(")").replace("(", "_")
            )
        case KernelCallOp() if isinstance(op, _COMMON_ARGUMENT):
            return _argument(op.operands[0], common_args)
        case KernelCallOp() if pattern := _CALLED.get(op.call.name):
            return pattern.format(first) if first.isidentifier() else pattern.replace("{0}_", "")
        case KernelCallOp():
            return _BY_KIND.get(op.call.result or "", "value")
        case arith.CmpiOp():
            return "holds"
        case arith.BitcastOp() | arith.IndexCastOp():
            return "bits"
    return _bound(op.results[0]) or "t"


def _bound(value: SSAValue) -> str | None:
    """Where a loop begins or ends, after its counter."""
    for use in value.uses:
        if isinstance(use.operation, scf.ForOp) and use.index < _BOUNDS:
            counter = (use.operation.body.block.args[0].name_hint or "").strip("_")
            word = "end" if use.index else "first"
            return f"{word}_{counter}" if len(counter) > 1 else word
    return None


def _argument(index: SSAValue, common_args: Sequence[str]) -> str:
    """What an argument is called whose number is computed: what is at the start of its group."""
    owner = index.owner
    operands = owner.operands if isinstance(owner, arith.AddiOp) else (index,)
    for number in map(integer_of, operands):
        if number is not None and 0 <= number < len(common_args):
            return common_args[number].partition("(")[0]
    return "argument"
