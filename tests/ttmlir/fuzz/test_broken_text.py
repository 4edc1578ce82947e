"""``ttmlir-opt`` on broken text: an error at its place, never a traceback, never for long (``make fuzz`` does more)."""

from __future__ import annotations

import pytest

from ir_fuzz.campaign import case, cases
from ir_fuzz.judge import judge
from ttl.ir.tool import Tool
from ttmlir.opt.main import TTMLIR_OPT

SLICES = 10
COUNT = 50


@pytest.mark.one_of(3)
@pytest.mark.parametrize("part", range(SLICES))
def test_broken_text_gets_an_error_at_its_place(part: int) -> None:
    for broken in cases(part * COUNT, COUNT):
        verdict = judge(TTMLIR_OPT, broken.text, broken.flags)
        assert verdict.finding is None, (
            f"case {broken.number} ({broken.done}, {broken.flags}): {verdict}\n{broken.text}"
        )


def test_a_case_is_the_same_every_time() -> None:
    assert case(3) == case(3)
    assert len({case(number).text for number in range(20)}) == 20


class Breaking(Tool):
    """A tool that does something wrong with every text."""

    def run(self, arguments, stdin, stdout, stderr):  # type: ignore[no-untyped-def]
        match arguments[0]:
            case "raise":
                raise KeyError("x")
            case "say":
                stderr.write("<stdin>:1:1: error: 'NoneType' object has no attribute 'type'\n")
            case "far":
                stderr.write("<stdin>:99:1: error: expected an operation\n")
            case "nowhere":
                stderr.write("<unknown>:0: error: expected an operation\n")
            case "loop":
                while True:
                    pass
        return 1


@pytest.mark.parametrize(
    ("flag", "finding"),
    [
        ("raise", "raises KeyError in"),
        ("say", "talks about itself"),
        ("far", "has an error beyond the text"),
        ("nowhere", "has an error without a place"),
        ("loop", "takes too long"),
        ("silence", "fails without an error"),
    ],
)
def test_the_judge_sees(flag: str, finding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ir_fuzz.judge.SECONDS", 0.2)
    verdict = judge(Breaking(name="broken", dialects={}, passes=()), "module {}", [flag])
    assert verdict.finding is not None
    assert verdict.finding.startswith(finding)
