"""Every code of what cannot be compiled: whether ``ttl check`` foresees it, and in which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from ttl.check.file import check_file
from ttl.diag import Diagnostic, catalog
from ttl.diag.text import render
from ttl.settings import override

CODES = [code for code in catalog.codes() if code.startswith(("TTL13", "TTL14"))]

# What check says about the example of a page: the finding of the page itself, as a warning where the simulator runs the program.
# The errors are those of reading a program, which the compiler and check do alike.
AS_WARNING = ("TTL1414", "TTL1415", "TTL1417", "TTL1420")
AS_ERROR = (*(f"TTL13{number:02}" for number in (*range(1, 9), *range(10, 14), 15, 16, 17)),)
# Under a code of its own, because it is asked of the chip, and not of what the compiler makes.
# TTL0820 counts two for all pipes, which is what the compiler makes of them at least.
UNDER_ANOTHER = {"TTL1411": "TTL0821", "TTL1416": "TTL0820"}
# Not at all, and why.
NOT = {
    "TTL1314": "the function is made while the program runs; check says that the operation is not compiled",
    "TTL1401": "where blocks lie is decided with the compiler's own buffers",
    "TTL1402": "where blocks lie is decided with the compiler's own buffers",
    "TTL1406": "which value padding has is followed through the compiler's regions; TTL0430 says where it meets data",
    "TTL1419": "which tiles the units of a node take is asked of the compiler; the simulator has all of them",
    "TTL1407": "modes of the registers are chosen by the compiler",
    "TTL1412": "rows of a block are laid out by the compiler; TTL0821 is about where a slice begins",
    "TTL1413": "shards are a matter of addresses, which the compiler makes",
    "TTL1418": "depends on the protocol that the compiler gives a net",
    "TTL1421": "how messages between chips are counted is the compiler's",
    "TTL1430": "buffers of the compiler; TTL0801 counts those of the program",
    "TTL1431": "buffers of the compiler; TTL0802 counts those of the program",
    "TTL1433": "arguments of kernels are made by the compiler",
    "TTL1434": "where a tensor is is known of a device only; the simulator takes any",
    "TTL1435": "where a tensor is is known of a device only; the simulator takes any",
    "TTL1440": "a launch",
    "TTL1450": "what an operation expands to is decided by the compiler; TTL0822 is about reductions",
    "TTL1451": "what an operation expands to is decided by the compiler",
    "TTL1452": "what an operation expands to is decided by the compiler",
    "TTL1460": "an option of the command line of ttl compile",
    "TTL1461": "an option of the command line of ttl compile",
    "TTL1462": "a schedule, which changes nothing but how an operation is compiled",
    "TTL1463": "a schedule, which changes nothing but how an operation is compiled",
    "TTL1464": "a schedule, which changes nothing but how an operation is compiled",
    "TTL1490": "a format that ttl compile is asked for",
}
# Of IR that is written by hand, where ttl-check says it; no program in Python has what it is about.
IN_IR = ("TTL1453",)


def checked(code: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Diagnostic]:
    """What check says about the example of a page, but for notes."""
    page = catalog.page(code)
    source = page.cases[0].source if page.cases[0].kind == "python" else page.checked or page.example
    assert source is not None
    (folder / "example.py").write_text(source + "\n", encoding="utf-8")
    monkeypatch.chdir(folder)
    with override(strict=False) as settings:
        found = check_file(str(folder / "example.py"), settings).findings
    return [finding for finding in found if finding.severity.name != "NOTE"]


def test_every_code_is_in_the_list() -> None:
    assert sorted((*AS_WARNING, *AS_ERROR, *UNDER_ANOTHER, *NOT, *IN_IR)) == CODES


@pytest.mark.parametrize("code", AS_WARNING)
def test_a_refusal_of_the_compiler_is_a_warning_with_the_same_text(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (found,) = checked(code, tmp_path, monkeypatch)
    expected = catalog.page(code).cases[0].expected
    assert expected.startswith(render(found).replace("warning[", "error[", 1))


@pytest.mark.parametrize("code", [*AS_ERROR, *UNDER_ANOTHER])
def test_what_check_says(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = UNDER_ANOTHER.get(code, code)
    found = checked(code, tmp_path, monkeypatch)
    assert found and {finding.code for finding in found} == {wanted}
    assert {finding.severity.name for finding in found} == {"WARNING" if code in UNDER_ANOTHER else "ERROR"}


@pytest.mark.parametrize("code", NOT)
def test_what_is_not_foreseen(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert checked(code, tmp_path, monkeypatch) == []
