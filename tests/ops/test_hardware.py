"""Hardware tile functions of the rows: complete, with known placeholders, renamed between the generations."""

from __future__ import annotations

import re

import pytest

from ops.probe import kernel
from ttl.ops.row import Generation, Op
from ttl.ops.table import OPS, op


@pytest.mark.parametrize("generation", ["0.69", "0.81"])
def test_every_placeholder_is_known(generation: Generation) -> None:
    text = kernel(generation)
    body = text.split("{", 1)[1].rsplit("}", 1)[0]
    assert "{" not in body
    for row in OPS:
        assert body.count(f"// {row.name}\n") >= len(row.hardware[generation])


@pytest.mark.parametrize("row", OPS, ids=repr)
def test_calls_name_their_own_parameters_and_numbers(row: Op) -> None:
    params = {param.name for param in row.params}
    numbers = {operand.name for operand in row.operands if operand.scalar}
    for calls in row.hardware.values():
        for call in calls:
            text = call.init + call.call
            assert set(re.findall(r"\{[pf]:(\w+)\}", text)) <= params
            assert set(re.findall(r"\{n:(\w+)\}", text)) <= numbers
            assert set(re.findall(r"\{i:(\w+)\}", text)) <= params | numbers
            assert call.header.startswith("api/compute/")
            assert call.header.endswith(".h")
            assert call.call.endswith(");")
            assert call.init.endswith(");")
            if call.where == "cb":
                assert "{cb0}" in call.call


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
    for row in OPS:
        for call in row.hardware["0.81"]:
            flags = set(re.findall(r"<(\{p:\w+\})>", call.call))
            assert flags == set(re.findall(r"<(\{p:\w+\})>", call.init)), call


def test_names_follow_the_generation() -> None:
    assert op("add").hardware["0.69"][0].init == "add_tiles_init({cb0}, {cb1});"
    assert op("add").hardware["0.81"][0].init == "add_init({cb0}, {cb1});"
    assert "transpose_wh_tile" in op("transpose").hardware["0.69"][0].call
    assert "transpose_tile" in op("transpose").hardware["0.81"][0].call
    assert "mm_init" in op("matmul").hardware["0.69"][0].init
    assert "matmul_init" in op("matmul").hardware["0.81"][0].init


def test_costs_have_a_source() -> None:
    for row in OPS:
        for cost in row.cost:
            assert cost.cycles > 0
            assert cost.source
    assert any(cost.arch == "wormhole" and cost.cycles == 1475 for cost in op("truediv").cost)
