"""Hardware tile functions of the rows: complete, with parameters of the row, renamed between the generations."""

from __future__ import annotations

import pytest

from ttl.rows.row import Op
from ttl.rows.table import OPS, op


@pytest.mark.parametrize("row", OPS, ids=repr)
def test_calls_name_their_own_parameters_and_numbers(row: Op) -> None:
    params = {param.name for param in row.params}
    numbers = {operand.name for operand in row.operands if operand.scalar}
    for call in (call for calls in row.hardware.values() for call in calls):
        assert bool(call.init) == call.header.startswith("api/compute/") == call.reads_registers
        for slot in (*call.function.template, *call.function.arguments):
            match slot.kind:
                case "bool" | "float":
                    assert slot.name in params
                case "bits" | "int":
                    assert slot.name in params | numbers
                case "format" | "format_number":
                    assert slot.name in ("in", "out")


@pytest.mark.parametrize("row", OPS, ids=repr)
def test_the_generations_have_the_same_calls_in_the_same_order(row: Op) -> None:
    for old, new in zip(row.hardware["0.69"], row.hardware["0.81"], strict=True):
        assert (old.form, old.dtypes, old.numbers, old.serves) == (
            new.form,
            new.dtypes,
            new.numbers,
            new.serves,
        )


def test_template_arguments_of_init_and_call_match() -> None:
    for call in (call for row in OPS for call in row.hardware["0.81"] if call.init is not None):
        flags = [
            [slot for slot in each.template if slot.kind == "bool"] for each in (call.function, call.init)
        ]
        assert flags[0] == flags[1], call


def test_names_follow_the_generation() -> None:
    assert op("transpose").hardware["0.69"][0].function.name == "transpose_wh_tile"
    assert op("transpose").hardware["0.81"][0].function.name == "transpose_tile"
    assert op("lt").hardware["0.69"][3].function.name == "lt_int32_tile"
    assert op("lt").hardware["0.81"][3].function.name == "lt_int_tile"
