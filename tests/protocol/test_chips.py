"""Which chip a node is on, and its name."""

from __future__ import annotations

import pytest

from ttl.protocol import chips
from ttl.rules.words import node_list


@pytest.mark.parametrize(
    ("index", "grid", "chip", "name"),
    [
        (5, (2, 4), 0, "node (1, 1)"),
        (5, (2, 2, 2), 1, "chip 1, node (0, 1)"),
        (13, (1, 2, 2, 4), 1, "chip (0, 1), node (1, 1)"),
        (2047, (4, 8, 8, 8), 31, "chip (3, 7), node (7, 7)"),
    ],
)
def test_a_node_is_called_by_its_chip_and_its_place_on_it(
    index: int, grid: tuple[int, ...], chip: int, name: str
) -> None:
    assert (chips.chip_of(index, grid), chips.name_of(index, grid)) == (chip, name)


def test_lists_of_nodes_name_chips_where_there_are_several() -> None:
    assert node_list([(0, 1)]) == "node (0, 1)"
    assert node_list([(0, 1), (1, 1)]) == "nodes (0, 1), (1, 1)"
    assert node_list([(0, 1, 2, 3)]) == "chip (0, 1), node (2, 3)"
    assert node_list([(0, 0, 0, 1), (0, 1, 0, 1)]) == "chip (0, 0), node (0, 1); chip (0, 1), node (0, 1)"
