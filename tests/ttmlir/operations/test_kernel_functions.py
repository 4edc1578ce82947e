"""Calls of the kernel API in TTKernel are those of the table of ``ttl.kernel_api``, operand by operand."""

from __future__ import annotations

import pytest

from ttl.kernel_api import CALLS
from ttmlir.operations import kinds
from ttmlir.operations.dialects import rows_of
from ttmlir.operations.row import Row
from ttmlir.operations.ttkernel import LATER_CALLS

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
# Operations whose function has the name, but takes something else, and what.
OTHERWISE = {
    "copy_tile_init": "the function takes the circular buffer, the operation nothing",
    "get_noc_addr": "the function takes a page and an accessor; the operation an address of the own memory",
}
# Operands that the table has other kinds for: the state is prepared with an address on the network, of which the function
# takes the low part.
DIFFERENT = {("noc_async_read_one_packet_with_state", 0)}


@pytest.mark.parametrize("row", CALLING, ids=lambda row: row.mnemonic)
def test_a_call_takes_what_the_function_takes(row: Row) -> None:
    assert row.kernel_function is not None
    function = CALLS[row.kernel_function]
    assert len(function.operands) == len(row.operands)
    for index, (parameter, operand) in enumerate(zip(function.operands, row.operands, strict=True)):
        if (row.mnemonic, index) not in DIFFERENT:
            assert operand.kind in KINDS[parameter.kind], operand.name
    assert (function.result is None) == (not row.results)


def test_every_function_that_both_name_is_called() -> None:
    names = {row.mnemonic for row in ROWS} & set(CALLS)
    assert {row.kernel_function for row in CALLING} == names - set(OTHERWISE)
    assert set(OTHERWISE) <= names


@pytest.mark.parametrize("name", LATER_CALLS)
def test_a_later_call_has_the_constants_of_the_function(name: str) -> None:
    row = next(row for row in ROWS if row.mnemonic == name)
    assert [one.name for one in row.attributes] == [one.name for one in CALLS[name].constants]
