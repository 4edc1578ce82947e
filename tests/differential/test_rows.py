"""Every row of the operation table gives the same on the emulated chip as by the reference and in the simulator.

The tolerance is the row's own, the matrix unit's TF32 included: see ``errors.py``. ``scripts/differential.py --rows``
runs all forms of all element types; here are those of the usual ones.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from differential.known import GAPS, gap_of
from differential.rows import Case, cases, together
from differential.three_ways import check, wrong_outputs
from support.random_programs.language.spec import Program

USUAL = ("bfloat16", "float32", "int32")


def _chosen() -> list[Case]:
    """Two dimensions for the usual types, some of three and four, some block floats, some of the other integers."""
    tiled = [case for case in cases() if case.program.tiled]
    flat = [case for case in tiled if case.dtype in USUAL and _is_flat(case)]
    deep = [case for case in tiled if case.dtype in USUAL[:2] and not _is_flat(case)]
    others = [case for case in tiled if case.dtype in ("bfloat8_b", "uint32", "uint16")]
    return [*flat, *deep[::10], *others[::10]]


def _is_flat(case: Case) -> bool:
    return any(len(port.block) == 2 for port in (*case.program.inputs, *case.program.outputs))


CHOSEN = _chosen()
GROUPS = together(case for case in CHOSEN if gap_of(case) is None)
REFUSED = [case for case in cases() if case.program.tiled and gap_of(case) is not None]


@pytest.mark.one_of(5)
@pytest.mark.parametrize(
    ("group", "program"),
    GROUPS,
    ids=[f"{group[0].dtype}-{number}" for number, (group, _) in enumerate(GROUPS)],
)
def test_rows_give_what_the_reference_gives(
    group: tuple[Case, ...], program: Program, tmp_path: Path
) -> None:
    found = wrong_outputs(program, tmp_path)
    assert {group[int(name[1:])].name: text for name, text in found.items()} == {}


@pytest.mark.parametrize("case", REFUSED[::12], ids=lambda case: case.name)
def test_what_the_chip_lacks_is_refused(case: Case, tmp_path: Path) -> None:
    failure = check(case.program, tmp_path)
    gap = gap_of(case)
    assert gap is not None and failure is not None
    assert failure.kind == f"refused {gap.code}", failure.text


def test_every_gap_has_a_case() -> None:
    assert {gap_of(case) for case in REFUSED} == set(GAPS)


def test_every_row_is_compared_in_every_usual_type_it_accepts() -> None:
    compared = {case.subject for case in CHOSEN if gap_of(case) is None}
    expected = {
        case.subject
        for case in cases()
        if case.program.tiled and case.dtype in USUAL and gap_of(case) is None
    }
    assert expected - compared == set()
