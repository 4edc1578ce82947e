"""All analyses together: one mistake is one finding, and a mistake of ours is no crash."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from support.memory_ir import Program, tiles
from ttl.check import module
from ttl.check.context import CheckContext
from ttl.check.module import ANALYSES, ModuleCheck, check_module, without_overlaps
from ttl.diag import Diagnostic, Severity, error, warning
from ttl.diag.families import Subject
from ttl.dialects import ttl as dialect
from ttl.source.spans import Span


def span(line: int) -> Span:
    return Span(file="example.py", line=line)


def stopping() -> ModuleOp:
    p = Program((1, 1))
    dfb = p.buffer("a_dfb", tiles(1, 1))
    with p.kernel("read"):
        p.emit(dialect.DfbReserveOp(dfb))
    with p.kernel("write"), p.loop("m", 0, 2):
        p.emit(dialect.DfbPopOp(p.emit(dialect.DfbWaitOp(dfb)).result, how="with"))
    return ModuleOp([p.built()])


def test_every_analysis_is_in_the_list_once() -> None:
    assert len({each.name for each in ANALYSES}) == len(ANALYSES)
    assert all(each.doc and not each.doc.endswith(".") for each in ANALYSES)


def test_the_module_is_not_changed_and_the_inferred_push_counts() -> None:
    made = stopping()
    before = str(made)
    codes = [each.code for each in check_module(made) if each.severity is Severity.ERROR]
    assert "TTL0913" in codes, "one block is pushed, by inference, and two are waited for"
    assert "TTL0911" not in codes
    assert str(made) == before


def test_a_mistake_of_ours_silences_one_analysis_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
        raise IndexError("ours")

    monkeypatch.setattr(module, "ANALYSES", (ModuleCheck("broken", broken, "fails"), *ANALYSES))
    found = check_module(stopping())
    assert "TTL0913" in [each.code for each in found]
    (ours,) = [each for each in found if each.code == "TTL9001"]
    assert ours.severity is Severity.NOTE
    assert ours.notes[-1] == "in the analysis broken, which says nothing then"


def test_an_error_hides_the_same_warning_and_findings_are_sorted() -> None:
    found = without_overlaps(
        [
            warning("TTL0507", "maybe").at(span(3)),
            error("TTL0301", "read").at(span(9)),
            error("TTL0507", "surely").at(span(3)),
            error("TTL0507", "again").at(span(3)),
        ]
    )
    assert [(each.code, each.message) for each in found] == [("TTL0507", "surely"), ("TTL0301", "read")]


def test_a_deadlock_says_what_the_states_of_its_block_say_too() -> None:
    deadlock = (
        error("TTL0912", "deadlock", notes=("why",), subject=Subject.ACQUISITION)
        .at(span(4))
        .also(span(7), "read waits here")
    )
    same = error("TTL0304", "written", subject=Subject.ACQUISITION).at(span(5)).also(span(4), "acquired here")
    other = (
        error("TTL0304", "written", subject=Subject.ACQUISITION).at(span(8)).also(span(7), "acquired here")
    )
    assert without_overlaps([same, other, deadlock]) == [deadlock, other]


def test_a_deadlock_that_was_played_hides_what_is_guessed_about_pipes() -> None:
    played = error("TTL0918", "deadlock", notes=("why",)).at(span(4))
    guessed = error("TTL0919", "deadlock", subject=Subject.MESSAGES).at(span(5))
    assert without_overlaps([guessed, played]) == [played]
    assert without_overlaps([guessed]) == [guessed]
