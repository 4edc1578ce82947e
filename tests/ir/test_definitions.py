"""Definitions of aliases are read once in a process where they depend on nothing else, and anew where they do."""

from __future__ import annotations

import pytest
from xdsl.ir import Attribute

from tt_model.operations.dialects import DIALECTS
from ttl.ir.context import make_context
from ttl.ir.parser import parse_text
from ttl.ir.reports import InvalidIR

GRID = "#g = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>\n"
LAYOUT = "#g = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1xf32, #memory>>\n"


def defined(text: str) -> Attribute:
    """What the alias #g of a text stands for."""
    module = parse_text(make_context(DIALECTS), f"{text}module attributes {{a.g = #g}} {{}}\n", "text.mlir")
    return module.attributes["a.g"]


@pytest.mark.parametrize("between", ["", "\n// A comment.\n", "#other = #tt.grid<2x2>\n"])
def test_the_same_definition_is_the_same_attribute(between: str) -> None:
    assert defined(GRID) is defined(between + GRID)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (f"#memory = #ttnn.buffer_type<dram>\n{LAYOUT}", f"#memory = #ttnn.buffer_type<l1>\n{LAYOUT}"),
        ("#g = #tt.grid<8x8,\n(d0, d1) -> (0, d0, d1)>\n", "#g = #tt.grid<8x8,\n(d0, d1) -> (0, d1, d0)>\n"),
        ("#g = #tt.grid<8x8> #h = #tt.grid<2x2>\n", "#g = #tt.grid<8x9> #h = #tt.grid<2x2>\n"),
    ],
    ids=["another alias", "two lines", "two in a line"],
)
def test_what_depends_on_more_than_its_line_is_read_anew(first: str, second: str) -> None:
    assert defined(first) != defined(second)
    assert defined(first) == defined(first)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (GRID + GRID, "re-declaration of alias '#g'"),
        (GRID + "#h = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)> 3\n", "2:45: could not parse entire input"),
    ],
)
def test_what_is_wrong_beside_a_definition_that_was_read_is_refused(wrong: str, said: str) -> None:
    assert defined(GRID)
    with pytest.raises(InvalidIR, match=said):
        defined(wrong)
