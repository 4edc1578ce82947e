"""Each finding is what CPython does, in the simulator and on the chip, or a gap that is named."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from python_semantics.chip import on_the_chip
from python_semantics.findings import FILE, Finding, findings, shown
from python_semantics.judge import Judgement, cpython, judged
from python_semantics.worker import Worker
from support.kernel_check import needs_compiler

FINDINGS = findings()
JUDGED = "test_the_compiled_program_does_what_cpython_does["
_IDS = [f"{finding.group} {finding.name}" for finding in FINDINGS]


@pytest.fixture(scope="module")
def judgements(request: pytest.FixtureRequest) -> Iterator[dict[str, Judgement]]:
    """Of those that tests ask for, those that the reader takes on the chip together."""
    findings = [
        item.callspec.params["finding"] for item in request.session.items if item.name.startswith(JUDGED)
    ]
    read = [judged(finding.program) for finding in findings]
    worker = Worker()
    yield {finding.name: each for finding, each in zip(findings, on_the_chip(read, worker), strict=True)}
    worker.close()


def _marked(finding: Finding, name: str) -> object:
    marks = [pytest.mark.xfail(strict=True, reason=finding.gap)] if finding.gap else []
    return pytest.param(finding, id=name, marks=marks)


def test_every_section_of_the_page_is_a_finding() -> None:
    assert len(FINDINGS) == FILE.read_text(encoding="utf-8").count("\n## ")
    assert {finding.group for finding in FINDINGS} == set(range(1, 10))


@pytest.mark.parametrize("finding", FINDINGS, ids=_IDS)
def test_what_is_written_below_a_program_is_what_cpython_shows(finding: Finding) -> None:
    assert shown(cpython(finding.program)) == finding.shows


@needs_compiler
@pytest.mark.one_of(2)
@pytest.mark.parametrize("finding", list(map(_marked, FINDINGS, _IDS)))
def test_the_compiled_program_does_what_cpython_does(
    finding: Finding, judgements: dict[str, Judgement]
) -> None:
    judgement = judgements[finding.name]
    if finding.may_be_refused and judgement.verdict == "refused":
        assert all(code.startswith("TTL13") for code in judgement.codes), judgement
        return
    assert judgement.verdict == "right", str(judgement)
