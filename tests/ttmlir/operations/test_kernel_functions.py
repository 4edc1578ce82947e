"""Calls of the kernel API in the text of 2024-11-21 are those of ``ttl.kernel_api``: one operation, one class, another text."""

from __future__ import annotations

import pytest

from tt_model.operations import kinds
from tt_model.operations.dialects import operation_class, rows_of
from tt_model.operations.row import Row
from tt_model.operations.ttkernel import LATER_CALLS
from ttl.dialects.ttkernel import KernelCallOp, class_of
from ttl.kernel_api import CALLS, call
from ttl.kernel_api.table import GONE

ROWS = rows_of("ttkernel").rows
CALLING = [row for row in ROWS if row.kernel_function is not None]

# What the kinds of the table are here. An address of the own memory is an integer or an address.
KINDS = {
    "cb": {kinds.CIRCULAR_BUFFER},
    "index": {kinds.INTEGER32},
    "l1": {kinds.INTEGER32, kinds.INTEGER32_OR_L1_ADDRESS},
    "noc": {kinds.NOC_ADDRESS},
    "pointer": {kinds.L1_ADDRESS_POINTER},
}
# What the text calls otherwise than the table does; two of the names are other functions there.
RENAMED = {
    "copy_tile_init": "copy_tile_init_of_any",
    "get_noc_addr": "get_noc_addr_local",
    "mem_zeros_base": "zeros_address",
    "mem_zeros_size": "zeros_size",
    "pack": "pack_tile",
    "reinterpret_cast<volatile tt_l1_ptr uint32_t*>": "reinterpret_l1",
}
# What is no call by itself: an older form of the dialect, in which one operation unpacks and another computes, and the ends of kernels.
WITHOUT_A_FUNCTION = {
    *("add", "sub", "mul", "matmul", "pack_set_data_type", "unpack_a", "unpack_ab"),
    *("unpack_set_data_type", "unreachable", "return", "builtin"),
}
# Operands that the table has other kinds for: the state is prepared with an address on the network, of which the function
# takes the low part.
DIFFERENT = {("noc_async_read_one_packet_with_state", 0)}


@pytest.mark.parametrize("row", CALLING, ids=lambda row: row.mnemonic)
def test_a_call_is_of_the_class_of_its_function_and_takes_what_it_takes(row: Row) -> None:
    assert row.kernel_function is not None
    function = call(row.kernel_function)
    kind = operation_class(row.name)
    assert issubclass(kind, class_of(function.name)) and issubclass(kind, KernelCallOp)
    assert kind.CALL is function
    assert len(function.operands) == len(row.operands)
    for index, (parameter, operand) in enumerate(zip(function.operands, row.operands, strict=True)):
        if (row.mnemonic, index) not in DIFFERENT:
            assert operand.kind in KINDS[parameter.kind], operand.name
    assert (function.result is None) == (not row.results)
    assert function.statements("2024-11")


def test_every_operation_is_a_call_but_those_that_never_had_a_function() -> None:
    assert {row.mnemonic for row in ROWS if row not in CALLING} == WITHOUT_A_FUNCTION
    assert {
        row.mnemonic: row.kernel_function for row in CALLING if row.kernel_function != row.mnemonic
    } == RENAMED
    assert {row.kernel_function for row in CALLING} >= GONE.keys()
    assert GONE.keys().isdisjoint(CALLS)


@pytest.mark.parametrize("name", LATER_CALLS)
def test_a_later_call_has_the_constants_of_the_function(name: str) -> None:
    row = next(row for row in ROWS if row.mnemonic == name)
    assert [one.name for one in row.attributes] == [one.name for one in CALLS[name].constants]
