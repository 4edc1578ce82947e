"""Every operation, type and attribute of the dialect: text to IR and back, in the readable and the generic form."""

from __future__ import annotations

import pytest
from xdsl.ir import Operation

from ttl.dialects.examples import example_of, module_with
from ttl.dialects.text import parse_module, print_module
from ttl.dialects.ttl import OPERATIONS
from ttl.dialects.verifier import verify


@pytest.mark.parametrize("kind", OPERATIONS, ids=lambda kind: kind.name)
class TestOperation:
    def test_is_printed_as_its_example(self, kind: type[Operation]) -> None:
        module = parse_module(module_with(kind), allow_unregistered=True)
        assert verify(module) == []
        assert any(op.name == kind.name for op in module.walk())
        printed = [line.strip() for line in print_module(module).splitlines()]
        wanted = [line.strip() for line in example_of(kind).splitlines()]
        without_aliases = [line for line in wanted if "#ttl.encoding" not in line]
        assert [line for line in without_aliases if line not in printed] == []

    @pytest.mark.parametrize("generic", [False, True], ids=["readable", "generic"])
    @pytest.mark.parametrize("locations", [False, True], ids=["places", "bare"])
    def test_round_trip(self, kind: type[Operation], generic: bool, locations: bool) -> None:
        module = parse_module(module_with(kind), allow_unregistered=True)
        text = print_module(module, generic=generic, locations=locations)
        again = parse_module(text, allow_unregistered=True)
        assert verify(again) == []
        assert print_module(again, generic=generic, locations=locations) == text
        assert again.is_structurally_equivalent(module)
