"""Names of the program in the kernels."""

from __future__ import annotations

import pytest

from ttl.passes.names import UniqueNames


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("x_dfb", "x_dfb"),
        ("in_", "in_"),
        ("dfbs[0]", "dfbs_0"),
        ('dfbs["x"]', "dfbs_x"),
        ("stages[1][0]", "stages_1_0"),
        ("2nd", "_2nd"),
        ("入力", "_"),
    ],
)
def test_a_name_of_the_program_becomes_the_nearest_one_of_cpp(wanted: str, name: str) -> None:
    assert UniqueNames().unique(wanted) == name


def test_names_that_become_the_same_are_numbered() -> None:
    names = UniqueNames()
    assert [names.unique(each) for each in ("dfbs[0]", "dfbs_0", "dfbs(0)")] == [
        "dfbs_0",
        "dfbs_0_2",
        "dfbs_0_3",
    ]
